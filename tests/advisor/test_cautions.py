"""What is said of answers whose bytes hang on how a job goes about its files."""

from dataclasses import replace
from pathlib import Path

import pytest

from acic.advisor.cautions import left_out, stale
from acic.advisor.explaining import explain
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
    (why,) = left_out(reading(grows=True, files=files), load_platform("lab"))
    assert why.startswith("Left out is GlusterFS, whose clients go on")
    assert told.replace("reads", "seems to read") + " (HILLS.3) while others write" in caution
    assert stale([], reading(grows=True)) == stale([2], reading(grows=False)) == ()


def test_glusterfs_is_left_out_for_who_follows_files_that_grow(tmp_path: Path) -> None:
    """By its log `plumed` was advised GlusterFS, where all of its runs failed, and nothing was said."""
    lab = load_platform("lab")
    knowledge = known(lab, "prior", store=str(tmp_path / "none.sqlite"), trust=Trust(), now=WHEN)
    every = len(knowledge.points)
    kinds = {
        grows: [one.configuration["file_system"] for one in recommend(job, lab, knowledge, top=every).recommendations]
        for grows, job in ((grows, reading(grows=grows)) for grows in (False, True))
    }
    assert "GlusterFS" in kinds[False]
    assert set(kinds[False]) - set(kinds[True]) == {"GlusterFS"}
    notes = {grows: recommend(reading(grows=grows), lab, knowledge).notes for grows in (False, True)}
    assert [any(one.startswith("Left out is GlusterFS") for one in notes[grows]) for grows in (False, True)] == [
        False,
        True,
    ]


def test_who_names_glusterfs_is_told(tmp_path: Path) -> None:
    lab = load_platform("lab")
    knowledge = known(lab, "prior", store=str(tmp_path / "none.sqlite"), trust=Trust(), now=WHEN)
    of = {str(one["file_system"]): one for one in lab.space.configurations()}
    for name, told in {"GlusterFS": True, "OrangeFS": False, "CephFS": False}.items():
        cautions = recommend(reading(grows=True), lab, knowledge, among=[of[name]]).cautions
        assert any("go on with the size" in one for one in cautions) is told


def test_a_baseline_that_is_glusterfs_stays_with_its_like(tmp_path: Path) -> None:
    """The job ran there."""
    lab = load_platform("lab")
    own = next(one for one in lab.space.configurations() if one["file_system"] == "GlusterFS")
    there = replace(lab, baseline=own)
    knowledge = known(there, "prior", store=str(tmp_path / "none.sqlite"), trust=Trust(), now=WHEN)
    steady = knowledge.steady_for(reading(grows=True))
    assert steady is knowledge
    assert len(knowledge.relearned(knowledge.learned).steady_for(reading(grows=True)).points) == len(knowledge.points)
    assert recommend(reading(grows=True), there, knowledge, among=[own]).cautions == ()
    assert left_out(reading(grows=True), there) == ()


def test_what_is_left_out_never_changes_the_answer_that_is_explained(tmp_path: Path) -> None:
    """Whatever else the log told, GlusterFS was said to become the answer."""
    lab = load_platform("lab")
    knowledge = known(lab, "prior", store=str(tmp_path / "none.sqlite"), trust=Trust(), now=WHEN)
    told = repr(explain(reading(grows=True), lab, knowledge))
    assert "Left out is GlusterFS" in told
    assert "'file_system': 'GlusterFS'" not in told
    assert "'file_system': 'GlusterFS'" in repr(explain(reading(grows=False), lab, knowledge))
