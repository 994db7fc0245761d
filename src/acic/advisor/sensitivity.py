"""How the answer depends on each characteristic: what would change it, and what an error would cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.advisor.answers import answers
from acic.advisor.ranges import Range, label
from acic.advisor.whatif import Question, changed
from acic.space import Configuration, Parameter, Value
from acic.workloads import Access, Quality, Workload
from acic.workloads.parameters import WORKLOAD_PARAMETERS, values_of

FACTORS = (0.5, 2.0)  # the errors of a number that are tried
LEVELS = 12  # measured values of a number that are tried at most, its ends among them


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What today's answer is worth with another value of one characteristic, by prediction.

    Args:
        value: of the characteristic.
        regret: how much more today's answer takes than the best, >= 0; 0.1 is 10 %. Infinite where it would be unsafe.
        changes: whether today's answer no longer ties with the best.
        instead: of those that tie for the best, the one that differs least from today's answer; where nothing that the
            user keeps would be safe, of all that would be.
        improvement: of `instead` over the baseline, in what is minimised.
    """

    value: Value
    regret: float
    changes: bool
    instead: Configuration
    improvement: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """How the answer depends on one characteristic of one phase.

    Args:
        phase: position in the workload's phases; None for what all phases share.
        name: of the characteristic.
        value: as the workload has it.
        quality: how well it is known.
        errors: the value wrong by each of `FACTORS`, or another label.
        unmeasured: errors that lead where nothing was measured, so that nobody can tell.
        levels: other values that were measured, ascending, all but those that it cannot have.
    """

    phase: int | None
    name: str
    value: Value
    quality: Quality
    errors: tuple[WhatIf, ...]
    unmeasured: tuple[Value, ...]
    levels: tuple[WhatIf, ...]

    @property
    def harm(self) -> float:
        """The largest regret of an error, >= 0."""
        return max((error.regret for error in self.errors), default=0.0)

    @property
    def below(self) -> WhatIf | None:
        """The nearest smaller value that changes the answer; None for labels."""
        return next((one for one in reversed(self.levels) if self._is_less(one.value) and one.changes), None)

    @property
    def above(self) -> WhatIf | None:
        """The nearest larger value that changes the answer; None for labels."""
        return next((one for one in self.levels if self._is_more(one.value) and one.changes), None)

    @property
    def others(self) -> tuple[WhatIf, ...]:
        """The labels that change the answer; none for numbers."""
        return () if self.is_numeric else tuple(one for one in self.levels if one.changes)

    @property
    def is_numeric(self) -> bool:
        """Whether there are values between."""
        return _PARAMETERS[self.name].is_numeric

    def onward(self, turn: WhatIf) -> bool:
        """Return whether all that was tried from `turn` on, away from the own value, changes the answer too.

        It is False for labels: none lies beyond another.
        """
        if not self.is_numeric:
            return False
        if self._is_less(turn.value):
            return all(one.changes for one in self.levels if not _less(turn.value, one.value))
        return all(one.changes for one in self.levels if not _less(one.value, turn.value))

    def _is_less(self, value: Value) -> bool:
        return self.is_numeric and _less(value, self.value)

    def _is_more(self, value: Value) -> bool:
        return self.is_numeric and _less(self.value, value)


_PARAMETERS = {parameter.name: parameter for parameter in WORKLOAD_PARAMETERS}


def dependences(
    question: Question, workload: Workload, phases: Sequence[int], today: Configuration
) -> tuple[Dependence, ...]:
    """Return how the answer depends on each characteristic: those whose errors harm most first.

    Args:
        question: what is asked.
        workload: the application.
        phases: positions of the phases to look at.
        today: the configuration that is recommended.
    """
    places: list[tuple[int | None, int, str]] = [(None, phases[0], "processes")]
    places += [(i, i, p.name) for i in phases for p in WORKLOAD_PARAMETERS if p.name != "processes"]
    tried = {(place, name): _Values.of(question, workload, at, _PARAMETERS[name]) for place, at, name in places}
    variants = {
        (place, name, value): changed(workload, place, name, value)
        for (place, name), values in tried.items()
        for value in (*values.levels, *values.errors)
    }
    found = _what_ifs(question, {key: one for key, one in variants.items() if one is not None}, today)
    made = [
        Dependence(
            phase=place,
            name=name,
            value=values_of(workload.phases[at].characteristics)[name],
            quality=workload.phases[at].quality.get(name, Quality.EXACT),
            errors=tuple(found[place, name, v] for v in tried[place, name].errors if (place, name, v) in found),
            unmeasured=tuple(v for v in tried[place, name].unmeasured if changed(workload, place, name, v) is not None),
            levels=tuple(found[place, name, v] for v in tried[place, name].levels if (place, name, v) in found),
        )
        for place, at, name in places
    ]
    return tuple(sorted(made, key=lambda one: -one.harm))  # stable: else by phase and characteristic


@dataclass(frozen=True, slots=True)
class _Values:
    """Values to try for one characteristic."""

    levels: tuple[Value, ...]
    errors: tuple[Value, ...]
    unmeasured: tuple[Value, ...]

    @classmethod
    def of(cls, question: Question, workload: Workload, at: int, parameter: Parameter) -> _Values:
        learned = question.knowledge.learned
        own = values_of(workload.phases[at].characteristics)[parameter.name]
        known = learned.ranges.get(parameter.name) or _anything(parameter)
        if not parameter.is_numeric:
            others = [v for v in parameter.values if v not in (own, str(Access.UNKNOWN))]
            measured = tuple(v for v in others if label(v) in known.labels)
            return cls(measured, measured, tuple(v for v in others if v not in measured))
        wrong = [max(1, round(float(own) * factor)) for factor in FACTORS]
        wrong = [value for value in wrong if value != own]
        return cls(
            _thinned(sorted({getattr(w, parameter.name) for w in learned.workloads} or set(parameter.values)), own),
            tuple(value for value in wrong if known.low <= value <= known.high),
            tuple(value for value in wrong if not known.low <= value <= known.high),
        )


Key = tuple[int | None, str, Value]


def _what_ifs(question: Question, variants: dict[Key, Workload], today: Configuration) -> dict[Key, WhatIf]:
    """Return what each changed workload says, of those that something measured speaks about."""
    knowledge, space = question.knowledge, question.platform.space
    characteristics = (phase.characteristics for one in variants.values() for phase in one.phases)
    knowledge.prepare(c for c in characteristics if knowledge.covers(c))
    point = space.point(today)
    place = int(np.flatnonzero((knowledge.points == point).all(axis=1))[0])
    found = {}
    for key, workload in variants.items():
        if (asked := question.expected(workload)) is None:
            continue
        expected = asked.forecast
        objective, allowed = expected.objective(question.goal), question.allowed
        if not np.isfinite(objective[allowed]).any():  # of what is kept nothing would be safe: what would be
            allowed = np.flatnonzero(np.isfinite(objective))
        least = objective[allowed].min()
        (best,) = answers(expected, allowed, question.goal, 1)
        chosen = _nearest(knowledge.points, best, point)
        found[key] = WhatIf(
            value=key[2],
            regret=float(objective[place] / least - 1.0),
            changes=bool(objective[place] > least * (1 + expected.tolerance)),
            instead=space.configuration(knowledge.points[chosen]),
            improvement=float(objective[expected.baseline] / objective[chosen]),
        )
    return found


def _nearest(points: NDArray[np.int8], group: NDArray[np.intp], point: NDArray[np.int8]) -> int:
    """Return the candidate of a group that differs from `point` in the fewest parameters, then levels; the better."""
    tied = points[group]
    differing, levels = (tied != point).sum(axis=1), np.abs(tied - point).sum(axis=1)
    return int(group[np.lexsort((levels, differing))[0]])


def _thinned(values: list[Any], own: Value) -> tuple[Value, ...]:
    """Return at most `LEVELS` of ascending values, evenly taken, without the own one."""
    others = [value for value in values if value != own]
    if len(others) <= LEVELS:
        return tuple(others)
    return tuple(others[i * (len(others) - 1) // (LEVELS - 1)] for i in range(LEVELS))


def _anything(parameter: Parameter) -> Range:
    """Return the range of a parameter where nothing was measured, and what is known speaks about all of it."""
    if parameter.is_numeric:
        return Range(float(parameter.values[0]), float(parameter.values[-1]), ())
    return Range(0.0, 0.0, tuple(label(value) for value in parameter.values))


def _less(one: Value, other: Value) -> bool:
    return float(one) < float(other)
