"""Pruning one tree by cost-complexity: which subtrees go at which price of a leaf.

scikit-learn prunes only while it fits, one fit per price; with the prices of all nodes known, one
fit per fold serves every price.

Source: Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees", 1984, chapter 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.models.protocol import Floats
from acic.models.trees import LEAF, Trees, as_fitted


def prices(tree: Trees, risk: Floats) -> Floats:
    """Return the price of a leaf from which on each node is a leaf itself, shape (nodes,).

    Minimising risk + price * leaves, the weakest subtree goes first: the one that lowers the risk
    least per leaf it costs. A node below another that went earlier keeps infinity.

    Args:
        tree: one tree.
        risk: weighted squared error of each node as a leaf, over the total weight, shape (nodes,).
    """
    nodes = len(risk)
    inner = tree.left != LEAF
    parent = np.full(nodes, -1)
    parent[tree.left[inner]] = parent[tree.right[inner]] = np.flatnonzero(inner)
    leaves, below = np.where(inner, 0, 1), np.where(inner, 0.0, risk)
    for node in np.flatnonzero(inner)[::-1]:  # children come after their parents
        for child in (tree.left[node], tree.right[node]):
            leaves[node] += leaves[child]
            below[node] += below[child]
    price = np.where(inner, np.inf, 0.0)
    gain = np.full(nodes, np.inf)  # risk that the subtree takes off, per leaf it adds
    gain[inner] = (risk[inner] - below[inner]) / (leaves[inner] - 1)
    last = 0.0
    while np.isfinite(gain[0]):
        weakest = int(gain.argmin())
        last = price[weakest] = max(last, float(gain[weakest]))
        stack = [weakest]
        while stack:
            node = stack.pop()
            if gain[node] < np.inf:  # else it is a leaf, or it went earlier with all below it
                gain[node] = np.inf
                stack += [int(tree.left[node]), int(tree.right[node])]
        fewer, worse = leaves[weakest] - 1, risk[weakest] - below[weakest]
        node = int(parent[weakest])
        while node >= 0:
            leaves[node] -= fewer
            below[node] += worse
            gain[node] = (risk[node] - below[node]) / (leaves[node] - 1)
            node = int(parent[node])
    return price


def values_at(tree: Trees, price: Floats, tried: Floats, x: Floats) -> Floats:
    """Return what each of the subtrees left at some prices predicts, shape (prices, rows), none of them made.

    Args:
        tree: one tree.
        price: of its nodes, as `prices` gives them.
        tried: prices of a leaf, shape (prices,).
        x: rows of shape (rows, columns).
    """
    x = as_fitted(x)
    node = np.zeros((len(tried), len(x)), dtype=np.int64)
    goes_on = (tree.left != LEAF) & (price > tried[:, None])
    which, row = np.nonzero(goes_on[:, 0][:, None] & np.ones(len(x), dtype=bool))
    while len(which):
        at = node[which, row]
        left = x[row, tree.feature[at]] <= tree.threshold[at]
        node[which, row] = child = np.where(left, tree.left[at], tree.right[at])
        further = goes_on[which, child]
        which, row = which[further], row[further]
    return tree.value[node]


def pruned(tree: Trees, price: Floats, at: float) -> Trees:
    """Return the subtree that is left at a price.

    Args:
        tree: one tree.
        price: of its nodes, as `prices` gives them.
        at: price of a leaf.
    """
    kept = np.zeros(len(price), dtype=bool)
    kept[0] = True
    goes_on = (tree.left != LEAF) & (price > at)
    for node in np.flatnonzero(goes_on):  # parents come before their children
        kept[[tree.left[node], tree.right[node]]] |= kept[node]
    place = np.cumsum(kept) - 1

    def children(side: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(goes_on, place[np.where(goes_on, side, 0)], LEAF)[kept]

    return Trees(
        roots=tree.roots,
        feature=tree.feature[kept],
        threshold=tree.threshold[kept],
        left=children(tree.left),
        right=children(tree.right),
        value=tree.value[kept],
        std=tree.std[kept],
        count=tree.count[kept],
    )
