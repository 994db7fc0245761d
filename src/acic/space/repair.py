"""From any combination of values to valid ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from acic.space.configuration import Value
from acic.space.constraint import AtMost, Rule
from acic.space.space import ABSENT, Space

Rows = NDArray[np.int8]


def made_valid(space: Space, wanted: Mapping[str, Value]) -> dict[str, Value]:
    """Return the valid combination nearest to `wanted`: what the constraints ask for, put in its place.

    A parameter that applies, but that `wanted` leaves out, takes its first value.
    """
    values = dict(wanted)
    for _ in space.constraints:  # what one constraint puts right, a later one may put wrong
        before = dict(values)
        for constraint in space.constraints:
            if isinstance(constraint, AtMost):
                _lower(space, constraint, values)
            elif _holds(constraint, values):
                values |= constraint.then
        if values == before:
            break
    rules = (c for c in space.constraints if isinstance(c, Rule))
    absent = {name for rule in rules if _holds(rule, values) for name in rule.absent}
    return {p.name: values.get(p.name, p.low) for p in space.parameters if p.name not in absent}


def _lower(space: Space, limit: AtMost, values: dict[str, Value]) -> None:
    small, large = values.get(limit.smaller), values.get(limit.larger)
    if isinstance(small, int | float) and isinstance(large, int | float) and small > large:
        fits = [v for v in space[limit.smaller].values if isinstance(v, int | float) and v <= large]
        values[limit.smaller] = max(fits, default=space[limit.smaller].low)


def _holds(rule: Rule, values: Mapping[str, Value]) -> bool:
    return all(values.get(name) == value for name, value in rule.when.items())


def valid_rows(space: Space, rows: Rows) -> Rows:
    """Return the rows that the constraints allow, with what does not apply marked absent.

    Args:
        space: parameters and constraints.
        rows: positions in `parameter.values`, shape (rows, parameters).
    """
    made = rows.copy()
    keep = np.ones(len(made), dtype=bool)
    for constraint in space.constraints:
        if isinstance(constraint, Rule):
            applies = _where(space, made, constraint.when)
            keep &= ~applies | _where(space, made, constraint.then)
        else:
            keep &= ~_exceeds(space, made, constraint)
    for constraint in space.constraints:
        if isinstance(constraint, Rule) and constraint.absent:
            applies = _where(space, made, constraint.when)
            for name in constraint.absent:
                made[applies, space.names.index(name)] = ABSENT
    return made[keep]


def _where(space: Space, rows: Rows, values: Mapping[str, Value]) -> NDArray[np.bool_]:
    found = np.ones(len(rows), dtype=bool)
    for name, value in values.items():
        found &= rows[:, space.names.index(name)] == space[name].values.index(value)
    return found


def _exceeds(space: Space, rows: Rows, constraint: AtMost) -> NDArray[np.bool_]:
    small, large = (
        np.array(space[name].values, dtype=float)[rows[:, space.names.index(name)]]
        for name in (constraint.smaller, constraint.larger)
    )
    return np.asarray(small > large)
