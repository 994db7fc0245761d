"""Traces: every read and write that DXT recorded, by file, process and direction."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import accumulate, pairwise
from operator import add, sub

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import MANY, PAUSE, WRITE
from acic.workloads.darshan import Segments
from acic.workloads.groups import Group
from acic.workloads.sequences import BULK, Process, bulk, sample

_SAMPLE = 3  # processes looked at: what SPMD programs do shows in a few
_FEW = 2  # of them if each makes many requests
_MANY_REQUESTS = 10_000
_MOST_BYTES = 1 << 56


def possible(segments: Segments) -> bool:
    """Whether times and lengths can be those of requests."""
    length = segments.length
    if not len(length):
        return False
    if np.minimum.reduce(length) < 0 or np.maximum.reduce(length) >= _MOST_BYTES:
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # one number that no impossible time leaves finite
        return math.isfinite(float(segments.start.dot(segments.end)))


class Trace:
    """The segments of a DXT module, by file, process and direction.

    Attributes:
        bounds: for each direction, the first segment of each record, and the one behind its last.
        moved: for each direction, the bytes of each record.
        gaps: how long after each segment the next one of the process and file begins, s; 0 after its last.
        steps: how far behind the end of each segment that next one begins, B; 0 after its last.
        pausing: whether a process pauses within a file.
        steady: whether no process does, or goes back.
        consecutive: whether all requests of a process on a file follow one another.
    """

    def __init__(self, segments: Segments) -> None:
        self.segments = segments
        self.ranks: list[int] = segments.record_rank.tolist()
        counts = np.bincount(segments.record, minlength=len(self.ranks)).tolist()
        ends = list(accumulate(counts))
        starts = [0, *ends[:-1]]
        middles = list(map(add, starts, segments.writes.tolist()))
        self.bounds = ((middles, ends), (starts, middles))
        self._by_file: dict[int, list[int]] = {}
        for record, file in enumerate(segments.record_id.tolist()):
            self._by_file.setdefault(file, []).append(record)
        before = [0, *segments.length.cumsum().tolist()]
        edges = [before[at] for at in ends]
        turns = [before[at] for at in middles]
        self.moved = (list(map(sub, edges, turns)), list(map(sub, turns, [0, *edges])))
        self.looked = False
        self.gaps: NDArray[np.float64] = np.empty(0)
        self.steps: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.steady = self.consecutive = True
        self.pausing = False

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
        # if the first record has no writes, these end at -1: that is the last segment, which nothing follows, too
        last = np.array([*self.bounds[0][0], *self.bounds[0][1]]) - 1
        gaps[last], steps[last] = 0.0, 0
        self.gaps, self.steps = gaps, steps
        self.pausing = bool(np.maximum.reduce(gaps) > PAUSE)
        self.steady = not self.pausing and bool(np.minimum.reduce(steps) >= 0)
        self.consecutive = not np.count_nonzero(steps)

    def of(self, group: Group) -> Traced | None:
        """Return what is known of the group's requests, or None if nothing is."""
        moved, by_file = self.moved[group.direction], self._by_file
        records = [record for file in group.files for record in by_file.get(file, ()) if moved[record]]
        return Traced(self, records, group.direction, BULK * group.bytes / max(group.calls, 1)) if records else None


class Traced:
    """The traced requests of a group.

    Attributes:
        bytes: of all of them.
        even: whether each process that makes any moves the same.
        partial: whether the trace lacks segments.
    """

    def __init__(self, trace: Trace, records: list[int], direction: int, least: float) -> None:
        self._trace = trace
        self._least = least
        self._sample: list[list[int]] = []
        self._made: list[Process] = []
        self._records = records
        self.partial = trace.segments.partial
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
        self.even = bool(min(self._each) == max(self._each))

    def busy(self, least: float) -> int:
        """Return how many processes moved more than the share `least` of what the busiest one moved."""
        if self.even:
            return len(self._each)
        limit = least * max(self._each)
        return sum(1 for moved in self._each if moved > limit)

    def spans(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return starts and ends of all requests, record after record."""
        segments = self._trace.segments
        start, end = segments.start, segments.end
        if len(self._records) == 1:
            part = slice(self._lows[0], self._highs[0])
            return start[part], end[part]
        if self._records == [r for r, moved in enumerate(self._trace.moved[self._direction]) if moved]:
            mine = segments.write if self._direction == WRITE else ~segments.write
            if np.count_nonzero(mine) == sum(self._highs) - sum(self._lows):  # all there are in this direction
                return start[mine], end[mine]
        if len(self._records) <= MANY:
            parts = [slice(low, high) for low, high in zip(self._lows, self._highs, strict=True)]
            return np.concatenate([start[part] for part in parts]), np.concatenate([end[part] for part in parts])
        lows = np.array(self._lows)
        counts = np.array(self._highs) - lows
        at = np.repeat(lows - (counts.cumsum() - counts), counts) + np.arange(int(counts.sum()))
        return start[at], end[at]

    def imbalance(self, starts: NDArray[np.float64], ends: NDArray[np.float64]) -> float | None:
        """Return the slowest process's time over the mean one's; the times are those of `spans`."""
        edges = [0, *accumulate(map(sub, self._highs, self._lows))]
        seconds = np.add.reduceat(ends - starts, edges[:-1]).tolist()
        if not self._alone:
            of_rank: dict[int, float] = {}
            for rank, mine in zip(self._ranks, seconds, strict=True):
                of_rank[rank] = of_rank.get(rank, 0.0) + mine
            seconds = list(of_rank.values())
        total = sum(seconds)
        return max(seconds) * len(seconds) / total if total > 0 else None

    @cached_property
    def steady(self) -> bool:
        """Whether the sampled processes neither pause nor go back to where they began, each in one file."""
        trace = self._trace
        if not self._alone:
            return False
        trace.look()
        if trace.steady:
            return True
        parts = [part for part in self._steps() if part.start < part.stop]
        if any(np.minimum.reduce(trace.steps[part]) < 0 and self._again(part) for part in parts):
            return False
        pausing = len([1 for part in parts if np.maximum.reduce(trace.gaps[part]) > PAUSE])
        return pausing <= (len(self._sampled()) - 1) // 2  # noise delays some of them, a pause most

    def file_by_file(self) -> tuple[int, float] | None:
        """Return how many files each process used, and the mean time between two, s.

        None if a process has but one, uses several together, or pauses within one.
        """
        trace = self._trace
        trace.look()
        if self._alone or trace.pausing or len({len(records) for records in self._sampled()}) > 1:
            return None
        start, end = trace.segments.start, trace.segments.end
        pauses = []
        for records in self._sampled():
            spans = sorted((float(start[self._lows[i]]), float(end[self._highs[i] - 1])) for i in records)
            pauses += [b[0] - a[1] for a, b in pairwise(spans)]
        return (len(self._sampled()[0]), sum(pauses) / len(pauses)) if min(pauses) >= 0 else None

    def _again(self, part: slice) -> bool:
        offset = self._trace.segments.offset[part.start : part.stop + 1]
        return bool((offset[1:] == offset[0]).any())

    def steps(self, most: int) -> list[int] | None:
        """Return how far behind each request the next one begins, B, `most` for a process; None if it is not known.

        Steps to another file, or back to the first request, are left out.
        """
        if int(self._trace.segments.offset[self._lows[0]]) < 0:
            return None
        if not self._made and self.steady:
            found: list[int] = []
            for part in self._steps():
                found += self._trace.steps[part][:most].tolist()
            return found
        steps = []
        for one in self.processes():
            offset = one.offset[:most] if one.offset is not None else one.length
            step = offset[1:] - offset[:-1] - one.length[: len(offset) - 1]
            inside = offset[1:] != offset[0]
            if one.file is not None:
                file = one.file[: len(offset)]
                inside &= file[1:] == file[:-1]
            steps.append(step[inside])
        within: list[int] = np.concatenate(steps).tolist()
        return within

    @property
    def consecutive(self) -> bool:
        """Whether all requests are known to follow one another."""
        self._trace.look()
        return self._alone and self._trace.consecutive

    def lengths(self) -> list[int]:
        """Return the lengths of the sampled processes' requests, B."""
        lengths = self._trace.segments.length
        found: list[int] = []
        for part in self._steps():
            found += lengths[part.start : part.stop + 1].tolist()
        return found

    def _sampled(self) -> list[list[int]]:
        """Return the records of each process that is looked at."""
        if not self._sample:
            by_rank: dict[int, list[int]] = {}
            for i, rank in enumerate(self._ranks):
                by_rank.setdefault(rank, []).append(i)
            requests = sum(self._highs) - sum(self._lows)
            size = _FEW if requests > _MANY_REQUESTS * len(by_rank) else _SAMPLE
            self._sample = [by_rank[rank] for rank in sample(by_rank, size)]
        return self._sample

    def _steps(self) -> list[slice]:
        """Return where the trace has the steps from one sampled request to the next."""
        return [slice(self._lows[i], self._highs[i] - 1) for records in self._sampled() for i in records]

    def processes(self) -> list[Process]:
        """Return the large requests of a few processes."""
        if not self._made:
            sampled = self._sampled()
            self._made = [self._process(records) for records in sampled]
            self._made[0].idle = self._idle(sampled[0], self._made[0])
        return self._made

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
        return bulk(found, self._least)

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
