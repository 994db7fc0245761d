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

    `sigma` is the baseline's standard error, which rows of one workload share.
    """

    mean: Floats
    best: Floats
    sigma: Floats
    exact: NDArray[np.bool_]


class Baselines:
    """The measured baselines of a platform, and interpolation between them.

    A workload that was not measured takes the mean of the nearest ones of the same operation, weighted
    by one over the squared distance. Its error is what leaving out each of those neighbours gives, and
    grows where the neighbours are farther away than they are from one another.
    """

    def __init__(self, workloads: tuple[Characteristics, ...], log_bandwidth: Floats, sigma: Floats) -> None:
        self.workloads = workloads
        self._known = {workload: i for i, workload in enumerate(workloads)}
        self._y = log_bandwidth
        self._sigma = sigma
        self._points = np.array([_point(w) for w in workloads]).reshape(len(workloads), len(_SIZES))
        labels = np.array([_labels(w) for w in workloads], dtype=np.str_)
        self._labels = labels.reshape(len(workloads), len(_MISMATCH))
        self._operation = np.array([w.operation.value for w in workloads], dtype=np.str_)

    @property
    def log_bandwidth(self) -> Floats:
        """Natural logarithm of each workload's baseline bandwidth in B/s, shape (workloads,)."""
        return self._y

    @property
    def sigma(self) -> Floats:
        """Standard error of each, shape (workloads,)."""
        return self._sigma

    @classmethod
    def fit(cls, data: TrainingRows | Iterable[Measurement], platform: Platform) -> Self:
        """Return the baselines that `data` holds: the rows on the platform's baseline configuration.

        Several measurements of one workload count together: the median of their means is the baseline.
        """
        rows = data if isinstance(data, TrainingRows) else training_table(data, platform)
        of_baseline = [i for i, c in enumerate(rows.configurations) if c == platform.baseline]
        mine = np.flatnonzero(np.isin(rows.configuration, of_baseline))
        pooled = _pooled_spread(rows.spread[mine])
        workloads, values, errors = [], [], []
        for position in np.unique(rows.workload[mine]):
            these = mine[rows.workload[mine] == position]
            workloads.append(rows.workloads[position])
            values.append(float(np.median(rows.mean[these])))
            errors.append(_standard_error(rows, these, pooled))
        return cls(tuple(workloads), np.array(values), np.array(errors))

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
        used, place = np.unique(rows.workload, return_inverse=True)
        found = [self.estimate(rows.workloads[i]) for i in used]
        baseline = np.array([e.log_bandwidth for e in found])[place]
        return Improvements(
            mean=rows.mean - baseline,
            best=rows.best - baseline,
            sigma=np.array([e.sigma for e in found])[place],
            exact=np.array([e.exact for e in found], dtype=bool)[place],
        )

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


def _pooled_spread(spread: Floats) -> float:
    """Return the usual spread of repetitions; inf if nothing was ever repeated."""
    repeated = spread[np.isfinite(spread)]
    return float(np.sqrt((repeated**2).mean())) if len(repeated) else math.inf


def _standard_error(rows: TrainingRows, these: NDArray[np.int64], pooled: float) -> float:
    """Return the error of several runs' common mean: of repetitions, or of the runs among each other if worse."""
    repetitions = rows.repetitions[these].sum()
    own = rows.spread[these]
    spread = _pooled_spread(own) if np.isfinite(own).any() and repetitions > 2 else pooled
    within = float(spread / math.sqrt(repetitions))
    if len(these) < 2:
        return within
    among = float(np.std(rows.mean[these], ddof=1)) / math.sqrt(len(these))
    return among if math.isinf(within) else max(within, among)  # where nothing was repeated, that alone tells it
