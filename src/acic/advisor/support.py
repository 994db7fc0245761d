"""How much of an answer rests on measurements: what was measured nearest to it, and what limits its precision."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Estimate
from acic.advisor.learned import Z80, Learned
from acic.platforms import Platform
from acic.space import Configuration, Parameter, Scale, Value
from acic.store.training import TrainingRows
from acic.workloads import Characteristics
from acic.workloads.parameters import WORKLOAD_PARAMETERS, values_of

Floats = NDArray[np.float64]

NEAREST = 3  # points that are shown


class Limit(StrEnum):
    """What makes an interval as wide as it is."""

    BASELINE = "baseline"  # how well the baseline is known that improvements are told over
    MODEL = "model"  # what the model gets wrong
    NOISE = "noise"  # how far runs of the same thing differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """Where an interval's width comes from: factors, 1 for none, or none known; 4 of 5 times the truth is within.

    Args:
        model: what the model gets wrong; infinite where nothing tells.
        baseline: how uncertain the measured baselines are; infinite where most of them were not measured.
        noise: how far runs of the same thing differ.
        seen: whether this very workload was measured at points enough, and errors are those on such workloads.
    """

    model: float
    baseline: float
    noise: float
    seen: bool

    @property
    def limit(self) -> Limit:
        """The largest of the three; the first where several are infinite."""
        return max(Limit, key=lambda limit: getattr(self, limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A point that was measured: a workload on a configuration other than the baseline.

    Args:
        steps: levels that it lies away, in characteristics and parameters together.
        workload: its characteristics where they are others, by name.
        configuration: its parameters where they are others, by name; None where one does not apply.
        improvement: over the baseline on the same workload, measured.
        runs: how many repetitions there were.
    """

    steps: float
    workload: Mapping[str, Value | None]
    configuration: Mapping[str, Value | None]
    improvement: float
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What was measured near an answer.

    Args:
        points: pairs of workload and configuration that were measured, the baseline's not counted.
        on_configuration: how many of them are on the configuration of the answer.
        on_workload: how many are of the workload that is nearest.
        workload_steps: levels between the workload and the nearest one that was measured.
        nearest: the nearest points, the nearest first.
    """

    points: int
    on_configuration: int
    on_workload: int
    workload_steps: float
    nearest: tuple[Near, ...]


def precision(learned: Learned, workload: Characteristics, improvement: Estimate) -> Precision:
    """Return where the width of a predicted improvement's 80 % interval comes from.

    Args:
        learned: what predicted it.
        workload: the phase that it is for.
        improvement: of the I/O, as of a configuration that somebody named, and that was not picked.
    """
    low, high = improvement.low, improvement.high
    width = math.log(high / low) / 2 if low > 0 else math.inf
    baseline = Z80 * learned.errors.baseline
    model = math.inf if math.isinf(width) else math.sqrt(max(width**2 - baseline**2, 0.0))
    noise = Z80 * math.log1p(learned.noise)
    return Precision(
        model=math.exp(model) if model < _OVERFLOW else math.inf,
        baseline=math.exp(baseline),
        noise=math.exp(noise),
        seen=workload in learned.known_well,
    )


_OVERFLOW = 700.0  # e to this is the largest double


def support(
    rows: TrainingRows, learned: Learned, platform: Platform, workload: Characteristics, answer: Configuration
) -> Support:
    """Return what was measured near `workload` on `answer`.

    A level is the next value that a parameter lists; another label is one level away, and so is what does not apply.

    Args:
        rows: the measurements.
        learned: what they taught.
        platform: where they were made.
        workload: a phase of the application.
        answer: the configuration recommended.
    """
    gains = learned.baselines.improvements(rows).mean
    away_workload = _steps(WORKLOAD_PARAMETERS, values_of(workload), [values_of(w) for w in rows.workloads])
    away_system = _steps(platform.space.parameters, answer, rows.configurations)
    informative = ~rows.on(platform.baseline)
    _, first, inverse = np.unique(rows.group[informative], return_index=True, return_inverse=True)
    place = np.flatnonzero(informative)[first]
    steps = away_workload[rows.workload[place]] + away_system[rows.configuration[place]]
    nearest_workload = rows.workload[place][np.argmin(away_workload[rows.workload[place]])]
    count = np.bincount(inverse)
    gain = np.bincount(inverse, gains[informative]) / count
    runs = np.bincount(inverse, rows.repetitions[informative].astype(float))
    order = np.lexsort((place, away_workload[rows.workload[place]], steps))[:NEAREST]
    return Support(
        points=len(place),
        on_configuration=int((away_system[rows.configuration[place]] == 0).sum()),
        on_workload=int((rows.workload[place] == nearest_workload).sum()),
        workload_steps=float(away_workload[nearest_workload]),
        nearest=tuple(
            Near(
                steps=float(steps[i]),
                workload=_others(values_of(workload), values_of(rows.workloads[rows.workload[place[i]]])),
                configuration=_others(answer, rows.configurations[rows.configuration[place[i]]]),
                improvement=float(np.exp(gain[i])),
                runs=int(runs[i]),
            )
            for i in order
        ),
    )


def _steps(parameters: Sequence[Parameter], own: Mapping[str, Value], others: Sequence[Mapping[str, Value]]) -> Floats:
    """Return how many levels each of `others` lies away from `own`, shape (others,)."""
    total = np.zeros(len(others))
    for parameter in parameters:
        mine, theirs = own.get(parameter.name), [other.get(parameter.name) for other in others]
        if not parameter.is_numeric or mine is None:
            total += np.array([value != mine for value in theirs], dtype=float)
            continue
        levels, codes = (_codes(parameter, values) for values in (parameter.values, [mine, *theirs]))
        positions = np.interp(codes, levels, np.arange(len(levels)))
        total += np.where(np.isnan(codes[1:]), 1.0, np.abs(positions[1:] - positions[0]))
    return total


def _codes(parameter: Parameter, values: Sequence[Value | None]) -> Floats:
    """Return numbers on the parameter's own scale, NaN for those that do not apply, shape (values,)."""
    numbers = np.array([np.nan if value is None else float(value) for value in values])
    return np.log2(numbers) if parameter.scale is Scale.LOG else numbers


def _others(own: Mapping[str, Value], other: Mapping[str, Value]) -> dict[str, Value | None]:
    """Return the values of `other` that are not those of `own`; None where one does not apply."""
    names = dict.fromkeys((*own, *other))
    return {name: other.get(name) for name in names if own.get(name) != other.get(name)}
