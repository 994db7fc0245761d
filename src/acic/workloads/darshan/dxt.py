"""DXT: every single read and write of a job, with its offset, length and time."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan.records import check_ranks
from acic.workloads.darshan.regions import Damage, Region

NEWEST = {"DXT_POSIX": 2, "DXT_MPIIO": 3}
"""Newest format of each module that can be read; from these on, a segment names its thread."""

_HEAD = {order: struct.Struct(order + "Qqq64xqq") for order in "<>"}


@dataclass(slots=True)  # not frozen: that takes twice as long to make, and a small trace is read in 0.02 ms
class Segments:
    """The reads and writes of one DXT module.

    The first five arrays have one element for each segment: record after record, in each first its writes, then its
    reads, each in the order of time. So have `record`, `id`, `rank` and `write`, which are made anew when asked for,
    because few need them. The other arrays have one element for each record, which is a file of a rank.

    Args:
        offset: in the file, B; -1 where the log does not tell (DXT_MPIIO in format 1).
        length: B.
        start: s since the start of the job.
        end: s since the start of the job.
        thread: the thread that did it; None in older formats.
        record_id: id of each record's file.
        record_rank: rank of each record.
        requests: segments of each record.
        writes: segments of each record that are writes.
        partial: Darshan ran out of memory, so that segments are missing.
    """

    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    thread: NDArray[np.uint64] | None
    record_id: NDArray[np.uint64]
    record_rank: NDArray[np.int64]
    requests: NDArray[np.int64]
    writes: NDArray[np.int64]
    partial: bool

    @property
    def record(self) -> NDArray[np.intp]:
        """The index of each segment's record."""
        return np.arange(len(self.requests)).repeat(self.requests)

    @property
    def id(self) -> NDArray[np.uint64]:
        """The id of each segment's file."""
        return self.record_id.repeat(self.requests)

    @property
    def rank(self) -> NDArray[np.int64]:
        """The process that did each."""
        return self.record_rank.repeat(self.requests)

    @property
    def write(self) -> NDArray[np.bool_]:
        """Whether each is a write."""
        counts = np.array([self.writes, self.requests - self.writes]).T.ravel()
        return np.array([True, False] * len(self.writes), dtype=bool).repeat(counts)


def read_segments(raw: bytes, region: Region, order: str, processes: int) -> Callable[[], Segments]:
    """Check a DXT module whose format is at most `NEWEST`, and return what makes its segments.

    Raises:
        Damage: the data end within a record, or hold an impossible rank.
    """
    width = 5 if region.version >= NEWEST[region.name] else 4
    heads = _walk(raw, order, width)
    check_ranks([head[1] for head in heads], processes)
    return partial(_segments, raw, region, order, width, heads)


def _segments(raw: bytes, region: Region, order: str, width: int, heads: Sequence[_Head]) -> Segments:
    words = np.frombuffer(raw, np.uint64)
    if order == ">":
        words = words.byteswap()
    ids, ranks, writes, reads, starts = zip(*heads, strict=True) if heads else [()] * 5
    requests = list(map(add, writes, reads))
    of_records = np.array([ranks, requests, writes], dtype=np.int64)
    pieces = [words[at : at + count * width] for at, count in zip(starts, requests, strict=True)]
    segments = (pieces[0] if len(pieces) == 1 else np.concatenate([words[:0], *pieces])).reshape(-1, width)
    integers, floats = segments.view(np.int64), segments.view(np.float64)
    offset = integers[:, 0]
    if region.name == "DXT_MPIIO" and region.version == 1:
        offset = np.full_like(offset, -1)
    return Segments(
        offset=offset,
        length=integers[:, 1],
        start=floats[:, 2],
        end=floats[:, 3],
        thread=segments[:, 4] if width > 4 else None,
        record_id=np.array(ids, dtype=np.uint64),
        record_rank=of_records[0],
        requests=of_records[1],
        writes=of_records[2],
        partial=region.partial,
    )


_Head = tuple[int, int, int, int, int]
"""Id, rank, numbers of writes and reads of a record, and where its writes begin, in words; its reads follow."""


def _walk(raw: bytes, order: str, width: int) -> list[_Head]:
    head, of_head = _HEAD[order].unpack_from, _HEAD[order].size
    heads = []
    at, size = 0, len(raw)
    while at < size:
        if size - at < of_head:
            raise Damage("end within a record")
        key, rank, _, writes, reads = head(raw, at)
        at += of_head
        length = 8 * width * (writes + reads)
        if writes < 0 or reads < 0 or length > size - at:
            raise Damage("end within a record")
        heads.append((key, rank, writes, reads, at // 8))
        at += length
    return heads
