"""What is known of a platform: a fitted model, its errors, the baselines, and the range that was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from acic.advisor.application import Effect
from acic.advisor.safety import at_fault
from acic.models.calibration import Calibration
from acic.models.protocol import Prediction, Predictor
from acic.models.registry import INFORMED
from acic.models.words import in_units
from acic.platforms import Platform
from acic.prior import APART, APART_ALIKE, BENCHMARK, Prior, Use, likeness, prior_of, uses_of
from acic.space import Configuration, Encoder, Parameter, Value
from acic.store.baselines import Baselines
from acic.units import format_bytes
from acic.workloads import Access, Characteristics, Workload
from acic.workloads.parameters import WORKLOAD_PARAMETERS, values_of

Floats = NDArray[np.float64]
Kinds = NDArray[np.str_]

KIND = "file_system"  # the parameter whose values err differently enough to be told apart
UNCERTAIN = 0.1  # a baseline's standard error, in log, that the reader must be told of
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


@dataclass(frozen=True, slots=True)
class Range:
    """What was measured of one characteristic, on configurations other than the baseline: ends, or labels."""

    low: float
    high: float
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What measurements taught, as it is cached.

    Args:
        model: the model's name.
        predictor: fitted on all rows.
        errors: of the model, on data it had not seen.
        workloads: those that were measured on more than the baseline.
        baselines: the measured baselines.
        ranges: what was measured, by characteristic.
        systems: the same by parameter of the platform; without those that no measurement has.
        noise: median relative spread of repetitions.
        measurements: rows learned from.
        unsafe: configurations that gave back other bytes than were written; never recommended (`acic.advisor.safety`).
        doubts: contributors who are hardly believed, one sentence each.
    """

    model: str
    predictor: Predictor
    errors: Errors
    workloads: frozenset[Characteristics]
    baselines: Baselines
    ranges: Mapping[str, Range]
    noise: float
    measurements: int
    unsafe: frozenset[Configuration] = frozenset()
    doubts: tuple[str, ...] = ()
    systems: Mapping[str, Range] = field(default_factory=dict)


class Knowledge:
    """A platform's candidates, and what was learned about them."""

    def __init__(self, platform: Platform, learned: Learned, points: NDArray[np.int8] | None = None) -> None:
        self.platform = platform
        self.learned = learned
        self.encoder = encoder_of(platform)
        self.points = _safe(platform, learned) if points is None else points
        self.baseline = int(np.flatnonzero((self.points == platform.space.point(platform.baseline)).all(axis=1))[0])
        self._system = self.encoder.encode_points(platform.space, self.points)
        self.prior = prior_of(platform) if learned.model in INFORMED else None
        configurations = [platform.space.configuration(point) for point in self.points]
        self._kinds = np.array([str(one.get(KIND, "")) for one in configurations])
        self._hardware = self.prior.systems(configurations) if self.prior else None
        self._foreseen: dict[tuple[Characteristics, Use], Prediction] = {}

    def among(self, configurations: Iterable[Configuration]) -> Knowledge:
        """Return the same with fewer candidates: those of `configurations`, and the baseline."""
        space = self.platform.space
        kept = {space.point(one).tobytes() for one in (*configurations, self.platform.baseline)}
        mine = np.array([point.tobytes() in kept for point in self.points])
        return Knowledge(self.platform, self.learned, self.points[mine])

    def fitting(self, workload: Workload) -> Knowledge:
        """Return the same without candidates that differ in what `workload` takes no notice of: hints, off MPI-IO."""
        if not self.platform.hints or any(one.characteristics.interface.on_mpi_io for one in workload.phases):
            return self
        names = self.platform.space.names
        hints = [names.index(name) for name in self.platform.hints]
        same = (self.points[:, hints] == self.points[self.baseline, hints]).all(axis=1)
        return self if same.all() else Knowledge(self.platform, self.learned, self.points[same])

    def safety_notes(self) -> list[str]:
        """Return what the reader must know of who is hardly believed, and of configurations that gave wrong bytes."""
        notes = list(self.learned.doubts)
        if self.platform.baseline in self.learned.unsafe:
            notes.append(
                f"The baseline of {self.platform.name} gave back other bytes than were written: find out why before "
                "you trust any file there."
            )
        if others := len(self.learned.unsafe - {self.platform.baseline}):
            notes.append(
                f"{others} configurations gave back other bytes than were written: they are left out, and so is what "
                "differs from them in hardware alone."
            )
        return notes

    def uses(self, workload: Workload, *, elsewhere: bool = False) -> list[Use]:
        """Return what is known of each phase of `workload` beside its characteristics.

        Args:
            workload: the application.
            elsewhere: its log is not of the platform's baseline, so that its seconds tell nothing.
        """
        found = uses_of(workload)
        if self.prior is None or elsewhere or workload.run_seconds is None or workload.io_share is None:
            return found
        phases = [(phase.characteristics, use) for phase, use in zip(workload.phases, found, strict=True)]
        return self.prior.heard(phases, workload.run_seconds * workload.io_share)

    def covers(self, workload: Characteristics) -> bool:
        """Return whether configurations other than the baseline were measured in this direction, or need not be."""
        return not self.learned.measurements or label(workload.operation) in self.learned.ranges["operation"].labels

    def effect(self, workload: Characteristics, use: Use = BENCHMARK) -> Effect:
        """Return the predicted log improvement of every candidate for `workload`, with its 80 % interval.

        It is wider where an application is not run as benchmarks are, from whose errors intervals come.

        Args:
            workload: its nine characteristics, and the access pattern.
            use: what else is known of it; only priors have a use for it.
        """
        foreseen = self._foreseen.get((workload, use))
        predicted = foreseen or self.learned.predictor.predict(self._joined(workload, use=use))
        mean = predicted.mean.copy()
        known = workload in self.learned.workloads
        low, high = self.learned.errors.interval(predicted, self._kinds, seen=known)
        if self.prior and self.learned.measurements and likeness(workload, use) < 1.0:
            own = np.where(self._kinds == self._kinds[self.baseline], APART_ALIKE, APART)
            low, high = mean - np.hypot(mean - low, own), mean + np.hypot(high - mean, own)
        mean[self.baseline] = low[self.baseline] = high[self.baseline] = 0.0  # by definition
        return Effect(mean, low, high)

    def foresee(self, asked: Sequence[tuple[Characteristics, Use]]) -> None:
        """Predict at once what `effect` will be asked for: with few candidates one takes as long as many."""
        if not (distinct := tuple(dict.fromkeys(asked))):
            return
        rows = np.concatenate([self._joined(workload, use=use) for workload, use in distinct])
        found = self.learned.predictor.predict(rows)
        parts = (np.split(one, len(distinct)) for one in (found.mean, found.spread))
        self._foreseen = {key: Prediction(m, s) for key, m, s in zip(distinct, *parts, strict=True)}

    def outside(self, workload: Characteristics) -> list[str]:
        """Return how `workload` lies outside of what was measured, one sentence each."""
        if not self.learned.measurements:
            return [f"nothing was measured on {self.platform.name}: this rests on what its hardware is alone"]
        found = (_beyond(p, getattr(workload, p.name), self.learned.ranges[p.name]) for p in WORKLOAD_PARAMETERS)
        return [sentence for sentence in found if sentence]

    def outside_system(self, configuration: Configuration) -> list[str]:
        """Return how `configuration` lies outside of what was measured, one sentence each."""
        known = self.learned.systems
        found = (
            _beyond(p, configuration.get(p.name), known[p.name])
            for p in self.platform.space.parameters
            if p.name in known
        )
        return [sentence for sentence in found if sentence]

    def baseline_seconds(self, workload: Characteristics, use: Use = BENCHMARK) -> float:
        """Return the seconds that the baseline needs for `workload`, from its bytes and bandwidth.

        How it is used makes the difference that a prior expects, where there is one.
        """
        if self._unmeasured is not None:
            return float(self._unmeasured.seconds(workload, self._unmeasured.baseline, use)[0])
        seconds = workload.total_bytes / math.exp(self.learned.baselines.estimate(workload).log_bandwidth)
        if self.prior is None or use == BENCHMARK:
            return seconds
        mine, usual = (self.prior.seconds(workload, self.prior.baseline, one)[0] for one in (use, BENCHMARK))
        return seconds * float(mine / usual)

    def baseline_notes(self, workload: Characteristics) -> list[str]:
        """Return what the reader must know of the baseline's own bandwidth for `workload`."""
        if self._unmeasured is not None:
            return [
                f"No measurement of {self.platform.name} is behind this: all comes from the hardware in its file. "
                "Intervals assume that such a model is right within a factor of "
                f"{math.exp(self.learned.errors.new[1]):.2g}, four times in five."
            ]
        estimate = self.learned.baselines.estimate(workload)
        notes = []
        if not estimate.exact:
            notes.append(
                f"The baseline was not measured with the {workload.operation}s of just this workload; "
                f"its bandwidth comes from the {estimate.neighbours} nearest."
            )
        if self.learned.errors.baseline > UNCERTAIN:
            notes.append(
                "Most of what was measured here has no baseline of its own: those that improvements are told over are "
                f"uncertain by a factor of {math.exp(self.learned.errors.baseline):.1f}, which the intervals include."
            )
        return notes

    def why(self, workload: Characteristics, candidate: int) -> list[str]:
        """Return the reasons for a candidate's prediction in words, most important first."""
        row = self._joined(workload, np.array([candidate]))
        reasons = self.learned.predictor.explain(row[0], in_units(self.encoder.parameters))
        if self.prior is None:
            return reasons
        return [self.prior.why(workload, self.platform.space.configuration(self.points[candidate])), *reasons]

    @property
    def _unmeasured(self) -> Prior | None:
        """The prior, where it is all there is."""
        return None if self.learned.measurements else self.prior

    def _joined(
        self, workload: Characteristics, candidates: NDArray[np.intp] | None = None, use: Use = BENCHMARK
    ) -> Floats:
        rows = with_workload(self.encoder, self._system if candidates is None else self._system[candidates], workload)
        if self.prior is None or self._hardware is None:
            return rows
        prior = self.prior.view(workload, self._hardware, use)
        return np.column_stack([rows, prior if candidates is None else prior[candidates]])


def _safe(platform: Platform, learned: Learned) -> NDArray[np.int8]:
    points = platform.space.enumerate()
    return points[~at_fault(platform, points, learned.unsafe)]


def _beyond(parameter: Parameter, value: Value | None, known: Range) -> str:
    """Return how `value` lies outside of what was measured; "" if it does not, or does not apply."""
    if value is None:
        return ""
    if not parameter.is_numeric:
        beyond = label(value) not in (*known.labels, Access.UNKNOWN)
        return f"{_words(parameter.name)} {label(value)}: measured was {', '.join(known.labels)}" if beyond else ""
    if known.low <= float(value) <= known.high:
        return ""
    span = _text(parameter, known.low)
    if known.high > known.low:
        span += f" to {_text(parameter, known.high)}"
    return f"{_words(parameter.name)} of {_text(parameter, float(value))}: measured was {span}"


def with_workload(encoder: Encoder, system: Floats, workload: Characteristics) -> Floats:
    """Return encoded configurations with the columns of a workload, shape (configurations, columns)."""
    rows, own = system.copy(), encoder.encode([values_of(workload)])[0]
    for parameter in WORKLOAD_PARAMETERS:
        columns = encoder.columns_of(parameter.name)
        rows[:, columns] = own[columns]
    return rows


def encoder_of(platform: Platform) -> Encoder:
    """Return the encoder of the platform's parameters together with the workload's."""
    return Encoder((*platform.space.parameters, *WORKLOAD_PARAMETERS))


def _words(name: str) -> str:
    return name.replace("_", " ").replace("io ", "I/O ")


def label(value: object) -> str:
    """Return a characteristic's value as people read it."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _text(parameter: Parameter, value: float) -> str:
    return format_bytes(value) if parameter.unit == "B" else f"{value:g}"
