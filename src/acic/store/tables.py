"""Tables of whatever kind as Parquet: written whole or not at all, and refused where a file holds another kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from acic.errors import InvalidInput, UnreadableInput
from acic.whole import whole

T = TypeVar("T")
_VERSION = b"1"


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
    with whole(path) as unfinished, unfinished.open("wb") as file:  # not by its name, which may be no text
        pq.write_table(table, file, compression="zstd")


def read_table(path: Path, kind: Kind, of: Callable[[dict[str, Any]], T]) -> list[T]:
    """Return what `of` makes of each row of a file of `write_table`.

    Raises:
        UnreadableInput: it is missing, no file, damaged or of another kind.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        what = "it is no file" if path.exists() else "there is no such file"
        raise UnreadableInput(f"cannot read {path}: {what}", hint="check the path")
    try:
        with path.open("rb") as file:
            table = pq.read_table(file)
        if (table.schema.metadata or {}).get(kind.name.encode()) != _VERSION:
            raise UnreadableInput(f"{path} {kind.otherwise}", hint=kind.hint)
        return [of(row) for row in table.to_pylist()]
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, InvalidInput) as error:
        raise UnreadableInput(f"cannot read {path}: {error}", hint="copy it again") from error
