"""DXT: every single read and write of a job, with its offset, length and time."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan.job import text
from acic.workloads.darshan.records import check_ranks
from acic.workloads.darshan.regions import Damage, Region

NEWEST = {"DXT_POSIX": 2, "DXT_MPIIO": 3}
"""Newest format of each module that can be read; from these on, a segment names its thread."""

_HEAD = {order: struct.Struct(order + "Qqq64sqq") for order in "<>"}
_MEMORY = 2 << 20
_FIRST_BATCH = 64


@dataclass(frozen=True, slots=True)
class Segments:
    """The reads and writes of one DXT module.

    The first eight arrays have one element for each segment: record after record, in each first its writes, then its
    reads, each in the order of time. The last four have one for each record, which is a file of a rank.

    Args:
        record: index of the segment's record.
        id: id of the file.
        rank: process that did it.
        write: whether it is a write.
        offset: in the file, B; -1 where the log does not tell (DXT_MPIIO in format 1).
        length: B.
        start: s since the start of the job.
        end: s since the start of the job.
        thread: the thread that did it; None in older formats.
        record_id: id of each record's file.
        record_rank: rank of each record.
        writes: segments of each record that are writes.
        hostnames: host of each record.
        partial: Darshan ran out of memory, so that segments are missing.
        truncated_ranks: if partial, the ranks that had used up their memory (2 MiB, if not set otherwise).
    """

    record: NDArray[np.intp]
    id: NDArray[np.uint64]
    rank: NDArray[np.int64]
    write: NDArray[np.bool_]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    thread: NDArray[np.uint64] | None
    record_id: NDArray[np.uint64]
    record_rank: NDArray[np.int64]
    writes: NDArray[np.int64]
    hostnames: tuple[str, ...]
    partial: bool
    truncated_ranks: tuple[int, ...]


def read_segments(raw: bytes, region: Region, order: str, processes: int) -> Callable[[], Segments]:
    """Check a DXT module whose format is at most `NEWEST`, and return what makes its segments.

    Raises:
        Damage: the data end within a record, or hold an impossible rank.
    """
    width = 5 if region.version >= NEWEST[region.name] else 4
    table = _walk(raw, order, width)
    check_ranks(table.ranks, processes)
    return partial(_segments, raw, region, order, width, table)


def _segments(raw: bytes, region: Region, order: str, width: int, table: _Table) -> Segments:
    words = np.frombuffer(raw, dtype=np.uint64)
    if order == ">":
        words = words.byteswap()
    pieces = [words[piece] for piece in table.pieces]
    segments = (pieces[0] if len(pieces) == 1 else np.concatenate([words[:0], *pieces])).reshape(-1, width)
    record = np.arange(len(table.ids)).repeat(table.totals)
    record_id = np.array(table.ids, dtype=np.uint64)
    record_rank = np.array(table.ranks, dtype=np.int64)
    integers, floats = segments.view(np.int64), segments.view(np.float64)
    offset = integers[:, 0]
    if region.name == "DXT_MPIIO" and region.version == 1:
        offset = np.full_like(offset, -1)
    return Segments(
        record=record,
        id=record_id.take(record),
        rank=record_rank.take(record),
        write=np.array([True, False] * len(table.ids)).repeat(table.counts),
        offset=offset,
        length=integers[:, 1],
        start=floats[:, 2],
        end=floats[:, 3],
        thread=segments[:, 4] if width > 4 else None,
        record_id=record_id,
        record_rank=record_rank,
        writes=np.array(table.counts[::2], dtype=np.int64),
        hostnames=tuple(table.hosts),
        partial=region.partial,
        truncated_ranks=_out_of_memory(table, 8 * width) if region.partial else (),
    )


@dataclass(slots=True)
class _Table:
    """The heads of all records: how many writes, reads, writes, ... they have, and where these are, in words."""

    ids: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    pieces: list[slice] = field(default_factory=list)


def _walk(raw: bytes, order: str, width: int) -> _Table:
    head = _HEAD[order]
    table = _Table()
    decoded: dict[bytes, str] = {}
    at, size = 0, len(raw)
    while at < size:
        if size - at < head.size:
            raise Damage("end within a record")
        key, rank, _, host, writes, reads = head.unpack_from(raw, at)
        at += head.size
        length = (writes + reads) * width
        if writes < 0 or reads < 0 or 8 * length > size - at:
            raise Damage("end within a record")
        table.ids.append(key)
        table.ranks.append(rank)
        if host not in decoded:
            decoded[host] = text(host)
        table.hosts.append(decoded[host])
        table.counts += (writes, reads)
        table.totals.append(writes + reads)
        table.pieces.append(slice(at // 8, at // 8 + length))
        at += 8 * length
    return table


def _out_of_memory(table: _Table, size: int) -> tuple[int, ...]:
    """Return the ranks that cannot have had memory left for another batch of segments.

    Darshan doubles the room for a record's writes (and for its reads) from 64 segments on, until its memory is full.
    """
    counts = np.array(table.counts, dtype=np.int64).reshape(-1, 2)
    room = np.where(counts > 0, _FIRST_BATCH * 2.0 ** np.ceil(np.log2(np.maximum(counts, 1) / _FIRST_BATCH).clip(0)), 0)
    ranks, where = np.unique(np.array(table.ranks, dtype=np.int64), return_inverse=True)
    asked = np.bincount(where, weights=room.sum(axis=1) * size + _HEAD["<"].size)
    used = np.bincount(where, weights=counts.sum(axis=1) * size + _HEAD["<"].size)
    memory = max(_MEMORY, float(used.max(initial=0)))
    return tuple(ranks[asked + size > memory].tolist())
