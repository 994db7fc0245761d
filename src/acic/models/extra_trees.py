"""Extremely randomised trees: as a forest, but the thresholds are drawn, which smooths.

Source: Geurts, Ernst & Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.models.ensemble import TreePredictor, restore
from acic.models.protocol import Arrays, TrainingSet
from acic.models.quick import unchecked
from acic.models.trees import Trees


@dataclass(frozen=True, slots=True)
class ExtraTrees:
    """Trees with random thresholds.

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

    name = "extra-trees"
    version = 1
    about = "extremely randomised trees: smoother than a forest, weaker where labels do not matter"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> TreePredictor:
        """Return the ensemble's trees."""
        from sklearn.ensemble import ExtraTreesRegressor

        fitted = ExtraTreesRegressor(
            self.trees,
            min_samples_leaf=self.min_leaf,
            max_leaf_nodes=self.max_leaves,
            max_features=self.columns,
            random_state=int(rng.integers(2**31)),
            n_jobs=1,
        ).fit(data.x, data.y, sample_weight=data.weight)
        return TreePredictor(self.name, data.columns, Trees.of(fitted.estimators_))

    def restore(self, arrays: Arrays) -> TreePredictor:
        """Return the predictor whose `arrays()` these are."""
        return restore(self.name, arrays)
