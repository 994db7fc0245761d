"""Traced requests: what a trace tells of the requests of one group, looked at in a few processes."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain, islice, pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import PAUSE
from acic.workloads.groups import Group
from acic.workloads.sequences import BULK, Process, bulk, in_turn, sample
from acic.workloads.trace import Spans, Trace

_SAMPLE = 3  # processes looked at: what SPMD programs do shows in a few
_FEW = 2  # of them if each makes many requests
_MANY_REQUESTS = 10_000


def traced(trace: Trace, group: Group) -> Traced | None:
    """Return what is known of the group's requests, or None if nothing is."""
    records = trace.records(group.files, group.direction)
    return Traced(trace, records, group.direction, BULK * group.bytes / max(group.calls, 1)) if records else None


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
        self._users = trace.users(records)
        self._ranks = self._users.ranks
        self._alone = self._users.alone  # one file for each process
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

    def spans(self) -> Spans:
        """Return starts and ends of all requests, record after record."""
        return self._trace.spans(self._parts, self._direction)

    def by_rank(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the rank, the start and the end of each request, record after record."""
        whole, counts = self._trace.segments, [part.stop - part.start for part in self._parts]
        starts, ends = (np.concatenate([times[part] for part in self._parts]) for times in (whole.start, whole.end))
        return np.repeat(self._ranks, counts), starts, ends

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
        return max(1.0, max(seconds) * len(seconds) / total) if total > 0 else None

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
        counts = {len(records) for records in sampled}
        if len(counts) > 1 or 1 in counts:
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
            by_rank = self._users.by_rank
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
