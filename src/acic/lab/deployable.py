"""What a lab can deploy: file systems with the programs that they need, and what a configuration asks of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from acic.cluster.lab import MOST_DEVICES, LabFacts, Room
from acic.cluster.lab.tools import DOCTOR, which
from acic.errors import InvalidInput
from acic.filesystems.deployment import Deployment, FileSystem, Layout
from acic.filesystems.nfs import BUILDERS, Nfs
from acic.filesystems.registry import FILE_SYSTEMS
from acic.lab import site as sites
from acic.lab.bridge import bridge
from acic.space import Value


def need(name: str, known: Mapping[str, FileSystem] | None) -> None:
    """Check that this machine has what the file system `name` is deployed with.

    Args:
        name: of it.
        known: by name, what can be deployed; None for all that acic knows.

    Raises:
        AcicError: something is missing, or nobody knows such a file system.
    """
    found = _known(name, known)
    needed = set(found.programs) - (set(BUILDERS) if isinstance(found, Nfs) else set())
    if absent := sorted(program for program in needed if which(program) is None):
        raise InvalidInput(f"{name} cannot be deployed: there is no program {', '.join(absent)}", hint=DOCTOR)
    _whole(found, known)  # with what is built for it


def planned(
    room: Room, configuration: Mapping[str, Value], known: Mapping[str, FileSystem] | None
) -> tuple[Layout, Deployment]:
    """Return who serves and who mounts where a configuration is deployed, and the steps to it.

    Args:
        room: where.
        configuration: which.
        known: by name, what can be deployed; None for all that acic knows.

    Raises:
        InvalidInput: it cannot be deployed there.
    """
    serving = sites.servers(room, configuration)
    layout = sites.layout(room, serving, _capacity(room.facts, configuration))
    file_system = _whole(_known(str(configuration.get("file_system")), known), known)
    return layout, file_system.deployment(layout, configuration)


def _known(name: str, known: Mapping[str, FileSystem] | None) -> FileSystem:
    all_known = FILE_SYSTEMS if known is None else known
    if name not in all_known:
        raise InvalidInput(f"{name!r} is no file system of the lab", hint=f"use {', '.join(all_known)}")
    return all_known[name]


def _whole(found: FileSystem, known: Mapping[str, FileSystem] | None) -> FileSystem:
    # the registry is pure: what it calls by name is found, or built, here
    return replace(found, program=str(bridge())) if isinstance(found, Nfs) and known is None else found


def _capacity(facts: LabFacts, configuration: Mapping[str, Value]) -> int:
    """Return how much the disks of each server hold, in B."""
    profile, count = str(configuration.get("device")), sites.number(configuration, "raid_devices")
    if profile not in facts.disks:
        raise InvalidInput(f"the lab has no disk {profile!r}", hint=f"use {', '.join(facts.disks)}")
    if not 1 <= count <= MOST_DEVICES:
        raise InvalidInput(f"{count} devices for a server", hint=f"give 1 to {MOST_DEVICES}")
    return facts.disks[profile].size * count
