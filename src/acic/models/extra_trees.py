"""Extremely randomised trees: as a forest, but the thresholds are drawn, which smooths.

Source: Geurts, Ernst & Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.models.ensemble import Averaged, TreePredictor
from acic.models.protocol import TrainingSet
from acic.models.quick import unchecked


@dataclass(frozen=True, slots=True)
class ExtraTrees(Averaged):
    """Trees with random thresholds."""

    name = "extra-trees"
    version = 1
    about = "extremely randomised trees: smoother than a forest, weaker where labels do not matter"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> TreePredictor:
        """Return the ensemble's trees."""
        from sklearn.ensemble import ExtraTreesRegressor

        return self.grown(ExtraTreesRegressor, data, rng)
