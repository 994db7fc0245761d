"""The words of an explanation: amounts, values, and what characteristics are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite

from acic.advisor.advice import Verdict
from acic.advisor.attribution import Part
from acic.advisor.changes import Change, Unit
from acic.advisor.explaining import Explanation
from acic.advisor.ranges import label
from acic.advisor.sensitivity import Dependence
from acic.advisor.support import Near
from acic.platforms import Platform
from acic.space import Configuration, Value
from acic.units import format_bytes, format_seconds, format_usd
from acic.workloads import Workload
from acic.workloads.parameters import WORKLOAD_PARAMETERS

NOTHING = 1e-9  # of what is compared with: less is the rounding of sums
SLIGHT = 0.01  # of what is compared with: predictions so close are one answer
_SIZES = {p.name for p in WORKLOAD_PARAMETERS if p.unit == "B"}


def amount(found: Explanation, number: float) -> str:
    """Return an amount, signed, in the unit of the explanation."""
    size = abs(number) if abs(number) > NOTHING * found.theirs else 0.0
    words = format_usd(size) if found.unit is Unit.USD else format_seconds(size)
    return f"-{words}" if number < 0 < size else words


def saving(found: Explanation, saves: float) -> list[str]:
    """Return what is saved, and its share of the whole difference; "-" of a slight one, whose shares tell nothing."""
    whole = found.theirs - found.ours
    slight = abs(whole) < SLIGHT * found.theirs or not whole
    return [amount(found, saves), "-" if slight else f"{round(100 * saves / whole)}%"]


def answer(found: Explanation) -> str:
    """Return what to call the answer: where nothing is to be changed, nothing is recommended."""
    return "best predicted" if found.advice.verdict is Verdict.NOTHING else "recommended"


def phase_name(place: int, workload: Workload) -> str:
    """Return what to call a phase."""
    own = workload.phases[place].characteristics
    return f"phase {place + 1} ({own.interface} {own.operation})"


def part(one: Part, workload: Workload) -> str:
    """Return what to call what takes time or money."""
    return one.what if one.phase is None else phase_name(one.phase, workload)


def name_of(one: Dependence, workload: Workload) -> str:
    """Return what to call a characteristic, with its phase where there are several."""
    return one.name if one.phase is None or len(workload.phases) == 1 else f"{one.name} of phase {one.phase + 1}"


def listed(some: Sequence[Dependence], workload: Workload, about: Callable[[Dependence], str] | None = None) -> str:
    """Return characteristics in one list, phase by phase, each with what there is to say `about` it in brackets."""
    by_phase: dict[str, list[str]] = {}
    for one in some:
        heading = "" if one.phase is None or len(workload.phases) == 1 else f"phase {one.phase + 1}: "
        by_phase.setdefault(heading, []).append(one.name + (f" ({about(one)})" if about else ""))
    return "; ".join(heading + ", ".join(names) for heading, names in by_phase.items())


def own_value(one: Dependence) -> str:
    """Return the value that a characteristic is taken to have, marked as `acic characterize` marks it."""
    return one.quality.mark + characteristic(one.name, one.value)


def span(one: Dependence) -> str:
    """Return which other values were tried."""
    tried = [characteristic(one.name, level.value) for level in one.levels]
    return f"{tried[0]} to {tried[-1]}" if one.is_numeric and len(tried) > 1 else ", ".join(tried)


def unmeasured(one: Dependence) -> str:
    """Return the errors that nobody can tell anything about."""
    return ", ".join(characteristic(one.name, value) for value in one.unmeasured)


def characteristic(name: str, value: Value | None) -> str:
    """Return a characteristic's value."""
    if value is None:
        return "-"
    return format_bytes(value) if name in _SIZES and isinstance(value, int | float) else label(value)


def parameters(platform: Platform, values: Mapping[str, Value | None]) -> str:
    """Return the parameters that apply, with their values."""
    return ", ".join(f"{n} {platform.space[n].text(v)}" for n, v in values.items() if v is not None)


def difference(platform: Platform, one: Configuration, other: Configuration) -> str:
    """Return what `other` sets otherwise than `one`; what then no longer applies goes without saying."""
    return parameters(platform, {name: value for name, value in other.items() if one.get(name) != value})


def sides(platform: Platform, change: Change) -> tuple[str, str]:
    """Return the values of what changes together, before and after."""
    before, after = (
        ", ".join(platform.space[n].text(v) for n, v in zip(change.names, side, strict=True))
        for side in (change.before, change.after)
    )
    return before, after


def unlike(one: Near, platform: Platform) -> tuple[str, str]:
    """Return in which characteristics, and in which parameters, a measured point is another."""
    workload = ", ".join(f"{name} {characteristic(name, value)}" for name, value in one.workload.items())
    configuration = parameters(platform, one.configuration)
    return workload or "the same workload", configuration or "the same configuration"


def factor(improvement: float) -> str:
    """Return a factor that may have no end."""
    return f"{improvement:.2f}x" if isfinite(improvement) else "any factor"


def more(regrets: Sequence[float], than: str) -> str:
    """Return how much more an answer takes, the most first; what is infinite is unsafe."""
    told = ", ".join(f"{regret:.0%}" if isfinite(regret) else "a risk of wrong bytes" for regret in regrets)
    return f"{told} {than}" if isfinite(regrets[-1]) else told
