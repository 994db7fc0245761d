"""How well models predict workloads that nobody measured: each left out in turn, with all of its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.advisor.informed import informed, on_baseline
from acic.advisor.intervals import kinds_of, quantiles, quantiles_by_kind, usual_error
from acic.advisor.learned import Errors, Kinds
from acic.advisor.learning import check, training_set
from acic.errors import MissingData
from acic.models.calibration import Calibration
from acic.models.protocol import Learner, Prediction, TrainingSet
from acic.models.validation import coverage, leave_out_each, out_of_fold
from acic.platforms import Platform
from acic.store.baselines import Baselines, Improvements
from acic.store.training import TrainingRows

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

CHOICE = 4  # configurations measured, the baseline among them, from which on picking one is a choice


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """How one model fares on workloads left out.

    Args:
        model: its name.
        workloads: how many gave a choice of `CHOICE` configurations or more.
        regret: for each of them, by how much longer the picked configuration took than the best measured; 0.2 is 20 %.
        error: median absolute error of log improvement, the baseline's own zeros left aside.
        error_mean: the mean.
        coverage: share of those runs within the 80 % interval that other workloads' errors give.
        by_kind: the same for each kind (file system) alone.
        width: factor from the low to the high end of the interval, median.
    """

    model: str
    workloads: int
    regret: tuple[float, ...]
    error: float
    error_mean: float
    coverage: float
    by_kind: Mapping[str, float]
    width: float

    @property
    def median(self) -> float:
        """Median regret."""
        return float(np.median(self.regret))

    @property
    def worst_tenth(self) -> float:
        """90 % quantile of regret."""
        return float(np.quantile(self.regret, 0.9))

    @property
    def mean(self) -> float:
        """Mean regret."""
        return float(np.mean(self.regret))


def leave_workloads_out(
    rows: TrainingRows, platform: Platform, learners: list[Learner], *, seed: int, progress: Callable[[int], None]
) -> list[LeftOut]:
    """Return how each learner fares on every workload, by a model that saw all others.

    Args:
        rows: the measurements.
        platform: where they were made.
        learners: which to compare.
        seed: of what learners draw.
        progress: is told how many learners are done.

    Raises:
        MissingData: too few configurations were measured, one workload only on others than the baseline, or none with
            a choice.
    """
    from threadpoolctl import threadpool_limits

    check(rows, platform)
    elsewhere = ~rows.on(platform.baseline)
    if len(np.unique(rows.workload[elsewhere])) < 2:
        raise MissingData(
            f"one workload was measured on {platform.name} beside the baseline: none can be left out",
            hint="measure others too",
        )
    improvements = Baselines.fit(rows, platform).improvements(rows)
    plain = training_set(rows, platform, improvements, np.ones(len(rows)))
    found = []
    with threadpool_limits(limits=1):
        for done, learner in enumerate(learners, 1):
            data = informed(plain, rows, platform, learner)
            usual, fold = on_baseline(rows, platform, learner), leave_out_each(data.workload)
            predicted = out_of_fold(learner, data, fold, rng=np.random.default_rng(seed), baseline=usual)
            found.append(_judged(learner.name, data, predicted, rows, platform, improvements))
            progress(done)
    return found


def _judged(
    model: str, data: TrainingSet, predicted: Prediction, rows: TrainingRows, platform: Platform, gained: Improvements
) -> LeftOut:
    of_baseline = rows.on(platform.baseline)
    counts = ~of_baseline
    regret = regrets(data, np.where(of_baseline, 0.0, predicted.mean))
    if not len(regret):
        raise MissingData(f"no workload was measured with {CHOICE} configurations", hint="measure more")
    kinds = kinds_of(rows)
    low, high = _intervals(data, predicted, counts, kinds, gained)
    wrong = np.abs(data.y - predicted.mean)[counts]

    def covered(which: Flags) -> float:
        return coverage(data.y[which], low[which], high[which])

    return LeftOut(
        model=model,
        workloads=len(regret),
        regret=tuple(regret.tolist()),
        error=float(np.median(wrong)),
        error_mean=float(wrong.mean()),
        coverage=covered(counts),
        by_kind={kind: covered(counts & (kinds == kind)) for kind in np.unique(kinds[counts]).tolist()},
        width=float(np.exp(np.median((high - low)[counts]))),
    )


def regrets(data: TrainingSet, predicted: Floats) -> Floats:
    """Return, for each workload with a choice, what the pick loses against the best measured, shape (workloads,).

    Where predictions tie, the median of the tied counts (SC13, section 5.3). Twins count as one by their mean.
    """
    lost = []
    for workload in np.unique(data.workload):
        mine = data.workload == workload
        groups, member = np.unique(data.group[mine], return_inverse=True)
        if len(groups) < CHOICE:
            continue
        size = np.bincount(member)
        y = np.bincount(member, weights=data.y[mine]) / size
        guess = np.bincount(member, weights=predicted[mine]) / size
        lost.append(np.expm1(y.max() - np.median(y[guess == guess.max()])))
    return np.array(lost)


def _intervals(
    data: TrainingSet, predicted: Prediction, counts: Flags, kinds: Kinds, gained: Improvements
) -> tuple[Floats, Floats]:
    """Return the ends of each row's interval, from the errors of all other workloads."""
    low, high = np.empty((2, len(data)))
    residual = data.y - predicted.mean
    for workload in np.unique(data.workload):
        mine, others = data.workload == workload, counts & (data.workload != workload)
        baseline = usual_error(gained, others)
        seen = Calibration(np.empty(0), np.inf)  # not asked for
        pooled = quantiles(residual[others], data.workload[others])
        apart = quantiles_by_kind(residual[others], data.workload[others], kinds[others])
        errors = Errors(seen, pooled, baseline, {kind: Errors(seen, new, baseline) for kind, new in apart.items()})
        part = Prediction(predicted.mean[mine], predicted.spread[mine])
        low[mine], high[mine] = errors.interval(part, kinds[mine], seen=False)
    return low, high
