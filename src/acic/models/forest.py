"""Random forest: many trees of resampled runs, averaged.

Source: Breiman, "Random forests", Machine Learning 45, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.models.ensemble import TreePredictor, restore
from acic.models.protocol import Arrays, TrainingSet
from acic.models.quick import unchecked
from acic.models.trees import Trees


@dataclass(frozen=True, slots=True)
class Forest:
    """Bootstrapped trees.

    Args:
        trees: how many.
        min_leaf: runs that a leaf must hold.
        max_leaves: of one tree; two words of `bitsets`, so that scoring stays fast however much is measured.
        columns: share of the columns that a split may choose from.
    """

    trees: int = 100
    min_leaf: int = 3
    max_leaves: int = 126
    columns: float = 0.7

    name = "forest"
    version = 1
    about = "random forest: steady without tuning, tells where its trees disagree"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> TreePredictor:
        """Return the forest's trees."""
        from sklearn.ensemble import RandomForestRegressor

        fitted = RandomForestRegressor(
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
