"""From the few values that somebody asks for to a whole configuration."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from types import MappingProxyType

from acic.errors import InvalidInput
from acic.space import Space, Value
from acic.units import MIB

ALIASES: Mapping[str, str] = MappingProxyType({"gluster": "GlusterFS", "ceph": "CephFS", "pvfs2": "OrangeFS"})

# What the baseline, which has one server, says nothing of.
_USUAL: Mapping[str, Value] = MappingProxyType({"stripe_size": 4 * MIB, "metadata": "one", "consistency": "relaxed"})
_FREE = "raid_devices"  # more than the platform varies may be asked for


def choose(space: Space, baseline: Mapping[str, Value], given: Mapping[str, Value]) -> dict[str, Value]:
    """Return the valid configuration with all that is `given`, and otherwise as near to the baseline as can be.

    Args:
        space: all valid configurations.
        baseline: the values for what is not given.
        given: by parameter; names and labels are taken in any case, and file systems by what they are also called.

    Raises:
        InvalidInput: no valid configuration has them.
    """
    asked = {name: _named(space, name, value) for name, value in given.items()}
    free = {name: value for name, value in asked.items() if name == _FREE and value not in space[name].values}
    fixed = {name: value for name, value in asked.items() if name not in free}
    preferred = {**_USUAL, **baseline}
    best: tuple[int, dict[str, Value]] | None = None
    for candidate in space.configurations():
        if all(candidate.get(name) == value for name, value in fixed.items()):
            distance = sum(candidate.get(name) != value for name, value in preferred.items() if name in candidate)
            if best is None or distance < best[0]:
                best = (distance, dict(candidate))
    if best is None:
        told = ", ".join(f"{name} {value}" for name, value in fixed.items())
        raise InvalidInput(f"there is no such configuration: {told}", hint=_conflict(space, fixed))
    return {**best[1], **free}


def _conflict(space: Space, fixed: Mapping[str, Value]) -> str:
    """Return why no configuration has all of these values, by the fewest of them that none has."""
    every = list(space.configurations())
    for count in range(1, len(fixed) + 1):
        for names in combinations(fixed, count):
            if any(all(one.get(name) == fixed[name] for name in names) for one in every):
                continue
            if count == 1:
                return f"{names[0]} is one of {space[names[0]].listed}"
            *others, last = names
            near = next(one for one in every if all(one.get(name) == fixed[name] for name in others))
            problem = space.problem({**near, last: fixed[last]})
            why = f" ({problem})" if any(name in problem for name in names) else ""
            return (
                f"{' and '.join(f'{name} {space[name].text(fixed[name])}' for name in names)} rule one another out{why}"
            )
    return "leave one of them out"


def _named(space: Space, name: str, value: Value) -> Value:
    """Return the value of the parameter that `value` means."""
    parameter = space[name]
    if not isinstance(value, str):
        return value
    wanted = ALIASES.get(value.lower(), value).lower()
    for known in parameter.values:
        if str(known).lower() == wanted:
            return known
    raise InvalidInput(f"{name} is not {value!r}", hint=f"use {', '.join(map(str, parameter.values))}")
