"""Axes: numbers to places in percent of the picture's width, with few round ticks in human units."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Text = Callable[[float], str]

_TICKS = 6  # at most: more collide on a telephone
_TIME_STEPS = (1, 2, 5, 10, 15, 20, 30)  # of seconds and minutes
_UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A range of numbers on a line.

    Args:
        low, high: its ends, low < high; above zero on a log axis.
        log: whether equal factors are equally far apart, rather than equal differences.
        ticks: values and what is written at them.
    """

    low: float
    high: float
    log: bool = False
    ticks: tuple[tuple[float, str], ...] = ()

    def place(self, value: float) -> float:
        """Return where `value` lies, in percent from the low end; a value outside lies at the end."""
        low, high, x = (math.log(v) if self.log else v for v in (self.low, self.high, max(value, self.low)))
        return min(100.0, 100.0 * (x - low) / (high - low))


def from_zero(high: float, text: Text) -> Axis:
    """Return a linear axis from zero to a round number at or above `high`."""
    step = _round_step((high or 1.0) / (_TICKS - 1))
    count = max(1, math.ceil((high or 1.0) / step - 1e-9))
    return Axis(low=0.0, high=count * step, ticks=tuple((i * step, text(i * step)) for i in range(count + 1)))


def around_zero(low: float, high: float, text: Text) -> Axis:
    """Return a linear axis from a round number at or below `low`, or zero, to one at or above `high`, or zero."""
    if low >= 0:
        return from_zero(high, text)
    step = from_zero(max(-low, high), text).ticks[1][0]
    first, last = math.floor(low / step + 1e-9), max(0, math.ceil(high / step - 1e-9))
    ticks = tuple((i * step, text(i * step)) for i in range(first, last + 1))
    return Axis(low=first * step, high=last * step or step, ticks=ticks)


def of_counts(high: int) -> Axis:
    """Return a linear axis of whole numbers from zero."""
    high = max(high, 1)
    step = math.ceil(_round_step(high / (_TICKS - 2)))
    count = max(1, math.ceil(high / step))
    return Axis(low=0.0, high=float(count * step), ticks=tuple((i * step, f"{i * step:,}") for i in range(count + 1)))


def of_time(seconds: float) -> Axis:
    """Return an axis from zero to `seconds`, with ticks at whole seconds, minutes, hours or days."""
    seconds = max(seconds, 1e-3)
    unit, name = next((u for u in _UNITS if seconds >= 2 * u[0]), _UNITS[-1])
    span = seconds / unit
    steps = _TIME_STEPS if name in ("s", "min") else ()
    step = next((float(s) for s in steps if span / s <= _TICKS - 1), 0.0) if span >= _TICKS - 2 else 0.0
    step = step or _round_step(span / (_TICKS - 1))
    ticks = [(i * step * unit, f"{i * step:g}") for i in range(int(span / step + 1e-9) + 1)]
    ticks[-1] = (ticks[-1][0], f"{ticks[-1][1]} {name}")
    return Axis(low=0.0, high=seconds, ticks=tuple(ticks))


def log_axis(values: Sequence[float], text: Text, *, with_value: float | None = None) -> Axis:
    """Return a logarithmic axis that holds all `values` (> 0) with a little room, and `with_value` too."""
    held = [v for v in (*values, with_value) if v is not None and v > 0] or [1.0]
    low, high = min(held), max(held)
    room = max(math.log(high / low) * 0.04, 0.03)
    low, high = low / math.exp(room), high * math.exp(room)
    return Axis(low=low, high=high, log=True, ticks=tuple((v, text(v)) for v in _log_ticks(low, high)))


def _log_ticks(low: float, high: float) -> list[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for mantissas in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)):
        ticks = [m * 10.0**d for d in decades for m in mantissas if low <= m * 10.0**d <= high]
        if len(ticks) >= 3:
            return ticks[:: math.ceil(len(ticks) / _TICKS)]
    step = _round_step((high - low) / (_TICKS - 2))
    return [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)][:_TICKS]


def _round_step(step: float) -> float:
    """Return the next of 1, 2, 2.5, 5, 10 ... at or above `step`."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= step * (1 - 1e-9))
