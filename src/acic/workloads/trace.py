"""Traces: every read and write that DXT recorded, by file, process and direction."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import accumulate, chain, islice, pairwise
from operator import add, itemgetter, sub

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import PAUSE, WRITE
from acic.workloads.darshan import Segments
from acic.workloads.groups import Group
from acic.workloads.sequences import BULK, Process, bulk, in_turn, sample

_SAMPLE = 3  # processes looked at: what SPMD programs do shows in a few
_FEW = 2  # of them if each makes many requests
_MANY_REQUESTS = 10_000
_SMALL = 300  # segments of a trace, up to which lists of all of them cost less than an array for each record
_FEW_PARTS = 20  # of a trace, up to which they are put together one by one
_MOST_BYTES = 1 << 56


def possible(segments: Segments) -> bool:
    """Whether times and lengths can be those of requests."""
    length = segments.length
    if not len(length):
        return False
    if np.maximum.reduce(length.view(np.uint64)) >= _MOST_BYTES:  # a negative one is larger than any
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # one number that no impossible time leaves finite
        return math.isfinite(float(segments.start.dot(segments.end)))


class Trace:
    """The segments of a DXT module, by file, process and direction.

    Attributes:
        bounds: for each direction, the first segment of each record, and the one behind its last.
        moved: for each direction, the bytes of each record.
    """

    def __init__(self, segments: Segments) -> None:
        self.segments = segments
        self.ranks: list[int] = segments.record_rank.tolist()
        ends = list(accumulate(segments.requests.tolist()))
        starts = [0, *ends[:-1]]
        middles = list(map(add, starts, segments.writes.tolist()))
        self.bounds = ((middles, ends), (starts, middles))
        self._by_file: dict[int, list[int]] = {}
        for record, file in enumerate(segments.record_id.tolist()):
            self._by_file.setdefault(file, []).append(record)
        before = np.zeros(len(segments.length) + 1, dtype=np.int64)
        segments.length.cumsum(out=before[1:])
        edges: list[int] = before.take(ends).tolist()
        turns: list[int] = before.take(middles).tolist()
        self.moved = (list(map(sub, edges, turns)), list(map(sub, turns, [0, *edges])))
        self._lists: tuple[list[float], list[float], list[int], list[int]] | None = None
        if len(segments.length) <= _SMALL:
            columns = segments.start, segments.end, segments.length, segments.offset
            start, end, length, offset = [column.tolist() for column in columns]
            self._lists = start, end, length, offset
        self._seconds: tuple[list[float], list[float]] | None = None
        self._pausing: bool | None = None

    @property
    def pausing(self) -> bool:
        """Whether a process pauses within a file."""
        if self._pausing is None:
            start, end = self.segments.start, self.segments.end
            gaps = np.empty(len(start))
            np.subtract(start[1:], end[:-1], out=gaps[:-1])
            # if the first record has no writes, these end at -1: that is the last segment, which nothing follows, too
            gaps[np.array([*self.bounds[0][0], *self.bounds[0][1]]) - 1] = 0.0
            self._pausing = bool(np.maximum.reduce(gaps) > PAUSE)
        return self._pausing

    def seconds(self, direction: int) -> list[float]:
        """Return the time of each record's requests, s."""
        if self._seconds is None:
            took = self.segments.end - self.segments.start
            edges = [*chain(*zip(*self.bounds[WRITE], strict=True)), len(took)]  # of writes, reads, writes, ...
            used = [i for i, (at, behind) in enumerate(pairwise(edges)) if at < behind]
            every = [0.0] * len(edges)
            for i, seconds in zip(used, np.add.reduceat(took, [edges[i] for i in used]).tolist(), strict=True):
                every[i] = seconds
            self._seconds = every[1::2], every[::2]
        return self._seconds[direction]

    def requests(self, part: slice) -> Process:
        """Return the requests of one record and direction."""
        if self._lists is not None:
            start, end, length, offset = self._lists
            return Process(start[part], end[part], length[part], offset[part])
        whole = self.segments
        columns = whole.start[part], whole.end[part], whole.length[part], whole.offset[part]
        return Process(*[column.tolist() for column in columns])

    def of(self, group: Group) -> Traced | None:
        """Return what is known of the group's requests, or None if nothing is."""
        moved, by_file = self.moved[group.direction], self._by_file
        records = [record for file in group.files for record in by_file.get(file, ()) if moved[record]]
        return Traced(self, records, group.direction, BULK * group.bytes / max(group.calls, 1)) if records else None

    def spans(self, parts: list[slice], direction: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return starts and ends of the requests of some records in one direction, record after record."""
        start, end = self.segments.start, self.segments.end
        if len(parts) == 1:
            return start[parts[0]], end[parts[0]]
        if len(parts) <= _FEW_PARTS:
            return np.concatenate([start[part] for part in parts]), np.concatenate([end[part] for part in parts])
        count = sum([part.stop - part.start for part in parts])
        writes = int(self.segments.writes.sum())
        if count == (writes if direction == WRITE else len(start) - writes):  # all there are
            mine = self.segments.write if direction == WRITE else ~self.segments.write
            return start[mine], end[mine]
        lows = np.array([part.start for part in parts])
        counts = np.array([part.stop for part in parts]) - lows
        at = np.repeat(lows - (counts.cumsum() - counts), counts) + np.arange(count)
        return start[at], end[at]


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
        self._sampled: list[list[int]] = []
        self._whole: list[Process] = []
        self._made: list[Process] = []
        self._steady: bool | None = None
        self._records = records
        self.partial = trace.segments.partial
        self._direction = direction
        low, high = trace.bounds[direction]
        moved = [trace.moved[direction][r] for r in records]
        self._parts = [slice(low[r], high[r]) for r in records]
        self._ranks = [trace.ranks[r] for r in records]
        self._alone = len(set(self._ranks)) == len(records)  # one file for each process
        self._each = moved
        if not self._alone:
            each: dict[int, int] = {}
            for rank, mine in zip(self._ranks, moved, strict=True):
                each[rank] = each.get(rank, 0) + mine
            self._each = list(each.values())
        self.bytes = sum(moved)
        self.even: bool = min(self._each) == max(self._each)

    def busy(self, least: float) -> int:
        """Return how many processes moved more than the share `least` of what the busiest one moved."""
        if self.even:
            return len(self._each)
        limit = least * max(self._each)
        return sum(1 for moved in self._each if moved > limit)

    def spans(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return starts and ends of all requests, record after record."""
        return self._trace.spans(self._parts, self._direction)

    def imbalance(self) -> float | None:
        """Return the slowest process's time over the mean one's."""
        of_records = self._trace.seconds(self._direction)
        seconds = [of_records[record] for record in self._records]
        if not self._alone:
            of_rank: dict[int, float] = {}
            for rank, mine in zip(self._ranks, seconds, strict=True):
                of_rank[rank] = of_rank.get(rank, 0.0) + mine
            seconds = list(of_rank.values())
        total = sum(seconds)
        return max(seconds) * len(seconds) / total if total > 0 else None

    @property
    def steady(self) -> bool:
        """Whether the sampled processes neither pause nor go back to where they began, each in one file."""
        if self._steady is None:
            self._steady = self._alone and self._goes_on()
        return self._steady

    def _goes_on(self) -> bool:
        several = [one for one in self._requests() if len(one.length) > 1]
        for one in several:
            if one.offset is None or (one.offset.count(one.offset[0]) > 1 and min(one.steps()) < 0):
                return False
        pausing = len([1 for one in several if max(one.gaps()) > PAUSE])
        return pausing <= (len(self._sampled) - 1) // 2  # noise delays some of them, a pause most

    def file_by_file(self) -> tuple[int, float] | None:
        """Return how many files each process used, and the mean time between two, s.

        None if a process has but one, uses several together, or pauses within one.
        """
        if self._alone or self._trace.pausing:
            return None
        sampled = self._sample()
        if len({len(records) for records in sampled}) > 1:
            return None
        start, end = self._trace.segments.start, self._trace.segments.end
        pauses = []
        for records in sampled:
            parts = [self._parts[i] for i in records]
            spans = sorted((float(start[part.start]), float(end[part.stop - 1])) for part in parts)
            pauses += [b[0] - a[1] for a, b in pairwise(spans)]
        return (len(sampled[0]), sum(pauses) / len(pauses)) if min(pauses) >= 0 else None

    def steps(self, most: int) -> list[int] | None:
        """Return how far behind each request the next one begins, B, `most` for a process; None if it is not known.

        Steps to another file, or back to the first request, are left out.
        """
        if int(self._trace.segments.offset[self._parts[0].start]) < 0:
            return None
        if not self._made and self.steady:
            return [*chain(*[islice(one.steps(), most) for one in self._requests()])]
        return [*chain(*[one.steps_inside(most) for one in self.processes()])]

    @property
    def consecutive(self) -> bool:
        """Whether all requests of the sampled processes, each in one file, follow one another."""
        return self._alone and all(one.offset is not None and not any(one.steps()) for one in self._requests())

    def lengths(self) -> list[int]:
        """Return the lengths of the sampled processes' requests, B."""
        return [*chain(*[one.length for one in self._requests()])]

    def processes(self) -> list[Process]:
        """Return the large requests of a few processes."""
        if not self._made:
            made = [bulk(one, self._least) for one in self._requests()]
            if (idle := self._idle(self._sample()[0], made[0])) is not None:
                made[0] = replace(made[0], idle=idle)
            self._made = made
        return self._made

    def _requests(self) -> list[Process]:
        """Return all requests of a few processes."""
        if not self._whole:
            self._whole = [self._process(records) for records in self._sample()]
        return self._whole

    def _sample(self) -> list[list[int]]:
        """Return the records of each process that is looked at."""
        if not self._sampled:
            by_rank: dict[int, list[int]] = {}
            for i, rank in enumerate(self._ranks):
                by_rank.setdefault(rank, []).append(i)
            requests = sum([part.stop - part.start for part in self._parts])
            size = _FEW if requests > _MANY_REQUESTS * len(by_rank) else _SAMPLE
            self._sampled = [by_rank[rank] for rank in sample(by_rank, size)]
        return self._sampled

    def _process(self, records: list[int]) -> Process:
        of_records = [self._trace.requests(self._parts[i]) for i in records]
        found = of_records[0] if len(records) == 1 else in_turn(of_records)
        if found.offset and found.offset[0] < 0:
            found.offset = None
        return found

    def _idle(self, records: list[int], process: Process) -> list[float] | None:
        low, high = self._trace.bounds[1 - self._direction]
        first, last = process.start[0], process.start[-1]
        others: list[tuple[float, float]] = []
        for record in [self._records[i] for i in records]:
            if low[record] < high[record]:
                one = self._trace.requests(slice(low[record], high[record]))
                if one.start[0] < last and one.start[-1] > first:
                    others += zip(one.start, one.end, strict=True)
        if not others:
            return None
        others.sort(key=itemgetter(0))
        others.append((math.inf, math.inf))
        later = iter(others)
        start, end = next(later)
        idle, until = [], -math.inf
        for now, since in zip(process.start[1:], process.end, strict=False):
            while start < now:
                until = end
                start, end = next(later)
            idle.append(now - (since if since > until else until))
        return idle
