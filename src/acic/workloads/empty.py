"""Empty files: those of which nothing is moved, as locks and what is only looked for, and the seconds they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from acic.workloads.columns import META_SECONDS, MODE, OPENS, READ, SLOWEST_SECONDS, WRITE
from acic.workloads.details import names_by
from acic.workloads.tables import Table
from acic.workloads.workload import Interface, Phase

_BY_NAME = (Interface.POSIX, Interface.STDIO)
_MOVES = ("POSIX", "STDIO")


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """Files of which nothing is read or written.

    Args:
        seconds: the slowest process's, in metadata calls on them, s.
        made: how often all processes together open one with leave to make it.
        asked: how often they open others.
        processes: that do so, if all did as much as the busiest.
    """

    seconds: float
    made: int
    asked: int
    processes: float


_NONE = Empty(seconds=0.0, made=0, asked=0, processes=0.0)


def empty_files(tables: Mapping[str, Table], processes: int) -> Empty:
    """Return what a log tells of files of which nothing is moved.

    Where others move what one process only opened, the file is not empty, but the seconds are in no phase either.

    Args:
        tables: of the log.
        processes: of the job, among which what is known of all together is shared.
    """
    above = {file for name, table in tables.items() if name not in _MOVES for file in table.file_list}
    empty = [(table, rows) for name in _MOVES if (table := tables.get(name)) and (rows := _unmoved(table, above))]
    if not empty:
        return _NONE
    moved = {file for name in _MOVES if name in tables for file in _moved(tables[name])}
    seconds, made, asked, together = 0.0, 0, 0, 0
    alone: dict[int, int] = {}
    for table, rows in empty:
        seconds += _seconds(table, rows)
        times, modes, ranks = table.column(OPENS), table.column(MODE), table.rank_list
        for row in rows:
            if table.file_list[row] in moved:
                continue
            if modes[row] > 0:
                made += times[row]
            else:
                asked += times[row]
            if ranks[row] < 0:
                together += times[row]
            else:
                alone[ranks[row]] = alone.get(ranks[row], 0) + times[row]
    busiest = max(alone.values(), default=0) + together / processes
    return Empty(
        seconds=seconds,
        made=made,
        asked=asked,
        processes=min(float(processes), (made + asked) / busiest) if busiest else 0.0,
    )


def told_of(empty: Empty, phases: Sequence[Phase], run: float) -> list[Phase]:
    """Return the phases, of which the one with most files that are used by their names tells of the empty ones, too.

    No log tells which names were removed. An empty file that is made is taken for a lock, which is.

    Args:
        empty: what is told of.
        phases: of the log.
        run: seconds of the job; 0.0 or less: not known.
    """
    found = [*phases]
    places = [place for place, one in enumerate(phases) if one.characteristics.interface in _BY_NAME]
    if not places or not (empty.made or empty.asked):
        return found
    place = max(places, key=lambda place: phases[place].files)
    one = phases[place]
    taken = None if one.seconds is None else one.seconds + empty.seconds
    counts = {"empty_files": empty.made, "asked_files": empty.asked, "removed_files": empty.made}
    by = names_by(one, sum(counts.values()), empty.processes)
    told = {name: count for name, count in counts.items() if count} | {"names_by": by}
    taken = min(taken, run) if taken is not None and run > 0 else taken
    found[place] = replace(one, seconds=taken, details={**one.details, **told})
    return found


def _unmoved(table: Table, above: Set[int]) -> list[int]:
    """Return the rows of files that are not used through what is above, of which nothing is read or written."""
    rows = [row for row, file in enumerate(table.file_list) if file not in above]
    if not rows:
        return []
    read, written = table.moved(READ), table.moved(WRITE)
    return [row for row in rows if not read[row] and not written[row]]


def _moved(table: Table) -> set[int]:
    """Return the files of which something is read or written."""
    pairs = zip(table.file_list, table.moved(READ), table.moved(WRITE), strict=True)
    return {file for file, read, written in pairs if read or written}


def _seconds(table: Table, rows: Sequence[int]) -> float:
    """Return the slowest process's time in metadata calls, as some rows tell it, s."""
    spent, slowest, ranks = table.seconds(META_SECONDS), table.seconds(SLOWEST_SECONDS), table.rank_list
    of_rank: dict[int, float] = {}
    of_all = 0.0
    for row in rows:
        if ranks[row] < 0:
            of_all += slowest[row]
        else:
            of_rank[ranks[row]] = of_rank.get(ranks[row], 0.0) + spent[row]
    return max(of_rank.values(), default=0.0) + of_all
