"""Spaces with constraints, and objectives whose best is known, to search on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from acic.search import Observation
from acic.space import AtMost, Configuration, Constraint, Parameter, Rule, Scale, Space, Value

Objective = Callable[[Configuration], float | None]


@dataclass(frozen=True)
class Problem:
    """A space, where to begin in it, and what every valid configuration gives."""

    space: Space
    baseline: Configuration
    objective: Objective

    @property
    def least(self) -> float:
        return min(one for one in map(self.objective, valid(self.space)) if one is not None)


@dataclass
class Bench:
    """Runs configurations as `objective` says, until the budget is used up, and remembers what it was asked."""

    objective: Objective
    budget: int | None = None
    batches: list[list[Configuration]] = field(default_factory=list)
    exhausted: bool = False

    @property
    def asked(self) -> list[Configuration]:
        return [one for batch in self.batches for one in batch]

    def __call__(self, configurations: Sequence[Configuration]) -> list[Observation]:
        assert not self.exhausted, "asked again after the budget was used up"
        left = len(configurations) if self.budget is None else self.budget - len(self.asked)
        self.exhausted = left < len(configurations)
        self.batches.append(list(configurations[:left]))
        return [Observation(one, self.objective(one), 1.0) for one in self.batches[-1]]


def valid(space: Space) -> list[Configuration]:
    return list(space.configurations())


def separable(space: Space, seed: int) -> Objective:
    """A sum of one cost for each value, all different; a parameter that does not apply costs nothing."""
    rng = np.random.default_rng(seed)
    costs = {p.name: dict(zip(p.values, rng.uniform(1.0, 10.0, len(p.values)), strict=True)) for p in space.parameters}
    return lambda one: 1.0 + float(sum(costs[name][value] for name, value in one.items()))


def interacting(space: Space, seed: int) -> Objective:  # noqa: ARG001 as the others
    """A cost of its own for every configuration."""
    return lambda one: 1.0 + crc32(repr((seed, sorted(one.items()))).encode()) / 2**32


def noisy(space: Space, seed: int) -> Objective:
    """Separable, times what other users of the machine do meanwhile."""
    rng, quiet = np.random.default_rng(seed), separable(space, seed)
    return lambda one: float((quiet(one) or 0.0) * np.exp(0.2 * rng.standard_normal()))


def failing(space: Space, seed: int) -> Objective:
    """Separable, but runs with the best value of one parameter fail: the way down leads into them."""
    quiet = separable(space, seed)
    broken = space.parameters[seed % len(space.parameters)]
    value = min(broken.values, key=lambda v: quiet(Configuration({broken.name: v})) or 0.0)
    return lambda one: None if one.get(broken.name) == value else quiet(one)


def always_failing(space: Space, seed: int) -> Objective:  # noqa: ARG001 as the others
    return lambda _: None


OBJECTIVES = (separable, interacting, noisy, failing, always_failing)


@st.composite
def spaces(draw: st.DrawFn, *, constraints: int = 3) -> Space:
    """A space of some valid configurations, with up to so many constraints."""
    parameters = tuple(draw(_parameters(name)) for name in "abcde"[: draw(st.integers(2, 5))])
    made = draw(st.lists(_constraints(parameters), max_size=constraints))
    space = Space(parameters, tuple(made))
    assume(valid(space))
    return space


@st.composite
def problems(draw: st.DrawFn, objectives: Iterable[Callable[[Space, int], Objective]] = OBJECTIVES) -> Problem:
    space = draw(spaces())
    baseline = draw(st.sampled_from(valid(space)))
    return Problem(space, baseline, draw(st.sampled_from(tuple(objectives)))(space, draw(st.integers(0, 99))))


@st.composite
def _parameters(draw: st.DrawFn, name: str) -> Parameter:
    scale = draw(st.sampled_from(Scale))
    count = draw(st.integers(2, 4))
    labels: dict[Scale, tuple[Value, ...]] = {
        Scale.CATEGORICAL: ("x", "y", "z", True),
        Scale.ORDERED: ("low", "middle", "high", "top"),
        Scale.LINEAR: (0, 1, 2, 5),
        Scale.LOG: (1, 2, 3, 8),
    }
    return Parameter(name=name, values=labels[scale][:count], scale=scale)


@st.composite
def _constraints(draw: st.DrawFn, parameters: tuple[Parameter, ...]) -> Constraint:
    one, other = draw(st.permutations(parameters))[:2]
    kind = draw(st.sampled_from(["then", "absent", "at most"]))
    if kind == "at most" and one.is_numeric and other.is_numeric:
        return AtMost(smaller=one.name, larger=other.name)
    when = {one.name: draw(st.sampled_from(one.values))}
    if kind == "absent":
        return Rule(when=when, absent=(other.name,))
    return Rule(when=when, then={other.name: draw(st.sampled_from(other.values))})
