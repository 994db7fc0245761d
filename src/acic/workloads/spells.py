"""Spells: when each record of a group was used, and how long it kept a process busy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from acic.workloads.columns import (
    BYTES,
    CLOSED,
    FIRST,
    LAST,
    META_SECONDS,
    OPENS,
    PAUSE,
    SECONDS,
    SLOWEST_SECONDS,
    WRITE,
)
from acic.workloads.groups import IDLE, Group

INSTANT = 1e-9
"""A time that is none, s."""


class Closing(NamedTuple):
    """What opening and closing the file of a record, once each, takes of its process's time.

    Args:
        record: which of the spells it is of.
        first, last: when the last request ended, and when the file was closed, s since the job began.
        busy: s.
    """

    record: int
    first: float
    last: float
    busy: float


@dataclass(slots=True)  # not frozen: that takes twice as long to make
class Spells:
    """When the records of a group were used in its direction: an element for each record, s since the job began.

    Lists, as most logs have few records.

    Args:
        rank: whose record it is; -1 where it stands for all ranks.
        first, last: when the first request began, and the last one, or closing the file, ended.
        busy: s in requests, and in metadata calls; where it stands for all ranks, those of the slowest.
        closings: what of it is behind `last`.
    """

    rank: list[int]
    first: list[float]
    last: list[float]
    busy: list[float]
    closings: list[Closing]

    def apart(self) -> Spells:
        """Return the same with closing files in elements of its own."""
        if not self.closings:
            return self
        busy = [*self.busy]
        for one in self.closings:
            busy[one.record] -= one.busy
        return Spells(
            rank=self.rank + [self.rank[one.record] for one in self.closings],
            first=self.first + [one.first for one in self.closings],
            last=self.last + [one.last for one in self.closings],
            busy=busy + [one.busy for one in self.closings],
            closings=[],
        )

    def steady(self) -> bool:
        """Return whether no record's process was away from its file before it was closed."""
        each = zip(self.first, self.last, self.busy, strict=True)
        return all(last - first - busy <= max(IDLE * (last - first), PAUSE) for first, last, busy in each)

    def alone(self) -> dict[int, float]:
        """Return the s that each rank is busy which has records of its own."""
        spent = dict(zip(self.rank, self.busy, strict=True))
        if len(spent) < len(self.rank):  # some have several
            spent = dict.fromkeys(spent, 0.0)
            for rank, busy in zip(self.rank, self.busy, strict=True):
                spent[rank] += busy
        spent.pop(-1, None)
        return spent


def closes(written: int, direction: int) -> bool:
    """Return whether the metadata time (open, close, stat, ...) of files is that of a direction.

    Of files to which something was `written` (B) it is the writes', whether they are read, too: closing them sends
    what was written, or waits until it lasts, beside which opening a file to read it is nothing.
    """
    return (written > 0) is (direction == WRITE)


def spells(group: Group) -> Spells:
    """Return when the records of a group were used."""
    d, table = group.direction, group.table
    ranks, counters, seconds = table.rank_list, table.counters, table.times
    rank_of: list[int] = []
    first: list[float] = []
    ended: list[float] = []
    busy: list[float] = []
    closings: list[Closing] = []
    for row in group.rows:
        rank, times = ranks[row], seconds[row]
        metadata = times[META_SECONDS]
        mine = metadata if closes(counters[row][BYTES + WRITE], d) else 0.0
        slowest = (
            times[SLOWEST_SECONDS] / max(times[SECONDS] + times[SECONDS + 1] + metadata, INSTANT) if rank < 0 else 1.0
        )
        last = times[LAST + d]
        if d == WRITE and times[FIRST] <= 0:  # what is read later is closed after that
            last = max(last, times[CLOSED])
        elif mine:
            opens = max(1.0, counters[row][OPENS] / (group.processes if rank < 0 else 1))
            done = max(times[LAST : LAST + 2]) if opens == 1.0 else last  # else it may be closed in between, too
            took = min(mine * slowest / opens, max(0.0, times[CLOSED] - done))  # the rest is opening
            closings.append(Closing(len(rank_of), done, done + took, took))
        rank_of.append(rank)
        first.append(times[FIRST + d])
        ended.append(last)
        busy.append((times[SECONDS + d] + mine) * slowest)
    return Spells(rank_of, first, ended, busy, closings)


def counted_twice(every: Sequence[Spells]) -> float:
    """Return by how much the slowest process's seconds of each group add up to more than any process's in all, s.

    Another process may be the slowest in each, and nobody waits for all of them, unless one was over before the other
    began: who goes on with what the first did has waited for it.
    """
    twice, ended = 0.0, 0.0
    beside: list[Spells] = []
    for first, one in sorted([(min(one.first), one) for one in every if one.first], key=itemgetter(0)):
        if beside and first >= ended:
            twice += _twice(beside)
            beside = []
        beside.append(one)
        ended = max(ended, *one.last)
    return twice + _twice(beside)


def _twice(every: Sequence[Spells]) -> float:
    """Return what `counted_twice` does of groups that were used beside one another."""
    if len(every) < 2:
        return 0.0
    groups = [one.alone() for one in every]
    spent: dict[int, float] = {}
    for group in groups:
        for rank, busy in group.items():
            spent[rank] = spent.get(rank, 0.0) + busy
    return sum([max(group.values(), default=0.0) for group in groups]) - max(spent.values(), default=0.0)
