"""Surveys: what is planned is measured once, in pieces, and whatever was measured stays."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acic.benchmarks.kernels import Kernel, kernels
from acic.cli.main import run
from acic.cli.survey_shown import compare, plain_field, show_field
from acic.cluster.lab import LabFacts
from acic.errors import InvalidInput, with_sudo
from acic.evaluation.drawing import balanced_with
from acic.evaluation.field import Table, field_of
from acic.evaluation.measuring import HopelessRuns, measure
from acic.evaluation.noise import agreement, noise_of
from acic.evaluation.survey import Survey
from acic.evaluation.truth import OutOfTime, Run, read_truth, write_truth
from acic.platforms import load_platform, platform_source
from acic.space import Configuration, Value
from acic.store.measurement import Outcome
from acic.units import format_seconds, format_usd
from tests.cli.documented import check_documented, check_fields

NOW = datetime(2026, 11, 21, tzinfo=UTC)
SOME = kernels()[:3]
LAB = load_platform("lab")


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


class Fake:
    """Makes up runs, and counts them."""

    def __init__(self, *, fails: int = 0, note: str = "") -> None:
        self.made: list[tuple[str, str, Configuration, int]] = []
        self.fails, self.note = fails, note

    def run(self, kernel: Kernel, configuration: Configuration, repetition: int) -> Run:
        self.made.append((kernel.name, kernel.scale, configuration, repetition))
        failed = len(self.made) <= self.fails
        return Run(
            kernel=kernel.name,
            scale=kernel.scale,
            configuration=configuration,
            repetition=repetition,
            time=NOW,
            outcome=Outcome.FAILED if failed else Outcome.OK,
            seconds=None if failed else 1.0 + repetition / 10,
            note=self.note if failed else "",
        )


def begun(name: str = "truth", *, passes: int = 2, count: int = 4) -> Survey:
    return Survey.begin("lab", drawn(count), name=name, passes=passes, seed=0, now=NOW, chosen=SOME)


def drawn(
    count: int, only: Mapping[str, Value] = MappingProxyType({"instance_type": "lab.400m"})
) -> list[Configuration]:
    return balanced_with(LAB, only, count, seed=0)


def ticking(step: float) -> object:
    ticks = iter(range(10**6))
    return lambda: next(ticks) * step


def test_every_point_is_run_once_in_each_pass_and_deployments_change_as_seldom_as_they_can() -> None:
    survey, fake = begun(), Fake()
    assert measure(survey, fake.run) == survey.plan.runs == 4 * 3 * 2
    assert set(Counter(fake.made).values()) == {1}
    changes = sum(a[2] != b[2] for a, b in zip(fake.made, fake.made[1:], strict=False))
    assert changes == 4 * 2 - 1
    assert [r.configuration for r in survey.runs] == [made[2] for made in fake.made]
    assert measure(survey, fake.run) == 0


def test_applications_come_in_another_order_each_time() -> None:
    survey = begun(passes=6)
    orders = {tuple(k.key for k in them) for _, _, them in survey.plan.groups()}
    assert len(orders) == 6  # of three


def test_a_survey_that_ran_out_of_time_goes_on_where_it_was() -> None:
    survey, fake = begun(), Fake()
    pieces = 0
    while measure(Survey.open("truth"), fake.run, seconds=5.0, clock=ticking(1.0)):  # type: ignore[arg-type]  # a fake
        pieces += 1
    assert pieces > 3
    assert len(fake.made) == survey.plan.runs
    assert set(Counter(fake.made).values()) == {1}


def test_a_survey_ends_where_the_time_is_up_and_no_run_held() -> None:
    """It went on for twelve tries of a run, and failed, in place of ending as where the budget is used up."""
    survey, fake = begun(), Fake()

    def run_two(*given: Any) -> Run:
        if len(fake.made) == 2:
            raise OutOfTime("the time is up", hint="go on later")
        return fake.run(*given)

    assert measure(survey, run_two) == 2
    assert len(survey.runs) == 2


def test_what_failed_is_tried_once_more_at_the_end_and_stays_on_record() -> None:
    survey, fake = begun(passes=1), Fake(fails=2)
    measure(survey, fake.run)
    assert fake.made[:2] == fake.made[-2:]
    assert len(fake.made) == survey.plan.runs + 2
    assert Counter(r.outcome for r in survey.runs) == {Outcome.OK: survey.plan.runs, Outcome.FAILED: 2}


def test_the_command_tells_runs_that_failed_from_those_that_gave_wrong_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class FakeRuns(Fake):
        thrown_away = 4

        def __init__(
            self,
            *_: object,
            told: Callable[[str], None],
            doubted: Callable[[Configuration], bool],
            over: Callable[[], bool],
        ) -> None:
            assert not over()
            super().__init__(fails=2)
            self._told = told
            assert not doubted(LAB.baseline)
            assert {one.get("stripe_size") for one in LAB.space.configurations() if doubted(one)} == {1 << 22, 1 << 26}

        def run(self, kernel: Kernel, configuration: Configuration, repetition: int) -> Run:
            self._told("others got 30% of the processor time")
            made = super().run(kernel, configuration, repetition)
            corrupt = len(self.made) in (3, 4, 5)
            return replace(made, outcome=Outcome.CORRUPT, seconds=None) if corrupt else made

    begun(passes=1)
    assert run(["survey", "run", "truth", "--budget", "5"]) == 2
    assert "'5' is not a duration" in capsys.readouterr().err
    monkeypatch.setattr("acic.evaluation.running.Runs", FakeRuns)
    needed: list[str] = []
    taken_down: list[bool] = []
    room = SimpleNamespace(recall=lambda _: None, names=SimpleNamespace(images=tmp_path))
    fake = SimpleNamespace(need=needed.append, room=room, undeploy=lambda: taken_down.append(True))
    opened: list[LabFacts] = []

    def open_lab(*, facts: LabFacts) -> SimpleNamespace:
        opened.append(facts)
        return fake

    monkeypatch.setattr("acic.lab.Lab.open", open_lab)
    assert run(["survey", "run", "truth"]) == 0
    assert set(needed) == {c["file_system"] for c in Survey.open("truth").plan.configurations}
    assert opened == [LabFacts.of(LAB.lab)], "on another lab it would measure something else"
    assert taken_down == [True], "a run that was killed may have left its files"
    told = capsys.readouterr()
    assert told.out == "14 runs made, 0 of 12 are left; 2 failed, 3 gave wrong bytes\n"
    assert "4 runs were thrown away, because others got this machine's processors meanwhile" in told.err
    assert run(["survey", "run", "truth", "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert (counts["made"], counts["runs"], counts["failed"], counts["corrupt"]) == (0, 14, 2, 3)
    assert counts["thrown_away"] == 4
    check_fields("survey run", counts)


def test_a_lab_that_a_changed_file_made_is_told_with_the_change(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The hint was to bring the lab up by that file, which was what it had been brought up by."""
    begun()
    facts = LabFacts.of(LAB.lab)
    changed = replace(facts, disks={**facts.disks, "EBS": replace(facts.disks["EBS"], read=40_000_000)})
    made = SimpleNamespace(facts=changed, close=lambda: None, recall=lambda _: None)
    monkeypatch.setattr("acic.lab.lab.Room.open", lambda *_, **__: made)
    assert run(["survey", "run", "truth"]) == 2
    told = capsys.readouterr().err
    assert "tells of: disk.EBS.read is 40000000, not 48000000, as lab had it when truth was begun" in told
    assert "where that file was changed since, undo that, or begin a new survey" in told


def test_what_keeps_failing_is_given_up() -> None:
    survey, fake = begun(passes=1, count=2), Fake(fails=10**6)
    measure(survey, fake.run)
    assert set(Counter(fake.made).values()) == {2}


def test_a_survey_stops_when_everything_fails_and_goes_on_when_that_is_mended() -> None:
    survey, fake = begun(passes=1), Fake(fails=7)
    with pytest.raises(HopelessRuns, match="7 runs in a row failed") as caught:
        measure(survey, fake.run)
    assert "acic lab" in caught.value.hint
    assert len({made[2] for made in fake.made}) == 3, "one that cannot be deployed would not have stopped it"
    measure(survey, fake.run)
    assert survey.remaining == 0
    assert {r.outcome for r in survey.runs[7:]} == {Outcome.OK}


def some_fail(survey: Survey) -> Callable[[Kernel, Configuration, int], Run]:
    """Return what makes runs of which one application fails on each configuration, and three do on three."""
    bad, good = Fake(fails=10**6), Fake()
    broken = {(c, SOME[place % 3].name, SOME[place % 3].scale) for place, c in enumerate(survey.plan.configurations)}

    def run(kernel: Kernel, configuration: Configuration, repetition: int) -> Run:
        fails = (configuration, kernel.name, kernel.scale) in broken
        return (bad if fails else good).run(kernel, configuration, repetition)

    return run


def test_what_fails_for_good_does_not_stop_a_survey_when_it_is_tried_again() -> None:
    """When all else was done three applications failed on three configurations in a row: the lab was blamed."""
    survey = begun(passes=1, count=9)
    measure(survey, some_fail(survey))
    assert Counter(r.outcome for r in survey.runs) == {Outcome.OK: 18, Outcome.FAILED: 18}


def test_a_lab_that_breaks_while_runs_are_tried_again_is_noticed() -> None:
    """Each of them would have used up its last try."""
    survey = begun(passes=1, count=9)
    measure(survey, some_fail(survey), seconds=27.5, clock=ticking(1.0))  # type: ignore[arg-type]
    assert len(survey.runs) == 27
    with pytest.raises(HopelessRuns, match="3 runs in a row failed"):
        measure(Survey.open("truth"), Fake(fails=10**6, note="the mount is gone").run)


def test_what_failed_before_comes_behind_what_was_never_tried() -> None:
    survey = begun(passes=1)
    measure(survey, Fake(fails=2).run, seconds=2.5, clock=ticking(1.0))  # type: ignore[arg-type]
    failed = [(r.kernel, r.scale, r.configuration, r.repetition) for r in survey.runs]
    assert len(failed) == 2
    fake = Fake()
    measure(Survey.open("truth"), fake.run)
    assert fake.made[-2:] == failed


def test_sketches_go_on_from_runs_that_were_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All passes of all of them were made once more."""
    some, two = kernels("sketches")[:2], drawn(2)
    likely = {(kernel.name, kernel.scale): tuple(two) for kernel in some}
    monkeypatch.setattr("acic.cli.survey.likely_in", lambda *_: likely)
    done = [Fake().run(kernel, one, 0) for kernel in some for one in two]
    write_truth([*done, Fake().run(some[0], two[0], 1)], tmp_path / "done.parquet")
    words = ["--applications", "sketches", "--configurations", "2", "--passes", "2", "--with"]
    assert run(["survey", "begin", "more", *words, str(tmp_path / "done.parquet")]) == 0
    assert Survey.open("more").remaining == 3


def test_an_application_that_fails_everywhere_stops_no_survey() -> None:
    survey, bad = begun(passes=1), Fake(fails=10**6)
    good = Fake()
    measure(survey, lambda k, c, n: (bad if k is SOME[0] else good).run(k, c, n))
    assert Counter(r.outcome for r in survey.runs)[Outcome.FAILED] == 2 * 4


def test_a_run_that_was_cut_off_is_made_anew() -> None:
    survey = begun()

    def killed(*_: object) -> Run:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(survey, killed)
    fake = Fake()
    measure(Survey.open("truth"), fake.run)
    assert len(fake.made) == survey.plan.runs


def test_two_processes_do_not_measure_at_once() -> None:
    survey = begun()

    def meanwhile(*_: object) -> Run:
        with pytest.raises(InvalidInput, match="running already"):
            measure(Survey.open("truth"), Fake().run)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(survey, meanwhile)


def test_noise_is_told_only_where_something_was_repeated(capsys: pytest.CaptureFixture[str]) -> None:
    for name, passes, said in (
        ("once", 1, "12 runs; none was repeated"),
        ("twice", 2, "24 runs; repeated runs differ by 10.0% typically, 90 % by 10%"),  # 1.0 s, then 1.1 s
    ):
        measure(begun(name, passes=passes), Fake().run)
        assert run(["survey", "show", name]) == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith(said)


def test_points_measured_again_are_some_of_those_that_were() -> None:
    survey = begun()
    measure(survey, Fake().run)
    again = survey.again(name="day2", points=5, seed=1, now=NOW)
    fake = Fake()
    assert again.plan.runs == 5 == measure(again, fake.run)
    assert {made[:3] for made in fake.made} <= {(r.kernel, r.scale, r.configuration) for r in survey.runs}
    found = agreement(survey.runs, again.runs, covers=0.2)
    assert len(found) == 5
    assert all(a.ratio == pytest.approx(1.0 / 1.05) and a.within for a in found)
    assert not any(a.within for a in agreement(survey.runs, again.runs, covers=0.01))
    with pytest.raises(InvalidInput, match="12 points were measured") as caught:
        survey.again(name="day3", points=13, seed=1, now=NOW)
    assert caught.value.hint == "repeat 12 at most"


def test_points_of_a_survey_without_runs_cannot_be_measured_again() -> None:
    with pytest.raises(InvalidInput, match="0 points were measured") as caught:
        begun().again(name="day2", points=1, seed=1, now=NOW)
    assert "acic survey run" in caught.value.hint


def test_whether_runs_agree_cannot_be_told_before_anything_was_repeated() -> None:
    survey = begun(passes=1)
    measure(survey, Fake().run)
    again = survey.again(name="day2", points=5, seed=1, now=NOW)
    measure(again, Fake().run)
    covers = noise_of(survey.runs).covers
    assert [a.within for a in agreement(survey.runs, again.runs, covers=covers)] == [None] * 5


def test_the_noise_that_runs_are_held_against_may_come_from_another_day(capsys: pytest.CaptureFixture[str]) -> None:
    survey = begun(passes=1)
    measure(survey, Fake().run)
    for seed, name in enumerate(("day2", "audit")):
        measure(survey.again(name=name, points=5, seed=seed, now=NOW), Fake().run)
    capsys.readouterr()
    assert run(["survey", "show", "audit", "--against", "truth"]) == 0
    assert "cannot be told" in capsys.readouterr().out
    assert run(["survey", "show", "audit", "--against", "truth", "--noise", "day2"]) == 0
    assert "5 of 5 agree within 0%, which covers 90 % of the runs of 5 points" in capsys.readouterr().out
    assert run(["survey", "show", "audit", "--noise", "day2"]) == 2
    assert "--against truth" in capsys.readouterr().err


def test_noise_is_what_repeated_runs_differ_by() -> None:
    survey = begun()
    measure(survey, Fake().run)  # 1.0 s in the first pass, 1.1 s in the second
    noise = noise_of(survey.runs)
    assert noise.points == 12
    assert (noise.typical, noise.covers) == pytest.approx((0.0953, 0.0953), abs=1e-4)


def test_agreement_is_told_as_how_much_longer_runs_may_take(capsys: pytest.CaptureFixture[str]) -> None:
    """A logarithm was printed as a percentage."""
    runs = [replace(Fake().run(SOME[0], LAB.baseline, 0), seconds=seconds) for seconds in (1.0, 2.0)]
    compare(runs, [replace(runs[0], seconds=2.1)], [], as_json=False)
    assert "1 of 1 agree within 100%" in capsys.readouterr().out


def test_json_has_what_the_table_of_a_survey_shows(capsys: pytest.CaptureFixture[str]) -> None:
    survey = begun()
    measure(survey, Fake().run)
    assert run(["survey", "show", "truth", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert run(["survey", "show", "truth", "--against", "truth", "--json"]) == 0
    check_fields("survey show", found, json.loads(capsys.readouterr().out))
    assert run(["survey", "show", "truth"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1].startswith(f"{found['runs']} runs; ")
    for field, text in zip(found["fields"], (format_seconds, format_usd), strict=True):
        assert len(field["value"]) == len(SOME)
        for name, value in field["value"].items():
            told = rf"^ *{name.replace(' ', ' +')} +{re.escape(text(value))} .* {field['spread'][name]:.1f}x "
            assert re.search(told, shown, re.MULTILINE)


def test_a_fixed_choice_that_fails_with_an_application_is_told_to_fail(capsys: pytest.CaptureFixture[str]) -> None:
    """It was `null` in JSON, and inf% in the table."""
    one, other = drawn(2)
    names = [(kernel.name, kernel.scale) for kernel in SOME[:2]]
    made = Table(tuple(names), (one, other), np.array([[1.0, math.inf], [math.inf, 1.0]]), "time")
    field = field_of(made)
    told = plain_field("time", field, made)
    assert "failed" in told["regret"].values()  # type: ignore[attr-defined]  # a mapping
    assert told["mean_regret"] == "failed"
    show_field("time", field, made)
    out = capsys.readouterr().out
    assert "fails with some" in out
    assert "inf" not in out


def test_json_tells_what_a_survey_that_goes_on_has_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure(begun(passes=1), Fake().run)
    assert run(["survey", "export", "truth", str(tmp_path / "truth.parquet"), "--json"]) == 0
    check_documented("survey export", json.loads(capsys.readouterr().out))
    assert run(["survey", "begin", "more", "--again", "truth", "--points", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    check_fields("survey begin", found)
    assert (found["applications"], found["runs"], found["before"], found["left"]) == (3, 5, 0, 5)


def test_runs_that_were_exported_are_gone_on_from() -> None:
    survey, fake = begun(), Fake()
    measure(survey, fake.run, seconds=7.0, clock=ticking(1.0))  # type: ignore[arg-type]  # a fake
    before = survey.runs
    assert 0 < len(before) < survey.plan.runs
    more = Survey.begin("lab", drawn(4), name="b", passes=2, seed=0, now=NOW, chosen=SOME, done=before)
    assert more.runs == before
    assert more.remaining == more.plan.runs - len(before)
    measure(more, fake.run)
    assert more.remaining == 0
    assert len(fake.made) == more.plan.runs
    assert set(Counter(fake.made).values()) == {1}
    with pytest.raises(InvalidInput, match="another plan"):
        Survey.begin("lab", drawn(1), name="c", passes=2, seed=0, now=NOW, chosen=SOME[:1], done=more.runs)


def test_a_survey_that_goes_on_is_there_with_all_that_was_measured_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C left one that lacked some of it, which was measured again without a word."""
    survey, content = begun(passes=1), Run.content
    measure(survey, Fake().run)
    before = survey.runs

    def interrupted(self: Run) -> dict[str, object]:
        if self == before[-1]:
            raise KeyboardInterrupt
        return content(self)

    monkeypatch.setattr(Run, "content", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Survey.begin("lab", drawn(4), name="b", passes=2, seed=0, now=NOW, chosen=SOME, done=before)
    assert [folder.name for folder in survey.journal.folder.parent.iterdir()] == ["truth"]


def test_a_budget_that_is_none_is_refused_before_anything_is_built(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun()
    monkeypatch.setattr("acic.benchmarks.find_benchmark", lambda *_, **__: pytest.fail("it was looked for"))
    assert run(["survey", "run", "truth", "--budget", "2"]) == 2
    assert "is not a duration" in capsys.readouterr().err


def test_the_first_passes_alone_are_exported(tmp_path: Path) -> None:
    """A truth with a part of its next pass would judge some points by more runs than others."""
    survey = begun()
    measure(survey, Fake().run)
    everything, first = tmp_path / "all.parquet", tmp_path / "first.parquet"
    assert run(["survey", "export", "truth", str(everything)]) == 0
    assert run(["survey", "export", str(everything), str(first), "--passes", "1"]) == 0
    assert read_truth(everything) == survey.runs
    assert read_truth(first) == [one for one in survey.runs if one.repetition == 0]


@pytest.mark.parametrize(("user", "noted"), [(1000, True), (0, False)])
def test_who_is_not_root_is_told_that_root_runs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], user: int, noted: bool
) -> None:
    """With the `sudo` of most systems root looks for surveys, and what else is kept, in a home of its own."""
    monkeypatch.setattr("os.geteuid", lambda: user)
    assert run(["survey", "begin", "new", "--configurations", "2", "--passes", "1"]) == 0
    told = capsys.readouterr().err
    assert ("note: root runs it" in told) is noted
    assert told.endswith(f"next: {with_sudo('survey', 'run', 'new', '--budget', '1h')}\n")


def test_it_is_told_that_the_baseline_is_measured_too_where_only_others_were_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A survey of GlusterFS alone had NFS's programs to be installed, and nothing said why."""
    for value, noted in (("GlusterFS", True), ("NFS", False)):
        words = ["--only", f"file_system={value}", "--configurations", "3"]
        assert run(["survey", "begin", value, *words]) == 0
        told = capsys.readouterr().err
        assert ("note: one is the baseline, with file_system NFS: nothing can be compared without it" in told) is noted
        others = [c for c in Survey.open(value).plan.configurations if c != LAB.baseline]
        assert [c["file_system"] for c in others] == [value] * 2


def test_the_runs_of_a_file_are_of_the_platform_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file does not tell what its machines cost."""
    mine, file = tmp_path / "mine.toml", str(tmp_path / "truth.parquet")
    text = platform_source("lab").replace('name = "lab"', 'name = "mine"')
    mine.write_text(text.replace("price = 1.30", "price = 9"))
    measure(begun(), Fake().run)
    assert run(["survey", "export", "truth", file]) == 0

    def shown(*more: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = run(["survey", "show", *more])
        told = capsys.readouterr()
        return status, told.out, told.err

    ours, its = shown(file), shown(file, "--platform", str(mine))
    assert (ours[0], its[0]) == (0, 0)
    assert ours[1].partition("cost: ")[0] == its[1].partition("cost: ")[0]
    assert ours[1] != its[1]
    status, _, err = shown(file, "--platform", "tianhe-lustre")
    assert (status, "tianhe-lustre has not" in err) == (2, True)
    status, _, err = shown("truth", "--platform", "lab")
    assert (status, "--platform does nothing beside a survey" in err) == (2, True)
    assert run(["survey", "export", "truth", file, "--platform", "lab"]) == 2
    assert "--platform does nothing without --lessons" in capsys.readouterr().err


def test_a_name_is_used_once_and_an_unknown_one_is_refused() -> None:
    begun()
    with pytest.raises(InvalidInput, match="there is a survey truth already"):
        begun()
    with pytest.raises(InvalidInput, match="there is no survey other") as caught:
        Survey.open("other")
    assert "acic survey list" in caught.value.hint


def test_surveys_are_listed_with_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["survey", "list"]) == 0
    told = capsys.readouterr()
    assert not told.out
    assert "there are no surveys yet: acic survey begin truth" in told.err
    fake = Fake()
    measure(begun("old"), fake.run)
    measure(begun("new"), fake.run, seconds=5.0, clock=ticking(1.0))  # type: ignore[arg-type]  # a fake
    damaged = tmp_path / "state" / "acic" / "surveys" / "damaged"
    damaged.mkdir()
    (damaged / "journal.jsonl").write_text("no JSON\n")
    assert run(["survey", "list", "--json"]) == 0
    told = capsys.readouterr()
    check_fields("survey list", json.loads(told.out))
    surveys = {one["survey"]: one for one in json.loads(told.out)["surveys"]}
    assert list(surveys) == ["old", "new"]
    sizes = {"applications": 3, "configurations": 4, "runs": 24, "left": 0, "of": 24}
    assert surveys["old"] == {"survey": "old", **sizes, "last_run": NOW.isoformat()}
    assert 0 < surveys["new"]["runs"] < 24
    assert surveys["new"]["left"] == 24 - surveys["new"]["runs"]
    assert "note: damaged: " in told.err
    assert run(["survey", "list"]) == 0
    assert "2026-11-21 00:00" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["../elsewhere", "", ".hidden", "a/b"])
def test_a_survey_stays_in_its_folder(name: str) -> None:
    with pytest.raises(InvalidInput, match="is no name for a survey"):
        Survey.begin("lab", drawn(4), name=name, passes=1, seed=0, now=NOW, chosen=SOME)
    with pytest.raises(InvalidInput, match="is no name for a survey"):
        Survey.open(name)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--again", "truth", "--among", "x.parquet"], "--among does nothing beside --again"),
        (["--again", "truth", "--passes", "2"], "--passes does nothing beside --again"),
        (["--best", "x.parquet", "--applications", "test"], "--applications does nothing beside --best"),
        (["--best", "x.parquet", "--again", "truth"], "--best does nothing beside --again"),
        (["--top", "2"], "--top does nothing without --again or --best"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["survey", "begin", "new", *words]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "leave" in err


def test_a_platform_that_is_no_lab_is_refused_when_a_survey_begins(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["survey", "begin", "new", "--platform", "tianhe-lustre"]) == 2
    assert "has no [lab] table" in capsys.readouterr().err
    with pytest.raises(InvalidInput, match="there is no survey new"):
        Survey.open("new")


def test_applications_for_a_test_are_measured_where_those_for_development_were(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survey, fake = begun(passes=1, count=6), Fake(fails=1)
    measure(survey, fake.run, seconds=14.0, clock=ticking(1.0))  # type: ignore[arg-type]  # the rest is not whole
    done: dict[Configuration, set[str]] = {}
    for one in survey.runs:
        done.setdefault(one.configuration, set()).add(one.kernel + one.scale)
    whole = {c for c, those in done.items() if len(those) == len(SOME)}
    assert 1 < len(whole) < 6
    write_truth(survey.runs, tmp_path / "truth.parquet")
    told = ["--applications", "test", "--among", str(tmp_path / "truth.parquet"), "--passes", "1"]
    assert run(["survey", "begin", "test", *told]) == 0
    plan = Survey.open("test").plan
    assert plan.kernels == kernels("test")
    assert set(plan.configurations) == whole
    assert f"{len(kernels('test'))} applications, {len(whole)} configurations" in capsys.readouterr().out
