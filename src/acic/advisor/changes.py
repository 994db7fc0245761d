"""What each parameter that differs from another configuration is predicted to save: parts of the whole difference."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from acic.advisor.shapley import shares_along, united
from acic.space import Space, Value

Floats = NDArray[np.float64]


class Unit(StrEnum):
    """What differences are told in."""

    SECONDS = "s"
    USD = "USD"


@dataclass(frozen=True, slots=True)
class Change:
    """What changing parameters saves, which count as one because only all of them can be changed.

    Args:
        names: of the parameters.
        before: their values in the configuration compared with; None where one does not apply.
        after: their values in the recommended one.
        saves: in `unit`, < 0 if it costs.
        unit: s, or USD.
    """

    names: tuple[str, ...]
    before: tuple[Value | None, ...]
    after: tuple[Value | None, ...]
    saves: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Changes:
    """The parameters that differ, those that save most first.

    Args:
        parts: they add up to the whole difference.
        possible: how many of the configurations in between can be (both ends included).
        between: how many there are.
    """

    parts: tuple[Change, ...]
    possible: int
    between: int


def by_parameter(
    space: Space, points: NDArray[np.int8], objective: Floats, better: int, other: int, unit: Unit
) -> Changes:
    """Return what each parameter that differs saves.

    They are changed one after another, in every order in which all configurations on the way can be; the mean over
    the orders is what a parameter saves. Parameters that can only be changed together are one.

    Args:
        space: of the configurations.
        points: all candidates, shape (candidates, parameters).
        objective: what is wanted least of, in `unit`, shape (candidates,).
        better: position of the configuration that is explained.
        other: of the one it is compared with.
        unit: s, or USD.
    """
    differing = np.flatnonzero(points[better] != points[other])
    if not len(differing):
        return Changes((), 1, 1)
    candidates = _between(points, points[better], points[other], differing)
    allowed = candidates >= 0
    groups = united(allowed)
    whole = np.array([sum(1 << player for player in group) for group in groups])
    coalitions = np.arange(2 ** len(groups))
    masks = ((coalitions[:, None] >> np.arange(len(groups)) & 1) * whole).sum(axis=1)
    values = objective[candidates[masks]]  # of those that cannot be: anything
    saved = -shares_along(values, allowed[masks])
    parts = []
    for group, saves in zip(groups, saved.tolist(), strict=True):
        columns = [int(differing[player]) for player in group]
        names = tuple(space.names[column] for column in columns)
        before, after = (tuple(space.configuration(points[end]).get(n) for n in names) for end in (other, better))
        parts.append(Change(names, before, after, saves, unit))
    return Changes(tuple(sorted(parts, key=lambda part: -part.saves)), int(allowed.sum()), len(allowed))


def _between(
    points: NDArray[np.int8], better: NDArray[np.int8], other: NDArray[np.int8], differing: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the candidate that each coalition of differing parameters leads to, -1 for none, shape (2**differing,)."""
    coalitions = np.arange(2 ** len(differing))[:, None] >> np.arange(len(differing)) & 1
    same = np.delete(np.arange(len(other)), differing)
    near = np.flatnonzero((points[:, same] == other[same]).all(axis=1))
    position = {points[i, differing].tobytes(): int(i) for i in near}
    wanted = np.where(coalitions == 1, better[differing], other[differing]).astype(np.int8)
    return np.array([position.get(row.tobytes(), -1) for row in wanted])
