"""Fair shares: how much each of several changes contributes to what all of them do together.

A coalition is a set of players as a bit mask (bit i: player i takes part), and `values[mask]` is what it is worth.
Shares add up to what all are worth more than none; who never makes a difference gets nothing, and who can be
exchanged for another gets the same.

Source: Shapley, "A value for n-person games", 1953. Where not every coalition can be, the mean over all ways that lead
from none to all through those that can: Bilbao & Edelman, "The Shapley value on convex geometries", Discrete Applied
Mathematics 103, 2000. There each step adds one player; here several join together where none could alone, and
share alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def shares(values: Floats) -> Floats:
    """Return each player's Shapley value, shape (players,) or (players, games).

    Args:
        values: of every coalition, shape (2**players,); or of several games, shape (2**players, games).
    """
    players = _players(len(values))
    masks = np.arange(len(values))
    size = _sizes(masks, players)
    weight = np.array([1 / (players * math.comb(players - 1, s)) for s in range(players)])
    found = np.empty((players, *values.shape[1:]))
    for player in range(players):
        without = masks[masks >> player & 1 == 0]
        gained = values[without | 1 << player] - values[without]
        found[player] = np.tensordot(weight[size[without]], gained, axes=1)
    return found


def shares_along(values: Floats, allowed: NDArray[np.bool_]) -> Floats:
    """Return each player's mean share over all ways from none to all that pass through allowed coalitions only.

    Where every coalition is allowed, these are the Shapley values.

    Args:
        values: of every coalition, anything for those that are not allowed, shape (2**players,).
        allowed: which can be; the first (nobody) and the last (all) must, shape (2**players,).
    """
    if allowed.all():
        return shares(values)
    players = _players(len(values))
    larger = {int(mask): _next(int(mask), allowed, players) for mask in np.flatnonzero(allowed)}
    before, after = _ways(larger, len(values) - 1)
    found = np.zeros(players)
    for mask, following in larger.items():
        for other in following:
            passing = before[mask] * after[other] / after[0]
            joined = [player for player in range(players) if (other ^ mask) >> player & 1]
            found[joined] += passing * (values[other] - values[mask]) / len(joined)
    return found


def united(allowed: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return the players in groups that only ever take part together, each by its first player, ascending.

    Args:
        allowed: as in `shares_along`.
    """
    players = _players(len(allowed))
    masks = np.flatnonzero(allowed)
    together: dict[bytes, list[int]] = {}
    for player in range(players):
        together.setdefault((masks >> player & 1).tobytes(), []).append(player)
    return [tuple(group) for group in together.values()]


def _players(coalitions: int) -> int:
    return coalitions.bit_length() - 1


def _sizes(masks: NDArray[np.int64], players: int) -> NDArray[np.int64]:
    return np.asarray((masks[:, None] >> np.arange(players) & 1).sum(axis=1))


def _next(mask: int, allowed: NDArray[np.bool_], players: int) -> list[int]:
    """Return the smallest allowed coalitions that hold `mask` and more: nothing allowed lies between."""
    found: list[int] = []
    reached = {mask}
    while reached:
        larger = {one | 1 << player for one in reached for player in range(players) if not one >> player & 1}
        open_ones = {one for one in larger if not any(one & other == other for other in found)}
        hits = sorted(one for one in open_ones if allowed[one])
        found += hits
        reached = open_ones.difference(hits)
    return found


def _ways(larger: Mapping[int, list[int]], everybody: int) -> tuple[dict[int, float], dict[int, float]]:
    """Return how many ways lead from nobody to each coalition, and from it to everybody."""
    before = dict.fromkeys(larger, 0.0) | {0: 1.0}
    for mask in sorted(larger):  # a part is a smaller number than the whole
        for other in larger[mask]:
            before[other] += before[mask]
    after = dict.fromkeys(larger, 0.0) | {everybody: 1.0}
    for mask in sorted(larger, reverse=True):
        for other in larger[mask]:
            after[mask] += after[other]
    return before, after
