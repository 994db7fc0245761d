"""Regression trees as flat arrays: what scikit-learn fitted, scored and explained by numpy alone.

scikit-learn takes 1.7 s to import, more than a whole `acic recommend` may take; so it fits and
is not needed again. Trees lie one after the other in one set of arrays, each root before its children.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.models.bitsets import BITS, Bitsets
from acic.models.descent import BLOCK, Descent
from acic.models.protocol import Arrays, Floats

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeRegressor

LEAF = -1  # the child of a leaf
_FEW = 4 * BITS  # nodes of a tree, on average, up to which sets of leaves are the faster way


@dataclass(frozen=True)
class Trees:
    """Binary regression trees; a row goes left where `x[feature] <= threshold`.

    Args:
        roots: the first node of each tree, shape (trees,).
        feature: the column that a node asks for; anything for a leaf, shape (nodes,).
        threshold: shape (nodes,).
        left: position of the left child, `LEAF` for a leaf, shape (nodes,).
        right: position of the right child, shape (nodes,).
        value: weighted mean of the training rows that came by, shape (nodes,).
        std: their weighted standard deviation, shape (nodes,).
        count: how many they were, shape (nodes,).
    """

    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: Floats
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Floats
    std: Floats
    count: NDArray[np.int64]

    @classmethod
    def of(cls, fitted: Sequence[DecisionTreeRegressor], *, scale: float = 1.0) -> Trees:
        """Return the trees that scikit-learn fitted; `scale` multiplies their values (a learning rate)."""
        trees = [estimator.tree_ for estimator in fitted]
        sizes = np.array([tree.node_count for tree in trees], dtype=np.int64)
        roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([np.asarray(getattr(tree, name)) for tree in trees])

        def children(name: str) -> NDArray[np.int64]:
            local = joined(name).astype(np.int64)
            return np.where(local == LEAF, LEAF, local + np.repeat(roots, sizes))

        return cls(
            roots=roots,
            feature=joined("feature").astype(np.int64),
            threshold=joined("threshold").astype(np.float64),
            left=children("children_left"),
            right=children("children_right"),
            value=joined("value")[:, 0, 0].astype(np.float64) * scale,
            std=np.sqrt(np.maximum(joined("impurity"), 0.0)) * scale,
            count=joined("n_node_samples").astype(np.int64),
        )

    @classmethod
    def restore(cls, arrays: Arrays, prefix: str = "") -> Trees:
        """Return the trees whose `arrays(prefix)` these are.

        Raises:
            InvalidInput: the arrays do not describe trees.
        """
        trees = cls(**{name: arrays[prefix + name] for name in _FIELDS})
        nodes = np.arange(len(trees.left))
        inner = trees.left != LEAF
        children = np.concatenate([trees.left[inner], trees.right[inner]])
        parents = np.concatenate([nodes[inner], nodes[inner]])
        if (children <= parents).any() or (children >= len(nodes)).any() or (trees.roots >= len(nodes)).any():
            raise InvalidInput("these arrays are no trees", hint="fit the model again")
        return trees

    def arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """Return the fields by name, each with `prefix` before it."""
        return {prefix + name: getattr(self, name) for name in _FIELDS}

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def asked(self) -> NDArray[np.int64]:
        """Columns that some node asks for, ascending."""
        return np.unique(self.feature[self.left != LEAF])

    def moments(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return, over the trees, the sums of leaf values, of their squares and of leaf variances, each (rows,)."""
        if len(self.left) <= _FEW * len(self):
            return self._bitsets.moments(x)
        total, square, variance = np.empty((3, len(x)))
        own = self.std**2
        for low in range(0, len(x), BLOCK):
            rows = slice(low, low + BLOCK)
            leaves = self.leaves(x[rows])
            reached = self.value[leaves]
            total[rows], square[rows] = reached.sum(axis=1), np.einsum("ij,ij->i", reached, reached)
            variance[rows] = own[leaves].sum(axis=1)
        return total, square, variance

    def leaves(self, x: Floats) -> NDArray[np.int64]:
        """Return the leaf that each row reaches in each tree, shape (rows, trees)."""
        return self._descent.leaves(x)

    def path(self, x: Floats, tree: int = 0) -> Iterator[tuple[int, int]]:
        """Yield (node, the child taken) from the root to the leaf of one row of shape (columns,)."""
        x = as_fitted(x)
        node = int(self.roots[tree])
        while self.left[node] != LEAF:
            below = x[self.feature[node]] <= self.threshold[node]
            child = int(self.left[node] if below else self.right[node])
            yield node, child
            node = child

    def contributions(self, x: Floats) -> Floats:
        """Return how much each column moved the sum of all trees for one row, shape (columns,).

        At every step of a path the mean changes, by the column that was asked for; these changes add up to the
        prediction minus the roots' means.

        Source: Saabas, "Interpreting random forests", 2014 (treeinterpreter).
        """
        moved = np.zeros(len(x))
        for tree in range(len(self)):
            for node, child in self.path(x, tree):
                moved[self.feature[node]] += self.value[child] - self.value[node]
        return moved

    @cached_property
    def _descent(self) -> Descent:
        return Descent(self.roots, self.feature, self.threshold, self.left, self.right)

    @cached_property
    def _bitsets(self) -> Bitsets:
        return Bitsets(self.roots, self.feature, self.threshold, self.left, self.right, self.value, self.std**2)


_FIELDS = tuple(Trees.__dataclass_fields__)


def as_fitted(x: Floats) -> Floats:
    """Round as scikit-learn does before it compares: rows to single, thresholds stay in double precision."""
    return x.astype(np.float32).astype(np.float64)
