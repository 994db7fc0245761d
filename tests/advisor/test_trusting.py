"""Advice from a crowd: honest contributors change nothing, and one who is not believed is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from acic.advisor.explaining import explain
from acic.advisor.knowledge import Knowledge
from acic.advisor.known import Trust, heard_rows, known, stored_rows
from acic.advisor.learning import learn, too_few
from acic.errors import MissingData
from acic.models.registry import learner
from acic.platforms import Platform
from acic.store import Measurement, Repetition
from acic.store.database import Store
from acic.store.training import training_table
from acic.workloads import Interface, Operation
from tests.advisor.conftest import WHEN, WRITE, application, measurement


def asked(
    platform: Platform, folder: Path, measurements: Sequence[Measurement], monkeypatch: pytest.MonkeyPatch
) -> Knowledge:
    monkeypatch.setenv("ACIC_CACHE", str(folder / "cache"))
    with Store.open(str(folder / "store.sqlite")) as opened:
        opened.add(measurements)
    for _ in range(2):  # the second time from the cache
        found = known(platform, "cart", store=str(folder / "store.sqlite"), trust=Trust(), now=WHEN)
    return found


def dealt(training: Sequence[Measurement], contributors: int) -> list[Measurement]:
    owner = np.random.default_rng(0).permutation(len(training)) % contributors
    return [replace(m, contributor=f"made up {i}") for m, i in zip(training, owner, strict=True)]


def faster(measurement: Measurement, factor: float) -> Measurement:
    claimed = tuple(Repetition(bandwidth=(b or 0.0) * factor, seconds=None) for b in measurement.bandwidths)
    return replace(measurement, repetitions=claimed)


def test_honest_contributors_change_no_digit(
    cluster: Platform, training: list[Measurement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "many").mkdir()
    one = asked(cluster, tmp_path / "one", training, monkeypatch)
    many = asked(cluster, tmp_path / "many", dealt(training, 6), monkeypatch)
    np.testing.assert_array_equal(one.effect(WRITE).mean, many.effect(WRITE).mean)
    np.testing.assert_array_equal(one.effect(WRITE).low, many.effect(WRITE).low)
    assert not one.safety_notes()
    assert not many.safety_notes()


def test_a_liar_is_named_and_teaches_nothing(
    cluster: Platform, training: list[Measurement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "honest").mkdir()
    (tmp_path / "lied").mkdir()
    others = [m for m in dealt(training, 6) if m.contributor != "made up 2"]
    honest = asked(cluster, tmp_path / "honest", others, monkeypatch).effect(WRITE).mean
    told = [faster(m, 1000.0) if m.contributor == "made up 2" else m for m in dealt(training, 6)]
    found = asked(cluster, tmp_path / "lied", told, monkeypatch)
    (note,) = found.safety_notes()
    assert note.startswith("contributor made up 2 is trusted 0.0")
    assert "faster than what the others' say" in note
    assert note.endswith("left out")
    np.testing.assert_array_equal(found.effect(WRITE).mean, honest)


def with_the_only_baseline(platform: Platform, training: Sequence[Measurement]) -> list[Measurement]:
    """Return what contributors tell of whom one lies, and has the only baseline of reads."""

    def is_read(one: Measurement) -> bool:
        return one.workload.operation is Operation.READ

    told = [
        faster(m, 1000.0) if m.contributor == "made up 2" else m
        for m in dealt(training, 6)
        if m.contributor == "made up 2" or not (is_read(m) and m.configuration == platform.baseline)
    ]
    reads = [m for m in training if is_read(m) and m.configuration == platform.baseline]
    return told + [replace(faster(m, 1000.0), contributor="made up 2", seed=7) for m in reads]


def test_a_liar_with_the_only_baseline_of_reads_ends_no_answer_for_writes(
    cluster: Platform, training: list[Measurement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what he said the only baseline went, and then all advice: it was not measured with any read."""
    found = asked(cluster, tmp_path, with_the_only_baseline(cluster, training), monkeypatch)
    assert np.isfinite(found.effect(WRITE).mean).all()
    liar, lost = found.safety_notes()
    assert "made up 2" in liar
    assert lost.endswith(f"the baseline of {cluster.name} was measured with writes only")


def test_what_a_liar_alone_measured_is_not_told_as_not_measured(
    cluster: Platform, training: list[Measurement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    posix = replace(WRITE, interface=Interface.POSIX, collective=False)
    own = replace(measurement(cluster, posix, cluster.baseline, 1e11), contributor="made up 2")
    told = [faster(m, 1000.0) if m.contributor == "made up 2" else m for m in dealt(training, 6)]
    (tmp_path / "without").mkdir()
    (tmp_path / "lied").mkdir()
    without = asked(cluster, tmp_path / "without", told, monkeypatch)
    lied = asked(cluster, tmp_path / "lied", [*told, own], monkeypatch)
    assert "interface POSIX: measured was MPIIO" in without.outside(posix)
    assert "interface POSIX: measured was MPIIO by those who are trusted" in lied.outside(posix)
    assert without.baseline_notes(posix)[0].startswith("The baseline was not measured with the writes of just this")
    (note,) = lied.baseline_notes(posix)
    assert note.startswith("The baseline was measured with the writes of just this workload by nobody who is trusted")


def test_an_explanation_rests_on_who_is_heard(
    cluster: Platform, training: list[Measurement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It showed what the liar measured as nearest, and ended where nobody else had the baseline of reads."""
    found = asked(cluster, tmp_path, with_the_only_baseline(cluster, training), monkeypatch)
    with pytest.raises(MissingData):
        explain(application(WRITE), cluster, found, rows=stored_rows(cluster, str(tmp_path / "store.sqlite")))
    rows = heard_rows(cluster, str(tmp_path / "store.sqlite"))
    explained = explain(application(WRITE), cluster, found, rows=rows)
    assert explained.support is not None
    assert all(near.improvement < 100.0 for near in explained.support.nearest)
    assert "made up 2" not in {rows.contributors[i] for i in rows.contributor}


def test_what_is_left_out_counts_as_not_measured(cluster: Platform, training: list[Measurement]) -> None:
    """Rows that are left out leave their configurations behind, which were taken for measured."""
    rows = training_table(training, cluster)
    ephemeral = np.array([c["device"] == "ephemeral" for c in rows.configurations])[rows.configuration]
    of_baseline = np.array([c == cluster.baseline for c in rows.configurations])[rows.configuration]
    part = rows.rows(~ephemeral)
    learned = learn(part, cluster, learner("ridge"), weight=np.ones(len(part)), seed=1)
    assert learned.systems["device"].labels == ("EBS",)
    assert not too_few(part, cluster)
    alone = rows.rows(of_baseline)
    assert too_few(alone, cluster)
    with pytest.raises(MissingData, match="measurements of 0 configurations"):
        learn(alone, cluster, learner("ridge"), weight=np.ones(len(alone)), seed=1)
