"""A file system on servers and clients, told as steps: pure, so that the lab runs what a cloud is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from acic.space import Value
from acic.steps import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A node that serves.

    Args:
        node: its name.
        address: that other nodes reach it by.
        store: an empty directory on the devices to be served; everything that is kept goes below it.
        state: a directory for what does not have to outlive the deployment: configuration, sockets.
        capacity: B that the devices hold.
    """

    node: str
    address: str
    store: str
    state: str
    capacity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A node that mounts.

    Args:
        node: its name; that of a server too, where servers are part-time.
        address: that other nodes reach it by.
        mount: an empty directory to mount at.
        state: as a server's.
    """

    node: str
    address: str
    mount: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Who serves and who mounts."""

    servers: tuple[Server, ...]
    clients: tuple[Client, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A setting as the running system tells it: what a configuration asked for must be what is there.

    Args:
        name: the system parameter, or what else is checked.
        node: where to ask.
        command: what to ask; its exit status must be 0.
        matches: regular expression that its standard output must match somewhere; `^` and `$` are at any line.
    """

    name: str
    node: str
    command: tuple[str, ...]
    matches: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """Everything about one file system in one configuration.

    Args:
        steps: bring it up, in order. After them every client has it mounted.
        knobs: read back every setting; commands may make and remove a file of their own on a client's mount.
        teardown: take it down, in order, however far `steps` came; twice is as good as once. The stores are left to
            whoever made them.
        fresh: commands on nodes that empty the file system's own caches (the kernel's page cache is the machine's
            affair), so that what is read next comes from the devices.
        directory: where on each client an application's files go: the mount, or a directory in it.
        hints: MPI-IO hints that applications need to get right bytes here (docs/filesystems.md says why).
        environment: variables that applications need, for instance to reach a ROMIO driver.
        holds_back: whether clients may still hold written data when files are closed; a sync of a file sends it.
    """

    steps: tuple[Step, ...]
    knobs: tuple[Knob, ...]
    teardown: tuple[Step, ...]
    fresh: tuple[Step, ...] = ()
    directory: str
    hints: Mapping[str, str]
    environment: Mapping[str, str]
    holds_back: bool = False


class FileSystem(Protocol):
    """One file system. Values of system parameters that it has no use for are left aside."""

    @property
    def name(self) -> str:
        """Its value of the parameter `file_system`."""

    @property
    def programs(self) -> tuple[str, ...]:
        """Programs that must be on PATH."""

    @property
    def packages(self) -> tuple[str, ...]:
        """Debian packages that bring the programs; none where it is in no distribution."""

    def deployment(self, layout: Layout, configuration: Mapping[str, Value]) -> Deployment:
        """Return how the file system is brought up on `layout` as `configuration` says.

        Raises:
            InvalidInput: a value that the file system cannot be given, or too few servers for it.
        """
