"""How far runs of the same point lie apart, and whether later ones agree with that."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

import numpy as np

from acic.evaluation.truth import Run
from acic.space import Configuration
from acic.store.measurement import Outcome

Key = tuple[str, str, Configuration]
WITHIN = 0.9  # part of all runs that the stated noise covers


@dataclass(frozen=True, slots=True)
class Noise:
    """How far a run lies from the others of its point.

    Args:
        typical: median of |ln(run / median of the other runs)|; 0.05 is e^0.05 - 1, or 5.1 %, longer.
        covers: what 90 % of runs do not exceed.
        points: that were run more than once.
    """

    typical: float
    covers: float
    points: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """A point that was measured again.

    Args:
        kernel, scale, configuration: the point.
        ratio: the new time over the median of the old ones.
        within: what the stated noise covers; None where the noise is not known.
    """

    kernel: str
    scale: str
    configuration: Configuration
    ratio: float
    within: bool | None


def totals(runs: Iterable[Run]) -> Mapping[Key, list[float]]:
    """Return the seconds of all good runs of each point."""
    found: dict[Key, list[float]] = defaultdict(list)
    for run in runs:
        if run.outcome is Outcome.OK and run.total is not None:
            found[run.kernel, run.scale, run.configuration].append(run.total)
    return found


def noise_of(runs: Iterable[Run]) -> Noise:
    """Return the noise of repeated runs; NaN where nothing was repeated."""
    distances = []
    points = 0
    for seconds in totals(runs).values():
        if len(seconds) > 1:
            points += 1
            for i, one in enumerate(seconds):
                distances.append(abs(math.log(one / median(seconds[:i] + seconds[i + 1 :]))))
    if not distances:
        return Noise(math.nan, math.nan, 0)
    return Noise(float(np.median(distances)), float(np.quantile(distances, WITHIN)), points)


def agreement(before: Iterable[Run], after: Iterable[Run], *, covers: float) -> list[Agreement]:
    """Return how each point of `after` compares with the same one of `before`.

    Args:
        before: measured first.
        after: measured again.
        covers: the stated noise, as `Noise.covers`; NaN where nobody knows it.
    """
    old = totals(before)
    made = []
    for key, seconds in totals(after).items():
        if key in old:
            ratio = median(seconds) / median(old[key])
            within = None if math.isnan(covers) else abs(math.log(ratio)) <= covers
            made.append(Agreement(*key, ratio=ratio, within=within))
    return made
