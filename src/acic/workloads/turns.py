"""Turns: which I/O of one process others wait for, where processes do theirs at different times.

All wait where most of them come together, and where they take turns, so that one begins when another ends. Nobody waits
for what a process does at its own time, as one of a farm of tasks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acic.workloads.columns import PAUSE
from acic.workloads.darshan.job import LONGEST_RUN
from acic.workloads.groups import IDLE

_MOST = 0.5
_LATE = 0.01  # s that a process may get a processor late, as it does whatever others do

_Ranks = NDArray[np.int64]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Turns:
    """Stretches of time in which processes go on where others end, or do I/O beside one another.

    Args:
        begins: when each begins, s since the job did, shape (stretches,).
        waited: whether all processes wait for it, shape (stretches,).
        apart: s that the busiest process is in I/O in the other ones.
    """

    begins: _Floats
    waited: NDArray[np.bool_]
    apart: float


def turns(ranks: ArrayLike, starts: ArrayLike, ends: ArrayLike) -> Turns:
    """Return the stretches of some requests, or rows of them.

    Args:
        ranks: whose each is, shape (requests,); -1 where it stands for all ranks.
        starts: of each, s since the job began.
        ends: of each, s.
    """
    rank, start = np.asarray(ranks), np.clip(starts, -LONGEST_RUN, LONGEST_RUN)  # a damaged log may hold anything
    end = np.maximum(start, np.minimum(ends, LONGEST_RUN))
    rank, start, end, seconds = _turns(rank, start, end)
    slack = np.maximum(IDLE * (end - start), _LATE)
    begins = _begins(start, end + slack)
    stretch = begins.cumsum() - 1
    known, number = np.unique(rank, return_inverse=True)
    members = np.bincount(np.unique(stretch * len(known) + number) // len(known))
    together = (members > _MOST * len(known)) | (np.bincount(stretch, rank < 0) > 0)
    in_turn = (members > 1) & (np.bincount(stretch, _follows(start, end, slack)) >= _MOST * np.bincount(stretch))
    waited = together | in_turn
    apart = np.bincount(number, np.where(waited[stretch], 0.0, seconds))
    return Turns(start[begins], waited, float(apart.max()))


def _turns(rank: _Ranks, start: _Floats, end: _Floats) -> tuple[_Ranks, _Floats, _Floats, _Floats]:
    """Return the rank, start and end of each turn, in the order of starts, and how long it is I/O, s.

    A process that is busy for half of the time, or more, goes on with its turn.
    """
    order = np.lexsort((start, rank))
    rank, start, end = rank[order], start[order], end[order]
    reach = end + np.maximum(end - start, PAUSE)
    begins, spent = np.empty(len(start), dtype=np.bool_), np.empty(len(start))
    edges = [0, *(np.flatnonzero(np.diff(rank)) + 1).tolist(), len(start)]  # between ranks
    for mine in map(slice, edges[:-1], edges[1:]):
        begins[mine] = _begins(start[mine], reach[mine])
        until = np.maximum.accumulate(np.append(start[mine][:1], end[mine][:-1]))
        spent[mine] = np.maximum(end[mine] - np.maximum(start[mine], until), 0.0)  # beside its other requests
    at = np.flatnonzero(begins)
    order = np.argsort(start[at], kind="stable")
    found = rank[at], start[at], np.maximum.reduceat(end, at), np.add.reduceat(spent, at)
    return found[0][order], found[1][order], found[2][order], found[3][order]


def _begins(start: _Floats, reach: _Floats) -> NDArray[np.bool_]:
    """Return whether each span, in the order of starts, begins where none before it reaches."""
    return np.concatenate([[True], start[1:] > np.maximum.accumulate(reach)[:-1]])


def _follows(start: _Floats, end: _Floats, slack: _Floats) -> NDArray[np.bool_]:
    """Return whether each turn begins when another one ends, which has some slack: clocks differ, too."""
    order = np.argsort(end)
    behind = np.searchsorted(end[order], start, side="right")
    found = np.zeros(len(start), dtype=np.bool_)
    for near in (behind - 1, behind):
        last = order[np.clip(near, 0, len(order) - 1)]
        found |= (np.abs(start - end[last]) <= slack[last]) & (start[last] < start)
    return found
