"""Tables: the counters of any Darshan module under one set of column names.

A module that does not have a counter has zeros in its column. Columns that exist for both directions stand side by
side, read first, so that `COLUMN + direction` is the one of a direction (`READ` or `WRITE`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan import Log
from acic.workloads.workload import Interface

READ: Final = 0
WRITE: Final = 1

_INTEGERS = (
    *("READS", "WRITES", "INDEP_READS", "INDEP_WRITES", "COLL_READS", "COLL_WRITES", "SPLIT_READS", "SPLIT_WRITES"),
    *("NB_READS", "NB_WRITES", "BYTES_READ", "BYTES_WRITTEN", "CONSEC_READS", "CONSEC_WRITES"),
    *("SEQ_READS", "SEQ_WRITES", "MAX_BYTE_READ", "MAX_BYTE_WRITTEN"),
    *("RW_SWITCHES", "OPENS", "SEEKS", "FSYNCS", "FDSYNCS", "SYNCS", "STATS", "FILE_NOT_ALIGNED"),
    *(f"STRIDE{i}_COUNT" for i in (1, 2, 3, 4)),
    *(f"ACCESS{i}_ACCESS" for i in (1, 2, 3, 4)),
    *(f"ACCESS{i}_COUNT" for i in (1, 2, 3, 4)),
    *("USE_MPIIO_COLLECTIVE", "FASTEST_RANK_BYTES", "SLOWEST_RANK_BYTES", "INDEP_WAITS", "COLL_WAITS"),
)
_FLOATS = (
    *("F_READ_TIME", "F_WRITE_TIME", "F_READ_START_TIMESTAMP", "F_WRITE_START_TIMESTAMP"),
    *("F_READ_END_TIMESTAMP", "F_WRITE_END_TIMESTAMP", "F_META_TIME", "F_SLOWEST_RANK_TIME"),
    *("F_FASTEST_RANK_TIME", "F_VARIANCE_RANK_BYTES"),
)

INTEGERS, FLOATS = len(_INTEGERS), len(_FLOATS)

CALLS = _INTEGERS.index("READS")
INDEPENDENT = _INTEGERS.index("INDEP_READS")
COLLECTIVE = _INTEGERS.index("COLL_READS")
SPLIT = _INTEGERS.index("SPLIT_READS")
NONBLOCKING = _INTEGERS.index("NB_READS")
BYTES = _INTEGERS.index("BYTES_READ")
CONSECUTIVE = _INTEGERS.index("CONSEC_READS")
SEQUENTIAL = _INTEGERS.index("SEQ_READS")
HIGHEST_BYTE = _INTEGERS.index("MAX_BYTE_READ")
SWITCHES = _INTEGERS.index("RW_SWITCHES")
OPENS = _INTEGERS.index("OPENS")
SEEKS = _INTEGERS.index("SEEKS")
SYNCS = _INTEGERS.index("FSYNCS")  # and the two behind
STATS = _INTEGERS.index("STATS")
UNALIGNED = _INTEGERS.index("FILE_NOT_ALIGNED")
STRIDES = _INTEGERS.index("STRIDE1_COUNT")  # four
SIZES = _INTEGERS.index("ACCESS1_ACCESS")  # four
COUNTS = _INTEGERS.index("ACCESS1_COUNT")  # four
ASKED_COLLECTIVE = _INTEGERS.index("USE_MPIIO_COLLECTIVE")
FASTEST_BYTES = _INTEGERS.index("FASTEST_RANK_BYTES")
SLOWEST_BYTES = _INTEGERS.index("SLOWEST_RANK_BYTES")
WAITS = _INTEGERS.index("INDEP_WAITS")  # and the one behind

SECONDS = _FLOATS.index("F_READ_TIME")
FIRST = _FLOATS.index("F_READ_START_TIMESTAMP")
LAST = _FLOATS.index("F_READ_END_TIMESTAMP")
META_SECONDS = _FLOATS.index("F_META_TIME")
SLOWEST_SECONDS = _FLOATS.index("F_SLOWEST_RANK_TIME")
BYTES_VARIANCE = _FLOATS.index("F_VARIANCE_RANK_BYTES")

INTERFACES = {
    "POSIX": Interface.POSIX,
    "STDIO": Interface.STDIO,
    "MPI-IO": Interface.MPIIO,
    "H5D": Interface.HDF5,
    "PNETCDF_VAR": Interface.PNETCDF,
}
"""The modules that count the application's requests, and the interface of each."""

_OF_FILES = ("H5D", "PNETCDF_VAR")  # whose records are of something within a file
_SEVERAL_KINDS = ("MPI-IO", "PNETCDF_VAR")  # of calls, that CALLS has the sum of

_STREAMS = {14734109647742566553, 15920181672442173319, 7238257241479193519}
"""Record ids of stdin, stdout and stderr: Darshan's hash of "<STDIN>", "<STDOUT>" and "<STDERR>"."""


MANY = 500
"""Records from which on numpy beats a loop."""

PAUSE = 2e-4
"""Longest gap between two requests, s, that can be the work of a loop around the calls."""


Load = Callable[[], tuple[NDArray[np.int64], NDArray[np.float64]]]


@dataclass(slots=True)
class Summary:
    """Some rows of a table together.

    Args:
        totals: the integer columns, summed.
        times: the float columns, summed.
        files: ids of the files.
        hidden: how many of the files have a record that stands for all ranks together.
        ranks: how many ranks are known to use the files.
        pairs: how many pairs of a file that is not hidden and a rank there are.
        sizes: how many requests had each of the common sizes, once that was asked for.
    """

    totals: list[int]
    times: list[float]
    files: list[int]
    hidden: int
    ranks: int
    pairs: int
    sizes: dict[int, int] | None = None


class Table:
    """The records of one module.

    Beside the arrays are lists of what is asked for row by row: most logs have few records, and there a loop over
    lists is several times faster than numpy.

    Args:
        name: of the module.
        files: id of the file of each record.
        ranks: rank of each record; -1 for all ranks together.
        load: makes the columns, when they are first asked for: not every module's are.
        partial: whether Darshan ran out of memory, so that records are missing.
        source: "counters", or what stands in for them: "trace" or "heat map".

    Attributes:
        file_list: the file of each record.
        rank_list: the rank of each record.
    """

    def __init__(
        self, name: str, files: NDArray[np.uint64], ranks: NDArray[np.int64], load: Load, *, partial: bool, source: str
    ) -> None:
        self.name, self.partial, self.source = name, partial, source
        self.files, self.ranks = files, ranks
        self.file_list: list[int] = files.tolist()
        self.rank_list: list[int] = ranks.tolist()
        self._load = load
        self._columns: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None
        self._moved: list[list[int]] = []
        self._counters: list[list[int]] = []
        self._times: list[list[float]] = []
        self._shared: frozenset[int] | None = None
        self._summaries: dict[tuple[int, ...], Summary] = {}

    @property
    def integers(self) -> NDArray[np.int64]:
        """The integer columns, shape (records, columns)."""
        if self._columns is None:
            self._columns = self._load()
        return self._columns[0]

    @property
    def floats(self) -> NDArray[np.float64]:
        """The float columns, shape (records, columns); s, and B squared."""
        if self._columns is None:
            self._columns = self._load()
        return self._columns[1]

    @property
    def moved(self) -> list[list[int]]:
        """Bytes read and written of each record."""
        if not self._moved:
            self._moved = self.integers[:, BYTES : BYTES + 2].tolist()
        return self._moved

    @property
    def shared(self) -> frozenset[int]:
        """The files that several ranks used, as far as ranks are told."""
        if self._shared is None:
            users: dict[int, set[int]] = {}
            if len(set(self.file_list)) < len(self.file_list):
                for file, rank in zip(self.file_list, self.rank_list, strict=True):
                    users.setdefault(file, set()).add(rank)
            self._shared = frozenset(file for file, ranks in users.items() if len(ranks) > 1)
        return self._shared

    @property
    def times(self) -> list[list[float]]:
        """The float columns of each record."""
        if not self._times:
            self._times = self.floats.tolist()
        return self._times

    @property
    def counters(self) -> list[list[int]]:
        """The integer columns of each record."""
        if not self._counters:
            self._counters = self.integers.tolist()
        return self._counters

    def rows_of(self, files: Iterable[int]) -> list[int]:
        """Return the rows that are about `files`."""
        wanted = set(files)
        return [row for row, file in enumerate(self.file_list) if file in wanted]

    def summary(self, rows: list[int]) -> Summary:
        """Return `rows` together."""
        key = tuple(rows)
        found = self._summaries.get(key)
        if found is None:
            found = self._summaries[key] = self._sum(rows)
        return found

    def common_sizes(self, rows: list[int]) -> dict[int, int]:
        """Return how many requests, reads and writes together, had each of the sizes that Darshan kept, B."""
        summary = self.summary(rows)
        if summary.sizes is None:
            summary.sizes = self._count_sizes(rows, summary.totals)
        return summary.sizes

    def _count_sizes(self, rows: list[int], totals: list[int]) -> dict[int, int]:
        if len(rows) == 1:
            pairs = zip(totals[SIZES : SIZES + 4], totals[COUNTS : COUNTS + 4], strict=True)
            return {size: count for size, count in pairs if size and count}
        if len(rows) > MANY:
            columns = self.integers[rows, SIZES : COUNTS + 4]
            sizes, inverse = np.unique(columns[:, :4], return_inverse=True)
            counts = np.bincount(inverse.ravel(), columns[:, 4:].ravel())
            pairs = zip(sizes.tolist(), counts.astype(np.int64).tolist(), strict=True)
            return {size: count for size, count in pairs if size and count}
        found: dict[int, int] = {}
        for row in rows:
            counters = self.counters[row]
            for at in range(4):
                if size := counters[SIZES + at]:
                    found[size] = found.get(size, 0) + counters[COUNTS + at]
        return found

    def _sum(self, rows: list[int]) -> Summary:
        if len(rows) == 1:
            (row,) = rows
            hidden = self.rank_list[row] < 0
            known = 0 if hidden else 1
            totals, times = self.integers[row].tolist(), self.floats[row].tolist()
            return Summary(totals, times, [self.file_list[row]], int(hidden), known, known)
        pairs = {(self.file_list[row], self.rank_list[row]) for row in rows}
        hidden_files = {file for file, rank in pairs if rank < 0}
        return Summary(
            totals=self.integers[rows].sum(axis=0).tolist(),
            times=self.floats[rows].sum(axis=0).tolist(),
            files=list(dict.fromkeys(self.file_list[row] for row in rows)),
            hidden=len(hidden_files),
            ranks=len({rank for _, rank in pairs if rank >= 0}),
            pairs=sum(1 for file, _ in pairs if file not in hidden_files),
        )


def tables(log: Log) -> dict[str, Table]:
    """Return the tables of the modules that are about files, without the standard streams."""
    found = {}
    for name, module in log.modules.items():
        if name in INTERFACES or name in ("H5F", "PNETCDF_FILE"):
            records = _without_streams(module.records) if name == "STDIO" else module.records
            if len(records):
                files = records["file_id"] if name in _OF_FILES else records["id"]
                load = partial(_columns, name, records)
                found[name] = Table(name, files, records["rank"], load, partial=module.partial, source="counters")
    return found


def _columns(name: str, records: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the columns of a module's records."""
    words = records.view(np.int64).reshape(len(records), -1)
    layout = _LAYOUTS.get(name) or _LAYOUTS.setdefault(name, _layout(name, records.dtype))
    columns = words.take(layout.places, 1)
    columns[:, layout.missing] = 0
    integers, floats = columns[:, :INTEGERS], columns[:, INTEGERS:].view(np.float64)
    if name in _SEVERAL_KINDS:
        columns[:, CALLS : CALLS + 2] = columns[:, INDEPENDENT : NONBLOCKING + 2].reshape(-1, 4, 2).sum(axis=1)
    # -1 is "not recorded"; some releases also left times that are negative, or not a number
    np.maximum(integers, 0, out=integers)
    np.fmax(floats, 0.0, out=floats)
    return integers, floats


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a module's records have the columns, in words of 8 bytes, and which they do not have."""

    places: NDArray[np.intp]
    missing: NDArray[np.intp]


_LAYOUTS: dict[str, _Layout] = {}


def _layout(name: str, dtype: np.dtype[np.void]) -> _Layout:
    fields: Mapping[str, tuple[np.dtype[np.void], int]] = dtype.fields or {}  # type: ignore[assignment]
    words = {field: place[1] // 8 for field, place in fields.items()}
    prefix = name.replace("-", "")
    places = np.array([words.get(f"{prefix}_{column}", -1) for column in (*_INTEGERS, *_FLOATS)])
    return _Layout(places.clip(0), np.flatnonzero(places < 0))


def _without_streams(records: NDArray[np.void]) -> NDArray[np.void]:
    files = records["id"].tolist()
    rows = [row for row, file in enumerate(files) if file not in _STREAMS]
    return records if len(rows) == len(files) else records[rows] if rows else records[:0]
