"""Training rows kept between runs are the rows that were kept, or none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from acic.kept import arrays_path
from acic.platforms import load_platform
from acic.store.bundled import bundled
from acic.store.kept_rows import fetch_rows, keep_rows
from acic.store.training import PER_ROW, TrainingRows, training_table
from acic.workloads.workload import MOST_PROCESSES
from tests.store.samples import measurement, workload


@pytest.fixture(scope="module")
def rows() -> TrainingRows:
    platform = load_platform("lab")
    return replace(training_table(bundled(platform), platform), unfit={"there is no parameter 'raid'": 7})


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))


def test_rows_come_back_as_they_were(rows: TrainingRows) -> None:
    assert keep_rows("some", rows)
    found = fetch_rows("some")
    assert found is not None
    for name in PER_ROW:
        assert_array_equal(getattr(found, name), getattr(rows, name))
        assert getattr(found, name).dtype == getattr(rows, name).dtype
    assert (found.workloads, found.configurations) == (rows.workloads, rows.configurations)
    assert (found.contributors, found.left_out) == (rows.contributors, rows.left_out)
    assert found.unfit == rows.unfit == {"there is no parameter 'raid'": 7}


def test_what_was_not_kept_or_is_damaged_is_none(rows: TrainingRows) -> None:
    assert fetch_rows("some") is None
    assert keep_rows("some", rows)
    whole = arrays_path("some").read_bytes()
    entry = whole.index(b"PK\x01\x02")
    encrypted = whole[: entry + 8] + b"\x01" + whole[entry + 9 :]
    packed = whole[: entry + 10] + b"\x63" + whole[entry + 11 :]  # in a way that nobody knows
    for damaged in (whole[: len(whole) // 2], b"", b"no archive", encrypted, packed):
        arrays_path("some").write_bytes(damaged)
        assert fetch_rows("some") is None


def test_a_cache_that_cannot_be_written_keeps_nothing(
    rows: TrainingRows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "file"))
    assert not keep_rows("some", rows)
    assert fetch_rows("some") is None


def test_rows_of_a_store_that_held_more_than_any_machine_has_are_read_anew() -> None:
    """Exchange files told of such counts once: the second answer from them was an error, and every one after it."""
    platform = load_platform("tianhe-lustre")
    told = training_table([measurement(1, workload=workload(processes=MOST_PROCESSES + 1))], platform)
    assert keep_rows("some", told)
    assert fetch_rows("some") is None
