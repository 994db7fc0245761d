"""The page of `acic explain`: its bars go on from one another, and it says what the command says."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from acic.advisor.advice import Estimate, Verdict
from acic.advisor.explaining import Explanation, explain
from acic.advisor.knowledge import Knowledge
from acic.blueprints import Instruction
from acic.cli.explain_shown import show
from acic.platforms import Platform
from acic.report.explanation import sentences, words
from acic.report.explanation.answer import _figures
from acic.report.explanation.page import page
from acic.report.explanation.reasons import counted
from acic.store import Measurement
from acic.store.training import training_table
from acic.units import MIB
from acic.workloads import Workload
from tests.advisor.conftest import WRITE, application

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
TODO = [Instruction(title="Say <so>", commands=("lfs setstripe -c 1 'a & b'",))]
ROUNDED = 0.02  # percent of the width, of places with two digits, twice


def drawn(found: Explanation, workload: Workload, platform: Platform) -> ET.Element:
    text = page(found, workload, platform, TODO, command="acic explain", made=NOW)
    return ET.fromstring(text.removeprefix("<!DOCTYPE html>"))  # noqa: S314 (ours)


def tables(root: ET.Element) -> dict[str, ET.Element]:
    return {"".join(caption.itertext()): table for table in root.iter("table") for caption in table.iter("caption")}


def bars(table: ET.Element) -> list[tuple[float, float]]:
    """From where to where, in percent of the width."""
    rects = [rect for body in table.iter("tbody") for rect in body.iter("rect")]
    places = [[float((rect.get(name) or "").rstrip("%")) for name in ("x", "width")] for rect in rects]
    return [(x, x + width) for x, width in places]


@pytest.fixture
def larger(cluster: Platform, crossing: Knowledge, training: list[Measurement]) -> tuple[Explanation, Workload]:
    workload = application(replace(WRITE, request_size=8 * MIB))
    return explain(workload, cluster, crossing, rows=training_table(training, cluster)), workload


def test_bars_lead_from_the_baseline_to_the_answer(larger: tuple[Explanation, Workload], cluster: Platform) -> None:
    found, workload = larger
    shown = tables(drawn(found, workload, cluster))
    whole, *parts, ours = bars(shown["By parameter"])
    assert len(parts) == len(found.changes.parts) > 0
    assert whole[0] == ours[0] == 0
    assert ours[1] / whole[1] == pytest.approx(found.ours / found.theirs, abs=0.01)
    turning = [whole[1], *(end for bar in parts for end in bar), ours[1]]
    for (low, high), saves in zip(parts, (one.saves for one in found.changes.parts), strict=True):
        assert (high - low) / whole[1] == pytest.approx(abs(saves) / found.theirs, abs=0.01)
    assert all(min(abs(a - b) for b in turning if b is not a) < 0.5 for a in turning)  # each goes on from another


def test_bars_go_on_from_one_another_where_one_change_saves_more_than_all_of_the_run(
    larger: tuple[Explanation, Workload], cluster: Platform
) -> None:
    """They ended at zero, so one that saved 27 s was as long as one of 10 s."""
    found, workload = larger
    (change, *_) = found.changes.parts
    parts = tuple(replace(change, saves=share * found.theirs) for share in (2.75, -2.45))
    found = replace(found, ours=0.7 * found.theirs, changes=replace(found.changes, parts=parts))
    shown = tables(drawn(found, workload, cluster))["By parameter"]
    theirs, saved, lost, ours = bars(shown)
    assert theirs[0] == pytest.approx(ours[0], abs=ROUNDED)
    assert theirs[0] > 0  # zero is not at the edge
    assert saved[1] == pytest.approx(theirs[1], abs=ROUNDED)
    assert lost[0] == pytest.approx(saved[0], abs=ROUNDED)
    assert lost[1] == pytest.approx(ours[1], abs=ROUNDED)
    long = theirs[1] - theirs[0]
    assert [(b - a) / long for a, b in (saved, lost, ours)] == pytest.approx([2.75, 2.45, 0.7], abs=0.01)
    assert len(shown.findall(".//line[@class='neutral']")) == 4


def test_factors_multiply_from_one_to_the_whole(larger: tuple[Explanation, Workload], cluster: Platform) -> None:
    found, workload = larger
    (character,) = found.characters
    *causes, _ = counted(character, workload)
    shown = tables(drawn(found, workload, cluster))
    *parts, whole = bars(shown[f"By characteristic of {words.phase_name(0, workload)}"])
    assert len(parts) == len(causes)
    first, last = parts[0], parts[-1]
    assert min(abs(first[0] - whole[0]), abs(first[1] - whole[0])) < 0.5
    assert min(abs(last[1] - whole[1]), abs(last[0] - whole[1])) < 0.5
    assert all(a[0] <= b[1] + 0.5 and b[0] <= a[1] + 0.5 for a, b in pairwise(parts))


def test_values_that_change_the_answer_are_marked(larger: tuple[Explanation, Workload], cluster: Platform) -> None:
    found, workload = larger
    shown = tables(drawn(found, workload, cluster))["Where the answer stays, and where it is another"]
    rows = {row.findtext("th"): row.findall("./td/ol/li") for row in shown.iter("tr") if row.find("td") is not None}
    for one in found.dependences:
        if not one.levels:
            assert one.name not in rows
            continue
        kinds = {chip.text: chip.get("class") for chip in rows[one.name]}
        assert [chip.get("class") for chip in rows[one.name]].count("own") == 1
        for level in one.levels:
            assert kinds[words.characteristic(one.name, level.value)] == ("turns" if level.changes else "stays")
    sizes = [chip.text for chip in rows["request_size"]]
    assert sizes.index("8 MiB") > sizes.index("1 MiB")  # in order


def test_the_page_says_what_the_command_says(larger: tuple[Explanation, Workload], cluster: Platform) -> None:
    found, workload = larger
    text = " ".join(" ".join(drawn(found, workload, cluster).itertext()).split())
    told = [
        *(sentences.difference(found), sentences.orders(found), sentences.headline(found), f"{found.advice.reason}."),
        *(*sentences.steady(found, workload), *sentences.errors(found, workload)),
        *(*sentences.precision(found, cluster), *found.advice.recommendations[0].why),
    ]
    for sentence in filter(None, told):
        assert " ".join(sentence.split()) in text
    assert "# Say <so> lfs setstripe -c 1 'a & b'" in text


def test_an_answer_that_is_the_baseline_has_a_page(cluster: Platform, crossing: Knowledge) -> None:
    workload = application(replace(WRITE, request_size=MIB))
    found = explain(workload, cluster, crossing)
    assert found.answer == cluster.baseline
    text = " ".join(drawn(found, workload, cluster).itertext())
    assert "and not the runner-up?" in text
    assert "by definition" in text


def test_nothing_is_recommended_where_nothing_is_to_be_changed(
    larger: tuple[Explanation, Workload], cluster: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was predicted to be best stood in bold as "what is to be changed", below the verdict to change nothing."""
    found, workload = larger
    found = replace(found, advice=replace(found.advice, verdict=Verdict.NOTHING))
    assert found.answer != cluster.baseline
    text = " ".join(drawn(found, workload, cluster).itertext())
    assert "What is predicted to be best" in text
    assert text.count("to be changed") == text.count("Nothing is to be changed") == 1
    show(found, workload, cluster)
    printed = capsys.readouterr().out
    assert "Best predicted: " in printed
    assert "recommended" not in (text + printed).lower()


def test_a_name_cannot_smuggle_markup_into_the_page(larger: tuple[Explanation, Workload], cluster: Platform) -> None:
    found, workload = larger
    evil = replace(found, advice=replace(found.advice, workload="<script>alert(1)</script>"))
    text = page(evil, workload, cluster, [], command="acic <b>", made=NOW)
    assert not re.search(r"<script|<b>", text)


@pytest.mark.parametrize(
    ("estimate", "told"),
    [
        (Estimate(1.0, 1.0, 1.0), "by definition"),
        (Estimate(1.8, 0.0, math.inf), "80 % interval ? to ?"),
        (Estimate(1.001, 0.999, 1.002), "80 % interval 1.00x to 1.00x"),
    ],
)
def test_only_what_has_no_interval_is_so_by_definition(estimate: Estimate, told: str) -> None:
    assert _figures(estimate, lambda value: f"{value:.2f}x")[1] == told
