"""Which configurations the ground truth is measured on: all of them, or a part in which every value has its share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.platforms import Platform
from acic.space import Configuration, Space, Value


def balanced_with(
    platform: Platform,
    only: Mapping[str, Value],
    count: int,
    *,
    seed: int,
    among: Collection[Configuration] | None = None,
) -> list[Configuration]:
    """Return `count` configurations of `platform`, drawn so that every value has its share, the baseline first.

    Args:
        platform: whose they are.
        only: values that all have (an instance type), but for the baseline, which nothing can be compared without.
        count: how many; all where there are no more.
        seed: of the draw.
        among: only these; None for all.

    Raises:
        InvalidInput: there is none.
    """
    allowed = [c for c in platform.space.configurations() if all(c.get(k) == v for k, v in only.items())]
    if not allowed:
        raise InvalidInput(
            f"no configuration of {platform.name} has {', '.join(f'{k}={v}' for k, v in only.items())}",
            hint="ask for less",
        )
    if among is not None and not (allowed := [c for c in allowed if c in among]):
        raise InvalidInput("none of these configurations was measured there", hint="give another file: --among")
    return balanced(platform.space, allowed, count, first=platform.baseline, rng=np.random.default_rng(seed))


def balanced(
    space: Space, among: Sequence[Configuration], count: int, *, first: Configuration, rng: np.random.Generator
) -> list[Configuration]:
    """Return `count` configurations in an order of which every beginning is balanced.

    Each next one is that whose values, and pairs of values, were taken least often so far, counted against how often
    they could have been: a value that few configurations have (one server of NFS) is not lost in a draw.

    Args:
        space: of the configurations.
        among: those to draw from.
        count: how many; all where there are no more.
        first: the baseline, which nothing can be compared without.
        rng: breaks ties.
    """
    left = [c for c in dict.fromkeys(among) if c != first]
    rng.shuffle(left)
    features = _features(space, [first, *left])
    weight = 1.0 / features.sum(axis=0).clip(1)  # what is rare counts as much as what is common
    taken = [0]
    counts = features[0] * weight
    open_ = np.ones(len(features), dtype=bool)
    open_[0] = False
    for _ in range(min(count, len(features)) - 1):
        had = (features * counts).sum(axis=1) / features.sum(axis=1)
        chosen = int(np.where(open_, had, np.inf).argmin())
        open_[chosen] = False
        counts = counts + features[chosen] * weight
        taken.append(chosen)
    everything = [first, *left]
    return [everything[i] for i in taken]


def _features(space: Space, configurations: Sequence[Configuration]) -> NDArray[np.float64]:
    """Return which values, and which pairs of values, each configuration has: shape (configurations, pairs)."""
    rows = np.array([space.point(c) for c in configurations])
    codes, columns = [], []
    for column, parameter in enumerate(space.parameters):
        for level in range(-1, len(parameter.values)):
            codes.append(rows[:, column] == level)
            columns.append(column)
    singles = np.array(codes).T
    several = singles.any(axis=0) & ~singles.all(axis=0)  # what all have, or none, tells nothing
    singles = singles[:, several]
    kinds = np.array(columns)[several]
    first, second = (a.ravel() for a in np.meshgrid(np.arange(len(kinds)), np.arange(len(kinds)), indexing="ij"))
    keep = (first <= second) & ((kinds[first] != kinds[second]) | (first == second))
    pairs = singles[:, first[keep]] & singles[:, second[keep]]
    return np.asarray(pairs[:, pairs.any(axis=0)], dtype=float)
