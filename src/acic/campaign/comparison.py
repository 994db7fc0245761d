"""Measured improvements: the baseline and others run in turn, round by round, so that a slow hour slows all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from acic.campaign.student import student


@dataclass(frozen=True, slots=True)
class Improvement:
    """The baseline's time (or cost) over another's, above 1 is better, with its 80 % interval; `rounds` behind it."""

    value: float
    low: float
    high: float
    rounds: int


def in_turn(rounds: int, count: int, *, seed: int) -> Iterator[tuple[int, int]]:
    """Yield each round with each of `count` positions, which are in random order within a round."""
    for turn in range(rounds):
        for position in np.random.default_rng([seed, turn]).permutation(count).tolist():
            yield turn, position


def improvement(baseline: Sequence[float | None], other: Sequence[float | None]) -> Improvement | None:
    """Return the improvement from what each round gave of both; None if no round has both.

    The rounds' ratios are pairs, so what slows a whole round cancels out; their mean logarithm has Student's interval.
    A single round tells nothing of its noise: the interval is without ends.

    Args:
        baseline: s or USD of the baseline in each round, None where it failed.
        other: likewise of the other configuration.
    """
    pairs = [(b, o) for b, o in zip(baseline, other, strict=False) if b and o]
    if not pairs:
        return None
    logs = np.log([b / o for b, o in pairs])
    mean, count = float(logs.mean()), len(logs)
    if count == 1:
        return Improvement(math.exp(mean), 0.0, math.inf, 1)
    half = student(count - 1) * float(logs.std(ddof=1)) / math.sqrt(count)
    return Improvement(math.exp(mean), math.exp(mean - half), math.exp(mean + half), count)
