"""Timing: how long the job waits in a group's I/O, and how unevenly the processes do.

With a trace that is complete, the union of all intervals in which some process reads (or writes), plus the mean
metadata time of a process. Without, the time of the slowest process: of a merged record Darshan's own figure, shared
between the directions by their times; or the union of the records, where no process paused. Of a union that is much
longer than the slowest process's time only what others wait for counts, and what the busiest does beside it. Metadata
time (open, close, stat, ...) of files that are written is the writes'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress, islice
from operator import gt

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import BYTES, META_SECONDS, SECONDS, SLOWEST_SECONDS, WRITE
from acic.workloads.groups import Group
from acic.workloads.spells import Spells, closes, spells
from acic.workloads.tables import Table
from acic.workloads.trace import Spans
from acic.workloads.traced import Traced
from acic.workloads.turns import Turns, turns
from acic.workloads.workload import Interface

APART = 2.0
"""Times the slowest process's time, up to which some process or other is in I/O where all do the same: unevenly."""

_MANY = 500  # requests, from which on numpy beats a loop
_FILES = {Interface.HDF5: "H5F", Interface.PNETCDF: "PNETCDF_FILE"}


@dataclass(slots=True)
class Stretches:
    """Stretches of time, s since the start of the job."""

    starts: list[float]
    ends: list[float]

    @property
    def seconds(self) -> float:
        """How long they are together."""
        return sum(self.ends) - sum(self.starts)


@dataclass(slots=True)
class Timing:
    """Where a group's time goes.

    Args:
        seconds: that the job waits in the group's I/O; 0 where nothing `measured` any request.
        metadata: part of it that is open, close, stat and the like, s.
        imbalance: slowest process's time over the mean one's; None if not known.
        spells: when its records were used.
        busy: the stretches with I/O that all wait for; None without a trace.
        spread: s in which some process or other is in I/O, where not all wait for each; else 0.
    """

    seconds: float
    metadata: float
    imbalance: float | None
    spells: Spells
    busy: Stretches | None
    measured: bool
    spread: float = 0.0


def timing(group: Group, processes: int, traced: Traced | None, tables: Mapping[str, Table]) -> Timing:
    """Return where the time of a group goes, of which `processes` do I/O."""
    own = _metadata_of(group)
    mine = spells(group)
    slowest, imbalance = _slowest(group, mine, processes)
    files = tables.get(_FILES[group.interface]) if group.interface in _FILES else None
    metadata = own / processes
    if files is not None:  # the library's open and close hold those of the levels below
        above = _metadata(files, group) * group.bytes / (group.totals[BYTES] + group.totals[BYTES + 1]) / processes
        slowest += max(0.0, above - metadata)
        metadata = max(metadata, above)
    busy, beside, spread = None, metadata, 0.0
    if traced is not None:
        busy = union(traced.spans())
        if group.reduced and min(group.totals[BYTES], group.totals[BYTES + 1]):
            imbalance = traced.imbalance()  # Darshan's own figure is of both directions together
    elif group.spans and mine.steady():
        busy, beside = merged(mine.first, mine.last), 0.0  # what closing files took is in it
    elif group.spans:
        busy = merged(*group.spans)
    measured = group.times[SECONDS + group.direction] > 0 or (busy is not None and busy.seconds > 0)
    if busy is not None:
        if len(busy.starts) > 1 and busy.seconds > APART * slowest:
            found = turns(*(traced.by_rank() if traced is not None else _records(group, mine)))
            waited = _waited_for(busy, found)
            if busy.seconds > APART * max(slowest, waited.seconds + found.apart):
                busy, beside, spread = waited, beside + found.apart, busy.seconds
        slowest = max(slowest, busy.seconds + beside)
    return Timing(slowest, metadata, imbalance, mine, busy if busy and busy.starts else None, measured, spread)


def _records(group: Group, mine: Spells) -> tuple[list[int], list[float], list[float]]:
    """Return the rank, first and last instant of each record, s."""
    first, last = group.spans if group.spans and not mine.steady() else (mine.first, mine.last)
    return mine.rank, first, last


def _waited_for(busy: Stretches, found: Turns) -> Stretches:
    """Return the stretches that all wait for."""
    mine = found.waited[np.searchsorted(found.begins, busy.starts, side="right") - 1].tolist()
    return Stretches([*compress(busy.starts, mine)], [*compress(busy.ends, mine)])


def union(spans: Spans) -> Stretches:
    """Return the stretches that the requests cover, in the order of time."""
    starts, ends = spans
    if isinstance(starts, list) and isinstance(ends, list):
        return merged(starts, ends)
    return _merged_arrays(np.asarray(starts), np.asarray(ends))


def merged(starts: list[float], ends: list[float]) -> Stretches:
    """Return what some spans cover, each stretch once, in the order of time."""
    if len(starts) > _MANY:
        return _merged_arrays(np.array(starts), np.array(ends))
    if any(map(gt, starts, ends)):
        ends = list(map(max, starts, ends))
    # a stretch ends where as many spans have ended as had begun before the next one
    starts, ends = sorted(starts), sorted(ends)
    begins = list(map(gt, islice(starts, 1, None), ends))
    return Stretches([*starts[:1], *compress(starts[1:], begins)], [*compress(ends, begins), *ends[-1:]])


def _merged_arrays(starts: NDArray[np.float64], ends: NDArray[np.float64]) -> Stretches:
    if not len(starts):
        return Stretches([], [])
    starts, ends = np.sort(starts), np.sort(np.maximum(starts, ends))
    (begins,) = (starts[1:] > ends[:-1]).nonzero()
    return Stretches(
        [float(starts[0]), *starts[1:].take(begins).tolist()], [*ends.take(begins).tolist(), float(ends[-1])]
    )


def _metadata(files: Table, group: Group) -> float:
    """Return the time of all ranks in the metadata calls of the library on the group's files, s."""
    return files.about(group.files).times[META_SECONDS]


def _metadata_of(group: Group) -> float:
    """Return the time of all processes in metadata calls that belongs to the group's direction, s."""
    return group.times[META_SECONDS] if closes(group.totals[BYTES + WRITE], group.direction) else 0.0


def _slowest(group: Group, mine: Spells, processes: int) -> tuple[float, float | None]:
    """Return the slowest process's time in one direction, s, and how much it exceeds the mean one's."""
    times = group.times
    mean = (times[SECONDS + group.direction] + _metadata_of(group)) / processes
    hidden = [at for at, rank in enumerate(mine.rank) if rank < 0]
    together = sum([mine.busy[at] for at in hidden])
    if len(hidden) > 1:  # another rank may be the slowest in each file, beside one another
        windows = merged([mine.first[at] for at in hidden], [mine.last[at] for at in hidden])
        together = min(together, windows.seconds)
    if group.ranks == 0:
        slowest, total = times[SLOWEST_SECONDS], (times[SECONDS] + times[SECONDS + 1] + times[META_SECONDS]) / processes
        return max(together, mean), max(1.0, slowest / total) if total and slowest else None
    slowest = together + max(mine.alone().values())
    return slowest, max(1.0, slowest / mean) if mean else None
