"""Growing files: read by some processes, which keep them open, while others still write them."""

from __future__ import annotations

import math

from acic.workloads.columns import CALLS, CONSECUTIVE, FIRST, LAST, OPENS, READ, WRITE
from acic.workloads.groups import Group

_KEPT = 2  # reads for each time that somebody opens the file: fewer, and it is opened anew to see what is new
_MODULES = ("POSIX", "STDIO")  # what MPI-IO and libraries have read while they write is their own doing


def read_while_written(group: Group) -> bool:
    """Return whether most of what a group reads is of files that others write for as long, as far as counters tell.

    Reads have to follow one another in the file, half of them at least where that is counted, and to go on for half of
    the time from the first write to the last one. Where one record stands for all processes, others are thought to
    read what each wrote if that is read once at least.
    """
    table = group.table
    if group.direction == WRITE or table.name not in _MODULES or group.processes == 1:
        return False
    grown = table.both(WRITE).intersection(group.files)
    if not grown:
        return False
    written, read, files, ranks = table.moved(WRITE), table.moved(READ), table.file_list, table.rank_list
    spans: dict[int, tuple[float, float]] = {}
    writers: dict[int, set[int]] = {}
    for row in table.rows_of(grown):
        if written[row]:
            first, last = spans.get(files[row], (math.inf, 0.0))
            times = table.times[row]
            spans[files[row]] = min(first, times[FIRST + WRITE]), max(last, times[LAST + WRITE])
            writers.setdefault(files[row], set()).add(ranks[row])

    def grows(row: int) -> bool:
        """Return whether others write the file of a row while it is read."""
        counters, times = table.counters[row], table.times[row]
        alone = written[row] > read[row] if ranks[row] < 0 else writers[files[row]] == {ranks[row]}
        astray = table.name == "POSIX" and 2 * counters[CONSECUTIVE + READ] < counters[CALLS + READ]
        if alone or astray or counters[CALLS + READ] < _KEPT * counters[OPENS]:
            return False
        first, last = spans[files[row]]
        both = min(last, times[LAST + READ]) - max(first, times[FIRST + READ])
        return both > 0.0 and 2 * both >= last - first

    return 2 * sum(read[row] for row in group.rows if files[row] in grown and grows(row)) > group.bytes
