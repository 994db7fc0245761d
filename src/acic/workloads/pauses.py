"""Pauses: how long processes stay away from their files.

What is left of a process's time from the first request of a phase to the last one, without what it spent in requests,
to other files too, it computed or waited for others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acic.workloads.spells import INSTANT, Spells

Floats = NDArray[np.float64]


def idle(of: Spells, every: Sequence[Spells], processes: int) -> float:
    """Return the s that a process does no I/O between its first and its last request to some files.

    The mean over processes; where records stand for all of them, from the first one's first to the last one's last.

    Args:
        of: the use of those files.
        every: that of all files, in both directions.
        processes: of the job.
    """
    if min(of.rank) < 0:
        begin, end = np.array(min(of.first)), np.array(max(of.last))
        shares = [np.where(np.array(one.rank) < 0, 1, processes) for one in every]
        pairs = zip(every, shares, strict=True)
        busy = [(np.array(one.busy) * _inside(one, begin, end) / share).sum() for one, share in pairs]
        return max(0.0, float(end - begin - sum(busy)))
    ranks, place = np.unique(of.rank, return_inverse=True)
    first, last, spent = np.full(len(ranks), np.inf), np.zeros(len(ranks)), np.zeros(len(ranks))
    np.minimum.at(first, place, of.first)
    np.maximum.at(last, place, of.last)
    for one in every:
        at = np.minimum(np.searchsorted(ranks, one.rank), len(ranks) - 1)
        rank = np.array(one.rank)
        mine, inside = ranks[at] == rank, np.array(one.busy) * _inside(one, first[at], last[at])
        np.add.at(spent, at[mine], inside[mine])
        spent += inside[rank < 0].sum()  # about as much of each process, whatever its own first and last
    return float(np.maximum(last - first - spent, 0.0).mean())


def _inside(one: Spells, begin: Floats, end: Floats) -> Floats:
    """Return the share of each spell that lies between `begin` and `end`."""
    length = np.array(one.last) - np.array(one.first)
    both = np.minimum(one.last, end) - np.maximum(one.first, begin)
    return np.where(length > INSTANT, np.clip(both / np.maximum(length, INSTANT), 0.0, 1.0), both >= 0)
