"""Hardware as a platform file tells it, in base units."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from acic.errors import InvalidInput
from acic.platforms import Platform
from acic.units import bytes_of, count_of, number_of

_BITS = 8
_HINT = "correct the platform file: lab.toml, which comes with acic (docs/platforms.md), is one that is right"
# Of the 1514 B of a full frame 1448 are data: 14 B Ethernet, 20 B IPv4, 32 B TCP with time stamps (RFC 894, 791, 7323).
PAYLOAD = 1448 / 1514


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFacts:
    """One disk: B/s in a stream and I/Os a second, each way, and the dirty pages that are kept for it, B."""

    read: float
    write: float
    read_iops: float
    write_iops: float
    dirty: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the prior needs to know of a platform.

    Args:
        nodes: compute nodes.
        cpu: processors of each node.
        nic: payload of a node's network interface each way, B/s, by instance type.
        disks: by name.
        raid_syncs: fsync calls a second of several disks in RAID 0 at most; inf where it is not known.
        archive: B/s that one node sends results with to where they last; inf where it is not known.
    """

    nodes: int
    cpu: float
    nic: Mapping[str, float]
    disks: Mapping[str, DiskFacts]
    raid_syncs: float = math.inf
    archive: float = math.inf


def facts_of(platform: Platform) -> Facts | None:
    """Return the facts; None where the platform file does not tell them.

    Raises:
        InvalidInput: it tells them, but one is missing, no number that can be, or not above 0.
    """
    told = platform.lab
    if not {"compute_nodes", "node", "nic", "disk"} <= set(told):
        return None
    try:
        found = Facts(
            nodes=count_of(told["compute_nodes"]),
            cpu=number_of(told["node"]["cpu"]),
            nic={name: number_of(nic["rate"]) / _BITS * PAYLOAD for name, nic in told["nic"].items()},
            disks={name: _disk(disk) for name, disk in told["disk"].items()},
            raid_syncs=_limit(told.get("raid", {}), "syncs"),
            archive=_limit(told.get("archive", {}), "rate") / _BITS,
        )
    except KeyError as error:
        raise InvalidInput(f"the [lab] table of {platform.name} lacks {error.args[0]!r}", hint=_HINT) from error
    except (TypeError, ValueError, OverflowError, AttributeError, InvalidInput) as error:
        raise InvalidInput(f"the [lab] table of {platform.name} cannot be read: {error}", hint=_HINT) from error
    disks = (value for disk in found.disks.values() for value in astuple(disk))
    if not all(
        value > 0 for value in (found.nodes, found.cpu, *found.nic.values(), *disks, found.raid_syncs, found.archive)
    ):
        raise InvalidInput(f"the [lab] table of {platform.name} has a number that is not above 0", hint=_HINT)
    return found


def _limit(told: Mapping[str, Any], name: str) -> float:
    return number_of(told[name]) if name in told else math.inf


def _disk(told: Mapping[str, Any]) -> DiskFacts:
    return DiskFacts(
        read=float(bytes_of(told["read"])),
        write=float(bytes_of(told["write"])),
        read_iops=number_of(told["read_iops"]),
        write_iops=number_of(told["write_iops"]),
        dirty=float(bytes_of(told["dirty"])),
    )
