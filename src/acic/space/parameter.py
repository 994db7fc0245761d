"""Parameters: the choices a space is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from acic.errors import InvalidInput
from acic.space.configuration import Value
from acic.units import format_bytes

ABSENT_CODE = -1.0
"""What models have for a value that does not apply: below all that do, so that trees split it off in one cut."""

_MOST_VALUES = 127  # their positions are single bytes


class Scale(StrEnum):
    """How a parameter's values become numbers."""

    CATEGORICAL = "categorical"  # one column per value
    ORDERED = "ordered"  # the value's position
    LINEAR = "linear"  # the value itself
    LOG = "log"  # its base-2 logarithm


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One choice, with every value it may take, from low to high.

    Raises:
        InvalidInput: fewer than two values, or too many, one given twice, or numbers that the scale cannot take, that
            do not go from low to high, or that models could not tell from none.
    """

    name: str
    values: tuple[Value, ...]
    scale: Scale = Scale.CATEGORICAL
    unit: str = ""  # "B", "s", "USD/h"; "" for a label or a count
    about: str = ""

    def __post_init__(self) -> None:
        if len(self.values) < 2 or len(set(self.values)) != len(self.values):
            raise InvalidInput(
                f"parameter {self.name} has the values {list(self.values)}",
                hint="a parameter needs two or more different values",
            )
        if len(self.values) > _MOST_VALUES:
            raise InvalidInput(
                f"parameter {self.name} has {len(self.values)} values",
                hint=f"{_MOST_VALUES} at most: of numbers, those between count too",
            )
        if not self.is_numeric:
            return
        numbers = [v for v in self.values if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) != len(self.values) or (self.scale is Scale.LOG and min(numbers) <= 0):
            raise InvalidInput(
                f"parameter {self.name} on a {self.scale} scale has the values {list(self.values)}",
                hint="a linear scale takes numbers, a log scale positive numbers; else say categorical or ordered",
            )
        if numbers != sorted(numbers):  # the first and the last are taken for the ends
            raise InvalidInput(
                f"parameter {self.name} has the values {list(self.values)}", hint="give numbers from low to high"
            )
        lowest = math.log2(numbers[0]) if self.scale is Scale.LOG else numbers[0]
        if lowest <= ABSENT_CODE:
            raise InvalidInput(
                f"parameter {self.name} on a {self.scale} scale has the value {numbers[0]}",
                hint="models have that for where it does not apply: choose a unit, or the meant number, so that all "
                f"are above {2.0**ABSENT_CODE if self.scale is Scale.LOG else ABSENT_CODE:g}",
            )

    def text(self, value: Value | None) -> str:
        """Return a value as people read it: a size with its unit, "-" where the parameter does not apply."""
        if value is None:
            return "-"
        return format_bytes(value) if self.unit == "B" and isinstance(value, int | float) else str(value)

    @property
    def listed(self) -> str:
        """The values, as people read them."""
        return ", ".join(map(self.text, self.values))

    @property
    def is_numeric(self) -> bool:
        """Whether a value between two listed ones means something."""
        return self.scale in (Scale.LINEAR, Scale.LOG)

    @property
    def low(self) -> Value:
        """The end of the range that a two-level design calls low."""
        return self.values[0]

    @property
    def high(self) -> Value:
        """The end of the range that a two-level design calls high."""
        return self.values[-1]
