"""Spells: when each record of a group was used, and how long it kept a process busy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import BYTES, CLOSED, FIRST, LAST, MANY, META_SECONDS, SECONDS, SLOWEST_SECONDS, WRITE
from acic.workloads.groups import Group

Floats = NDArray[np.float64]

INSTANT = 1e-9
"""A time that is none, s."""


@dataclass(frozen=True, slots=True)
class Spells:
    """When the records of a group were used in its direction: arrays of shape (records,), s since the job began.

    Args:
        rank: whose record it is; -1 where it stands for all ranks.
        first, last: when the first request began, and the last one, or closing the file, ended.
        busy: s in requests, and in metadata calls; where it stands for all ranks, those of the slowest.
    """

    rank: NDArray[np.int64]
    first: Floats
    last: Floats
    busy: Floats

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Which stand for all ranks."""
        return self.rank < 0


def closes(written: int, direction: int) -> bool:
    """Return whether the metadata time (open, close, stat, ...) of files is that of a direction.

    Of files to which something was `written` (B) it is the writes', whether they are read, too: closing them sends
    what was written, or waits until it lasts, beside which opening a file to read it is nothing.
    """
    return (written > 0) is (direction == WRITE)


def spells(group: Group) -> Spells:
    """Return when the records of a group were used."""
    table, rows, d = group.table, group.rows, group.direction
    if len(rows) > MANY:
        times, written, ranks = table.floats[rows], table.integers[rows, BYTES + WRITE], table.ranks[rows]
    else:
        times = np.array([table.times[row] for row in rows])
        written = np.array([table.counters[row][BYTES + WRITE] for row in rows])
        ranks = np.array([table.rank_list[row] for row in rows])
    metadata = times[:, META_SECONDS]
    busy = times[:, SECONDS + d] + np.where((written > 0) == (d == WRITE), metadata, 0.0)  # as `closes` has it
    last = times[:, LAST + d]
    if d == WRITE:  # what is read later is closed after that
        last = np.maximum(last, np.where(times[:, FIRST] > 0, 0.0, times[:, CLOSED]))
    spent = times[:, SECONDS] + times[:, SECONDS + 1] + metadata
    slowest = busy * times[:, SLOWEST_SECONDS] / np.maximum(spent, INSTANT)
    return Spells(ranks, times[:, FIRST + d], last, np.where(ranks < 0, slowest, busy))


def counted_twice(every: Sequence[Spells]) -> float:
    """Return by how much the slowest process's seconds of each group add up to more than any process's in all, s.

    Another process may be the slowest in each, and nobody waits for all of them.
    """
    alone = [(one.rank[~one.hidden], one.busy[~one.hidden]) for one in every]
    most = max((int(rank.max()) for rank, _ in alone if len(rank)), default=0) + 1
    spent = [np.bincount(rank, busy, minlength=most) for rank, busy in alone]
    return float(sum(one.max() for one in spent) - np.sum(spent, axis=0).max()) if spent else 0.0
