"""Workloads, configurations and numbers as a reader meets them: human units, and what differs from the baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping

from acic.space import Configuration, Parameter, Space, Value
from acic.units import MIB, format_bytes, format_usd
from acic.workloads import Access, Characteristics

NOTHING = "\u2013"  # a dash, in place of a figure that there is not
TIMES = "\u00d7"


def value_text(parameter: Parameter, value: Value | None) -> str:
    """Return a parameter's value as people read it; None is one that does not apply."""
    if value is None:
        return "does not apply"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return format_bytes(value) if parameter.unit == "B" and isinstance(value, int | float) else str(value)


def differences(configuration: Mapping[str, Value], baseline: Configuration, space: Space) -> dict[str, str]:
    """Return what a configuration sets differently from the baseline, by parameter, in the order of the space."""
    differing = (p for p in space.parameters if configuration.get(p.name) != baseline.get(p.name))
    return {p.name: value_text(p, configuration.get(p.name)) for p in differing}


def configuration_text(configuration: Mapping[str, Value], baseline: Configuration, space: Space) -> str:
    """Return a configuration by what differs from the baseline."""
    found = differences(configuration, baseline, space)
    return ", ".join(f"{name} {value}" for name, value in found.items()) or "baseline"


def workload_text(w: Characteristics) -> str:
    """Return a workload in one line."""
    who = str(w.io_processes) if w.io_processes == w.processes else f"{w.io_processes} of {w.processes}"
    parts = [
        f"{w.operation} {who} {TIMES} {format_bytes(w.data_size)} by {format_bytes(w.request_size)}",
        "once" if w.iterations == 1 else f"{w.iterations} times",
        f"{w.interface} collective" if w.collective else str(w.interface),
        "shared file" if w.shared else "file per process",
    ]
    if w.access is not Access.UNKNOWN:
        parts.append(str(w.access))
    return ", ".join(parts)


def mib_text(bandwidth: float | None) -> str:
    """Return B/s as a plain number of MiB/s, of three digits or all before the point."""
    return NOTHING if bandwidth is None else number_text(bandwidth / MIB)


def number_text(number: float) -> str:
    """Return a number with three digits, or all of those before the point; no exponent, so that it sorts."""
    if not math.isfinite(number):
        return NOTHING
    if number == 0:
        return "0"
    digits = max(0, min(12, 2 - math.floor(math.log10(abs(number)))))
    return f"{number:.{digits}f}"


def times_text(factor: float | None) -> str:
    """Return a factor, with the multiplication sign."""
    return NOTHING if factor is None or not math.isfinite(factor) else f"{number_text(factor)}{TIMES}"


def tick_text(number: float) -> str:
    """Return a round number as short as it can be."""
    return f"{number:,.10g}"


def times_tick(factor: float) -> str:
    """Return a round factor as short as it can be."""
    return f"{tick_text(factor)}{TIMES}"


def money_text(amount: float) -> str:
    """Return USD; from a thousand on without cents."""
    return f"${amount:,.0f}" if amount >= 1000 else format_usd(amount)


def share_tick(value: float, *, sign: str = "") -> str:
    """Return a round share in percent, with as many digits as it has; `sign` "+" for one before gains, too."""
    return f"{round(100.0 * value, 9):{sign}g}%"


def percent_text(share: float | None) -> str:
    """Return a share as a percentage."""
    if share is None or not math.isfinite(share):
        return NOTHING
    return f"{100 * share:.2g}%" if 0 < share < 0.1 else f"{share:.0%}"


def count_text(count: int, noun: str) -> str:
    """Return "1 run", "1,204 runs"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
