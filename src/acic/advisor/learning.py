"""Learning a platform: from measurements to a fitted model with calibrated errors."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from acic.advisor.knowledge import Errors, Learned, Range, encoder_of, label
from acic.errors import MissingData
from acic.models.calibration import Calibration
from acic.models.protocol import Learner, Prediction, TrainingSet
from acic.models.validation import grouped_folds, out_of_fold
from acic.platforms import Platform
from acic.store.baselines import Baselines, Improvements
from acic.store.training import TrainingRows
from acic.workloads.parameters import WORKLOAD_PARAMETERS, values_of

Floats = NDArray[np.float64]

FOLDS = 10
QUANTILE = 0.1  # left out at either end: an interval of 80 %
FEWEST = 8  # configurations measured beside the baseline, below which nothing is learned


def learn(rows: TrainingRows, platform: Platform, learner: Learner, *, weight: Floats, seed: int) -> Learned:
    """Return what `rows` teach about `platform`.

    Args:
        rows: the measurements that count.
        platform: where they were made.
        learner: the kind of model.
        weight: trust in each row, > 0, shape (rows,).
        seed: of whatever the model draws, and of the folds.

    Raises:
        MissingData: too few configurations, or no baseline, were measured.
    """
    from threadpoolctl import threadpool_limits

    check(rows, platform)
    with threadpool_limits(limits=1):  # the matrices are small, and threads that wait for one another cost up to 50x
        return _learn(rows, platform, learner, weight, seed)


def _learn(rows: TrainingRows, platform: Platform, learner: Learner, weight: Floats, seed: int) -> Learned:
    baselines = Baselines.fit(rows, platform)
    improvements = baselines.improvements(rows)
    data = training_set(rows, platform, improvements, weight)
    informative = ~_on_baseline(rows, platform)
    taught = np.unique(rows.workload[informative])
    return Learned(
        model=learner.name,
        predictor=learner.fit(data, rng=np.random.default_rng(seed)),
        errors=_errors(data, improvements, learner, informative, seed),
        workloads=frozenset(rows.workloads[i] for i in taught),
        baselines=baselines,
        ranges={p.name: _range(rows, p.name, taught, numeric=p.is_numeric) for p in WORKLOAD_PARAMETERS},
        noise=float(np.expm1(np.nanmedian(rows.spread))) if np.isfinite(rows.spread).any() else 0.0,
        measurements=len(rows),
    )


def training_set(rows: TrainingRows, platform: Platform, improvements: Improvements, weight: Floats) -> TrainingSet:
    """Return the rows as models take them."""
    encoder = encoder_of(platform)
    x = encoder.encode(rows.configurations)[rows.configuration]
    workload = encoder.encode([values_of(w) for w in rows.workloads])[rows.workload]
    for parameter in WORKLOAD_PARAMETERS:
        columns = encoder.columns_of(parameter.name)
        x[:, columns] = workload[:, columns]
    return TrainingSet(
        columns=encoder.columns,
        x=x,
        y=improvements.mean,
        best=improvements.best,
        weight=weight,
        group=rows.group,
        workload=rows.workload,
        parameters=encoder.parameters,
    )


def check(rows: TrainingRows, platform: Platform) -> None:
    """Raise MissingData if nothing can be learned from `rows`."""
    measured = len({c for c in rows.configurations if c != platform.baseline})
    if measured < FEWEST:
        raise MissingData(
            f"platform {platform.name} has measurements of {measured} configurations beside its baseline, "
            f"and nothing can be learned from fewer than {FEWEST}",
            hint=platform.missing or f"import measurements: acic data import FILE --platform {platform.name}",
        )


def _on_baseline(rows: TrainingRows, platform: Platform) -> NDArray[np.bool_]:
    which = np.array([c == platform.baseline for c in rows.configurations], dtype=bool)
    return np.asarray(which[rows.configuration])


def _errors(
    data: TrainingSet, improvements: Improvements, learner: Learner, informative: NDArray[np.bool_], seed: int
) -> Errors:
    """Return the errors on points left out, and on workloads left out; the baseline's own zeros do not count."""
    rng = np.random.default_rng(seed)
    points = _held_out(learner, data, data.group, rng)
    seen = Calibration.of(data.y[informative], Prediction(points.mean[informative], points.spread[informative]))
    new = (-math.inf, math.inf)  # a single workload tells nothing about any other
    if len(np.unique(data.workload)) > 1:
        residual = data.y - _held_out(learner, data, data.workload, rng).mean
        new = _quantiles(residual[informative], data.workload[informative])
    sigma = improvements.sigma[informative]
    shared = sigma[np.isfinite(sigma)]
    return Errors(seen=seen, new=new, baseline=float(np.median(shared)) if len(shared) else 0.0)


def _held_out(learner: Learner, data: TrainingSet, together: NDArray[np.int64], rng: np.random.Generator) -> Prediction:
    fold = grouped_folds(together, min(FOLDS, len(np.unique(together))), rng)
    return out_of_fold(learner, data, fold, rng=rng)


def _quantiles(residual: Floats, groups: NDArray[np.int64]) -> tuple[float, float]:
    """Return the 10 % and 90 % quantiles, each group counting as one, corrected for few groups.

    Source: Lei et al., JASA 113, 2018 (split conformal prediction): the (n + 1)-th part goes to infinity;
    here the most extreme error seen stands for it.
    """
    _, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    each = 1.0 / counts[inverse]
    part = QUANTILE * (len(counts) + 1.0) + 1e-9
    order = np.argsort(residual)
    below = int(np.searchsorted(np.cumsum(each[order]), part, side="right")) - 1
    above = int(np.searchsorted(np.cumsum(each[order[::-1]]), part, side="right")) - 1
    return float(residual[order][max(below, 0)]), float(residual[order][::-1][max(above, 0)])


def _range(rows: TrainingRows, name: str, taught: NDArray[np.int64], *, numeric: bool) -> Range:
    values = [getattr(rows.workloads[i], name) for i in taught]
    if numeric:
        return Range(float(min(values)), float(max(values)), ())
    return Range(0.0, 0.0, tuple(sorted({label(v) for v in values})))
