"""The exchange format: nothing lost on the way, nothing half-written, nothing half-read."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.errors import InvalidInput, UnreadableInput
from acic.store import Measurement, Repetition
from acic.store.content import fingerprint, to_content
from acic.store.exchange import FORMAT, VERSION, export, is_exchange, read_exchange
from acic.store.measurement import MOST
from acic.units import MIB
from tests.store.samples import failure, lustre, measurement, measurements, workload

SUFFIXES = (".jsonl", ".parquet")


@settings(max_examples=50, deadline=None)
@given(them=st.lists(measurements(), max_size=4), suffix=st.sampled_from(SUFFIXES))
def test_the_round_trip_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, them: list[Measurement], suffix: str
) -> None:
    path = tmp_path_factory.mktemp("x") / f"data{suffix}"
    assert export(them, path) == len(them)
    again = read_exchange(path)
    assert again == them
    assert [fingerprint(m) for m in again] == [fingerprint(m) for m in them]
    assert [to_content(m)["configuration"] for m in again] == [to_content(m)["configuration"] for m in them]
    assert is_exchange(path)


@pytest.fixture(params=SUFFIXES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"data{request.param}"
    export([measurement(1), failure(2), measurement(3)], path)
    return path


def refused(path: Path, problem: str) -> None:
    with pytest.raises(UnreadableInput, match=problem) as caught:
        read_exchange(path)
    assert caught.value.hint


@given(st.data())
def test_a_truncated_file_is_refused_with_its_line(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = tmp_path_factory.mktemp("x") / "data.jsonl"
    export([measurement(i) for i in range(4)], whole)
    raw = whole.read_bytes()
    whole.write_bytes(raw[: data.draw(st.integers(0, len(raw) - 2))])
    refused(whole, r"line \d")


@pytest.mark.parametrize("count", [0, 3])
def test_the_last_line_need_not_end(tmp_path: Path, count: int) -> None:
    """What editors and other programs wrote without a last line break was said to be cut."""
    path = tmp_path / "data.jsonl"
    export([measurement(i) for i in range(count)], path)
    path.write_text(path.read_text().removesuffix("\n"))
    assert read_exchange(path) == [measurement(i) for i in range(count)]


def test_a_truncated_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    export([measurement(i) for i in range(4)], path)
    raw = path.read_bytes()
    for end in (5, len(raw) // 2, len(raw) - 1):
        path.write_bytes(raw[:end])
        refused(path, "cannot read")


def edited(path: Path, number: int, **changes: object) -> None:
    """Change fields of one line (the header is line 1)."""
    lines = path.read_text().splitlines()
    lines[number - 1] = json.dumps(json.loads(lines[number - 1]) | changes)
    path.write_text("\n".join(lines) + "\n")


def edited_table(path: Path, row: int, **changes: object) -> None:
    """Change fields of one row; a value of another kind changes the column's."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[row] |= changes
    columns = {name: [one[name] for one in rows] for name in table.column_names}
    kinds = {name: table.schema.field(name).type for name in columns}
    arrays = {
        name: pa.array([changes[name]] * len(rows))
        if isinstance(changes.get(name), int)
        else pa.array(values, kinds[name])
        for name, values in columns.items()
    }
    pq.write_table(pa.table(arrays).replace_schema_metadata(table.schema.metadata), path)


def packed(path: Path, rows: int, **columns: object) -> None:
    """Write a table of equal rows, which packs to next to nothing; `columns` are values of these."""
    export([measurement(1)], path)
    table = pq.read_table(path)
    kinds = {name: table.schema.field(name).type for name in table.column_names}
    (row,) = table.to_pylist()
    none = pa.array([0] * rows, pa.int32())
    arrays = [
        pa.array([(row | columns)[name]] * rows, kind)
        if name not in columns or kind != pa.string()
        else pa.DictionaryArray.from_arrays(none, pa.array([columns[name]]))
        for name, kind in kinds.items()
    ]
    told = pa.table(arrays, list(kinds)).replace_schema_metadata(table.schema.metadata)
    pq.write_table(told, path, compression="zstd", dictionary_pagesize_limit=2**30)


BOMBS: dict[str, tuple[int, dict[str, object]]] = {
    "rows": (300_000, {}),
    "a text of all rows": (5_000, {"note": "x" * 1_000_000}),
    "runs": (1, {"repetitions": [{"bandwidth": 1.0, "seconds": 1.0, "iops": 1.0}] * 1_000_000}),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_fills_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Half a megabyte took more than five gigabytes, on a login node say."""
    path, (rows, columns) = tmp_path / "data.parquet", BOMBS[name]
    packed(path, rows, **columns)
    assert path.stat().st_size < 500_000
    read = list[int]()
    batches = pq.ParquetFile.iter_batches

    def counted(file: pq.ParquetFile, **how: Any) -> Iterator[pa.RecordBatch]:
        for batch in batches(file, **how):
            read.append(batch.nbytes)
            yield batch

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", counted)
    refused(path, "unpacks to more than 128 times its size")
    assert sum(read) < 64 * MIB
    assert bool(read) == (name == "a text of all rows")  # the file itself tells of the others


def test_equal_rows_are_read_as_far_as_a_small_file_may_have_them(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    packed(path, 5_000)
    assert read_exchange(path) == [measurement(1)] * 5_000


@settings(max_examples=20, deadline=None)
@given(them=st.lists(measurements(), max_size=4))
def test_a_file_of_another_program_needs_no_more_than_the_format_and_its_version(
    tmp_path_factory: pytest.TempPathFactory, them: list[Measurement]
) -> None:
    path = tmp_path_factory.mktemp("x") / "data.jsonl"
    header = {"format": FORMAT, "version": VERSION}
    path.write_text("".join(json.dumps(one) + "\n" for one in (header, *map(to_content, them))))
    assert read_exchange(path) == them


def test_the_header_is_the_documented_one(tmp_path: Path) -> None:
    export([measurement(1)], tmp_path / "data.jsonl")
    header = json.loads((tmp_path / "data.jsonl").read_text().splitlines()[0])
    page = (Path(__file__).parents[2] / "docs" / "exchange.md").read_text()
    told = re.search(r"^\{.*\}$", page, re.MULTILINE)
    assert told is not None
    assert json.loads(told.group()) == header | {"count": 2}


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    export([measurement(1)], path)
    edited(path, 1, version=VERSION + 1)
    refused(path, f"version {VERSION + 1}")
    table = pa.table({"x": [1]}).replace_schema_metadata({FORMAT: str(VERSION + 1)})
    pq.write_table(table, tmp_path / "data.parquet")
    refused(tmp_path / "data.parquet", f"version {VERSION + 1}")


@pytest.mark.parametrize(
    ("line", "changes", "problem"),
    [
        (1, {"version": "one"}, "no version"),
        (1, {"version": None}, "no version"),
        (1, {"format": "other"}, "no file of"),
        (1, {"count": 2}, "2 measurements were promised and 3"),
        (1, {"count": 4}, "4 measurements were promised and 3"),
        (1, {"count": None}, "None measurements were promised and 3"),
        (3, {"outcome": "fine"}, "line 3"),
        (4, {"surprise": 1}, "line 4.*surprise"),
        (2, {"workload": workload().__repr__()}, "line 2"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: int, changes: dict[str, object], problem: str) -> None:
    path = tmp_path / "data.jsonl"
    export([measurement(1), failure(2), measurement(3)], path)
    edited(path, line, **changes)
    refused(path, problem)


@pytest.mark.parametrize("text", ["", "\n", "[]\n", "3\n", "not json\n", '{"format": "acic-measurements"}\n', "\xff\n"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(text.encode("latin-1"))
    refused(path, "data.jsonl")
    refused(tmp_path / "nowhere.jsonl", "No such file")


def test_tables_of_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"x": [1]}), path)
    refused(path, "no file of")
    pq.write_table(pa.table({"x": [1]}).replace_schema_metadata({FORMAT: "1"}), path)
    refused(path, "cannot read")


def test_the_first_line_says_what_it_is(tmp_path: Path) -> None:
    export([measurement(1)], tmp_path / "data.jsonl")
    header = json.loads((tmp_path / "data.jsonl").read_text().splitlines()[0])
    assert (header["format"], header["version"], header["count"]) == (FORMAT, VERSION, 1)
    export([measurement(1)], tmp_path / "data.parquet")
    assert pq.read_schema(tmp_path / "data.parquet").metadata[FORMAT.encode()] == b"1"


def test_an_export_that_fails_leaves_the_old_file(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(InvalidInput):
        export([measurement(1), measurement(2, configuration=lustre(stripe_count=math.nan))], path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_configuration_that_is_no_number_is_refused(path: Path, value: float) -> None:
    """Once in a store it would keep all of it from being exported."""
    if path.suffix == ".parquet":
        edited_table(path, 1, configuration=json.dumps({"stripe_count": value}))
        refused(path, "cannot read.*stripe_count")
    else:
        edited(path, 3, configuration={"stripe_count": value})
        refused(path, "line 3.*stripe_count")


DEEP = "[" * 200_000


@pytest.mark.parametrize(
    "changes",
    [
        {"repetitions": [[10**400, 1, None]]},
        {"time": "0001-01-01T00:00:00+14:00"},
        {"time": "9999-12-31T23:59:59-12:00"},
        {"seed": 1.5},
        {"workload": [1]},
        {"configuration": [1]},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_a_value_that_is_none_of_its_kind_is_told_with_its_line(tmp_path: Path, changes: dict[str, object]) -> None:
    path = tmp_path / "data.jsonl"
    export([measurement(1), measurement(2)], path)
    edited(path, 3, **changes)
    refused(path, "line 3: a field is not what it should be")


@pytest.mark.parametrize("figures", [(1e300, 1.0, None), (1.0, 1e11, None), (None, 1.0, 1.1e18)])
def test_what_no_machine_gives_is_refused_with_its_row(path: Path, figures: tuple[float | None, ...]) -> None:
    """1e300 B/s were imported without a word, and taught models."""
    bandwidth, seconds, iops = figures
    absurd = Repetition(bandwidth=bandwidth, seconds=seconds, iops=iops)
    good = Repetition(bandwidth=1.0, seconds=1.0)
    export([measurement(1), measurement(2, repetitions=(good, absurd)), measurement(3)], path)
    row = "line 3" if path.suffix == ".jsonl" else "row 2"
    refused(path, f"{row}: repetition 2 has .*, which no machine gives")
    most = Repetition(**{name: value for name, (value, _) in MOST.items()})
    export([measurement(1, repetitions=(most,))], path)
    assert read_exchange(path)[0].repetitions == (most,)


def test_nesting_without_end_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    export([measurement(1)], path)
    with path.open("a") as file:
        file.write(f'{{"a": {DEEP}\n')
    refused(path, "line 3: it is no JSON")


@pytest.mark.parametrize(
    "changes",
    [
        *({name: None} for name in ("configuration", "versions", "host_shape", "repetitions", "time", "processes")),
        {"repetitions": [None]},
        {"time": 7},
        {"seed": "x"},
        {"configuration": DEEP},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_a_table_with_a_value_that_is_none_of_its_kind_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    path = tmp_path / "data.parquet"
    export([measurement(1), measurement(2)], path)
    edited_table(path, 1, **changes)
    refused(path, "cannot read")


def test_an_export_names_the_measurement_that_cannot_be_written(path: Path) -> None:
    wrong = measurement(2, configuration=lustre(stripe_count=math.nan))
    with pytest.raises(InvalidInput, match=f"the measurement {fingerprint(wrong)[:12]} cannot be written"):
        export([measurement(1), wrong], path)


def test_what_parquet_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Parquet"):
        export([measurement(1, workload=workload(data_size=2**64))], tmp_path / "data.parquet")


def test_an_export_needs_a_known_suffix_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="neither"):
        export([], tmp_path / "data.csv")
    with pytest.raises(InvalidInput, match="cannot write"):
        export([measurement(1)], tmp_path / "nowhere" / "data.jsonl")
    with pytest.raises(InvalidInput, match="cannot write"):
        export([measurement(1)], tmp_path / "nowhere" / "data.parquet")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_may_have_any_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / os.fsdecode(f"André{suffix}".encode("latin-1"))
    export([measurement(1)], path)
    assert read_exchange(path) == [measurement(1)]


def test_an_exported_file_may_be_read_by_others(path: Path) -> None:
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
