"""Measurements as a Parquet table; pyarrow is imported with this module, so import it when needed only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from acic.errors import AcicError, InvalidInput, UnreadableInput
from acic.store.content import CHARACTERISTICS, COUNTS, FLAGS, from_content, to_content
from acic.store.exchange import FORMAT, VERSION, cannot_write, check_version
from acic.store.measurement import Measurement
from acic.store.tables import rows_of

_REPETITION = pa.struct([(name, pa.float64()) for name in ("bandwidth", "seconds", "iops")])
_KINDS: dict[str, pa.DataType] = {
    **dict.fromkeys(COUNTS, pa.int64()),
    **dict.fromkeys(FLAGS, pa.bool_()),
    "repetitions": pa.list_(_REPETITION),
    "time": pa.timestamp("us", tz="UTC"),
}
_JSON = ("configuration", "versions", "host_shape")  # their keys differ from row to row
_NAMES = ("platform", "revision", *CHARACTERISTICS, *_JSON, "outcome", "basis", "time", "repetitions")
_COLUMNS = (*_NAMES, "tool", "tool_version", "seed", "contributor", "raw_sha256", "note")
_SCHEMA = pa.schema([(name, _KINDS.get(name, pa.string())) for name in _COLUMNS], metadata={FORMAT: str(VERSION)})


def write_parquet(measurements: list[Measurement], file: BinaryIO) -> None:
    """Write `measurements` to an open `file`.

    Raises:
        InvalidInput: a value that Parquet cannot hold.
    """
    try:
        table = pa.Table.from_pylist([_row(m) for m in measurements], schema=_SCHEMA)
    except (pa.ArrowException, OverflowError, ValueError, TypeError) as error:
        raise InvalidInput(
            f"a measurement does not fit into Parquet: {error}", hint="export to .jsonl instead"
        ) from error
    pq.write_table(table, file)


def read_parquet(path: Path) -> list[Measurement]:
    """Return the measurements in `path`.

    Raises:
        UnreadableInput: the file is damaged, of a newer version, or holds something else.
    """
    try:
        with path.open("rb") as file:
            rows = rows_of(file, path, lambda told: _check(told.get(FORMAT.encode()), path))
            return [_told(row, number, path) for number, row in enumerate(rows, start=1)]
    except KeyError as error:
        raise UnreadableInput(
            f"cannot read {path}: it lacks {error.args[0]!r}", hint="export the file again"
        ) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UnreadableInput(f"cannot read {path}: {error}", hint="copy or export the file again") from error
    except (TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise UnreadableInput(
            f"cannot read {path}: a field is not what it should be: {error}", hint="export the file again"
        ) from error


def _check(version: bytes | None, path: Path) -> None:
    if version is None:
        raise UnreadableInput(f"{path} is no file of {FORMAT}", hint="give a file that acic exported")
    check_version(int(version) if version.isdigit() else None, path)


def _row(measurement: Measurement) -> dict[str, Any]:
    content = to_content(measurement)
    content |= content.pop("workload")
    try:
        content |= {name: json.dumps(content[name], allow_nan=False) for name in _JSON}
    except (ValueError, TypeError) as error:
        raise cannot_write(measurement, error) from error
    content["time"] = measurement.time
    content["seed"] = None if measurement.seed is None else str(measurement.seed)
    content["repetitions"] = [
        {"bandwidth": r.bandwidth, "seconds": r.seconds, "iops": r.iops} for r in measurement.repetitions
    ]
    return content


def _told(row: dict[str, Any], number: int, path: Path) -> Measurement:
    try:
        return _measurement(row)
    except AcicError as error:
        problem = f"cannot read {path}: row {number}: {error.problem}"
        raise UnreadableInput(problem, hint=f"{error.hint}; or export the file again") from error


def _measurement(row: dict[str, Any]) -> Measurement:
    workload = {name: row.pop(name) for name in CHARACTERISTICS}
    return from_content(
        row
        | {name: json.loads(row[name]) for name in _JSON}
        | {
            "workload": workload,
            "time": row["time"].isoformat(),
            "seed": None if row["seed"] is None else int(row["seed"]),
            "repetitions": [[r["bandwidth"], r["seconds"], r["iops"]] for r in row["repetitions"]],
        }
    )
