"""What was measured of each characteristic and parameter, and what lies beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from acic.space import Parameter, Value
from acic.units import format_bytes, format_number
from acic.workloads import Access


@dataclass(frozen=True, slots=True)
class Range:
    """What was measured of one characteristic, or parameter of the platform: ends, or labels."""

    low: float
    high: float
    labels: tuple[str, ...]


def range_of(values: Sequence[Any], *, numeric: bool) -> Range:
    """Return what was measured, of all values that were, at least one."""
    if numeric:
        return Range(float(min(values)), float(max(values)), ())
    return Range(0.0, 0.0, tuple(sorted({label(v) for v in values})))


def beyond(parameter: Parameter, value: Value | None, known: Range, *, name: str) -> str:
    """Return how `value` lies outside of what was measured, with this name; "" if it does not, or does not apply."""
    if value is None:
        return ""
    if not parameter.is_numeric:
        inside = label(value) in (*known.labels, Access.UNKNOWN)
        return "" if inside else f"{name} {label(value)}: measured was {', '.join(known.labels)}"
    if known.low <= float(value) <= known.high:
        return ""
    span = _text(parameter, known.low)
    if known.high > known.low:
        span += f" to {_text(parameter, known.high)}"
    return f"{name} of {_text(parameter, float(value))}: measured was {span}"


def in_words(name: str) -> str:
    """Return a characteristic's name as people read it; a platform's parameters are named as they are typed."""
    return " ".join("I/O" if word == "io" else word for word in name.split("_"))


def label(value: object) -> str:
    """Return a characteristic's value as people read it."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _text(parameter: Parameter, value: float) -> str:
    return format_bytes(value) if parameter.unit == "B" else format_number(value)
