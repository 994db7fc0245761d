"""A real system to search on: the 258 configurations that OPRAEL's authors measured, ten writes each.

They are scattered over the platform's space, so a configuration is answered by the nearest one that was measured:
Gower's distance (a different label counts 1, a number its share of the range), the first where several are as near.

Source of the distance: Gower, "A general coefficient of similarity and some of its properties", Biometrics 27, 1971.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from acic.platforms import load_platform
from acic.search import Lessons, Measure, Observation, Row
from acic.space import Configuration, Encoder, Space, Value
from acic.store import Measurement, Outcome
from acic.store.bundled import bundled
from acic.workloads import WORKLOAD_PARAMETERS, Characteristics
from acic.workloads.parameters import values_of


@dataclass(frozen=True)
class System:
    """A space whose every configuration has a known objective.

    Args:
        space: what may be chosen.
        baseline: where a search begins.
        objective: of each row of `space.enumerate()`, shape (points,).
        points: of the space, shape (points, parameters).
        lessons: of other workloads.
        single: what each run of it took, of which `objective` is the mean, shape (points, runs); None where runs do not
            differ.
    """

    space: Space
    baseline: Configuration
    objective: NDArray[np.float64]
    points: NDArray[np.int8]
    lessons: Lessons
    single: NDArray[np.float64] | None = None

    @property
    def best(self) -> float:
        return float(self.objective.min())

    @cached_property
    def rows(self) -> dict[bytes, int]:
        return {point.tobytes(): i for i, point in enumerate(self.points)}

    def value(self, configuration: Configuration) -> float:
        return float(self.objective[self.row(configuration)])

    def row(self, configuration: Configuration) -> int:
        return self.rows[self.space.point(configuration).tobytes()]

    def measure(self, *, rng: np.random.Generator | None = None) -> Measure:
        """Return what answers: with `rng` by one run of those that were made, as it is drawn, without by their mean."""

        def answer(configurations: Sequence[Configuration]) -> list[Observation]:
            if rng is None or self.single is None:
                found = [self.value(c) for c in configurations]
            else:
                found = [float(rng.choice(self.single[self.row(c)])) for c in configurations]
            return [Observation(c, one, one) for c, one in zip(configurations, found, strict=True)]

        return answer


@cache
def fig19() -> System:
    platform = load_platform("tianhe-lustre")
    good = [m for m in bundled(platform) if m.outcome is Outcome.OK]
    by_workload = [[m for m in good if m.workload == w] for w in dict.fromkeys(m.workload for m in good)]
    runs = max(by_workload, key=len)
    assert len(runs) == 258
    seconds = np.array([_seconds(m) for m in runs])
    single = np.array([[_moved(m) / one for one in m.bandwidths] for m in runs])
    points = platform.space.enumerate()
    encoder = Encoder(platform.space.parameters)
    known = encoder.encode([m.configuration for m in runs])
    ranges = np.array([_distance_to_one(platform.space, name) for name in encoder.columns])
    nearest = np.concatenate(
        [
            np.abs((some[:, None] - known) * ranges).sum(axis=2).argmin(axis=1)
            for some in np.array_split(encoder.encode_points(platform.space, points), 16)
        ]
    )
    target = runs[0].workload
    lessons = _lessons(by_workload, target)
    return System(platform.space, platform.baseline, seconds[nearest], points, lessons, single[nearest])


def _distance_to_one(space: Space, column: str) -> float:
    name = column.partition("=")[0]
    if name != column:
        return 0.5  # two columns differ where labels do
    codes = Encoder([space[name]]).encode([{name: value} for value in space[name].values])
    return float(1.0 / np.ptp(codes))


def _lessons(by_workload: list[list[Measurement]], target: Characteristics) -> Lessons:
    """Return what was measured of other workloads, where the baseline was too."""
    baseline = load_platform("tianhe-lustre").baseline
    rows = [
        Row(workload=_values(m.workload), configuration=m.configuration, objective=_seconds(m))
        for runs in by_workload
        if runs[0].workload != target and any(m.configuration == baseline for m in runs)
        for m in runs
    ]
    return Lessons(parameters=WORKLOAD_PARAMETERS, target=_values(target), rows=tuple(rows))


def _values(workload: Characteristics) -> dict[str, Value]:
    return values_of(workload)


def _seconds(measurement: Measurement) -> float:
    """Return what writing takes at the geometric mean of the bandwidths."""
    bandwidth = float(np.exp(np.log(measurement.bandwidths).mean()))
    return _moved(measurement) / bandwidth


def _moved(measurement: Measurement) -> float:
    return float(measurement.workload.io_processes * measurement.workload.data_size)
