"""`acic evaluate`: what it is told, what it prints, and that bad input is refused."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acic import __version__ as acic_version
from acic.campaign.journal import Journal
from acic.cli.evaluate_json import as_json_takes, told_figure
from acic.cli.evaluate_lines import begun_late
from acic.cli.evaluate_shown import show
from acic.cli.main import run
from acic.cli.output import plain
from acic.errors import InvalidInput, MissingData
from acic.evaluation.contenders import contenders, left_over
from acic.evaluation.evaluate import Evaluated, bundled_truth, evaluate
from acic.evaluation.fresh import Fresh, Interval
from acic.evaluation.loops import loops
from acic.evaluation.measuring import measure
from acic.evaluation.methods import methods
from acic.evaluation.noise import Noise
from acic.evaluation.picks import Curve
from acic.evaluation.survey import Survey
from acic.evaluation.taught import Judge, judge_of
from acic.evaluation.training import Training
from acic.evaluation.transfer import transfer
from acic.evaluation.truth import Run, write_truth
from acic.platforms import load_platform
from acic.report.evaluation import Evaluation, Lines
from acic.report.evaluation.chart import Rows
from acic.report.evaluation.regrets import regret_figure
from acic.report.evaluation.told import share_text
from acic.space import Configuration
from acic.store import Outcome
from acic.units import format_seconds
from acic.workloads.workload import DARSHAN
from tests.cli.documented import check_answer, check_fields
from tests.evaluation.pretend import LAB, SIX, SOME, WHEN, knowledge, run_of, truth

QUICK = ("fixed", "rules", "random", "baseline", "best")
Call = Callable[..., tuple[int, str, str]]


def judged(runs: list[Run], **more: Any) -> Evaluated:
    return evaluate(runs, LAB, methods(more.pop("names", QUICK)), knowledge, **more)


@pytest.fixture
def acic(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.setenv("ACIC_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))

    def call(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        status = run(["evaluate", *map(str, words)])
        captured = capsys.readouterr()
        check_answer(["evaluate", *map(str, words)], status, captured.out)
        return status, captured.out, captured.err

    return call


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_truth(truth(repetitions=3, noise=0.02), tmp_path / "truth.parquet")
    return tmp_path / "truth.parquet"


def only(*names: str) -> list[str]:
    return [word for name in names for word in ("--method", name)]


def test_models_learned_beside_one_another_are_those_learned_alone(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = acic("--truth", file, *only("model:ridge", "model:nearest"), "--json")
    assert len(list((tmp_path / "cache").iterdir())) == 3  # where this process would keep them, and the rows
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "another"))
    alone = acic("--truth", file, *only("model:ridge"), "--json")
    for one, other in zip(json.loads(both[1])["goals"], json.loads(alone[1])["goals"], strict=True):
        assert one["methods"][0] == other["methods"][0]
    assert "no training database" in both[2]


def test_how_much_truth_there_is_is_told() -> None:
    runs = [r for r in truth(repetitions=3) if (r.kernel, r.configuration, r.repetition) != ("pop", SOME[3], 2)]
    runs = [r for r in runs if (r.kernel, r.configuration) != ("pop", SOME[4])]
    failed = [
        replace(r, outcome=Outcome.FAILED, seconds=None)
        if (r.kernel, r.scale, r.configuration) == ("btio", "large", LAB.baseline)
        else r
        for r in runs
    ]
    extent = judged(failed).extent
    assert extent.unasked == (("btio", "large"),)
    assert (extent.applications, extent.configurations, extent.partial) == (len(SIX) - 1, len(SOME) - 1, 1)
    assert (extent.runs, extent.repetitions) == (len(failed), (2, 3))


def test_the_median_of_an_even_number_of_configurations_lies_between_two(capsys: pytest.CaptureFixture[str]) -> None:
    found = judged(truth(configurations=SOME[:4], noise=0.3), names=("rules",), goals=["time"])
    show(found, [], ["fig5"])
    printed = capsys.readouterr().out
    for row in found.judgements[0].table.values:
        assert format_seconds(float(np.median(row))) in printed


def test_both_goals_are_judged_and_the_best_has_no_regret() -> None:
    found = judged(truth(repetitions=3, noise=0.02))
    assert [j.goal for j in found.judgements] == ["time", "cost"]
    for judgement in found.judgements:
        scores = {s.method: s.figures[1] for s in judgement.scores}
        assert tuple(scores) == QUICK
        assert scores["best"].mean == 0
        assert scores["baseline"].gain == (1.0 if judgement.goal == "time" else 0.0)
        assert scores["best"].gain == scores["best"].best_gain >= max(f.gain for f in scores.values())
        assert scores["random"].mean > 0
    assert 0.005 < found.noise.typical < 0.05


def test_the_optimum_of_each_application_is_the_least_of_its_row() -> None:
    for judgement in judged(truth(repetitions=3, noise=0.02)).judgements:
        for optimum, row in zip(judgement.optima, judgement.table.values, strict=True):
            assert optimum.value == row.min()
            assert judgement.table.configurations[int(row.argmin())] == optimum.configuration
            assert optimum.near >= 1


def test_fresh_runs_judge_the_methods_whose_choice_they_are_of() -> None:
    runs = truth(repetitions=2, noise=0.02)
    fresh = truth(repetitions=5, noise=0.02, seed=4, configurations=SOME[:3])
    (judgement,) = judged(runs, goals=["time"], fresh=fresh).judgements
    by = {f.method: f for f in judgement.fresh}
    assert by["baseline"].regret.keys() == set(judgement.table.applications)
    assert "random" not in by


def test_json_has_no_figure_over_all_where_some_were_run_again() -> None:
    """A model of which a third of the choices had not run again seemed ten times as good as it was."""
    runs, some = truth(repetitions=2, noise=0.02), truth(repetitions=3, noise=0.02, seed=4)
    base = LAB.baseline
    fresh = [one for one in some if one.configuration == base or one.kernel != runs[0].kernel]
    fresh = [one for one in fresh if one.configuration in (base, SOME[1], SOME[2])]
    (judgement,) = json.loads(json.dumps(as_json_takes(judged(runs, goals=["time"], fresh=fresh), ()), default=plain))[
        "goals"
    ]
    scores = {one["method"]: one for one in judgement["fresh"]}
    assert any(one["judged"] < one["of"] for one in scores.values())
    for one in scores.values():
        assert one["judged"] == len(one["regret"])
        known = one["judged"] == one["of"]
        assert [one[name] is not None for name in ("median", "p90", "gain", "best_gain", "share")] == [known] * 5


def test_an_interval_that_too_few_runs_tell_is_shown_as_none(capsys: pytest.CaptureFixture[str]) -> None:
    """Where most was run again once, as of the ten held out, it was as narrow as applications drawn anew."""
    for passes, shown in ((2, r"0\.0% \(-\) +0\.0% \(-\) .* >= 2"), (3, r"0\.0% \(0\.0% to 0\.0%\) .* >= 3")):
        show(judged(truth(), names=("best",), fresh=truth(repetitions=passes)), [], ["regret"])
        assert re.search(shown, capsys.readouterr().out)


def test_what_failed_when_it_was_run_again_has_the_figure_failed() -> None:
    """As in the truth, and in the first few: it was null, which nothing tells."""
    assert told_figure(Interval(math.inf, 0.5, math.inf)) == {"value": "failed", "low": 0.5, "high": "failed"}


def with_a_slow_session() -> tuple[list[Run], list[Run]]:
    first = truth(repetitions=3, noise=0.1, seed=4)
    slower = truth(repetitions=2, noise=0.1, seed=5, configurations=SOME[:2], factor=lambda _k, _c: 1.5)
    return truth(repetitions=2, noise=0.02), [*first, *(replace(one, repetition=one.repetition + 3) for one in slower)]


def with_an_application_that_failed() -> tuple[list[Run], list[Run]]:
    again = truth(repetitions=3, noise=0.1, seed=4)
    return truth(repetitions=2, noise=0.02), [
        replace(one, outcome=Outcome.FAILED, seconds=None) if one.kernel == "random-reads" else one for one in again
    ]


def with_a_best_that_the_truth_lacks() -> tuple[list[Run], list[Run]]:
    again = truth(repetitions=3, noise=0.1, seed=4)
    best = {Fresh(again, LAB, goal).best(("random-reads", "only")) for goal in ("time", "cost")}
    assert LAB.baseline not in best
    runs = truth(repetitions=2, noise=0.02)
    return [one for one in runs if one.kernel != "pop" or one.configuration not in best], again


@pytest.mark.parametrize(
    "measured", [with_a_slow_session, with_an_application_that_failed, with_a_best_that_the_truth_lacks]
)
def test_the_page_has_the_regret_that_the_table_of_fresh_runs_has(
    measured: Callable[[], tuple[list[Run], list[Run]]],
) -> None:
    """Sessions were levelled for the table and not for the page: 0.6 % there was 0.1 % here.

    An application that failed in all fresh runs was left out of the page, which had another best where the truth lacks
    it.
    """
    runs, again = measured()
    found = judged(runs, names=("fixed", "rules"), fresh=again)
    given = Evaluation(
        platform=LAB,
        tables={one.goal: one.table for one in found.judgements},
        picks=[picks for one in found.judgements for (picks,) in one.picks],
        fresh=[score for one in found.judgements for score in one.fresh],
        again=True,
        runs=len(runs),
        repetitions=found.extent.repetitions,
        made=WHEN,
    )
    drawing = regret_figure(given)
    assert drawing is not None
    assert not any("no measured choice" in said for said in drawing.sees)
    shown = {part.caption: part.rows for part in drawing.parts if isinstance(part, Rows)}
    for judgement in found.judgements:
        rows = shown[f"Regret for {judgement.goal} by fresh runs of the choice and of the best few"]
        assert len(rows) == len(judgement.fresh) == 2
        for row, score in zip(rows, judgement.fresh, strict=True):
            failed = sum(math.isinf(one.value) for one in score.regret.values())
            assert failed == (measured is with_an_application_that_failed)
            middle, tenth = (share_text(one.value) for one in (score.median, score.p90))
            assert (*row.cells[:2], *row.cells[3:5]) == (middle, tenth, str(failed), str(len(SIX)))


def test_the_level_of_a_session_is_no_noise() -> None:
    """Another machine's fresh runs were, and with them what counted as a loss by the truth alone."""
    runs = truth(repetitions=3)
    some = truth(repetitions=3, configurations=SOME[1:])
    slow = [replace(one, staged=1.2 * one.staged, seconds=1.2 * (one.seconds or 0.0)) for one in some]
    assert judged(runs, names=("fixed",), fresh=slow).noise.covers == pytest.approx(0.0, abs=1e-6)


def test_progress_is_told_for_each_method_and_goal() -> None:
    seen: list[int] = []
    judged(truth(), watch=seen.append)
    assert seen == list(range(1, 2 * len(QUICK) + 1))


def test_a_truth_of_something_else_is_refused() -> None:
    with pytest.raises(MissingData, match="empty"):
        judged([])
    with pytest.raises(InvalidInput, match="there is no kernel nobody"):
        judged([*truth(), replace(truth()[0], kernel="nobody")])
    with pytest.raises(InvalidInput, match="has a configuration that lab has not"):
        judged([*truth(), replace(truth()[0], configuration=Configuration(device="EBS"))])


def test_the_bundled_truth_is_of_the_lab() -> None:
    runs = bundled_truth("lab")
    assert {r.configuration for r in runs} >= {LAB.baseline}
    with pytest.raises(MissingData, match="no ground truth comes with acic for tianhe-lustre"):
        bundled_truth(load_platform("tianhe-lustre").name)


def test_the_command_prints_tables_and_tells_how_far_they_go(acic: Call, file: Path) -> None:
    status, out, err = acic("--truth", file, *only("rules", "fixed", "best"))
    assert status == 0
    assert out.startswith(f"ground truth of lab: 6 applications, each on {len(SOME)} configurations, 3 times; ")
    for title in (
        "time: regret of",
        "cost: regret of",
        "rules chose, measured",
        "the best configuration of each",
        "observed",
    ):
        assert title in out
    assert "the paper's 3.0x" in out
    assert "the paper's 53 %" in out
    assert "flatters itself" in err
    assert "--fresh takes it" in err
    assert "repeated runs differ by" in err


def test_a_blind_choice_alone_is_judged_and_only_what_it_cannot_tell_is_left_out(acic: Call, file: Path) -> None:
    """It ended in a traceback behind the first tables."""
    status, out, err = acic("--truth", file, *only("random"))
    assert status == 0
    assert "chose, measured" not in out
    for goal in ("time", "cost"):
        assert f"{goal}: regret of the first choice" in out
        assert f"{goal}: the best configuration of each" in out
    assert "observed" in out
    assert "note: without fig5: " in err
    assert "note: without fig6: " in err


def test_noise_is_told_as_how_much_longer_runs_take(capsys: pytest.CaptureFixture[str]) -> None:
    """A logarithm was printed as a percentage: runs that took twice as long were within 69 %."""
    found = judged(truth(), names=("fixed", "best"))
    show(replace(found, noise=Noise(math.log(1.1), math.log(2.0), 3)), [])
    assert "differ by 10.0% typically, and 9 of 10 by at most 100%" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--truth", "--fresh"])
def test_a_file_that_cannot_be_read_is_one_message_at_once(acic: Call, file: Path, tmp_path: Path, option: str) -> None:
    (tmp_path / "other").write_text("no truth")
    for name in ("nothing", "other", ""):  # "" is the folder
        given = {"--truth": file, option: tmp_path / name}
        status, out, err = acic(*(word for pair in given.items() for word in pair))
        assert (status, out) == (3, "")
        assert len(err.splitlines()) == 2
        assert str(tmp_path / name) in err


def test_only_the_tables_that_are_called_for_are_printed(acic: Call, file: Path) -> None:
    status, out, err = acic("--truth", file, "--figure", "table4", "--goal", "cost")
    assert status == 0
    assert "learning" not in err, "a table of the truth alone needs no model"
    assert "cost: the best configuration of each application" in out
    assert "regret of the first choice" not in out
    assert "time:" not in out


def test_json_has_every_figure_and_says_failed_for_what_failed(acic: Call, tmp_path: Path) -> None:
    runs = truth(repetitions=2)
    best = min((r for r in runs if r.kernel == "pop" and r.scale == "small"), key=lambda r: r.total or math.inf)
    broken = [
        replace(r, outcome=Outcome.CORRUPT, seconds=None)
        if (r.kernel, r.configuration) == ("pop", best.configuration)
        else r
        for r in runs
    ]
    write_truth(broken, tmp_path / "t.parquet")
    status, out, _ = acic(
        "--truth", tmp_path / "t.parquet", *only("random", "fixed", "best"), "--json", "--goal", "time"
    )
    assert status == 0
    found = json.loads(out)
    check_fields("evaluate", found)
    (goal,) = found["goals"]
    names = [m["method"] for m in goal["methods"]]
    assert names == ["random", "fixed", "best"]
    blind, _, top = goal["methods"]
    assert top["figures"][0]["mean"] == 0
    assert blind["figures"][0]["failed"] == pytest.approx(2 / len(SOME))
    assert set(top["figures"][0]["regret"]) == {f"{k.name} {k.scale}" for k in SIX}
    assert found["extent"]["runs"] == len(runs)
    assert len(found["observations"]) == 9
    regret = goal["methods"][1]["figures"][0]["regret"]
    values = next(one["value"] for one in goal["choices"] if one["method"] == "fixed")
    assert {one["application"] for one in goal["optima"]} == set(regret) == set(values)
    for one in goal["optima"]:
        lost = regret[one["application"]]
        chosen = "failed" if lost == "failed" else pytest.approx(one["value"] * (1 + lost))
        assert values[one["application"]] == chosen


def test_json_has_the_numbers_of_the_table_of_what_was_chosen(acic: Call, file: Path) -> None:
    given = ("--truth", file, *only("fixed"), "--goal", "time")
    _, out, _ = acic(*given, "--figure", "fig5")
    (goal,) = json.loads(acic(*given, "--json")[1])["goals"]
    (chosen,) = goal["choices"]
    for one in goal["optima"]:
        numbers = (one["value"], chosen["value"][one["application"]], one["median"], one["baseline"], one["worst"])
        assert re.search(rf"^ {one['application']} +{' +'.join(map(format_seconds, numbers))} ", out, re.MULTILINE)


def test_what_was_chosen_is_told_of_the_method_that_pictures_show(capsys: pytest.CaptureFixture[str]) -> None:
    """The table was that of the baseline, and the picture that of what is judged beside it."""
    for names, told in ((("baseline", "fixed"), "fixed"), (("best", "baseline"), "best")):
        show(judged(truth(), names=names, goals=["time"]), [], ["fig5"])
        assert f"time: what {told} chose, measured" in capsys.readouterr().out


def test_a_failed_choice_is_told_as_that(capsys: pytest.CaptureFixture[str]) -> None:
    """Its speed-up was 0.00x."""
    ((picks,),) = judged(truth(), names=("rules",), goals=["time"]).judgements[0].picks
    table = judged(truth(), names=("rules",), goals=["time"]).judgements[0].table
    chosen = {table.configurations[order[0]] for order in picks.ranked.values()} - {LAB.baseline}
    broken = [
        replace(run, outcome=Outcome.FAILED, seconds=None) if run.configuration in chosen else run for run in truth()
    ]
    show(judged(broken, names=("rules",), goals=["time"]), [], ["fig5"])
    printed = capsys.readouterr().out
    assert printed.count("failed") >= 3 * len(chosen)
    assert "0.00x" not in printed


def test_applications_that_nobody_can_ask_for_are_named_as_all_others() -> None:
    runs = [
        replace(r, outcome=Outcome.FAILED, seconds=None)
        if (r.kernel, r.scale, r.configuration) == ("btio", "large", LAB.baseline)
        else r
        for r in truth()
    ]
    assert as_json_takes(judged(runs, names=("fixed",)), [])["extent"]["unasked"] == ["btio large"]


def gone_wrong() -> tuple[list[Run], Configuration, Configuration]:
    """Return a truth in which the best configuration of an application gives another one wrong bytes; and the next."""
    runs = truth(noise=0.02)  # without noise several are as good
    row = sorted((r for r in runs if r.kernel == "random-reads"), key=lambda r: r.total or math.inf)
    wrong, sound = row[0].configuration, row[1].configuration
    assert LAB.baseline not in (wrong, sound)
    broken = [
        replace(r, outcome=Outcome.CORRUPT, seconds=None) if (r.kernel, r.configuration) == ("btio", wrong) else r
        for r in runs
    ]
    return broken, wrong, sound


def test_without_what_gave_wrong_bytes_the_best_is_the_best_of_the_rest(acic: Call, tmp_path: Path) -> None:
    runs, wrong, sound = gone_wrong()
    write_truth(runs, tmp_path / "t.parquet")
    given = ("--truth", tmp_path / "t.parquet", "--method", "best", "--goal", "time", "--json")
    for more, expected, count in (((), wrong, len(SOME)), (("--sound",), sound, len(SOME) - 1)):
        status, out, _ = acic(*given, *more)
        assert status == 0
        found = json.loads(out)
        assert found["extent"]["configurations"] == count
        (goal,) = found["goals"]
        (optimum,) = (one for one in goal["optima"] if one["application"] == "random-reads only")
        assert optimum["configuration"] == dict(expected)


def test_the_best_few_are_run_again_with_and_without_what_gave_wrong_bytes() -> None:
    runs, wrong, sound = gone_wrong()
    found = contenders(runs, LAB, methods(("baseline",)), knowledge, top=1)
    assert {wrong, sound} <= set(found["random-reads", "only"])


def test_what_advice_by_logs_chooses_is_run_again_and_only_of_those_that_have_a_log() -> None:
    """Who judged advice by logs had to plan these runs by hand."""
    runs, one = truth(), SIX[0]
    application = (one.name, one.scale)
    log = replace(one.workload, run_seconds=900.0, io_share=0.5)
    found = contenders(runs, LAB, methods(("model:ridge",)), knowledge, top=1, logs={application: log})
    assert list(found) == [application]
    (by_logs,) = evaluate(
        runs, LAB, methods(("model:ridge",)), knowledge, goals=("time",), logs={application: log}
    ).judgements
    first = [by_logs.table.configurations[i] for i in by_logs.picks[0][0].ranked[application][:3]]
    assert set(first) <= set(found[application])


def test_wrong_bytes_in_a_fresh_run_are_as_bad_as_in_the_truth(acic: Call, tmp_path: Path) -> None:
    """They come by luck, and what is chosen runs more often again than in the truth: it stayed the best measured."""
    broken, wrong, sound = gone_wrong()
    good = truth(noise=0.02)
    for name, runs in (("truth", good), ("fresh", broken)):
        write_truth(runs, tmp_path / f"{name}.parquet")
    given = ("--truth", tmp_path / "truth.parquet", "--fresh", tmp_path / "fresh.parquet", *only("best"), "--json")
    status, out, _ = acic(*given, "--sound", "--goal", "time")
    assert status == 0
    found = json.loads(out)
    assert found["extent"]["configurations"] == len(SOME) - 1
    assert dict(wrong) not in [one["configuration"] for one in found["goals"][0]["optima"]]
    again = contenders(good, LAB, methods(("baseline",)), knowledge, top=1, done=broken)
    assert {wrong, sound} <= set(again["random-reads", "only"])


def test_a_baseline_that_gave_wrong_bytes_is_named_as_what_sound_leaves_out(acic: Call, tmp_path: Path) -> None:
    """It was said not to have been measured."""
    runs = truth()
    runs.append(replace(runs[0], configuration=LAB.baseline, repetition=1, outcome=Outcome.CORRUPT, seconds=None))
    write_truth(runs, tmp_path / "t.parquet")
    status, out, err = acic("--truth", tmp_path / "t.parquet", "--sound", *only("best"))
    assert (status, out) == (2, "")
    assert "the baseline of lab gave an application wrong bytes" in err
    assert "hint: leave --sound out" in err


@pytest.mark.parametrize("names", [("random",), ("best", "baseline")])
@pytest.mark.parametrize("figure", ["regret", "fig7", "fig9"])
def test_a_picture_of_methods_that_none_shows_is_refused_with_a_remedy(
    acic: Call, file: Path, tmp_path: Path, figure: str, names: tuple[str, ...]
) -> None:
    """It ended in "nothing to draw" with the advice to measure more, which would not have helped."""
    asked = ("--truth", file, *only(*names), "--figure", figure, "--html", tmp_path / "page.html")
    status, out, err = acic(*asked)
    assert (status, out) == (2, "")
    assert f"{figure} cannot be drawn of {' and '.join(names)} alone" in err
    assert "--method fixed" in err
    if figure == "regret":
        assert acic(*asked, *only("fixed"))[0] == 0


def test_a_method_is_judged_beside_others_as_it_is_alone() -> None:
    """Intervals were drawn from one generator in turn: each hung on which methods were judged before it."""
    runs, again = truth(repetitions=3, noise=0.1), truth(repetitions=5, noise=0.1, seed=7)
    together = judged(runs, names=("fixed", "rules", "best"), fresh=again)
    for number, name in enumerate(("fixed", "rules", "best")):
        alone = judged(runs, names=(name,), fresh=again)
        for one, other in zip(together.judgements, alone.judgements, strict=True):
            assert one.fresh[number] == other.fresh[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--method", "oracle"), "there is no method 'oracle'"),
        (("--figure", "fig99"), "there is no figure 'fig99'"),
        (("--figure", "fig1"), "fig1 is a picture"),
        (("--platform", "moon"), "there is no platform 'moon'"),
        (("--html", "/nowhere/page.html"), "/nowhere is no folder"),
    ],
)
def test_bad_input_is_one_clear_error(acic: Call, file: Path, words: tuple[str, ...], said: str) -> None:
    status, out, err = acic("--truth", file, *words)
    assert status == 2
    assert out == ""
    assert said in err
    assert "hint: " in err


def test_where_the_page_cannot_be_is_told_before_anything_is_read(acic: Call, tmp_path: Path) -> None:
    """All was learned first, which may take minutes."""
    status, out, err = acic("--truth", tmp_path / "missing.parquet", "--html", "/dev/full")
    assert (status, out) == (2, "")
    assert "cannot write /dev/full: it is no file" in err


def test_the_page_is_written(acic: Call, file: Path, tmp_path: Path) -> None:
    words = ("--figure", "fig7", "--html", tmp_path / "page.html")
    status, out, err = acic("--truth", file, *only("fixed", "rules", "best"), *words)
    assert status == 0, err
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert "the page is in" in err
    assert "of the first few choices" in out


def test_the_page_counts_the_runs_of_its_tables_and_fresh_ones_apart(acic: Call, tmp_path: Path) -> None:
    """Runs on a configuration that is in no table were among those "of each pair", fresh ones nowhere."""
    runs = truth(repetitions=2)
    lacking = [run for run in runs if (run.kernel, run.configuration) != ("pop", SOME[4])]
    write_truth(lacking, tmp_path / "truth.parquet")
    write_truth(runs[:7], tmp_path / "fresh.parquet")
    given = ("--truth", tmp_path / "truth.parquet", "--fresh", tmp_path / "fresh.parquet")
    status, _, err = acic(*given, "--figure", "observations", "--html", tmp_path / "page.html")
    assert status == 0, err
    page = (tmp_path / "page.html").read_text()
    pairs = len(SIX) * (len(SOME) - 1)
    assert f"{2 * pairs} runs, second tries among them, of {pairs} pairs of application and configuration" in page
    assert "The 7 fresh runs that are told of were made after the choice." in page


def test_pictures_are_written_into_a_folder_that_is_made(acic: Call, file: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = ("--figure", "fig5", "--pictures", tmp_path / "a" / "b", "--goal", "time")
    status, _, err = acic("--truth", file, *only("fixed", "rules"), *words)
    assert status == 0, err
    assert (tmp_path / "a" / "b" / "fig5.png").read_bytes().startswith(b"\x89PNG")


def not_asked_for(*_: object, **__: object) -> None:
    pytest.fail("no method is judged for what shows none")


@pytest.mark.parametrize("figures", [("fig1",), ("table4",), ("fig1", "observations"), ("observations",)])
def test_what_shows_measurements_alone_needs_no_model(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figures: tuple[str, ...]
) -> None:
    monkeypatch.setattr("acic.evaluation.methods.methods", not_asked_for)
    words = [word for name in figures for word in ("--figure", name)]
    status, _, err = acic("--truth", file, *words, "--html", tmp_path / "page.html")
    assert status == 0, err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--goal", "time", "--figure", "fig6"), "fig6 is of the goal cost"),
        (("--goal", "cost", "--figure", "fig5", "--html", "PAGE"), "fig5 is of the goal time"),
        (("--figure", "table4", "--figure", "observations", "--pictures", "FOLDER"), "table4 is a table"),
        (("--pictures", "FOLDER"), "PNG files need matplotlib"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_anything_is_judged(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr("acic.report.evaluation.png.find_spec", lambda _: None)
    monkeypatch.setattr("acic.evaluation.methods.methods", not_asked_for)
    status, out, err = acic("--truth", file, *(tmp_path / word if word.isupper() else word for word in words))
    assert (status, out) == (2, "")
    assert f"acic: {said}" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["truth.parquet"]


def test_observations_alone_are_a_page_and_nothing_else_is_computed(acic: Call, file: Path, tmp_path: Path) -> None:
    """Everything but them was drawn, which took minutes."""
    words = ("--figure", "observations", "--html", tmp_path / "page.html")
    status, _, err = acic("--truth", file, *only("fixed"), *words)
    assert status == 0, err
    assert "computing" not in err
    assert "no configuration is the best for all" in (tmp_path / "page.html").read_text()


def test_a_table_beside_a_picture_is_printed_and_has_no_file(acic: Call, file: Path, tmp_path: Path) -> None:
    """It ended with status 4, nothing on stdout, and some of the pictures."""
    pytest.importorskip("matplotlib")
    words = ("--figure", "fig1", "--figure", "table4", "--pictures", tmp_path / "p")
    status, out, err = acic("--truth", file, *words)
    assert status == 0, err
    assert "the best configuration of each application" in out
    assert "without a picture of table4" in err
    assert [path.name for path in (tmp_path / "p").iterdir()] == ["fig1.png"]


def test_curves_are_drawn_and_told_in_cost(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures needed the goal time, and the paper's are of cost."""
    monkeypatch.setattr("acic.evaluation.loops.loops", partial(loops, seeds=1, runs=6))
    monkeypatch.setattr("acic.evaluation.transfer.transfer", partial(transfer, seeds=1, new=()))
    words = ("--goal", "cost", "--figure", "fig9", "--figure", "transfer", "--html", tmp_path / "page.html", "--json")
    status, out, err = acic("--truth", file, *only("rules"), *words)
    assert status == 0, err
    page = (tmp_path / "page.html").read_text()
    assert "Searching by real runs, in cost" in page
    assert "--goal cost draws this" not in page
    curves = json.loads(out)["curves"]
    assert list(curves) == ["fig9", "transfer"]
    (searches,) = curves["fig9"]
    assert searches["goal"] == "cost"
    names = [one["name"] for one in searches["curves"]]
    assert names == ["halving", "random", "random-walk", "pb-walk", "rules"]
    for one in searches["curves"]:
        assert one["spent"] == [1, 2, 3, 4, 5, 6]
        assert len(one["spent"]) == len(one["middle"]) == len(one["low"]) == len(one["high"])


def test_json_has_the_curves_that_are_called_for_without_a_page(
    acic: Call, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acic.evaluation.transfer.transfer", partial(transfer, seeds=1, new=()))
    monkeypatch.setattr("acic.evaluation.methods.methods", not_asked_for)
    status, out, err = acic("--truth", file, "--figure", "transfer", "--json")
    assert status == 0, err
    (there,) = json.loads(out)["curves"]["transfer"]
    assert (there["goal"], there["kind"]) == ("time", "share")
    assert told_figure((math.inf, 0.5)) == ["failed", 0.5]
    status, out, err = acic("--truth", file, *only("baseline"), "--figure", "fig9", "--json")
    assert (status, list(json.loads(out))) == (2, ["acic", "error"])
    assert "fig9 cannot be drawn of baseline alone" in err


@pytest.mark.parametrize(("judged_by", "elsewhere"), [("development", True), ("heldout", False), ("file", False)])
def test_liars_are_simulated_and_others_told_of_where_they_are_called_for_alone(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged_by: str, elsewhere: bool
) -> None:
    """Liars take much longer than all else on the page, which tells how to get them.

    Transfer is of the applications for development: a page on those held out had it, and did not say so.
    """
    asked: list[str] = []

    def none_of(wanted: list[str], *_: object) -> dict[str, list[Lines]]:
        asked.extend(wanted)
        return {}

    monkeypatch.setattr("acic.cli.evaluate.lines_of", none_of)
    page = tmp_path / "page.html"
    given = ("--truth", file) if judged_by == "file" else ("--applications", judged_by)
    status, _, err = acic(*given, *only("rules"), "--html", page)
    assert status == 0, err
    assert asked == ["fig8", "fig9", "learning", *(["transfer"] if elsewhere else [])]
    text = page.read_text()
    assert "crowd (what contributors who lie cost; takes long, and is made where --figure calls for it)" in text
    assert "of the applications for development, and made where --figure calls for it" in text


def test_liars_are_drawn_and_told_beside_a_model_without_a_prior(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def curves(*_: object, models: Sequence[str], processes: int) -> Mapping[tuple[str, str], tuple[Curve, Curve]]:
        assert processes > 0
        line = Curve(name="with the defence", spent=(0.0, 0.2), middle=(0.1, 0.2), low=(0.1, 0.1), high=(0.1, 0.3))
        return {("x1000", model): (line, replace(line, name="without it")) for model in models}

    monkeypatch.setattr("acic.evaluation.crowd.curves", curves)
    monkeypatch.setattr("acic.evaluation.methods.methods", not_asked_for)
    page = tmp_path / "page.html"
    status, out, err = acic("--truth", file, "--goal", "time", "--figure", "crowd", "--html", page, "--json")
    assert status == 0, err
    mine, other = json.loads(out)["curves"]["crowd"]
    assert (mine["title"], other["title"]) == ("x1000, prior+extra-trees", "x1000, forest")
    assert mine["basis"] == other["basis"] == "simulated"
    assert [c["name"] for c in mine["curves"]] == ["with the defence", "without it"]
    assert mine["curves"][0]["spent"] == [0.0, 0.2]
    assert "x1000, forest" in page.read_text()


def test_figure_8_tells_where_nothing_is_learned() -> None:
    """A line at the baseline's regret was drawn as CART's, where it had learned nothing."""
    judge = judge_of(truth(), LAB, "time")
    curve = Curve(name="cart", spent=(1, 2), middle=(math.nan, 0.1), low=(math.nan, 0.1), high=(math.nan, 0.1))
    lines = Lines(title="t", spent="s", shown="v", kind="share", curves=(curve,))
    late = begun_late(lines, judge, ("cart",))
    unchanged = float(np.median(judge.untaught()))
    assert late.level == (unchanged, "changing nothing")
    assert late.about.startswith("Lines begin where training has 8 configurations beside the baseline")
    assert f"{share_text(unchanged)} with cart" in late.about


def test_the_page_tells_by_which_command_it_was_made(acic: Call, file: Path, tmp_path: Path) -> None:
    words = ("--sound", "--seed", 3, "--figure", "fig1", "--html", tmp_path / "page.html")
    status, _, err = acic("--truth", file, *only("rules", "fixed"), *words)
    assert status == 0, err
    typed = f"acic evaluate --platform lab --truth {file} --sound --method rules --method fixed --figure fig1 --seed 3"
    when = r"[-\d]{10} [\d:]{5} UTC"
    footer = rf"Made by acic {re.escape(acic_version)} on {when}: (.*?)[.] This file"
    (made,) = re.findall(footer, (tmp_path / "page.html").read_text())
    assert sorted(made.split()) == sorted(typed.split())


def test_figure_9_is_drawn_from_searches_that_follow_the_first_method(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acic.evaluation.loops.loops", partial(loops, seeds=1, runs=6))  # in a second
    words = ("--figure", "fig9", "--html", tmp_path / "page.html", "--goal", "time")
    status, _, err = acic("--truth", file, *only("best"), "--method", "rules", *words)
    assert status == 0, err
    page = (tmp_path / "page.html").read_text()
    assert "Searching by real runs" in page
    assert "pb-walk" in page
    assert "The band is from the least to the largest of 10 seeds of a search" in page
    assert "quantile" not in page


def test_figure_9_is_of_the_applications_that_have_a_log(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asked for advice on those that were left out, and ended in an error after all else was computed."""
    monkeypatch.setattr("acic.evaluation.loops.loops", partial(loops, seeds=1, runs=6))
    log = Path(__file__).parents[1] / "data" / "darshan" / "apps" / "btio_A_mpi_io_full.darshan"
    (tmp_path / "logs").mkdir()
    for scale in ("small", "large"):
        (tmp_path / "logs" / f"btio-{scale}.darshan").write_bytes(log.read_bytes())
    words = ("--figure", "fig9", "--html", tmp_path / "page.html", "--goal", "time", "--logs", tmp_path / "logs")
    status, _, err = acic("--truth", file, *only("rules"), *words)
    assert status == 0, err
    assert "4 applications have no log, and are left out" in err
    assert "Searching by real runs" in (tmp_path / "page.html").read_text()


def test_curves_are_asked_by_logs_and_tell_what_they_are_judged_by(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were asked by descriptions whatever was given, and judged by fresh runs that there were none of."""
    seen: list[Judge] = []

    def curves(_: Training, judge: Judge, **__: object) -> tuple[Curve, ...]:
        seen.append(judge)
        return (Curve(name="cart", spent=(1.0,), middle=(0.1,), low=(0.1,), high=(0.1,)),)

    monkeypatch.setattr("acic.evaluation.learning_curves.learning_curves", curves)
    monkeypatch.setattr("acic.evaluation.methods.methods", not_asked_for)
    log = Path(__file__).parents[1] / "data" / "darshan" / "apps" / "btio_A_mpi_io_full.darshan"
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "btio-small.darshan").write_bytes(log.read_bytes())
    page = tmp_path / "page.html"
    both = "truth and the fresh runs together"
    for more, by in ((("--logs", tmp_path / "logs"), "truth"), (("--fresh", file), both)):
        status, _, err = acic("--truth", file, "--goal", "time", "--figure", "learning", "--html", page, *more)
        assert status == 0, err
        assert f"Judged by the {by}." in page.read_text()
    logged, described = ({one.application: one.workload for one in judge.questions} for judge in seen)
    assert list(logged) == [("btio", "small")]
    assert logged["btio", "small"].source.startswith(DARSHAN)
    assert len(described) == len(SIX)
    assert not described["btio", "small"].source.startswith(DARSHAN)


def test_transfer_is_drawn_from_what_was_measured_on_the_other_kind_of_instance(
    acic: Call, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acic.evaluation.transfer.transfer", partial(transfer, seeds=1, new=()))
    monkeypatch.setattr("acic.evaluation.methods.methods", not_asked_for)
    words = ("--figure", "transfer", "--html", tmp_path / "page.html", "--goal", "time")
    status, _, err = acic("--truth", file, *words)
    assert status == 0, err
    page = (tmp_path / "page.html").read_text()
    assert "Regret there, by training runs there" in page
    assert "Judged by runs of the applications for development on the other kind of instance" in page
    assert "prior+extra-trees" in page
    assert "The band is from the least to the largest of 3 seeds of which runs are learned from and of a model" in page


def test_what_is_measured_again_are_the_best_few_and_what_was_chosen() -> None:
    runs = truth(repetitions=2, noise=0.02)
    names = ("fixed", "rules", "random", "model:ridge")
    found = contenders(runs, LAB, methods(names), knowledge, top=2)
    for judgement in judged(runs, names=names).judgements:
        table = judgement.table
        for application, row in zip(table.applications, table.values, strict=True):
            wanted = [table.configurations[i] for i in np.argsort(row)[:2]]
            for first, *_ in judgement.picks:
                count = {"random": 0, "model:ridge": 3}.get(first.method, 1)
                wanted += [table.configurations[i] for i in first.ranked[application][:count]]
            assert set(wanted) <= set(found[application])
            assert found[application][0] == LAB.baseline
            assert len(set(found[application])) == len(found[application]) <= 1 + 2 * (2 + 2 + 3)


def test_a_survey_of_points_runs_each_as_often_as_it_has_passes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    points = {("btio", "small"): {SOME[0]: 5, SOME[1]: 3}, ("pop", "large"): dict.fromkeys(SOME[1:3], 4)}
    survey = Survey.of_points("lab", points, name="fresh", seed=1, now=WHEN)
    assert (survey.plan.passes, survey.plan.runs) == (5, 5 + 3 + 4 + 4)
    by_name = {(k.name, k.scale): k for k in SIX}
    measure(survey, lambda k, c, number: run_of(by_name[k.name, k.scale], c, number))
    again = Survey.open("fresh")
    assert not list(again.left())
    counted = Counter(((r.kernel, r.scale), r.configuration) for r in again.runs)
    assert counted == {(a, c): count for a, those in points.items() for c, count in those.items()}
    orders = [r.repetition for r in again.runs]
    assert orders == sorted(orders)  # pass after pass: runs of a point are apart
    with pytest.raises(InvalidInput):
        Survey.of_points("lab", {("nobody", "small"): {SOME[0]: 1}}, name="other", seed=0, now=WHEN)


def test_a_survey_of_points_that_was_begun_before_they_had_counts_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    survey = Survey.of_points("lab", {("btio", "small"): {SOME[0]: 2, SOME[1]: 2}}, name="old", seed=1, now=WHEN)
    begun = {name: told for name, told in survey.journal.begun.items() if name not in ("event", "version")}
    pairs = [point[:2] for point in begun["points"]]
    old = Survey(Journal.create(tmp_path / "older", begun | {"points": pairs}, kind="survey"))
    assert (old.plan.points, old.plan.runs) == (survey.plan.points, 4)


def test_only_what_has_too_few_runs_is_run_again_with_the_baseline_and_the_best_beside_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    by_name = {(k.name, k.scale): k for k in SIX}
    before = {("btio", "small"): dict.fromkeys(SOME[:3], 2), ("pop", "large"): dict.fromkeys((SOME[0], SOME[4]), 2)}
    first = Survey.of_points("lab", before, name="a", seed=1, now=WHEN)
    slow = {SOME[0]: 2.0}  # so that the other one is the best of pop
    measure(first, lambda k, c, n: run_of(by_name[k.name, k.scale], c, n, factor=slow.get(c, 0.1)))

    now = {("btio", "small"): SOME[:2], ("pop", "large"): SOME[:2]}
    left = left_over(now, first.runs, LAB, passes=2)
    assert left == {("pop", "large"): {LAB.baseline: 2, SOME[4]: 2, SOME[1]: 2}}
    second = Survey.of_points("lab", left, name="b", seed=1, now=WHEN, done=first.runs)
    assert second.runs == first.runs, "what was not asked for is no reason to forget it"
    assert (second.plan.runs, second.remaining) == (6, 6)
    measure(second, lambda k, c, n: run_of(by_name[k.name, k.scale], c, n))
    made = Survey.open("b").runs[len(first.runs) :]
    assert {(r.kernel, r.configuration, r.repetition) for r in made} == {
        ("pop", c, n) for c in left["pop", "large"] for n in (2, 3)
    }

    assert left_over(now, second.runs, LAB, passes=2) == {}
    more = left_over(now, second.runs, LAB, passes=3)
    assert set(SOME[:2]) <= set(more["btio", "small"])
    assert more["pop", "large"][SOME[1]] == 1, "it has two of three"


def test_what_may_be_the_best_by_fresh_runs_is_run_as_often_as_what_is_chosen() -> None:
    application = ("btio", "small")
    btio = next(k for k in SIX if (k.name, k.scale) == application)
    took = {SOME[1]: 10.0, SOME[2]: 10.5, SOME[3]: 15.0, SOME[4]: 20.0}
    done = [replace(run_of(btio, c, n), seconds=s, staged=0.0) for n in range(3) for c, s in took.items()]
    fresh = Fresh(done, LAB, "time")
    assert fresh.near(application, 0.06) == SOME[1:3]
    assert fresh.near(application, 0.0) == (fresh.best(application),) == (SOME[1],)
    assert fresh.near(("pop", "large"), 0.06) == ()
    done.append(replace(done[1], repetition=3))
    left = left_over({application: SOME[4:5]}, done, LAB, passes=5)
    assert left[application] == {LAB.baseline: 2, SOME[1]: 2, SOME[2]: 1, SOME[4]: 2}, "three of five, and four"


@pytest.mark.parametrize(("behind", "again"), [(0.059, True), (0.061, False)])
def test_what_is_within_6_percent_of_the_best_is_run_again(behind: float, again: bool) -> None:
    """As docs/evaluate.md and docs/survey.md have it."""
    btio = next(k for k in SIX if (k.name, k.scale) == ("btio", "small"))
    took = {SOME[1]: 10.0, SOME[2]: 10.0 * (1.0 + behind), SOME[4]: 20.0}
    done = [replace(run_of(btio, c, n), seconds=s, staged=0.0) for n in range(3) for c, s in took.items()]
    (left,) = left_over({("btio", "small"): SOME[4:5]}, done, LAB, passes=5).values()
    assert (SOME[2] in left) == again


def test_a_repeat_of_fresh_runs_draws_none_of_those_that_were_kept_beside_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    by_name = {(k.name, k.scale): k for k in SIX}
    kept = [run_of(by_name["btio", "small"], c) for c in SOME[2:5]]
    points = {("pop", "large"): dict.fromkeys(SOME[:2], 1)}
    survey = Survey.of_points("lab", points, name="a", seed=1, now=WHEN, done=kept)
    measure(survey, lambda k, c, n: run_of(by_name[k.name, k.scale], c, n))
    again = survey.again(name="b", points=2, seed=1, now=WHEN)
    assert {(k.name, c) for _, c, them in again.left() for k in them} == {("pop", c) for c in SOME[:2]}
    with pytest.raises(InvalidInput, match="2 points were measured"):
        survey.again(name="c", points=3, seed=1, now=WHEN)


def test_the_command_plans_fresh_runs(
    capsys: pytest.CaptureFixture[str], file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    words = ["survey", "begin", "fresh", "--best", str(file), "--top", "1", *only("fixed", "rules"), "--passes", "5"]
    assert run(words) == 0
    out = capsys.readouterr().out
    planned = Survey.open("fresh").plan
    assert out.startswith("6 applications, ")
    assert planned.passes == 5
    assert planned.points is not None
    assert LAB.baseline in planned.configurations
    assert len(SIX) * 2 <= len(planned.points) <= len(SIX) * 7

    done = [run_of(k, c, n) for k in SIX for c in planned.configurations for n in range(5)]
    lacks = [r for r in done if (r.kernel, r.configuration) != ("pop", LAB.baseline)]
    for name, runs in (("whole", done), ("lacks", lacks)):
        write_truth(runs, tmp_path / f"{name}.parquet")
    again = [*words[:2], "fresh2", *words[3:], "--with", str(tmp_path / "lacks.parquet")]
    assert run(again) == 0
    rest = Survey.open("fresh2")
    assert {k.name for k in rest.plan.kernels} == {"pop"}
    assert f"{len(lacks)} runs were made before" in capsys.readouterr().err
    again = [*words[:2], "fresh3", *words[3:], "--with", str(tmp_path / "whole.parquet")]
    assert run(again) == 2
    assert "acic evaluate --fresh" in capsys.readouterr().err
