"""Cross-validation of a learner, in the numbers that its users ask for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.models.calibration import LEVEL, Calibration
from acic.models.protocol import Floats, Integers, Learner, Prediction, TrainingSet
from acic.models.validation import coverage, grouped_folds, mape, out_of_fold, r2, spearman, top1

FOLDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """How good predictions of held-out rows are. Shares are in [0, 1]; NaN where the data cannot tell.

    Args:
        model: the learner's name.
        rows: how many were predicted.
        folds: how many models were fitted for it.
        r2_log: share of variance explained, of log improvement.
        r2: of bandwidth (of improvement, where no baseline bandwidth was given).
        mape: mean absolute error of bandwidth, relative to the measured one; the baseline does not matter.
        spearman: rank correlation.
        top1: bandwidth of the model's pick over the best of its fold (and workload): median over the folds.
        coverage: share of rows within their 80 % interval, calibrated on the other folds, of those that have one.
        width: factor from the low to the high end of the interval, geometric mean of the same rows.
    """

    model: str
    rows: int
    folds: int
    r2_log: float
    r2: float
    mape: float
    spearman: float
    top1: float
    coverage: float
    width: float


def cross_validate(learner: Learner, data: TrainingSet, *, k: int = FOLDS, seed: int = 0) -> Scores:
    """Return the scores of grouped k-fold cross-validation; twins never straddle a split.

    Args:
        learner: fitted k times.
        data: what it learns.
        k: folds; fewer where there are fewer groups.
        seed: of the split and of the learner.

    Raises:
        InvalidInput: there is only one group.
    """
    rng = np.random.default_rng(seed)
    fold = grouped_folds(data.group, max(2, min(k, len(np.unique(data.group)))), rng)
    return score(learner.name, data, fold, out_of_fold(learner, data, fold, rng=rng))


def score(
    model: str,
    data: TrainingSet,
    fold: Integers,
    predicted: Prediction,
    *,
    actual: Floats | None = None,
    baseline: Floats | float = 1.0,
) -> Scores:
    """Return the scores of out-of-fold predictions.

    Args:
        model: the learner's name.
        data: what was predicted.
        fold: of each row, shape (rows,).
        predicted: of each row, by the other folds.
        actual: what predictions are compared with, instead of `data.y` (log improvement from another
            statistic of the same repetitions, which the learner does not see), shape (rows,).
        baseline: the baseline's bandwidth, one or shape (rows,): R2 is of bandwidth in its unit.
    """
    y = data.y if actual is None else actual
    bandwidth = np.exp(y) * baseline, np.exp(predicted.mean) * baseline
    low, high = _intervals(y, fold, predicted)
    won = top1(y, predicted.mean, fold, data.workload)
    ends = (high - low)[np.isfinite(high - low)]
    with np.errstate(over="ignore"):
        width = float(np.exp(np.mean(ends))) if len(ends) else np.nan
    return Scores(
        model=model,
        rows=len(y),
        folds=len(np.unique(fold)),
        r2_log=r2(y, predicted.mean),
        r2=r2(*bandwidth),
        mape=mape(*bandwidth),
        spearman=spearman(y, predicted.mean),
        top1=float(np.median(won)) if len(won) else np.nan,
        coverage=coverage(y, low, high),
        width=width,
    )


def _intervals(y: Floats, fold: Integers, predicted: Prediction) -> tuple[Floats, Floats]:
    """Return each row's interval, calibrated on the folds that the row is not in."""
    low, high = np.empty((2, len(y)))
    for part in np.unique(fold):
        held = fold == part
        seen = Prediction(predicted.mean[~held], predicted.spread[~held])
        own = Prediction(predicted.mean[held], predicted.spread[held])
        low[held], high[held] = Calibration.of(y[~held], seen).interval(own, LEVEL)
    return low, high
