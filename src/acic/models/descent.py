"""Many trees over many rows at once, level by level: for trees of so many leaves that `bitsets` are slow.

A leaf is its own child here, so that every row goes down every tree in the same few array operations; those that have
arrived are taken out now and then.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 512  # rows that go down together
_SETTLED = 3  # levels after which those that have arrived are taken out: doing so takes as long as one


class Descent:
    """The nodes of trees (arrays as in `Trees`), ready for rows."""

    def __init__(
        self,
        roots: NDArray[np.int64],
        feature: NDArray[np.int64],
        threshold: Floats,
        left: NDArray[np.int64],
        right: NDArray[np.int64],
    ) -> None:
        own = np.arange(len(left))
        leaf = left < 0
        self._roots = roots.astype(np.int32)
        self._feature = np.where(leaf, 0, feature).astype(np.int32)
        self._threshold = threshold
        self._children = np.stack([np.where(leaf, own, left), np.where(leaf, own, right)], axis=1).ravel()
        self._children = self._children.astype(np.int32)

    def leaves(self, x: Floats) -> NDArray[np.int64]:
        """Return the leaf that each row reaches in each tree, shape (rows, trees)."""
        rounded = np.ascontiguousarray(x, dtype=np.float32)  # as scikit-learn does before it compares
        blocks = [self._block(rounded[low : low + BLOCK]) for low in range(0, len(x), BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty((0, len(self._roots)), dtype=np.int64)

    def _block(self, x: NDArray[np.float32]) -> NDArray[np.int64]:
        cells = x.ravel()
        found = np.tile(self._roots, len(x))
        place, node = np.arange(len(found)), found  # those on the way
        row = np.repeat(np.arange(len(x), dtype=np.int32) * x.shape[1], len(self._roots))
        while len(place):
            for _ in range(_SETTLED):
                before, right = node, cells[row + self._feature[node]] > self._threshold[node]
                node = self._children[2 * node + right]
            moved = node != before
            found[place[~moved]] = node[~moved]
            place, row, node = place[moved], row[moved], node[moved]
        return found.reshape(len(x), -1).astype(np.int64)
