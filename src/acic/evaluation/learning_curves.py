"""How little training is enough: regret over training runs, or over machine time, for several ways to choose the runs.

Figure 8 of Liu et al., SC13, section 5.4, is `figure_8`; `learning_curves` compares orders of the same training runs:
those of `orders.ORDERS`, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from zlib import crc32

import numpy as np

from acic.advisor.learning import FEWEST, unmeasured
from acic.errors import InvalidInput, MissingData
from acic.evaluation.loops import curve_over
from acic.evaluation.orders import ORDERS, in_order
from acic.evaluation.parallel import spread
from acic.evaluation.picks import Curve
from acic.evaluation.taught import Judge, taught
from acic.evaluation.training import Floats, Integers, Training
from acic.models.registry import DEFAULT, learner
from acic.models.residual import takes_prior
from acic.platforms import Platform
from acic.prior import prior_of

SEEDS = 3
PARTS = (0.0, 0.1, 0.2, 0.33, 0.5, 0.67, 0.83, 1.0)  # of all runs, or of all machine time, that are learned from
MODELS = tuple(dict.fromkeys(("cart", DEFAULT)))  # the paper's, and ours
SECONDS_PER_MINUTE = 60.0


def learning_curves(
    training: Training,
    judge: Judge,
    *,
    minutes: bool = False,
    orders: Sequence[str] = (),
    models: Sequence[str] = MODELS,
    seeds: int = SEEDS,
    processes: int = 1,
) -> tuple[Curve, ...]:
    """Return the regret of the median application over what was spent on training, a curve for each model and order.

    Where too little was measured to learn from, it is that of `untaught`. Middle, low and high are over seeds.

    Args:
        training: what is chosen from.
        judge: applications that are not in it.
        minutes: what was spent is told in minutes of machine time rather than in runs.
        orders: of `ORDERS`; all of them where none is called.
        models: learners' names.
        seeds: of the order and of the model.
        processes: of this machine; the figures do not depend on it.

    Raises:
        InvalidInput: no such order.
    """
    names = orders or tuple(ORDERS)
    if unknown := set(names) - set(ORDERS):
        raise InvalidInput(f"there is no order {unknown.pop()!r}", hint=f"choose among {', '.join(ORDERS)}")
    price = training.seconds / SECONDS_PER_MINUTE if minutes else np.ones(len(training))
    spent = tuple(part * float(price.sum()) for part in PARTS)
    cases = [(name, seed) for name in reversed(names) for seed in range(seeds)]  # the active one takes longest
    made = dict(zip(cases, spread(partial(_ordered, training), cases, processes=processes), strict=True))
    lines = [(name, seed) for name in names for seed in range(seeds)]
    parts = [(seed, part) for name, seed in lines for part in _beginnings(made[name, seed], price, spent)]
    regrets = _regrets(training, judge, models, parts, processes).reshape(len(models), len(names), seeds, len(spent))
    without = np.array([untaught(judge, model) for model in models])[:, None, None, None]
    regrets = np.where(np.isnan(regrets), without, regrets)
    return tuple(
        curve_over(f"{model}, {name}", spent, regrets[m, n])
        for m, model in enumerate(models)
        for n, name in enumerate(names)
    )


def figure_8(
    training: Training, judge: Judge, *, models: Sequence[str] = MODELS, seeds: int = SEEDS, processes: int = 1
) -> tuple[Curve, ...]:
    """Return regret, and what training takes, over the number of top-ranked parameters that it varies.

    One curve for each model, of the median application's regret, NaN where nothing can be learned; then "runs" and
    "machine minutes" ("USD" if the judge's goal is cost), which know no spread. With k parameters all measurements are
    learned from in which the others keep their defaults.
    """
    counts = tuple(range(1, len(training.ranks) + 1))
    parts = [_closed(training, np.flatnonzero(training.depth <= k)) for k in counts]
    cases = [(seed, part) for seed in range(seeds) for part in parts]
    regrets = _regrets(training, judge, models, cases, processes).reshape(len(models), seeds, len(parts))
    runs = np.array([[len(part) for part in parts]], dtype=float)
    unit, each = _taken(training, judge)
    taken = np.array([[each[part].sum() for part in parts]])
    return (
        *(curve_over(model, counts, regrets[m]) for m, model in enumerate(models)),
        curve_over("runs", counts, runs),
        curve_over(unit, counts, taken),
    )


def untaught(judge: Judge, model: str) -> float:
    """Return the regret of the median application where nothing was learned.

    It is that of changing nothing, and of a model that takes a prior that of what the prior alone advises.
    """
    knows = takes_prior(learner(model)) and prior_of(judge.platform) is not None
    regret = judge.regret(judge.orders(unmeasured(judge.platform))) if knows else judge.untaught()
    return float(np.median(regret))


def _taken(training: Training, judge: Judge) -> tuple[str, Floats]:
    """Return what each measurement took, shape (rows,), and its unit: minutes, or USD if cost is judged."""
    if judge.table.goal == "time":
        return "machine minutes", training.seconds / SECONDS_PER_MINUTE
    return "USD", np.array([*_bills(training, judge.platform)])


def _bills(training: Training, platform: Platform) -> Iterator[float]:
    rows = training.rows
    for workload, configuration, seconds in zip(rows.workload, rows.configuration, training.seconds, strict=True):
        processes = rows.workloads[workload].processes
        yield platform.cost(rows.configurations[configuration], processes, float(seconds))


def _ordered(training: Training, case: tuple[str, int]) -> Integers:
    name, seed = case
    return in_order(training, ORDERS[name](training, np.random.default_rng([seed, crc32(name.encode())])))


def _beginnings(order: Integers, price: Floats, spent: Sequence[float]) -> list[Integers]:
    """Return what of an order each expense pays for."""
    bills = np.cumsum(price[order]) * (1.0 - 1e-12)
    return [order[: int(np.searchsorted(bills, budget, side="right"))] for budget in spent]


def _regrets(
    training: Training, judge: Judge, models: Sequence[str], parts: Sequence[tuple[int, Integers]], processes: int
) -> Floats:
    """Return the regret of the median application for each model, seed and part, shape (models, parts).

    NaN is where a part teaches nothing. What several parts have in common, in whatever order, is learned once; all
    orders end alike.
    """
    rows = [(seed, np.sort(part)) for seed, part in parts]
    keys = [[(model, seed, part.tobytes()) for seed, part in rows] for model in models]
    tasks = {(m, s, part.tobytes()): (m, s, part) for m in models for s, part in rows}
    longest = sorted(tasks, key=lambda key: -len(key[2]))
    found = spread(partial(_regret, training, judge), [tasks[key] for key in longest], processes=processes)
    of = dict(zip(longest, found, strict=True))
    return np.array([[of[key] for key in those] for those in keys])


def _regret(training: Training, judge: Judge, case: tuple[str, int, Integers]) -> float:
    """Return the regret of the median application with what a part teaches; NaN where it teaches nothing."""
    model, seed, part = case
    rows = training.rows.rows(part)
    chosen = {rows.configurations[i] for i in rows.configuration} - {judge.platform.baseline}
    if len(chosen) < FEWEST:
        return np.nan
    try:
        learned = taught(
            rows,
            judge.platform,
            learner(model),
            weight=np.ones(len(rows)),
            believed=np.ones(len(rows), dtype=bool),
            seed=seed,
            hardware=None if training.hardware is None else training.hardware[part],
        )
        return judge.median_regret(learned)
    except MissingData:  # a direction that was not measured yet
        return np.nan


def _closed(training: Training, part: Integers) -> Integers:
    """Return the rows with the baselines of their workloads."""
    needed = training.baseline[part]
    return np.union1d(part, needed[needed >= 0])
