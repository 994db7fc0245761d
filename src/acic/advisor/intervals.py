"""How far a model is wrong on what it has not seen, from which intervals are made: points and workloads left out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from acic.advisor.knowledge import KIND
from acic.advisor.learned import Errors, Kinds
from acic.models.calibration import Calibration
from acic.models.protocol import Learner, Prediction, TrainingSet
from acic.models.validation import grouped_folds, out_of_fold
from acic.store.baselines import Improvements
from acic.store.training import TrainingRows

Floats = NDArray[np.float64]

Watch = Callable[[int, int], None]  # is told what is done, and of how much

FOLDS = 10
HELD_OUT = 6_000  # rows that intervals are learned from; docs/models.md has what more of them would give
ENOUGH = 9  # groups of which the smallest error and the largest bound 80 % of the next
QUANTILE = 0.1  # left out at either end: an interval of 80 %


def errors_of(
    data: TrainingSet,
    usual: Floats,
    baseline: float,
    learner: Learner,
    informative: NDArray[np.bool_],
    kinds: Kinds,
    seed: int,
    watch: Watch,
) -> Errors:
    """Return the errors on points left out, and on workloads left out.

    Args:
        data: measurements, and behind them what else is learned from, whose errors do not count.
        usual: the measurements' workloads on the baseline, beside which improvements are predicted, shape
            (measurements, columns).
        baseline: the usual error of the baselines (`usual_error`).
        learner: the kind of model.
        informative: the measurements that count, shape (measurements,): the baseline's own zeros do not.
        kinds: of which kind each measurement's configuration is, shape (measurements,).
        seed: of whatever the model draws, and of the folds.
        watch: is told how many fits are done, and of how many.
    """
    rng = np.random.default_rng(seed)
    count = len(informative)
    beside = np.vstack([usual, np.full((len(data) - count, usual.shape[1]), np.nan)])
    measured = data.workload[:count][informative]
    several = len(np.unique(measured)) > 1  # a single workload tells nothing about any other
    left_out = [_folds(one) for one in (data.group, data.workload)]
    total, done = left_out[0] + several * left_out[1], itertools.count(1)

    def held_out(together: NDArray[np.int64], folds: int) -> Prediction:
        fold = grouped_folds(together, folds, rng)
        return out_of_fold(learner, data, fold, rng=rng, baseline=beside, watch=lambda: watch(next(done), total))

    points = held_out(data.group, left_out[0])
    residual = data.y - held_out(data.workload, left_out[1]).mean if several else None

    def of(mine: NDArray[np.bool_]) -> Errors:
        rows = np.flatnonzero(mine)
        seen = _calibrated(data.y[rows], Prediction(points.mean[rows], points.spread[rows]), data.group[rows])
        new = (-math.inf, math.inf) if residual is None else quantiles(residual[rows], data.workload[rows])
        return Errors(seen=seen, new=new, baseline=baseline)

    workload = data.workload[:count]
    told = [kind for kind in np.unique(kinds).tolist() if kind and enough(workload[informative & (kinds == kind)])]
    return replace(of(informative), kinds={kind: of(informative & (kinds == kind)) for kind in told})


def drawn(group: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which rows intervals are learned from, shape (rows,): whole groups, at random, of up to `HELD_OUT` rows.

    They are estimates, for which the model is fitted twenty times: more rows take long and say the same.
    """
    groups, member, size = np.unique(group, return_inverse=True, return_counts=True)
    if len(group) <= HELD_OUT:
        return np.ones(len(group), dtype=bool)
    order = rng.permutation(len(groups))
    count = max(ENOUGH, int(np.searchsorted(np.cumsum(size[order]), HELD_OUT, side="right")))
    return np.isin(member, order[:count])


def usual_error(improvements: Improvements, rows: NDArray[np.bool_]) -> float:
    """Return the median of the baselines' own errors, of these rows; inf where most were never measured nor judged.

    Those of baselines that were measured, but nowhere twice, are not known, and left aside: 0.0 if that is all.
    """
    sigma, exact = improvements.sigma[rows], improvements.exact[rows]
    told = sigma[np.isfinite(sigma) | ~exact]
    return float(np.median(told)) if len(told) else 0.0


def known_well(workload: NDArray[np.int64], group: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the workloads of which errors on points left out tell: those measured at as many points as is usual there.

    That is as many as half of the points' workloads have, or `ENOUGH`. One that was tried at a single point is as good
    as new at all others.

    Args:
        workload: of each measurement that is informative, shape (rows,).
        group: its point, shape (rows,).
    """
    if not len(workload):
        return workload
    _, first = np.unique(group, return_index=True)
    found, member, count = np.unique(workload[first], return_inverse=True, return_counts=True)
    return found[count >= min(ENOUGH, np.median(count[member]))]


def kinds_of(rows: TrainingRows) -> Kinds:
    """Return of which kind each row's configuration is, shape (rows,); "" where the platform has none."""
    return np.array([str(one.get(KIND, "")) for one in rows.configurations])[rows.configuration]


def quantiles_by_kind(residual: Floats, groups: NDArray[np.int64], kinds: Kinds) -> dict[str, tuple[float, float]]:
    """Return the 10 % and 90 % quantiles of each kind that enough groups were measured with to tell them."""
    found = {}
    for kind in np.unique(kinds).tolist():
        mine = kinds == kind
        if kind and enough(groups[mine]):
            found[kind] = quantiles(residual[mine], groups[mine])
    return found


def _calibrated(y: Floats, predicted: Prediction, group: NDArray[np.int64]) -> Calibration:
    """Return the calibration by points: what is measured again and again counts once, with its median."""
    _, first, member, counts = np.unique(group, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((y, member))
    median = [float(np.median(y[mine])) for mine in np.split(order, np.cumsum(counts)[:-1])] if len(y) else []
    return Calibration.of(np.array(median), Prediction(predicted.mean[first], predicted.spread[first]))


def _folds(together: NDArray[np.int64]) -> int:
    return min(FOLDS, len(np.unique(together)))


def enough(groups: NDArray[np.int64]) -> bool:
    """Return whether rows are of enough groups for a kind of their own."""
    return len(np.unique(groups)) >= ENOUGH


def quantiles(residual: Floats, groups: NDArray[np.int64]) -> tuple[float, float]:
    """Return the 10 % and 90 % quantiles, each group counting as one, corrected for few groups.

    Beyond either lies a tenth of the n groups and of a new one at most, which is beyond with all of its rows.

    Source: Lei et al., JASA 113, 2018 (split conformal prediction): the (n + 1)-th part goes to infinity;
    here the most extreme error seen stands for it.
    """
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    each = 1.0 / counts[inverse]
    part = QUANTILE * (len(counts) + 1.0) - 1.0 + 1e-9
    order = np.argsort(residual)
    below, above = (int(np.searchsorted(np.cumsum(each[one]), part, side="right")) for one in (order, order[::-1]))
    return float(residual[order][below]), float(residual[order][::-1][above])
