"""Why one configuration is predicted to beat another: the difference, shared out so that the parts add up to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Goal
from acic.advisor.shapley import shares
from acic.advisor.whatif import Expected, Question, log_improvements
from acic.workloads import Characteristics
from acic.workloads.parameters import WORKLOAD_CONSTRAINTS, WORKLOAD_PARAMETERS, values_of

Floats = NDArray[np.float64]

TYPICAL = 24  # measured workloads that an application's is set against, at most
MIXTURES = 4096  # of them and the application's that are predicted, at most: a quarter of a second
ESTIMATED = 512  # the same, where each also has to be estimated from the hardware
_NAMES = tuple(parameter.name for parameter in WORKLOAD_PARAMETERS)
_LIMITS = tuple((_NAMES.index(limit.smaller), _NAMES.index(limit.larger)) for limit in WORKLOAD_CONSTRAINTS)


@dataclass(frozen=True, slots=True)
class Part:
    """What one phase, or anything else that takes time or money, saves.

    Args:
        phase: position in the workload's phases; None for `what` is not I/O.
        what: "I/O", "computing" (and all that no measurement speaks about) or "staging out".
        saves: s (or USD), < 0 if it costs.
    """

    phase: int | None
    what: str
    saves: float


@dataclass(frozen=True, slots=True)
class Cause:
    """What one characteristic makes of a phase's difference.

    Args:
        name: of the characteristic.
        factor: how many times faster (or cheaper) the recommended configuration is because of it.
        saves: s (or USD), < 0 if it costs.
    """

    name: str
    factor: float
    saves: float


@dataclass(frozen=True, slots=True)
class Character:
    """What the characteristics of one phase make of the difference.

    Args:
        phase: position in the workload's phases.
        typical: what the same change makes on average, with workloads that were measured; its name is "".
        measured: how many those are.
        causes: the characteristics, those that matter most first; their factors multiply with the typical one and
            `level` to that of the phase, and what they save adds up to what the phase saves.
        level: what the seconds make of it that the phase took on the baseline (`acic.advisor.level`); its name is "".
    """

    phase: int
    typical: Cause
    measured: int
    causes: tuple[Cause, ...]
    level: Cause

    @property
    def factor(self) -> float:
        """How many times faster (or cheaper) the phase is with the recommended configuration."""
        return math.prod(cause.factor for cause in (self.typical, self.level, *self.causes))

    @property
    def saves(self) -> float:
        """What the phase saves, s (or USD)."""
        return sum(cause.saves for cause in (self.typical, self.level, *self.causes))


def by_part(question: Question, expected: Expected, places: Sequence[int], better: int, other: int) -> tuple[Part, ...]:
    """Return what each phase, and what is not I/O, saves: the parts add up to the difference of the objective.

    Args:
        question: what is asked.
        expected: of the workload.
        places: the covered phases' positions in the workload.
        better: position of the configuration that is explained.
        other: of the one it is compared with.
    """
    pair, forecast = np.array([other, better]), expected.forecast
    rate = _rate(question, expected)[pair]
    seconds = [
        (place, "I/O", own * np.exp(-improved[pair]))
        for place, improved, own in zip(places, forecast.log_improvements, forecast.times.phases, strict=True)
    ]
    rest = [(None, "computing", np.full(2, forecast.times.fixed)), (None, "staging out", forecast.staging[pair])]
    parts = [Part(place, what, float(s[0] * rate[0] - s[1] * rate[1])) for place, what, s in (*seconds, *rest)]
    return tuple(part for part in parts if part.phase is not None or part.saves)


def by_characteristic(
    question: Question,
    expected: Expected,
    places: Sequence[int],
    index: int,
    better: int,
    other: int,
) -> Character:
    """Return what each characteristic of one covered phase makes of what that phase saves.

    Each is given the value of a measured workload instead, alone and in every combination, for up to `TYPICAL`
    measured workloads (fewer where that makes too many mixtures): of the mean logarithms these are the Shapley
    values. Where a mixture has more I/O processes than processes, or a request larger than its data, it has as many,
    or as large a one, as can be.

    Args:
        question: what is asked.
        expected: of the workload.
        places: the covered phases' positions in the workload.
        index: which of the covered phases.
        better: position of the configuration that is explained.
        other: of the one it is compared with.
    """
    own, use = expected.asked[index]
    typical = _typical(question, own)
    pair = [other, better]
    rate = _rate(question, expected)[pair]
    mixtures, masks = _mixtures(own, typical)
    predicted = log_improvements(question.knowledge, mixtures, pair, use)
    log_factor = predicted[:, 1] - predicted[:, 0] + math.log(rate[0] / rate[1])
    values = log_factor[masks].mean(axis=1)  # of each coalition, over the workloads
    improved = expected.forecast.log_improvements[index][pair]
    amounts = expected.forecast.times.phases[index] * rate * np.exp(-improved)
    unit = _log_mean(float(amounts[0]), float(amounts[1]))
    level = float(improved[1] - improved[0] + math.log(rate[0] / rate[1]) - values[-1])
    causes = [_cause(name, share, unit) for name, share in zip(_NAMES, shares(values).tolist(), strict=True)]
    return Character(
        phase=places[index],
        typical=_cause("", float(values[0]), unit),
        measured=len(typical),
        causes=tuple(sorted(causes, key=lambda cause: -abs(cause.saves))),
        level=_cause("", level, unit),
    )


def _cause(name: str, log_factor: float, unit: float) -> Cause:
    return Cause(name, math.exp(log_factor), log_factor * unit)


def _log_mean(one: float, other: float) -> float:
    """Return the logarithmic mean: what a difference of logarithms is to be multiplied by to give the difference.

    Source: Ang, "The LMDI approach to decomposition analysis", Energy Policy 33, 2005.
    """
    return (one - other) / math.log(one / other) if not math.isclose(one, other, rel_tol=1e-9) else one


def _rate(question: Question, expected: Expected) -> Floats:
    """Return what a second of every candidate counts, shape (candidates,): USD/s, or 1 for the goal time."""
    if question.goal is Goal.TIME or expected.forecast.rate is None:
        return np.ones(len(question.knowledge.points))
    return expected.forecast.rate


def _typical(question: Question, own: Characteristics) -> list[Characteristics]:
    """Return measured workloads, evenly taken of all of them in their order, as many as can be mixed with `own`."""
    ordered = sorted(question.knowledge.learned.workloads, key=lambda w: tuple(map(str, values_of(w).values())))
    most = MIXTURES if question.knowledge.prior is None else ESTIMATED
    mixtures = np.mean([2 ** len(_differing(own, other)) for other in ordered])
    count = min(len(ordered), TYPICAL, max(1, int(most / mixtures)))
    return [ordered[i * len(ordered) // count] for i in range(count)]


def _differing(own: Characteristics, other: Characteristics) -> list[int]:
    return [i for i, name in enumerate(_NAMES) if getattr(own, name) != getattr(other, name)]


def _mixtures(
    own: Characteristics, others: Sequence[Characteristics]
) -> tuple[list[Characteristics], NDArray[np.int64]]:
    """Return workloads that take some characteristics of `own` and the rest of one of `others`.

    Returns:
        Every different mixture once; and which of them each coalition of own characteristics is with each other
        workload, shape (2**characteristics, others).
    """
    coalitions = np.arange(2 ** len(_NAMES))
    masks = np.empty((len(coalitions), len(others)), dtype=np.int64)
    found: dict[tuple[Any, ...], int] = {}
    for j, other in enumerate(others):
        made = [[getattr(other, name) for name in _NAMES]]
        places = np.zeros_like(coalitions)
        for bit, i in enumerate(_differing(own, other)):
            made += [[*one[:i], getattr(own, _NAMES[i]), *one[i + 1 :]] for one in made]
            places += (coalitions >> i & 1) << bit
        masks[:, j] = np.array([found.setdefault(_possible(one), len(found)) for one in made])[places]
    return [Characteristics(**dict(zip(_NAMES, one, strict=True))) for one in found], masks


def _possible(values: list[Any]) -> tuple[Any, ...]:
    """Return the values with those lowered that another one limits."""
    for small, large in _LIMITS:
        values[small] = min(values[small], values[large])
    return tuple(values)
