"""Groups: files used alike, each group to become one phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from acic.workloads.columns import (
    ASKED_COLLECTIVE,
    BYTES,
    CALLS,
    COLLECTIVE,
    CONSECUTIVE,
    COUNTS,
    FIRST,
    LAST,
    MANY,
    PAUSE,
    SECONDS,
    SIZES,
    SPLIT,
    WRITE,
)
from acic.workloads.histogram import median_size
from acic.workloads.layers import Requests
from acic.workloads.series import series_of

_NEVER_COLLECTIVE = ("POSIX", "STDIO")
_COLLECTIVE, _SHARED, _BOTH, _SERIES = 1, 2, 4, 8  # bits of a file's kind; from the last on its series
_ALIKE = 4.0  # files whose bytes per process, or whose requests, differ by less belong together
IDLE = 0.05  # share of the time from first to last request, of a process that does not pause
_EQUAL = 0.1  # by which the bytes of files may differ that a process writes in turn
_SMALL = 0.01  # share of the bytes below which groups are put together


class Group:
    """Files that were used alike in one direction.

    Args:
        requests: where they are counted.
        rows: of the requests' table, that are about these files.
        processes: of the job.
        shared: whether several processes use each file, in this direction.
        collective: whether they do so with collective calls.

    Attributes:
        totals: the table's integer columns, summed over the rows.
        times: the table's float columns, summed over the rows.
        files: ids of the files.
        reduced: whether records stand for all ranks together, so that the ranks are hidden.
        ranks: number of ranks known to use the files.
        uses: pairs of a file and a process that may use it.
        example: the file of the largest record.
        spans: first and last instants of the processes' requests, s, if counters show that none of them pauses or
            jumps within its one file; else None.
    """

    def __init__(self, requests: Requests, rows: list[int], processes: int, *, shared: bool, collective: bool) -> None:
        self.interface, self.direction, self.table = requests.interface, requests.direction, requests.table
        self.rows = rows
        self.processes = processes
        self.shared = shared
        self.collective = collective
        summary = self.table.summary(rows)
        self.totals, self.times, self.files = summary.totals, summary.times, summary.files
        self.reduced = summary.hidden > 0
        self.ranks = summary.ranks
        self.uses = processes * summary.hidden + summary.pairs
        d = self.direction
        self.bytes = self.totals[BYTES + d]
        self.calls = self.totals[CALLS + d]
        self.spans = self._steady_spans()
        self.example = self.files[0] if len(self.files) == 1 else self._largest()
        self.collective_calls = self.totals[COLLECTIVE + d] + self.totals[SPLIT + d]

    def _largest(self) -> int:
        """Return the file of the largest record; of several, the one with the lowest id: not the first by chance."""
        moved, files = self.table.moved(self.direction), self.table.file_list
        most = max([moved[row] for row in self.rows])
        return min([files[row] for row in self.rows if moved[row] == most])

    def _steady_spans(self) -> tuple[list[float], list[float]] | None:
        """Return `spans`: only POSIX counts consecutive requests, and a record of all ranks hides pauses."""
        table, d = self.table, self.direction
        alone = len(self.rows) == (self.ranks or self.processes)  # one record, of one file, for each process
        if table.name != "POSIX" or not alone:
            return None
        began, ended = [], []
        of_rows, seconds = table.counters, table.times
        for row in self.rows:
            counters, times = of_rows[row], seconds[row]
            first, last = times[FIRST + d], times[LAST + d]
            idle = last - first - times[SECONDS + d]
            if counters[CONSECUTIVE + d] != counters[CALLS + d] - 1 or idle > max(IDLE * (last - first), PAUSE):
                return None
            began.append(first)
            ended.append(last)
        return began, ended

    def uses_by(self, processes: int) -> int:
        """Return `uses` if `processes` do I/O, each to all files: records of all ranks hide who only opened them."""
        return processes * len(self.files) if self.reduced else self.uses

    @property
    def common_sizes(self) -> dict[int, int]:
        """How many requests, reads and writes together, had each of the sizes that Darshan kept, B."""
        return self.table.common_sizes(self.rows)

    @property
    def median_size(self) -> int:
        """The size of the request that moves the median byte, B, by Darshan's histogram; 0 where there is none."""
        counts = self.table.requests_by_size(self.rows, self.direction)
        mixed = self.totals[BYTES + 1 - self.direction]  # the common sizes are of both directions
        return median_size(counts, self.bytes, {} if mixed else self.common_sizes) if counts else 0


def groups(requests: Requests, processes: int, names: Mapping[int, str]) -> list[Group]:
    """Return the groups of alike files, the largest in bytes first.

    Args:
        requests: all of one interface and direction.
        processes: of the job.
        names: of files, by their ids; some may be missing.
    """
    rows = requests.rows
    if len(rows) == 1:
        table, (row,) = requests.table, rows
        shared = table.rank_list[row] < 0 or table.file_list[row] in table.shared(requests.direction)
        kind = _SHARED * shared + _COLLECTIVE * _is_collective(requests, row)
        return [_group(requests, rows, processes, kind)]
    files = _files_of(requests, processes)
    if both := requests.table.both(requests.direction):
        ids = requests.table.file_list
        files.tell_apart({at for row, at in zip(rows, files.of_row, strict=True) if ids[row] in both}, requests)
    if len(files.kinds) > 1:
        files.tell_series_apart(requests, names)
    if files.alike():
        return [_group(requests, rows, processes, files.kinds[0])]
    labels = files.labels()
    members: dict[int, list[int]] = {}
    for row, file in zip(rows, files.of_row, strict=True):
        members.setdefault(labels[file], []).append(row)
    kinds = dict(zip(labels, files.kinds, strict=True))
    made = [_group(requests, mine, processes, kinds[label]) for label, mine in members.items()]
    return sorted(made, key=lambda group: -group.bytes)


def _group(requests: Requests, rows: list[int], processes: int, kind: int) -> Group:
    return Group(requests, rows, processes, shared=bool(kind & _SHARED), collective=bool(kind & _COLLECTIVE))


def _is_collective(requests: Requests, row: int) -> bool:
    """Whether most bytes of a record can have been moved by collective calls."""
    name, d = requests.table.name, requests.direction
    if name in _NEVER_COLLECTIVE:
        return False
    counters = requests.table.counters[row]
    if name == "H5D":
        return counters[ASKED_COLLECTIVE] > 0
    together = counters[COLLECTIVE + d] + counters[SPLIT + d]
    if not together or 2 * together >= counters[CALLS + d]:
        return together > 0
    # HDF5 and PnetCDF make many small independent calls of their own beside the large collective ones
    pairs = zip(counters[SIZES : SIZES + 4], counters[COUNTS : COUNTS + 4], strict=True)
    return 2 * together * max([size if count else 0 for size, count in pairs]) >= counters[BYTES + d]


@dataclass(slots=True)
class _Files:
    """What tells files apart.

    Args:
        of_row: number of the file of each row.
        kinds: for each file, whether it is shared, used collectively, and both written and read, as bits.
        each: bytes that a process moves, for each file.
        request: bytes that a request moves, for each file.
        moved: bytes, for each file.
    """

    of_row: list[int]
    kinds: list[int]
    each: list[float]
    request: list[float]
    moved: list[float]

    def tell_apart(self, both: set[int], requests: Requests) -> None:
        """Set those apart that were used in the other direction, too.

        Of what is written only if they are of another size: a run that reads one of its checkpoints wrote all alike.
        """
        if requests.direction == WRITE:
            sizes = ([size for at, size in enumerate(self.each) if (at in both) is mine] for mine in (True, False))
            mine, others = (sum(some) / max(1, len(some)) for some in sizes)
            if abs(mine - others) <= _EQUAL * max(mine, others):
                return
        for at in both:
            self.kinds[at] |= _BOTH

    def tell_series_apart(self, requests: Requests, names: Mapping[int, str]) -> None:
        """Set those of one series apart from those of another, and from what is in none: restart.1 from plot.1."""
        ids = {at: requests.table.file_list[row] for row, at in zip(requests.rows, self.of_row, strict=True)}
        series = series_of([names.get(ids[at], "") for at in range(len(self.kinds))])
        if min(series) < max(series):  # else they are alike in that
            self.kinds = [kind | _SERIES * number for kind, number in zip(self.kinds, series, strict=True)]

    def alike(self) -> bool:
        """Whether all files belong to one group."""
        each, request = self.each, self.request
        return len(self.kinds) == 1 or (
            len(set(self.kinds)) == 1 and max(each) <= _ALIKE * min(each) and max(request) <= _ALIKE * min(request)
        )

    def labels(self) -> list[int]:
        """Return the number of each file's group."""
        labels = _split(_split(self.kinds, self.each), self.request)
        moved = dict.fromkeys(labels, 0.0)
        for label, size in zip(labels, self.moved, strict=True):
            moved[label] += size
        least = _SMALL * sum(self.moved)
        pairs = zip(labels, self.kinds, strict=True)
        return [label if moved[label] >= least else -1 - kind % _SERIES for label, kind in pairs]


def _files_of(requests: Requests, processes: int) -> _Files:
    if len(requests.rows) > MANY:
        return _many_files(requests, processes)
    ids = [requests.table.file_list[row] for row in requests.rows]
    few = _files_of_a_record_each if len(set(ids)) == len(ids) else _few_files
    return few(requests, ids, processes)


def _files_of_a_record_each(requests: Requests, ids: list[int], processes: int) -> _Files:
    table, d, rows = requests.table, requests.direction, requests.rows
    counters, ranks, shared = table.counters, table.rank_list, table.shared(d)
    of_rows = table.moved(d)
    moved = [of_rows[row] for row in rows]
    kinds = [_SHARED * (ranks[row] < 0 or file in shared) for row, file in zip(rows, ids, strict=True)]
    if table.name not in _NEVER_COLLECTIVE:
        kinds = [kind + _COLLECTIVE * _is_collective(requests, row) for row, kind in zip(rows, kinds, strict=True)]
    return _Files(
        [*range(len(rows))],
        kinds,
        [size / processes if ranks[row] < 0 else size for row, size in zip(rows, moved, strict=True)],
        [size / max(1, counters[row][CALLS + d]) for row, size in zip(rows, moved, strict=True)],
        [*moved],
    )


def _few_files(requests: Requests, ids: list[int], processes: int) -> _Files:
    table, d = requests.table, requests.direction
    counters, ranks, shared = table.counters, table.rank_list, table.shared(d)
    number: dict[int, int] = {}
    of_row = [number.setdefault(file, len(number)) for file in ids]
    count = len(number)
    moved, calls, together = [0] * count, [0] * count, [0] * count
    users: list[set[int]] = [set() for _ in number]
    never = table.name in _NEVER_COLLECTIVE
    for row, file in zip(requests.rows, of_row, strict=True):
        of_this = counters[row]
        moved[file] += of_this[BYTES + d]
        calls[file] += of_this[CALLS + d]
        users[file].add(ranks[row])
        if not never and _is_collective(requests, row):
            together[file] += of_this[BYTES + d]
    alike = zip(number, moved, together, users, strict=True)
    return _Files(
        of_row,
        [_SHARED * (-1 in who or file in shared) + _COLLECTIVE * (2 * some > all_) for file, all_, some, who in alike],
        [size / (processes if -1 in who else len(who)) for size, who in zip(moved, users, strict=True)],
        [size / max(1, many) for size, many in zip(moved, calls, strict=True)],
        [*moved],
    )


def _many_files(requests: Requests, processes: int) -> _Files:
    table, rows, d = requests.table, requests.rows, requests.direction
    files, of_row = np.unique(table.files[rows], return_inverse=True)
    ranks, counters = table.ranks[rows], table.integers[rows]
    moved = np.bincount(of_row, counters[:, BYTES + d])
    calls = np.bincount(of_row, counters[:, CALLS + d])
    together = np.zeros(len(files), dtype=np.float64)
    if table.name not in _NEVER_COLLECTIVE:
        mine = [_is_collective(requests, row) for row in rows]
        together += np.bincount(of_row, counters[:, BYTES + d] * mine)
    pairs = np.unique(of_row * (processes + 1) + ranks + 1)
    hidden = np.bincount(of_row, ranks < 0) > 0
    users = np.where(hidden, processes, np.bincount(pairs // (processes + 1)))
    known = table.shared(d)
    shared = hidden | np.array([file in known for file in files.tolist()]) if known else hidden
    kinds = _SHARED * shared + _COLLECTIVE * (2 * together > moved)
    request = moved / np.maximum(calls, 1)
    return _Files(of_row.tolist(), kinds.tolist(), (moved / users).tolist(), request.tolist(), moved.tolist())


def _split(labels: list[int], values: list[float]) -> list[int]:
    """Return finer labels: of each, sorted by value, a new one begins where the value leaps."""
    finer = [0] * len(labels)
    number, last = 0, None
    for i in sorted(range(len(labels)), key=lambda i: (labels[i], values[i])):
        if last is not None and (labels[i] != labels[last] or values[i] > _ALIKE * values[last]):
            number += 1
        finer[i] = number
        last = i
    return finer
