"""How good choices were: what they took, beside the best that was measured and the baseline.

inf is what failed or gave wrong bytes. It never becomes NaN: a method whose choice fails has an infinite regret for
that application, and the number of failures stands beside every figure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.evaluation.field import Application, Table
from acic.evaluation.picks import Picks

Floats = NDArray[np.float64]

TOPS = (1, 3, 5, 0)  # how many of the choices are tried, of which the best counts; 0 for all of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How good a method was with its first few choices tried.

    Args:
        tried: how many choices; 0 for all.
        median, p90, mean: of the applications' regret: how much longer, or dearer, than the best; 0.2 is 20 %.
        regret: of each application; inf where all that was tried failed.
        gain: mean of baseline / chosen (time), or of what is saved of the baseline's (cost); `best_gain` is that of the
            best measured, and `share` the part of the gain over the baseline that was reached.
        failed: applications (or, of a blind choice, their expected number) where all that was tried failed.
        worse: applications that took longer, or cost more, than on the baseline, beyond the noise; failures among them.
    """

    tried: int
    median: float
    p90: float
    mean: float
    regret: Mapping[Application, float]
    gain: float
    best_gain: float
    share: float
    failed: float
    worse: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How good a method was.

    Args:
        method, title, goal: as of its `Picks`.
        figures: by how many choices are tried, as `TOPS` has them.
    """

    method: str
    title: str
    goal: str
    figures: Mapping[int, Figures]


def score(picks: Sequence[Picks], table: Table, baseline: int, *, noise: float) -> Score:
    """Return how good the choices of one method are, by `table`.

    Args:
        picks: its choices; several where it chooses at random: what an application has is the mean over those that do
            not fail, in regret and in gain, and `failed` and `worse` are expected numbers.
        table: the truth, without NaN.
        baseline: the baseline's column, finite.
        noise: |ln| of a ratio that counts as no difference; NaN is taken for 0.
    """
    first = picks[0]
    found = {tried: _figures(picks, table, baseline, noise, tried) for tried in TOPS}
    return Score(method=first.method, title=first.title, goal=first.goal, figures=found)


def reached(picks: Picks, table: Table, tried: int) -> Floats:
    """Return the best value among the first `tried` choices of each application, shape (applications,); 0 for all."""
    rows = [list(picks.ranked[a][: tried or None]) for a in table.applications]
    return np.array([values[row].min() for values, row in zip(table.values, rows, strict=True)])


def quantile(values: Sequence[float] | Floats, part: float) -> float:
    """Return a quantile, linear between neighbours; inf next to an inf.

    Args:
        values: no NaN, at least one.
        part: 0.5 for the median.
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    place = part * (len(ordered) - 1)
    low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
    return float(low) if low == high else float(low + (place - math.floor(place)) * (high - low))


def _figures(picks: Sequence[Picks], table: Table, baseline: int, noise: float, tried: int) -> Figures:
    each = np.array([reached(one, table, tried) for one in picks])  # (choices, applications)
    fails = np.isinf(each)
    best, before = table.values.min(axis=1), table.values[:, baseline]
    regret = _of_good(each, fails) / best - 1.0
    limit = np.exp(0.0 if math.isnan(noise) else noise)
    gain = float(_of_good(_gains(each, before, table.goal), fails).mean())
    best_gain = mean_gain(best, before, table.goal)
    return Figures(
        tried=tried,
        median=quantile(regret, 0.5),
        p90=quantile(regret, 0.9),
        mean=float(regret.mean()),
        regret=dict(zip(table.applications, regret.tolist(), strict=True)),
        gain=gain,
        best_gain=best_gain,
        share=share_of(gain, best_gain, table.goal),
        failed=float(fails.mean(axis=0).sum()),
        worse=float((each > before * limit).mean(axis=0).sum()),
    )


def _of_good(figures: Floats, fails: NDArray[np.bool_]) -> Floats:
    """Return the mean over the choices that do not fail; where all do, what failing has: that of any of them.

    Args:
        figures: of each choice, shape (choices, applications).
        fails: which choices fail, of the same shape.
    """
    mean = np.where(fails, 0.0, figures).sum(axis=0) / np.maximum((~fails).sum(axis=0), 1)
    return np.asarray(np.where(fails.all(axis=0), figures[0], mean))


def mean_gain(value: Floats, before: Floats, goal: str) -> float:
    """Return the mean speed-up, or the mean part that is saved; arrays have the shape (applications,).

    What failed has a speed-up of 0, or costs as much as the baseline for nothing, and the baseline's run after it.

    Source: Liu et al., SC13, equations (2) and (3).
    """
    return float(_gains(value, before, goal).mean())


def _gains(value: Floats, before: Floats, goal: str) -> Floats:
    return before / value if goal == "time" else 1.0 - np.where(np.isinf(value), 2.0 * before, value) / before


def share_of(gain: float, best_gain: float, goal: str) -> float:
    """Return the part of the best possible gain over the baseline that was reached; NaN where nothing can be gained."""
    nothing = 1.0 if goal == "time" else 0.0  # the gain of the baseline itself
    return (gain - nothing) / (best_gain - nothing) if best_gain > nothing else math.nan
