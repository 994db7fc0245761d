"""A space: parameters, and the constraints that make a combination valid."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.space.configuration import Configuration, Value
from acic.space.constraint import AtMost, Constraint, Rule
from acic.space.parameter import Parameter

ABSENT = -1  # the index of a parameter that does not apply
LARGEST = 20_000_000  # combinations that are listed: a byte each for every parameter, twice while they are made


@dataclass(frozen=True, slots=True)
class Space:
    """Parameters plus constraints.

    Raises:
        InvalidInput: a name given twice, or a constraint on a parameter or value that is not there.
    """

    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        names = self.names
        if len(set(names)) != len(names):
            raise InvalidInput(f"a parameter is given twice in {list(names)}", hint="rename one")
        for constraint in self.constraints:
            self._check(constraint)

    @property
    def names(self) -> tuple[str, ...]:
        """Parameter names, in the order of columns."""
        return tuple(p.name for p in self.parameters)

    @property
    def raw_size(self) -> int:
        """Combinations before any constraint (the paper's 1,769,472)."""
        return math.prod(len(p.values) for p in self.parameters)

    def __getitem__(self, name: str) -> Parameter:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise InvalidInput(f"there is no parameter {name!r}", hint=f"the parameters are {', '.join(self.names)}")

    def only(self, names: Sequence[str]) -> Space:
        """Return the space of `names` alone, with the constraints that speak of nothing else."""
        kept = set(names)
        return Space(
            tuple(p for p in self.parameters if p.name in kept),
            tuple(c for c in self.constraints if c.mentions <= kept),
        )

    def beside(self, names: Sequence[str], fixed: Mapping[str, Value], *, firm: Collection[str] = ()) -> Space:
        """Return the space of `names` alone, where other parameters are as in `fixed`, which is valid.

        What constraints say of `names` holds on. What they say of others has to give way (`obeyed`), but for those that
        are `firm`: where a rule wants another value of one, or that it does not apply, there is no valid combination.
        """
        kept, stays = set(names), {name: fixed[name] for name in firm}
        told = (_narrowed(constraint, kept, fixed, stays, self) for constraint in self.constraints)
        return Space(tuple(p for p in self.parameters if p.name in kept), tuple(c for c in told if c is not None))

    def obeyed(self, values: Mapping[str, Value], names: Collection[str]) -> dict[str, Value]:
        """Return `values` with what rules say of the parameters `names`: another value, or that they do not apply.

        Raises:
            InvalidInput: a rule leaves one of them no value.
        """
        found = dict(values)
        for rule in self.constraints:
            if isinstance(rule, Rule) and rule.holds(found):
                found |= {name: value for name, value in rule.then.items() if name in names}
                for name in (name for name, never in rule.never.items() if name in names and found.get(name) in never):
                    found[name] = self._first_left(name, rule)
                found = {name: value for name, value in found.items() if name not in rule.absent or name not in names}
        return found

    def check_listable(self) -> None:
        """Refuse what is too large to go through all of it.

        Raises:
            InvalidInput: it is.
        """
        if self.raw_size > LARGEST:
            raise InvalidInput(
                f"the space has {self.raw_size:,} combinations, too many to go through all of them",
                hint=f"leave out parameters or values until there are at most {LARGEST:,}, or use a walk or genetic",
            )

    def enumerate(self) -> NDArray[np.int8]:
        """Return every valid combination once, as positions in `parameter.values`.

        Returns:
            Shape (combinations, parameters); `ABSENT` where a parameter does not apply.

        Raises:
            InvalidInput: there are too many to list.
        """
        self.check_listable()
        points = np.zeros((1, 0), dtype=np.int8)
        parts = [part for constraint in self.constraints for part in parts_of(constraint)]
        last = [self._last_column(part) for part in parts]
        absences = {name: [one for one in parts if isinstance(one, Rule) and name in one.absent] for name in self.names}
        for column, parameter in enumerate(self.parameters):
            lowest = ABSENT if absences[parameter.name] else 0
            levels = np.arange(lowest, len(parameter.values), dtype=np.int8)
            points = np.hstack([np.repeat(points, len(levels), axis=0), np.tile(levels, len(points))[:, None]])
            for part, told in zip(parts, last, strict=True):
                if told == column:  # prune as soon as a part of a constraint can be told
                    points = points[self._keeps(part, points)]
            for name, rules in absences.items():
                if rules and max(map(self._last_column, rules)) == column:
                    points = points[self._absent_for_a_reason(name, rules, points)]
        return points

    def configuration(self, point: NDArray[np.int8]) -> Configuration:
        """Return the values that one row of `enumerate` stands for."""
        pairs = zip(self.parameters, point.tolist(), strict=True)
        return Configuration({p.name: p.values[i] for p, i in pairs if i != ABSENT})

    def point(self, values: Mapping[str, Value]) -> NDArray[np.int8]:
        """Return the row of `enumerate` that `values` stands for, shape (parameters,).

        Raises:
            InvalidInput: a value that its parameter does not list.
        """
        row = []
        for parameter in self.parameters:
            value = values.get(parameter.name)
            if value is not None and value not in parameter.values:
                raise InvalidInput(
                    f"{parameter.name} is not {parameter.text(value)}", hint=f"it is one of {parameter.listed}"
                )
            row.append(ABSENT if value is None else parameter.values.index(value))
        return np.array(row, dtype=np.int8)

    def configurations(self) -> Iterator[Configuration]:
        """Yield every valid combination once."""
        return (self.configuration(point) for point in self.enumerate())

    def problem(self, values: Mapping[str, Value]) -> str:
        """Return why `values` is no valid combination, or "" if it is one.

        A numeric parameter may take any value within its listed range; a label only a listed one.
        """
        names, values = self.names, dict(values)  # a plain one is quicker to ask
        for name in values:
            if name not in names:
                return f"there is no parameter {name!r} (there are {', '.join(names)})"
        told = [c for c in self.constraints if isinstance(c, AtMost) or c.holds(values)]
        absent = {name for c in told if isinstance(c, Rule) for name in c.absent}
        for parameter in self.parameters:
            if parameter.name in absent:
                if parameter.name in values:
                    return f"{parameter.name} does not apply here"
            elif parameter.name not in values:
                return f"{parameter.name} is missing"
            elif complaint := _out_of_range(parameter, values[parameter.name]):
                return complaint
        return next((c for c in (_broken(c, values) for c in told) if c), "")

    def _check(self, constraint: Constraint) -> None:
        for name in constraint.mentions:
            self[name]
        if isinstance(constraint, AtMost):
            for name in (constraint.smaller, constraint.larger):
                if not self[name].is_numeric:
                    raise InvalidInput(f"{name} is not numeric", hint="only numbers can be compared")
            return
        never = ((name, value) for name, values in constraint.never.items() for value in values)
        for name, value in (*constraint.when.items(), *constraint.then.items(), *never):
            if value not in self[name].values:
                raise InvalidInput(f"{name} never is {value!r}", hint=f"it is one of {list(self[name].values)}")

    def _first_left(self, name: str, rule: Rule) -> Value:
        """Return the first value of the parameter that a rule which holds does not rule out."""
        for value in self[name].values:
            if value not in rule.never[name]:
                return value
        raise InvalidInput(
            f"{_condition(rule)}no value of {name} is left",
            hint="rule out what the constraint begins with (`when`) instead, in the platform's file",
        )

    def _last_column(self, constraint: Constraint) -> int:
        return max(self.names.index(name) for name in constraint.mentions)

    def _keeps(self, constraint: Constraint, points: NDArray[np.int8]) -> NDArray[np.bool_]:
        if isinstance(constraint, AtMost):
            small, large = (self._numbers(n, points) for n in (constraint.smaller, constraint.larger))
            return ~(small > large)  # a parameter that does not apply is NaN, and never too large
        keep = np.ones(len(points), dtype=bool)
        for name, value in constraint.then.items():
            keep &= points[:, self.names.index(name)] == self[name].values.index(value)
        for name in constraint.absent:
            keep &= points[:, self.names.index(name)] == ABSENT
        for name, values in constraint.never.items():
            keep &= ~np.isin(points[:, self.names.index(name)], [self[name].values.index(value) for value in values])
        return keep | ~self._where(constraint, points)

    def _absent_for_a_reason(self, name: str, rules: Sequence[Rule], points: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return where the parameter applies, or a rule says that it does not."""
        reason = np.any([self._where(rule, points) for rule in rules], axis=0)
        return np.asarray((points[:, self.names.index(name)] != ABSENT) | reason)

    def _where(self, rule: Rule, points: NDArray[np.int8]) -> NDArray[np.bool_]:
        applies = np.ones(len(points), dtype=bool)
        for name, value in rule.when.items():
            applies &= points[:, self.names.index(name)] == self[name].values.index(value)
        return applies

    def _numbers(self, name: str, points: NDArray[np.int8]) -> NDArray[np.float64]:
        table = np.array([*self[name].values, np.nan], dtype=float)  # ABSENT (-1) finds the NaN
        return table[points[:, self.names.index(name)]]


def parts_of(constraint: Constraint) -> list[Constraint]:
    """Return a rule as rules on one parameter each, which together say the same; a limit as it is."""
    if isinstance(constraint, AtMost):
        return [constraint]
    when = constraint.when
    return [
        *(Rule(when=when, then={name: value}) for name, value in constraint.then.items()),
        *(Rule(when=when, absent=(name,)) for name in constraint.absent),
        *(Rule(when=when, never={name: values}) for name, values in constraint.never.items()),
    ]


def _broken(constraint: Constraint, values: Mapping[str, Value]) -> str:
    """Return what is wrong by a limit, or by a rule that holds."""
    if isinstance(constraint, AtMost):
        small, large = values.get(constraint.smaller), values.get(constraint.larger)
        if isinstance(small, int | float) and isinstance(large, int | float) and small > large:
            return f"{constraint.smaller} ({small}) exceeds {constraint.larger} ({large})"
        return ""
    for name, value in constraint.then.items():
        if values.get(name) != value:
            return f"{_condition(constraint)}{name} must be {value}"
    for name, ruled_out in constraint.never.items():
        if values.get(name) in ruled_out:
            return f"{_condition(constraint)}{name} is never {values[name]}"
    return ""


def _condition(rule: Rule) -> str:
    given = ", ".join(f"{name} {value}" for name, value in rule.when.items())
    return f"with {given}, " if given else ""


def _out_of_range(parameter: Parameter, value: Value) -> str:
    if parameter.is_numeric and isinstance(value, int | float) and not isinstance(value, bool):
        numbers = [v for v in parameter.values if isinstance(v, int | float)]
        if min(numbers) <= value <= max(numbers):
            return ""
        return f"{parameter.name} {value} is outside {min(numbers)} to {max(numbers)}"
    if value in parameter.values:
        return ""
    return f"{parameter.name} is not {value!r} but one of {list(parameter.values)}"


def _narrowed(
    constraint: Constraint,
    kept: Collection[str],
    fixed: Mapping[str, Value],
    stays: Mapping[str, Value],
    space: Space,
) -> Constraint | None:
    """Return what a constraint says of the parameters that are `kept`, where others are fixed; None if nothing.

    Where it breaks what `stays`, of those that are fixed, it says that it must not hold.
    """
    if constraint.mentions <= set(kept):
        return constraint
    if isinstance(constraint, AtMost):
        return _bound(constraint, kept, fixed, space)
    if any(fixed.get(name) != value for name, value in constraint.when.items() if name not in kept):
        return None
    when = {name: value for name, value in constraint.when.items() if name in kept}
    if constraint.breaks(stays):
        *others, (name, value) = when.items()  # there is one at least, as what is fixed is valid
        return Rule(when=dict(others), never={name: (value,)}, why=constraint.why)
    then = {name: value for name, value in constraint.then.items() if name in kept}
    absent = tuple(name for name in constraint.absent if name in kept)
    never = {name: values for name, values in constraint.never.items() if name in kept}
    if not (then or absent or never):
        return None
    return Rule(when=when, then=then, absent=absent, never=never, why=constraint.why)


def _bound(constraint: AtMost, kept: Collection[str], fixed: Mapping[str, Value], space: Space) -> Rule | None:
    """Return that the one parameter of two that is kept may not be beyond the other's value; None where neither is."""
    mine = constraint.smaller if constraint.smaller in kept else constraint.larger
    other = constraint.larger if mine == constraint.smaller else constraint.smaller
    if mine not in kept or (end := fixed.get(other)) is None:
        return None
    sign = 1.0 if mine == constraint.smaller else -1.0
    beyond = tuple(value for value in space[mine].values if sign * float(value) > sign * float(end))
    return Rule(when={}, never={mine: beyond}, why=constraint.why) if beyond else None
