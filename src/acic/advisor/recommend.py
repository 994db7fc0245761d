"""The main job: a workload joined with every valid configuration, predicted, ranked and judged."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Advice, Estimate, Goal, Recommendation
from acic.advisor.application import Effect, TimeModel, time_model
from acic.advisor.knowledge import Knowledge
from acic.advisor.ranking import TIE, free_values, pareto_front, rates, representative, tied_groups
from acic.advisor.verdict import judge
from acic.errors import MissingData
from acic.platforms import Platform
from acic.space import Configuration
from acic.workloads import Phase, Workload

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Seconds and USD of every candidate: predicted, and at the interval's ends, each of shape (candidates,)."""

    seconds: Floats
    fastest: Floats
    slowest: Floats
    io_seconds: tuple[Floats, Floats, Floats]
    rate: Floats | None  # USD/s


def recommend(
    workload: Workload,
    platform: Platform,
    knowledge: Knowledge,
    *,
    goal: Goal = Goal.TIME,
    top: int = 5,
    price: float | None = None,
    elsewhere: bool = False,
    among: Collection[Configuration] | None = None,
) -> Advice:
    """Return the best configurations for `workload` on `platform`, by prediction alone.

    Args:
        workload: what the application does.
        platform: where it is to run.
        knowledge: what was learned of the platform.
        goal: time, cost, or the front of both.
        top: how many answers; configurations that tie count as one.
        price: USD per machine and hour, instead of the platform's.
        elsewhere: the log was made on another machine, so the platform's own baseline bandwidth gives
            the seconds in I/O; otherwise the log's seconds are taken as the baseline's.
        among: answer for each of these configurations, rather than for the best of all.

    Raises:
        MissingData: nothing measured speaks about any phase, or a cost is asked for without a price.
    """
    covered = [phase for phase in workload.phases if knowledge.covers(phase.characteristics)]
    if not covered:
        raise MissingData(_nothing_covers(workload, platform), hint=platform.missing or "import measurements")
    effects = [knowledge.effect(phase.characteristics) for phase in covered]
    absolute = elsewhere or workload.run_seconds is None
    predicted = [knowledge.baseline_seconds(phase.characteristics) for phase in covered] if absolute else None
    times = time_model(workload, covered, predicted_seconds=predicted)
    outcome = _outcome(workload, platform, knowledge, times, effects, goal, price)
    recommendations = tuple(_ranked(workload, platform, knowledge, covered, times, outcome, goal, top, among))
    outside = tuple(note for phase in covered for note in knowledge.outside(phase.characteristics))
    noise = knowledge.learned.noise * sum(times.phases) / times.total
    verdict, reason = judge(recommendations[0], noise=noise, extrapolated=bool(outside))
    rate = outcome.rate
    return Advice(
        workload=workload.name,
        platform=platform.name,
        goal=goal,
        model=knowledge.learned.model,
        verdict=verdict,
        reason=reason,
        recommendations=recommendations,
        baseline=platform.baseline,
        baseline_seconds=times.total if times.absolute else None,
        baseline_cost=float(times.total * rate[knowledge.baseline]) if rate is not None and times.absolute else None,
        covered=_covered_share(workload, covered),
        noise=noise,
        measurements=knowledge.learned.measurements,
        extrapolated=tuple(dict.fromkeys(outside)),
        notes=(*_notes(workload, platform, knowledge, covered, elsewhere=absolute), *workload.notes),
    )


def _outcome(
    workload: Workload,
    platform: Platform,
    knowledge: Knowledge,
    times: TimeModel,
    effects: Sequence[Effect],
    goal: Goal,
    price: float | None,
) -> _Outcome:
    means, lows, highs = ([getattr(e, end) for e in effects] for end in ("mean", "low", "high"))
    try:
        rate = rates(platform, knowledge.points, workload.processes, price)
    except MissingData:
        if goal is not Goal.TIME:
            raise
        rate = None
    return _Outcome(
        seconds=times.seconds(means),
        fastest=times.seconds(highs),
        slowest=times.seconds(lows),
        io_seconds=(times.io_seconds(means), times.io_seconds(lows), times.io_seconds(highs)),
        rate=rate,
    )


def _ranked(
    workload: Workload,
    platform: Platform,
    knowledge: Knowledge,
    covered: Sequence[Phase],
    times: TimeModel,
    outcome: _Outcome,
    goal: Goal,
    top: int,
    among: Collection[Configuration] | None,
) -> list[Recommendation]:
    points, space = knowledge.points, platform.space
    baseline = space.point(platform.baseline)
    numeric = np.array([p.is_numeric for p in space.parameters])
    if among is None:
        groups = _groups(outcome, goal, top, tolerance=TIE * sum(times.phases) / times.total)
    else:
        places = (np.flatnonzero((points == space.point(one)).all(axis=1)) for one in among)
        groups = [place for place in places if len(place)]  # an unsafe configuration has none
    made = []
    for rank, group in enumerate(groups, 1):
        chosen = representative(points, group, baseline, numeric)
        configuration = space.configuration(points[chosen])
        made.append(
            Recommendation(
                rank=rank,
                configuration=configuration,
                tied=len(group),
                free=free_values(space, points, group),
                improvement=_improvement(times, outcome, goal, chosen, knowledge.baseline),
                io_improvement=_io_improvement(times, outcome, chosen),
                seconds=_seconds(times, outcome, chosen),
                cost=_cost(times, outcome, chosen),
                nodes=platform.nodes(configuration, workload.processes),
                why=tuple(knowledge.why(_largest(covered, times).characteristics, chosen)),
            )
        )
    return made


def _groups(outcome: _Outcome, goal: Goal, top: int, *, tolerance: float) -> list[NDArray[np.intp]]:
    """Return the candidates of each answer, best first, at most `top` answers.

    What ties in I/O is one answer; so the less of a run is I/O, the closer its run times must be to tie.
    """
    if goal is Goal.PARETO:
        assert outcome.rate is not None  # noqa: S101 (the cost was computed, or MissingData raised)
        front = pareto_front(outcome.seconds, outcome.seconds * outcome.rate)
        return [front[i : i + 1] for i in range(min(top, len(front)))]
    objective = outcome.seconds if outcome.rate is None or goal is Goal.TIME else outcome.seconds * outcome.rate
    groups = tied_groups(objective, tolerance=tolerance)
    return [group for group, _ in zip(groups, range(top), strict=False)]


def _improvement(times: TimeModel, outcome: _Outcome, goal: Goal, chosen: int, baseline: int) -> Estimate:
    dearer = 1.0
    if goal is Goal.COST and outcome.rate is not None:
        dearer = float(outcome.rate[chosen] / outcome.rate[baseline])
    seconds = (outcome.seconds[chosen], outcome.slowest[chosen], outcome.fastest[chosen])
    value, low, high = (float(times.total / (s * dearer)) for s in seconds)
    return Estimate(value, low, high)


def _io_improvement(times: TimeModel, outcome: _Outcome, chosen: int) -> Estimate:
    before = sum(times.phases)
    value, low, high = (float(before / s[chosen]) for s in outcome.io_seconds)
    return Estimate(value, low, high)


def _seconds(times: TimeModel, outcome: _Outcome, chosen: int) -> Estimate | None:
    if not times.absolute:
        return None
    return Estimate(float(outcome.seconds[chosen]), float(outcome.fastest[chosen]), float(outcome.slowest[chosen]))


def _cost(times: TimeModel, outcome: _Outcome, chosen: int) -> Estimate | None:
    seconds = _seconds(times, outcome, chosen)
    if seconds is None or outcome.rate is None:
        return None
    rate = float(outcome.rate[chosen])
    return Estimate(seconds.value * rate, seconds.low * rate, seconds.high * rate)


def _largest(covered: Sequence[Phase], times: TimeModel) -> Phase:
    return max(zip(covered, times.phases, strict=True), key=lambda pair: pair[1])[0]


def _covered_share(workload: Workload, covered: Sequence[Phase]) -> float:
    if all(phase.seconds is not None for phase in workload.phases):
        everything = sum(phase.seconds or 0.0 for phase in workload.phases)
        return sum(phase.seconds or 0.0 for phase in covered) / everything if everything else 1.0
    return sum(p.bytes for p in covered) / max(1, sum(p.bytes for p in workload.phases))


def _nothing_covers(workload: Workload, platform: Platform) -> str:
    if not workload.phases:
        return f"{workload.name} did no I/O that was recorded, so there is nothing to recommend"
    kinds = sorted({str(phase.characteristics.operation) for phase in workload.phases})
    return f"no measurement on {platform.name} speaks about the {' and '.join(kinds)}s of {workload.name}"


def _notes(
    workload: Workload,
    platform: Platform,
    knowledge: Knowledge,
    covered: Sequence[Phase],
    *,
    elsewhere: bool,
) -> list[str]:
    notes = []
    if elsewhere:
        notes.append(
            "The seconds in I/O under the baseline are predicted from the bytes moved and the baseline bandwidth "
            f"of {platform.name}."
        )
    else:
        notes.append(
            f"The log's own seconds are taken as those of the baseline on {platform.name}; "
            "say --elsewhere if it was made on another machine."
        )
    left = [phase for phase in workload.phases if phase not in covered]
    if left:
        kinds = " and ".join(sorted({f"{p.characteristics.operation}s" for p in left}))
        notes.append(f"No trusted measurement on {platform.name} speaks about {kinds}: their time is kept as it is.")
    notes += [note for phase in covered for note in knowledge.baseline_notes(phase.characteristics)]
    return list(dict.fromkeys([*knowledge.safety_notes(), *notes]))
