"""What `acic survey run` does in the lab: it makes it ready, and measures."""

from __future__ import annotations

import math
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from acic.cli.survey_shown import survey_progress
from acic.errors import InvalidInput

if TYPE_CHECKING:
    from acic.benchmarks import Benchmark
    from acic.evaluation.survey import Survey
    from acic.lab import Lab
    from acic.space import Configuration


def measured_in_lab(opened: Survey, benchmark: Benchmark, seconds: float | None) -> tuple[int, int]:
    """Measure what is left of a survey in the lab that is up, and show how far it is.

    Args:
        opened: the survey.
        benchmark: what runs.
        seconds: to stop after, between runs; None for no limit.

    Returns:
        How many runs were made, and how many were thrown away.
    """
    from acic.advisor.known import unsafe_configurations
    from acic.advisor.safety import at_fault
    from acic.evaluation.measuring import measure
    from acic.evaluation.running import Runs

    platform, wrong = opened.platform, unsafe_configurations(opened.platform, None).all
    lab = _ready_lab(opened)
    end = math.inf if seconds is None else time.monotonic() + seconds

    def over() -> bool:
        return time.monotonic() >= end or opened.journal.pause_asked

    def doubted(configuration: Configuration) -> bool:
        return bool(at_fault(platform, platform.space.point(configuration)[None], wrong)[0])

    with (
        tempfile.TemporaryDirectory(dir=lab.room.names.images) as outputs,  # where `lab down` finds what stays
        survey_progress(opened, seconds) as (watch, told),
    ):
        runs = Runs(platform, lab, benchmark, Path(outputs), told=told, doubted=doubted, over=over)
        made = measure(opened, runs.run, seconds=seconds, watch=watch)
    return made, runs.thrown_away


def _ready_lab(opened: Survey) -> Lab:
    """Return the lab that is up, with nothing left in it of an earlier run.

    Raises:
        InvalidInput: it is another platform's, or lacks a file system.
    """
    from acic.cluster.lab import LabFacts
    from acic.lab import Lab, OtherLab
    from acic.lab.directories import reclaim

    journal = opened.journal
    try:
        lab = Lab.open(facts=LabFacts.of(opened.platform.lab))
    except OtherLab as error:  # its file may have changed since
        raise InvalidInput(
            f"{error.problem}, as {journal.begun['platform']} had it when {journal.name} was begun",
            hint=f"{error.hint}; where that file was changed since, undo that, or begin a new survey",
        ) from error
    for file_system in sorted({str(c["file_system"]) for c in opened.plan.configurations}):
        lab.need(file_system)  # else every run on it would fail, one after the other
    reclaim(lab)
    lab.undeploy()  # with the files of a run that was killed
    return lab
