"""What every model is: arrays in, predictions with spread out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """What a model learns from; one row per measurement (the median of its repetitions).

    Args:
        columns: names of the columns of `x`.
        x: encoded parameters, shape (rows, columns).
        y: natural logarithm of the improvement over the baseline on the same workload, shape (rows,).
        best: as `y`, from the best (fastest) repetition, shape (rows,): what `nonlinear` is fitted to.
        weight: trust in each row, > 0, shape (rows,).
        group: rows of one group are twins (same workload and configuration) and never straddle
            a split, shape (rows,), integers.
        raw: numeric parameters in their own units, by name, each of shape (rows,): for models
            whose terms have a meaning.
    """

    columns: tuple[str, ...]
    x: Floats
    y: Floats
    best: Floats
    weight: Floats
    group: NDArray[np.int64]
    raw: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predicted log improvement and its spread, each of shape (rows,).

    `spread` is the model's own standard deviation (of a leaf, among trees); intervals are made of
    it by calibration on held-out data, not by trusting it.
    """

    mean: Floats
    spread: Floats


class Predictor(Protocol):
    """A fitted model. It carries arrays only, so that it can be stored and read without running code."""

    @property
    def name(self) -> str:
        """The name that `--model` takes."""

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""

    def explain(self, x: Floats) -> list[str]:
        """Return, for one encoded row of shape (columns,), the reasons in words, most important first."""

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything needed to rebuild the predictor, as arrays (no object dtype)."""


class Learner(Protocol):
    """A kind of model: fits a training set, and rebuilds a predictor from its arrays."""

    name: str

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> Predictor:
        """Return the predictor that learned `data`."""

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> Predictor:
        """Return the predictor whose `arrays()` these are."""
