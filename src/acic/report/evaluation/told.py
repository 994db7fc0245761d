"""Names and numbers in words, as the evaluation tells them."""

from __future__ import annotations

import math

from acic.evaluation.field import Application
from acic.evaluation.fresh import Interval
from acic.platforms import Platform
from acic.report.axis import Axis
from acic.report.evaluation.merit import Floats
from acic.report.words import NOTHING, TIMES, configuration_text, money_text, number_text, tick_text, times_text
from acic.space import Configuration
from acic.units import format_seconds

NEAR = 0.01  # of the best: below this regrets are told apart linearly, above by their factor
FAILS = "the choice fails for half of the applications or more"  # where the median regret is infinite
_REGRETS = (0.0, 0.05, 0.2, 1.0, 5.0, 20.0, 100.0, 1e3, 1e4, 1e5, 1e6)
_APART = 9.0  # percent of the axis that its ticks keep between them


def application_text(application: Application) -> str:
    """Return an application as people read it."""
    kernel, scale = application
    return kernel if scale == "only" else f"{kernel}, {scale}"


def configuration_told(platform: Platform, configuration: Configuration) -> str:
    """Return a configuration by what differs from the baseline."""
    return configuration_text(configuration, platform.baseline, platform.space)


def value_text(value: float, goal: str) -> str:
    """Return seconds or USD; a dash for what was not measured."""
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "failed"
    return format_seconds(value) if goal == "time" else dollars_text(value)


def dollars_text(amount: float) -> str:
    """Return USD; all three digits of the small ones, for a lab's runs cost less than a cent."""
    return money_text(amount) if amount >= 0.1 or amount <= 0 else f"${number_text(amount)}"


def count_text(count: float) -> str:
    """Return a number; a whole one without decimals, as are all from a thousand on, whose thousands are apart."""
    return tick_text(round(count)) if float(count).is_integer() or count >= 1000 else number_text(count)


def unit_of(goal: str) -> str:
    """Return "run time, s" or "cost, USD"."""
    return "run time, s" if goal == "time" else "cost, USD"


def share_text(share: float) -> str:
    """Return a regret or a saving in percent, with one decimal below 10 %; failures and unknown ones in words."""
    if math.isnan(share):
        return NOTHING
    if math.isinf(share):
        return "failed"
    if abs(share) >= 10:
        return f"{100 * share:,.0f} %"
    return f"{100 * share:.1f} %" if 0.0005 <= abs(share) < 0.0995 else f"{share:.0%}".replace("%", " %")


def regret_text(regret: float) -> str:
    """Return a regret as sentences have it: "within failed" is none."""
    return "a failure" if math.isinf(regret) else share_text(regret)


def interval_text(interval: Interval | None) -> str:
    """Return the ends of an interval of a share, "0 to 1.7 %"; a dash where there is none."""
    if interval is None:
        return NOTHING
    return f"{share_text(interval.low).removesuffix(' %')} to {share_text(interval.high)}"


def speed_text(factor: float) -> str:
    """Return a speed-up; 0 is a failure."""
    return "failed" if factor == 0 else times_text(factor)


def place_text(place: tuple[int, int] | None) -> str:
    """Return "3 of 150"."""
    return NOTHING if place is None else f"{place[0]} of {place[1]}"


def listed(parts: list[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def regret_axis(values: Floats) -> Axis:
    """Return an axis from 0 % on: values lie at `NEAR` more than they are, on a logarithmic axis."""
    high = max([0.3, *(float(v) for v in values if math.isfinite(v))]) * 1.15
    ends = math.log(NEAR * 0.85), math.log(high + NEAR)
    ticks: list[tuple[float, str]] = []
    for value in _REGRETS:
        far = not ticks or math.log((value + NEAR) / ticks[-1][0]) > (ends[1] - ends[0]) * _APART / 100
        if value <= high and far:
            ticks.append((value + NEAR, f"{100 * value:,.0f} %"))
    return Axis(low=NEAR * 0.85, high=high + NEAR, log=True, ticks=tuple(ticks))


def plain(value: float, kind: str) -> str:
    """Return a value of a curve; `kind` is that of `Lines`."""
    if not math.isfinite(value):
        return NOTHING if math.isnan(value) else "failed"
    return {
        "share": lambda: share_text(value),
        "factor": lambda: times_text(value),
        "count": lambda: count_text(value),
        "seconds": lambda: format_seconds(value),
        "dollars": lambda: dollars_text(value),
    }[kind]()


def tick(value: float, kind: str) -> str:
    """Return a round value as short as it can be."""
    if kind == "share":
        return f"{tick_text(round(100 * value, 9))} %"
    return {"factor": f"{tick_text(value)}{TIMES}", "dollars": f"${tick_text(value)}"}.get(kind, tick_text(value))
