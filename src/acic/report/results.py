"""What became of every point: its bandwidth, and how much better it is than the baseline on the same workload."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import median

from acic.campaign.attempt import Attempt
from acic.campaign.points import Field, Point
from acic.campaign.repeats import UsualNoise, half_width
from acic.campaign.searched import noise_of, pooled
from acic.campaign.state import Progress, Stage, State
from acic.errors import AcicError
from acic.platforms import Platform
from acic.space import Configuration
from acic.store.measurement import Outcome
from acic.store.rows import TrainingRecord
from acic.store.training import TrainingRows, training_table
from acic.workloads import Characteristics

LEFT_ALONE, WAITING = "left alone", "waiting"  # outcomes of points that were not run


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """A measured improvement over the baseline: baseline time (or cost) over that of the configuration.

    Args:
        value: ratio of geometric means of bandwidth (docs/decisions/0006-mean-of-logarithms.md).
        low, high: 80 % interval, from the repetitions of both.
        cost: likewise, of what a run costs; None where nobody is billed.
    """

    value: float
    low: float
    high: float
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A point, and what became of it.

    Args:
        number: of the point in the campaign.
        outcome: ok if any run counted; corrupt if any gave back wrong bytes; else how the last one ended.
        bandwidths: of the runs that counted, B/s, in their order.
        bandwidth: their geometric mean, B/s; None if there is none.
        middle: their median, B/s.
        baseline: whether this is the platform's baseline.
        gain: over the baseline on the same workload; None where that was not measured, and for the baseline itself.
        unsafe: whether its configuration gave back wrong bytes, here or with another workload.
        seconds, dollars: that all its runs took, s and USD.
        last_run: number of the last run that counted, -1 if there is none.
        note: what was odd, each remark once.
    """

    number: int
    stage: Stage
    workload: Characteristics
    configuration: Configuration
    outcome: str
    bandwidths: tuple[float, ...]
    bandwidth: float | None
    middle: float | None
    baseline: bool
    gain: Gain | None
    unsafe: bool
    runs: int
    seconds: float
    dollars: float
    last_run: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The baseline of one workload.

    Args:
        log_bandwidth: natural logarithm of its bandwidth, B/s.
        spread: half the width of the 80 % interval of that.
        last_run: number of the last run that counted.
    """

    log_bandwidth: float
    spread: float
    last_run: int


@dataclass(frozen=True, slots=True)
class Results:
    """What a campaign measured.

    Args:
        points: every point as it was planned, by its own runs.
        pooled: each workload on a configuration once, by the runs of all points of it, under the first one's number.
        bases: the measured baselines by workload.
    """

    points: tuple[Result, ...]
    pooled: tuple[Result, ...]
    bases: Mapping[Characteristics, Base]


def results_of(state: State, field: Field) -> Results:
    """Return what became of every point of the campaign."""
    platform, noise, together = field.platform, noise_of(state), pooled(state.progress)
    bases = _bases([p for p in together if p.point.configuration == platform.baseline], noise)
    judge = _Judge(platform, bases, noise, state.unsafe)
    return Results(tuple(map(judge.result, state.progress)), tuple(map(judge.result, together)), bases)


def training_rows_of(points: Sequence[Progress], platform: Platform) -> tuple[TrainingRows, list[int]]:
    """Return what the points, `pooled`, teach a model, one row for each with a bandwidth, and the points' numbers."""
    records = [
        TrainingRecord(
            str(p.number),  # in place of a fingerprint
            p.point.workload,
            p.point.configuration,
            platform.revision,
            float(p.number),  # in place of a time: ages do not count here, and it comes back in the row
            tuple(positive(p)),
        )
        for p in points
    ]
    rows = training_table((), platform, stored=records)
    return rows, rows.time.astype(int).tolist()


def positive(progress: Progress) -> list[float]:
    """Return the bandwidths above zero of the runs that count, B/s."""
    return [b for b in progress.bandwidths if b > 0]


def _bases(of_baseline: Sequence[Progress], noise: UsualNoise) -> dict[Characteristics, Base]:
    """Return the baseline of each workload, by all runs of it."""
    return {
        progress.point.workload: Base(
            log_bandwidth=sum(map(math.log, figures)) / len(figures),
            spread=math.log1p(half_width(figures, noise.value, of_mean=True)),
            last_run=_last_run(progress),
        )
        for progress in of_baseline
        if (figures := positive(progress))
    }


class _Judge:
    """Says what became of one point."""

    def __init__(
        self,
        platform: Platform,
        bases: Mapping[Characteristics, Base],
        noise: UsualNoise,
        unsafe: Set[Configuration],
    ) -> None:
        self._platform = platform
        self._bases = bases
        self._noise = noise.value
        self._of_one = half_width([1.0], noise.value)  # most points are run once: all the same
        self._unsafe = unsafe

    def result(self, progress: Progress) -> Result:
        """Return what became of the point."""
        point, figures = progress.point, positive(progress)
        on_baseline = point.configuration == self._platform.baseline
        log = sum(math.log(b) for b in figures) / len(figures) if figures else None
        notes = dict.fromkeys([*(a.note for a in progress.attempts), progress.why_skipped])
        return Result(
            number=progress.number,
            stage=progress.stage,
            workload=point.workload,
            configuration=point.configuration,
            outcome=_outcome(progress),
            bandwidths=tuple(figures),
            bandwidth=None if log is None else math.exp(log),
            middle=median(figures) if figures else None,
            baseline=on_baseline,
            gain=None if on_baseline or log is None else self._gain(point, figures, log),
            unsafe=point.configuration in self._unsafe,
            runs=len(progress.attempts),
            seconds=sum(a.elapsed for a in progress.attempts),
            dollars=sum(a.dollars for a in progress.attempts),
            last_run=_last_run(progress),
            note="; ".join(filter(None, notes)),
        )

    def _gain(self, point: Point, figures: Sequence[float], log: float) -> Gain | None:
        base = self._bases.get(point.workload)
        if base is None:
            return None
        value = math.exp(log - base.log_bandwidth)
        own = half_width(figures, self._noise, of_mean=True) if len(figures) > 1 else self._of_one
        off = math.exp(math.hypot(math.log1p(own), base.spread))
        cheaper = self._price_ratio(point)
        return Gain(value=value, low=value / off, high=value * off, cost=None if cheaper is None else value * cheaper)

    def _price_ratio(self, point: Point) -> float | None:
        """Return the price of the baseline's machines over that of the point's; None where nobody is billed."""
        processes = point.workload.processes
        try:
            base = self._platform.cost(self._platform.baseline, processes, 1.0)
            own = self._platform.cost(point.configuration, processes, 1.0)
        except (AcicError, KeyError):
            return None
        return base / own if own > 0 else None


def _last_run(progress: Progress) -> int:
    return max((a.number for a in progress.attempts if _counts(a)), default=-1)


def _counts(attempt: Attempt) -> bool:
    return attempt.outcome is Outcome.OK and attempt.repetition is not None


def _outcome(progress: Progress) -> str:
    if any(a.outcome is Outcome.CORRUPT for a in progress.attempts):
        return str(Outcome.CORRUPT)
    if progress.repetitions:
        return str(Outcome.OK)
    if progress.attempts:
        return str(progress.attempts[-1].outcome)
    return LEFT_ALONE if progress.stored else WAITING
