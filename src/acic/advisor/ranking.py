"""Ranking: candidates sorted by what the user wants least of, those that tie shown together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from acic.errors import MissingData
from acic.platforms import Platform
from acic.space import Space, Value

Floats = NDArray[np.float64]

TIE = 0.02  # predictions within 2 % are one answer: two runs of the same thing differ by as much


def tied_groups(objective: Floats, *, tolerance: float = TIE) -> Iterator[NDArray[np.intp]]:
    """Yield the candidates in groups, best (smallest) first.

    A group holds all whose objective exceeds that of its best by at most `tolerance`, relatively.

    Args:
        objective: > 0, shape (candidates,).
        tolerance: relative width of a group.
    """
    order = np.argsort(objective, kind="stable")
    ascending = objective[order]
    start = 0
    while start < len(order):
        end = int(np.searchsorted(ascending, ascending[start] * (1 + tolerance), side="right"))
        yield order[start:end]
        start = end


def pareto_front(time: Floats, cost: Floats) -> NDArray[np.intp]:
    """Return the candidates that none beats in both, fastest first.

    Of several with the same time and cost the first stays.
    """
    order = np.lexsort((cost, time))
    cheapest_before = np.concatenate([[np.inf], np.minimum.accumulate(cost[order])[:-1]])
    return np.asarray(order[cost[order] < cheapest_before])


def representative(
    points: NDArray[np.int8],
    group: NDArray[np.intp],
    baseline: NDArray[np.int8],
    numeric: NDArray[np.bool_],
    other: Floats,
) -> int:
    """Return the candidate to recommend of a group that ties.

    Labels stay the baseline's where they can. Then the other goal decides: nobody wants a second disk that makes
    nothing faster. Then numbers of which all tie stay the baseline's; others are taken from the middle of the tied
    range, away from the edge where the next group begins. Last, labels are those that the platform names first.

    Args:
        points: all candidates, shape (candidates, parameters).
        group: positions of the tied ones.
        baseline: the baseline's point, shape (parameters,).
        numeric: which parameters are numbers, shape (parameters,).
        other: what the other goal wants least of, shape (candidates,).
    """
    if len(group) == 1:
        return int(group[0])
    tied = points[group]
    changed_labels = (tied[:, ~numeric] != baseline[~numeric]).sum(axis=1)
    numbers = tied[:, numeric]
    levels = (np.array([len(np.unique(column)) for column in those.T]) for those in (numbers, points[:, numeric]))
    middle = np.where(np.equal(*levels), baseline[numeric], np.median(numbers, axis=0))
    off_middle = np.abs(numbers - middle).sum(axis=1)
    named_late = tied[:, ~numeric].sum(axis=1)
    return int(group[np.lexsort((named_late, off_middle, other[group], changed_labels))[0]])


def free_values(space: Space, points: NDArray[np.int8], group: NDArray[np.intp]) -> dict[str, tuple[Value | None, ...]]:
    """Return, for each parameter that the tied candidates differ in, the values that occur; None: it does not apply."""
    free: dict[str, tuple[Value | None, ...]] = {}
    for column, parameter in enumerate(space.parameters):
        levels = np.unique(points[group, column])
        if len(levels) > 1:
            free[parameter.name] = tuple(parameter.values[level] if level >= 0 else None for level in levels)
    return free


def rates(platform: Platform, points: NDArray[np.int8], processes: int, price: float | None) -> Floats:
    """Return what every candidate costs, machines and disks, USD/s, shape (candidates,).

    Raises:
        MissingData: the platform has no price, or none above 0, and none was given.
    """
    roles = platform.roles
    paid = (roles.instance, roles.servers, roles.placement, roles.device, roles.devices)
    columns = [platform.space.names.index(role) for role in paid if role]
    kinds, first, inverse = np.unique(points[:, columns], axis=0, return_index=True, return_inverse=True)
    per_kind = [
        platform.cost(platform.space.configuration(points[i]), processes, 1.0, price=price) for i in first[: len(kinds)]
    ]
    if not min(per_kind) > 0:
        hint = "give --price USD_PER_NODE_HOUR, or use --goal time"
        raise MissingData(f"machines of {platform.name} cost nothing, so there is no cost to compare", hint=hint)
    return np.array(per_kind)[inverse.reshape(-1)]
