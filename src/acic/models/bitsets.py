"""Many trees over many rows at once, as sets of leaves.

Every leaf of every tree is one bit. A node that sends a row left rules out the leaves of its right
subtree, and the other way round; the AND of what all nodes leave over is exactly the leaf that the row
reaches. What one column rules out depends on few things only: between which two thresholds the row's
value lies. So a row costs one table look-up per group of columns, instead of a walk down each tree, and
columns that are constant over all rows (the workload, for a ranking) cost nothing: their sets
are taken first, and words of which no leaf is left are dropped.

Source: after QuickScorer, Lucchese et al., SIGIR 2015; turned from one row at a time to tables over
rows, with both subtrees ruled out so that one bit remains and trees may have more leaves than a word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

BITS = 63  # leaves per word; the top bit stays clear, so that a word can be converted as a signed number
PATTERNS = 512  # rows of a group's table: 100 words of each take 400 kB, which a core's cache still holds
BLOCK = 256  # rows scored together: the working arrays stay in the cache
ALL = np.uint64(2**64 - 1)
EXPONENT = 1022  # a double's biased exponent, less one, of the number 1: bit k of a word becomes k + 1, none -1022


class Bitsets:
    """The leaves of trees (arrays as in `Trees`) as bits of words, ready to score rows."""

    def __init__(
        self,
        roots: NDArray[np.int64],
        feature: NDArray[np.int64],
        threshold: Floats,
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        value: Floats,
        variance: Floats,
    ) -> None:
        first, leaves = _leaf_ranges(left, right)
        ends = np.append(roots[1:], len(left))
        words = -(-leaves[roots] // BITS)  # per tree
        start = np.cumsum(words) - words
        tree = np.repeat(np.arange(len(roots)), ends - roots)
        is_leaf = left < 0
        slot = start[tree] * BITS + first  # a leaf's bit, counted over all words; of a node, its first leaf's
        self.words = int(words.sum())
        # One row per word: nothing left, then bit 0, bit 1, ...
        table = np.zeros((2, self.words, BITS + 1))
        word, bit = np.divmod(slot[is_leaf], BITS)
        table[:, word, bit + 1] = value[is_leaf], variance[is_leaf]
        self._value, self._variance = table
        self._all = np.zeros(self.words, dtype=np.uint64)
        np.bitwise_or.at(self._all, word, np.left_shift(np.uint64(1), bit.astype(np.uint64)))
        self._splits = {}
        inner = np.flatnonzero(~is_leaf)
        for column in np.unique(feature[inner]):
            nodes = inner[feature[inner] == column]
            self._splits[int(column)] = _Splits(
                threshold[nodes],
                _Ranges(slot[left[nodes]], leaves[left[nodes]], self.words),
                _Ranges(slot[right[nodes]], leaves[right[nodes]], self.words),
            )

    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the sums, over the trees, of leaf values, their squares and variances, each of shape (rows,)."""
        alive, groups = self._tables(np.ascontiguousarray(x.T, dtype=np.float32))
        kept = np.flatnonzero(alive)
        tables = [(np.ascontiguousarray(table[:, kept]), codes) for table, codes in groups]
        values, variances = self._value[kept].ravel(), self._variance[kept].ravel()
        offset = np.arange(len(kept)) * (BITS + 1) - EXPONENT
        none = offset + EXPONENT
        total, square, variance = np.empty((3, len(x)))
        sets, mask = np.empty((2, BLOCK, len(kept)), dtype=np.uint64)
        for low in range(0, len(x), BLOCK):
            rows = slice(low, min(low + BLOCK, len(x)))
            left, ruled, reached = sets[: rows.stop - low], mask[: rows.stop - low], mask[: rows.stop - low].view(float)
            left[:] = alive[kept]
            for table, codes in tables:
                np.take(table, codes[rows], axis=0, out=ruled, mode="clip")  # "clip": no copy of `out`
                left &= ruled
            np.copyto(reached, left.view(np.int64))
            place = np.right_shift(reached.view(np.int64), 52, out=left.view(np.int64))
            place += offset
            np.maximum(place, none, out=place)
            np.take(values, place, out=reached, mode="clip")
            total[rows] = reached.sum(axis=1)
            square[rows] = np.einsum("ij,ij->i", reached, reached)
            np.take(variances, place, out=reached, mode="clip")
            variance[rows] = reached.sum(axis=1)
        return total, square, variance

    def _tables(self, x: NDArray[np.float32]) -> tuple[Words, list[tuple[Words, NDArray[np.intp]]]]:
        """Return what the constant columns leave over, and for groups of the others a table and each row's place."""
        alive = self._all.copy()
        varying = []
        for column, splits in self._splits.items():
            present, codes = _compact(splits.interval(x[column]), len(splits.cuts) + 1)
            table = splits.table(np.append(splits.cuts, np.float32(np.inf))[present])
            if len(present) == 1:
                alive &= table[0]
            else:
                varying.append((table, codes))
        groups: list[tuple[Words, NDArray[np.intp]]] = []
        for table, codes in sorted(varying, key=lambda pair: len(pair[0])):
            if groups and len(groups[-1][0]) * len(table) <= PATTERNS:
                other, others = groups.pop()
                both = (other[:, None, :] & table[None, :, :]).reshape(-1, self.words)
                groups.append((both, others * len(table) + codes))
            else:
                groups.append((table, codes))
        return alive, groups


class _Ranges:
    """Ranges of leaves, one per node, cut into words: the range of `node[i]` covers `bits[i]` of word `word[i]`."""

    def __init__(self, first: NDArray[np.int64], length: NDArray[np.int64], words: int) -> None:
        last = first + length - 1
        spans = last // BITS - first // BITS + 1
        self.node = np.repeat(np.arange(len(first)), spans)
        self.word = np.arange(len(self.node)) - np.repeat(np.cumsum(spans) - spans - first // BITS, spans)
        low = np.maximum(first[self.node] - self.word * BITS, 0).astype(np.uint64)
        high = np.minimum(last[self.node] - self.word * BITS, BITS - 1).astype(np.uint64)
        one = np.uint64(1)
        self.bits = np.left_shift(one, high + one) - np.left_shift(one, low)
        self.words = words

    def ruled_out(self, place: NDArray[np.intp], count: int) -> Words:
        """Return a table of `count` rows in which row `place[node]` has the node's range cleared."""
        table = np.full((count, self.words), ALL)
        at = place[self.node]
        inside = (at >= 0) & (at < count)
        np.bitwise_and.at(table, (at[inside], self.word[inside]), ~self.bits[inside])
        return table


class _Splits:
    """All nodes that ask for one column."""

    def __init__(self, threshold: Floats, left: _Ranges, right: _Ranges) -> None:
        # Rows are compared in single precision, as when the trees were fitted; so a threshold
        # may be the next single below it.
        single = threshold.astype(np.float32)
        self.threshold = np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)
        self.cuts = np.unique(self.threshold)
        self._left, self._right = left, right

    def interval(self, values: NDArray[np.float32]) -> NDArray[np.intp]:
        """Return how many cuts each value exceeds."""
        if len(self.cuts) == 1:  # a label's column: much quicker than to search
            return np.asarray(values > self.cuts[0], dtype=np.intp)
        return np.asarray(np.searchsorted(self.cuts, values), dtype=np.intp)

    def table(self, values: NDArray[np.float32]) -> Words:
        """Return which leaves each of the ascending values leaves over, shape (values, words)."""
        place = np.searchsorted(values, self.threshold, side="right")  # the first value that goes right
        goes_right = self._left.ruled_out(place, len(values))
        goes_left = self._right.ruled_out(place - 1, len(values))
        np.bitwise_and.accumulate(goes_right, axis=0, out=goes_right)
        np.bitwise_and.accumulate(goes_left[::-1], axis=0, out=goes_left[::-1])
        return goes_right & goes_left


def _compact(codes: NDArray[np.intp], size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the codes that occur, ascending, and each row's place among them."""
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def _leaf_ranges(left: NDArray[np.int64], right: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for every node its first leaf (left to right, from 0 in each tree) and how many it has."""
    inner = np.flatnonzero(left >= 0)
    nodes = list(zip(inner.tolist(), left[inner].tolist(), right[inner].tolist(), strict=True))
    leaves = (left < 0).astype(np.int64).tolist()  # as lists: single numbers of arrays are slow to get at
    for node, low, high in reversed(nodes):  # children come after their parents
        leaves[node] = leaves[low] + leaves[high]
    first = [0] * len(leaves)
    for node, low, high in nodes:
        first[low] = first[node]
        first[high] = first[node] + leaves[low]
    return np.array(first), np.array(leaves)
