"""Extremely randomised trees: as a forest, but the thresholds are drawn, which smooths.

Source: Geurts, Ernst & Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.models.ensemble import Averaged, TreePredictor
from acic.models.protocol import TrainingSet
from acic.models.quick import unchecked
from acic.models.trees import Trees


@dataclass(frozen=True, slots=True)
class ExtraTrees(Averaged):
    """Trees with random thresholds."""

    name = "extra-trees"
    version = 2
    about = "extremely randomised trees: smoother than a forest, weaker where labels do not matter"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> TreePredictor:
        """Return the ensemble's trees."""
        from sklearn.ensemble import ExtraTreesRegressor

        data = data.settled()
        seed = int(rng.integers(2**31))
        # n_jobs: as who learns has set it (joblib.parallel_config); trees are the same
        ensemble = ExtraTreesRegressor(self.trees, **self.settings, random_state=seed, n_jobs=None)
        fitted = ensemble.fit(data.x, data.y, sample_weight=data.weight)
        return TreePredictor(self.name, data.columns, Trees.of(fitted.estimators_))
