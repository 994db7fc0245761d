"""Which parameters matter: the effects that the screening found, as factors."""

from __future__ import annotations

import math
from dataclasses import dataclass

from acic.campaign.points import Field
from acic.campaign.screening import screening_rows
from acic.campaign.state import Stage, State
from acic.design.effects import ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one parameter does to time, or to cost.

    Args:
        parameter: its name.
        rank: 1 for the largest.
        size: as the campaign ranks by it: the absolute dot product with the logarithm of the results.
        factor: between the two ends of the parameter's range, on average over the runs that gave a figure; at least 1.
    """

    parameter: str
    rank: int
    size: float
    factor: float


def effects_of(state: State, field: Field) -> dict[str, tuple[Effect, ...]]:
    """Return the effects by goal ("time", "cost"), the largest first; empty before the screening is over."""
    counted = screening_of(state, field)
    if counted is None:
        return {}
    return {goal: _sorted(sizes, counted[0]) for goal, sizes in state.effects.items()}


def screening_of(state: State, field: Field) -> tuple[int, int] | None:
    """Return how many runs of the screening's design gave a figure, and how many it has; None before it is over."""
    if not state.effects:
        return None
    measured = {p.row.tobytes() for p in state.progress if p.stage is Stage.SCREENING and p.bandwidths}
    rows = [row.tobytes() for row in screening_rows(field)]  # constraints make some alike
    return sum(row in measured for row in rows), len(rows)


def _sorted(sizes: dict[str, float], known: int) -> tuple[Effect, ...]:
    places = ranks(list(sizes.values())).tolist()
    made = [
        # half of the runs are at either end, so the means there differ by twice the dot product over the runs; those
        # that failed took the mean (`parameter_effects`), and add nothing to it
        Effect(parameter=name, rank=rank, size=size, factor=math.exp(2 * size / max(known, 1)))
        for (name, size), rank in zip(sizes.items(), places, strict=True)
    ]
    return tuple(sorted(made, key=lambda e: (e.rank, e.parameter)))
