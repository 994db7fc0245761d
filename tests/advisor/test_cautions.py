"""What is said of answers whose bytes hang on how a job goes about its files."""

from dataclasses import replace
from pathlib import Path

import pytest

from acic.advisor.cautions import stale
from acic.advisor.known import Trust, known
from acic.advisor.recommend import recommend
from acic.platforms import load_platform
from acic.workloads import Interface, Operation, Workload
from tests.advisor.conftest import WHEN, WRITE, application

READ = replace(
    WRITE, processes=8, io_processes=8, interface=Interface.POSIX, operation=Operation.READ, collective=False
)


def reading(*, grows: bool, files: int = 8) -> Workload:
    made = application(READ, run=300.0, io=(200.0,))
    (phase,) = made.phases
    details = {"read_while_written": grows}
    return replace(made, phases=(replace(phase, files=files, example="HILLS.3", details=details),))


@pytest.mark.parametrize(("files", "told"), [(1, "reads a file"), (8, "reads 8 files")])
def test_files_that_grow_are_told_of_in_the_words_of_the_job(files: int, told: str) -> None:
    (caution,) = stale([2], reading(grows=True, files=files))
    assert caution.startswith("Answer 2 is, or ties with, GlusterFS, whose clients go on with the size of an open file")
    assert told.replace("reads", "seems to read") + " (HILLS.3) while others write" in caution
    assert stale([], reading(grows=True)) == stale([2], reading(grows=False)) == ()


def test_the_answers_that_are_told_of_are_those_of_glusterfs(tmp_path: Path) -> None:
    """By its log `plumed` was advised GlusterFS, where all of its runs failed, and nothing was said."""
    lab = load_platform("lab")
    knowledge = known(lab, "prior", store=str(tmp_path / "none.sqlite"), trust=Trust(), now=WHEN)
    of = {str(one["file_system"]): one for one in lab.space.configurations()}
    for name, told in {"GlusterFS": True, "OrangeFS": False, "CephFS": False}.items():
        cautions = recommend(reading(grows=True), lab, knowledge, among=[of[name]]).cautions
        assert any("go on with the size" in one for one in cautions) is told
