"""Valid configurations from wishes: constraints are kept by changing as little as they force."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from acic.space import AtMost, Configuration, Space, Value, applying, obeying

TRIES = 100  # random wishes that no repair makes valid before there is held to be no valid configuration


def repaired(space: Space, wanted: Mapping[str, Value], *, keep: str = "") -> Configuration | None:
    """Return the valid configuration that the constraints make of `wanted`, with listed values where any change.

    Parameters that do not apply are left out; a rule's `then` and `never` are obeyed; of two numbers in the wrong
    order the smaller one is lowered, or else the larger one raised.

    Args:
        space: its constraints.
        wanted: a value for every parameter, also for those that turn out not to apply.
        keep: the parameter that must apply and have the value wanted; "" for none.

    Returns:
        None if it is not valid after as many changes as there are constraints and parameters.
    """
    full = dict(wanted)
    for _ in range(len(space.constraints) + len(space.parameters) + 1):
        values = applying(space, full)
        if not space.problem(values):
            return Configuration(values) if not keep or values.get(keep) == wanted[keep] else None
        for constraint in space.constraints:
            if isinstance(constraint, AtMost):
                _put_in_order(space, constraint, values, full, keep)
            elif constraint.holds(values):
                full |= obeying(space, constraint, values)
    return None


def neighbours(space: Space, around: Configuration, name: str, usual: Mapping[str, Value]) -> list[Configuration]:
    """Return `around` with every other listed value of the parameter `name` that can be had.

    The other parameters keep their values, unless the new value forces others on them. A value that those of the
    others rule out (two servers of NFS) cannot be had.

    Args:
        space: what is valid.
        around: a valid configuration.
        name: the parameter that varies.
        usual: a value for every parameter, for those that did not apply before.
    """
    found = []
    for value in space[name].values:
        if value != around.get(name):
            neighbour = repaired(space, {**usual, **around, name: value}, keep=name)
            found += [neighbour] if neighbour is not None else []
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


def _put_in_order(
    space: Space, constraint: AtMost, values: Mapping[str, Value], full: dict[str, Value], keep: str
) -> None:
    small, large = values.get(constraint.smaller), values.get(constraint.larger)
    if not isinstance(small, int | float) or not isinstance(large, int | float) or small <= large:
        return
    smaller = [v for v in space[constraint.smaller].values if isinstance(v, int | float)]
    larger = [v for v in space[constraint.larger].values if isinstance(v, int | float)]
    if keep != constraint.smaller:
        full[constraint.smaller] = max((v for v in smaller if v <= large), default=min(smaller))
    least = small if keep == constraint.smaller else min(smaller)
    if keep != constraint.larger and large < least:
        full[constraint.larger] = min((v for v in larger if v >= least), default=max(larger))
