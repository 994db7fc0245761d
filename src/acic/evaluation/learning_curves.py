"""How little training is enough: regret over training runs, or over machine time, for several ways to choose the runs.

Figure 8 of Liu et al., SC13, section 5.4, is `figure_8`; `learning_curves` compares orders of the same training runs:
those of `orders.ORDERS`, by name. `FIGURES` names what a command shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
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
from acic.prior import prior_of

SEEDS = 3
PARTS = (0.1, 0.2, 0.33, 0.5, 0.67, 0.83, 1.0)  # of all runs, or of all machine time, that are learned from
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

    Where too little was measured to learn from, it is that of changing nothing. Middle, low and high are over seeds.

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
    cases = [(name, seed) for name in names for seed in range(seeds)]
    found = spread(partial(_regrets, training, judge, tuple(models), price, spent), cases, processes=processes)
    of = dict(zip(cases, found, strict=True))
    return tuple(
        curve_over(f"{model}, {name}", spent, np.array([of[name, seed][m] for seed in range(seeds)]))
        for m, model in enumerate(models)
        for name in names
    )


def figure_8(
    training: Training, judge: Judge, *, models: Sequence[str] = MODELS, seeds: int = SEEDS, processes: int = 1
) -> tuple[Curve, ...]:
    """Return regret, and what training takes, over the number of top-ranked parameters that it varies.

    One curve for each model, of the median application's regret, then "runs" and "machine minutes", which know no
    spread. With k parameters all measurements are learned from in which the others keep their defaults.
    """
    counts = tuple(range(1, len(training.ranks) + 1))
    parts = [_closed(training, np.flatnonzero(training.depth <= k)) for k in counts]
    cases = partial(_of_parts, training, judge, tuple(models), parts)
    regrets = np.array(spread(cases, range(seeds), processes=processes))
    runs = np.array([[len(part) for part in parts]], dtype=float)
    taken = np.array([[training.seconds[part].sum() / SECONDS_PER_MINUTE for part in parts]])
    return (
        *(curve_over(model, counts, regrets[:, m]) for m, model in enumerate(models)),
        curve_over("runs", counts, runs),
        curve_over("machine minutes", counts, taken),
    )


def _regrets(
    training: Training,
    judge: Judge,
    models: Sequence[str],
    price: Floats,
    spent: Sequence[float],
    case: tuple[str, int],
) -> Floats:
    """Return the regret of each model after each expense, shape (models, expenses)."""
    name, seed = case
    order = in_order(training, ORDERS[name](training, np.random.default_rng([seed, crc32(name.encode())])))
    bills = np.cumsum(price[order]) * (1.0 - 1e-12)
    parts = [order[: int(np.searchsorted(bills, budget, side="right"))] for budget in spent]
    return _of_parts(training, judge, models, parts, seed)


def _of_parts(training: Training, judge: Judge, models: Sequence[str], parts: Sequence[Integers], seed: int) -> Floats:
    """Return the regret of the median application for each model and part, shape (models, parts)."""
    distinct = {part.tobytes(): part for part in parts}
    found = []
    for model in models:
        of = {key: _regret(training, judge, model, part, seed) for key, part in distinct.items()}
        found.append([of[part.tobytes()] for part in parts])
    return np.array(found)


def _regret(training: Training, judge: Judge, model: str, part: Integers, seed: int) -> float:
    rows = training.rows.rows(np.sort(part))
    chosen = {rows.configurations[i] for i in rows.configuration} - {judge.platform.baseline}
    if len(chosen) < FEWEST:
        knows = takes_prior(learner(model)) and prior_of(judge.platform) is not None
        return float(np.median(_without(judge) if knows else judge.untaught()))
    try:
        learned = taught(
            rows,
            judge.platform,
            learner(model),
            weight=np.ones(len(rows)),
            believed=np.ones(len(rows), dtype=bool),
            seed=seed,
        )
        return float(np.median(judge.regret(judge.orders(learned))))
    except MissingData:  # a direction that was not measured yet
        return float(np.median(judge.untaught()))


def _without(judge: Judge) -> Floats:
    """Return the regret of what hardware alone advises, shape (applications,)."""
    return judge.regret(judge.orders(unmeasured(judge.platform)))


def _closed(training: Training, part: Integers) -> Integers:
    """Return the rows with the baselines of their workloads."""
    needed = training.baseline[part]
    return np.union1d(part, needed[needed >= 0])


FIGURES: Mapping[str, Callable[..., tuple[Curve, ...]]] = MappingProxyType(
    {
        "8": figure_8,
        "learning-runs": learning_curves,
        "learning-minutes": partial(learning_curves, minutes=True),
    }
)
"""What a command shows, by name; each takes (training, judge, models=, seeds=, processes=)."""
