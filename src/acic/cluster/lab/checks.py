"""What has to be so of the machine room, or a measurement in it means nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from acic.cluster.lab import disks, network
from acic.cluster.lab.disks import Devices
from acic.cluster.lab.facts import ARCHIVE, LabFacts
from acic.cluster.lab.groups import Groups, wanted
from acic.cluster.lab.nodes import STORE, Node
from acic.cluster.lab.record import Names
from acic.cluster.lab.tools import read
from acic.errors import TransientError

_ROUNDED = 0.001  # of a rate: `tc` prints at least three digits of it


def room(
    nodes: Iterable[Node], devices: Mapping[str, Devices], facts: LabFacts, rate: int, names: Names, groups: Groups
) -> list[str]:
    """Return what is wrong with nodes, links, quotas and disks; empty if nothing is."""
    return [
        trouble
        for node in nodes
        for trouble in (
            *_links(node, 0 if node.name == ARCHIVE else rate, names),
            *_quotas(node, facts, groups),
            *(_disks(node, devices[node.name], facts, names.images, groups) if node.name in devices else ()),
        )
    ]


def _links(node: Node, rate: int, names: Names) -> Iterator[str]:
    for way, found in network.rates(names, node).items():
        if abs(found - rate) > _ROUNDED * rate:
            yield f"the link {way} {node.name} is held to {found} bit/s, not {rate}"


def _quotas(node: Node, facts: LabFacts, groups: Groups) -> Iterator[str]:
    for path, value in groups.limits(node.name, facts).items():
        if read(path) != value:
            yield f"{path.name} of {node.name} is {read(path) or 'not set'}, not {value}"
    for folder in node.groups:
        if str(node.pid) not in read(folder / "cgroup.procs").split():
            yield f"{node.name} is not in its group {folder}"


def _disks(node: Node, devices: Devices, facts: LabFacts, folder: Path, groups: Groups) -> Iterator[str]:
    disk = facts.disks[devices.profile]
    behind = disks.spindles_of(folder)
    for spindle, loop in zip(devices.spindles, devices.loops, strict=True):
        if spindle not in behind or disks.over(spindle) != [loop]:
            yield f"{spindle} of {node.name} is no disk of the lab"
            continue
        if groups.throttled(disks.numbers(spindle)) != wanted(disk):
            yield f"the disk {spindle} of {node.name} does not do what {devices.profile} does"
        if not (disks.direct(spindle) and disks.direct(loop)):
            yield f"the disk {spindle} of {node.name} is cached by this machine"
        disks.renew(disks.bdi(loop), disk.dirty)
        if not disks.limited(disks.bdi(loop), disk.dirty):
            yield f"the disk {spindle} of {node.name} lets other amounts wait to be written than {disk.dirty} B"
    try:
        shared = disks.shared_bdi(devices)
    except TransientError as error:
        yield error.problem
        shared = []
    for place in shared:
        disks.renew(place, disk.dirty * len(devices.loops))
        if not disks.limited(place, disk.dirty * len(devices.loops)):
            yield f"the store of {node.name} lets other amounts wait to be written than {disk.dirty} B a disk"
    mounted = [(kind, source) for path, kind, source in node.mounts() if path == STORE]
    if len(mounted) != 1 or mounted[0][0] != devices.kind or mounted[0][1] not in devices.loops:
        yield f"{STORE} of {node.name} is not on its disks: {mounted or 'nothing is mounted'}"
