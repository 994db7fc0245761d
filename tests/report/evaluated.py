"""A made-up evaluation: values, choices and curves are drawn at random, and mean nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from acic.benchmarks.kernels import kernels
from acic.evaluation.field import Application, Table
from acic.evaluation.fresh import FreshScore, Interval
from acic.evaluation.observations import Holds, Observation
from acic.evaluation.picks import Curve, Picks
from acic.evaluation.ranks import PAPER, Rank
from acic.evaluation.regret import quantile
from acic.platforms import Platform, load_platform
from acic.report.evaluation import Evaluation, Lines
from acic.report.evaluation.merit import gains, regret
from acic.space import Configuration

METHODS = {"prior": "acic", "fixed": "one for all", "rules": "rules of thumb", "cart": "CART, as in the paper"}

OBSERVED = tuple(
    Observation(says=f"statement {i} of a paper", source="section 5.2", holds=holds, figures=f"{i} of 24 applications")
    for i, holds in enumerate(Holds)
)


@dataclass(frozen=True, kw_only=True)
class Imagined:
    """What a made-up truth is like.

    Args:
        applications, configurations: how many.
        failed, missing: shares of the pairs.
        baseline: whether the baseline was measured.
        again: whether the best few are measured again.
        cost: whether there are prices.
        curves: whether there are curves.
    """

    applications: int = 24
    configurations: int = 160
    failed: float = 0.06
    missing: float = 0.04
    baseline: bool = True
    again: bool = False
    cost: bool = True
    curves: bool = True
    methods: int = 4
    seed: int = 1


def imagine(made: Imagined) -> Evaluation:
    """Return an evaluation of it."""
    rng = np.random.default_rng(made.seed)
    platform = load_platform("lab")
    configurations = _configurations(platform, made.configurations, with_baseline=made.baseline, rng=rng)
    applications = tuple(sorted((k.name, k.scale) for k in kernels()))[: made.applications]
    size = len(applications), len(configurations)
    base = rng.lognormal(1.0, 0.8, size=(size[0], 1)) * rng.lognormal(0.0, 0.5, size=(1, size[1]))
    values = base * rng.lognormal(0.0, 0.45, size=size)
    lost = rng.random(size)
    values = np.where(lost < made.failed, np.inf, np.where(lost < made.failed + made.missing, np.nan, values))
    if made.baseline:
        values[:, 0] = base[:, 0]
    prices = rng.uniform(0.0004, 0.0012, size=size[1])
    tables = {"time": Table(applications, configurations, values, "time")}
    if made.cost:
        tables["cost"] = Table(applications, configurations, values * prices, "cost")
    picks = [p for table in tables.values() for p in _picks(table, made.methods, rng)]
    again = {goal: _again(table, rng) for goal, table in tables.items()} if made.again else {}
    fresh = [_fresh(again[p.goal], p, 0 if made.baseline else None) for p in picks if p.goal in again]
    return Evaluation(
        platform=platform,
        tables=tables,
        picks=picks,
        again=made.again,
        fresh=[one for one in fresh if one is not None],
        fresh_runs=3 * sum(int((~np.isnan(table.values)).sum()) for goal, table in again.items() if goal == "time"),
        runs=2 * int((~np.isnan(values)).sum()),
        repetitions=(1, 3),
        made=datetime(2026, 11, 28, 12, tzinfo=UTC),
        noise=0.2,
        processes=dict.fromkeys(applications, 8),
        observations=OBSERVED,
        ranks=ranks(rng) if made.curves else (),
        lines=curves(rng) if made.curves else {},
        command="nobody: made up by a test",
    )


def _configurations(
    platform: Platform, count: int, *, with_baseline: bool, rng: np.random.Generator
) -> tuple[Configuration, ...]:
    every = [c for c in platform.space.configurations() if c != platform.baseline]
    chosen = [every[int(i)] for i in rng.permutation(len(every))[:count]]
    return (platform.baseline, *chosen[1:]) if with_baseline else tuple(chosen)


def _picks(table: Table, count: int, rng: np.random.Generator) -> list[Picks]:
    made = []
    for number, (method, title) in enumerate([*METHODS.items()][:count]):
        noise = np.exp(rng.normal(0.0, 0.15 + 0.35 * number, size=table.values.shape))
        guessed = np.where(np.isnan(table.values), np.inf, table.values) * noise
        ranked = {
            a: tuple(int(c) for c in np.argsort(row)[:5]) for a, row in zip(table.applications, guessed, strict=True)
        }
        made.append(Picks(method=method, title=title, goal=table.goal, ranked=ranked))
    return made


def _again(table: Table, rng: np.random.Generator) -> Table:
    values = np.full(table.values.shape, np.nan)
    for row, fresh in zip(table.values, values, strict=True):
        few = [c for c in np.argsort(row)[:4] if np.isfinite(row[c])]
        fresh[few] = row[few] * rng.lognormal(0.02, 0.05, size=len(few))
    return Table(table.applications, table.configurations, values, table.goal)


def _fresh(table: Table, picks: Picks, baseline: int | None) -> FreshScore | None:
    """Return what medians of the few that ran again say of a method, too few runs for an interval."""
    found = dict(zip(table.applications, regret(table, picks).tolist(), strict=True))
    known = {a: Interval(value, np.nan, np.nan) for a, value in found.items() if not np.isnan(value)}
    if not known:
        return None
    of = int((~np.isnan(table.values)).any(axis=1).sum())
    compared = baseline is not None and int((~np.isnan(table.values[:, baseline])).sum()) == of
    gain, best_gain = gains(table, picks, baseline if compared else None)
    median, tenth = (Interval(quantile([one.value for one in known.values()], q), np.nan, np.nan) for q in (0.5, 0.9))
    return FreshScore(
        method=picks.method,
        goal=picks.goal,
        median=median,
        p90=tenth,
        regret=known,
        few={},
        gain=gain,
        best_gain=best_gain,
        share=np.nan,
        worse=(),
        of=of,
        repetitions=1,
    )


def curves(rng: np.random.Generator) -> dict[str, list[Lines]]:
    """Return curves for every figure that is made of them."""
    parameters = tuple(float(n) for n in range(1, 16))
    runs = (10.0, 20.0, 50.0, 100.0, 200.0, 276.0)
    return {
        "fig8": [
            Lines(
                title="Cost saved, with so many parameters",
                spent="top-ranked parameters trained with",
                shown="cost saved under the baseline",
                kind="share",
                curves=(_curve("acic", parameters, 0.5 - 0.9 / np.array(parameters), rng),),
            ),
            Lines(
                title="What the training costs",
                spent="top-ranked parameters trained with",
                shown="training cost, USD",
                kind="dollars",
                basis="predicted",
                log_shown=True,
                curves=(_curve("training", parameters, 0.01 * 2.4 ** np.array(parameters), rng, wide=0.0),),
            ),
        ],
        "fig9": [
            Lines(
                title="Real runs until a good configuration is found",
                spent="real runs of the application",
                shown="regret of the best so far",
                kind="share",
                curves=tuple(
                    _curve(name, tuple(range(1, 21)), 2.0 * np.exp(-rate * np.arange(1, 21)), rng)
                    for name, rate in (("random walk", 0.08), ("PB-guided walk", 0.15), ("acic", 0.5))
                ),
            )
        ],
        "learning": [
            Lines(
                title="Regret against training runs",
                spent="training runs",
                shown="regret of the first choice, median",
                kind="share",
                log_spent=True,
                curves=tuple(
                    _curve(name, runs, 0.02 + 4 / np.array(runs) * k, rng)
                    for k, name in enumerate(
                        ("active", "Sobol", "random", "the paper's plan", "one at a time"), start=1
                    )
                ),
            )
        ],
        "transfer": [
            Lines(
                title="Regret there, by training runs there",
                spent="training runs on the other kind of instance",
                shown="regret of the median application",
                kind="share",
                curves=tuple(
                    _curve(name, (0.0, 5.0, 20.0), np.array([0.3, 0.25, 0.2]) * k, np.random.default_rng(k))
                    for k, name in enumerate(("acic", "cart"), start=1)
                ),
            )
        ],
        "crowd": [
            liars(lie, model, np.array([0.0, 0.1, 0.4, 1.2]) * k + honest)
            for lie, k in (("noise", 1.0), ("x1000", 3.0))
            for model, honest in (("acic", 0.01), ("cart", 0.2))
        ],
    }


def liars(lie: str, model: str, more: np.ndarray, *, goal: str = "time") -> Lines:
    """Return what a lie costs a model: so much more regret without a defence, and a tenth of that with it."""
    rng, shares = np.random.default_rng(len(lie)), (0.0, 0.05, 0.2, 0.4)
    return Lines(
        title=f"{lie}, {model}",
        spent="share of the contributors who lie",
        shown=f"median regret, in {goal}",
        kind="share",
        basis="simulated",
        goal=goal,
        about="Simulated: made up by a test.",
        curves=(_curve("with the defence", shares, more / 10, rng), _curve("without it", shares, more, rng)),
    )


def ranks(rng: np.random.Generator) -> list[Rank]:
    """Return what a screening may tell, the factors falling."""
    factors = np.sort(rng.lognormal(0.5, 0.5, size=len(PAPER)))[::-1]
    return [
        Rank(parameter=name, rank={"time": i, "cost": i}, factor={"time": f, "cost": f}, paper=PAPER[name])
        for i, (name, f) in enumerate(zip(PAPER, factors.tolist(), strict=True), 1)
    ]


def _curve(
    name: str, spent: tuple[float, ...], middle: np.ndarray, rng: np.random.Generator, *, wide: float = 0.3
) -> Curve:
    off = np.abs(middle) * wide * rng.uniform(0.5, 1.5, size=len(middle))
    values = (tuple(float(v) for v in x) for x in (middle, middle - off, middle + off))
    median, low, high = values
    return Curve(name=name, spent=spent, middle=median, low=low, high=high)


def application(given: Evaluation, number: int = 0) -> Application:
    """Return one of its applications."""
    return given.tables["time"].applications[number]
