"""Gradient boosting: small trees, each fitted to what the ones before it missed.

Source: Friedman, "Greedy function approximation: a gradient boosting machine", Annals of Statistics
29(5), 2001; "Stochastic gradient boosting", CSDA 38(4), 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from acic.models.ensemble import contributions_in_words
from acic.models.protocol import Arrays, Floats, Integers, Prediction, TrainingSet
from acic.models.quick import unchecked
from acic.models.trees import Trees
from acic.models.validation import grouped_folds
from acic.models.words import Describe, plain

if TYPE_CHECKING:
    from sklearn.ensemble import GradientBoostingRegressor

TAIL = 0.1  # the low and high models aim at the 10 % and the 90 % quantile,
DEVIATIONS = 2 * 1.2816  # which are this many standard deviations of a normal variable apart
FEW = 10  # runs of which no sample is taken: it could be empty


@dataclass(frozen=True)
class Sum:
    """A start plus the sum over trees."""

    start: float
    trees: Trees

    def __call__(self, x: Floats) -> Floats:
        """Return the sum for each row, shape (rows,)."""
        return self.start + self.trees.moments(x)[0]


@dataclass(frozen=True)
class BoostingPredictor:
    """One sum for the mean; two more, of the low and the high quantile, for the spread."""

    columns: tuple[str, ...]
    mean: Sum
    low: Sum
    high: Sum

    name = "boosting"
    is_relative = False

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending."""
        return np.unique(np.concatenate([one.trees.asked for one in (self.mean, self.low, self.high)]))

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        return Prediction(self.mean(x), np.maximum(self.high(x) - self.low(x), 0.0) / DEVIATIONS)

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return what each parameter contributes to one row of shape (columns,)."""
        return contributions_in_words(self.mean.trees.contributions(x), self.columns, x, describe)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        sums = {"mean": self.mean, "low": self.low, "high": self.high}
        found: dict[str, NDArray[Any]] = {"columns": np.array(self.columns)}
        for part, one in sums.items():
            found |= {f"{part}.start": np.array(one.start), **one.trees.arrays(f"{part}.")}
        return found


@dataclass(frozen=True, slots=True)
class Boosting:
    """Boosted trees; how many of them is chosen by grouped cross-validation.

    Args:
        rounds: trees of the mean at most.
        tail_rounds: trees of either quantile.
        rate: the share of each tree that counts.
        depth: of a tree.
        min_leaf: runs that a leaf must hold.
        sample: share of the runs that each tree sees.
        columns: share of the columns that a split may choose from.
        folds: of the cross-validation.
    """

    rounds: int = 300
    tail_rounds: int = 60
    rate: float = 0.05
    depth: int = 4
    min_leaf: int = 5
    sample: float = 0.5
    columns: float = 0.7
    folds: int = 5

    name = "boosting"
    version = 2
    about = "gradient boosting: strongest where much is measured and effects add up"

    @unchecked()
    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> BoostingPredictor:
        """Return the boosted trees of the mean and of both quantiles."""
        data = data.settled()
        rounds = self._rounds(data, rng)
        return BoostingPredictor(
            columns=data.columns,
            mean=_sum(self._model(data, rounds, rng), data),
            low=_sum(self._model(data, self.tail_rounds, rng, loss="quantile", alpha=TAIL), data),
            high=_sum(self._model(data, self.tail_rounds, rng, loss="quantile", alpha=1 - TAIL), data),
        )

    def restore(self, arrays: Arrays) -> BoostingPredictor:
        """Return the predictor whose `arrays()` these are."""
        sums = {
            part: Sum(float(arrays[f"{part}.start"]), Trees.restore(arrays, f"{part}."))
            for part in ("mean", "low", "high")
        }
        return BoostingPredictor(columns=tuple(arrays["columns"].tolist()), **sums)

    def _model(
        self, data: TrainingSet, rounds: int, rng: np.random.Generator, **loss: Any
    ) -> GradientBoostingRegressor:
        from sklearn.ensemble import GradientBoostingRegressor

        return GradientBoostingRegressor(
            n_estimators=rounds,
            learning_rate=self.rate,
            max_depth=self.depth,
            min_samples_leaf=self.min_leaf,
            subsample=self.sample if len(data) >= FEW else 1.0,
            max_features=self.columns,
            random_state=int(rng.integers(2**31)),
            **loss,
        )

    def _rounds(self, data: TrainingSet, rng: np.random.Generator) -> int:
        """Return the number of trees that predicts held-out groups best."""
        groups = len(np.unique(data.group))
        if groups < 2:
            return self.rounds
        fold = grouped_folds(data.group, min(self.folds, groups), rng)
        error = np.zeros(self.rounds)
        for part in range(fold.max() + 1):
            held = fold == part
            seen = data.rows(~held)
            fitted = self._model(seen, self.rounds, rng)
            fitted.fit(seen.x, seen.y, sample_weight=seen.weight)
            for done, predicted in enumerate(fitted.staged_predict(data.x[held])):
                error[done] += float(data.weight[held] @ (data.y[held] - predicted) ** 2)
        return int(error.argmin()) + 1


def _sum(model: GradientBoostingRegressor, data: TrainingSet) -> Sum:
    model.fit(data.x, data.y, sample_weight=data.weight)
    start = float(np.ravel(model.init_.constant_)[0])
    return Sum(start, Trees.of(model.estimators_[:, 0], scale=model.learning_rate))
