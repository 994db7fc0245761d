"""What is known of a platform: its candidates, and what was learned about them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from acic.advisor.application import Effect
from acic.advisor.learned import Learned
from acic.advisor.ranges import beyond, in_words, label
from acic.advisor.safety import STALE, at_fault, follows, several_writers
from acic.advisor.staging import Staging, staging_of
from acic.filesystems.inert import inert
from acic.models.protocol import Prediction
from acic.models.registry import INFORMED
from acic.models.twins import beside
from acic.models.words import in_units
from acic.platforms import Platform
from acic.prior import APART, APART_ALIKE, BENCHMARK, Prior, Use, likeness, prior_of, uses_of
from acic.space import Configuration, Space, Value
from acic.store.training import encoder_of, with_workload
from acic.workloads import Characteristics, Workload
from acic.workloads.parameters import WORKLOAD_PARAMETERS

Floats = NDArray[np.float64]

KIND = "file_system"  # the parameter whose values err differently enough to be told apart
UNCERTAIN = 0.1  # a baseline's standard error, in log, that the reader must be told of


class Knowledge:
    """A platform's candidates, and what was learned about them.

    Args:
        platform: whose they are.
        learned: what measurements taught.
        points: to choose from, shape (points, parameters); None for all.
        single: for jobs whose files have one writer each, candidates that are unsafe with several are among them.
    """

    def __init__(
        self, platform: Platform, learned: Learned, points: NDArray[np.int8] | None = None, *, single: bool = False
    ) -> None:
        self.platform = platform
        self.learned = learned
        self.encoder = encoder_of(platform)
        self._all = platform.space.enumerate() if points is None else points
        self._single = single
        wrong = learned.unsafe.always if single else learned.unsafe.all
        self.points = self._all[~at_fault(platform, self._all, wrong)]
        self.baseline = int(np.flatnonzero((self.points == platform.space.point(platform.baseline)).all(axis=1))[0])
        self._system = self.encoder.encode_points(platform.space, self.points)
        self.prior = prior_of(platform) if learned.model in INFORMED else None
        self._kinds = _kinds(platform.space, self.points)
        self._hardware = (
            self.prior.systems([platform.space.configuration(point) for point in self.points]) if self.prior else None
        )
        self._foreseen: dict[tuple[Characteristics, Use], Prediction] = {}

    def among(self, configurations: Iterable[Configuration]) -> Knowledge:
        """Return the same with fewer candidates: those of `configurations`, and the baseline."""
        space = self.platform.space
        kept = {space.point(one).tobytes() for one in (*configurations, self.platform.baseline)}
        mine = np.array([point.tobytes() in kept for point in self._all])
        return Knowledge(self.platform, self.learned, self._all[mine], single=self._single)

    def relearned(self, learned: Learned) -> Knowledge:
        """Return the same candidates with something else learned of them; what hardware says is not told anew.

        Args:
            learned: of the same unsafe configurations, with a prior or without as before.
        """
        made = copy(self)
        made.learned, made._foreseen = learned, {}
        vars(made).pop("_steady", None)
        if self.learned.unsafe.shared and not self._single:
            vars(made)["_of_single"] = self._of_single.relearned(learned)
        return made

    def safe_for(self, workload: Workload) -> Knowledge:
        """Return the same with the candidates that are safe for `workload`: some are where files have one writer."""
        if not self.learned.unsafe.shared or self._single == (single := not several_writers(workload)):
            return self
        return self._of_single if single else Knowledge(self.platform, self.learned, self._all)

    def unsafe_for(self, workload: Workload) -> NDArray[np.bool_] | None:
        """Return which candidates would give back wrong bytes to `workload`, shape (candidates,); None for none."""
        return self.for_single if self._single and several_writers(workload) else None

    def steady_for(self, workload: Workload) -> Knowledge:
        """Return the same without what is `STALE` if `workload` follows files that grow, unless the baseline is."""
        return self._steady if follows(workload) else self

    def inert(self, workload: Workload) -> tuple[str, ...]:
        """Return the parameters that `workload` takes no notice of."""
        return inert(self.platform, [phase.characteristics for phase in workload.phases])

    def fitting(self, workload: Workload, kept: Iterable[str] = ()) -> Knowledge:
        """Return the same without candidates that differ from the baseline in what is `inert` for `workload`.

        What is `kept` as a user wants it may differ all the same.
        """
        return self.as_baseline(set(self.inert(workload)).difference(kept))

    def having(self, values: Mapping[str, Value]) -> NDArray[np.bool_]:
        """Return which candidates have all of these values, shape (candidates,)."""
        space, found = self.platform.space, np.ones(len(self.points), dtype=bool)
        for name, value in values.items():
            listed = space[name].values
            found &= value in listed and self.points[:, space.names.index(name)] == listed.index(value)
        return found

    def as_baseline(self, names: Iterable[str]) -> Knowledge:
        """Return the same with only the candidates that have the baseline's values of these parameters."""
        space = self.platform.space
        columns = [space.names.index(name) for name in names if name in space.names]
        same = (self._all[:, columns] == self.points[self.baseline, columns]).all(axis=1)
        return self if same.all() else Knowledge(self.platform, self.learned, self._all[same], single=self._single)

    def safety_notes(self) -> list[str]:
        """Return what the reader must know of what is hardly believed, does not fit, or gave back wrong bytes."""
        notes = list(self.learned.doubts)
        unsafe = self.learned.unsafe.all
        if self.platform.baseline in unsafe:
            notes.append(
                f"The baseline of {self.platform.name} gave back other bytes than were written: find out why before "
                "you trust any file there."
            )
        unsafe = (self.learned.unsafe.always if self._single else unsafe) - {self.platform.baseline}
        if unsafe:
            notes.append(
                f"{len(unsafe)} configurations gave back other bytes than were written: they are left out, and so is "
                "what differs from them in hardware alone."
            )
        return notes

    @cached_property
    def for_single(self) -> NDArray[np.bool_]:
        """Which candidates are right where each file has one writer, and not elsewhere, shape (candidates,)."""
        return at_fault(self.platform, self.points, self.learned.unsafe.shared)

    @cached_property
    def other_file_system(self) -> NDArray[np.bool_]:
        """Which candidates have another file system than the baseline, shape (candidates,)."""
        return np.asarray(self._kinds != self._kinds[self.baseline])

    @cached_property
    def staging(self) -> Staging:
        """How the candidates hand over what must outlive a run."""
        return staging_of(self.platform, self.points)

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
        predicted = foreseen or self._predicted(self._joined(workload, use=use))
        mean = predicted.mean.copy()
        seen = workload in self.learned.known_well
        low, high = self.learned.errors.interval(predicted, self._kinds, seen=seen)
        if self.prior and self.learned.measurements and likeness(use) < 1.0:
            own = np.where(self.other_file_system, APART, APART_ALIKE)
            low, high = mean - np.hypot(mean - low, own), mean + np.hypot(high - mean, own)
        mean[self.baseline] = low[self.baseline] = high[self.baseline] = 0.0  # by definition
        return Effect(mean, low, high)

    def foresee(self, asked: Sequence[tuple[Characteristics, Use]]) -> None:
        """Predict at once what `effect` will be asked for: with few candidates one takes as long as many."""
        if not (distinct := tuple(dict.fromkeys(asked))):
            return
        rows = np.concatenate([self._joined(workload, use=use) for workload, use in distinct])
        found = self._predicted(rows)
        parts = (np.split(one, len(distinct)) for one in (found.mean, found.spread))
        self._foreseen = {key: Prediction(m, s) for key, m, s in zip(distinct, *parts, strict=True)}

    def outside(self, workload: Characteristics) -> list[str]:
        """Return how `workload` lies outside of what was measured, one sentence each."""
        if not self.learned.measurements:
            return [f"nothing was measured on {self.platform.name}: this rests on what its hardware is alone"]
        found = []
        for p in WORKLOAD_PARAMETERS:
            value = getattr(workload, p.name)
            if sentence := beyond(p, value, self.learned.ranges[p.name], name=in_words(p.name)):
                left_out = value in {getattr(one, p.name) for one in self.learned.unheard}
                found.append(f"{sentence} by those who are trusted" if left_out else sentence)
        return found

    def outside_system(self, configuration: Configuration) -> list[str]:
        """Return how `configuration` lies outside of what was measured, one sentence each."""
        known = self.learned.systems
        found = (
            beyond(p, configuration.get(p.name), known[p.name], name=p.name)
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
        seconds = workload.total_bytes / math.exp(self.learned.baselines.log_bandwidth_of(workload))
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
            left_out = workload in self.learned.unheard
            notes.append(
                f"The baseline was {'' if left_out else 'not '}measured with the {workload.operation}s of just this "
                f"workload{' by nobody who is trusted' if left_out else ''}; "
                f"its bandwidth comes from the {estimate.neighbours} nearest."
            )
        if (wrong := self.learned.errors.baseline) > UNCERTAIN:
            uncertain = (
                f"uncertain by a factor of {math.exp(wrong):.1f}" if math.isfinite(wrong) else "as good as unknown"
            )
            notes.append(
                "Most of what was measured here has no baseline of its own, or one whose runs differ: those that "
                f"improvements are told over are {uncertain}, which the intervals include."
            )
        return notes

    def why(self, workload: Characteristics, candidate: int, use: Use) -> list[str]:
        """Return the reasons for a candidate's prediction in words, most important first; arguments as of `effect`."""
        row = self._joined(workload, np.array([candidate]), use)
        reasons = self.learned.predictor.explain(row[0], in_units(self.encoder.parameters))
        limits = self.limits(workload, candidate, use)
        return [limits, *reasons] if limits else reasons

    def limits(self, workload: Characteristics, candidate: int, use: Use) -> str:
        """Return in words what limits a candidate and the baseline; "" where the hardware is not known."""
        if self.prior is None:
            return ""
        return self.prior.why(workload, self.platform.space.configuration(self.points[candidate]), use)

    @cached_property
    def _of_single(self) -> Knowledge:
        return Knowledge(self.platform, self.learned, self._all, single=True)

    @cached_property
    def _steady(self) -> Knowledge:
        kept = ~np.isin(_kinds(self.platform.space, self._all), STALE)
        if kept.all() or self._kinds[self.baseline] in STALE:
            return self
        return Knowledge(self.platform, self.learned, self._all[kept], single=self._single)

    @property
    def _unmeasured(self) -> Prior | None:
        """The prior, where it is all there is."""
        return None if self.learned.measurements else self.prior

    def _predicted(self, rows: Floats) -> Prediction:
        """Return the prediction of every candidate for one workload after the other, rows as of `_joined`."""
        count = len(self.points)
        return beside(self.learned.predictor, rows, np.repeat(rows[self.baseline :: count], count, axis=0))

    def _joined(
        self, workload: Characteristics, candidates: NDArray[np.intp] | None = None, use: Use = BENCHMARK
    ) -> Floats:
        rows = with_workload(self.encoder, self._system if candidates is None else self._system[candidates], workload)
        if self.prior is None or self._hardware is None:
            return rows
        prior = self.prior.view(workload, self._hardware, use)
        return np.column_stack([rows, prior if candidates is None else prior[candidates]])


def _kinds(space: Space, points: NDArray[np.int8]) -> NDArray[np.str_]:
    """Return the value of `KIND` of each point, "" where it has none, shape (points,)."""
    if KIND not in space.names:
        return np.full(len(points), "")
    labels = np.array([*map(str, space[KIND].values), ""])  # the last is that of `ABSENT`
    return np.asarray(labels[points[:, space.names.index(KIND)]])
