"""The formula of staging out: each node reads its share of what a run wrote, and sends it to where it lasts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.prior.demand import demand_of
from acic.prior.facts import Facts
from acic.prior.roofline import parts
from acic.prior.systems import Systems
from acic.prior.uses import Use
from acic.units import MIB
from acic.workloads import Access, Characteristics, Interface, Operation

Floats = NDArray[np.float64]

_SHARPNESS = 2.0  # a pipe between reading and sending holds 64 KiB, so the two hardly run ahead of each other
_STARTED = 2e-3  # s: what copies a file is started for each


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What must outlive a run.

    Args:
        size: B.
        files: in which it lies; many more than nodes are alike.
        own: whether each process wrote files of its own.
        one: whether each wrote one of them, so that nodes copy what they wrote themselves.
    """

    size: int
    files: int = 1
    own: bool = False
    one: bool = False


def staging(results: Results, facts: Facts, systems: Systems) -> Floats:
    """Return the seconds in which all nodes copy `results`, shape (configurations,).

    Bottleneck of sending: what the archive takes of one node, or the node's network interface. A part-time server needs
    that for what others read, so that there the two add up; and where nothing is read ahead each read waits behind what
    the other servers' nodes send. Files are copied one after the other, each opened by a node that did not write it:
    where there are many of each process nothing tells which node copies which.

    Args:
        results: what is copied.
        facts: of the platform.
        systems: the configurations.
    """
    each = -(-results.size // facts.nodes)
    turns = max(1, round(results.files / facts.nodes))
    size = -(-each // turns)
    alone = results.own or results.files > facts.nodes
    reading = Characteristics(
        processes=facts.nodes,
        io_processes=facts.nodes,
        interface=Interface.POSIX,
        iterations=turns,
        data_size=size,
        request_size=min(MIB, size),
        operation=Operation.READ,
        collective=False,
        shared=not alone,
        access=Access.CONSECUTIVE,
    )
    files = max(results.files, facts.nodes) if alone else None
    # Servers that cache it have it in memory, and no client but GlusterFS's, where the nodes copy what they wrote.
    use = Use(own=True, reopened=True, contiguous=True, files=files, others=True)
    read = parts(demand_of(reading, facts.nodes, use), systems).sum(axis=1)
    read = np.where(results.one & systems.reuses, 0.0, read)
    send = each / np.minimum(systems.nic, facts.archive)
    apart = (read**_SHARPNESS + send**_SHARPNESS) ** (1.0 / _SHARPNESS)
    behind = np.where(systems.ahead == 0, 1.0 - 1.0 / systems.servers, 0.0)
    copied = np.where(systems.part_time, read + send * (1.0 + behind), apart)
    return np.asarray(copied + turns * _STARTED)
