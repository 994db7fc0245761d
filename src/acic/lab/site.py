"""From a configuration to who serves and who mounts, and what then is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acic.cluster.lab import MOUNT, STATE, STORE, Devices, Node, Room
from acic.errors import InvalidInput
from acic.filesystems.deployment import Client, Deployment, Layout, Server
from acic.space import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A file system that is deployed.

    Args:
        configuration: that it was asked for by.
        deployment: its steps, and what applications need.
        layout: who serves and who mounts.
        devices: of each server.
        mounted: names of the nodes that have it mounted.
        mounts: type and source of each one's mount, as it was right after the deployment.
    """

    configuration: Mapping[str, Value]
    deployment: Deployment
    layout: Layout
    devices: Mapping[str, Devices]
    mounted: tuple[str, ...]
    mounts: Mapping[str, tuple[str, str]]


def servers(room: Room, configuration: Mapping[str, Value]) -> tuple[Node, ...]:
    """Return the nodes that serve.

    Raises:
        InvalidInput: there are too few of them, or the placement is none.
    """
    count = number(configuration, "servers")
    places = {"part-time": room.facts.compute, "dedicated": room.facts.servers}
    placement = configuration.get("placement")
    if placement not in places:
        raise InvalidInput(f"servers cannot be placed {placement!r}", hint=f"use {' or '.join(places)}")
    names = places[str(placement)]
    if not 1 <= count <= len(names):
        raise InvalidInput(f"the lab has no {count} nodes for {placement} servers", hint=f"use 1 to {len(names)}")
    return tuple(room.nodes[name] for name in names[:count])


def layout(room: Room, serving: Sequence[Node], capacity: int) -> Layout:
    """Return who serves and who mounts; `capacity` is each server's, in B."""
    return Layout(
        servers=tuple(
            Server(node=node.name, address=node.address, store=STORE, state=STATE, capacity=capacity)
            for node in serving
        ),
        clients=tuple(
            Client(node=name, address=room.nodes[name].address, mount=MOUNT, state=STATE) for name in room.facts.compute
        ),
    )


def number(configuration: Mapping[str, Value], name: str) -> int:
    """Return the whole number that `configuration` has for `name`.

    Raises:
        InvalidInput: it has none.
    """
    value = configuration.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInput(f"{value!r} is no number of {name.replace('_', ' ')}", hint=f"give {name} as a whole number")
    return value
