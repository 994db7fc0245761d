"""The formula of staging out: each node reads its share of what a run wrote, and sends it to where it lasts."""

from __future__ import annotations

from dataclasses import replace

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

_JUST_WRITTEN = Use(own=True, reopened=True, contiguous=True)  # so servers that cache it have it in memory
_SHARPNESS = 2.0  # a pipe between reading and sending holds 64 KiB, so the two hardly run ahead of each other


def staging(results: int, facts: Facts, systems: Systems, *, own: bool) -> Floats:
    """Return the seconds in which all nodes copy `results` B, shape (configurations,).

    Bottleneck of sending: what the archive takes of one node, or the node's network interface. A part-time server needs
    that for what others read, so that there the two add up; and where nothing is read ahead each read waits behind what
    the other servers' nodes send.

    Args:
        results: B.
        facts: of the platform.
        systems: the configurations.
        own: whether each process wrote files of its own: GlusterFS's clients still have those, where NFS's ask for them
            again (close-to-open).
    """
    each = -(-results // facts.nodes)
    reading = Characteristics(
        processes=facts.nodes,
        io_processes=facts.nodes,
        interface=Interface.POSIX,
        iterations=1,
        data_size=each,
        request_size=min(MIB, each),
        operation=Operation.READ,
        collective=False,
        shared=True,
        access=Access.CONSECUTIVE,
    )
    kept = own & systems.remembers & ~systems.closes & ~systems.leases
    use = replace(_JUST_WRITTEN, files=facts.nodes if own else None)
    read = np.where(kept, 0.0, parts(demand_of(reading, facts.nodes, use), systems).sum(axis=1))
    send = each / np.minimum(systems.nic, facts.archive)
    apart = (read**_SHARPNESS + send**_SHARPNESS) ** (1.0 / _SHARPNESS)
    behind = np.where(systems.ahead == 0, 1.0 - 1.0 / systems.servers, 0.0)
    return np.asarray(np.where(systems.part_time, read + send * (1.0 + behind), apart))
