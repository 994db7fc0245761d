"""Some rows of a table together, and who used their files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Summary:
    """Some rows of a table together.

    Args:
        totals: the integer columns, summed.
        times: the float columns, summed.
        files: ids of the files.
        hidden: how many of the files have a record that stands for all ranks together.
        ranks: how many ranks are known to use the files.
        pairs: how many pairs of a file that is not hidden and a rank there are.
        sizes: how many requests had each of the common sizes, once that was asked for.
    """

    totals: list[int]
    times: list[float]
    files: list[int]
    hidden: int
    ranks: int
    pairs: int
    sizes: dict[int, int] | None = None


def few_users(files: list[int], ranks: list[int]) -> tuple[int, int, int]:
    """Return how many files are hidden, ranks known, and pairs of the other files and ranks."""
    pairs = set(zip(files, ranks, strict=True))
    if min(ranks, default=0) >= 0:
        return 0, len(set(ranks)), len(pairs)
    hidden = {file for file, rank in pairs if rank < 0}
    known = {rank for _, rank in pairs if rank >= 0}
    return len(hidden), len(known), len([1 for file, _ in pairs if file not in hidden])


def many_users(files: NDArray[np.uint64], ranks: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return what `few_users` does."""
    _, number = np.unique(files, return_inverse=True)
    hidden = np.bincount(number, ranks < 0) > 0
    alone = ~hidden[number]
    pairs = np.unique(number[alone] * (int(ranks.max()) + 1) + ranks[alone])
    return int(hidden.sum()), len(np.unique(ranks[ranks >= 0])), len(pairs)
