"""Tables come back from files of any name; a folder, or a table of another kind, is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acic.errors import UnreadableInput
from acic.store.tables import Kind, read_table, write_table

KIND = Kind(name="acic-sums", columns={"name": "string", "sum": "int64"}, otherwise="has no sums", hint="add some up")
ROWS: list[dict[str, object]] = [{"name": "a", "sum": 1}, {"name": "b", "sum": None}]


def test_the_name_of_a_file_may_be_no_text(tmp_path: Path) -> None:
    """An export to such a file ended in a traceback, and one that was written otherwise could not be read."""
    path = tmp_path / os.fsdecode(b"\xff.parquet")
    write_table(ROWS, path, KIND)
    assert read_table(path, KIND, dict) == ROWS


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    """All files in it were read as one, if they held lessons."""
    write_table(ROWS, tmp_path / "a.parquet", KIND)
    with pytest.raises(UnreadableInput, match="it is no file"):
        read_table(tmp_path, KIND, dict)


def test_a_small_table_that_fills_the_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_table([{"name": "a", "sum": 1}] * 2_000_000, path, KIND)
    with pytest.raises(UnreadableInput, match="unpacks to more than 128 times its size"):
        read_table(path, KIND, dict)


def test_a_table_of_another_kind_is_refused(tmp_path: Path) -> None:
    other = Kind(name="acic-others", columns=KIND.columns, otherwise="has no others", hint="")
    write_table(ROWS, tmp_path / "a.parquet", other)
    with pytest.raises(UnreadableInput, match=r"a\.parquet has no sums") as refused:
        read_table(tmp_path / "a.parquet", KIND, dict)
    assert refused.value.hint == "add some up"
