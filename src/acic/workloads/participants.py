"""Participants: how many processes do I/O, also where Darshan merged the records of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan import Heatmap
from acic.workloads.groups import Group
from acic.workloads.sequences import Traced
from acic.workloads.tables import BYTES_VARIANCE, FASTEST_BYTES, SLOWEST_BYTES, WRITE
from acic.workloads.workload import Quality

HeatmapOf = Callable[[Group], Heatmap | None]
"""Gives the heat map of the level that counts a group's requests: only on demand, as few groups need it."""

_LEAST = 0.001  # share of the busiest process's bytes; who moves less writes headers
_SAME = 0.05  # by which the bytes of a heat map and of a group may differ, if they are the same


def io_processes(group: Group, traced: Traced | None, heatmap_of: HeatmapOf) -> tuple[int, Quality]:
    """Return how many processes move the group's bytes.

    From the ranks of the records; where these are merged, from the trace, the heat map, or from how unevenly the
    bytes are spread over all ranks.
    """
    if not group.reduced:
        return group.ranks, Quality.ESTIMATED if group.table.partial else Quality.EXACT
    if group.processes == 1:
        return 1, Quality.EXACT
    if traced is not None and traced.bytes >= (1 - _SAME) * group.bytes:
        return traced.busy(_LEAST), Quality.EXACT
    if (heatmap := heatmap_of(group)) is not None:
        moved = moved_by(heatmap, group.direction).sum(axis=1)
        if group.bytes * (1 - _SAME) <= int(moved.sum()) <= group.bytes * (1 + _SAME):
            return int((moved > _LEAST * int(moved.max())).sum()), Quality.EXACT
    return _from_variance(group)


def moved_by(heatmap: Heatmap, direction: int) -> NDArray[np.int64]:
    """Return the bytes of one direction, shape (ranks, bins)."""
    return heatmap.write_bytes if direction == WRITE else heatmap.read_bytes


def even(group: Group, traced: Traced | None) -> bool:
    """Whether each process that moves anything is known to move the same."""
    if group.reduced:
        if traced is not None and traced.bytes == group.bytes:
            return traced.even
        return group.times[BYTES_VARIANCE] == 0
    table, d = group.table, group.direction
    each: dict[int, int] = {}
    for row in group.rows:
        rank = table.rank_list[row]
        each[rank] = each.get(rank, 0) + table.moved[row][d]
    return min(each.values()) == max(each.values())


def _from_variance(group: Group) -> tuple[int, Quality]:
    """Return an estimate from the variance of the bytes that ranks moved, reads and writes together.

    If k of n ranks moved the same and the others nothing, the variance is mean^2 (n / k - 1). Whatever they moved,
    at least n / (1 + variance / mean^2) of them moved something.
    """
    table, processes = group.table, group.processes
    largest = max(group.rows, key=lambda row: table.moved[row][group.direction])
    one = table.summary([largest])
    moved, variance = table.moved[largest], one.times[BYTES_VARIANCE]
    mean = sum(moved) / processes
    at_least = min(processes, max(1, math.ceil(processes / (1 + variance / mean**2) - 1e-6)))
    at_most = processes if group.collective else min(processes, max(group.calls, 1))
    one_direction = min(moved) == 0
    if at_least >= at_most:
        return at_most, Quality.EXACT if one_direction else Quality.ESTIMATED
    if at_least == 1 and variance >= (processes - 1) * mean**2 * (1 - 1e-9):
        return 1, Quality.EXACT
    if group.collective or (at_least > processes / 2 and one.totals[FASTEST_BYTES] and one.totals[SLOWEST_BYTES]):
        return at_most, Quality.ESTIMATED
    if one_direction:
        return at_least, Quality.ESTIMATED
    return at_most, Quality.UNKNOWN
