"""Ridge regression: the baseline that every other model has to beat.

Source: Hoerl & Kennard, "Ridge regression", Technometrics 12(1), 1970.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.models.ensemble import contributions_in_words
from acic.models.protocol import Arrays, Floats, Integers, Prediction, TrainingSet
from acic.models.validation import grouped_folds
from acic.models.words import Describe, plain

PENALTIES = np.logspace(-4, 2, 13)  # times the total weight
_STATISTICS = ("low", "high", "centre", "scale")


@dataclass(frozen=True, slots=True)
class Features:
    """Standardised columns and their centred squares, from statistics of the training rows.

    Outside of the range that was measured the nearest measured value answers: squares do not extrapolate.

    Args:
        low: smallest value of each column, shape (columns,).
        high: largest, shape (columns,).
        centre: weighted mean, shape (columns,).
        scale: weighted standard deviation; 0 where a column does not vary, shape (columns,).
    """

    low: Floats
    high: Floats
    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, x: Floats, weight: Floats) -> Features:
        """Return the statistics of training rows."""
        low, high = x.min(axis=0), x.max(axis=0)
        centre = np.average(x, axis=0, weights=weight)
        scale = np.where(high > low, np.sqrt(np.average((x - centre) ** 2, axis=0, weights=weight)), 0.0)
        return cls(low, high, centre, scale)

    def __call__(self, x: Floats) -> Floats:
        """Return the features of rows, shape (rows, 2 * columns)."""
        safe = np.where(self.scale > 0, self.scale, 1.0)
        z = np.where(self.scale > 0, (np.clip(x, self.low, self.high) - self.centre) / safe, 0.0)
        return np.hstack([z, z**2 - (self.scale > 0)])


@dataclass(frozen=True)
class RidgePredictor:
    """A weighted sum of standardised columns and their squares.

    Args:
        columns: names.
        features: makes them of rows.
        coefficients: per feature, shape (2 * columns,).
        start: prediction at the centre.
        root: R such that |R f| ** 2 is the leverage of features f, shape (2 * columns, 2 * columns).
        error: cross-validated root mean square error.
    """

    columns: tuple[str, ...]
    features: Features
    coefficients: Floats
    start: float
    root: Floats
    error: float

    name = "ridge"
    is_relative = False

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending."""
        return np.flatnonzero(self.features.scale)

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        features = self.features(x)
        leverage = ((features @ self.root.T) ** 2).sum(axis=1)
        return Prediction(self.start + features @ self.coefficients, self.error * np.sqrt(1.0 + leverage))

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return what each parameter contributes to one row of shape (columns,)."""
        moved = self.features(x[None, :])[0] * self.coefficients
        return contributions_in_words(moved.reshape(2, -1).sum(axis=0), self.columns, x, describe)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        own = {name: np.array(getattr(self, name)) for name in ("columns", "coefficients", "start", "root", "error")}
        return own | {name: getattr(self.features, name) for name in _STATISTICS}


@dataclass(frozen=True, slots=True)
class Ridge:
    """Ridge regression on columns and their squares; the penalty is chosen by grouped cross-validation.

    Args:
        folds: of the cross-validation.
    """

    folds: int = 10

    name = "ridge"
    version = 1
    about = "ridge regression with squares: the baseline to beat"

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> RidgePredictor:
        """Return the fitted sum."""
        penalty, error = self._penalty(data, rng)
        features, weighted, y, start = _problem(data)
        known, axes = np.linalg.eigh(weighted.T @ weighted)  # also the directions of which nothing is known
        root = axes.T / np.sqrt(np.maximum(known, 0.0) + penalty)[:, None] * np.sqrt(data.weight.mean())
        return RidgePredictor(
            data.columns, features, _coefficients(weighted, y, np.array([penalty]))[0], start, root, error
        )

    def restore(self, arrays: Arrays) -> RidgePredictor:
        """Return the predictor whose `arrays()` these are."""
        return RidgePredictor(
            tuple(arrays["columns"].tolist()),
            Features(**{name: arrays[name] for name in _STATISTICS}),
            arrays["coefficients"],
            float(arrays["start"]),
            arrays["root"],
            float(arrays["error"]),
        )

    def _penalty(self, data: TrainingSet, rng: np.random.Generator) -> tuple[float, float]:
        """Return the penalty that predicts held-out groups best, and its root mean square error there."""
        penalties = PENALTIES * data.weight.sum()
        groups = len(np.unique(data.group))
        if groups < 2:
            return float(penalties[-1]), 0.0
        fold = grouped_folds(data.group, min(self.folds, groups), rng)
        error = np.zeros(len(penalties))
        for part in range(fold.max() + 1):
            held = fold == part
            features, weighted, y, start = _problem(data.rows(~held))
            predicted = start + features(data.x[held]) @ _coefficients(weighted, y, penalties).T
            error += data.weight[held] @ (data.y[held][:, None] - predicted) ** 2
        best = int(error.argmin())
        return float(penalties[best]), float(np.sqrt(error[best] / data.weight.sum()))


def _problem(data: TrainingSet) -> tuple[Features, Floats, Floats, float]:
    """Return what makes features, the training rows' features and what is left of y, both weighted, and the start."""
    features = Features.of(data.x, data.weight)
    root = np.sqrt(data.weight)
    start = float(np.average(data.y, weights=data.weight))
    return features, features(data.x) * root[:, None], (data.y - start) * root, start


def _coefficients(features: Floats, y: Floats, penalties: Floats) -> Floats:
    """Return the ridge solution for each penalty, shape (penalties, features)."""
    left, singular, axes = np.linalg.svd(features, full_matrices=False)
    shrunk = singular / (singular**2 + penalties[:, None])
    return np.asarray((shrunk * (left.T @ y)) @ axes)
