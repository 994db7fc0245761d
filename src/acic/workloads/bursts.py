"""Bursts: where one I/O iteration ends and the next begins, in the requests of some processes.

An iteration ends where the process turns to another file, goes back to where it began, or pauses; the last two only if
the pieces that result are of about the same size, since iterations do the same again and noise does not. A pause must
stand out from the other gaps, or all gaps must be long (then each request is an iteration): judged by the median over
processes, because noise delays one of them and a pause all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import sub

import numpy as np

from acic.workloads.columns import PAUSE
from acic.workloads.sequences import Process

_SHARE = 0.05  # of the time of the requests between two pauses: a shorter one does not matter
_CLEAR = 5.0  # times the longest gap that is no pause: beyond doubt
_LEAP = 3.0  # likewise: worth a look
_TOLERANCE = 0.25  # by which the sizes of iterations may differ
_REGULAR = 0.9  # share of iterations that must be of the same size
_SEVERAL = 5  # iterations, of which the first may be of another size
_CANDIDATES = 6
_MANY = 100  # requests, from which on numpy beats a loop

Gaps = dict[int, float]
"""The gaps longer than `PAUSE`, s, by the position of the request behind; in order."""


@dataclass(slots=True)
class Bursts:
    """What the requests fall into.

    Args:
        count: of bursts.
        moved: bytes of a typical burst of one process.
        pause: typical time between two of them, s; None if there is but one, or none to speak of.
        sure: whether no other count is plausible.
        how: "one", "files", "again" or "pauses": what separates them.
    """

    count: int
    moved: float
    pause: float | None = None
    sure: bool = True
    how: str = "one"


def bursts(processes: Sequence[Process], *, spent: float = 0.0, least_share: float = _SHARE) -> Bursts:
    """Return the bursts of some processes' requests.

    Args:
        processes: their requests of one direction. Where they made different numbers of them, each is looked at
            alone, and the median counts.
        spent: what a process is known to spend inside the interface, s; what exceeds the time of the requests
            themselves is in the gaps between them, which are no pauses then.
        least_share: of a request's time, that each gap must have so that each request is a burst.
    """
    if len({len(one.start) for one in processes}) == 1:
        return _Analysis(processes, spent, least_share).result()
    found = sorted((_Analysis([one], spent, least_share).result() for one in processes), key=lambda one: one.count)
    middle = found[len(found) // 2]
    middle.sure = found[0].count == found[-1].count and all(one.sure for one in found)
    return middle


class _Analysis:
    def __init__(self, processes: Sequence[Process], spent: float, least_share: float) -> None:
        self.processes = processes
        self.first = processes[0]
        self.requests = len(self.first.start)
        self.spent = spent
        self.least_share = least_share
        self._moved: list[int] = []

    def result(self) -> Bursts:
        if self.requests == 1:
            return self._made([], "one")
        base, how = self._structure()
        sure = how != "files" or self._regular(base)
        gaps = self._gaps()
        rest = gaps
        if base:
            known = set(base)
            rest = {at: gap for at, gap in gaps.items() if at not in known}
        if rest:
            pauses, clear = self._pauses(rest, base)
            sure = clear and (sure or pauses is not None)
            if pauses is not None:
                base, how = pauses, "pauses"
        pauses_of = [gaps[at] for at in base if at in gaps]
        pause = sum(pauses_of) / len(base) if pauses_of else None
        return self._made(base, how, sure=sure, pause=pause)

    def _made(self, breaks: list[int], how: str, *, sure: bool = True, pause: float | None = None) -> Bursts:
        return Bursts(len(breaks) + 1, _middle(self._sizes(breaks)), pause, sure, how)

    def _structure(self) -> tuple[list[int], str]:
        """Return the breaks that do not depend on time, and what they are."""
        file, offset = self.first.file, self.first.offset
        if file is not None:
            changes = [at for at, (before, now) in enumerate(pairwise(file), 1) if now != before]
            if len(changes) == len(set(file)) - 1:  # one file after the other; else they are used together
                return changes, "files"
        elif offset is not None and offset.count(offset[0]) > 1:
            breaks = [at for at, start in enumerate(offset) if start == offset[0]][1:]
            for one in self.processes[1:]:
                if one.offset is not None:
                    breaks = [at for at in breaks if one.offset[at] == one.offset[0]]
            if breaks and self._regular(breaks):
                return breaks, "again"
        return [], "one"

    def _gaps(self) -> Gaps:
        """Return the long gaps of the median process."""
        if self.first.idle is not None or len(self.processes) == 1:
            return _long(self.first.gaps())
        middle = (len(self.processes) - 1) // 2
        every = [one.gaps() for one in self.processes]
        if self.requests > _MANY:
            return _long(np.sort(every, axis=0)[middle].tolist())
        return _long([sorted(gaps)[middle] for gaps in zip(*every, strict=True)])

    def _pauses(self, gaps: Gaps, base: list[int]) -> tuple[list[int] | None, bool]:
        """Return the breaks with the pauses among the gaps, or None, and whether that is beyond doubt."""
        processes = self.processes
        seconds = sum([sum(one.end) - sum(one.start) for one in processes]) / len(processes)
        inside = max(0.0, self.spent - seconds) / self.requests
        ordered = sorted(gaps.values(), reverse=True)
        best: list[int] | None = None
        for k, leap in _leaps(ordered, inside):
            shortest = ordered[k]
            breaks = sorted([*base, *(at for at, gap in gaps.items() if gap >= shortest)])
            if len(breaks) == self.requests - 1:
                continue  # there is no shorter gap to stand out from
            if shortest < _SHARE * seconds / (len(breaks) + 1) or not self._regular(breaks):
                continue
            if k > 0 and leap >= _CLEAR:
                return breaks, True
            if best is None and (k > 0 or shortest >= seconds / 2):
                best = breaks
        last = int(_REGULAR * (self.requests - len(base) - 2))  # that many gaps, and one more, have to be long
        if last < len(ordered) and ordered[last] >= max(self.least_share * seconds / self.requests, 2 * inside):
            every = list(range(1, self.requests))
            if self._regular(every):
                return every, True
        return best, best is None and ordered[0] < max(_SHARE * seconds, 2 * inside)

    def _sizes(self, breaks: list[int]) -> list[int]:
        """Return the bytes of each burst of the first process."""
        if not self._moved:
            self._moved = [0, *accumulate(self.first.length)]
        at = list(map(self._moved.__getitem__, (0, *breaks, self.requests)))
        return list(map(sub, at[1:], at))

    def _regular(self, breaks: list[int]) -> bool:
        """Whether nearly all bursts move about as much; the last may have been cut, the first made the file.

        HDF5 fills a dataset when it makes it.
        """
        sizes = self._sizes(breaks)
        if len(sizes) > 2:
            sizes.pop()
        return _alike(sizes) or (len(sizes) >= _SEVERAL and _alike(sizes[1:]))


def _alike(sizes: Sequence[int]) -> bool:
    ordered = sorted(sizes)
    middle = ordered[len(ordered) // 2]
    same = bisect_right(ordered, middle + _TOLERANCE * middle) - bisect_left(ordered, middle - _TOLERANCE * middle)
    return same >= _REGULAR * len(ordered)


def _long(gaps: list[float]) -> Gaps:
    return {at: gap for at, gap in enumerate(gaps, 1) if gap > PAUSE}


def _leaps(ordered: list[float], inside: float) -> list[tuple[int, float]]:
    """Return where the gaps, longest first, become much shorter at once: the widest leaps first."""
    leaps = []
    for k, gap in enumerate(ordered):
        if gap <= inside:
            break
        leap = gap / (ordered[k + 1] if k + 1 < len(ordered) else PAUSE)
        if leap >= _LEAP:
            leaps.append((k, leap))
    return sorted(leaps, key=lambda one: -one[1])[:_CANDIDATES]


def _middle(sizes: list[int]) -> int:
    return sorted(sizes)[len(sizes) // 2]
