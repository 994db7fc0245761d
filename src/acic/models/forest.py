"""Random forest: many trees of resampled runs, averaged.

Source: Breiman, "Random forests", Machine Learning 45, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.models.ensemble import Averaged, TreePredictor
from acic.models.protocol import TrainingSet
from acic.models.quick import unchecked


@dataclass(frozen=True, slots=True)
class Forest(Averaged):
    """Bootstrapped trees."""

    columns: float = 0.7

    name = "forest"
    version = 1
    about = "random forest: steady without tuning, tells where its trees disagree"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> TreePredictor:
        """Return the forest's trees."""
        from sklearn.ensemble import RandomForestRegressor

        return self.grown(RandomForestRegressor, data, rng)
