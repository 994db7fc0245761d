"""Lone writers: files that one process wrote and all read, where one record stands for all of them.

Darshan merges the records of a file that all processes use. The variance of the bytes that they moved tells whether
one of them wrote it: then there are two records again, the writer's and that of all who read.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from acic.workloads.columns import (
    BYTES,
    BYTES_VARIANCE,
    CALLS,
    CLOSED,
    DIRECTED,
    FASTEST_BYTES,
    FIRST,
    LAST,
    META_SECONDS,
    OPENS,
    READ,
    SECONDS,
    SLOWEST_BYTES,
    SLOWEST_RANK,
    SLOWEST_SECONDS,
    SWITCHES,
    SYNCS,
    UNALIGNED,
    WRITE,
)
from acic.workloads.tables import Table

_SAME = 1e-3
_UNKNOWN = -1


def unmerged(tables: Mapping[str, Table], processes: int) -> dict[str, Table]:
    """Return the tables, whose records of files of a lone writer are two.

    Args:
        tables: by their modules.
        processes: of the job.
    """
    found = {**tables}
    for name in ("POSIX", "STDIO"):
        if (table := tables.get(name)) is not None and processes > 1 and -1 in table.rank_list:
            above = {file for other, one in tables.items() if other not in ("POSIX", "STDIO") for file in one.file_list}
            if writers := _writers(table, processes, above):
                found[name] = _split(table, writers, processes)
    return found


def _writers(table: Table, processes: int, above: set[int]) -> dict[int, int]:
    """Return the rank of the lone writer of each row that has one, of files that no library or MPI-IO has."""
    rows = zip(table.file_list, table.rank_list, table.moved(READ), table.moved(WRITE), strict=True)
    both = [at for at, (file, rank, *moved) in enumerate(rows) if rank < 0 and all(moved) and file not in above]
    found = {row: writer for row in both if (writer := _writer(table, row, processes)) is not None}
    for turn, row in enumerate([row for row, rank in found.items() if rank == _UNKNOWN]):
        found[row] = turn % processes  # somebody wrote it: one after the other
    return found


def _writer(table: Table, row: int, processes: int) -> int | None:
    """Return the rank of the lone writer of a row's file; None where it has none, or that is not sure.

    If all read as much as the others, and one wrote all of W bytes, the variance is (W / n)^2 (n - 1).
    """
    counters, variance = table.counters[row], table.times[row][BYTES_VARIANCE]
    read, written = counters[BYTES + READ], counters[BYTES + WRITE]
    of_writer, of_reader = ((one / processes) ** 2 * (processes - 1) for one in (written, read))
    if abs(variance - of_writer) > _SAME * of_writer:
        return None
    if abs(variance - of_reader) <= _SAME * of_reader and counters[CALLS + WRITE] >= processes:
        return None  # as it would be if all wrote, and one read
    own = written + read / processes
    slowest = abs(counters[SLOWEST_BYTES] - own) <= _SAME * written and counters[SLOWEST_RANK] < processes
    return counters[SLOWEST_RANK] if slowest else _UNKNOWN


def _split(table: Table, writers: Mapping[int, int], processes: int) -> Table:
    """Return the table with a record of the writer behind each of these rows, which are left to those who read."""
    order: list[int] = []
    ranks: list[int] = []
    counters: list[list[int]] = []
    times: list[list[float]] = []
    for at, rank in enumerate(table.rank_list):
        copies = 1 if at not in writers else 2
        order += [at] * copies
        ranks += [rank, writers[at]] if copies == 2 else [rank]
        for _ in range(copies):
            counters.append([*table.counters[at]])
            times.append([*table.times[at]])
        if copies == 2:
            _share(counters[-2:], times[-2:], processes)
    return Table(
        table.name,
        table.files[order],
        np.array(ranks, dtype=np.int64),
        lambda: (np.array(counters), np.array(times)),
        partial=table.partial,
        source=table.source,
        load_rows=lambda: (counters, times),
        count=lambda rows, way: table.requests_by_size([order[row] for row in rows], way),
    )


def _share(counters: list[list[int]], times: list[list[float]], processes: int) -> None:
    """Share two equal rows among all who read and the one who wrote, in place."""
    readers, writer = counters
    for column in DIRECTED:
        readers[column + WRITE] = writer[column + READ] = 0
    readers[SYNCS : SYNCS + 3] = [0, 0, 0]
    readers[SWITCHES] = writer[SWITCHES] = 0
    writer[OPENS] %= processes  # where all opened it as often as the others did, to read it
    readers[OPENS] -= writer[OPENS]
    writer[UNALIGNED] = min(writer[UNALIGNED], writer[CALLS + WRITE])
    readers[UNALIGNED] -= writer[UNALIGNED]
    readers[FASTEST_BYTES] = readers[SLOWEST_BYTES] = readers[BYTES + READ] // processes
    reading, writing = times
    spent = writing[SECONDS + WRITE] + writing[SECONDS + READ] / processes
    # closing what was written takes longer than opening it to read
    writing[META_SECONDS] = min(writing[META_SECONDS], max(writing[SLOWEST_SECONDS] - spent, 0.0))
    reading[META_SECONDS] -= writing[META_SECONDS]
    for column in (SECONDS, FIRST, LAST):
        reading[column + WRITE] = writing[column + READ] = 0.0
    writing[CLOSED] = min(writing[CLOSED], writing[LAST + WRITE] + writing[META_SECONDS])
    writing[SLOWEST_SECONDS] = writing[SECONDS + WRITE] + writing[META_SECONDS]
    reading[SLOWEST_SECONDS] = (reading[SECONDS + READ] + reading[META_SECONDS]) / processes
    reading[BYTES_VARIANCE] = writing[BYTES_VARIANCE] = 0.0
