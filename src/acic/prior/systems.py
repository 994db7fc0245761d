"""Configurations as columns of numbers, so that all of them are estimated at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform
from acic.prior.designs import Design, design
from acic.prior.facts import Facts
from acic.space import Value

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

RELAXED, STRICT = "relaxed", "strict"
ONE = "one"  # of metadata: a single server holds all of it


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Systems:
    """Hardware and design of some configurations, each of shape (configurations,); equal to nothing but itself.

    Args:
        nic: payload of each node's network interface each way, B/s.
        cpu: processors of each node.
        servers: how many.
        part_time: whether they are on compute nodes.
        disks: of each server, in RAID-0.
        read, write: B/s of one disk.
        read_iops, write_iops: I/Os per second of one disk.
        dirty: B of dirty pages for each disk.
        syncs: fsync calls a second that all disks of a server manage together at most; inf for their I/Os alone.
        unit: B of a file on one server before the next one's turn; inf where files are whole.
        attributes: servers that answer for files' attributes.
        strict: NFS: a write is on the disk before it is answered; CephFS: nodes that share a file do not cache it.
        call, trips, opening, making, reopening, removing, renaming, handing, telling, shares, looks, hunts,
            read_server, write_server, read_byte, write_byte, client, read_ask, write_ask, writing, behind, keeps,
            ahead, windows, remembers, leases, reuses, cached, piece, hashed, closes, scatters, serial, page, threads,
            extent, written, durable, alone, commits: as `Design` has them.
    """

    nic: Floats
    cpu: Floats
    servers: Floats
    part_time: Flags
    disks: Floats
    read: Floats
    write: Floats
    read_iops: Floats
    write_iops: Floats
    dirty: Floats
    syncs: Floats
    unit: Floats
    attributes: Floats
    strict: Flags
    call: Floats
    trips: Floats
    opening: Floats
    making: Floats
    reopening: Floats
    removing: Floats
    renaming: Floats
    handing: Floats
    telling: Floats
    shares: Floats
    looks: Floats
    hunts: Floats
    read_server: Floats
    write_server: Floats
    read_byte: Floats
    write_byte: Floats
    client: Floats
    read_ask: Floats
    write_ask: Floats
    writing: Floats
    behind: Floats
    keeps: Floats
    ahead: Floats
    windows: Flags
    remembers: Flags
    leases: Flags
    reuses: Flags
    cached: Flags
    piece: Floats
    hashed: Flags
    closes: Flags
    scatters: Flags
    serial: Flags
    page: Floats
    threads: Floats
    extent: Floats
    written: Floats
    durable: Floats
    alone: Floats
    commits: Flags

    def __len__(self) -> int:
        return len(self.nic)


_OF_DESIGN = tuple(field.name for field in fields(Design) if field.name != "unit")
_FLAGS = (
    *(
        "part_time",
        "strict",
        "windows",
        "remembers",
        "leases",
        "reuses",
        "cached",
        "hashed",
        "closes",
        "scatters",
        "serial",
    ),
    "commits",
)


def systems_of(platform: Platform, facts: Facts, configurations: Sequence[Mapping[str, Value]]) -> Systems:
    """Return the configurations of `platform` as numbers; its file systems must have designs."""
    rows = [_row(platform, facts, one) for one in configurations]
    return Systems(
        **{
            field.name: np.array([row[field.name] for row in rows], dtype=bool if field.name in _FLAGS else float)
            for field in fields(Systems)
        }
    )


def _row(platform: Platform, facts: Facts, configuration: Mapping[str, Value]) -> dict[str, float | bool]:
    roles = platform.roles
    own = design(str(configuration["file_system"]), float(configuration.get("stripe_size", math.inf)))
    assert own is not None  # noqa: S101 (prior_of looked for all of them)
    disk = facts.disks[str(configuration[roles.device])]
    servers, disks = int(configuration.get(roles.servers, 1)), int(configuration.get(roles.devices, 1))
    return {
        "nic": facts.nic[platform.instance_for(configuration).name],
        "cpu": facts.cpu,
        "servers": servers,
        "part_time": configuration.get(roles.placement) != roles.dedicated,
        "disks": disks,
        "syncs": facts.raid_syncs if disks > 1 else math.inf,
        **{name: getattr(disk, name) for name in ("read", "write", "read_iops", "write_iops", "dirty")},
        "unit": float(configuration.get("stripe_size", own.unit)),
        "attributes": 1 if configuration.get("metadata") == ONE else servers,
        "strict": configuration.get("consistency", RELAXED) == STRICT,
        **{name: getattr(own, name) for name in _OF_DESIGN},
    }
