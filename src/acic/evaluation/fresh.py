"""Regret from fresh runs: the smallest of many noisy medians flatters itself, so the best few are measured again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.evaluation.field import Application, Table
from acic.evaluation.picks import Picks
from acic.evaluation.regret import quantile
from acic.evaluation.truth import Run
from acic.platforms import Platform
from acic.space import Configuration
from acic.store.measurement import Outcome

Floats = NDArray[np.float64]

DRAWS = 2000
ENDS = (0.1, 0.9)  # of the interval, which holds 80 %


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and its 80 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshScore:
    """Regret of a method's first choice by fresh runs.

    Args:
        method, goal: as of its `Picks`.
        median, p90: of the applications' regret; the interval is over applications and runs, drawn anew.
        regret: of each application whose choice was run again; the interval is over the runs.
        of: how many applications were run again at all.
        repetitions: the fewest that any of the points compared has.
    """

    method: str
    goal: str
    median: Interval
    p90: Interval
    regret: Mapping[Application, Interval]
    of: int
    repetitions: int


class Fresh:
    """Fresh runs of a few configurations of each application, interleaved: each pass has all of them.

    Args:
        runs: those runs.
        platform: where they were made.
        goal: "time" or "cost".
    """

    def __init__(self, runs: Iterable[Run], platform: Platform, goal: str) -> None:
        self.goal = goal
        self._values: dict[Application, dict[Configuration, dict[int, float]]] = {}
        self._passes: dict[Application, set[int]] = {}
        for run in runs:
            application = (run.kernel, run.scale)
            mine = self._values.setdefault(application, {}).setdefault(run.configuration, {})
            self._passes.setdefault(application, set()).add(run.repetition)
            if run.outcome is Outcome.OK and run.total is not None:
                mine[run.repetition] = run.total if goal == "time" else platform.cost(run.configuration, 1, run.total)
            elif run.outcome is Outcome.CORRUPT:
                mine[run.repetition] = np.inf
            else:
                mine.setdefault(run.repetition, np.inf)  # unless a second try went well

    @property
    def applications(self) -> tuple[Application, ...]:
        """Those that were run again."""
        return tuple(self._values)

    def score(self, picks: Sequence[Picks], table: Table, *, rng: np.random.Generator) -> FreshScore | None:
        """Return the regret of a method's first choices, where these were run again; None where none was.

        Regret is the median of the choice's fresh runs over the least median among all that was run again: passes are
        drawn anew together, so that what slowed a whole pass down does not count.

        Args:
            picks: a method's choices; a random one's cannot be judged here.
            table: whose columns they are.
            rng: draws passes and applications.
        """
        if len(picks) != 1:
            return None
        regrets: dict[Application, Interval] = {}
        drawn, repetitions = [], []
        for application in table.applications:
            chosen = table.configurations[picks[0].ranked[application][0]]
            mine = self._values.get(application, {})
            if chosen not in mine:
                continue
            values = self._array(application)
            column, best = list(mine).index(chosen), int(_medians(values).argmin())
            passes = rng.integers(0, values.shape[1], (DRAWS, values.shape[1]))
            drawn.append(_regret(values[:, passes], column, best))
            value = float(_regret(values[:, None, :], column, best)[0])
            regrets[application] = Interval(value, *(quantile(drawn[-1], end) for end in ENDS))
            repetitions.append(int((~np.isnan(values)).sum(axis=1).min()))
        if not regrets:
            return None
        return FreshScore(
            method=picks[0].method,
            goal=self.goal,
            median=_over(drawn, regrets, 0.5, rng),
            p90=_over(drawn, regrets, 0.9, rng),
            regret=regrets,
            of=len(self.applications),
            repetitions=min(repetitions),
        )

    def _array(self, application: Application) -> Floats:
        """Return the values, shape (configurations, passes); NaN where a configuration was not run in a pass."""
        passes = sorted(self._passes[application])
        return np.array([[mine.get(p, np.nan) for p in passes] for mine in self._values[application].values()])


def _regret(values: Floats, column: int, best: int) -> Floats:
    """Return how far a configuration is behind another one, at least 0, shape (draws,).

    Args:
        values: s or USD, shape (configurations, draws, passes).
        column: the configuration that is judged.
        best: the one that it is compared with, the same in all draws: the least of each draw would be luck.
    """
    medians = _medians(values)
    own, least = medians[column], medians[best]
    failed = np.isinf(own)
    ratio = np.where(failed, 1.0, own) / np.where(failed, 1.0, least)  # inf / inf would be no number
    return np.where(failed, np.inf, np.maximum(ratio - 1.0, 0.0))


def _medians(values: Floats) -> Floats:
    """Return medians over the last axis, without NaN; inf where half of the runs failed, or none was drawn."""
    count = (~np.isnan(values)).sum(axis=-1)
    ordered = np.sort(values, axis=-1)  # NaN last
    low, high = (
        np.take_along_axis(ordered, np.maximum(at, 0)[..., None], axis=-1)[..., 0]
        for at in ((count - 1) // 2, count // 2 - (count == 0))
    )
    return np.where(count == 0, np.inf, np.where(low == high, low, (low + high) / 2))


def _over(
    drawn: Sequence[Floats], regrets: Mapping[Application, Interval], part: float, rng: np.random.Generator
) -> Interval:
    """Return a quantile over applications; the interval is over applications drawn anew, each with its own draw."""
    all_of = np.array(drawn)  # (applications, draws)
    count = len(all_of)
    which = rng.integers(0, count, (DRAWS, count))
    samples = all_of[which, rng.integers(0, DRAWS, (DRAWS, count))]
    found = [quantile(row, part) for row in samples]
    value = quantile([interval.value for interval in regrets.values()], part)
    return Interval(value, *(quantile(found, end) for end in ENDS))
