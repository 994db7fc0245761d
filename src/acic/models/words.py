"""Conditions on encoded columns, in words.

Models know columns and numbers only. Whoever knows the parameters hands them a `Describe`:
`plain` repeats the numbers, `in_units(parameters)` turns them back into sizes, counts and labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from acic.space import ABSENT_CODE, Parameter, Scale
from acic.units import format_bytes, format_number

# (column, relation, number) -> words, with the relation one of "<=", ">" and "=";
# e.g. ("stripe_size", ">", 26.58) -> "stripe_size > 96 MiB"
Describe = Callable[[str, str, float], str]
_ROUNDING = 1e-5  # of a split's place: trees see codes, below 64, in single precision


def plain(column: str, relation: str, number: float) -> str:
    """Return a condition on a column as it is encoded; one-hot columns (`name=value`) are read as labels."""
    name, is_label, label = column.partition("=")
    if is_label:
        return f"{name} is {label}" if _says_yes(relation, number) else f"{name} is not {label}"
    return f"{column} {relation} {number:.4g}"


def in_units(parameters: Sequence[Parameter]) -> Describe:
    """Return a `Describe` that speaks of columns in the units and labels of `parameters`."""
    known = {parameter.name: parameter for parameter in parameters}

    def describe(column: str, relation: str, number: float) -> str:
        parameter = known.get(column)
        if parameter is None:
            return plain(column, relation, number)
        if number == ABSENT_CODE and relation == "=":
            return f"{column} does not apply"
        if parameter.is_numeric:
            return _numeric(parameter, relation, number)
        return _positions(parameter, relation, number)

    return describe


def _says_yes(relation: str, number: float) -> bool:
    return relation == ">" or (relation == "=" and number > 0.5)


def _numeric(parameter: Parameter, relation: str, number: float) -> str:
    codes = [float(v) for v in parameter.values if not isinstance(v, str)]
    if parameter.scale is Scale.LOG:
        codes = [math.log2(v) for v in codes]
    if relation != "=" and number < min(codes) and number <= (ABSENT_CODE + max(codes)) / 2 + _ROUNDING:
        # a split this low parts the rows where the parameter applies from those where it does not
        return f"{parameter.name} {'applies' if relation == '>' else 'does not apply'}"
    value = 2.0**number if parameter.scale is Scale.LOG else number
    if relation != "=" and not parameter.unit and all(isinstance(v, int) for v in parameter.values):
        value = math.floor(value)  # of whole numbers, "> 1" says the same as "> 1.41"
    text = format_bytes(value) if parameter.unit == "B" else f"{format_number(value)} {parameter.unit}".rstrip()
    return f"{parameter.name} {relation} {text}"


def _positions(parameter: Parameter, relation: str, number: float) -> str:
    """Speak of labels that are encoded as their position, of which a condition leaves a range."""
    if relation == "=":
        left = [parameter.values[round(number)]]
    elif relation == "<=":
        left = [v for i, v in enumerate(parameter.values) if i <= number]
    else:
        left = [v for i, v in enumerate(parameter.values) if i > number]
    if not left:
        return f"{parameter.name} does not apply"
    if len(left) == len(parameter.values):
        return f"{parameter.name} applies"
    return f"{parameter.name} is {' or '.join(map(str, left))}"
