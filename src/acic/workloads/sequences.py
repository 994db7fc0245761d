"""Sequences: the requests of processes in the order of time, as DXT or the records' timestamps tell them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import BYTES, FIRST, LAST
from acic.workloads.groups import Group

BULK = 0.1
"""Share of the mean request; a smaller one is a header, not data."""

_SAMPLE = 3  # processes looked at: what SPMD programs do shows in a few


@dataclass(slots=True)
class Process:
    """The requests of one process and direction, in the order of time.

    Args:
        start: of each, s since the start of the job.
        end: of each, s.
        length: of each, B.
        offset: of each in its file, B; None if not known.
        file: a number for the file of each; None if there is but one.
        idle: for each but the first, how long the process did nothing in either direction before it, s; None if it
            moved nothing in the other direction in between.
    """

    start: NDArray[np.float64]
    end: NDArray[np.float64]
    length: NDArray[np.int64]
    offset: NDArray[np.int64] | None
    file: NDArray[np.int64] | None = None
    idle: NDArray[np.float64] | None = None

    def gaps(self) -> NDArray[np.float64]:
        """Return how long the process made no such request before each but the first, s."""
        return self.start[1:] - self.end[:-1] if self.idle is None else self.idle


def of_records(group: Group) -> list[Process]:
    """Return a group's records as if each was one request, from first start to last end, of its rank (or of all)."""
    table, d = group.table, group.direction
    by_rank: dict[int, list[int]] = {}
    for row in group.rows:
        by_rank.setdefault(table.rank_list[row], []).append(row)
    found = []
    for rank in sample(by_rank, _SAMPLE):
        rows = np.array(by_rank[rank])
        rows = rows[table.floats[rows, FIRST + d].argsort(kind="stable")]
        files = table.files[rows].view(np.int64)
        times, moved = table.floats[rows], table.integers[rows, BYTES + d]
        one_file = bool((files == files[0]).all())
        one = Process(times[:, FIRST + d], times[:, LAST + d], moved, None, None if one_file else files)
        found.append(bulk(one, BULK * group.bytes / len(group.rows)))
    return found


def sample(ranks: Iterable[int], size: int) -> list[int]:
    """Return at most `size` of the ranks, evenly spread."""
    known = sorted(ranks)
    if len(known) <= size:
        return known
    return [known[i * (len(known) - 1) // (size - 1)] for i in range(size)]


def bulk(process: Process, least: float) -> Process:
    """Return the process less its requests of fewer than `least` bytes; with all of them if none is larger."""
    keep = process.length >= max(least, 1.0)
    kept = np.count_nonzero(keep)
    if kept == len(keep) or not kept:
        return process
    if process.file is not None and len(set(process.file[keep].tolist())) < len(set(process.file.tolist())):
        return process  # small files are files, too
    return Process(
        process.start[keep],
        process.end[keep],
        process.length[keep],
        None if process.offset is None else process.offset[keep],
        None if process.file is None else process.file[keep],
    )
