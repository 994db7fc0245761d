"""Nearest runs: what is most like the question, workload and configuration, answers it.

Columns count by how much they have to do with the improvement (their correlation with it), so that parameters that make
no difference do not tell runs apart.

Source: Shepard, "A two-dimensional interpolation function for irregularly-spaced data", ACM 1968 (inverse distance);
Wettschereck, Aha & Mohri, "A review and empirical evaluation of feature weighting methods", AI Review 11, 1997.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.models.protocol import Arrays, Floats, Integers, Prediction, TrainingSet
from acic.models.words import Describe, plain

_LEAST = 0.05  # that a column counts in any case: correlation sees straight lines only
_SOFT = 1e-3  # added to squared distances, so that a run just like the question counts much and not all
_CELLS = 2**16  # distances at once: more are out of the processor's cache


@dataclass(frozen=True)
class NearestPredictor:
    """Runs to look among.

    Args:
        columns: names.
        scale: what each column is multiplied by, shape (columns,).
        x: the runs, shape (runs, columns).
        y: their log improvement, shape (runs,).
        weight: trust in them, shape (runs,).
        neighbours: how many answer.
    """

    columns: tuple[str, ...]
    scale: Floats
    x: Floats
    y: Floats
    weight: Floats
    neighbours: int

    name = "nearest"
    is_relative = False

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending."""
        return np.flatnonzero(self.scale)

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        mean, spread = np.empty((2, len(x)))
        rows = max(1, _CELLS // len(self.x))
        for first in range(0, len(x), rows):
            part = slice(first, first + rows)
            nearest, closeness = self._nearest(x[part])
            values = self.y[nearest]
            mean[part] = (closeness * values).sum(axis=1)
            spread[part] = np.sqrt((closeness * (values - mean[part][:, None]) ** 2).sum(axis=1))
        return Prediction(mean, spread)

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return the nearest runs, each with what is different there."""
        nearest, closeness = self._nearest(x[None, :])
        order = np.argsort(-closeness[0], kind="stable")[:3]
        return [
            f"a run with {self._difference(x, self.x[run], describe)} was {np.exp(self.y[run]):.3g}x the baseline "
            f"({closeness[0][place]:.0%} of the answer)"
            for place, run in zip(order, nearest[0][order], strict=True)
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        return {name: np.array(getattr(self, name)) for name in ("columns", "scale", "x", "y", "weight", "neighbours")}

    def _nearest(self, x: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Return the nearest runs of each row and their shares of the answer, each (rows, neighbours)."""
        distance = np.zeros((1, len(self.x)))
        for column in np.flatnonzero(self.scale):
            asked = x[:, column, None]
            if (asked == asked[:1]).all():  # of one workload, as a rule: the same distances for all rows
                asked = asked[:1]
            distance = distance + ((asked - self.x[:, column]) * self.scale[column]) ** 2
        distance = np.broadcast_to(distance, (len(x), len(self.x)))
        nearest = _least(distance, min(self.neighbours, len(self.x)))
        closeness = self.weight[nearest] / (np.take_along_axis(distance, nearest, axis=1) + _SOFT)
        return nearest, closeness / closeness.sum(axis=1, keepdims=True)

    def _difference(self, x: Floats, run: Floats, describe: Describe) -> str:
        apart = np.abs((x - run) * self.scale)
        far = [int(i) for i in np.argsort(-apart, kind="stable")[:3] if apart[i] > 0]
        shown = far or [int(self.scale.argmax())]
        return ", ".join(describe(self.columns[i], "=", float(run[i])) for i in shown)


def _least(distance: Floats, count: int) -> NDArray[np.intp]:
    """Return the positions of the `count` least of each row, the first of those that tie, shape (rows, count)."""
    limits = np.partition(distance, count - 1, axis=1)[:, count - 1]
    found = np.empty((len(distance), count), dtype=np.intp)
    for own, row, limit in zip(found, distance, limits, strict=True):
        near = np.flatnonzero(row <= limit)
        own[:] = near[np.argsort(row[near], kind="stable")[:count]]
    return found


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest runs.

    Args:
        neighbours: how many answer.
    """

    neighbours: int = 7

    name = "nearest"
    version = 1
    about = "the runs most like the question answer it: easiest to check"

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> NearestPredictor:  # noqa: ARG002 (one signature)
        """Return the runs, with what each column counts."""
        scale = _scale(data)
        return NearestPredictor(data.columns, scale, data.x, data.y, data.weight, self.neighbours)

    def restore(self, arrays: Arrays) -> NearestPredictor:
        """Return the predictor whose `arrays()` these are."""
        own = {name: arrays[name] for name in ("scale", "x", "y", "weight")}
        return NearestPredictor(tuple(arrays["columns"].tolist()), **own, neighbours=int(arrays["neighbours"]))


def _scale(data: TrainingSet) -> Floats:
    """Return one over each column's deviation, times its correlation with the improvement; 0 where it does not vary."""
    weight = data.weight / data.weight.sum()
    x, y = data.x - weight @ data.x, data.y - weight @ data.y
    deviation, own = np.sqrt(weight @ x**2), float(np.sqrt(weight @ y**2))
    varies = np.ptp(data.x, axis=0) > 0
    safe = np.where(varies, deviation, 1.0)
    correlation = np.abs((weight * y) @ x) / safe / own if own > 0 else np.zeros(len(safe))
    return np.where(varies, (correlation + _LEAST) / safe, 0.0)
