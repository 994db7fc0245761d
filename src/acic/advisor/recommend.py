"""The main job: a workload joined with every valid configuration, predicted, ranked and judged."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Advice, Estimate, Goal, Recommendation, Verdict
from acic.advisor.answers import answers, places_of
from acic.advisor.application import TimeModel, tells_io
from acic.advisor.capacity import too_many, without_cost
from acic.advisor.cautions import left_out, lost, one_writer, stale
from acic.advisor.changes import Change, by_parameter
from acic.advisor.failing import often_failed
from acic.advisor.forecast import Forecast, forecast
from acic.advisor.indifferent import is_indifferent, said_so
from acic.advisor.knowledge import KIND, Knowledge
from acic.advisor.prices import one_price, price_of_it
from acic.advisor.ranking import free_values, representative
from acic.advisor.recorded import unlike_baseline
from acic.advisor.safety import STALE
from acic.advisor.sieving import by_chance, put_at_risk
from acic.advisor.staging import more_than_written
from acic.advisor.temporary import removing_temporary
from acic.advisor.verdict import judge
from acic.platforms import Platform
from acic.prior import Use
from acic.space import Configuration, Value
from acic.units import format_seconds, format_usd
from acic.workloads import Characteristics, Phase, Workload


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
    picked: bool = False,
    results: int = 0,
    keep: Mapping[str, Value] | None = None,
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
        picked: those of `among` were picked because they are predicted to be best, so that their intervals are wider.
        results: B that must outlive the run: copying them from disks that are lost with their machines counts.
        keep: values that every answer has.

    Raises:
        MissingData: nothing measured speaks about any phase, or a cost is asked for without a price, or of a job that
            has more processes than the platform can run.
        InvalidInput: no configuration that is right for the job has the values to `keep`.
    """
    workload = removing_temporary(workload, results)
    knowledge = knowledge.safe_for(workload)
    knowledge = knowledge.steady_for(workload).fitting(workload, keep or ()) if among is None else knowledge
    allowed = places_of(knowledge, keep or {})
    found = forecast(workload, platform, knowledge, goal=goal, price=price, elsewhere=elsewhere, results=results)
    found = found.chosen() if among is None or picked else found
    if crowd := too_many(workload, platform, knowledge.learned):
        found = without_cost(found, goal, crowd)
    covered, rate = found.covered, found.rate
    recommendations = tuple(
        _ranked(workload, platform, knowledge, found, goal, top, allowed if among is None else among)
    )
    first = recommendations[0].configuration
    weighty = found.weighty(_place(knowledge, first))
    outside = [note for phase in weighty for note in knowledge.outside(phase.characteristics)]
    systems = [knowledge.outside_system(one.configuration) for one in recommendations]
    noise = knowledge.learned.noise * found.io_share
    unlike = [] if found.from_bytes else unlike_baseline(weighty, platform)
    doubts = {"extrapolated": bool(outside or systems[0]), "unlike": bool(unlike)}
    verdict, reason = judge(recommendations[0], noise=noise, goal=goal, **doubts)
    before = found.baseline_seconds
    cost = None if rate is None else float(before * rate[found.baseline])
    advice = Advice(
        workload=workload.name,
        platform=platform.name,
        goal=goal,
        model=knowledge.learned.model,
        verdict=verdict,
        reason=reason,
        recommendations=recommendations,
        changes=_changes(platform, knowledge, found, goal, first),
        baseline=platform.baseline,
        baseline_seconds=before,
        baseline_cost=cost,
        covered=_covered_share(workload, covered),
        noise=noise,
        measurements=knowledge.learned.measurements,
        extrapolated=tuple(dict.fromkeys([*outside, *(note for notes in systems for note in notes)])),
        notes=(
            *([f"{crowd}. The seconds that it computes are kept as they are, and no cost is told."] if crowd else []),
            *price_of_it(goal, recommendations[0], before, cost),
            *(one_price(platform, price) if rate is not None else ()),
            *(_unshown(found, allowed, top) if goal is Goal.PARETO and among is None else ()),
            *(left_out(workload, platform) if among is None else ()),
            *unlike,
            *([] if verdict is Verdict.NOTHING else by_chance(first, platform.baseline, workload)),
            *_notes(workload, platform, knowledge, found, weighty),
            *(_not_copied(platform, knowledge) if results else ()),
            *more_than_written(workload, results),
            *workload.notes,
        ),
        cautions=() if verdict is Verdict.NOTHING else _cautions(workload, knowledge, recommendations, results),
    )
    if among is None and is_indifferent(workload, platform, knowledge):
        return said_so(advice, platform, (*knowledge.safety_notes(), *workload.notes))
    return advice


def _ranked(
    workload: Workload,
    platform: Platform,
    knowledge: Knowledge,
    found: Forecast,
    goal: Goal,
    top: int,
    among: NDArray[np.intp] | Collection[Configuration],
) -> list[Recommendation]:
    points, space = knowledge.points, platform.space
    baseline = space.point(platform.baseline)
    numeric = np.array([p.is_numeric for p in space.parameters])
    if isinstance(among, np.ndarray):
        groups = answers(found, among, goal, top)
    else:
        places = (np.flatnonzero((points == space.point(one)).all(axis=1)) for one in among)
        groups = [place for place in places if len(place)]  # an unsafe configuration has none
    other = found.other(goal)
    why, use = _largest(found)
    made = []
    for rank, group in enumerate(groups, 1):
        chosen = representative(points, group, baseline, numeric, other)
        configuration = space.configuration(points[chosen])
        made.append(
            Recommendation(
                rank=rank,
                configuration=configuration,
                tied=len(group),
                free=free_values(space, points, group),
                improvement=_improvement(found, goal, chosen),
                io_improvement=_io_improvement(found, chosen),
                seconds=_seconds(found, chosen),
                cost=_cost(found, chosen),
                nodes=platform.nodes(configuration, workload.processes),
                why=tuple(knowledge.why(why, chosen, use)),
                limits=knowledge.limits(why, chosen, use),
                single_writer=bool(knowledge.for_single[group].any()),
                stages_out=bool(knowledge.staging.lost[group].any()),
            )
        )
    return made


def _unshown(found: Forecast, allowed: NDArray[np.intp], top: int) -> list[str]:
    """Return what the cheap end of the front is, where more lies on it than is shown: the fastest come first."""
    front = found.front(allowed)
    count, cheapest = len(front), front[-1]
    cost = _cost(found, cheapest)
    if count <= top or cost is None:
        return []
    return [
        f"These are the fastest of {count} answers, of which none is both slower and dearer than another. The cheapest "
        f"costs {format_usd(cost.value)} a run and takes {format_seconds(found.seconds[cheapest])}; "
        f"--top {count} shows all."
    ]


def _improvement(found: Forecast, goal: Goal, chosen: int) -> Estimate:
    dearer = 1.0
    if goal is Goal.COST and found.rate is not None:
        dearer = float(found.rate[chosen] / found.rate[found.baseline])
    seconds = (found.seconds[chosen], found.slowest[chosen], found.fastest[chosen])
    value, low, high = (_times(found.baseline_seconds, s * dearer) for s in seconds)
    return Estimate(value, low, high)


def _io_improvement(found: Forecast, chosen: int) -> Estimate:
    before = sum(found.times.phases)
    value, low, high = (_times(before, s[chosen]) for s in found.io_seconds)
    return Estimate(value, low, high)


def _times(before: float, after: float) -> float:
    """Return how many times as fast; inf for no time at all, which is how short it may be where nothing is known."""
    if before == after:  # or both are none at all
        return 1.0
    return float(before / after) if after > 0 else math.inf


def _seconds(found: Forecast, chosen: int) -> Estimate:
    return Estimate(float(found.seconds[chosen]), float(found.fastest[chosen]), float(found.slowest[chosen]))


def _cost(found: Forecast, chosen: int) -> Estimate | None:
    if found.rate is None:
        return None
    seconds = _seconds(found, chosen)
    rate = float(found.rate[chosen])
    return Estimate(seconds.value * rate, seconds.low * rate, seconds.high * rate)


def _changes(
    platform: Platform, knowledge: Knowledge, found: Forecast, goal: Goal, best: Configuration
) -> tuple[Change, ...]:
    """Return what each parameter of `best` that is not the baseline's saves; the parts add up to what it saves."""
    place = _place(knowledge, best)
    objective = found.objective(goal)
    return by_parameter(platform.space, knowledge.points, objective, place, found.baseline, goal.unit).parts


def _place(knowledge: Knowledge, configuration: Configuration) -> int:
    """Return the position of a configuration among the candidates."""
    point = knowledge.platform.space.point(configuration)
    return int(np.flatnonzero((knowledge.points == point).all(axis=1))[0])


def _largest(found: Forecast) -> tuple[Characteristics, Use]:
    """Return the covered phase that takes longest under the baseline, as the model was asked about it."""
    place = max(range(len(found.covered)), key=lambda place: found.times.phases[place])
    return found.covered[place].characteristics, found.uses[place]


def _covered_share(workload: Workload, covered: Sequence[Phase]) -> float:
    if all(phase.seconds is not None for phase in workload.phases):
        everything = sum(phase.seconds or 0.0 for phase in workload.phases)
        return sum(phase.seconds or 0.0 for phase in covered) / everything if everything else 1.0
    return sum(p.bytes for p in covered) / max(1, sum(p.bytes for p in workload.phases))


def _computing(run: float, times: TimeModel) -> str:
    """Return what is taken for computing, of a run whose I/O is predicted."""
    if not times.fixed:
        return f"That is more than the {format_seconds(run)} that the run is said to take, so no computing is counted."
    return (
        f"What that leaves of the {format_seconds(run)} that the run takes counts as computing: "
        f"{format_seconds(times.fixed)}. Tell io_share, or each phase's seconds, if they are known."
    )


def _cautions(
    workload: Workload, knowledge: Knowledge, recommendations: Sequence[Recommendation], results: int
) -> tuple[str, ...]:
    alone = one_writer([one.rank for one in recommendations if one.single_writer], workload)
    fleeting = [one.rank for one in recommendations if one.stages_out]
    counted = knowledge.staging.prior is not None
    failed = often_failed([one.configuration for one in recommendations], workload.phases, knowledge.learned.failing)
    trusted = knowledge.platform.baseline.get(KIND) in STALE
    late = [one.rank for one in recommendations if one.configuration.get(KIND) in STALE and not trusted]
    sieved = put_at_risk(recommendations, knowledge.platform.baseline, workload)
    told = (*failed, *alone, *sieved, *stale(late, workload))
    return (*told, *lost(fleeting, workload, results=results > 0, counted=counted))


def _not_copied(platform: Platform, knowledge: Knowledge) -> list[str]:
    """Return what the reader must know where results would be lost, and copying them counts for nothing."""
    staging = knowledge.staging
    if not staging.lost.any() or staging.prior:
        return []
    return [
        "Copying results from disks that are lost with their machines is not counted: the file of "
        f"{platform.name} tells no archive or no hardware."
    ]


def _notes(
    workload: Workload, platform: Platform, knowledge: Knowledge, found: Forecast, weighty: Sequence[Phase]
) -> list[str]:
    notes, covered = [], found.covered
    if found.from_bytes:
        notes.append(
            "The seconds in I/O under the baseline are predicted from the bytes moved and the baseline bandwidth "
            f"of {platform.name}."
        )
        if workload.run_seconds and not tells_io(workload):
            notes.append(_computing(workload.run_seconds, found.times))
        elif not tells_io(workload) and any(phase.seconds for phase in workload.phases):
            notes.append("The seconds of some phases are not used: tell each phase's, or run_seconds and io_share too.")
    else:
        notes.append(
            f"The log's own seconds are taken as those of the baseline on {platform.name}; "
            "say --elsewhere if it was made on another machine."
        )
    left = [phase for phase in workload.phases if phase not in covered]
    if left:
        kinds = " and ".join(sorted({f"{p.characteristics.operation}s" for p in left}))
        notes.append(f"No trusted measurement on {platform.name} speaks about {kinds}: their time is kept as it is.")
    notes += [note for phase in weighty for note in knowledge.baseline_notes(phase.characteristics)]
    return list(dict.fromkeys([*knowledge.safety_notes(), *notes]))
