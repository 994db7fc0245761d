"""Measuring ground truth: every application on every configuration, pass after pass, each run written down at once."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence

from acic.benchmarks.kernels import Kernel
from acic.errors import AcicError, InvalidInput
from acic.evaluation.survey import FINAL, TRIES, Survey, mark
from acic.evaluation.truth import OutOfTime, Run
from acic.space import Configuration

_SEVERAL = 3  # configurations, and applications, on which everything failed in a row: something else must be wrong
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


class HopelessRuns(AcicError):
    """So many runs failed that it is not for what they ran, or ran on."""


def measure(
    survey: Survey,
    run: Callable[[Kernel, Configuration, int], Run],
    *,
    seconds: float | None = None,
    watch: Callable[[int, Run], None] = lambda _, __: None,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Measure what is left of `survey`, until it is done or the time is up; return how many runs were made.

    Args:
        survey: what to measure.
        run: makes one run, of an application on a configuration in a pass; never raises for what a run does. Where it
            is `OutOfTime`, this ends as where the time is up.
        seconds: to stop after, between runs; None for no limit.
        watch: is told of each run, and how many were made in all.
        clock: seconds that never go back.

    Raises:
        InvalidInput: another process is at work on it, or the platform or the applications are no longer the same.
        HopelessRuns: everything failed in a row, on several configurations and with several applications.
    """
    if survey.journal.begun["mark"] != mark(survey.platform, survey.plan.kernels):
        raise InvalidInput(f"the applications of {survey.journal.name} have changed", hint="begin a new survey")
    end = None if seconds is None else clock() + seconds
    made, failed = 0, list[Run]()
    with survey.journal.locked():
        notes = {(r.repetition, r.configuration, r.kernel, r.scale): r.note for r in survey.runs}
        total = len(survey.runs)
        for application, configuration, number, again in _turns(survey):
            if (end is not None and clock() >= end) or survey.journal.pause_asked:
                break
            try:
                found = run(application, configuration, number)
            except OutOfTime:
                break
            survey.journal.append("ran", **found.content())
            made += 1
            watch(total + made, found)
            key = (number, configuration, application.name, application.scale)
            known = again and _alike(found.note, notes.get(key, ""))  # what fails for good, fails again
            failed = [*failed, found] if found.outcome not in FINAL and not known else []
            notes[key] = found.note
            _stop_if_hopeless(failed)
    return made


def _turns(survey: Survey) -> Iterator[tuple[Kernel, Configuration, int, bool]]:
    """Yield each run that is left, by its pass; what failed comes again when all else was tried, which is told."""
    for tries in range(1, TRIES + 1):
        for number, configuration, them in survey.left(tries):
            for one in them:
                yield one, configuration, number, tries > 1


def _alike(note: str, other: str) -> bool:
    """Return whether two runs failed of the same, but for its numbers."""
    return _NUMBER.sub("", note) == _NUMBER.sub("", other)


def _stop_if_hopeless(failed: Sequence[Run]) -> None:
    configurations, applications = {r.configuration for r in failed}, {(r.kernel, r.scale) for r in failed}
    if min(len(configurations), len(applications)) >= _SEVERAL:
        raise HopelessRuns(
            f"{len(failed)} runs in a row failed; the last: {failed[-1].note}",
            hint="look at the lab (acic lab status; acic lab audit), mend it, and go on with the same command",
        )
