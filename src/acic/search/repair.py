"""Valid configurations that differ in one value, or are drawn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from acic.space import Configuration, Space, Value, repaired

TRIES = 100  # random wishes that no repair makes valid before there is held to be no valid configuration


def neighbours(space: Space, around: Configuration, name: str, usual: Mapping[str, Value]) -> list[Configuration]:
    """Return `around` with every other listed value of the parameter `name` that can be had.

    The other parameters keep their values, unless the new value alone is not valid and forces others on them. A value
    that those of the others rule out (two servers of NFS) cannot be had.

    Args:
        space: what is valid.
        around: a valid configuration.
        name: the parameter that varies.
        usual: a value for every parameter, for those that did not apply before.
    """
    found = []
    for value in space[name].values:
        if value != around.get(name):
            alone = Configuration({**around, name: value})
            # not repaired where it is valid: a usual value of what does not apply could rule out what does
            whole = alone if not space.problem(alone) else repaired(space, {**usual, **alone}, keep=name)
            found += [whole] if whole is not None else []
    return found


def usual_values(space: Space, baseline: Configuration) -> dict[str, Value]:
    """Return a value for every parameter: the baseline's, or the middle one where it has none."""
    middle = {p.name: p.values[(len(p.values) - 1) // 2] for p in space.parameters}
    return {**middle, **baseline}


def drawn(space: Space, rng: np.random.Generator) -> Configuration | None:
    """Return a valid configuration, not uniformly drawn where there are constraints; None if none is found."""
    for _ in range(TRIES):
        configuration = repaired(space, drawn_values(space, rng))
        if configuration is not None:
            return configuration
    return None


def drawn_values(space: Space, rng: np.random.Generator) -> dict[str, Value]:
    """Return a value for every parameter, drawn uniformly, constraints aside."""
    return {p.name: p.values[int(rng.integers(len(p.values)))] for p in space.parameters}
