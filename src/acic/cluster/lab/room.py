"""A machine room: nodes, their network and their disks, made and removed as a whole."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from acic.cluster.lab import checks, disks, network
from acic.cluster.lab.assembly import beginning, build, is_up, nodes_of, pair
from acic.cluster.lab.disks import Devices
from acic.cluster.lab.facts import LabFacts, check_name, check_network
from acic.cluster.lab.groups import groups
from acic.cluster.lab.nodes import MOUNT, STORE, Node
from acic.cluster.lab.perform import Performer, Services
from acic.cluster.lab.record import NAME, STATE, Lock, Names, Record
from acic.cluster.lab.runner import LabRunner
from acic.cluster.lab.sweep import clear, empty, sweep
from acic.cluster.lab.tools import tool
from acic.cluster.processes import Process
from acic.errors import InvalidInput, MissingData, with_sudo
from acic.steps import Step

_AT_ONCE = 4  # servers whose disks are made: as many as there mostly are


class Room:
    """A machine room that is up.

    Args:
        record: what is written down of it.
        lock: held while it is worked on; None to look only.
    """

    def __init__(self, record: Record, lock: Lock | None) -> None:
        self._record = record
        self._lock = lock
        self.facts = LabFacts.of(record.content["facts"])
        self.names = Names(record.name)
        self.groups = groups(self.names.group)
        self._nodes = nodes_of(record, self.groups.of)
        self._services: Services = {
            node: {name: Process(*known) for name, known in services.items()}
            for node, services in record.content["services"].items()
        }
        self._performer = Performer(self._nodes, self._services, self._save_services)

    @classmethod
    def up(cls, facts: LabFacts, *, nic: str, state: Path = STATE, name: str = NAME, at: str = "") -> Room:
        """Make a machine room.

        Args:
            facts: how large it is.
            nic: type of instance, which has the network interface that all nodes get.
            state: the folder for its record; of its own.
            name: of the lab, unique on this machine.
            at: the network, in place of that of the facts.

        Raises:
            InvalidInput: it is up already, or something of this machine is in the way.
            TransientError: the machine refuses something, or another process works on it.
        """
        check_name(name)
        check_network(at or facts.network)
        rate = _rate(facts, nic)
        lock = Lock(state)
        try:
            before = Record.read(state)
            if before is not None and is_up(before):
                raise InvalidInput("the lab is up already", hint="use it, or take it down first: acic lab down")
            sweep(state, name)
            names = Names(name)
            network.check_free(names, at or facts.network)
            record = Record(state, beginning(name, facts, nic, at or facts.network))
            record.save()
            names.claim(state)
            try:
                build(record, facts, rate)
            except BaseException:
                sweep(state, name)
                raise
            return cls(record, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, state: Path = STATE, *, control: bool = True) -> Room:
        """Return the machine room whose record is in `state`.

        Args:
            state: its folder.
            control: whether to change it; False to look only, also while another process works on it.

        Raises:
            MissingData: none is up there.
            TransientError: another process works on it.
        """
        lock = Lock(state) if control else None
        try:
            record = Record.read(state)
            if record is None or not is_up(record):
                half = "no lab is up" if record is None else "what is left of a lab is not whole"
                raise MissingData(half, hint=f"make one: {with_sudo('lab', 'up')}")
            return cls(record, lock)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    def close(self) -> None:
        """Let others work on it; it stays up."""
        if self._lock is not None:
            self._lock.release()

    def down(self) -> None:
        """Remove everything."""
        self._held()
        sweep(self._record.state, self.names.name)
        self.close()

    @property
    def state(self) -> Path:
        """The folder of its record."""
        return self._record.state

    @property
    def nodes(self) -> Mapping[str, Node]:
        """All nodes by name."""
        return self._nodes

    @property
    def nic(self) -> str:
        """The type of instance whose network interface the nodes have."""
        return str(self._record.content["nic"])

    @property
    def network(self) -> str:
        """Its network."""
        return str(self._record.content["network"])

    def rate(self, nic: str) -> int:
        """Return the bit/s of the network interface of a type of instance.

        Raises:
            InvalidInput: the facts know no such type.
        """
        return _rate(self.facts, nic)

    @property
    def shaped(self) -> bool:
        """Whether all links have the network interface that is written down: False where `set_nic` was cut off."""
        return bool(self._record.content.get("shaped", True))

    def set_nic(self, nic: str) -> None:
        """Give all nodes but the archive another network interface.

        Raises:
            InvalidInput: the facts know no such type of instance.
        """
        self._held()
        rate = self.rate(nic)
        self._note(nic=nic, shaped=False)
        network.reshape(self.names, self._nodes.values(), rate)
        self._note(shaped=True)

    def run(
        self, node: str, command: Sequence[str], *, seconds: float = 30.0, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a node to its end.

        Raises:
            InvalidInput: there is no such node.
            TransientError: it took longer than `seconds`, and was killed.
        """
        return self.node(node).run(command, seconds=seconds, stdin=stdin)

    def node(self, name: str) -> Node:
        """Return the node `name`.

        Raises:
            InvalidInput: there is no such node.
        """
        if name not in self._nodes:
            raise InvalidInput(f"the lab has no node {name}", hint=f"it has {', '.join(self._nodes)}")
        return self._nodes[name]

    def perform(self, steps: Iterable[Step]) -> None:
        """Do steps; see `Performer.perform`."""
        self._held()
        self._performer.perform(steps)

    def attach(self, nodes: Sequence[str], profile: str, count: int) -> Mapping[str, Devices]:
        """Make `count` disks for each server, and mount a file system over them at its /acic/store.

        Raises:
            InvalidInput: the facts know no such disk, or too many of it.
        """
        self._held()
        if profile not in self.facts.disks:
            raise InvalidInput(f"the lab has no disk {profile!r}", hint=f"use {', '.join(self.facts.disks)}")
        disk, folder = self.facts.disks[profile], self.names.images
        with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
            made = list(
                pool.map(lambda name: disks.make(self.node(name), profile, disk, count, folder, self.groups), nodes)
            )
        tables = {devices.node: devices.table() for devices in made}
        self._note(devices={**self._record.content["devices"], **tables})
        return {devices.node: devices for devices in made}

    @property
    def devices(self) -> Mapping[str, Devices]:
        """What servers keep their files on, by node."""
        return {node: Devices.of(table) for node, table in self._record.content["devices"].items()}

    def clear(self) -> None:
        """End everything that runs in nodes, unmount everything that was mounted in them, and take all disks away."""
        self._held()
        disks.unthrottle(self.names.images, self.groups)  # else what is left to be written is written slowly
        for node in self._nodes.values():
            clear(node, self.groups.processes(node.name))
            empty(node)
        disks.remove(self.names.images, self.groups)
        disks.forget(self._record.content["loops"])
        self._services.clear()
        self._note(devices={}, services={})

    def drop_caches(self) -> None:
        """Write back what the nodes have not, drop all that was read, and set limits again that follow memory."""
        for node in self._nodes.values():
            for path in (MOUNT, STORE):
                if node.mounted(path):
                    tool(*node.enter(["sync", "-f", path]), seconds=120)
        disks.discard_cache()
        for devices in self.devices.values():
            dirty = self.facts.disks[devices.profile].dirty
            for loop in devices.loops:
                disks.renew(disks.bdi(loop), dirty)
            for shared in disks.shared_bdi(devices):
                disks.renew(shared, dirty * len(devices.loops))

    def remember(self, key: str, value: Any) -> None:  # anything that JSON has
        """Write something down with the lab, for whoever opens it later."""
        self._held()
        self._note(notes={**self._record.content["notes"], key: value})

    def recall(self, key: str) -> Any:  # anything that JSON has
        """Return what was written down as `key`; None if nothing was."""
        return self._record.content["notes"].get(key)

    def runner(self, *, environment: Mapping[str, str] | None = None, mpiexec: Path | None = None) -> LabRunner:
        """Return what runs jobs on the compute nodes; `environment` is added to theirs."""
        compute = [self._nodes[name] for name in self.facts.compute]
        return LabRunner(compute, self.names.bridge, environment=environment, mpiexec=mpiexec)

    def audit(self) -> list[str]:
        """Return what is not as it has to be for a measurement to mean something; see `checks`."""
        rate = self.facts.nics[self.nic]
        return checks.room(self._nodes.values(), self.devices, self.facts, rate, self.names, self.groups)

    def _held(self) -> None:
        if self._lock is None:
            raise InvalidInput("this lab was opened to look only", hint="open it with control")

    def _note(self, **changes: Any) -> None:  # anything that JSON has
        self._record.content.update(changes)
        self._record.save()

    def _save_services(self) -> None:
        table = {node: {name: pair(known) for name, known in some.items()} for node, some in self._services.items()}
        self._note(services=table)


def _rate(facts: LabFacts, nic: str) -> int:
    if nic not in facts.nics:
        raise InvalidInput(f"the lab has no instance type {nic!r}", hint=f"use {', '.join(facts.nics)}")
    return facts.nics[nic]
