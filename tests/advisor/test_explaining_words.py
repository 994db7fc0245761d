"""What `acic explain` prints, on a made-up cluster with a made-up model: it must not depend on what is learned."""

from __future__ import annotations

import math
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from acic.advisor.explaining import Against, Explanation, explain
from acic.advisor.knowledge import Knowledge
from acic.advisor.safety import Unsafe
from acic.advisor.sensitivity import Dependence, WhatIf
from acic.cli.explain_shown import show
from acic.platforms import Platform
from acic.report.explanation import words
from acic.report.explanation.sentences import turns
from acic.store import Measurement
from acic.store.training import training_table
from acic.units import MIB
from acic.workloads import Access, Quality, Workload
from acic.workloads.characterize import characterize_file
from tests.advisor.conftest import WRITE, application

DATA = Path(__file__).parents[1] / "data"
GOLDEN = DATA / "explain" / "s3d_io.txt"
LOG = DATA / "darshan" / "apps" / "s3d_io_blocking.darshan"


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def test_a_real_log_gets_the_golden_words(
    cluster: Platform, crossing: Knowledge, training: list[Measurement], capsys: pytest.CaptureFixture[str]
) -> None:
    workload = characterize_file(LOG, partial=False)
    show(explain(workload, cluster, crossing, rows=training_table(training, cluster)), workload, cluster)
    printed = tidy(capsys.readouterr().out)
    if os.environ.get("ACIC_WRITE_GOLDEN"):
        GOLDEN.write_text(printed)
    assert printed == GOLDEN.read_text()


def told(found: Explanation, workload: Workload, cluster: Platform, capsys: pytest.CaptureFixture[str]) -> str:
    show(found, workload, cluster)
    return " ".join(capsys.readouterr().out.split())


def test_a_turn_is_told_in_words(cluster: Platform, crossing: Knowledge, capsys: pytest.CaptureFixture[str]) -> None:
    workload = application(replace(WRITE, request_size=8 * MIB))
    text = told(explain(workload, cluster, crossing), workload, cluster, capsys)
    assert "request_size 8 MiB 1 MiB servers 1" in text.replace("file_system NFS", "servers 1")
    assert "Nobody can tell, because it was not measured: processes (32, 128)" in text


def test_an_answer_that_is_the_baseline_says_so(
    cluster: Platform, crossing: Knowledge, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = application(replace(WRITE, request_size=MIB))
    found = explain(workload, cluster, crossing)
    assert found.answer == cluster.baseline
    text = told(found, workload, cluster, capsys)
    assert "Why this, and not the runner-up?" in text
    assert "The answer is the baseline itself" in text


def test_what_nobody_looked_at_is_not_told_to_be_sure(
    cluster: Platform, crossing: Knowledge, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs of the same thing were said to differ by 1.00x where nothing was run twice."""
    workload = application(replace(WRITE, request_size=8 * MIB))
    errors = replace(crossing.learned.errors, baseline=0.0)
    unsure = Knowledge(cluster, replace(crossing.learned, noise=0.0, errors=errors))
    text = told(explain(workload, cluster, unsure), workload, cluster, capsys)
    assert "the error of the baseline is not known, and how far runs of the same thing differ is not known." in text
    assert "1.00x" not in text.partition("because the model errs")[2]
    assert "is not known" not in told(explain(workload, cluster, crossing), workload, cluster, capsys)


def test_the_same_configuration_is_no_difference(
    cluster: Platform, crossing: Knowledge, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = application(WRITE)
    answer = explain(workload, cluster, crossing).answer
    found = explain(workload, cluster, crossing, against=Against.NAMED, instead=answer)
    assert found.changes.parts == ()
    assert "The one named has the same values." in told(found, workload, cluster, capsys)


@pytest.mark.parametrize(
    ("ours", "saves", "share"),
    [
        (7.0, 6.0, "200%"),
        (13.0, -3.0, "100%"),
        (9.8, 0.2, "100%"),
        (9.999, 2.0, "-"),
        (10.001, 2.0, "-"),
        (10.0, 0.0, "-"),
    ],
)
def test_a_slight_difference_has_no_shares(
    cluster: Platform, crossing: Knowledge, ours: float, saves: float, share: str
) -> None:
    """Of a tie, one change saved -200000% and another one cost 200100% of a difference of a thousandth."""
    found = replace(explain(application(WRITE), cluster, crossing), theirs=10.0, ours=ours)
    assert words.saving(found, saves)[1] == share


def test_one_workload_is_no_average(cluster: Platform, crossing: Knowledge, capsys: pytest.CaptureFixture[str]) -> None:
    workload = application(WRITE)
    found = explain(workload, cluster, crossing)
    for measured, name in ((1, "another workload "), (2, "workloads on average ")):
        characters = tuple(replace(one, measured=measured) for one in found.characters)
        assert name in told(replace(found, characters=characters), workload, cluster, capsys)


def test_what_is_doubtful_and_harmful_is_worth_knowing_better(
    cluster: Platform, crossing: Knowledge, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = application(replace(WRITE, request_size=3 * MIB, data_size=100 * MIB, access=Access.UNKNOWN))
    found = explain(workload, cluster, crossing)
    harmful = [one for one in found.dependences if one.harm >= 0.01]
    assert [one.name for one in harmful] == ["request_size"]
    text = told(found, workload, cluster, capsys)
    assert "known exactly" in text
    phase = replace(workload.phases[0], quality={"request_size": Quality.ESTIMATED})
    doubtful = replace(workload, phases=(phase,))
    text = told(explain(doubtful, cluster, crossing), doubtful, cluster, capsys)
    assert "Worth knowing better, most first: request_size." in text
    assert "~3 MiB" in text


def test_labels_lie_in_no_direction(cluster: Platform, crossing: Knowledge, capsys: pytest.CaptureFixture[str]) -> None:
    workload = application(replace(WRITE, access=Access.UNKNOWN))
    found = explain(workload, cluster, crossing)
    others = tuple(access for access in Access if access is not Access.UNKNOWN)
    unknown = Dependence(
        phase=0,
        name="access",
        value=str(Access.UNKNOWN),
        quality=Quality.UNKNOWN,
        errors=(),
        unmeasured=(),
        levels=tuple(
            WhatIf(value=str(access), regret=0.2, changes=True, instead=cluster.baseline, improvement=1.0)
            for access in others
        ),
    )
    assert not any(unknown.onward(turn) for turn in unknown.levels)
    text = told(replace(found, dependences=(unknown,)), workload, cluster, capsys)
    for access in others:
        assert f"access ?unknown {access} " in text
        assert not re.search(rf"{access} or (less|more)", text)


@pytest.mark.parametrize(("own", "levels", "said"), [(4, (64, 128), " or more"), (512, (64, 128), " or less")])
def test_all_that_was_measured_on_one_side_is_told_as_such(
    cluster: Platform, own: int, levels: tuple[int, ...], said: str
) -> None:
    """The nearest value was the end of what was measured on the other side, and stood alone."""
    tried = [WhatIf(value=v, regret=0.2, changes=True, instead=cluster.baseline, improvement=1.0) for v in levels]
    one = Dependence(
        phase=0,
        name="processes",
        value=own,
        quality=Quality.EXACT,
        errors=(),
        unmeasured=(),
        levels=tuple(tried),
    )
    near, end = tried if own < levels[0] else reversed(tried)
    assert turns(one) == [(near, said)]
    assert turns(replace(one, levels=(end,))) == [(end, "")]  # nothing lies beyond


def test_dependences_without_levels_have_no_turn(cluster: Platform, crossing: Knowledge) -> None:
    one = next(d for d in explain(application(WRITE), cluster, crossing).dependences if d.name == "processes")
    assert isinstance(one, Dependence)
    assert one.levels == ()
    assert turns(one) == []
    assert one.below is one.above is None
    assert one.harm == 0


def test_an_answer_that_is_unsafe_with_another_value_is_told_to_be(
    cluster: Platform, crossing: Knowledge, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a file that several write it was said that the answer takes inf% more."""
    workload = application(replace(WRITE, shared=False, collective=False))
    best = explain(workload, cluster, crossing).answer
    warned = Knowledge(cluster, replace(crossing.learned, unsafe=Unsafe(shared=frozenset({best}))))
    found = explain(workload, cluster, warned)
    assert found.answer == best
    (shared,) = [one for one in found.dependences if one.name == "shared"]
    assert math.isinf(shared.harm)
    text = told(found, workload, cluster, capsys)
    assert "inf%" not in text
    assert text.count("a risk of wrong bytes") == 2
    assert words.more([math.inf, 0.12], "more than the best") == "a risk of wrong bytes, 12% more than the best"
