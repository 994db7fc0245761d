"""A platform: where an application runs, told as dated facts."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from acic.errors import InvalidInput, MissingData
from acic.space import Configuration, Constraint, Space, Value

SECONDS_PER_HOUR = 3600.0
APPLY = ("storage", "files", "lustre", "ceph", "orangefs", "romio", "deployment", "lab")  # kinds of what can be set
RESERVED_HINTS = (  # of MPI-IO, beside those that begin with cb_; Source: MPI 4.0, 14.2.8
    *("access_style", "chunked", "chunked_item", "chunked_size", "collective_buffering", "file_perm"),
    *("io_node_list", "nb_proc", "num_io_nodes", "striping_factor", "striping_unit"),
)
WORKLOAD = (  # names of what a workload has: models see both beside one another
    *("processes", "io_processes", "interface", "iterations", "data_size", "request_size"),
    *("operation", "collective", "shared", "access"),
)
_SWITCHES = ("romio_cb_read", "romio_cb_write", "romio_ds_read", "romio_ds_write")  # hints of ROMIO
_TWICE = (("stripe_count", "striping_factor"), ("stripe_size", "striping_unit"))  # Source: ROMIO, ad_lustre_open.c
_SWITCHED = ("automatic", "enable", "disable")  # or in capitals; Source: ROMIO, adio/common/hint_fns.c


def is_hint(name: str) -> bool:
    """Return whether a parameter is a hint for MPI-IO: one of ROMIO's own, or one that the standard reserves."""
    return name.startswith(("romio_", "cb_", "ind_")) or name in (*RESERVED_HINTS, "start_iodevice")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Where a number comes from, and when it held."""

    source: str
    date: str  # ISO 8601: 2013-05 or 2013-05-06


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A kind of machine that jobs are placed on."""

    name: str
    cores: int
    memory: int | None  # B; None where it is not known
    price: float | None  # USD/h; None where nobody is billed
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A kind of disk under the file system."""

    name: str
    price: float | None  # USD/h for each; None where nobody is billed
    persistent: bool  # whether what is on it outlives the machines; else results are staged out
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which system parameters decide what is paid for; "" where the platform has no such choice."""

    instance: str = ""  # the parameter that names the instance type
    servers: str = ""  # the parameter that counts I/O servers
    placement: str = ""  # the parameter that says where servers run
    dedicated: Value = ""  # its value for servers on machines of their own
    storage: str = ""  # the parameter that names the directory where files go
    device: str = ""  # the parameter that names the kind of disk
    devices: str = ""  # the parameter that counts the disks of each server


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """System parameters, the baseline configuration, machines and prices, each with its source.

    Raises:
        InvalidInput: the baseline is no valid configuration of the space, or a name is none of what it should be.
    """

    name: str
    title: str
    revision: str  # measurements of an older revision weigh less
    about: str
    space: Space
    baseline: Configuration
    baseline_fact: Fact
    instances: Mapping[str, Instance]
    default_instance: str
    roles: Roles
    apply: tuple[str, ...]  # how an answer is typed in: names of acic.blueprints
    missing: str = ""  # what to do where no measurement exists yet
    deployment: tuple[str, ...] = ()  # parameters whose change means deploying anew: a campaign changes them seldom
    training: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)  # workload values that a campaign runs
    training_constraints: tuple[Constraint, ...] = ()  # combinations of them that it runs, in a reasonable time
    disks: Mapping[str, Disk] = field(default_factory=dict)
    directory: str = ""  # where runs write, if configurations choose no storage; "" for where their user stands
    compute_nodes: int | None = None  # that every job gets, whatever its processes; None for as many as it fills
    lab: Mapping[str, Any] = field(default_factory=dict)  # the virtual cluster's facts, for acic.cluster.lab to read
    fact: Fact
    copy_of: str = field(default="", compare=False, repr=False)  # the platform that comes with acic and that it is
    given: str = field(default="", compare=False, repr=False)  # what it was asked for by: a name, or a file's path

    def __post_init__(self) -> None:
        if problem := self.space.problem(self.baseline):
            raise InvalidInput(f"the baseline of {self.name} is not valid: {problem}", hint="correct [baseline]")
        self.space.point(self.baseline)  # its values must be listed, because improvements are told over it
        roles = self.roles
        named = (roles.instance, roles.servers, roles.placement, roles.storage, roles.device, roles.devices)
        for role in (*named, *self.deployment):
            if role and role not in self.space.names:
                raise InvalidInput(
                    f"{role!r} of {self.name} is no parameter", hint="correct [roles] or the list `deployment`"
                )
        self._check_names()
        self._check_kinds()
        self._check_stripes()
        self._check_switches()
        self._check_roles()

    def _check_names(self) -> None:
        """Refuse parameters that are called as a workload's are: nobody could tell which of the two is meant."""
        for name in self.space.names:
            if name in WORKLOAD:
                raise InvalidInput(
                    f"a parameter of {self.name} is called {name!r}, as a characteristic of workloads",
                    hint=f"give it another name, as system_{name}; those of workloads are {', '.join(WORKLOAD)}",
                )

    def _check_kinds(self) -> None:
        """Refuse names of machines, disks and settings that there are none of: what they stand for would not count."""
        for kind in self.apply:
            if kind not in APPLY:
                raise InvalidInput(f"apply has {kind!r}", hint=f"what can be set is {', '.join(APPLY)}")
        chosen = self.space[self.roles.instance].values if self.roles.instance else ()
        for name in (self.default_instance, *chosen):
            if name not in self.instances:
                raise InvalidInput(
                    f"{name!r} of {self.name} is no instance", hint=f"[[instance]] has {', '.join(self.instances)}"
                )
        if (
            self.roles.device
            and self.disks
            and (missing := set(self.space[self.roles.device].values) - set(self.disks))
        ):
            raise InvalidInput(
                f"{min(map(str, missing))!r} of {self.name} is no disk", hint=f"[[disk]] has {', '.join(self.disks)}"
            )

    def _check_stripes(self) -> None:
        """Refuse stripes that a hint sets too: which of the two a file gets, neither says."""
        if not {"lustre", "romio"} <= set(self.apply):
            return
        for layout, hint in _TWICE:
            if layout in self.space.names and hint in self.space.names:
                raise InvalidInput(
                    f"{layout} and {hint} of {self.name} set the same thing twice, by lustre and by romio",
                    hint=f"leave {hint} out: {layout} is for all interfaces, and {hint} for MPI-IO alone",
                )

    def _check_switches(self) -> None:
        """Refuse values of hints that ROMIO would ignore without a word."""
        for parameter in self.space.parameters:
            known = {*_SWITCHED, *map(str.upper, _SWITCHED)}
            if parameter.name in _SWITCHES and (wrong := set(parameter.values) - known):
                raise InvalidInput(
                    f"{parameter.name} of {self.name} has {min(map(str, wrong))!r}, which ROMIO would ignore",
                    hint=f"its values are {', '.join(_SWITCHED)}",
                )

    def _check_roles(self) -> None:
        """Refuse roles by which nothing can be counted."""
        roles = self.roles
        for name in filter(None, (roles.servers, roles.devices)):
            if not all(type(value) is int and value > 0 for value in self.space[name].values):
                raise InvalidInput(f"{name} of {self.name} counts nothing", hint="its values are whole numbers above 0")
        if roles.placement and roles.dedicated == "":  # no server would be paid for
            raise InvalidInput(
                f"[roles] of {self.name} has placement, and no dedicated",
                hint=f"name the value of {roles.placement} that puts servers on machines of their own",
            )
        for directory in self.space[roles.storage].values if roles.storage else ():
            if not str(directory).startswith("/"):
                raise InvalidInput(
                    f"{roles.storage} of {self.name} has {directory!r}", hint="name directories from / on, without ~"
                )
        if self.directory and roles.storage:
            raise InvalidInput(
                f"directory of {self.name} does nothing: configurations choose {roles.storage}",
                hint=f"leave it out, or put it among the values of {roles.storage}",
            )
        if self.directory and not self.directory.startswith("/"):
            raise InvalidInput(f"directory is {self.directory!r}", hint="name it from / on, without ~")
        places = self.space[roles.placement].values if roles.placement else ("",)
        if roles.dedicated != "" and roles.dedicated not in places:
            raise InvalidInput(
                f"dedicated is {roles.dedicated!r}", hint="[roles] has placement, and dedicated is one of its values"
            )

    @property
    def argument(self) -> str:
        """What commands take for it, quoted for a shell: hints name it as its user did."""
        return shlex.quote(self.given or self.name)

    @property
    def hints(self) -> tuple[str, ...]:
        """The parameters that are hints for MPI-IO."""
        return tuple(filter(is_hint, self.space.names))

    @property
    def priced(self) -> bool:
        """Whether anybody is billed for its machines."""
        return any(one.price for one in self.instances.values())

    def at_price(self, price: float | None) -> Platform:
        """Return it with every machine at that price, USD/h; as it is for None."""
        if price is None:
            return self
        return replace(self, instances={name: replace(one, price=price) for name, one in self.instances.items()})

    @property
    def processors(self) -> int | None:
        """The cores of all compute nodes, if they are the largest; None where a job gets as many nodes as it fills."""
        if self.compute_nodes is None:
            return None
        names = self.space[self.roles.instance].values if self.roles.instance else (self.default_instance,)
        return self.compute_nodes * max(self.instances[str(name)].cores for name in names)

    def instance_for(self, configuration: Mapping[str, Value]) -> Instance:
        """Return the kind of machine that `configuration` runs on."""
        name = configuration.get(self.roles.instance, self.default_instance)
        return self.instances[str(name)]

    def machines(self, configuration: Mapping[str, Value], processes: int) -> int:
        """Return the machines that the processes of a job are on, if it fills them."""
        return self.compute_nodes or math.ceil(processes / self.instance_for(configuration).cores)

    def nodes(self, configuration: Mapping[str, Value], processes: int, *, held: int = 1) -> int:
        """Return the machines paid for: those of the processes, or `held` if more, and every dedicated I/O server."""
        compute = max(held, self.machines(configuration, processes))
        if not self.roles.placement or configuration.get(self.roles.placement) != self.roles.dedicated:
            return compute
        return compute + int(configuration.get(self.roles.servers, 1))

    def disk_for(self, configuration: Mapping[str, Value]) -> Disk | None:
        """Return the kind of disk that `configuration` is on; None where the platform does not tell."""
        return self.disks.get(str(configuration.get(self.roles.device)))

    def stages_out(self, configuration: Mapping[str, Value]) -> bool:
        """Return whether results are lost with the machines, unless they are copied to where they last."""
        disk = self.disk_for(configuration)
        return disk is not None and not disk.persistent

    def cost(
        self,
        configuration: Mapping[str, Value],
        processes: int,
        seconds: float,
        *,
        price: float | None = None,
        held: int = 1,
    ) -> float:
        """Return what a run costs, USD: execution time x (instances x unit price + disks x theirs).

        Args:
            configuration: the system configuration of the run.
            processes: processes of the job.
            seconds: execution time of the job, s.
            price: USD per machine and hour, where the platform's own is not wanted or not known.
            held: machines that are asked for, as its processes may need fewer.

        Raises:
            MissingData: the platform has no price and none was given.

        Source: Liu et al., SC13, equation (1); the price of disks is added.
        """
        unit = price if price is not None else self.instance_for(configuration).price
        if unit is None:
            raise MissingData(
                f"platform {self.name} has no prices", hint="give --price USD_PER_NODE_HOUR, or use --goal time"
            )
        hourly = self.nodes(configuration, processes, held=held) * unit + self._disks_price(configuration)
        return seconds * hourly / SECONDS_PER_HOUR

    def _disks_price(self, configuration: Mapping[str, Value]) -> float:
        """Return what all servers' disks cost, USD/h."""
        disk = self.disk_for(configuration)
        if disk is None or not disk.price:
            return 0.0
        return (
            disk.price * int(configuration.get(self.roles.servers, 1)) * int(configuration.get(self.roles.devices, 1))
        )
