"""Random forest: many trees of resampled runs, averaged.

Source: Breiman, "Random forests", Machine Learning 45, 2001.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.models.ensemble import Averaged, TreePredictor
from acic.models.protocol import TrainingSet
from acic.models.quick import unchecked
from acic.models.trees import Trees


@dataclass(frozen=True, slots=True)
class Forest(Averaged):
    """Bootstrapped trees: rows are drawn evenly, and weigh in the tree.

    scikit-learn draws them by weight since 1.9, so that rows that had aged were in no tree, whatever they alone told.
    """

    columns: float = 0.7

    name = "forest"
    version = 2
    about = "random forest: steady without tuning, tells where its trees disagree"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> TreePredictor:
        """Return the forest's trees."""
        from sklearn.tree import DecisionTreeRegressor
        from sklearn.utils.parallel import Parallel, delayed

        data = data.settled()
        x = data.x.astype(np.float32)  # as trees take it, once for all
        even, trust = np.full(len(data), 1 / len(data)), data.weight / data.weight.max()  # 1 where all are alike

        def grown(seed: int) -> DecisionTreeRegressor:
            drawn = np.random.RandomState(seed).choice(len(data), len(data), p=even)
            tree = DecisionTreeRegressor(**self.settings, random_state=seed)
            weight = np.bincount(drawn, minlength=len(data)) * trust
            return tree.fit(x, data.y, sample_weight=weight, check_input=False)

        first = np.random.RandomState(int(rng.integers(2**31)))  # and the draws are those of scikit-learn 1.9
        seeds = first.randint(np.iinfo(np.int32).max, size=self.trees)
        fitted = Parallel(prefer="threads")(delayed(grown)(int(seed)) for seed in seeds)
        return TreePredictor(self.name, data.columns, Trees.of(fitted))
