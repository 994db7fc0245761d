"""What every model is: arrays in, predictions with spread out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.models.words import Describe, plain
from acic.space import Parameter

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]
_DECIMALS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSet:
    """What a model learns from; one row per measurement (its repetitions' mean logarithm).

    Args:
        columns: names of the columns of `x`, as `space.Encoder` gives them.
        x: encoded parameters, shape (rows, columns).
        y: natural logarithm of the improvement over the baseline on the same workload, shape (rows,).
        best: as `y`, from the best (fastest) repetition, shape (rows,): what `nonlinear` is fitted to.
        weight: trust in each row, > 0, shape (rows,).
        group: rows of one group are twins (same workload and configuration) and never straddle
            a split, shape (rows,).
        workload: rows of one number are the same workload, shape (rows,): configurations are
            only compared within one. A group lies within a workload.
        parameters: what the columns encode, for the models whose terms have a meaning
            (`nonlinear` reads scale and unit of the numeric ones); none is fine.

    Raises:
        InvalidInput: no row, shapes that disagree, a number that is not finite, or a weight that is not positive.
    """

    columns: tuple[str, ...]
    x: Floats
    y: Floats
    best: Floats
    weight: Floats
    group: Integers
    workload: Integers
    parameters: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        rows = len(self.y)
        if rows == 0:
            raise InvalidInput("a training set has no rows", hint="measure or import something first")
        if self.x.shape != (rows, len(self.columns)):
            raise InvalidInput(
                f"x has the shape {self.x.shape}, but there are {rows} rows and {len(self.columns)} columns",
                hint="encode the rows with the encoder whose columns are given",
            )
        for name in ("y", "best", "weight", "group", "workload"):
            values = getattr(self, name)
            if values.shape != (rows,):
                raise InvalidInput(f"{name} has the shape {values.shape}, not ({rows},)", hint="give one value per row")
            if not np.isfinite(values).all():
                raise InvalidInput(f"{name} has a value that is not finite", hint="leave failed runs out")
        if not np.isfinite(self.x).all():
            raise InvalidInput("x has a value that is not finite", hint="encode what does not apply as ABSENT_CODE")
        if not (self.weight > 0).all():
            raise InvalidInput("a weight is not positive", hint="leave rows out that are not trusted at all")

    def __len__(self) -> int:
        return len(self.y)

    def settled(self) -> TrainingSet:
        """Return it with y and weights to nine decimals, for trees, the largest weight from 1 to below 2.

        The last digits of a logarithm hang on the processor, and by them trees chose between splits that are as good.
        """
        unit = np.exp2(np.floor(np.log2(self.weight.max())))  # a power of two, which leaves all digits as they are
        weight = np.maximum(np.round(self.weight / unit, _DECIMALS), 10.0**-_DECIMALS)
        return replace(self, y=np.round(self.y, _DECIMALS), best=np.round(self.best, _DECIMALS), weight=weight)

    def rows(self, chosen: NDArray[Any]) -> TrainingSet:
        """Return the training set of the chosen rows (a mask or positions)."""
        return TrainingSet(
            columns=self.columns,
            x=self.x[chosen],
            y=self.y[chosen],
            best=self.best[chosen],
            weight=self.weight[chosen],
            group=self.group[chosen],
            workload=self.workload[chosen],
            parameters=self.parameters,
        )


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predicted log improvement and its spread, each of shape (rows,).

    `spread` is the model's own standard deviation (of a leaf, among trees), >= 0; intervals are made
    by calibration on held-out data, not by trusting it.
    """

    mean: Floats
    spread: Floats


class Predictor(Protocol):
    """A fitted model. It carries arrays only, so that it can be stored and read without running code."""

    @property
    def name(self) -> str:
        """The name that `--model` takes."""

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending: rows equal in these are predicted alike."""

    @property
    def is_relative(self) -> bool:
        """Whether only differences between its figures for one workload were learned, not their level."""

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return, for one encoded row of shape (columns,), the reasons in words, most important first."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor, as arrays (no object dtype)."""


class Learner(Protocol):
    """A kind of model: fits a training set, and rebuilds a predictor from its arrays.

    Its `repr` names every setting, so that a cached model is found by it.
    """

    @property
    def name(self) -> str:
        """The name that `--model` takes."""

    @property
    def version(self) -> int:
        """Raised whenever the same data would give another predictor or other arrays."""

    @property
    def about(self) -> str:
        """One line for the list of models."""

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> Predictor:
        """Return the predictor that learned `data`."""

    def restore(self, arrays: Arrays) -> Predictor:
        """Return the predictor whose `arrays()` these are."""
