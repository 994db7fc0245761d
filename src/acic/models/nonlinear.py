"""The regression of CLUSTER'15: the time as a sum of products of powers -1, 0 and 1 of the parameters.

The paper fits the write time of one application on one system, taken as the minimum of the repetitions.
Models here predict improvement over the baseline, so the response is the time ratio m = t / t_baseline =
exp(-best) of the best repetition, > 0; a prediction is -log m. Two guards: m is kept between half the
smallest and twice the largest ratio that was measured (sums with negative terms do reach zero outside
of the data), and the mean difference of a run's figure from its best repetition is added, so that
predictions are on the scale of the other models. Neither changes the order of predictions within the data.

Only numeric parameters take part; labels and positions are ignored. Sizes are in MiB, as in the paper.
A term with a parameter that is 0 or does not apply is 0.

Source: Behzad, Byna, Wild, Prabhat & Snir, "Dynamic model-driven parallel I/O performance tuning",
CLUSTER 2015, section IV.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.models.protocol import Arrays, Floats, Integers, Prediction, TrainingSet
from acic.models.selection import forward_selection
from acic.models.words import Describe, plain
from acic.space import ABSENT_CODE, Scale
from acic.units import MIB

BASIS = 2200  # candidates at most (3 ** 7 = 2187): with more parameters, products of fewer of them are tried


@dataclass(frozen=True, slots=True)
class Numbers:
    """Which columns are numbers, and how to read them.

    Args:
        names: of the parameters.
        column: where each is encoded, shape (parameters,).
        log: whether as its base-2 logarithm, shape (parameters,).
        unit: what its value is divided by: MiB for sizes, else 1, shape (parameters,).
    """

    names: tuple[str, ...]
    column: NDArray[np.int64]
    log: NDArray[np.bool_]
    unit: Floats

    @classmethod
    def of(cls, data: TrainingSet) -> Numbers:
        """Return the numeric parameters that vary in the data."""
        found = [
            (p.name, data.columns.index(p.name), p.scale is Scale.LOG, float(MIB) if p.unit == "B" else 1.0)
            for p in data.parameters
            if p.is_numeric and p.name in data.columns and np.ptp(data.x[:, data.columns.index(p.name)]) > 0
        ]
        names, column, log, unit = zip(*found, strict=True) if found else ((), (), (), ())
        return cls(names, np.array(column, dtype=np.int64), np.array(log, dtype=bool), np.array(unit, dtype=float))

    def powers(self, x: Floats) -> Floats:
        """Return each number to the power -1, 0 and 1, shape (rows, parameters, 3).

        Where a parameter is 0 or does not apply, so is its reciprocal.
        """
        codes = x[:, self.column]
        values = np.where(self.log, np.exp2(np.where(self.log, codes, 0.0)), codes) / self.unit
        values = np.where(codes == ABSENT_CODE, 0.0, values)
        inverse = np.where(values != 0.0, 1.0 / np.where(values != 0.0, values, 1.0), 0.0)
        return np.stack([inverse, np.ones_like(values), values], axis=2)


@dataclass(frozen=True)
class NonlinearPredictor:
    """A sum of terms.

    Args:
        numbers: how to read the columns.
        exponents: of each term, in {-1, 0, 1}, shape (terms, parameters).
        coefficients: shape (terms,).
        lowest: the smallest time ratio that is predicted.
        highest: the largest.
        offset: mean of `y` less `best` over the training rows, usually < 0.
        error: root mean square error on the training rows, of log improvement.
    """

    numbers: Numbers
    exponents: NDArray[np.int64]
    coefficients: Floats
    lowest: float
    highest: float
    offset: float
    error: float

    name = "nonlinear"
    is_relative = False

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending."""
        return np.unique(self.numbers.column[self.exponents.any(axis=0)])

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        ratio = np.clip(self._terms(x) @ self.coefficients, self.lowest, self.highest)
        return Prediction(self.offset - np.log(ratio), np.full(len(x), self.error))

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return the equation, what it gives for one row of shape (columns,), and its terms, the largest first."""
        values = self._terms(x[None, :])[0] * self.coefficients
        order = [i for i in np.argsort(-np.abs(values), kind="stable") if self.exponents[i].any()]
        used = np.flatnonzero(np.abs(self.exponents).any(axis=0))
        where = [describe(self.numbers.names[i], "=", float(x[self.numbers.column[i]])) for i in used]
        return [
            self.equation(),
            *self._result(float(values.sum())),
            *where,
            *(f"{self._term(self.exponents[i])} adds {values[i]:+.3g} to the time ratio" for i in order),
        ]

    def _result(self, told: float) -> list[str]:
        """Return how the improvement follows from m, which the equation makes `told`."""
        ratio = min(max(told, self.lowest), self.highest)
        kept = "" if ratio == told else f", kept at {ratio:.4g}, near what was measured"
        usual = math.exp(-self.offset)
        return [
            f"m is the time of the best repetition over the baseline's, with sizes in MiB: {told:.4g} here{kept}",
            f"a usual run takes {usual:.4g} times as long as the best one, so it improves by 1/({usual:.4g}·m) ="
            f" {1.0 / (usual * ratio):.3g}x",
        ]

    def equation(self) -> str:
        """Return m = time / baseline time as the paper prints it: `m = 10.6 + 69 1/s - 1.23 c/s`."""
        text = "m ="
        for i, (exponents, coefficient) in enumerate(zip(self.exponents, self.coefficients, strict=True)):
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign}" if i or coefficient < 0 else ""
            text += f" {abs(coefficient):.4g} {self._term(exponents)}".rstrip()
        return text

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        return {
            "names": np.array(self.numbers.names, dtype=str),
            "column": self.numbers.column,
            "log": self.numbers.log,
            "unit": self.numbers.unit,
            "exponents": self.exponents,
            "coefficients": self.coefficients,
            "limits": np.array([self.lowest, self.highest, self.offset, self.error]),
        }

    def _terms(self, x: Floats) -> Floats:
        return _products(self.numbers.powers(x), self.exponents)

    def _term(self, exponents: NDArray[np.int64]) -> str:
        above = [name for name, power in zip(self.numbers.names, exponents, strict=True) if power > 0]
        below = [name for name, power in zip(self.numbers.names, exponents, strict=True) if power < 0]
        if not below:
            return "·".join(above)
        under = "·".join(below) if len(below) == 1 else f"({'·'.join(below)})"
        return f"{'·'.join(above) or '1'}/{under}"


@dataclass(frozen=True, slots=True)
class Nonlinear:
    """Forward selection over all products of powers (`selection` says when it stops).

    Args:
        most: terms on the way forward, at most.
    """

    most: int = 25

    name = "nonlinear"
    version = 1
    about = "the time as an equation of the numeric parameters (CLUSTER'15); ignores labels"

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> NonlinearPredictor:  # noqa: ARG002 nothing is drawn
        """Return the selected sum."""
        numbers = Numbers.of(data)
        powers = numbers.powers(data.x)
        exponents = _basis(len(numbers.names))
        ratio = np.exp(-data.best)
        terms = _products(powers, exponents)
        chosen, coefficients = forward_selection(terms, ratio, data.weight, most=self.most)
        lowest, highest = float(ratio.min()) / 2.0, float(ratio.max()) * 2.0
        fitted = -np.log(np.clip(terms[:, chosen] @ coefficients, lowest, highest))
        offset = float(np.average(data.y - data.best, weights=data.weight))
        error = float(np.sqrt(np.average((data.y - fitted - offset) ** 2, weights=data.weight)))
        return NonlinearPredictor(numbers, exponents[chosen], coefficients, lowest, highest, offset, error)

    def restore(self, arrays: Arrays) -> NonlinearPredictor:
        """Return the predictor whose `arrays()` these are."""
        names = tuple(arrays["names"].tolist())
        numbers = Numbers(names, arrays["column"], arrays["log"], arrays["unit"])
        return NonlinearPredictor(numbers, arrays["exponents"], arrays["coefficients"], *arrays["limits"].tolist())


def _basis(parameters: int) -> NDArray[np.int64]:
    """Return the exponents of all candidate terms, the constant first, shape (terms, parameters).

    With many parameters only products of few of them are tried, as many as `BASIS` allows: no term of
    the paper has more than three.
    """
    order = max(k for k in range(parameters + 1) if sum(math.comb(parameters, j) * 2**j for j in range(k + 1)) <= BASIS)
    found = []
    for used in range(order + 1):
        for places in itertools.combinations(range(parameters), used):
            for exponents in itertools.product((1, -1), repeat=used):
                row = np.zeros(parameters, dtype=np.int64)
                row[list(places)] = exponents
                found.append(row)
    return np.array(found).reshape(len(found), parameters)


def _products(powers: Floats, exponents: NDArray[np.int64]) -> Floats:
    """Return every term for every row, shape (rows, terms)."""
    terms = np.ones((len(powers), len(exponents)))
    for parameter in range(powers.shape[1]):
        terms *= powers[:, parameter, exponents[:, parameter] + 1]
    return terms
