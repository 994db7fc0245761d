"""What acic would advise for the applications of the ground truth, which it never learned from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress, islice
from statistics import median

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Goal
from acic.advisor.forecast import forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.ranking import representative, tied_groups
from acic.advisor.temporary import removing_temporary
from acic.advisor.verdict import worth
from acic.benchmarks.kernels import Kernel, kernel
from acic.errors import MissingData
from acic.evaluation.field import Application, Table, measured_with_all
from acic.evaluation.truth import Run
from acic.platforms import Platform
from acic.prior import Use
from acic.store.measurement import Outcome
from acic.workloads import Access, Characteristics, Interface, Operation, Phase, Workload
from acic.workloads.inputs import with_input_writers


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a user knows of an application who ran it on the baseline, and asks acic.

    Args:
        application: which one.
        workload: as `acic characterize` tells it of the log of that run: its seconds, and those in I/O.
        results: B that must outlive the run.
    """

    application: Application
    workload: Workload
    results: int


def candidates(table: Table, platform: Platform | None = None) -> Table:
    """Return the part of `table` that can be judged by: configurations that every application was measured on.

    Args:
        table: the truth.
        platform: leave out applications that ended badly on its baseline: nobody can ask for advice who has no log.

    Raises:
        MissingData: there is none, or the baseline is not among them.
    """
    made = measured_with_all(table)
    return made if platform is None else _logged(made, platform)


def _logged(table: Table, platform: Platform) -> Table:
    """Return the applications that ended well on the baseline."""
    if platform.baseline not in table.configurations:
        raise MissingData(
            f"the baseline of {platform.name} was not measured with every application", hint="measure it first"
        )
    good = np.isfinite(table.values[:, table.configurations.index(platform.baseline)])
    if not good.any():
        raise MissingData(f"no application ended well on the baseline of {platform.name}", hint="measure it again")
    return Table(tuple(compress(table.applications, good)), table.configurations, table.values[good], table.goal)


def asked(application: Application, runs: Iterable[Run], platform: Platform, log: Workload | None = None) -> Asked:
    """Return what a user knows of `application`, from its runs on the baseline alone, or from the log of one of them.

    The bytes of its results are a property of the application, so they are taken from any run that copied them out;
    where none did, they are what it writes to the files it keeps. So is how many processes wrote its input, which no
    log tells.

    Raises:
        InvalidInput: there is no such application.
        MissingData: it was never run well on the baseline.
    """
    one = kernel(*application)
    mine = [run for run in runs if (run.kernel, run.scale) == application and run.outcome is Outcome.OK]
    logged = [run for run in mine if run.configuration == platform.baseline]
    if not logged:
        raise MissingData(
            f"{one.key} was never run well on the baseline of {platform.name}", hint="measure the baseline first"
        )
    if log is not None:
        results = _results(one, mine)
        told = with_input_writers(log, _input_writers(one))
        return Asked(application=application, workload=removing_temporary(told, results), results=results)
    seconds = median(run.seconds or 0.0 for run in logged)
    in_io = median(min(_waited(one, run), run.seconds or 0.0) for run in logged)
    waited = median((run.compute or 0.0) / one.compute if one.compute else 1.0 for run in logged)
    phases = tuple(_paused(phase, waited) for phase in one.workload.phases)
    workload = replace(one.workload, phases=phases, run_seconds=seconds, io_share=in_io / seconds)
    return Asked(application=application, workload=workload, results=_results(one, mine))


def _waited(one: Kernel, run: Run) -> float:
    """Return the s that `acic characterize` would find a run to be in I/O.

    That of the slowest process; where each has a record of its own, whose requests follow one another, the time in
    which some process is in I/O: of those that go in turn, all of it.
    """
    found = run.io or 0.0
    return max(found, (run.seconds or 0.0) - (run.compute or 0.0)) if all(map(_united, one.workload.phases)) else found


def _united(phase: Phase) -> bool:
    c = phase.characteristics
    alone = c.interface is Interface.POSIX and c.iterations == 1 and c.access is Access.CONSECUTIVE
    return alone and (not c.shared or phase.files > 1)  # a file that all use has one record


def ranked(
    question: Asked,
    platform: Platform,
    knowledge: Knowledge,
    table: Table,
    goal: str,
    *,
    most: int | None = None,
) -> tuple[int, ...]:
    """Return the columns of `table` in the order in which acic's advice would have them tried.

    First the answers that `acic recommend` gives, one for each group of configurations that tie, then those that tie
    with them, by prediction. Where no gain is predicted that is worth it the baseline comes first, because acic says
    *change nothing*. Configurations that are known to give back wrong bytes with such a job are left out.

    Args:
        question: what a user knows of the application.
        platform: where it is to run.
        knowledge: what was learned of the platform, never from kernels.
        table: its configurations are the only ones that can be chosen; its values are not looked at.
        goal: "time" or "cost".
        most: groups that are looked at; None for all.

    Raises:
        MissingData: nothing measured speaks about the application, or no configuration is left.
    """
    knowledge = knowledge.safe_for(question.workload).steady_for(question.workload)
    found = forecast(question.workload, platform, knowledge, goal=Goal(goal), results=question.results)
    columns, places = _positions(knowledge, table)
    if not len(columns):
        raise MissingData(f"no configuration of the ground truth is one of {platform.name}", hint="give another file")
    points = knowledge.points[places]
    objective = found.objective(Goal(goal))
    groups = list(islice(tied_groups(objective[places], tolerance=found.tolerance), most))
    own = platform.space.point(platform.baseline)
    numeric = np.array([p.is_numeric for p in platform.space.parameters])
    other = found.other(Goal(goal))[places]
    answers = [representative(points, group, own, numeric, other) for group in groups]
    rest = [int(i) for group, answer in zip(groups, answers, strict=True) for i in group if i != answer]
    order = [int(columns[i]) for i in (*answers, *rest)]
    gain = float(objective[found.baseline] / objective[places][answers[0]])
    if not worth(gain, knowledge.learned.noise * found.io_share):
        unchanged = columns[places == found.baseline].tolist()
        order = [*unchanged, *(column for column in order if column not in unchanged)]
    return tuple(order)


def foresee(knowledge: Knowledge, questions: Iterable[Asked]) -> None:
    """Predict at once all that `ranked` will ask of `knowledge` for some questions."""
    asked_of: dict[Knowledge, list[tuple[Characteristics, Use]]] = {}
    for one in questions:
        safe = knowledge.safe_for(one.workload).steady_for(one.workload)
        pairs = zip(one.workload.phases, safe.uses(one.workload), strict=True)
        known = [(phase.characteristics, use) for phase, use in pairs if safe.covers(phase.characteristics)]
        asked_of.setdefault(safe, []).extend(known)
    for safe, those in asked_of.items():
        safe.foresee(those)


def _positions(knowledge: Knowledge, table: Table) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns of `table` that are candidates, and where among them."""
    known = {point.tobytes(): place for place, point in enumerate(knowledge.points)}
    space = knowledge.platform.space
    pairs = [(column, known.get(space.point(c).tobytes())) for column, c in enumerate(table.configurations)]
    both = np.array([pair for pair in pairs if pair[1] is not None], dtype=np.intp).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _paused(phase: Phase, waited: float) -> Phase:
    """Return the phase with pauses as long as a log shows them: seconds of a clock, not of a processor."""
    if "pause_seconds" not in phase.details:
        return phase
    pause = float(phase.details["pause_seconds"]) * waited
    return replace(phase, details={**phase.details, "pause_seconds": pause})


def _input_writers(one: Kernel) -> int:
    """Return how many processes wrote each file of the input, a part of each: those of the one that most wrote."""
    told = [float(phase.details.get("input_writers", 1)) for phase in one.workload.phases]
    return round(max(told, default=1.0))


def _results(one: Kernel, runs: Sequence[Run]) -> int:
    if not one.results:
        return 0
    copied = [run.staged_bytes for run in runs if run.staged_bytes]
    if copied:
        return int(median(copied))
    writes = [phase for phase in one.workload.phases if phase.characteristics.operation is Operation.WRITE]
    return sum(phase.bytes for phase in writes if phase.example in one.results)
