"""Which parameters matter: the effects that the screening found, as factors."""

from __future__ import annotations

import math
from dataclasses import dataclass

from acic.campaign.points import Field
from acic.campaign.screening import screening_rows
from acic.campaign.state import State
from acic.design.effects import ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one parameter does to time, or to cost.

    Args:
        parameter: its name.
        rank: 1 for the largest.
        size: as the campaign ranks by it: the absolute dot product with the logarithm of the results.
        factor: between the two ends of the parameter's range, on average over the screening; at least 1.
    """

    parameter: str
    rank: int
    size: float
    factor: float


def effects_of(state: State, field: Field) -> dict[str, tuple[Effect, ...]]:
    """Return the effects by goal ("time", "cost"), the largest first; empty before the screening is over."""
    if not state.effects:
        return {}
    runs = len(screening_rows(field))
    return {goal: _sorted(sizes, runs) for goal, sizes in state.effects.items()}


def _sorted(sizes: dict[str, float], runs: int) -> tuple[Effect, ...]:
    places = ranks(list(sizes.values())).tolist()
    made = [
        # half of the runs are at either end, so the means there differ by twice the dot product over the runs
        Effect(parameter=name, rank=rank, size=size, factor=math.exp(2 * size / runs))
        for (name, size), rank in zip(sizes.items(), places, strict=True)
    ]
    return tuple(sorted(made, key=lambda e: (e.rank, e.parameter)))
