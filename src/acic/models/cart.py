"""CART: one tree that anybody can read, pruned back until it stops remembering noise.

Source: ACIC, SC13, section 4.2; Breiman, Friedman, Olshen & Stone, "Classification and Regression
Trees", 1984, chapters 3 (pruning, and cross-validation of it) and 8 (regression).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.models.ensemble import TreePredictor, restore
from acic.models.protocol import Arrays, Floats, TrainingSet
from acic.models.pruning import prices, pruned, values_at
from acic.models.quick import unchecked
from acic.models.trees import Trees
from acic.models.validation import grouped_folds


@dataclass(frozen=True, slots=True)
class Cart:
    """One regression tree; the price of a leaf (cost-complexity) is chosen by grouped cross-validation.

    Args:
        min_leaf: runs that a leaf must hold.
        folds: of the cross-validation.
        tries: how many prices are tried at most.
        errors: standard errors above the smallest cross-validated error that are still good enough:
            0 takes the best tree, 1 the smallest tree within one standard error. Not 1: runs are so
            noisy that one standard error prunes to a stump, which ranks nothing.
    """

    min_leaf: int = 5
    folds: int = 10
    tries: int = 40
    errors: float = 0.0

    name = "cart"
    version = 2
    about = "one pruned regression tree (SC13): easiest to read"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> TreePredictor:
        """Return the pruned tree."""
        data = data.settled()
        seed = int(rng.integers(2**31))
        tree, price = self._grown(data, seed)
        at = self._price(data, price, seed, rng)
        return TreePredictor(self.name, data.columns, pruned(tree, price, at))

    def restore(self, arrays: Arrays) -> TreePredictor:
        """Return the predictor whose `arrays()` these are."""
        return restore(self.name, arrays)

    def _grown(self, data: TrainingSet, seed: int) -> tuple[Trees, Floats]:
        """Return the full tree, and the price of a leaf at which each of its nodes becomes one."""
        from sklearn.tree import DecisionTreeRegressor

        fitted = DecisionTreeRegressor(min_samples_leaf=self.min_leaf, random_state=seed)
        fitted.fit(data.x, data.y, sample_weight=data.weight)
        share = fitted.tree_.weighted_n_node_samples / data.weight.sum()
        tree = Trees.of([fitted])
        return tree, prices(tree, tree.std**2 * share)

    def _price(self, data: TrainingSet, price: Floats, seed: int, rng: np.random.Generator) -> float:
        """Return the price of a leaf that predicts held-out groups best."""
        steps = np.unique(price[np.isfinite(price)])
        groups = len(np.unique(data.group))
        if groups < 2 or len(steps) < 2:
            return float(steps[-1])
        # Between two steps the tree is the same; their geometric middle stands for it (Breiman, 3.4).
        tried = np.append(np.sqrt(steps[:-1] * steps[1:]), steps[-1])
        tried = tried[np.unique(np.linspace(0, len(tried) - 1, self.tries).round().astype(int))]
        fold = grouped_folds(data.group, min(self.folds, groups), rng)
        error = np.vstack([self._errors(data, tried, seed, fold == part) for part in range(fold.max() + 1)])
        mean = error.mean(axis=0)
        best = int(mean.argmin())
        margin = self.errors * float(error[:, best].std()) / np.sqrt(len(error))
        return float(tried[np.flatnonzero(mean <= mean[best] + margin)[-1]])

    def _errors(self, data: TrainingSet, tried: Floats, seed: int, held: NDArray[np.bool_]) -> Floats:
        """Return the mean squared error on held-out rows at each price, shape (prices,)."""
        tree, price = self._grown(data.rows(~held), seed)
        missed = data.y[held] - values_at(tree, price, tried, data.x[held])
        return np.asarray(np.average(np.square(missed), axis=1, weights=data.weight[held]))
