"""Making a machine room: what is written down of it, its nodes, and their network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from acic.cluster.lab import disks, network
from acic.cluster.lab.facts import LabFacts, addresses
from acic.cluster.lab.groups import groups
from acic.cluster.lab.nodes import Node, hosts_file, ready, start
from acic.cluster.lab.record import Names, Record
from acic.cluster.processes import Process


def beginning(name: str, facts: LabFacts, nic: str, at: str) -> dict[str, Any]:
    """Return what is written down of a machine room before anything of it is there."""
    return {
        "name": name,
        "phase": "going up",
        "facts": facts.table(),
        "nic": nic,
        "network": at,
        "loops": disks.existing(),
        "settings": dict(network.congestion_to_allow()),
        "nodes": {},
        "services": {},
        "devices": {},
        "notes": {},
    }


def build(record: Record, facts: LabFacts, rate: int) -> None:
    """Make the nodes, then their network; each is written down before the next one.

    Raises:
        TransientError: the machine refuses something.
    """
    names = Names(record.name)
    made = groups(names.group)
    network.allow_congestion(record.content["settings"])
    places = addresses(facts, record.content["network"])
    hosts = hosts_file(places)
    coming = {}
    for node, address in places.items():
        made.make(node, facts)
        coming[node] = start(names.name, node, hosts, made.of(node))
        record.content["nodes"][node] = {"address": address, "around": pair(coming[node].process), "first": None}
        record.save()
    for node, one in coming.items():
        record.content["nodes"][node]["first"] = pair(ready(one))
    record.save()
    network.build(names, record.content["network"], nodes_of(record, made.of).values(), rate)
    record.content["phase"] = "up"
    record.save()


def nodes_of(record: Record, groups_of: Callable[[str], list[Path]]) -> dict[str, Node]:
    """Return the nodes that are written down, by name."""
    return {
        name: Node(name=name, address=entry["address"], pid=entry["first"][0], groups=tuple(groups_of(name)))
        for name, entry in record.content["nodes"].items()
    }


def is_up(record: Record) -> bool:
    """Return whether the machine room that is written down is there, with all of its nodes."""
    return record.content["phase"] == "up" and all(map(_alive, record.content["nodes"].values()))


def pair(known: Process) -> list[int]:
    """Return a process as JSON takes it."""
    return [known.pid, known.started]


def _alive(entry: Mapping[str, Any]) -> bool:
    return entry["first"] is not None and Process(*entry["first"]).alive
