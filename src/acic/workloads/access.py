"""Access patterns: how the requests of one process lie in the file, from DXT's offsets or POSIX's counters."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping

from acic.workloads.columns import BYTES, CALLS, CONSECUTIVE, HIGHEST_BYTE, OPENS, SEEKS, SEQUENTIAL, STRIDES, WRITE
from acic.workloads.groups import Group
from acic.workloads.summary import Summary
from acic.workloads.tables import Table
from acic.workloads.traced import Traced
from acic.workloads.workload import ESTIMATED, EXACT, UNKNOWN, Access, Quality

_MOST = 0.5
_FORWARD = 0.9  # share of steps towards the end of the file, of a pattern that is not random
_STRIDES = 4  # that many different strides are still a pattern
_ENOUGH = 1000  # requests of a process that show its pattern
_SAME = 0.1  # by which requests of two levels may differ in number, if they are the same requests


def of_trace(traced: Traced) -> Access | None:
    """Return the pattern within a file, going back to its beginning left aside; None if offsets are not known."""
    if traced.consecutive:
        return Access.CONSECUTIVE
    steps = traced.steps(_ENOUGH)
    if steps is None:
        return None
    if steps.count(0) >= _MOST * len(steps):
        return Access.CONSECUTIVE
    back = bisect_left(sorted(steps), 0)
    if len(steps) - back >= _FORWARD * len(steps):
        return Access.STRIDED
    strides = Counter(filter(None, steps)).most_common(_STRIDES)
    repeated = sum(count for _, count in strides) if strides[0][1] > 1 else 0
    return Access.STRIDED if repeated > _MOST * len(steps) else Access.RANDOM


def of_counters(group: Group, processes: int, tables: Mapping[str, Table]) -> tuple[Access, Quality]:
    """Return the pattern, from POSIX's counters if POSIX saw the same requests; else a guess, marked as unknown.

    Args:
        group: of files.
        processes: that do I/O.
        tables: of all modules.
    """
    if not group.calls:
        return Access.CONSECUTIVE, UNKNOWN
    uses = group.uses_by(processes)
    if group.calls <= uses:
        sure = not group.reduced or (group.collective and group.calls == uses)
        return Access.CONSECUTIVE, EXACT if sure else ESTIMATED
    if group.table.name == "STDIO":
        return _stream(group)
    seen = _posix(group, tables)
    if seen is None:
        return (Access.STRIDED if group.shared else Access.CONSECUTIVE), UNKNOWN
    d, totals = group.direction, seen.totals
    steps = max(totals[CALLS + d] - uses, 1)
    consecutive = totals[CONSECUTIVE + d]
    if consecutive >= _MOST * steps:
        return Access.CONSECUTIVE, EXACT if consecutive == steps else ESTIMATED
    steps -= _opened_again(group, seen)  # the first request of an opening follows none
    if consecutive >= _MOST * steps:
        return Access.CONSECUTIVE, ESTIMATED if steps > 0 else UNKNOWN
    strided = sum(totals[STRIDES : STRIDES + 4]) * totals[CALLS + d] / max(totals[CALLS] + totals[CALLS + 1], 1)
    forward = totals[SEQUENTIAL + d] >= _FORWARD * steps
    if forward or strided >= _MOST * (steps - consecutive):
        return Access.STRIDED, ESTIMATED
    return Access.RANDOM, ESTIMATED


def contiguous(group: Group, processes: int, tables: Mapping[str, Table]) -> bool | None:
    """Return whether all requests of a process to a file follow one another without a gap, over all its iterations.

    As POSIX's counters have it, if POSIX saw the same requests; None where that is not known, or where it says nothing,
    as each process makes a single request.
    """
    uses = group.uses_by(processes)
    seen = None if group.table.name == "STDIO" or group.calls <= uses else _posix(group, tables)
    return None if seen is None else seen.totals[CONSECUTIVE + group.direction] >= group.calls - uses


def jumps(group: Group, processes: int, tables: Mapping[str, Table]) -> int:
    """Return how often processes went on elsewhere in a file than behind their request before, as POSIX counted it.

    0 where that is not known: of streams, and where POSIX saw other requests.
    """
    seen = None if group.collective or group.table.name == "STDIO" else _posix(group, tables)
    if seen is None:
        return 0
    d, totals = group.direction, seen.totals
    return max(0, totals[CALLS + d] - group.uses_by(processes) - totals[CONSECUTIVE + d])


def times_over(group: Group, tables: Mapping[str, Table]) -> float | None:
    """Return how often each byte of the group's files was moved by all processes; below 1.0 where some were not.

    The bytes moved over those that lie before the highest one touched, as POSIX or the C library saw it; None if the
    log does not tell that.
    """
    if may_append(group):
        return None
    table = group.table if group.table.name == "STDIO" else tables.get("POSIX")
    if table is None:
        return None
    rows = group.rows if table is group.table else table.rows_of(group.files)
    seen, column = table.summary(rows), HIGHEST_BYTE + group.direction
    highest = seen.totals[column]
    if len(seen.files) < len(rows):  # a record for each process
        most: dict[int, int] = {}
        reached = table.column(column)
        for row in rows:
            file = table.file_list[row]
            most[file] = max(most.get(file, 0), reached[row])
        highest = sum(most.values())
    return group.bytes / (highest + len(seen.files)) if highest else None


def may_append(group: Group) -> bool:
    """Return whether openings of the group's files may go on behind what earlier ones wrote, or write over it.

    At each opening Darshan counts places from 0 again, whether it was to append (O_APPEND, "a") or not; a seek tells.
    """
    if group.direction != WRITE or group.table.name not in ("POSIX", "STDIO") or group.totals[SEEKS]:
        return False
    return _opened_again(group, group.table.summary(group.rows)) > 0


def _opened_again(group: Group, seen: Summary) -> int:
    """Return how often processes opened the group's files when they had before: each once for either direction."""
    once = group.processes * seen.hidden + seen.pairs
    return max(0, seen.totals[OPENS] - once * (2 if seen.totals[CALLS + 1 - group.direction] else 1))


def _stream(group: Group) -> tuple[Access, Quality]:
    """Return the pattern of a stream, which goes on unless it is told to seek."""
    if not group.totals[SEEKS]:
        return Access.CONSECUTIVE, EXACT
    size = group.totals[HIGHEST_BYTE + group.direction] + len(group.rows)
    few = group.totals[SEEKS] <= _SAME * group.calls
    return Access.CONSECUTIVE, ESTIMATED if few or group.bytes % size == 0 else UNKNOWN


def _posix(group: Group, tables: Mapping[str, Table]) -> Summary | None:
    """Return POSIX's counters for the group's files, if its requests are the group's."""
    if group.table.name == "POSIX":
        return group.table.summary(group.rows)
    table = tables.get("POSIX")
    if table is None:
        return None
    seen = table.about(group.files)
    calls, moved = seen.totals[CALLS + group.direction], seen.totals[BYTES + group.direction]
    same = abs(calls - group.calls) <= _SAME * group.calls and abs(moved - group.bytes) <= _SAME * group.bytes
    return seen if same else None
