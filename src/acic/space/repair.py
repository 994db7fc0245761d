"""From any combination of values to valid ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.space.configuration import Configuration, Value
from acic.space.constraint import AtMost, Rule
from acic.space.space import ABSENT, Space, parts_of

Rows = NDArray[np.int8]
_LISTED = 10**6  # combinations that are looked through, where constraints work against one another


def made_valid(space: Space, wanted: Mapping[str, Value]) -> dict[str, Value]:
    """Return a valid combination near `wanted`: what the constraints ask for, put in its place.

    A parameter that applies, but that `wanted` leaves out, takes its first value.

    Raises:
        InvalidInput: the constraints allow nothing, or work against one another in a space too large to look through.
    """
    made = repaired(space, {p.name: wanted.get(p.name, p.low) for p in space.parameters})
    return dict(made) if made is not None else _nearest(space, wanted)


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
    for _ in range(len(space.constraints) + len(space.parameters) + 1):  # a later constraint may undo an earlier one
        values = _applying(space, full)
        if not space.problem(values):
            return Configuration(values) if not keep or values.get(keep) == wanted[keep] else None
        for constraint in space.constraints:
            values = _applying(space, full)  # anew: what one changed may spare what the next would ask for
            if isinstance(constraint, AtMost):
                full |= _in_order(space, constraint, values, keep)
            elif constraint.holds(values):
                full |= _obeying(space, constraint, values)
    return None


def never_valid(space: Space) -> dict[str, tuple[Value, ...]]:
    """Return the listed values that no valid combination has, by parameter.

    Values are ruled out by parameters that constraints tie to theirs, at once or through others: only these are gone
    through, so that a large space costs no more. Where a million combinations are tied together, nothing is told.
    """
    found: dict[str, tuple[Value, ...]] = {}
    apart = Space(space.parameters, tuple(part for one in space.constraints for part in parts_of(one)))
    for part in map(apart.only, map(sorted, _tied(apart))):  # a rule without `when` ties nothing together
        if part.raw_size <= _LISTED:
            for parameter, column in zip(part.parameters, part.enumerate().T, strict=True):
                had = set(column.tolist())
                if lost := tuple(value for i, value in enumerate(parameter.values) if i not in had):
                    found[parameter.name] = lost
    return found


def valid_together(space: Space, names: tuple[str, str]) -> set[tuple[Value, Value]]:
    """Return which values two parameters have together in a valid combination, where both apply.

    Where a million combinations are tied to them, nothing is told.
    """
    tied = set(names).union(*(group for group in _tied(space) if group & set(names)))
    part = space.only(sorted(tied))
    if part.raw_size > _LISTED:
        return set()
    found = (part.configuration(point) for point in part.enumerate())
    return {(one[names[0]], one[names[1]]) for one in found if set(names) <= one.keys()}


def _tied(space: Space) -> list[set[str]]:
    """Return the parameters that constraints are about, those together that they tie to one another."""
    groups: list[set[str]] = []
    for constraint in space.constraints:
        near = [group for group in groups if group & constraint.mentions]
        groups = [group for group in groups if group not in near] + [constraint.mentions.union(*near)]
    return groups


def _applying(space: Space, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return `values` without what does not apply; once that is left out, a rule on it no longer holds.

    Where rules rule out one another (of two parameters, either may apply), the first of them holds.
    """
    rules = [c for c in space.constraints if isinstance(c, Rule) and c.absent]
    made = dict(values)
    for _ in range(len(rules) + 1):  # as many as a chain of them may have, and one that changes nothing
        before = made
        absent = {name for rule in rules if rule.holds(made) for name in rule.absent}
        made = {name: value for name, value in values.items() if name not in absent}
        if made == before:
            return made
    made = dict(values)
    for rule in rules:
        if rule.holds(made):
            made = {name: value for name, value in made.items() if name not in rule.absent}
    return made


def _nearest(space: Space, wanted: Mapping[str, Value]) -> dict[str, Value]:
    points = space.enumerate() if space.raw_size <= _LISTED else np.zeros((0, len(space.parameters)), dtype=np.int8)
    if not len(points):
        raise InvalidInput(f"no valid combination is found near {dict(wanted)}", hint="correct the constraints")
    asked = np.array(
        [p.values.index(wanted[p.name]) if wanted.get(p.name) in p.values else 0 for p in space.parameters]
    )
    return dict(space.configuration(points[(points == asked).sum(axis=1).argmax()]))


def _in_order(space: Space, limit: AtMost, values: Mapping[str, Value], keep: str) -> dict[str, Value]:
    """Return what the limit changes of `values`; neither number, where either does not apply."""
    small, large = values.get(limit.smaller), values.get(limit.larger)
    if not isinstance(small, int | float) or not isinstance(large, int | float) or small <= large:
        return {}
    smaller = [v for v in space[limit.smaller].values if isinstance(v, int | float)]
    larger = [v for v in space[limit.larger].values if isinstance(v, int | float)]
    changes: dict[str, Value] = {}
    if keep != limit.smaller:
        changes[limit.smaller] = max((v for v in smaller if v <= large), default=min(smaller))
    least = small if keep == limit.smaller else min(smaller)
    if keep != limit.larger and large < least:
        changes[limit.larger] = min((v for v in larger if v >= least), default=max(larger))
    return changes


def _obeying(space: Space, rule: Rule, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return what the rule changes of `values`, where it holds: its `then`, and its first value for each of `never`."""
    allowed = {
        name: [value for value in space[name].values if value not in ruled_out]
        for name, ruled_out in rule.never.items()
        if values.get(name) in ruled_out
    }
    return {**{name: fitting[0] for name, fitting in allowed.items() if fitting}, **rule.then}


def obeying_rows(space: Space, rows: Rows, names: Collection[str]) -> Rows:
    """Return `rows` with the parameters `names` moved to the listed values nearest to theirs that the rules allow.

    What limits say, and rules on other parameters, may still be broken.

    Args:
        space: parameters and constraints.
        rows: positions in `parameter.values`, shape (rows, parameters).
        names: of the parameters that may be changed.
    """
    made = rows.copy()
    for rule in (one for one in space.constraints if isinstance(one, Rule)):
        holds = _where(space, made, rule.when)
        for name in {*rule.then, *rule.never} & set(names):
            nearest = _nearest_allowed(space[name].values, rule, name)
            column = made[:, space.names.index(name)]
            told = holds & (column != ABSENT)
            column[told] = nearest[column[told]]
    return made


def _nearest_allowed(values: Sequence[Value], rule: Rule, name: str) -> NDArray[np.int8]:
    """Return, for each of `values`, the position of the nearest that a rule which holds allows."""
    never = rule.never.get(name, ())
    allowed = [i for i, value in enumerate(values) if value not in never]
    wanted = [values.index(rule.then[name])] if name in rule.then else allowed
    if not wanted:
        return np.arange(len(values), dtype=np.int8)
    return np.array([min(wanted, key=lambda one: (abs(one - i), one)) for i in range(len(values))], dtype=np.int8)


def valid_rows(space: Space, rows: Rows) -> Rows:
    """Return the rows that the constraints allow, with what does not apply marked absent.

    Args:
        space: parameters and constraints.
        rows: positions in `parameter.values`, shape (rows, parameters); `ABSENT` where one does not apply.
    """
    rules = [c for c in space.constraints if isinstance(c, Rule)]
    made, absent = rows.copy(), np.zeros(rows.shape, dtype=bool)
    for _ in range(len(rules) + 1):  # one that does not apply makes no other one absent
        before, absent = absent, np.zeros(rows.shape, dtype=bool)
        for rule in rules:
            if rule.absent:
                columns = [space.names.index(name) for name in rule.absent]
                absent[:, columns] |= _where(space, made, rule.when)[:, None]
        made = np.where(absent, ABSENT, rows).astype(np.int8)
        if np.array_equal(before, absent):
            break
    keep = ((made == ABSENT) == absent).all(axis=1) & (absent == before).all(axis=1)
    for constraint in space.constraints:
        if isinstance(constraint, AtMost):
            keep &= ~_exceeds(space, made, constraint)
        else:
            kept = _where(space, made, constraint.then) & ~_ruled_out(space, made, constraint)
            keep &= ~_where(space, made, constraint.when) | kept
    return np.asarray(made[keep])


def _where(space: Space, rows: Rows, values: Mapping[str, Value]) -> NDArray[np.bool_]:
    found = np.ones(len(rows), dtype=bool)
    for name, value in values.items():
        found &= rows[:, space.names.index(name)] == space[name].values.index(value)
    return found


def _ruled_out(space: Space, rows: Rows, rule: Rule) -> NDArray[np.bool_]:
    found = np.zeros(len(rows), dtype=bool)
    for name, values in rule.never.items():
        found |= np.isin(rows[:, space.names.index(name)], [space[name].values.index(value) for value in values])
    return found


def _exceeds(space: Space, rows: Rows, constraint: AtMost) -> NDArray[np.bool_]:
    small, large = (
        np.array([*space[name].values, np.nan], dtype=float)[rows[:, space.names.index(name)]]  # ABSENT finds the NaN
        for name in (constraint.smaller, constraint.larger)
    )
    return np.asarray(small > large)
