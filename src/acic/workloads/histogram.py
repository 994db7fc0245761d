"""Darshan's histogram of request sizes: what moves the bytes where the four most frequent sizes do not tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from acic.units import GIB, KIB, MIB

_BINS = ["0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"]
_EDGES = (0, 100, KIB, 10 * KIB, 100 * KIB, MIB, 4 * MIB, 10 * MIB, 100 * MIB, GIB, 4 * GIB)  # the last has no end


def count_requests(name: str, records: NDArray[np.void], rows: Sequence[int], direction: int) -> list[int]:
    """Return how many requests of some records of the module `name` are in each bin; none where it has no histogram.

    A bin has what is larger than its lower edge, up to the upper one. Source: darshan-common.h, DARSHAN_BUCKET_INC.

    Args:
        name: of the module.
        records: of it.
        rows: which of them.
        direction: `READ` or `WRITE`.
    """
    prefix = f"{name.replace('-', '')}_SIZE_{('READ', 'WRITE')[direction]}"
    fields = records.dtype.names or ()
    if f"{prefix}_{_BINS[0]}" not in fields:
        prefix += "_AGG"
    if f"{prefix}_{_BINS[0]}" not in fields:
        return []
    return [int(records[f"{prefix}_{one}"][rows].clip(0).sum()) for one in _BINS]


def median_size(counts: Sequence[int], moved: int, common: Mapping[int, int]) -> int:
    """Return the size of the request that moves the median byte, B, as near as a histogram tells; 0 for nothing.

    Each bin has at least its lower edge for each request. What that leaves of the bytes goes to bins by the room they
    have, which tells the bin of the median byte; that one has what the others do not.

    Args:
        counts: requests in each bin.
        moved: by all of them, B.
        common: how many had each of some sizes, B; empty where that is not known.
    """
    widths = [high - low for low, high in pairwise(_EDGES)]
    least = [count * low for count, low in zip(counts, _EDGES, strict=False)]
    rest, room = moved - sum(least), sum(count * width for count, width in zip(counts, widths, strict=True))
    if not moved or not room or rest < 0:  # a damaged log, or counters of other calls
        return 0
    bytes_of = [low + rest * count * width / room for low, count, width in zip(least, counts, widths, strict=True)]
    at = next(bin_ for bin_, until in enumerate(accumulate(bytes_of)) if 2 * until >= moved)
    others = sum(_bytes_within(bin_, count, common) for bin_, count in enumerate(counts) if bin_ != at)
    size = (moved - others) / counts[at]
    return round(min(max(size, _EDGES[at] + 1), _EDGES[at + 1] if at + 2 < len(_EDGES) else moved))


def _bytes_within(bin_: int, count: int, common: Mapping[int, int]) -> float:
    """Return the B of a bin: its common sizes as they are, its other requests in the middle, by the logarithm."""
    low, high = _EDGES[bin_], _EDGES[bin_ + 1]
    mine = {size: many for size, many in common.items() if low < size <= high}
    if sum(mine.values()) > count:  # some are of other records, or of the other direction
        mine = {}
    others = count - sum(mine.values())
    return sum(size * many for size, many in mine.items()) + others * math.sqrt(max(1, low) * high)
