"""Boosted trees that learn which of two configurations is better, and by how much, for the same workload.

The error is that of differences: the sum over all pairs of one workload of ((y_i - y_j) - (f_i - f_j))^2, by the
weights of both, over the weight of the workload: one of many runs counts as its runs do, not as their pairs. What all
runs of a workload share, such as a baseline that was measured badly, cancels out. The gradient is the residual less its
mean over the workload; trees are fitted to that. A workload with one configuration has no pairs: it teaches nothing.

Source: Burges et al., "Learning to rank using gradient descent", ICML 2005 (pairs); Friedman, Annals of Statistics
29(5), 2001 (boosting). Squares in place of a logistic loss keep the scale, so that predictions are log improvements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.models.boosting import Sum
from acic.models.ensemble import contributions_in_words
from acic.models.protocol import Arrays, Floats, Integers, Prediction, TrainingSet
from acic.models.quick import unchecked
from acic.models.trees import Trees
from acic.models.words import Describe, plain


@dataclass(frozen=True)
class RankingPredictor:
    """A sum of trees; its spread is the error of differences on the training rows, the same for all.

    Figures for one workload are right but for a constant, which `acic.models.twins` takes off.
    """

    columns: tuple[str, ...]
    mean: Sum
    error: float

    name = "ranking"
    is_relative = True

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending."""
        return self.mean.trees.asked

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        return Prediction(self.mean(x), np.full(len(x), self.error))

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return what each parameter contributes to one row of shape (columns,)."""
        return contributions_in_words(self.mean.trees.contributions(x), self.columns, x, describe)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        own = {"columns": np.array(self.columns), "start": np.array(self.mean.start), "error": np.array(self.error)}
        return own | self.mean.trees.arrays()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Boosting on pairs.

    Args:
        rounds: trees.
        rate: the share of each tree that counts.
        depth: of a tree.
        min_leaf: runs that a leaf must hold.
        columns: share of the columns that a split may choose from.
    """

    rounds: int = 100
    rate: float = 0.1
    depth: int = 4
    min_leaf: int = 3
    columns: float = 0.7

    name = "ranking"
    version = 3
    about = "boosting on pairs of one workload: which is better, whatever its baseline"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> RankingPredictor:
        """Return the trees that tell differences best."""
        from sklearn.tree import DecisionTreeRegressor

        data = data.rows(compared(data)).settled()
        left, fitted = data.y.copy(), []
        for _ in range(self.rounds):
            tree = DecisionTreeRegressor(
                max_depth=self.depth,
                min_samples_leaf=self.min_leaf,
                max_features=self.columns,
                random_state=int(rng.integers(2**31)),
            )
            tree.fit(data.x, centred(left, data.weight, data.workload), sample_weight=data.weight)
            left = left - self.rate * tree.predict(data.x)
            fitted.append(tree)
        start = float(np.average(left, weights=data.weight))
        inside = centred(left, data.weight, data.workload)
        error = float(np.sqrt(np.average(inside**2, weights=data.weight)))
        return RankingPredictor(data.columns, Sum(start, Trees.of(fitted, scale=self.rate)), error)

    def restore(self, arrays: Arrays) -> RankingPredictor:
        """Return the predictor whose `arrays()` these are."""
        mean = Sum(float(arrays["start"]), Trees.restore(arrays))
        return RankingPredictor(tuple(arrays["columns"].tolist()), mean, float(arrays["error"]))


def compared(data: TrainingSet) -> NDArray[np.bool_]:
    """Return which rows are of a workload with two configurations or more, shape (rows,); all where none is.

    The others' residual is 0 in every round, which made each step of all leaves that they share shorter.
    """
    _, first = np.unique(data.group, return_index=True)
    workload, configurations = np.unique(data.workload[first], return_counts=True)
    found = np.isin(data.workload, workload[configurations > 1])
    return found if found.any() else np.ones_like(found)


def centred(y: Floats, weight: Floats, workload: Integers) -> Floats:
    """Return `y` less its weighted mean over the rows of the same workload, shape (rows,)."""
    _, member = np.unique(workload, return_inverse=True)
    mean = np.bincount(member, weights=weight * y) / np.bincount(member, weights=weight)
    return np.asarray(y - mean[member])
