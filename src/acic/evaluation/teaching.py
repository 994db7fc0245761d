"""What runs of sketches teach: a survey's runs as lessons that models can learn from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from acic.advisor.safety import several_writers, software_of
from acic.benchmarks.kernels import kernel, kernels
from acic.errors import InvalidInput
from acic.evaluation.advising import asked
from acic.evaluation.field import Application
from acic.evaluation.truth import Run
from acic.platforms import Platform
from acic.prior import uses_of
from acic.store.lessons import Lesson
from acic.store.measurement import Outcome


def lessons_of(runs: Iterable[Run], platform: Platform) -> list[Lesson]:
    """Return a lesson for each good run of a sketch that was run well on the baseline too.

    What is known of a sketch is what a log of its run on the baseline tells: how long it pauses by the clock, too.
    Software that gave wrong bytes to one whose files have one writer each gives no lessons: it is not right for those.

    Raises:
        InvalidInput: a run is of an application that advice is judged by, which nothing may learn from.
    """
    drawn = {(one.name, one.scale) for one in kernels("sketches")}
    mine: dict[Application, list[Run]] = defaultdict(list)
    software, wrong = software_of(platform), set()
    for run in runs:
        application = (run.kernel, run.scale)
        if application not in drawn:
            raise InvalidInput(
                f"{run.kernel} {run.scale} is an application that advice is judged by, and nothing may learn from it",
                hint="export the runs of a survey of sketches",
            )
        if run.outcome is Outcome.OK:
            mine[application].append(run)
        if run.outcome is Outcome.CORRUPT and not several_writers(kernel(*application).workload):
            wrong.add(software(run.configuration))
    found = []
    for application, good in mine.items():
        if not any(run.configuration == platform.baseline for run in good):
            continue
        workload = asked(application, good, platform).workload
        phases = tuple((p.characteristics, use) for p, use in zip(workload.phases, uses_of(workload), strict=True))
        found += [
            Lesson(
                application=kernel(*application).key,
                phases=phases,
                configuration=run.configuration,
                seconds=run.seconds,
                io=min(run.io, run.seconds),
                time=run.time,
            )
            for run in good
            if run.seconds and run.io and software(run.configuration) not in wrong
        ]
    return found
