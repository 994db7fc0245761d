"""What a replayed trace needs to be right: bytes that are there before it begins, and moments at which all ranks wait.

A read finds what the last write before it left. If another rank made that write, all ranks must wait for one another in
between; if nobody made it, the bytes were there before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.workloads.requests import Requests


def dependencies(requests: Requests) -> tuple[list[int], list[float]]:
    """Return how large each file must be beforehand, B, and when all ranks must wait for one another, s, ascending."""
    moments = effective_starts(requests)
    sizes = [0] * len(requests.ids)
    spans: list[tuple[float, float]] = []
    for file, places in requests.of_files():
        places = places[requests.length[places] > 0]
        writes = requests.write[places]
        if writes.all():
            continue
        if not writes.any():
            sizes[file] = int((requests.offset[places] + requests.length[places]).max())
        else:
            sizes[file], found = _sweep(requests, places, moments)
            spans += found
    return sizes, _stab(spans)


def effective_starts(requests: Requests) -> NDArray[np.float64]:
    """Return when each request can begin, s, as acic-bench orders a replay.

    A collective call takes place when its last rank has come, but not before one with a lower number; and what a rank
    does afterwards comes after it.
    """
    moments = requests.start.copy()
    places = np.flatnonzero(requests.call)
    if not len(places):
        return moments
    last = np.zeros(int(requests.call.max()) + 1)
    np.maximum.at(last, requests.call[places], requests.start[places])
    moments[places] = np.maximum.accumulate(last)[requests.call[places]]
    for rank in np.unique(requests.rank[places]):
        mine = np.flatnonzero(requests.rank == rank)
        moments[mine] = np.maximum.accumulate(moments[mine])
    return moments


def _sweep(
    requests: Requests, places: NDArray[np.intp], moments: NDArray[np.float64]
) -> tuple[int, list[tuple[float, float]]]:
    """Return the size that a file must have beforehand, and for each dependence the two moments it lies between."""
    begins, ends = requests.offset[places], requests.offset[places] + requests.length[places]
    edges = np.unique(np.concatenate([begins, ends]))
    low, high = edges.searchsorted(begins).tolist(), edges.searchsorted(ends).tolist()
    # a write counts from its end on, and goes before a read of the same moment
    when = np.where(requests.write[places], np.maximum(requests.end[places], moments[places]), moments[places])
    order = np.lexsort((~requests.write[places], when)).tolist()
    ranks, writes = requests.rank[places].tolist(), requests.write[places].tolist()
    began: list[float] = moments[places].tolist()
    behind: list[int] = edges[1:].tolist()
    # of the bytes from each edge to the next: who wrote them, when, and by which request
    writer, written, request = [-1] * len(edges), [0.0] * len(edges), [0] * len(edges)
    size = 0
    spans: list[tuple[float, float]] = []
    for at in order:  # lists, as most requests lie between two edges, where they are several times faster than arrays
        rank, now, part = ranks[at], began[at], range(low[at], high[at])
        if writes[at]:
            for place in part:
                writer[place], written[place], request[place] = rank, now, at
            continue
        needed = -1.0
        for place in part:
            if writer[place] == rank and request[place] < at:
                continue
            if writer[place] < 0 or written[place] >= now:
                size = max(size, behind[place])
            else:
                needed = max(needed, written[place])
        if needed >= 0:
            spans.append((needed, now))
    return size, spans


def _stab(spans: list[tuple[float, float]]) -> list[float]:
    """Return the fewest moments such that each span has one, behind its first and not behind its last."""
    found: list[float] = []
    for first, last in sorted(set(spans), key=lambda span: span[1]):
        if not found or found[-1] <= first:
            found.append(last)
    return found
