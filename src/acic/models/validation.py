"""Validation: splits that keep twins together, predictions of held-out rows, and how good they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.models.protocol import Floats, Integers, Learner, Prediction, TrainingSet
from acic.models.twins import beside


def grouped_folds(group: Integers, k: int, rng: np.random.Generator) -> Integers:
    """Return a fold in 0..k-1 for each row; rows of one group share it.

    Groups are dealt in random order, the large before the small, each to the fold that has fewest
    rows; so folds differ by at most the largest group.

    Args:
        group: shape (rows,).
        k: how many folds, none of them empty.
        rng: deals the groups.

    Raises:
        InvalidInput: fewer than two folds, or more than groups.
    """
    _, member, size = np.unique(group, return_inverse=True, return_counts=True)
    if not 2 <= k <= len(size):
        raise InvalidInput(f"{len(size)} groups cannot be split into {k} folds", hint=f"take 2 to {len(size)} folds")
    dealt = rng.permutation(len(size))
    dealt = dealt[np.argsort(-size[dealt], kind="stable")]
    fold = np.empty(len(size), dtype=np.int64)
    rows = np.zeros(k, dtype=np.int64)
    for one in dealt:
        fold[one] = rows.argmin()
        rows[fold[one]] += size[one]
    return fold[member]


def leave_out_each(label: NDArray[Any]) -> Integers:
    """Return a fold for each row such that every fold is one label: leave one workload, one machine out.

    Raises:
        InvalidInput: there is only one label.
    """
    names, fold = np.unique(label, return_inverse=True)
    if len(names) < 2:
        raise InvalidInput("there is only one label to leave out", hint="use grouped folds instead")
    return fold.astype(np.int64)


def out_of_fold(
    learner: Learner,
    data: TrainingSet,
    fold: Integers,
    *,
    rng: np.random.Generator,
    baseline: Floats | None = None,
    watch: Callable[[], None] = lambda: None,
) -> Prediction:
    """Return the prediction of each row by the model that saw all folds but the row's own, shape (rows,).

    Args:
        learner: fits a model for each fold.
        data: the rows.
        fold: of each row, shape (rows,); twins share one.
        rng: of what models draw.
        baseline: the same workloads on the baseline, shape (rows, columns), beside which all is predicted that users
            are told; NaN where that is no matter, None where the model's own figures are asked for.
        watch: is called after each fold.

    Raises:
        InvalidInput: twins straddle folds, or there is only one fold.
    """
    parts = np.unique(fold)
    if len(parts) < 2:
        raise InvalidInput("all rows are in one fold", hint="split them into two or more")
    pairs = np.unique(np.column_stack([data.group, fold]), axis=0)
    if len(pairs) != len(np.unique(data.group)):
        raise InvalidInput(
            "rows of one group are in several folds", hint="split by group, or by what groups lie within"
        )
    mean, spread = np.empty((2, len(data)))
    for part, own in zip(parts, rng.spawn(len(parts)), strict=True):
        held = fold == part
        predictor, x = learner.fit(data.rows(~held), rng=own), data.x[held]
        predicted = predictor.predict(x) if baseline is None else beside(predictor, x, baseline[held])
        mean[held], spread[held] = predicted.mean, predicted.spread
        watch()
    return Prediction(mean, spread)


def r2(actual: Floats, predicted: Floats) -> float:
    """Return the share of variance explained; NaN where `actual` does not vary."""
    total = float(((actual - actual.mean()) ** 2).sum())
    varies = total > 0 and np.ptp(actual) > 0  # of equal values the mean may be another one, by rounding
    return 1.0 - float(((actual - predicted) ** 2).sum()) / total if varies else math.nan


def mape(actual: Floats, predicted: Floats) -> float:
    """Return the mean absolute error relative to `actual` (no zeros in it): 0.19 is 19 %."""
    return float(np.mean(np.abs(predicted - actual) / np.abs(actual)))


def spearman(actual: Floats, predicted: Floats) -> float:
    """Return the rank correlation; NaN where either does not vary."""
    a, b = _ranks(actual), _ranks(predicted)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def top1(y: Floats, predicted: Floats, fold: Integers, workload: Integers) -> Floats:
    """Return, per fold and workload with a choice, the improvement of the model's pick over the best one there.

    Where predictions tie, the median of the tied counts, as in the SC13 paper (section 5.3).

    Args:
        y: log improvement that was measured, shape (rows,).
        predicted: of the held-out rows, shape (rows,).
        fold: shape (rows,).
        workload: configurations compete within one only, shape (rows,).

    Returns:
        In (0, 1], shape (contests,); a contest needs two rows.
    """
    _, contest, size = np.unique(np.column_stack([fold, workload]), axis=0, return_inverse=True, return_counts=True)
    won = []
    for one in np.flatnonzero(size > 1):
        rows = contest.ravel() == one  # numpy 2.0 gives it a second axis
        champions = predicted[rows] == predicted[rows].max()
        won.append(float(np.exp(np.median(y[rows][champions]) - y[rows].max())))
    return np.array(won)


def coverage(actual: Floats, low: Floats, high: Floats) -> float:
    """Return the share of rows within their interval, ends included; NaN where none has one.

    An end at infinity says that too few errors tell any: such rows do not count.
    """
    told = np.isfinite(low) & np.isfinite(high)
    within = (low <= actual) & (actual <= high)
    return float(np.mean(within[told])) if told.any() else math.nan


def _ranks(values: Floats) -> Floats:
    """Return ranks from 1, ties at their mean rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2.0)[place])
