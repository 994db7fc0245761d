"""Participants: how many processes do I/O, also where Darshan merged the records of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import (
    BYTES,
    BYTES_VARIANCE,
    FASTEST_BYTES,
    FIRST,
    HIGHEST_BYTE,
    LIBRARY_DATA,
    READ,
    SLOWEST_BYTES,
    WRITE,
)
from acic.workloads.darshan import Heatmap
from acic.workloads.groups import Group
from acic.workloads.traced import Traced
from acic.workloads.workload import ESTIMATED, EXACT, UNKNOWN, Quality

HeatmapOf = Callable[[Group], Heatmap | None]
"""Gives the heat map of the level that counts a group's requests: only on demand, as few groups need it."""

_LEAST = 0.001  # share of the busiest process's bytes; who moves less writes headers
_SAME = 0.05  # by which the bytes of a heat map and of a group may differ, if they are the same
_OWN = 2.0  # times the mean rank's bytes that are of other files, above which a rank moves some of the group's

_NEARLY = 0.9  # of what is read, so that what the rest is hardly matters


def io_processes(group: Group, traced: Traced | None, heatmap_of: HeatmapOf) -> tuple[int, Quality]:
    """Return how many processes move the group's bytes.

    From the ranks of the records; where these are merged, from how unevenly the bytes are spread over all ranks, if
    that leaves no doubt, else from the trace or the heat map. Those that write but headers are left out, and then the
    number is not exact: files may be safe with one writer alone.
    """
    if not group.reduced:
        return group.ranks, ESTIMATED if group.table.partial else EXACT
    if group.processes == 1:
        return 1, EXACT
    if traced is not None and traced.bytes == group.bytes and traced.busy(_LEAST) == group.processes:
        return group.processes, EXACT  # nothing that the variance tells could be surer
    found = _from_variance(group)
    if found[1] is EXACT:
        return found
    if traced is not None and traced.bytes >= (1 - _SAME) * group.bytes:
        busy = traced.busy(_LEAST)
        return busy, EXACT if traced.bytes >= group.bytes and busy == traced.busy(0.0) else ESTIMATED
    if (seen := _busy(group, heatmap_of)) is not None:
        ranks, sure = seen
        return len(ranks), EXACT if sure else ESTIMATED
    return found


def written_by_others(group: Group) -> bool:
    """Return whether most of what a group reads is of files that other ranks wrote, and the readers did not."""
    table = group.table
    if group.direction == WRITE or not (writers := table.writers):
        return False
    read, files, ranks = table.moved(READ), table.file_list, table.rank_list
    theirs = [read[row] for row in group.rows if (who := writers.get(files[row])) and ranks[row] not in who]
    return 2 * sum(theirs) > group.bytes


def written_before(group: Group) -> bool:
    """Return whether nearly all that a group reads is of files that the job had begun to write, and wrote as far."""
    table = group.table
    own = table.both(READ).intersection(group.files) if group.direction == READ else frozenset[int]()
    if not own:
        return False
    files, moved = table.file_list, (table.moved(READ), table.moved(WRITE))
    written, reached = dict.fromkeys(own, 0), dict.fromkeys(own, 0)
    began = {file: [math.inf, math.inf] for file in own}
    rows = table.rows_of(own)
    for row in rows:
        file, times = files[row], table.times[row]
        written[file] += moved[WRITE][row]
        reached[file] = max(reached[file], table.counters[row][HIGHEST_BYTE + READ] + 1)
        for d in (READ, WRITE):
            if moved[d][row]:
                began[file][d] = min(began[file][d], times[FIRST + d])
    made = {file for file in own if written[file] >= reached[file] and began[file][WRITE] < began[file][READ]}
    return sum([moved[READ][row] for row in rows if files[row] in made]) >= _NEARLY * group.bytes


def ranks_apart(group: Group, heatmap_of: HeatmapOf) -> float | None:
    """Return how far the ranks that move the group's bytes lie apart, on average: 1.0 where one follows the other.

    None if records hide them and the heat map has other bytes too, or if there is only one.
    """
    if not group.reduced:
        ranks = [group.table.rank_list[row] for row in group.rows]
    elif (busy := _busy(group, heatmap_of)) is not None:
        ranks = busy[0]
    else:
        return None
    return (max(ranks) - min(ranks)) / (len(set(ranks)) - 1) if len(set(ranks)) > 1 else None


def _busy(group: Group, heatmap_of: HeatmapOf) -> tuple[list[int], bool] | None:
    """Return the ranks that move a group's bytes by its heat map, and whether these are all that move any.

    None where the heat map has others' bytes, too. Of those that are left, which no record tells the rank of, each rank
    is taken to have moved as much.
    """
    if (heatmap := heatmap_of(group)) is None:
        return None
    every: list[int] = np.add.reduce(moved_by(heatmap, group.direction), axis=1).tolist()
    others = _of_other_files(group)
    moved = {rank: max(0, size - others.get(rank, 0)) for rank, size in zip(heatmap.ranks.tolist(), every, strict=True)}
    more = sum(moved.values()) - group.bytes
    if abs(more) > _SAME * group.bytes:
        return None
    least = _LEAST * max(moved.values())
    sure = 0 <= more <= least  # too few bytes to make anybody count
    least = least if sure else max(least, _OWN * more / len(moved))
    ranks = [rank for rank, size in moved.items() if size > least]
    return ranks, sure and len(ranks) == len([size for size in moved.values() if size])


def _of_other_files(group: Group) -> dict[int, int]:
    """Return the B that each rank moved of other files, in the group's direction, of those that records tell of.

    A heat map below a library has what that itself moves of all its files, which no record tells apart.
    """
    table, others = group.table, dict[int, int]()
    if table.name in LIBRARY_DATA.values():
        return others
    unknown = {file for file, rank in zip(table.file_list, table.rank_list, strict=True) if rank < 0}
    unknown.update(group.files)
    for file, rank, size in zip(table.file_list, table.rank_list, table.moved(group.direction), strict=True):
        if size and file not in unknown:
            others[rank] = others.get(rank, 0) + size
    return others


def moved_by(heatmap: Heatmap, direction: int) -> NDArray[np.int64]:
    """Return the bytes of one direction, shape (ranks, bins)."""
    return heatmap.write_bytes if direction == WRITE else heatmap.read_bytes


def even(group: Group, traced: Traced | None) -> bool:
    """Whether each process that moves anything is known to move the same."""
    if group.reduced:
        if traced is not None and traced.bytes == group.bytes:
            return traced.even
        return group.times[BYTES_VARIANCE] == 0
    table, moved = group.table, group.table.moved(group.direction)
    if len(group.rows) == group.ranks:
        of_rows = [moved[row] for row in group.rows]
        return min(of_rows) == max(of_rows)
    each: dict[int, int] = {}
    for row in group.rows:
        rank = table.rank_list[row]
        each[rank] = each.get(rank, 0) + moved[row]
    return min(each.values()) == max(each.values())


def _from_variance(group: Group) -> tuple[int, Quality]:
    """Return an estimate from the variance of the bytes that ranks moved, reads and writes together.

    If k of n ranks moved the same and the others nothing, the variance is mean^2 (n / k - 1). Whatever they moved,
    at least n / (1 + variance / mean^2) of them moved something.
    """
    table, processes = group.table, group.processes
    of_direction = table.moved(group.direction)
    merged = [row for row in group.rows if table.rank_list[row] < 0]
    one = table.summary([max(merged, key=lambda row: (of_direction[row], table.file_list[row]))])
    alone = len(merged) == len(group.rows) == 1  # else other records may be of other processes
    moved, variance = one.totals[BYTES : BYTES + 2], one.times[BYTES_VARIANCE]
    mean = sum(moved) / processes
    at_least = min(processes, max(1, math.ceil(processes / (1 + variance / mean**2) - 1e-6)))
    at_least = max(at_least, group.ranks)
    at_most = processes if group.collective else min(processes, max(group.calls, at_least))
    one_direction = min(moved) == 0
    if at_least >= at_most:
        return at_most, EXACT if one_direction else ESTIMATED
    if alone and at_least == 1 and variance >= (processes - 1) * mean**2 * (1 - 1e-9):
        return 1, EXACT
    if group.collective or (at_least > processes / 2 and one.totals[FASTEST_BYTES] and one.totals[SLOWEST_BYTES]):
        return at_most, ESTIMATED
    if one_direction:
        return at_least, ESTIMATED
    return at_most, UNKNOWN
