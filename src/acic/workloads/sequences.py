"""Sequences: the requests of processes in the order of time, as DXT or the records' timestamps tell them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import add, sub

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan import Segments
from acic.workloads.groups import Group
from acic.workloads.tables import BYTES, FIRST, LAST, PAUSE

_SAMPLE = 3  # processes looked at: what SPMD programs do shows in a few
_FEW = 2  # of them if each makes many requests
_MANY_REQUESTS = 10_000
_BULK = 0.1  # a request smaller than this share of the mean one is a header, not data


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


@dataclass(slots=True)
class Times:
    """When the requests of one process on one file began and ended, s since the start of the job."""

    rank: int
    start: NDArray[np.float64]
    end: NDArray[np.float64]


class Trace:
    """The segments of a DXT module, by file, process and direction.

    Attributes:
        bounds: for each direction, the first segment of each record, and the one behind its last.
        moved: for each direction, the bytes of each record.
        gaps: how long after each segment the next one of the process and file begins, s; 0 after its last.
        steps: how far behind the end of each segment that next one begins, B; 0 after its last.
        steady: whether no process pauses or goes back within a file.
        consecutive: whether all requests of a process on a file follow one another.
    """

    def __init__(self, segments: Segments) -> None:
        self.segments = segments
        self.ranks: list[int] = segments.record_rank.tolist()
        self._ends = np.bincount(segments.record, minlength=len(self.ranks)).cumsum()
        ends: list[int] = self._ends.tolist()
        starts = [0, *ends[:-1]]
        middles = list(map(add, starts, segments.writes.tolist()))
        self.bounds = ((middles, ends), (starts, middles))
        self._by_file: dict[int, list[int]] = {}
        for record, file in enumerate(segments.record_id.tolist()):
            self._by_file.setdefault(file, []).append(record)
        before = np.zeros(len(segments.length) + 1, dtype=np.int64)
        segments.length.cumsum(out=before[1:])
        edges = before[self._ends].tolist()
        turns = before[middles].tolist()
        self.moved = (list(map(sub, edges, turns)), list(map(sub, turns, [0, *edges])))
        self.looked = False
        self.gaps: NDArray[np.float64] = np.empty(0)
        self.steps: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.steady = self.consecutive = True

    def look(self) -> None:
        """Find `gaps` and `steps`, which not every log needs."""
        if self.looked:
            return
        self.looked = True
        segments = self.segments
        count = len(segments.length)
        gaps, steps = np.empty(count), np.empty(count, dtype=np.int64)
        np.subtract(segments.start[1:], segments.end[:-1], out=gaps[:-1])
        np.subtract(segments.offset[1:], segments.offset[:-1], out=steps[:-1])
        steps[:-1] -= segments.length[:-1]
        # a record that begins with reads has its end of writes before it: -1 in the first one is the last segment
        last = np.array([*self.bounds[0][0], *self.bounds[0][1]]) - 1
        gaps[last], steps[last] = 0.0, 0
        self.gaps, self.steps = gaps, steps
        self.steady = float(gaps.max()) <= PAUSE and int(steps.min()) >= 0
        self.consecutive = not steps.any()

    def of(self, group: Group) -> Traced | None:
        """Return what is known of the group's requests, or None if nothing is."""
        low, high = self.bounds[group.direction]
        by_file = self._by_file
        records = [r for file in group.files for r in by_file.get(file, ()) if high[r] > low[r]]
        return Traced(self, records, group.direction, _BULK * group.bytes / max(group.calls, 1)) if records else None


class Traced:
    """The traced requests of a group.

    Attributes:
        bytes: of all of them.
        even: whether each process that makes any moves the same.
    """

    def __init__(self, trace: Trace, records: list[int], direction: int, least: float) -> None:
        self._trace = trace
        self._least = least
        self._records = records
        self._direction = direction
        low, high = trace.bounds[direction]
        moved = [trace.moved[direction][r] for r in records]
        self._lows, self._highs = [low[r] for r in records], [high[r] for r in records]
        self._ranks = [trace.ranks[r] for r in records]
        self._alone = len(set(self._ranks)) == len(records)  # one file for each process
        self._each = moved
        if not self._alone:
            each: dict[int, int] = {}
            for rank, mine in zip(self._ranks, moved, strict=True):
                each[rank] = each.get(rank, 0) + mine
            self._each = list(each.values())
        self.bytes = sum(moved)
        self.even = min(self._each) == max(self._each)

    def busy(self, least: float) -> int:
        """Return how many processes moved more than the share `least` of what the busiest one moved."""
        if self.even:
            return len(self._each) if self.bytes else 0
        limit = least * max(self._each)
        return sum(1 for moved in self._each if moved > limit)

    def times(self) -> list[Times]:
        """Return when each process's requests on each file began and ended."""
        start, end = self._trace.segments.start, self._trace.segments.end
        records = zip(self._ranks, self._lows, self._highs, strict=True)
        return [Times(rank, start[low:high], end[low:high]) for rank, low, high in records]

    @cached_property
    def steady(self) -> bool:
        """Whether the sampled processes neither pause nor go back, each in one file."""
        trace = self._trace
        if not self._alone:
            return False
        trace.look()
        if trace.steady:
            return True
        parts = [part for part in self._steps if part.start < part.stop]
        if any(int(trace.steps[part].min()) < 0 for part in parts):
            return False
        pausing = len([1 for part in parts if float(trace.gaps[part].max()) > PAUSE])
        return pausing <= (len(self._steps) - 1) // 2  # noise delays some of them, a pause most

    def steps(self, most: int) -> list[int] | None:
        """Return how far behind each request the next one begins, B, `most` for a process; None if it is not known.

        Steps to another file, or back to the first request, are left out.
        """
        if int(self._trace.segments.offset[self._lows[0]]) < 0:
            return None
        if self.steady:
            found: list[int] = []
            for part in self._steps:
                found += self._trace.steps[part][:most].tolist()
            return found
        steps = []
        for one in self.processes:
            offset = one.offset[:most] if one.offset is not None else one.length
            step = offset[1:] - offset[:-1] - one.length[: len(offset) - 1]
            inside = offset[1:] != offset[0]
            if one.file is not None:
                file = one.file[: len(offset)]
                inside &= file[1:] == file[:-1]
            steps.append(step[inside])
        return np.concatenate(steps).tolist()

    @property
    def consecutive(self) -> bool:
        """Whether all requests are known to follow one another."""
        self._trace.look()
        return self._alone and self._trace.consecutive

    def lengths(self) -> NDArray[np.int64]:
        """Return the lengths of the sampled processes' requests, B."""
        lengths = self._trace.segments.length
        return np.concatenate([lengths[part.start : part.stop + 1] for part in self._steps])

    @cached_property
    def _sampled(self) -> list[list[int]]:
        """The records of each process that is looked at."""
        by_rank: dict[int, list[int]] = {}
        for i, rank in enumerate(self._ranks):
            by_rank.setdefault(rank, []).append(i)
        requests = sum(self._highs) - sum(self._lows)
        size = _FEW if requests > _MANY_REQUESTS * len(by_rank) else _SAMPLE
        return [by_rank[rank] for rank in _sample(by_rank, size)]

    @cached_property
    def _steps(self) -> list[slice]:
        """Where the trace has the steps from one sampled request to the next."""
        return [slice(self._lows[i], self._highs[i] - 1) for records in self._sampled for i in records]

    @cached_property
    def processes(self) -> list[Process]:
        """The large requests of a few processes."""
        found = [self._process(records) for records in self._sampled]
        found[0].idle = self._idle(self._sampled[0], found[0])
        return found

    def _process(self, records: list[int]) -> Process:
        segments = self._trace.segments
        if len(records) == 1:
            part = slice(self._lows[records[0]], self._highs[records[0]])
            offset = segments.offset[part]
            found = Process(segments.start[part], segments.end[part], segments.length[part], offset)
        else:
            at = np.concatenate([np.arange(self._lows[i], self._highs[i]) for i in records])
            at = at[segments.start[at].argsort(kind="stable")]
            offset = segments.offset[at]
            file = segments.record[at]
            found = Process(segments.start[at], segments.end[at], segments.length[at], offset, file)
        if int(offset[0]) < 0:
            found.offset = None
        return _bulk(found, self._least)

    def _idle(self, records: list[int], process: Process) -> NDArray[np.float64] | None:
        segments = self._trace.segments
        low, high = self._trace.bounds[1 - self._direction]
        first, last = process.start[0], process.start[-1]
        parts = []
        for record in (self._records[i] for i in records):
            part = slice(low[record], high[record])
            if part.start < part.stop and segments.start[part.start] < last and segments.start[part.stop - 1] > first:
                parts.append(part)
        if not parts:
            return None
        starts = np.concatenate([segments.start[part] for part in parts])
        order = starts.argsort(kind="stable")
        ends = np.concatenate([segments.end[part] for part in parts])[order]
        mine = process.start[1:]
        before = starts[order].searchsorted(mine)
        since = np.where(before > 0, ends[before - 1], -np.inf)
        idle: NDArray[np.float64] = mine - np.maximum(since, process.end[:-1])
        return idle


def of_records(group: Group) -> list[Process]:
    """Return a group's records as if each was one request, from first start to last end, of its rank (or of all)."""
    table, d = group.table, group.direction
    by_rank: dict[int, list[int]] = {}
    for row in group.rows:
        by_rank.setdefault(table.rank_list[row], []).append(row)
    found = []
    for rank in _sample(by_rank, _SAMPLE):
        rows = np.array(by_rank[rank])
        rows = rows[table.floats[rows, FIRST + d].argsort(kind="stable")]
        files = table.files[rows].view(np.int64)
        times, moved = table.floats[rows], table.integers[rows, BYTES + d]
        one_file = bool((files == files[0]).all())
        one = Process(times[:, FIRST + d], times[:, LAST + d], moved, None, None if one_file else files)
        found.append(_bulk(one, _BULK * group.bytes / len(group.rows)))
    return found


def _sample(ranks: Iterable[int], size: int) -> list[int]:
    """Return at most `size` of the ranks, evenly spread."""
    known = sorted(ranks)
    return known[:: -(-len(known) // size)]


def _bulk(process: Process, least: float) -> Process:
    """Return the process less its requests of fewer than `least` bytes; with all of them if none is larger."""
    keep = process.length >= max(least, 1.0)
    kept = np.count_nonzero(keep)
    if kept == len(keep) or not kept:
        return process
    return Process(
        process.start[keep],
        process.end[keep],
        process.length[keep],
        None if process.offset is None else process.offset[keep],
        None if process.file is None else process.file[keep],
    )
