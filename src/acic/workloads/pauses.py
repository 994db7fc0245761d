"""Pauses: how long processes stay away from their files.

What is left of a process's time from the first request of a phase to the last one, without what it spent in requests,
to other files too, it computed or waited for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from acic.workloads.columns import MANY
from acic.workloads.spells import INSTANT, Spells

Floats = NDArray[np.float64]

_FEW = 8  # numbers, up to which numpy adds one after the other, too


def idle(of: Spells, every: Sequence[Spells], processes: int) -> float:
    """Return the s that a process does no I/O between its first and its last request to some files.

    The mean over processes; where records stand for all of them, from the first one's first to the last one's last.

    Args:
        of: the use of those files.
        every: that of all files, in both directions.
        processes: of the job.
    """
    if sum([len(one.rank) for one in every]) > MANY:
        return _idle_of_many(of, every, processes)
    if min(of.rank) < 0:
        begin, end = min(of.first), max(of.last)
        busy = 0.0
        for one in every:
            spells = zip(one.rank, one.first, one.last, one.busy, strict=True)
            shares = [
                spent * _part(began, ended, begin, end) / (1 if rank < 0 else processes)
                for rank, began, ended, spent in spells
            ]
            busy += _sum(shares)
        return max(0.0, end - begin - busy)
    first, last = dict(zip(of.rank, of.first, strict=True)), dict(zip(of.rank, of.last, strict=True))
    if len(first) < len(of.rank):  # some have several
        for rank, began, ended in zip(of.rank, of.first, of.last, strict=True):
            first[rank] = min(began, first[rank])
            last[rank] = max(ended, last[rank])
    away = _away(first, last, every)
    return _sum(away) / len(away)


def _away(first: dict[int, float], last: dict[int, float], every: Sequence[Spells]) -> list[float]:
    """Return the s between each rank's first and last request in which it does no I/O, the lowest rank first."""
    windows = {rank: (first[rank], last[rank]) for rank in sorted(first)}
    spent = dict.fromkeys(windows, 0.0)
    lowest = windows[min(first)]
    for one in every:
        together = []  # about as much of each process, whatever its own first and last
        for rank, began, ended, busy in zip(one.rank, one.first, one.last, one.busy, strict=True):
            if window := windows.get(rank):
                begin, end = window
                if began <= end and ended >= begin:  # else no part of it
                    spent[rank] += busy * _part(began, ended, begin, end)
            elif rank < 0:
                together.append(busy * _part(began, ended, *lowest))
        if together:
            share = _sum(together)
            spent = {rank: mine + share for rank, mine in spent.items()}
    return [max(end - begin - spent[rank], 0.0) for rank, (begin, end) in windows.items()]


def _part(first: float, last: float, begin: float, end: float) -> float:
    """Return the share of a spell that lies between `begin` and `end`."""
    if begin <= first <= last <= end:
        return 1.0
    if last < begin or end < first:
        return 0.0
    both = min(last, end) - max(first, begin)
    length = last - first
    return min(max(both / length, 0.0), 1.0) if length > INSTANT else float(both >= 0)


def _sum(values: list[float]) -> float:
    return reduce(add, values) if len(values) < _FEW else float(np.add.reduce(values))


def _idle_of_many(of: Spells, every: Sequence[Spells], processes: int) -> float:
    """Return what `idle` does."""
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
