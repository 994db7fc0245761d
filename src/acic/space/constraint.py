"""Constraints as data: which combinations of values are valid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acic.errors import InvalidInput
from acic.space.configuration import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Where every parameter of `when` has its value, those of `then` must have theirs and `absent` do not apply.

    Those of `never` may have any value but the ones listed, or not apply.

    Example:
        `Rule(when={"file_system": "NFS"}, then={"servers": 1}, absent=("stripe_size",))`
    """

    when: Mapping[str, Value]
    then: Mapping[str, Value] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    never: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    why: str = ""

    def __post_init__(self) -> None:
        if not self.then and not self.absent and not self.never:
            raise InvalidInput(
                f"the rule for {dict(self.when)} rules nothing", hint="give it `then`, `absent` or `never`"
            )

    @property
    def mentions(self) -> set[str]:
        """The parameters that it is about."""
        return {*self.when, *self.then, *self.absent, *self.never}

    def holds(self, values: Mapping[str, Value]) -> bool:
        """Return whether it is to be obeyed: every parameter of `when` has its value."""
        for name, value in self.when.items():  # noqa: SIM110 (asked so often that `all` takes minutes more)
            if values.get(name) != value:
                return False
        return True

    def breaks(self, values: Mapping[str, Value]) -> bool:
        """Return whether any of `values` cannot stay as it is where the rule holds."""
        return (
            any(values.get(name, value) != value for name, value in self.then.items())
            or any(values.get(name) in ruled_out for name, ruled_out in self.never.items())
            or any(name in values for name in self.absent)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMost:
    """`smaller` never exceeds `larger` (both numeric): request size and data size."""

    smaller: str
    larger: str
    why: str = ""

    @property
    def mentions(self) -> set[str]:
        """The parameters that it is about."""
        return {self.smaller, self.larger}


Constraint = Rule | AtMost
