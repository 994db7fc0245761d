"""Why one configuration is predicted to beat another: the difference, shared out so that the parts add up to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Goal
from acic.advisor.whatif import Expected, Question, log_improvements
from acic.workloads import Characteristics
from acic.workloads.parameters import WORKLOAD_CONSTRAINTS, WORKLOAD_PARAMETERS, values_of

Floats = NDArray[np.float64]

TYPICAL = 24  # measured workloads that an application's is set against, at most
ORDERS = 2  # for each, and as many reversed: factors lie within 6 % of what 16 give, in half a second
_SEED = 0  # of the orders, so that the same is explained alike each time
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

    One after another takes the application's value in place of that of a measured workload, for up to `TYPICAL` of
    these and in several orders for each, drawn once and for all, each with its reverse. The means of what each changes
    are Shapley values of the logarithm as sampling estimates them, and add up whatever is drawn. Where a mixture has
    more I/O processes than processes, or a request larger than its data, it has as many, or as large a one, as can be.

    Source: Mitchell et al., "Sampling permutations for Shapley value estimation", JMLR 23, 2022 (antithetic sampling).

    Args:
        question: what is asked.
        expected: of the workload.
        places: the covered phases' positions in the workload.
        index: which of the covered phases.
        better: position of the configuration that is explained.
        other: of the one it is compared with.
    """
    own, use = expected.asked[index]
    typical = _typical(question)
    pair = [other, better]
    rate = _rate(question, expected)[pair]
    orders = _orders(len(typical))
    mixtures, ways = _mixtures(own, typical, orders)
    predicted = log_improvements(question.knowledge, mixtures, pair, use)
    log_factor = (predicted[:, 1] - predicted[:, 0] + math.log(rate[0] / rate[1]))[ways]
    changed = np.take_along_axis(np.diff(log_factor, axis=-1), np.argsort(orders), axis=-1).mean(axis=(0, 1))
    improved = expected.forecast.log_improvements[index][pair]
    amounts = expected.forecast.times.phases[index] * rate * np.exp(-improved)
    unit = _log_mean(float(amounts[0]), float(amounts[1]))
    level = float(improved[1] - improved[0] + math.log(rate[0] / rate[1]) - log_factor[0, 0, -1])
    causes = [_cause(name, share, unit) for name, share in zip(_NAMES, changed.tolist(), strict=True)]
    return Character(
        phase=places[index],
        typical=_cause("", float(log_factor[..., 0].mean()), unit),
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


def _typical(question: Question) -> list[Characteristics]:
    """Return measured workloads, evenly taken of all of them in their order."""
    ordered = sorted(question.knowledge.learned.workloads, key=lambda w: tuple(map(str, values_of(w).values())))
    count = min(len(ordered), TYPICAL)
    return [ordered[i * len(ordered) // count] for i in range(count)]


def _orders(workloads: int) -> NDArray[np.int64]:
    """Return in which orders the characteristics are replaced, shape (workloads, 2 * ORDERS, characteristics)."""
    rng = np.random.default_rng(_SEED)
    drawn = rng.permuted(np.tile(np.arange(len(_NAMES)), (workloads, ORDERS, 1)), axis=-1)
    return np.concatenate([drawn, drawn[..., ::-1]], axis=1)


def _mixtures(
    own: Characteristics, others: Sequence[Characteristics], orders: NDArray[np.int64]
) -> tuple[list[Characteristics], NDArray[np.int64]]:
    """Return workloads that take some characteristics of `own` and the rest of one of `others`.

    Returns:
        Every different mixture once; and which of them lie on each way from one of `others` to `own`, shape
        (others, orders, 1 + characteristics).
    """
    ways = np.empty((*orders.shape[:2], len(_NAMES) + 1), dtype=np.int64)
    found: dict[tuple[Any, ...], int] = {}
    for j, other in enumerate(others):
        for k, order in enumerate(orders[j].tolist()):
            mixture = [getattr(other, name) for name in _NAMES]
            ways[j, k, 0] = found.setdefault(_possible(mixture), len(found))
            for step, i in enumerate(order, 1):
                mixture[i] = getattr(own, _NAMES[i])
                ways[j, k, step] = found.setdefault(_possible(mixture), len(found))
    return [Characteristics(**dict(zip(_NAMES, one, strict=True))) for one in found], ways


def _possible(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values with those lowered that another one limits."""
    lowered = list(values)
    for small, large in _LIMITS:
        lowered[small] = min(lowered[small], lowered[large])
    return tuple(lowered)
