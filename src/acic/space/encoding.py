"""From values to arrays of numbers, the only thing that models see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.space.configuration import Value
from acic.space.parameter import ABSENT_CODE, Parameter, Scale
from acic.space.space import Space


class Encoder:
    """Turn values of `parameters` into columns of numbers.

    Log-scaled parameters give log2, linear ones the number, ordered ones the position, labels of
    two values one column of 0 and 1, other labels one column per value. A parameter that does not
    apply is `ABSENT_CODE` (all zeros for a label of several columns).

    Raises:
        InvalidInput: a name given twice: the columns of the one would never be filled.
    """

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self.parameters = tuple(parameters)
        columns: list[str] = []
        self._slices: dict[str, slice] = {}
        for parameter in self.parameters:
            if parameter.name in self._slices:
                raise InvalidInput(f"the parameter {parameter.name} is given twice", hint="rename one")
            names = _column_names(parameter)
            self._slices[parameter.name] = slice(len(columns), len(columns) + len(names))
            columns += names
        self.columns = tuple(columns)

    def encode(self, rows: Sequence[Mapping[str, Value]]) -> NDArray[np.float64]:
        """Return `rows` as numbers, shape (rows, columns).

        Raises:
            InvalidInput: a label that the parameter does not list, or text where a number belongs.
        """
        out = np.full((len(rows), len(self.columns)), ABSENT_CODE)
        for parameter in self.parameters:
            seen: dict[Value | None, NDArray[np.float64]] = {}
            for i, row in enumerate(rows):
                value = row.get(parameter.name)
                if value not in seen:
                    seen[value] = _codes(parameter, value)
                out[i, self._slices[parameter.name]] = seen[value]
        return out

    def encode_points(self, space: Space, points: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the points of `space.enumerate()` as numbers, shape (points, columns).

        Columns of parameters that the space does not have are `ABSENT_CODE`.
        """
        out = np.full((len(points), len(self.columns)), ABSENT_CODE)
        for parameter in self.parameters:
            if parameter.name in space.names:
                values = space[parameter.name].values
                table = np.vstack([_codes(parameter, v) for v in (*values, None)])
                out[:, self._slices[parameter.name]] = table[points[:, space.names.index(parameter.name)]]
        return out

    def columns_of(self, name: str) -> slice:
        """Return where the parameter's columns are."""
        return self._slices[name]


def _column_names(parameter: Parameter) -> list[str]:
    if parameter.scale is Scale.CATEGORICAL and len(parameter.values) > 2:
        return [f"{parameter.name}={value}" for value in parameter.values]
    return [parameter.name]


def _codes(parameter: Parameter, value: Value | None) -> NDArray[np.float64]:
    several = parameter.scale is Scale.CATEGORICAL and len(parameter.values) > 2
    if value is None:
        return np.zeros(len(parameter.values)) if several else np.array([ABSENT_CODE])
    if parameter.is_numeric:
        if isinstance(value, str) or (parameter.scale is Scale.LOG and value <= 0):
            raise InvalidInput(f"{parameter.name} cannot be {value!r}", hint="give a positive number")
        return np.array([np.log2(value) if parameter.scale is Scale.LOG else float(value)])
    if value not in parameter.values:
        raise InvalidInput(f"{parameter.name} is not {parameter.text(value)}", hint=f"it is one of {parameter.listed}")
    position = parameter.values.index(value)
    return np.eye(len(parameter.values))[position] if several else np.array([float(position)])
