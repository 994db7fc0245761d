"""Regret from fresh runs: the smallest of many noisy medians flatters itself, so the best few are measured again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.evaluation.field import Application, Table, value_of
from acic.evaluation.levels import levelled, medians_of
from acic.evaluation.picks import Picks
from acic.evaluation.regret import mean_gain, quantile, share_of
from acic.evaluation.truth import Run
from acic.platforms import Platform
from acic.space import Configuration
from acic.store.measurement import Outcome

Floats = NDArray[np.float64]

DRAWS = 2000
FEW = 3  # first choices, of which a user may try each
LEAST = 3  # runs of a configuration, below which they tell nothing of how far they spread
ENDS = (0.1, 0.9)  # of the interval, which holds 80 %


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and its 80 % interval, whose ends are NaN where too few runs tell it."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshScore:
    """Regret of a method's first choice by fresh runs.

    Args:
        method, goal: as of its `Picks`.
        median, p90: of the applications' regret; the interval is over applications and runs, drawn anew. Its ends are
            NaN where those of more than half of the applications are.
        regret: of each application whose choice was run again; the interval is over the runs, and its ends are NaN
            where the choice, or the best, has fewer than `LEAST`.
        few: regret of the best of the first `FEW` choices, of each application where all of these were run again.
        gain: mean of baseline / chosen (time), or of what is saved of the baseline's (cost); `best_gain` is that of the
            best of all that was run again, and `share` the part of the gain over the baseline that was reached. NaN
            where the baseline was not run again with each of them.
        worse: applications that took longer, or cost more, than on the baseline in 9 of 10 draws of the passes; by
            more than the noise where either has fewer than `LEAST` runs.
        of: how many of the table's applications were run again at all.
        repetitions: the fewest that any of the points compared has.
    """

    method: str
    goal: str
    median: Interval
    p90: Interval
    regret: Mapping[Application, Interval]
    few: Mapping[Application, float]
    gain: float
    best_gain: float
    share: float
    worse: tuple[Application, ...]
    of: int
    repetitions: int

    @property
    def whole(self) -> bool:
        """Whether its choice was run again with every application that was: a part of them tells nothing."""
        return len(self.regret) == self.of

    @property
    def few_median(self) -> float:
        """The median of `few`; NaN unless it has every application that was run again."""
        return quantile(list(self.few.values()), 0.5) if len(self.few) == self.of else np.nan


@dataclass(frozen=True, slots=True)
class _Compared:
    """A choice for one application beside the best and the baseline: s or USD; NaN for a baseline without figures."""

    regret: Interval
    drawn: Floats
    repetitions: int
    own: float
    least: float
    usual: float
    worse: bool


class Fresh:
    """Fresh runs of a few configurations of each application, interleaved: each pass of a session has all of them.

    Sessions, which need not have the same configurations, are levelled against one another (`levelled`).

    Args:
        runs: those runs.
        platform: where they were made.
        goal: "time" or "cost".
    """

    def __init__(self, runs: Iterable[Run], platform: Platform, goal: str) -> None:
        self.goal = goal
        self._baseline = platform.baseline
        self._values: dict[Application, dict[Configuration, dict[int, float]]] = {}
        self._passes: dict[Application, set[int]] = {}
        self._corrupt: set[tuple[Application, Configuration]] = set()
        self._levelled: dict[Application, Floats] = {}
        for run in runs:
            application = (run.kernel, run.scale)
            mine = self._values.setdefault(application, {}).setdefault(run.configuration, {})
            self._passes.setdefault(application, set()).add(run.repetition)
            if run.outcome is Outcome.OK and run.total is not None:
                mine[run.repetition] = value_of(run, platform, goal)
            elif run.outcome is Outcome.CORRUPT:
                mine[run.repetition] = np.inf
                self._corrupt.add((application, run.configuration))
            else:
                mine.setdefault(run.repetition, np.inf)  # unless a second try went well

    @property
    def applications(self) -> tuple[Application, ...]:
        """Those that were run again."""
        return tuple(self._values)

    def medians(self, application: Application) -> dict[Configuration, float]:
        """Return the levelled median of all that was run again, s or USD.

        inf where half of the runs failed, or any gave wrong bytes: such a configuration is no choice.
        """
        if application not in self._values:
            return {}
        return dict(zip(self._values[application], medians_of(self._array(application)).tolist(), strict=True))

    def runs(self, application: Application) -> dict[Configuration, Floats]:
        """Return the levelled runs of each configuration, s or USD, inf for one that failed."""
        if application not in self._values:
            return {}
        rows = zip(self._values[application], self._array(application), strict=True)
        return {one: row[~np.isnan(row)] for one, row in rows}

    def drawn(self, application: Application, rng: np.random.Generator) -> dict[Configuration, Floats]:
        """Return medians of `DRAWS` draws of the passes, s or USD; inf where most of these runs failed, NaN of none."""
        values = self._array(application)
        draws = rng.integers(0, values.shape[1], (DRAWS, values.shape[1]))
        return dict(zip(self._values[application], medians_of(values[:, draws]), strict=True))

    def best(self, application: Application) -> Configuration | None:
        """Return the configuration with the least median; None where none went well, or the application was not run."""
        medians = self.medians(application)
        least = min(medians, key=lambda one: medians[one], default=None)
        return least if least is not None and np.isfinite(medians[least]) else None

    def near(self, application: Application, part: float) -> tuple[Configuration, ...]:
        """Return what is at most `part` behind the least median, which is among them; nothing where none went well."""
        medians = self.medians(application)
        least = min(medians.values(), default=np.inf)
        return tuple(one for one, median in medians.items() if np.isfinite(median) and median <= (1.0 + part) * least)

    def score(
        self, picks: Sequence[Picks], table: Table, *, rng: np.random.Generator, noise: float = np.nan
    ) -> FreshScore | None:
        """Return the regret of a method's first choices, where these were run again; None where none was.

        Regret is the median of the choice's fresh runs over the least median among all that was run again: passes are
        drawn anew together, so that what slowed a whole pass down does not count either.

        Args:
            picks: a method's choices; a random one's cannot be judged here.
            table: whose columns they are.
            rng: draws passes and applications.
            noise: |ln| of a ratio that counts as no difference where there are few runs; NaN is taken for 0.
        """
        if len(picks) != 1:
            return None
        found: dict[Application, _Compared] = {}
        few: dict[Application, float] = {}
        for application in table.applications:
            first = [table.configurations[column] for column in picks[0].ranked[application][:FEW]]
            run_again = [one for one in first if one in self._values.get(application, {})]
            if first[0] in run_again:
                found[application] = self._compared(application, first[0], rng, noise)
            if len(run_again) == len(first):
                few[application] = self._best_of(application, first)
        if not found:
            return None
        own, least, usual = np.array([(one.own, one.least, one.usual) for one in found.values()]).T
        gain, best_gain = (mean_gain(value, usual, self.goal) for value in (own, least))
        regrets = {application: one.regret for application, one in found.items()}
        drawn = [one.drawn for one in found.values()]
        return FreshScore(
            method=picks[0].method,
            goal=self.goal,
            median=_over(drawn, regrets, 0.5, rng),
            p90=_over(drawn, regrets, 0.9, rng),
            regret=regrets,
            few=few,
            gain=gain,
            best_gain=best_gain,
            share=share_of(gain, best_gain, self.goal),
            worse=tuple(application for application, one in found.items() if one.worse),
            of=sum(application in self._values for application in table.applications),
            repetitions=min(one.repetitions for one in found.values()),
        )

    def _compared(
        self, application: Application, chosen: Configuration, rng: np.random.Generator, noise: float
    ) -> _Compared:
        values, mine = self._array(application), list(self._values[application])
        medians, runs = medians_of(values), (~np.isnan(values)).sum(axis=1)
        column, best = mine.index(chosen), int(medians.argmin())
        draws = rng.integers(0, values.shape[1], (DRAWS, values.shape[1]))
        drawn = _told(_regret(values[column, draws], values[best, draws]))
        usual, worse = np.nan, False
        if self._baseline in mine:
            before = mine.index(self._baseline)
            usual = medians[before] if np.isfinite(medians[before]) else np.nan
            if runs[[column, before]].min() < LEAST:
                worse = bool(medians[column] > medians[before] * np.exp(np.nan_to_num(noise)))
            else:
                worse = quantile(_told(_regret(values[column, draws], values[before, draws])), ENDS[0]) > 0
        value = float(_regret(values[column], values[best]))
        few = runs[[column, best]].min() < LEAST
        return _Compared(
            regret=Interval(value, *(np.nan if few else quantile(drawn, end) for end in ENDS)),
            drawn=drawn,
            repetitions=int(runs.min()),
            own=float(medians[column]),
            least=float(medians[best]),
            usual=float(usual),
            worse=worse,
        )

    def _best_of(self, application: Application, chosen: Sequence[Configuration]) -> float:
        mine, medians = list(self._values[application]), medians_of(self._array(application))
        least = min(float(medians[mine.index(one)]) for one in chosen)
        return least / float(medians.min()) - 1.0 if np.isfinite(least) else np.inf

    def _array(self, application: Application) -> Floats:
        """Return the values, shape (configurations, passes); NaN where a configuration was not run in a pass."""
        if application not in self._levelled:
            passes = sorted(self._passes[application])
            rows = [self._row(application, configuration, passes) for configuration in self._values[application]]
            self._levelled[application] = levelled(np.array(rows))
        return self._levelled[application]

    def _row(self, application: Application, configuration: Configuration, passes: Sequence[int]) -> list[float]:
        mine, corrupt = self._values[application][configuration], (application, configuration) in self._corrupt
        return [np.inf if corrupt and one in mine else mine.get(one, np.nan) for one in passes]


def _regret(judged: Floats, best: Floats) -> Floats:
    """Return how far a configuration is behind another one, at least 0, shape (...).

    Args:
        judged: s or USD of the configuration that is judged, shape (..., passes).
        best: of the one that it is compared with, the same in all draws: the least of each draw would be luck.

    Returns:
        NaN where no run of one of them was drawn.
    """
    own, least = medians_of(judged), medians_of(best)
    failed = np.isinf(own)
    ratio = np.where(failed, 1.0, own) / np.where(failed, 1.0, least)  # inf / inf would be no number
    found = np.where(failed, np.inf, np.maximum(ratio - 1.0, 0.0))
    return np.where(np.isnan(own) | np.isnan(least), np.nan, found)


def _told(drawn: Floats) -> Floats:
    """Return as many draws: those that tell something, again and again; inf where none does."""
    told = drawn[~np.isnan(drawn)]
    return np.resize(told if len(told) else np.inf, drawn.shape)  # of nothing, numpy would make zeros: no regret


def _over(
    drawn: Sequence[Floats], regrets: Mapping[Application, Interval], part: float, rng: np.random.Generator
) -> Interval:
    """Return a quantile over applications; the interval is over applications drawn anew, each with its own draw.

    There is none where that of most applications would be drawn from too few runs.
    """
    value = quantile([interval.value for interval in regrets.values()], part)
    if np.mean([np.isnan(interval.low) for interval in regrets.values()]) > 0.5:
        return Interval(value, np.nan, np.nan)
    all_of = np.array(drawn)  # (applications, draws)
    count = len(all_of)
    which = rng.integers(0, count, (DRAWS, count))
    samples = all_of[which, rng.integers(0, DRAWS, (DRAWS, count))]
    found = [quantile(row, part) for row in samples]
    return Interval(value, *(quantile(found, end) for end in ENDS))
