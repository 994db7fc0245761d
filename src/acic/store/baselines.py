"""What the baseline configuration gives, for workloads it was measured with and for others like them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from acic.errors import MissingData
from acic.platforms import Platform
from acic.store.measurement import Measurement
from acic.store.readings import Readings
from acic.store.training import Floats, TrainingRows, training_table
from acic.workloads import Access, Characteristics, Operation

_NEIGHBOURS = 4
_NO_BASELINE = "no baseline of this operation"
# How far apart two workloads are, in doublings of a size: a file per process instead of a shared file counts as
# four times the data. The penalties are judged, not fitted: tianhe-lustre has baselines of one kind only. There the
# leave-one-out error is 0.35 to 0.42 for any 3 to 8 neighbours and any power of the distance from 1 to 4.
_MISMATCH = {"interface": 2.0, "shared": 2.0, "collective": 1.0, "access": 1.0}
_SIZES = {"processes": 1.0, "data_size": 1.0, "request_size": 1.0, "iterations": 0.5, "io_processes": 0.5}


@dataclass(frozen=True, slots=True)
class BaselineEstimate:
    """What the baseline configuration is taken to give for one workload.

    Args:
        log_bandwidth: natural logarithm of the bandwidth in B/s.
        sigma: standard error of it; inf where a single neighbour leaves nothing to judge it by.
        exact: whether this very workload was measured on the baseline.
        neighbours: how many measured workloads it was made of (1 where exact).
    """

    log_bandwidth: float
    sigma: float
    exact: bool
    neighbours: int


@dataclass(frozen=True, slots=True)
class Improvements:
    """Each training row's natural log improvement over the baseline on its own workload, shape (rows,).

    `sigma` is the baseline's standard error, which rows share that are told over the same runs of it.
    """

    mean: Floats
    best: Floats
    sigma: Floats
    exact: NDArray[np.bool_]


class Baselines:
    """The measured baselines of a platform, and interpolation between them.

    Each measurement is told over those runs of the baseline that are most like it (`Readings.comparable`); what the
    baseline gives today is told by those of the newest revision. Several count together, by the median of their means.

    A workload that was not measured takes the mean of the nearest ones of the same operation, weighted
    by one over the squared distance. Its error is what leaving out each of those neighbours gives, and
    grows where the neighbours are farther away than they are from one another.

    Args:
        workloads: those that the baseline was measured with.
        readings: the runs of it, some of each.
    """

    def __init__(self, workloads: tuple[Characteristics, ...] = (), readings: Readings | None = None) -> None:
        self.workloads = workloads
        self.readings = Readings.none() if readings is None else readings
        self._known = {workload: i for i, workload in enumerate(workloads)}
        today = [self.readings.level(self.readings.newest(i)) for i in range(len(workloads))]
        self._y, self._sigma = np.array(today, dtype=np.float64).reshape(len(workloads), 2).T
        self._points = np.array([_point(w) for w in workloads]).reshape(len(workloads), len(_SIZES))
        labels = np.array([_labels(w) for w in workloads], dtype=np.str_)
        self._labels = labels.reshape(len(workloads), len(_MISMATCH))
        self._operation = np.array([w.operation.value for w in workloads], dtype=np.str_)

    @classmethod
    def fit(cls, data: TrainingRows | Iterable[Measurement], platform: Platform) -> Self:
        """Return the baselines that `data` holds: the rows on the platform's baseline configuration."""
        rows = data if isinstance(data, TrainingRows) else training_table(data, platform)
        readings, used = Readings.of(rows.rows(rows.on(platform.baseline)))
        return cls(tuple(rows.workloads[i] for i in used), readings)

    def estimate(self, workload: Characteristics) -> BaselineEstimate:
        """Return what the baseline gives for `workload`: measured, or else from its neighbours.

        Raises:
            MissingData: no baseline of the same operation was measured.
        """
        if (known := self._known.get(workload)) is not None:
            return BaselineEstimate(float(self._y[known]), float(self._sigma[known]), exact=True, neighbours=1)
        nearest, distance = self._neighbours(workload)
        value = self._interpolate(nearest, distance)
        return BaselineEstimate(value, self._uncertainty(workload.operation, nearest, distance), False, len(nearest))

    def log_bandwidth_of(self, workload: Characteristics) -> float:
        """Return the `log_bandwidth` of `estimate` alone: its error takes longest to tell.

        Raises:
            MissingData: no baseline of the same operation was measured.
        """
        if (known := self._known.get(workload)) is not None:
            return float(self._y[known])
        return self._interpolate(*self._neighbours(workload))

    def improvements(self, rows: TrainingRows) -> Improvements:
        """Return the improvement of every row over the baseline on its workload.

        Raises:
            MissingData: a row's operation has no measured baseline.
        """
        level = np.empty((len(rows), 2))
        exact = np.zeros(len(rows), dtype=bool)
        for i in np.unique(rows.workload):
            mine, workload = np.flatnonzero(rows.workload == i), rows.workloads[i]
            if (known := self._known.get(workload)) is None:
                estimate = self.estimate(workload)
                level[mine] = estimate.log_bandwidth, estimate.sigma
            else:
                level[mine], exact[mine] = self.readings.beside(rows, mine, known), True
        return Improvements(mean=rows.mean - level[:, 0], best=rows.best - level[:, 0], sigma=level[:, 1], exact=exact)

    @cached_property
    def _left_out(self) -> tuple[Floats, Floats]:
        """The error of each workload from the others, and how far away those are, each of shape (workloads,)."""
        distance = _distances(self._points[:, None] - self._points, self._labels[:, None] != self._labels)
        distance[self._operation[:, None] != self._operation] = np.inf
        np.fill_diagonal(distance, np.inf)
        nearest = np.argsort(distance, axis=1, kind="stable")[:, :_NEIGHBOURS]
        near = np.take_along_axis(distance, nearest, axis=1)
        there = np.isfinite(near)
        weights = np.where(there, _closeness(near), 0.0)
        with np.errstate(invalid="ignore"):  # of a workload that is alone
            error = (weights * self._y[nearest]).sum(axis=1) / weights.sum(axis=1) - self._y
            gap = np.where(there, near, 0.0).sum(axis=1) / there.sum(axis=1)
        return error, gap

    def _neighbours(self, workload: Characteristics) -> tuple[NDArray[np.int64], Floats]:
        nearest, distance = self._nearest(workload)
        if not len(nearest):
            raise MissingData(
                f"the baseline was not measured with any {workload.operation}",
                hint="measure the baseline configuration, or import such measurements",
            )
        return nearest, distance

    def _nearest(self, workload: Characteristics) -> tuple[NDArray[np.int64], Floats]:
        candidates = np.flatnonzero(self._operation == workload.operation.value)
        differs = self._labels[candidates] != np.array(_labels(workload))
        distance = _distances(self._points[candidates] - _point(workload), differs)
        order = np.argsort(distance, kind="stable")[:_NEIGHBOURS]
        return candidates[order].astype(np.int64), distance[order]

    def _interpolate(self, nearest: NDArray[np.int64], distance: Floats) -> float:
        return float(np.average(self._y[nearest], weights=_closeness(distance)))

    def _uncertainty(self, operation: Operation, nearest: NDArray[np.int64], distance: Floats) -> float:
        """Half of it is the error around here, half that of the whole: four errors alone tell little."""
        same = self._operation == operation.value
        if same.sum() < 2:
            return math.inf
        error, gap = self._left_out
        squared = error**2
        local = np.average(squared[nearest], weights=_closeness(distance))
        reach = max(1.0, float(distance.mean() / max(np.median(gap[same]), 1e-9)))
        return float(np.sqrt((local + squared[same].mean()) / 2) * reach)


def with_baseline(rows: TrainingRows, platform: Platform) -> TrainingRows:
    """Return `rows` without those of an operation that the baseline was never measured with, as nothing is gained over.

    All of them, where the baseline was measured with none: that is then what has to be said.
    """
    there = over_baseline(rows, platform)
    if there.all():
        return rows
    return replace(rows.rows(there), left_out={**rows.left_out, _NO_BASELINE: int((~there).sum())})


def over_baseline(rows: TrainingRows, platform: Platform) -> NDArray[np.bool_]:
    """Return the rows that `with_baseline` keeps, shape (rows,)."""
    operations = np.array([one.operation.value for one in rows.workloads], dtype=np.str_)[rows.workload]
    there = np.isin(operations, operations[rows.on(platform.baseline)])
    return there if there.any() else np.ones(len(there), dtype=bool)


def no_baseline_told(rows: TrainingRows, platform: Platform) -> str:
    """Return in one sentence what `with_baseline` left out; "" where that is nothing."""
    if not (number := rows.left_out.get(_NO_BASELINE)):
        return ""
    operations = " and ".join(sorted({f"{rows.workloads[i].operation}s" for i in np.unique(rows.workload)}))
    return f"{number} measurements teach nothing: the baseline of {platform.name} was measured with {operations} only"


def _distances(sizes: Floats, differs: NDArray[np.bool_]) -> Floats:
    """Return how far apart workloads are, shape (...).

    Args:
        sizes: differences of their points, shape (..., sizes).
        differs: whether their labels do, shape (..., labels).
    """
    scale, mismatch = (np.array(list(one.values())) for one in (_SIZES, _MISMATCH))
    return np.asarray(np.sqrt(((sizes * scale) ** 2).sum(axis=-1) + (differs * mismatch**2).sum(axis=-1)))


def _closeness(distance: Floats) -> Floats:
    return np.asarray(1.0 / (distance**2 + 1e-6))


def _point(workload: Characteristics) -> list[float]:
    return [math.log2(getattr(workload, name)) for name in _SIZES]


def _labels(workload: Characteristics) -> list[str]:
    known = workload.access is not Access.UNKNOWN
    return [str(getattr(workload, name)) if name != "access" or known else "" for name in _MISMATCH]
