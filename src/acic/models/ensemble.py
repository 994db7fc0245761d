"""What is predicted and said from trees whose leaves are averaged: one (CART) or many (forests)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from acic.models.protocol import Arrays, Floats, Integers, Prediction
from acic.models.trees import Trees
from acic.models.words import Describe, plain
from acic.prior import HARDWARE
from acic.space import ABSENT_CODE

REASONS = 6  # as many as a reader takes in
SLIGHT = 0.005  # a log contribution of half a percent is not a reason


@dataclass(frozen=True)
class TreePredictor:
    """The mean over `trees`; the spread is the deviation among trees and within their leaves together."""

    name: str
    columns: tuple[str, ...]
    trees: Trees

    is_relative = False

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending."""
        return self.trees.asked

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        total, square, variance = self.trees.moments(x)
        mean = total / len(self.trees)
        among = square / len(self.trees) - mean**2
        return Prediction(mean, np.sqrt(np.maximum(among + variance / len(self.trees), 0.0)))

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return the path to the leaf of a single tree, or what each parameter contributes over many."""
        if len(self.trees) == 1:
            return path_in_words(self.trees, self.columns, x, describe)
        return contributions_in_words(self.trees.contributions(x) / len(self.trees), self.columns, x, describe)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        return {"columns": np.array(self.columns), **self.trees.arrays()}


def restore(name: str, arrays: Arrays) -> TreePredictor:
    """Return the predictor whose `arrays()` these are."""
    return TreePredictor(name, tuple(arrays["columns"].tolist()), Trees.restore(arrays))


@dataclass(frozen=True, slots=True)
class Averaged:
    """What learners of many trees that are averaged have in common.

    Args:
        trees: how many.
        min_leaf: runs that a leaf must hold.
        max_leaves: of one tree; two words of `bitsets`, so that scoring stays fast however much is measured.
        columns: share of the columns that a split may choose from.
    """

    trees: int = 100
    min_leaf: int = 3
    max_leaves: int = 126
    columns: float = 1.0

    name: ClassVar[str]

    @property
    def settings(self) -> dict[str, Any]:
        """Return what each tree is told."""
        return {
            "min_samples_leaf": self.min_leaf,
            "max_leaf_nodes": self.max_leaves,
            "max_features": self.columns,
        }

    def restore(self, arrays: Arrays) -> TreePredictor:
        """Return the predictor whose `arrays()` these are."""
        return restore(self.name, arrays)


def path_in_words(trees: Trees, columns: tuple[str, ...], x: Floats, describe: Describe) -> list[str]:
    """Return the conditions that lead one row down the first tree, a column's narrowest only, and the leaf."""
    narrowest: dict[tuple[int, str], float] = {}
    leaf = int(trees.roots[0])
    for node, child in trees.path(x):
        column = int(trees.feature[node])
        if x[column] == ABSENT_CODE:  # left of every split, as if it had a small value
            narrowest[column, "="] = ABSENT_CODE
        else:
            relation = "<=" if child == trees.left[node] else ">"
            narrowest[column, relation] = float(trees.threshold[node])  # the later, the narrower
        leaf = child
    count = int(trees.count[leaf])
    factor = float(np.exp(trees.value[leaf]))
    return [
        *(describe(columns[column], relation, number) for (column, relation), number in narrowest.items()),
        f"leaf: {count} run{'s' * (count != 1)}, mean {factor:.3g}x ± {factor * trees.std[leaf]:.2g}",
    ]


def contributions_in_words(moved: Floats, columns: tuple[str, ...], x: Floats, describe: Describe) -> list[str]:
    """Return how much each parameter speeds up or slows down one row against the average run, largest first.

    Columns `name=value` of one parameter count together.

    Args:
        moved: log improvement that each column contributes, shape (columns,).
        columns: their names.
        x: the row, shape (columns,).
        describe: puts a value into words.
    """
    parameters: dict[str, list[int]] = {}
    for position, column in enumerate(columns):
        parameters.setdefault(column.partition("=")[0], []).append(position)
    effects = {name: float(moved[places].sum()) for name, places in parameters.items()}
    reasons: list[str] = []
    for name, effect in sorted(effects.items(), key=lambda pair: -abs(pair[1])):
        if abs(effect) < SLIGHT or len(reasons) == REASONS:
            break
        reasons.append(f"{_value(name, parameters[name], columns, x, describe)}: {_factor(effect)}")
    return reasons or ["no parameter makes a difference of half a percent here"]


def _value(name: str, places: list[int], columns: tuple[str, ...], x: Floats, describe: Describe) -> str:
    if name == HARDWARE:
        return "what its hardware would wait for"
    if len(places) == 1 and columns[places[0]] == name:
        return describe(name, "=", float(x[places[0]]))
    chosen = [place for place in places if x[place] > 0.5]
    return describe(columns[chosen[0]], "=", 1.0) if chosen else f"{name} does not apply"


def _factor(effect: float) -> str:
    return f"{np.exp(abs(effect)):.3g}x {'faster' if effect > 0 else 'slower'} than the average run"
