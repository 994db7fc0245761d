"""Traces: every read and write that DXT recorded, by file, process and direction."""

from __future__ import annotations

from itertools import accumulate, chain, pairwise
from math import isfinite
from operator import add, mul, sub

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import PAUSE, WRITE
from acic.workloads.darshan import Segments
from acic.workloads.sequences import Process

_SMALL = 500  # segments of a trace, up to which lists of all of them cost less than an array for each record
_FEW_PARTS = 20  # of a trace, up to which they are put together one by one
_MOST_BYTES = 1 << 56

Spans = tuple[list[float], list[float]] | tuple[NDArray[np.float64], NDArray[np.float64]]
"""First and last instants of requests, s: lists of a few, arrays of many."""


def possible(segments: Segments) -> bool:
    """Whether times and lengths can be those of requests."""
    length = segments.length
    if not len(length):
        return False
    if np.maximum.reduce(length.view(np.uint64)) >= _MOST_BYTES:  # a negative one is larger than any
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # one number that no impossible time leaves finite
        return isfinite(float(segments.start.dot(segments.end)))


class Users:
    """The processes of some records.

    Attributes:
        ranks: the rank of each record.
        alone: whether each has another one.
        by_rank: for each rank, which of the records are its.
    """

    __slots__ = ("alone", "by_rank", "ranks")

    def __init__(self, ranks: list[int]) -> None:
        self.ranks = ranks
        self.by_rank: dict[int, list[int]] = {}
        for i, rank in enumerate(ranks):
            self.by_rank.setdefault(rank, []).append(i)
        self.alone = len(self.by_rank) == len(ranks)


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
        self._users: dict[tuple[int, ...], Users] = {}
        for record, file in enumerate(segments.record_id.tolist()):
            self._by_file.setdefault(file, []).append(record)
        self._lists: tuple[list[float], list[float], list[int], list[int]] | None = None
        if len(segments.length) <= _SMALL:
            length: list[int] = segments.length.tolist()
            self._lists = segments.start.tolist(), segments.end.tolist(), length, segments.offset.tolist()
            self.moved = (
                [sum(length[at:behind]) for at, behind in zip(middles, ends, strict=True)],
                [sum(length[at:behind]) for at, behind in zip(starts, middles, strict=True)],
            )
        else:
            before = np.zeros(len(segments.length) + 1, dtype=np.int64)
            segments.length.cumsum(out=before[1:])
            edges: list[int] = before.take(ends).tolist()
            turns: list[int] = before.take(middles).tolist()
            self.moved = (list(map(sub, edges, turns)), list(map(sub, turns, [0, *edges])))
        self._seconds: tuple[list[float], list[float]] | None = None
        self._pausing: bool | None = None

    @property
    def possible(self) -> bool:
        """Whether times and lengths can be those of requests."""
        if self._lists is None:
            return possible(self.segments)
        start, end, length, _ = self._lists
        return bool(length) and min(length) >= 0 and max(length) < _MOST_BYTES and isfinite(sum(map(mul, start, end)))

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

    def records(self, files: list[int], direction: int) -> list[int]:
        """Return the records of some files that have requests of one direction."""
        moved, by_file = self.moved[direction], self._by_file
        return [record for file in files for record in by_file.get(file, ()) if moved[record]]

    def users(self, records: list[int]) -> Users:
        """Return the processes of some records: often the same ones read and write them."""
        key = tuple(records)
        found = self._users.get(key)
        if found is None:
            found = self._users[key] = Users([self.ranks[record] for record in records])
        return found

    def spans(self, parts: list[slice], direction: int) -> Spans:
        """Return starts and ends of the requests of some records in one direction, record after record."""
        if self._lists is not None:
            starts, ends = self._lists[:2]
            if len(parts) == 1:
                return starts[parts[0]], ends[parts[0]]
            return [*chain(*[starts[part] for part in parts])], [*chain(*[ends[part] for part in parts])]
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
