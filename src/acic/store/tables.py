"""Tables of whatever kind as Parquet: written whole or not at all, and refused where a file holds another kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from acic.errors import InvalidInput, UnreadableInput
from acic.whole import whole

T = TypeVar("T")
_VERSION = b"1"
# Real tables unpack to at most 25 times their size, where equal rows reach many thousands: what unpacks to more is a
# bomb, as of Darshan logs (workloads/darshan/regions.py). Small files may always have _MOST_ANYWAY.
_MOST_EXPANSION = 128
_MOST_ANYWAY = 16 << 20
_LEAST_VALUE = 8  # B of a value that is unpacked
_BATCH = 4096  # rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a table has, and what is said of a file that has it not.

    Args:
        name: stands in the file, with the version.
        columns: what makes the type of each, of pyarrow: "string", "int64".
        otherwise: what is said of another file: "is no ground truth"; hint: what to give in its place.
    """

    name: str
    columns: Mapping[str, str]
    otherwise: str
    hint: str


def write_table(rows: Iterable[Mapping[str, Any]], path: Path, kind: Kind) -> None:
    """Write a table of `rows`, each with a value for every column.

    Raises:
        InvalidInput: the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [(name, getattr(pa, made)()) for name, made in kind.columns.items()]
    table = pa.Table.from_pylist(list(rows), schema=pa.schema(fields, metadata={kind.name: _VERSION}))
    with whole(path) as unfinished:
        pq.write_table(table, unfinished, compression="zstd")


def rows_of(file: BinaryIO, path: Path, check: Callable[[Mapping[bytes, bytes]], None]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file, a few at a time, so that a small one cannot take all memory.

    Args:
        file: open for reading.
        path: its name, for the error.
        check: is given what stands in the file beside the table, before a row is read; it may raise.

    Raises:
        UnreadableInput: it unpacks to far more than what is real.
        pyarrow.ArrowException, OSError: it is damaged.
    """
    import pyarrow.parquet as pq

    held = pq.ParquetFile(file)
    check(held.schema_arrow.metadata or {})
    most = _MOST_ANYWAY + _MOST_EXPANSION * os.fstat(file.fileno()).st_size
    groups = [held.metadata.row_group(number) for number in range(held.metadata.num_row_groups)]
    sizes = [sum(map(_unpacked, map(group.column, range(group.num_columns)))) for group in groups]
    _refuse_bomb(sum(sizes), most, path)
    unpacked, batch = 0, max(1, min(_BATCH, most // max([1, *sizes])))  # all rows of a batch may have one large text
    for rows in held.iter_batches(batch_size=batch, use_threads=False):
        unpacked += rows.nbytes
        _refuse_bomb(unpacked, most, path)
        yield from rows.to_pylist()


def _refuse_bomb(size: int, most: int, path: Path) -> None:
    if size > most:
        problem = f"cannot read {path}: it unpacks to more than {_MOST_EXPANSION} times its size"
        raise UnreadableInput(problem, hint="no table of acic does: ask for the file as .jsonl")


def _unpacked(column: Any) -> int:
    """Return what a column of some rows takes at least, B, by what the file says of it."""
    return max(int(column.total_uncompressed_size), _LEAST_VALUE * int(column.num_values))


def read_table(path: Path, kind: Kind, of: Callable[[dict[str, Any]], T]) -> list[T]:
    """Return what `of` makes of each row of a file of `write_table`.

    Raises:
        UnreadableInput: it is missing, no file, damaged or of another kind.
    """
    import pyarrow as pa

    def check(told: Mapping[bytes, bytes]) -> None:
        if told.get(kind.name.encode()) != _VERSION:
            raise UnreadableInput(f"{path} {kind.otherwise}", hint=kind.hint)

    if not path.is_file():
        what = "it is no file" if path.exists() else "there is no such file"
        raise UnreadableInput(f"cannot read {path}: {what}", hint="check the path")
    try:
        with path.open("rb") as file:
            return [of(row) for row in rows_of(file, path, check)]
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, InvalidInput) as error:
        raise UnreadableInput(f"cannot read {path}: {error}", hint="copy it again") from error
