"""The whole application under every candidate: what its run is predicted to take, and to cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Goal
from acic.advisor.application import TimeModel, tells_io, time_model
from acic.advisor.changes import Unit
from acic.advisor.knowledge import Knowledge
from acic.advisor.level import corrections
from acic.advisor.ranking import TIE, pareto_front, rates
from acic.advisor.staging import results_of
from acic.errors import MissingData
from acic.platforms import Platform
from acic.prior import Use
from acic.workloads import Phase, Workload
from acic.workloads.notes import UNSEEN

Floats = NDArray[np.float64]

CHOSEN = 1.5  # times as far from its prediction lies the slow end of the interval of what is picked for it
SLIGHT = 0.01  # of a run: a phase that takes less changes no advice, whatever it is like
_NO_TIME = 1e-9  # s


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """A workload with every candidate of a platform; arrays have the shape (candidates,).

    Args:
        covered: the phases that measurements speak about.
        uses: what is known of each of them beside its characteristics.
        times: where the time goes under the baseline.
        log_improvements: over the baseline, predicted of each covered phase.
        from_bytes: whether the seconds in I/O come from the platform's own baseline, not from the log.
        seconds: run time and staging out, s, predicted; fastest, slowest: at the ends of the 80 % interval.
        io_seconds: of the covered I/O alone: predicted, at its slowest, at its fastest.
        staging: s of `seconds` that results take to where they last.
        rate: USD/s; None without prices.
        baseline: the baseline's position.
    """

    covered: tuple[Phase, ...]
    uses: tuple[Use, ...]
    times: TimeModel
    log_improvements: tuple[Floats, ...]
    from_bytes: bool
    seconds: Floats
    fastest: Floats
    slowest: Floats
    io_seconds: tuple[Floats, Floats, Floats]
    staging: Floats
    rate: Floats | None
    baseline: int

    @property
    def baseline_seconds(self) -> float:
        """Run time and staging out under the baseline, s."""
        return self.times.total + float(self.staging[self.baseline])

    @property
    def io_share(self) -> float:
        """Part of the baseline's run that is covered I/O, 0..1; 0 where the run takes no time."""
        return sum(self.times.phases) / self.times.total if self.times.total else 0.0

    def weighty(self, candidate: int) -> tuple[Phase, ...]:
        """Return the covered phases that take more than `SLIGHT` of a run, on the baseline or on a candidate.

        What a job reads of its settings is I/O of another kind than its data, as a rule, and makes no difference. Where
        no phase takes as much it is the one that takes most.
        """
        pair = [self.baseline, candidate]
        phases = zip(self.times.phases, self.log_improvements, strict=True)
        seconds = np.array([s * np.exp(-improved[pair]) for s, improved in phases])
        share = (seconds / np.maximum(self.seconds[pair], _NO_TIME)).max(axis=1)
        least = min(SLIGHT, share.max())
        return tuple(phase for phase, part in zip(self.covered, share.tolist(), strict=True) if part >= least)

    def chosen(self) -> Forecast:
        """Return the same with what is told of candidates that are picked because they are predicted to be best.

        Errors in their favour are why some of them are picked, so they are slower than predicted more often than faster
        (docs/decisions/0020-chosen.md): the slow end of the run's interval lies `CHOSEN` times as far away. That of the
        I/O takes as many seconds more: else it could be slower than the baseline's where the run is told to be faster.
        """
        io, slow, fast = self.io_seconds
        slowest = _farther(self.seconds, self.slowest)
        more = np.subtract(slowest, self.slowest, out=np.zeros_like(slow), where=np.isfinite(slow))
        return replace(self, slowest=slowest, io_seconds=(io, slow + more, fast))

    @property
    def tolerance(self) -> float:
        """How far answers may lie apart, relatively, to tie: the less of a run is I/O, the closer they must be."""
        return TIE * self.io_share

    def objective(self, goal: Goal) -> Floats:
        """Return what the user wants least of, shape (candidates,), in the unit of the goal; s without prices."""
        return self.seconds if self.rate is None or goal.unit is Unit.SECONDS else self.seconds * self.rate

    def front(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of `places` that none beats in both time and cost, fastest first; without prices the fastest."""
        return np.asarray(places[pareto_front(self.seconds[places], self.objective(Goal.COST)[places])])

    def other(self, goal: Goal) -> Floats:
        """Return what decides among candidates whose `objective` ties, the less the better, shape (candidates,).

        Of those that are as fast the cheaper; of those that cost as much the faster, which cost more a second.
        """
        if self.rate is None:
            return np.zeros(len(self.seconds))
        return -self.rate if goal is Goal.COST else self.rate


def forecast(
    workload: Workload,
    platform: Platform,
    knowledge: Knowledge,
    *,
    goal: Goal,
    price: float | None = None,
    elsewhere: bool = False,
    results: int = 0,
) -> Forecast:
    """Return what is predicted of `workload` with every candidate of `knowledge`.

    Args:
        workload: what the application does.
        platform: where it is to run.
        knowledge: what was learned of the platform.
        goal: whether a price is needed.
        price: USD per machine and hour, instead of the platform's.
        elsewhere: the platform's own baseline gives the seconds in I/O, not the log.
        results: B that must outlive the run: they are copied from disks that are lost with their machines.

    Raises:
        MissingData: nothing measured speaks about any phase, or a cost is asked for without a price.
    """
    covered = tuple(phase for phase in workload.phases if knowledge.covers(phase.characteristics))
    if not covered:
        raise _nothing_covers(workload, platform)
    known = knowledge.uses(workload, elsewhere=elsewhere)
    uses = dict(zip(map(id, workload.phases), known, strict=True))
    effects = [knowledge.effect(phase.characteristics, uses[id(phase)]) for phase in covered]
    from_bytes = elsewhere or not tells_io(workload)
    alone = [knowledge.baseline_seconds(p.characteristics, uses[id(p)]) for p in covered] if from_bytes else None
    weights = _weights(workload, known, knowledge)
    times = time_model(workload, covered, predicted_seconds=alone, weights=weights)
    added = [np.zeros(len(knowledge.points))] * len(covered)
    if knowledge.prior is not None and weights is not None and not from_bytes:
        of = dict(zip(map(id, workload.phases), weights, strict=True))
        added = corrections(times.phases, [of[id(phase)] for phase in covered], knowledge.other_file_system)
    means, lows, highs = (
        [getattr(effect, end) + more for effect, more in zip(effects, added, strict=True)]
        for end in ("mean", "low", "high")
    )
    staging = np.zeros(len(knowledge.points))
    if results:
        staging = knowledge.staging.seconds(results_of(workload.phases, results))
    if (unsafe := knowledge.unsafe_for(workload)) is not None:
        staging = np.where(unsafe, np.inf, staging)  # "what if" asks of other jobs than candidates were chosen for
    return Forecast(
        covered=covered,
        uses=tuple(uses[id(phase)] for phase in covered),
        times=times,
        log_improvements=tuple(means),
        from_bytes=from_bytes,
        seconds=times.seconds(means) + staging,
        fastest=times.seconds(highs) + staging,
        slowest=times.seconds(lows) + staging,
        io_seconds=(times.io_seconds(means), times.io_seconds(lows), times.io_seconds(highs)),
        staging=staging,
        rate=_rate(workload, platform, knowledge, goal, price),
        baseline=knowledge.baseline,
    )


def _farther(predicted: Floats, slow: Floats) -> Floats:
    """Return what lies `CHOSEN` times as far from what is predicted, by the logarithm; what takes no time stays so."""
    some = (predicted > 0.0) & np.isfinite(predicted)
    ratio = np.divide(slow, predicted, out=np.ones_like(slow), where=some)
    return np.asarray(predicted * ratio**CHOSEN)


def _weights(workload: Workload, uses: Sequence[Use], knowledge: Knowledge) -> list[float] | None:
    """Return what the baseline needs for each phase, s; None where no baseline speaks about one of them."""
    try:
        pairs = zip(workload.phases, uses, strict=True)
        return [knowledge.baseline_seconds(phase.characteristics, use) for phase, use in pairs]
    except MissingData:
        return None


def _rate(
    workload: Workload, platform: Platform, knowledge: Knowledge, goal: Goal, price: float | None
) -> Floats | None:
    try:
        return rates(platform, knowledge.points, workload.processes, price)
    except MissingData:
        if goal is not Goal.TIME:
            raise
        return None


def _nothing_covers(workload: Workload, platform: Platform) -> MissingData:
    name = workload.name
    if workload.phases:
        kinds = sorted({str(phase.characteristics.operation) for phase in workload.phases})
        return MissingData(
            f"no measurement on {platform.name} speaks about the {' and '.join(kinds)}s of {name}",
            hint=platform.missing or "import measurements",
        )
    if workload.complete:
        return MissingData(
            f"{name} did no I/O that was recorded, so there is nothing to recommend",
            hint=f"give the log of another run, one that did I/O. {UNSEEN}",
        )
    return MissingData(
        f"there is nothing to recommend for {name}: what could be read of its log has no I/O",
        hint="give a log that has all of it, or that of another run",
    )
