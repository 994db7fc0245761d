"""Runs of sketches become lessons; those of applications that judge advice never do."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from acic.advisor.safety import several_writers
from acic.benchmarks.kernels import kernels
from acic.cli.main import run
from acic.errors import InvalidInput
from acic.evaluation.likely import HOPELESS, likely
from acic.evaluation.teaching import lessons_of
from acic.evaluation.truth import read_truth, write_truth
from acic.store import Outcome
from acic.store.lessons import bundled_compared, bundled_lessons, read_lessons
from tests.evaluation.pretend import LAB, SOME, knowledge, run_of, truth

SKETCHES = tuple(one for one in kernels("sketches") if one.compute)[:6]


def test_a_lesson_tells_what_a_log_of_the_baseline_tells() -> None:
    found = lessons_of(truth(applications=SKETCHES), LAB)
    assert len(found) == len(SKETCHES) * len(SOME)
    assert {one.application for one in found} == {one.key for one in SKETCHES}
    for sketch in SKETCHES:
        (one,) = [each for each in found if each.application == sketch.key and each.configuration == LAB.baseline]
        assert [w for w, _ in one.phases] == [phase.characteristics for phase in sketch.workload.phases]
        pauses = [use.pauses * use.pause for _, use in one.phases if use.pause and use.pauses]
        told = [
            p for p in sketch.workload.phases if p.details.get("pause_seconds") and p.characteristics.iterations > 1
        ]
        for pause, phase in zip(pauses, told, strict=True):
            part = (phase.characteristics.iterations - 1) / phase.characteristics.iterations
            assert pause == pytest.approx(part * 1.0)  # the pretended runs compute 1 s by the clock, whatever is asked


def test_the_lessons_that_come_with_acic_are_those_of_its_runs() -> None:
    with resources.as_file(resources.files("acic.evaluation") / "data" / "lab-sketches.parquet") as path:
        assert bundled_lessons("lab") == lessons_of(read_truth(path), LAB)


def test_the_compared_runs_that_come_with_acic_are_of_one_survey() -> None:
    with resources.as_file(resources.files("acic.evaluation") / "data" / "lab-compared.parquet") as path:
        runs = read_truth(path)
    assert bundled_compared("lab") == lessons_of(runs, LAB)
    assert {run.outcome for run in runs} == {Outcome.OK}
    learned = {(one.application, one.configuration) for one in bundled_lessons("lab")}
    both = {(one.application, one.configuration) for one in bundled_compared("lab")} & learned
    assert {configuration for _, configuration in both} == {LAB.baseline}


def test_what_went_wrong_teaches_nothing() -> None:
    good = truth(applications=SKETCHES)
    bad = [replace(one, outcome=Outcome.FAILED, seconds=None, io=None) for one in good]
    assert lessons_of(bad, LAB) == []
    on_others = [one for one in good if one.configuration != LAB.baseline]
    assert lessons_of(on_others, LAB) == []
    assert len(lessons_of([run_of(SKETCHES[0], LAB.baseline), *on_others], LAB)) == len(SOME)


def test_software_that_was_wrong_with_one_writer_gives_no_lessons() -> None:
    single = [one for one in kernels("sketches") if not several_writers(one.workload)][:2]
    several = [one for one in kernels("sketches") if several_writers(one.workload)][:1]
    good = truth(applications=[*single, *several])
    bad = next(c for c in SOME if c["file_system"] != LAB.baseline["file_system"])
    for one, spoils in ((single[0], True), (several[0], False)):
        wrong = replace(run_of(one, bad), outcome=Outcome.CORRUPT, seconds=None, io=None)
        taught = {lesson.configuration for lesson in lessons_of([*good, wrong], LAB)}
        assert (bad in taught) != spoils
        assert LAB.baseline in taught


def test_nothing_learns_from_applications_that_judge() -> None:
    with pytest.raises(InvalidInput, match="btio small is an application that advice is judged by"):
        lessons_of([*truth(applications=SKETCHES), run_of(kernels()[0], LAB.baseline)], LAB)


def test_lessons_are_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, made = tmp_path / "runs.parquet", tmp_path / "lessons.parquet"
    write_truth(truth(applications=SKETCHES), runs)
    assert run(["survey", "export", str(runs), str(made), "--lessons"]) == 0
    assert f"{len(SKETCHES) * len(SOME)} lessons written" in capsys.readouterr().out
    assert read_lessons(made) == lessons_of(truth(applications=SKETCHES), LAB)


def test_sketches_are_run_where_advice_would_choose() -> None:
    found = likely(SKETCHES, LAB, knowledge(), SOME)
    assert found == likely(SKETCHES, LAB, knowledge(), SOME)
    assert set(found) == {(one.name, one.scale) for one in SKETCHES}
    for those in found.values():
        assert those[0] == LAB.baseline
        assert len(set(those)) == len(those) <= 1 + 2 * (4 + 1)
        assert set(those) <= set(SOME)
    kinds = {one["file_system"] for those in found.values() for one in those}
    assert len(kinds) > 1
    assert HOPELESS > 1.0
