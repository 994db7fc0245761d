"""What a campaign measures: points, each a workload on a configuration, and the space that they are taken from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.filesystems.inert import inert, no_difference
from acic.platforms import Platform
from acic.space import AtMost, Configuration, Constraint, Parameter, Rule, Space, Value, made_valid, never_valid
from acic.toml import meant
from acic.workloads import Characteristics, Interface
from acic.workloads.parameters import WORKLOAD_PARAMETERS, characteristics_of, checked

Rows = NDArray[np.int8]

TABLE_1: Mapping[str, tuple[Value, ...]] = {
    "io_processes": (32, 64, 128, 256),
    "interface": ("POSIX", "MPIIO"),
    "iterations": (1, 10),
    "data_size": (2**20, 2**22, 2**24, 2**25, 2**27),
    "request_size": (2**18, 2**22, 2**24, 2**27),
    "operation": ("read", "write"),
    "collective": (False, True),
    "shared": (False, True),
}
"""Workloads trained with where the platform says nothing.

Source: Liu et al., SC13, Table 1, without its ends (100 iterations, 512 MiB), which together move 13 TB in a run.
"""

WORKLOAD = "workload"  # the parameter that chooses among workloads that were given
_KEPT = 2**16  # workloads and configurations that a field remembers


@dataclass(frozen=True, slots=True)
class Point:
    """One workload on one configuration."""

    workload: Characteristics
    configuration: Configuration


class Field:
    """The workloads and configurations that a campaign chooses among, as one space.

    Args:
        platform: whose configurations are measured.
        like: measure these workloads; empty for the platform's own training workloads.
        only: values that configurations are to have.
        held: parameters that are as in the baseline, and no columns of the space.
        earlier: plan as acic did before its journals told how: what is held gives way to rules, and parameters of which
            one value is left are screened.

    A row is a position in `parameter.values` for each parameter of `space`, as `Space.enumerate` gives.
    With `like`, one parameter, `workload`, chooses among them. `sampling_space` also rules out what would measure the
    same thing again: MPI-IO hints of runs that do not use MPI-IO. `system` is the space of the configurations alone,
    without parameters that can make no difference to any of the workloads given.
    """

    def __init__(
        self,
        platform: Platform,
        like: Sequence[Characteristics] = (),
        only: Mapping[str, Value] | None = None,
        *,
        held: Collection[str] = (),
        earlier: bool = False,
    ) -> None:
        self.platform = platform
        self._earlier = earlier
        self._only = dict(only or {})
        self.like = tuple(dict.fromkeys(like))
        self.fixed: dict[str, Value] = {}  # workload parameters of one value only
        try:
            workloads, rules = ((), []) if self.like else self._training(platform)
        except InvalidInput as error:
            raise InvalidInput(f"{platform.given or platform.name}: {error.problem}", hint=error.hint) from error
        which = () if len(self.like) < 2 else (Parameter(name=WORKLOAD, values=tuple(range(len(self.like)))),)
        self.workload_names = tuple(p.name for p in (*workloads, *which))
        left_out = self._inert() - set(self._only) | set(held)
        kept = [n for n in platform.space.names if n not in left_out]
        self.system = platform.space.beside(kept, platform.baseline, firm=() if earlier else held)
        if held and not self.system.parameters:
            raise InvalidInput("what is kept as it is leaves nothing to choose for this job", hint="keep less")
        if left_out and not self.system.parameters:
            raise no_difference(platform)
        self.space = Space(
            (*workloads, *which, *self.system.parameters),
            (
                *rules,
                *self.system.constraints,
                *([Rule(when={}, then=self._only, why="nothing else was asked for")] if only else []),
            ),
        )
        self.sampling_space = Space(self.space.parameters, (*self.space.constraints, *self._without_effect()))
        self.default = self._default()
        self._workload = lru_cache(_KEPT)(self._workload_of)  # plans have many points of few workloads
        self._configuration = lru_cache(_KEPT)(self._configuration_of)

    def point(self, row: Rows) -> Point:
        """Return what one row stands for, shape (parameters,)."""
        width = len(self.workload_names)
        return Point(self._workload(row[:width].tobytes()), self._configuration(row[width:].tobytes()))

    def row(self, values: Mapping[str, Value]) -> Rows:
        """Return the row with these values of the space's parameters."""
        return self.space.point(values)

    @cached_property
    def screened(self) -> tuple[str, ...]:
        """The parameters that a screening tells apart, of each workload that was given: those of several values."""
        names = tuple(name for name in self.space.names if name != WORKLOAD)
        if self._earlier:
            return names
        never = never_valid(self.space)
        several = (n for n in names if n not in self._only and len(self.space[n].values) > len(never.get(n, ())) + 1)
        return tuple(several) or names  # a design has one at least

    def baseline_rows(self, rows: Rows) -> Rows:
        """Return, for each row, that of the same workload on the platform's baseline; shape (rows, parameters)."""
        made = rows.copy()
        first = len(self.workload_names)
        made[:, first:] = self.system.point(self.platform.baseline)
        return made

    def _inert(self) -> set[str]:
        """Return the parameters that can make no difference to any of the workloads given."""
        return set(inert(self.platform, self.like)) if self.like else set()

    def _without_effect(self) -> list[Rule]:
        if "interface" not in self.workload_names:
            return []
        hints = {n: v for n, v in self.platform.baseline.items() if n in self.platform.hints}
        others = {n: tuple(one for one in self.space[n].values if one != v) for n, v in hints.items()}
        plain = [i for i in self.space["interface"].values if not Interface(str(i)).on_mpi_io]
        return [Rule(when={"interface": i}, never=others, why="no MPI-IO, no hints") for i in plain] if hints else []

    def _workload_of(self, row: bytes) -> Characteristics:
        width = len(self.workload_names)
        chosen = Space(self.space.parameters[:width]).configuration(np.frombuffer(row, dtype=np.int8))
        if self.like:
            return self.like[int(chosen.get(WORKLOAD, 0))]
        own = {**self.fixed, **chosen}
        own.setdefault("processes", own["io_processes"])
        return characteristics_of(own)

    def _configuration_of(self, row: bytes) -> Configuration:
        kept = {k: v for k, v in self.platform.baseline.items() if k not in self.system.names}
        whole = kept | dict(self.system.configuration(np.frombuffer(row, dtype=np.int8)))
        return Configuration(self.platform.space.obeyed(whole, kept.keys()))

    def _training(self, platform: Platform) -> tuple[tuple[Parameter, ...], list[Constraint]]:
        """Return the workload parameters that vary, and what rules them; what has one value only is kept aside."""
        wanted = platform.training or TABLE_1
        known = {p.name: p for p in WORKLOAD_PARAMETERS}
        varying = []
        for name, values in wanted.items():
            if name not in known:
                raise InvalidInput(f"[training] names {name!r}", hint=f"{meant(name, known)}use {', '.join(known)}")
            plain = tuple(_plain(checked(name, value)) for value in values)
            if len(plain) == 1:
                self.fixed[name] = plain[0]
            else:
                varying.append(Parameter(name=name, values=plain, scale=known[name].scale, unit=known[name].unit))
        if missing := _NEEDED - set(wanted):
            raise InvalidInput(
                f"[training] lacks {', '.join(sorted(missing))}", hint="docs/platforms.md has an example"
            )
        self.fixed |= {k: v for k, v in _OTHERWISE.items() if k not in wanted}
        every = {p.name: p.values for p in varying} | {name: (value,) for name, value in self.fixed.items()}
        for name in sorted({name for c in platform.training_constraints for name in c.mentions} - every.keys()):
            raise InvalidInput(
                f"a [[training_constraint]] names {name!r}",
                hint=f"{meant(name, every)}what [training] runs has {', '.join(every)}",
            )
        ruling = [*(c for c in _constraints(every) if c.mentions <= every.keys()), *platform.training_constraints]
        return tuple(varying), [rule for c in ruling if (rule := _narrowed(c, every, self.fixed))]

    def _default(self) -> dict[str, Value]:
        """Return the middle of the training workloads, on the baseline."""
        values: dict[str, Value] = {}
        for name in self.workload_names:
            listed = self.space[name].values
            values[name] = listed[(len(listed) - 1) // 2] if self.space[name].is_numeric else listed[0]
        return made_valid(self.sampling_space, values | dict(self.platform.baseline))


_NEEDED = {"io_processes", "interface", "iterations", "data_size", "request_size"}
_OTHERWISE: dict[str, Value] = {"operation": "write", "collective": False, "shared": True, "access": "consecutive"}


def _constraints(values: Mapping[str, Sequence[Value]]) -> list[Constraint]:
    """Return what a benchmark can do: IOR leaves no holes, and POSIX has no collective calls."""
    made: list[Constraint] = [
        AtMost(smaller="io_processes", larger="processes", why="I/O processes are some of the processes"),
        AtMost(smaller="request_size", larger="data_size", why="an iteration's data are moved in whole requests"),
    ]
    alone = {"collective": False}
    plain = [i for i in values.get("interface", ()) if not Interface(str(i)).on_mpi_io]
    made += [Rule(when={"interface": i}, then=alone, why="no such calls") for i in plain]
    access = values.get("access", ())
    if "strided" in access and "consecutive" in access:
        then = {"access": "consecutive"}
        made.append(Rule(when={"shared": False, "access": "strided"}, then=then, why="IOR leaves no holes"))
        made.append(Rule(when={"io_processes": 1, "access": "strided"}, then=then, why="IOR leaves no holes"))
    if "random" in access and "consecutive" in access:
        then = {"access": "consecutive"}
        made.append(Rule(when={"collective": True, "access": "random"}, then=then, why="IOR does not do both"))
        made.append(Rule(when={"interface": "HDF5", "access": "random"}, then=then, why="IOR does not do both"))
    return [c for c in made if isinstance(c, AtMost) or all(v in values.get(k, ()) for k, v in c.when.items())]


def _narrowed(
    constraint: Constraint, values: Mapping[str, Sequence[Value]], fixed: Mapping[str, Value]
) -> Constraint | None:
    """Return what a constraint says of the parameters of several values, beside those that are fixed; None if nothing.

    Raises:
        InvalidInput: the fixed ones break it.
    """
    rule = _beside_one(constraint, values) if isinstance(constraint, AtMost) else constraint
    if isinstance(rule, AtMost):
        return rule
    if any(fixed.get(name, value) != value for name, value in rule.when.items()):
        return None
    when, then = ({n: v for n, v in told.items() if n not in fixed} for told in (rule.when, rule.then))
    never = {name: those for name, those in rule.never.items() if those and name not in fixed}
    if not rule.breaks(fixed):
        return replace(rule, when=when, then=then, never=never) if then or never or rule.absent else None
    if not when:
        raise InvalidInput(
            f"[training] has no workload that can run ({rule.why or 'its values break its constraints'})",
            hint="give more values, or others; docs/platforms.md has an example",
        )
    *others, (name, value) = when.items()
    return Rule(when=dict(others), never={name: (value,)}, why=rule.why)


def _beside_one(limit: AtMost, values: Mapping[str, Sequence[Value]]) -> Constraint:
    """Return a limit as what it rules out of one parameter, where the other has one value only."""
    small, large = values[limit.smaller], values[limit.larger]
    numbers = all(isinstance(value, int | float) for value in (*small, *large))  # else the space says so
    if (len(small) > 1 and len(large) > 1) or not numbers:
        return limit
    name, out = limit.larger, [value for value in large if float(value) < float(small[0])]
    if len(small) > 1:
        name, out = limit.smaller, [value for value in small if float(value) > float(large[0])]
    return Rule(when={}, never={name: tuple(out)}, why=limit.why)


def _plain(value: Value) -> Value:
    return str(value) if isinstance(value, str) else value  # not a StrEnum: it is written and compared as text
