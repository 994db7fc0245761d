"""A lab with a file system on it."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from acic.cluster.lab import NAME, RECORD, LabFacts, LabRunner, Node, Room
from acic.errors import AcicError, InvalidInput, TransientError, with_sudo
from acic.filesystems.deployment import FileSystem
from acic.lab import deployable
from acic.lab.inspection import mount_of, troubles
from acic.lab.site import Site, number
from acic.space import Value
from acic.steps import Step

_log = logging.getLogger(__name__)

_DEPLOYED = "deployed"  # the note that says what is, or was about to be
_LAST = "last"  # the note of the configuration that was taken down last


class OtherLab(InvalidInput):
    """A lab is up, and another one than what is to be measured is of."""


class Lab:
    """A lab that is up.

    Args:
        room: its nodes, network and disks.
        file_systems: by value of the parameter `file_system`; None for all that acic knows.
    """

    def __init__(self, room: Room, file_systems: Mapping[str, FileSystem] | None = None) -> None:
        self.room = room
        self._known = file_systems
        self._site: Site | None = None
        note = room.recall(_DEPLOYED)
        if note is not None and note["whole"]:
            self._site = self._reopened(note)

    @classmethod
    def up(
        cls,
        facts: LabFacts,
        *,
        nic: str,
        state: Path = RECORD,
        name: str = NAME,
        network: str = "",
        file_systems: Mapping[str, FileSystem] | None = None,
    ) -> Lab:
        """Make a lab; what a killed controller left of one there is removed first.

        Args:
            facts: how large it is.
            nic: type of instance, which has the network interface that all nodes get.
            state: the folder for its record; of its own.
            name: of the lab, unique on this machine, at most 6 letters and digits.
            network: in place of that of the facts, as "10.47.0.0/24".
            file_systems: what can be deployed; None for all that acic knows.

        Raises:
            InvalidInput: it is up already, or something of this machine is in the way.
            TransientError: the machine refuses something, or another process works on it.
        """
        return cls(Room.up(facts, nic=nic, state=state, name=name, at=network), file_systems)

    @classmethod
    def open(
        cls,
        state: Path = RECORD,
        *,
        control: bool = True,
        facts: LabFacts | None = None,
        file_systems: Mapping[str, FileSystem] | None = None,
    ) -> Lab:
        """Return the lab whose record is in `state`; without `control`, to look only.

        Args:
            state: the folder of its record.
            control: whether to work on it.
            facts: those of the platform that is to be measured; None for any.
            file_systems: what can be deployed; None for all that acic knows.

        Raises:
            MissingData: none is up there.
            OtherLab: it is up with other facts.
            TransientError: another process works on it.
        """
        made = cls(Room.open(state, control=control), file_systems)
        if facts is not None and made.facts != facts:
            made.close()
            raise OtherLab(
                f"the lab that is up is another one than the platform's file tells of: {made.facts.unlike(facts)[0]}",
                hint=f"{with_sudo('lab', 'down')}, then {with_sudo('lab', 'up', '--platform', 'PLATFORM')}",
            )
        return made

    def close(self) -> None:
        """Let others work on it; it stays up, with what is deployed."""
        self.room.close()

    def down(self) -> None:
        """Remove everything."""
        self.room.down()

    @property
    def facts(self) -> LabFacts:
        """How large it is, and what its parts do."""
        return self.room.facts

    @property
    def nodes(self) -> Mapping[str, Node]:
        """All nodes by name."""
        return self.room.nodes

    def processes(self) -> set[int]:
        """Return what runs in its nodes now."""
        return self.room.groups.processes()

    @property
    def nic(self) -> str:
        """The type of instance whose network interface the nodes have."""
        return self.room.nic

    def set_nic(self, nic: str) -> None:
        """Give all nodes but the archive another network interface."""
        self.room.set_nic(nic)

    def run(
        self, node: str, command: Sequence[str], *, seconds: float = 30.0, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a node to its end; see `Room.run`."""
        return self.room.run(node, command, seconds=seconds, stdin=stdin)

    def perform(self, steps: Iterable[Step]) -> None:
        """Do steps.

        Raises:
            InvalidInput: a step that cannot be done in any lab.
            TransientError: one that failed: with its node and the last lines of its log.
        """
        self.room.perform(steps)

    @property
    def site(self) -> Site | None:
        """What is deployed; None if nothing is, or not all of it."""
        return self._site

    def deploy(self, configuration: Mapping[str, Value]) -> Site:
        """Deploy what `configuration` says, in place of what is deployed now; tried twice.

        Raises:
            InvalidInput: the configuration cannot be deployed here.
            TransientError: it failed twice.
        """
        try:
            return self._deploy(configuration)
        except TransientError as error:
            _log.warning("deploying failed, and is tried again: %s", error.problem)
        try:
            return self._deploy(configuration)
        except TransientError as error:
            self.undeploy_after(error)
            raise

    def _deploy(self, configuration: Mapping[str, Value]) -> Site:
        self.need(str(configuration.get("file_system")))
        layout, deployment = deployable.planned(self.room, configuration, self._known)
        nic = str(configuration.get("instance_type", self.nic))
        self.room.rate(nic)
        self.undeploy()
        if nic != self.nic or not self.room.shaped:
            self.set_nic(nic)
        self._note(configuration, whole=False, mounts={})
        profile, count = str(configuration.get("device")), number(configuration, "raid_devices")
        devices = self.room.attach([server.node for server in layout.servers], profile, count)
        self.perform(deployment.steps)
        mounts = {client.node: mount_of(self.nodes[client.node]) for client in layout.clients}
        made = Site(
            configuration=dict(configuration),
            deployment=deployment,
            layout=layout,
            devices=devices,
            mounted=tuple(mounts),
            mounts=mounts,
        )
        if found := troubles(self.room, made):
            raise TransientError(f"what was deployed is not what was asked for: {'; '.join(found)}", hint="try again")
        self._note(configuration, whole=True, mounts=mounts)
        self._site = made
        return made

    def need(self, name: str) -> None:
        """Check that this machine has what the file system `name` is deployed with.

        Raises:
            AcicError: something is missing, or the lab knows no such file system.
        """
        deployable.need(name, self._known)

    def undeploy(self) -> None:
        """Take down what is deployed, however far it came, and wipe the disks; safe when nothing is.

        Raises:
            TransientError: something stays.
        """
        note = self.room.recall(_DEPLOYED)
        self._site = None
        if note is not None:
            self.room.remember(_LAST, note["configuration"])
            self.room.remember(_DEPLOYED, {**note, "whole": False})  # else who opens it next would use what stays
            try:
                _, deployment = deployable.planned(self.room, note["configuration"], self._known)
                self.perform(deployment.teardown)
            except TransientError as error:
                _log.warning("what does not go by itself is ended: %s", error.problem)
        self.room.clear()
        if note is not None:
            self.room.remember(_DEPLOYED, None)

    @property
    def last(self) -> Mapping[str, Value] | None:
        """The configuration that is deployed, or else was last, whoever took it down; None if there is none."""
        note = self.room.recall(_DEPLOYED)
        found: Mapping[str, Value] | None = self.room.recall(_LAST) if note is None else note["configuration"]
        return found

    def forget_last(self) -> None:
        """Forget what was deployed last: whoever took it down wanted that."""
        self.room.remember(_LAST, None)

    def undeploy_after(self, error: BaseException) -> None:
        """Take down what is deployed because of an error, which gets as a note what stays."""
        try:
            self.undeploy()
        except AcicError as left:
            error.add_note(f"the file system cannot be taken down: {left.problem}; {left.hint}")

    def fresh(self) -> None:
        """Empty all caches, so that what is read next comes from the disks."""
        if self._site is not None:
            self.perform(self._site.deployment.fresh)
        self.room.drop_caches()

    def audit(self, *, knobs: bool = True) -> list[str]:
        """Return everything that would make a run here mean something else than it says; empty if nothing does.

        Args:
            knobs: ask the running system for its settings too, which takes longer than all the rest.
        """
        deployed = troubles(self.room, self._site, knobs=knobs) if self._site is not None else ()
        return [*self.room.audit(), *deployed]

    def runner(self, *, mpiexec: Path | None = None) -> LabRunner:
        """Return what runs jobs on the compute nodes, with what the file system there needs."""
        environment = self._site.deployment.environment if self._site is not None else {}
        return self.room.runner(environment=environment, mpiexec=mpiexec)

    def _note(self, configuration: Mapping[str, Value], *, whole: bool, mounts: Mapping[str, tuple[str, str]]) -> None:
        self.room.remember(_DEPLOYED, {"configuration": dict(configuration), "whole": whole, "mounts": dict(mounts)})

    def _reopened(self, note: Mapping[str, Any]) -> Site:
        configuration = note["configuration"]
        layout, deployment = deployable.planned(self.room, configuration, self._known)
        return Site(
            configuration=configuration,
            deployment=deployment,
            layout=layout,
            devices=self.room.devices,
            mounted=tuple(note["mounts"]),
            mounts={node: (kind, source) for node, (kind, source) in note["mounts"].items()},
        )
