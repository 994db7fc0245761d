"""What measurements taught, as it is cached: a fitted model, its errors, the baselines, and what was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from acic.advisor.failing import Failing
from acic.advisor.ranges import Range
from acic.advisor.safety import Unsafe
from acic.models.calibration import Calibration
from acic.models.protocol import Prediction, Predictor
from acic.store.baselines import Baselines
from acic.workloads import Characteristics

Floats = NDArray[np.float64]
Kinds = NDArray[np.str_]

Z80 = 1.2816  # a normal variable is within this many deviations 80 % of the time


@dataclass(frozen=True, slots=True)
class Errors:
    """What the model got wrong on data it had not seen, as log improvement: truth minus prediction.

    Args:
        seen: on points left out, for workloads that other configurations were measured with.
        new: 10 % and 90 % quantile on whole workloads left out.
        baseline: usual standard error of the baselines that the improvements were taken over: all rows of a
            workload share it, so leaving out rows does not show it.
        kinds: the same for one kind of configuration alone (a file system), where enough of it was measured.

    Source of `kinds`: Vovk, Gammerman & Shafer, "Algorithmic learning in a random world", 2005, section 4.5 (Mondrian).
    """

    seen: Calibration
    new: tuple[float, float]
    baseline: float
    kinds: Mapping[str, Errors] = field(default_factory=dict)

    def interval(self, predicted: Prediction, kind: Kinds | None = None, *, seen: bool) -> tuple[Floats, Floats]:
        """Return the ends of the 80 % interval around each prediction, of shape (rows,) each.

        Args:
            predicted: of some configurations.
            kind: of which kind each is, shape (rows,); None where no kinds are told apart.
            seen: whether other configurations were measured with the same workload.
        """
        low, high = self._interval(predicted, seen=seen)
        for name, errors in self.kinds.items() if kind is not None else ():
            mine = kind == name
            part = Prediction(predicted.mean[mine], predicted.spread[mine])
            low[mine], high[mine] = errors.interval(part, seen=seen)
        return low, high

    def _interval(self, predicted: Prediction, *, seen: bool) -> tuple[Floats, Floats]:
        if seen:
            low, high = self.seen.interval(predicted)
        else:
            low, high = predicted.mean + self.new[0], predicted.mean + self.new[1]
        extra = Z80 * self.baseline
        below = np.hypot(np.maximum(predicted.mean - low, 0.0), extra)
        above = np.hypot(np.maximum(high - predicted.mean, 0.0), extra)
        return predicted.mean - below, predicted.mean + above


UNTOLD = Errors(Calibration(np.empty(0), math.inf), (-math.inf, math.inf), 0.0)
"""Nobody looked what the model gets wrong, so that intervals hold everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What measurements taught, as it is cached.

    Args:
        model: the model's name.
        predictor: fitted on all rows.
        errors: of the model, on data it had not seen.
        workloads: those that were measured on more than the baseline.
        known_well: those of them that were measured at enough points for the errors on points left out to be theirs.
        baselines: the measured baselines.
        ranges: what was measured, by characteristic.
        systems: the same by parameter of the platform; without those that no measurement has.
        unheard: workloads with measurements that are left out, as who made them is hardly trusted.
        noise: median relative spread of repetitions.
        measurements: rows learned from.
        unsafe: configurations that gave back other bytes than were written (`acic.advisor.safety`).
        failing: what is on record of configurations that failed (`acic.advisor.failing`).
        doubts: contributors who are hardly believed, and what does not fit the platform; one sentence each.
    """

    model: str
    predictor: Predictor
    errors: Errors
    workloads: frozenset[Characteristics]
    baselines: Baselines
    ranges: Mapping[str, Range]
    noise: float
    measurements: int
    unsafe: Unsafe = field(default_factory=Unsafe)
    failing: tuple[Failing, ...] = ()
    doubts: tuple[str, ...] = ()
    systems: Mapping[str, Range] = field(default_factory=dict)
    unheard: frozenset[Characteristics] = frozenset()
    known_well: frozenset[Characteristics] = frozenset()
