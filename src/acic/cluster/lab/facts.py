"""The facts of a virtual cluster, from the `[lab]` table of a platform file."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from acic.errors import InvalidInput
from acic.units import bytes_of, count_of, number_of

ARCHIVE = "archive"  # the node that keeps what must outlive the others
MOST_NODES = 30  # of a kind: what the addresses have room for

# The least of each, all else as in lab.toml, with which all file systems came up and took 2 MiB (2026-11-28). CephFS
# asks for most: half of the memory or of the I/Os was too little, and its store keeps 290 MiB of a disk for itself.
_LEAST_CPU = 0.05
_LEAST_MEMORY = "128MiB"
_LEAST_RATE = 1_000_000
_LEAST_OF_DISK = {"read": "1MB", "write": "1MB", "read_iops": "20", "write_iops": "20", "dirty": "4KiB", "size": "1GiB"}

_NAME = re.compile(r"[a-z][a-z0-9]{0,5}")
_HINT = "see the [lab] table of the platform `lab`: acic platform show lab --json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """What a disk does.

    Args:
        read: B/s.
        write: B/s.
        read_iops: reads per second.
        write_iops: writes per second.
        dirty: B of pages that may wait to be written.
        size: B.
    """

    read: int
    write: int
    read_iops: int
    write_iops: int
    dirty: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabFacts:
    """How large a lab is, and what its parts do.

    Args:
        compute_nodes: named c0, c1, ...
        server_nodes: named s0, s1, ...
        network: of the form "10.47.0.0/24".
        cpu: cores that each node may use; a fraction is one.
        memory: B that each node may use, page cache included.
        nics: bit/s of each type of instance.
        disks: by name.
        archive_rate: bit/s that one node stages results out with; 0 if nothing is said of it.
    """

    compute_nodes: int
    server_nodes: int
    network: str
    cpu: float
    memory: int
    nics: Mapping[str, int]
    disks: Mapping[str, Disk]
    archive_rate: int = 0

    def __post_init__(self) -> None:
        for count, what in ((self.compute_nodes, "compute"), (self.server_nodes, "server")):
            if not 1 <= count <= MOST_NODES:
                raise InvalidInput(f"a lab of {count} {what} nodes", hint=f"give 1 to {MOST_NODES}")
        check_network(self.network)
        if not self.nics or not self.disks:
            raise InvalidInput("the lab has no network interface or no disk", hint=_HINT)
        for name, value, least in self._figures():
            if not value >= (bytes_of(least) if isinstance(least, str) else least):
                raise InvalidInput(
                    f"{name} of the [lab] table is {value}, too little for its file systems",
                    hint=f"give {least} at least",
                )

    def _figures(self) -> Iterator[tuple[str, float, float | str]]:
        """Yield each fact that can be too little: as the table names it, with its value and the least one."""
        yield "node.cpu", self.cpu, _LEAST_CPU
        yield "node.memory", self.memory, _LEAST_MEMORY
        for name, rate in self.nics.items():
            yield f'nic."{name}".rate', rate, _LEAST_RATE
        for name, disk in self.disks.items():
            for key, least in _LEAST_OF_DISK.items():
                yield f'disk."{name}".{key}', getattr(disk, key), least

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> LabFacts:
        """Return the facts that `table` states: the `[lab]` table of a platform file.

        Raises:
            InvalidInput: something is missing, or cannot be.
        """
        if not table:
            raise InvalidInput("this platform has no [lab] table", hint="use --platform lab, or write one")
        try:
            return cls(
                compute_nodes=count_of(table["compute_nodes"]),
                server_nodes=count_of(table["server_nodes"]),
                network=str(table["network"]),
                cpu=number_of(table["node"]["cpu"]),
                memory=bytes_of(table["node"]["memory"]),
                nics={name: _rate(nic["rate"]) for name, nic in table["nic"].items()},
                disks={name: _disk(disk) for name, disk in table["disk"].items()},
                archive_rate=_rate(table.get("archive", {}).get("rate", 0)),
            )
        except KeyError as error:
            raise InvalidInput(f"the [lab] table lacks {error.args[0]!r}", hint=_HINT) from error
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            raise InvalidInput(f"the [lab] table cannot be read: {error}", hint=_HINT) from error

    def table(self) -> dict[str, Any]:
        """Return what `of` reads back as the same facts."""
        return {
            "compute_nodes": self.compute_nodes,
            "server_nodes": self.server_nodes,
            "network": self.network,
            "node": {"cpu": self.cpu, "memory": self.memory},
            "nic": {name: {"rate": rate} for name, rate in self.nics.items()},
            "disk": {name: {key: getattr(disk, key) for key in Disk.__slots__} for name, disk in self.disks.items()},
            "archive": {"rate": self.archive_rate},
        }

    def unlike(self, other: LabFacts) -> list[str]:
        """Return each fact that another lab has otherwise, with both values: what is here first."""
        mine, theirs = dict(_flat(self.table())), dict(_flat(other.table()))
        return [
            f"{name} is {mine.get(name, 'not told')}, not {theirs.get(name, 'told')}"
            for name in dict.fromkeys((*mine, *theirs))
            if mine.get(name) != theirs.get(name)
        ]

    @property
    def compute(self) -> tuple[str, ...]:
        """Names of the compute nodes."""
        return tuple(f"c{index}" for index in range(self.compute_nodes))

    @property
    def servers(self) -> tuple[str, ...]:
        """Names of the server nodes."""
        return tuple(f"s{index}" for index in range(self.server_nodes))


def check_network(network: str) -> None:
    """Check that `network` is one that a lab can use.

    Raises:
        InvalidInput: it is no private IPv4 network of 256 addresses.
    """
    try:
        made = ipaddress.IPv4Network(network)
    except ValueError as error:
        raise InvalidInput(f"{network!r} is no network: {error}", hint="write 10.47.0.0/24") from error
    if made.prefixlen != 24 or not made.is_private or str(made) != network:  # addresses are made from the text
        raise InvalidInput(
            f"the network {network} does not do for a lab", hint="give a private one of the form 10.N.0.0/24"
        )


def check_name(name: str) -> None:
    """Check the name of a lab: names of interfaces are made from it.

    Raises:
        InvalidInput: it is too long, or has other characters than a-z and 0-9.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} is no name for a lab", hint="use up to 6 letters and digits, a letter first")


def addresses(facts: LabFacts, network: str) -> dict[str, str]:
    """Return the IPv4 address of each node, in the order in which they are shown."""
    prefix = network.rpartition(".")[0]
    found = {name: f"{prefix}.{11 + index}" for index, name in enumerate(facts.compute)}
    found |= {name: f"{prefix}.{51 + index}" for index, name in enumerate(facts.servers)}
    return found | {ARCHIVE: f"{prefix}.91"}


def _flat(table: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value


def _rate(told: object) -> int:
    return round(number_of(told))  # as `acic.prior` reads it


def _disk(table: Mapping[str, Any]) -> Disk:
    return Disk(
        read=bytes_of(table["read"]),
        write=bytes_of(table["write"]),
        read_iops=_rate(table["read_iops"]),
        write_iops=_rate(table["write_iops"]),
        dirty=bytes_of(table["dirty"]),
        size=bytes_of(table["size"]),
    )
