"""Sequences: the requests of processes in the order of time, as DXT or the records' timestamps tell them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice, pairwise, repeat
from operator import add, itemgetter, sub

from acic.workloads.columns import FIRST, LAST
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

    start: list[float]
    end: list[float]
    length: list[int]
    offset: list[int] | None
    file: list[int] | None = None
    idle: list[float] | None = None

    def gaps(self) -> list[float]:
        """Return how long the process made no such request before each but the first, s."""
        return list(map(sub, islice(self.start, 1, None), self.end)) if self.idle is None else self.idle

    def steps(self) -> Iterator[int]:
        """Yield how far behind the end of each request the next one begins, B; nothing if that is not known."""
        offset = self.offset or []
        return map(sub, islice(offset, 1, None), map(add, offset, self.length))

    def steps_inside(self, most: int) -> list[int]:
        """Return the steps between the first `most` requests, less those to another file, or back to the first."""
        offset = (self.offset or [])[:most]
        if self.file is None and offset and offset.count(offset[0]) == 1:
            return list(islice(self.steps(), most - 1))
        steps = zip(self.steps(), offset[1:], strict=False)
        if self.file is None:
            return [step for step, at in steps if at != offset[0]]
        files = pairwise(self.file)
        return [step for (step, at), (last, now) in zip(steps, files, strict=False) if at != offset[0] and last == now]


def of_records(group: Group) -> list[Process]:
    """Return a group's records as if each was one request, from first start to last end, of its rank (or of all)."""
    table, d = group.table, group.direction
    by_rank: dict[int, list[int]] = {}
    for row in group.rows:
        by_rank.setdefault(table.rank_list[row], []).append(row)
    times, moved = table.times, table.moved(d)
    found = []
    for rank in sample(by_rank, _SAMPLE):
        rows = sorted(by_rank[rank], key=lambda row: times[row][FIRST + d])
        start, end = [times[row][FIRST + d] for row in rows], [times[row][LAST + d] for row in rows]
        files = [table.file_list[row] for row in rows]
        one_file = files.count(files[0]) == len(files)
        one = Process(start, end, [moved[row] for row in rows], None, None if one_file else files)
        found.append(bulk(one, BULK * group.bytes / len(group.rows)))
    return found


def in_turn(of_files: Sequence[Process]) -> Process:
    """Return the requests that a process made of several files, in the order of time."""
    rows = chain(*[zip(one.start, one.end, one.length, one.offset or [], repeat(i)) for i, one in enumerate(of_files)])
    columns = zip(*sorted(rows, key=itemgetter(0)), strict=True)
    start, end, length, offset, file = map(list, columns)
    return Process(start, end, length, offset, file)


def sample(ranks: Iterable[int], size: int) -> list[int]:
    """Return at most `size` of the ranks, evenly spread."""
    known = sorted(ranks)
    if len(known) <= size:
        return known
    return [known[i * (len(known) - 1) // (size - 1)] for i in range(size)]


def bulk(process: Process, least: float) -> Process:
    """Return the process less its requests of fewer than `least` bytes; with all of them if none is larger."""
    least = max(least, 1.0)
    if min(process.length) >= least:
        return process
    keep = [length >= least for length in process.length]
    if not any(keep):
        return process
    if process.file is not None and len(set(compress(process.file, keep))) < len(set(process.file)):
        return process  # small files are files, too
    return Process(
        list(compress(process.start, keep)),
        list(compress(process.end, keep)),
        list(compress(process.length, keep)),
        None if process.offset is None else list(compress(process.offset, keep)),
        None if process.file is None else list(compress(process.file, keep)),
    )
