"""Tables: the records of each Darshan module, for questions about some of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import (
    BYTES,
    COUNTS,
    INTERFACES,
    MANY,
    OPENS,
    READ,
    SIZES,
    WRITE,
    Columns,
    Rows,
    load_columns,
    load_rows,
)
from acic.workloads.darshan import Log
from acic.workloads.datasets import files_of
from acic.workloads.histogram import count_requests
from acic.workloads.summary import Summary, few_users, many_users

_FEW = 5  # records, up to which numpy costs more than it saves
_BOTH = 0.1  # of the bytes: libraries read a little of what they write
_ABOUT_FILES = {*INTERFACES, "H5F", "PNETCDF_FILE"}
_OF_FILES = ("H5D", "PNETCDF_VAR")  # whose records are of something within a file
_STREAMS = {14734109647742566553, 15920181672442173319, 7238257241479193519}
"""Record ids of stdin, stdout and stderr: Darshan's hash of "<STDIN>", "<STDOUT>" and "<STDERR>"."""


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
        load_rows: makes the rows at once, rather than from the columns, if there are only a few.
        count: tells how many requests of some rows in one direction are in each bin of Darshan's histogram.

    Attributes:
        file_list: the file of each record.
        rank_list: the rank of each record.
    """

    def __init__(
        self,
        name: str,
        files: NDArray[np.uint64],
        ranks: NDArray[np.int64],
        load: Callable[[], Columns],
        *,
        partial: bool,
        source: str,
        load_rows: Callable[[], Rows] | None = None,
        count: Callable[[list[int], int], list[int]] = lambda _, __: [],
    ) -> None:
        self.name, self.partial, self.source = name, partial, source
        self.files, self.ranks = files, ranks
        self.file_list: list[int] = files.tolist()
        self.rank_list: list[int] = ranks.tolist()
        self._load = load
        self.requests_by_size = count
        self._load_rows = load_rows if len(files) <= _FEW else None
        self._columns: Columns | None = None
        self._moved: list[list[int]] = [[], []]
        self._counters: list[list[int]] = []
        self._times: list[list[float]] = []
        self._shared: list[frozenset[int] | None] = [None, None]
        self._both: list[frozenset[int]] = []
        self._writers: dict[int, set[int]] | None = None
        self._repeated = len(set(self.file_list)) < len(self.file_list)
        self._summaries: dict[tuple[int, ...], Summary] = {}
        self._about: dict[tuple[int, ...], Summary] = {}

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

    def column(self, at: int) -> list[int]:
        """Return an integer column."""
        return self.integers[:, at].tolist() if self._load_rows is None else [row[at] for row in self.counters]

    def seconds(self, at: int) -> list[float]:
        """Return a float column."""
        return self.floats[:, at].tolist() if self._load_rows is None else [row[at] for row in self.times]

    def moved(self, direction: int) -> list[int]:
        """Return the bytes that each record has read, or written."""
        found = self._moved[direction]
        if not found:
            found = self._moved[direction] = self.column(BYTES + direction)
        return found

    def shared(self, direction: int) -> frozenset[int]:
        """Return the files that several ranks read, or wrote, or only opened, as far as ranks are told.

        Who only reads a file does not share it with the one that writes it, nor the other way round; and who only
        renames it, or looks at it, with nobody.
        """
        found = self._shared[direction]
        if found is None:
            users: dict[int, set[int]] = {}
            if self._repeated:
                named = self.name == "POSIX" and self.source == "counters"  # where files have records by name alone
                opened = self.column(OPENS) if named else [1] * len(self.file_list)
                used = zip(self.moved(direction), self.moved(1 - direction), opened, strict=True)
                for file, rank, (here, there, opens) in zip(self.file_list, self.rank_list, used, strict=True):
                    if here or (opens and not there):
                        users.setdefault(file, set()).add(rank)
            found = frozenset(file for file, ranks in users.items() if len(ranks) > 1)
            self._shared[direction] = found
        return found

    def both(self, direction: int) -> frozenset[int]:
        """Return the files that were used in a direction and in the other one, too: for at least `_BOTH` of the bytes.

        What a run wrote and reads is no input, and no result, however alike the files are.
        """
        if not self._both:
            read, written = self.moved(READ), self.moved(WRITE)
            totals: dict[int, tuple[int, int]] = {}
            if any(read) and any(written):
                every = zip(self.file_list, zip(read, written, strict=True), strict=True)
                if not self._repeated:
                    totals = dict(every)
                else:
                    for file, (one, other) in every:
                        before = totals.get(file, (0, 0))
                        totals[file] = before[READ] + one, before[WRITE] + other
            self._both = [
                frozenset([file for file, moved in totals.items() if moved[d] and moved[1 - d] >= _BOTH * moved[d]])
                for d in (READ, WRITE)
            ]
        return self._both[direction]

    @property
    def writers(self) -> dict[int, set[int]]:
        """The ranks that wrote each file; nothing where no file has several records."""
        if self._writers is None:
            self._writers = {}
            if self._repeated:
                for file, rank, size in zip(self.file_list, self.rank_list, self.moved(WRITE), strict=True):
                    if size:
                        self._writers.setdefault(file, set()).add(rank)
        return self._writers

    @property
    def times(self) -> list[list[float]]:
        """The float columns of each record."""
        if not self._times:
            self._make_rows()
        return self._times

    @property
    def counters(self) -> list[list[int]]:
        """The integer columns of each record."""
        if not self._counters:
            self._make_rows()
        return self._counters

    def _make_rows(self) -> None:
        if self._load_rows is None:
            self._counters, self._times = self.integers.tolist(), self.floats.tolist()
        else:
            self._counters, self._times = self._load_rows()

    def rows_of(self, files: Iterable[int]) -> list[int]:
        """Return the rows that are about `files`."""
        wanted = set(files)
        return [row for row, file in enumerate(self.file_list) if file in wanted]

    def about(self, files: list[int]) -> Summary:
        """Return the rows that are about `files`, together."""
        key = tuple(files)
        found = self._about.get(key)
        if found is None:
            found = self._about[key] = self.summary(self.rows_of(files))
        return found

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
        every = self.counters
        for row in rows:
            counters = every[row]
            for size, count in zip(counters[SIZES : SIZES + 4], counters[COUNTS : COUNTS + 4], strict=True):
                if size:
                    found[size] = found.get(size, 0) + count
        return found

    def _sum(self, rows: list[int]) -> Summary:
        if len(rows) == 1:
            (row,) = rows
            known = int(self.rank_list[row] >= 0)
            return Summary(self.counters[row], self.times[row], [self.file_list[row]], 1 - known, known, known)
        if rows and self._load_rows is not None:
            counters, seconds = self.counters, self.times
            totals = list(map(sum, zip(*[counters[row] for row in rows], strict=True)))
            times: list[float] = list(map(sum, zip(*[seconds[row] for row in rows], strict=True)))
            of_rows = [self.file_list[row] for row in rows]
            users = few_users(of_rows, [self.rank_list[row] for row in rows])
            return Summary(totals, times, list(dict.fromkeys(of_rows)), *users)
        integers, floats = self.integers, self.floats
        if len(rows) < len(integers):
            integers, floats = integers.take(rows, 0), floats.take(rows, 0)
        totals = integers.sum(axis=0).tolist()
        if min(totals) < 0:  # more than 64 bits hold: a damaged log
            totals = [int(total) for total in integers.sum(axis=0, dtype=float).tolist()]
        files, ranks = self.files[rows], self.ranks[rows]
        users = few_users(files.tolist(), ranks.tolist()) if len(rows) <= MANY else many_users(files, ranks)
        return Summary(totals, floats.sum(axis=0).tolist(), list(dict.fromkeys(files.tolist())), *users)


def lacks_counters(log: Log) -> bool:
    """Return whether modules of a log that would have been about files could not be read."""
    return not _ABOUT_FILES.isdisjoint(log.lost)


def tells_nothing(log: Log) -> bool:
    """Return whether no module that could tell of I/O is left of a log that had some."""
    return lacks_counters(log) and _ABOUT_FILES.isdisjoint(log.modules) and not log.dxt and not log.heatmaps


def tables(log: Log) -> dict[str, Table]:
    """Return the tables of the modules that are about files, without the standard streams."""
    found = {}
    for name, module in log.modules.items():
        if name in _ABOUT_FILES:
            records = _without_streams(module.records) if name == "STDIO" else module.records
            files = files_of(log, records) if name in _OF_FILES else records["id"]
            if len(files):
                found[name] = Table(
                    name,
                    files,
                    records["rank"],
                    partial(load_columns, name, records),
                    partial=module.partial,
                    source="counters",
                    load_rows=partial(load_rows, name, records),
                    count=partial(count_requests, name, records),
                )
    return found


def _without_streams(records: NDArray[np.void]) -> NDArray[np.void]:
    files = records["id"].tolist()
    rows = [row for row, file in enumerate(files) if file not in _STREAMS]
    if not rows:
        return records[:0]
    if rows[-1] - rows[0] == len(rows) - 1:
        return records[rows[0] : rows[-1] + 1]
    return records.take(rows)  # an index would copy field by field, four times as slow
