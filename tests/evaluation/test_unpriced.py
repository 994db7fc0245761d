"""A platform without prices, as most machines are that nobody is billed for: time is all that is judged there.

`acic evaluate --goal time` ended with "has no prices" and the hint to use --goal time; `acic survey` could show no
ground truth of such a platform, and plan no fresh runs.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from acic.advisor.knowledge import Knowledge
from acic.cli.main import run
from acic.evaluation.contenders import contenders, left_over
from acic.evaluation.evaluate import evaluate
from acic.evaluation.field import goals_of
from acic.evaluation.likely import likely
from acic.evaluation.methods import methods
from acic.evaluation.truth import write_truth
from acic.platforms import platform_source
from tests.evaluation.pretend import LAB, SIX, SOME, knowledge, truth

UNPRICED = replace(
    LAB,
    name="mine",
    instances={name: replace(one, price=None) for name, one in LAB.instances.items()},
    disks={name: replace(one, price=None) for name, one in LAB.disks.items()},
)


def learned(model: str = "ridge") -> Knowledge:
    return Knowledge(UNPRICED, knowledge(model).learned)


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options that name a platform's file without prices, and ground truth."""
    for name in ("XDG_STATE_HOME", "ACIC_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("ACIC_STORE", str(tmp_path / "store.sqlite"))
    text = platform_source("lab").replace('name = "lab"', 'name = "mine"')
    (tmp_path / "mine.toml").write_text(re.sub("(?m)^price = .*$", "", text))
    write_truth(truth(repetitions=3, noise=0.02), tmp_path / "truth.parquet")
    return ["--platform", str(tmp_path / "mine.toml"), str(tmp_path / "truth.parquet")]


def test_what_is_of_costs_is_left_out_and_nothing_else() -> None:
    assert (goals_of(LAB), goals_of(UNPRICED)) == (("time", "cost"), ("time",))
    runs, chosen = truth(repetitions=3, noise=0.02), methods(("fixed", "rules", "model:ridge"))
    found = evaluate(runs, UNPRICED, chosen, learned, goals=["time"])
    priced = evaluate(runs, LAB, chosen, knowledge, goals=["time"])
    assert [one.scores for one in found.judgements] == [one.scores for one in priced.judgements]
    of_cost = [o.says for o in priced.observations if "cheap" in o.says or "cost" in o.says]
    assert [o.says for o in found.observations] == [o.says for o in priced.observations if o.says not in of_cost]
    assert len(of_cost) == 3


def test_one_kind_of_machine_without_a_price_is_enough_to_compare_no_costs() -> None:
    name, one = next(iter(LAB.instances.items()))
    assert goals_of(replace(LAB, instances={**LAB.instances, name: replace(one, price=None)})) == ("time",)


def test_what_is_to_be_measured_is_chosen_by_time() -> None:
    runs = truth(repetitions=1)
    points = contenders(runs, UNPRICED, methods(("fixed",)), learned, top=1)
    assert left_over(points, runs, UNPRICED, passes=2).keys() == points.keys()
    assert set(*likely(SIX[:1], UNPRICED, learned(), SOME).values()) <= set(SOME)


def test_commands_do_without_costs(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    platform, file = given[:2], given[2]
    assert run(["evaluate", *platform, "--truth", file, "--goal", "time", "--method", "fixed", "--json"]) == 0
    assert [goal["goal"] for goal in json.loads(capsys.readouterr().out)["goals"]] == ["time"]
    assert run(["survey", "show", file, *platform, "--json"]) == 0
    assert [field["goal"] for field in json.loads(capsys.readouterr().out)["fields"]] == ["time"]
    assert run(["survey", "begin", "fresh", *platform, "--best", file, "--method", "fixed"]) == 0


@pytest.mark.parametrize("goal", [(), ("--goal", "cost")])
def test_costs_that_cannot_be_judged_are_refused_with_what_there_is_to_do(
    given: list[str], goal: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """The hint was to give --price, which the command does not have."""
    assert run(["evaluate", *given[:2], "--truth", given[2], *goal, "--method", "fixed"]) == 2
    told = capsys.readouterr().err
    assert "has no prices\nhint: use --goal time, or a platform file with prices" in told
    assert "--price" not in told
