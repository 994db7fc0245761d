"""Sizes: what one request moves, and how much of the bytes is data rather than headers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from acic.workloads.columns import BYTES
from acic.workloads.groups import Group
from acic.workloads.traced import Traced
from acic.workloads.workload import ESTIMATED, EXACT, UNKNOWN, Quality

_LEAST = 0.001  # share of the bytes that requests of one size need, to be data
_GUESS = 1 << 20  # B
_HEADERS = 0.005  # share of the bytes that can be headers


def request_size(group: Group, traced: Traced | None) -> tuple[int, Quality]:
    """Return the size of the request that moves the median byte, B.

    Args:
        group: of files.
        traced: the same requests as the group counts, if there is a trace of them.
    """
    if not group.calls:  # a heat map has no requests
        return min(_GUESS, group.bytes), UNKNOWN
    size, rest = divmod(group.bytes, group.calls)
    common = group.common_sizes
    if not rest and common.get(size, 0) >= group.calls:
        return size, EXACT
    if traced is not None:
        lengths = sorted(traced.lengths())
        alike = lengths[0] == lengths[-1]
        median = lengths[0] if alike else of_median_byte(lengths, lengths)
        return max(1, median), EXACT if alike and not rest and median == size else ESTIMATED
    fitting = {s: count for s, count in common.items() if _LEAST * group.bytes <= s * count <= group.bytes}
    if 2 * sum([s * count for s, count in fitting.items()]) < group.bytes:
        if median := group.median_size:
            return median, ESTIMATED
        # where calls are collective, the others are a library's small ones
        calls = group.collective_calls if group.collective else group.calls
        return max(1, round(group.bytes / max(calls, 1))), ESTIMATED
    sizes = sorted(fitting)
    return of_median_byte(sizes, [s * fitting[s] for s in sizes]), ESTIMATED


def data_bytes(group: Group) -> int:
    """Return the bytes less those of the few requests too small to be data, such as a file's header."""
    if group.totals[BYTES + 1 - group.direction]:
        return group.bytes  # the common sizes are of both directions
    common = group.common_sizes
    data = sum(size * count for size, count in common.items() if size * count >= _LEAST * group.bytes)
    return data if 0 <= group.bytes - data <= _HEADERS * group.bytes else group.bytes


def of_median_byte(sizes: Sequence[int], moved: Iterable[int]) -> int:
    """Return the size of the request that moves the median byte, B.

    Headers are many requests and few bytes: what most requests move may be next to nothing.

    Args:
        sizes: of requests, B, the smallest first.
        moved: by those of each size together, B.
    """
    until = list(accumulate(moved))
    return sizes[bisect_left(until, until[-1] / 2)]
