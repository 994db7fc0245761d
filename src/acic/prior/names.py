"""Names: what making, opening, looking at and removing files takes, whatever is moved of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.prior.demand import Demand
from acic.prior.designs import CROSSING, ROUND_TRIP
from acic.prior.systems import Systems

Floats = NDArray[np.float64]


def opening(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds in which files are opened or made, and closed.

    Bottleneck: round trips of one process after the other's, the processor of the server that makes files, and until
    another node gives up what it has of a file.
    """
    waiting = demand.handed * systems.handing
    return _round_trips(_trips(demand, systems), demand.openers, systems) + naming(demand, systems) + waiting


def naming(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds that opening or making files keeps a server's processor busy."""
    return _served(_trips(demand, systems), demand.openers, demand, systems)


def other_names(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds in which names are made, looked at and removed of which nothing is moved, and opened again.

    Who opens a file again that he has closed asks once whether it is still the same, by MPI-IO also where it is.
    """
    trips = demand.made * systems.making + demand.asked * _looking(systems) + demand.removed * systems.removing
    trips = trips + demand.renamed * systems.renaming
    again = demand.reopens * (1.0 + (_telling(systems) if demand.mpi else np.zeros(len(systems))))
    asking = _round_trips(trips, demand.named_by, systems) + _round_trips(again, demand.openers, systems)
    served = _served(trips, demand.named_by, demand, systems) + _served(again, demand.openers, demand, systems)
    return asking + served


def _round_trips(trips: Floats, streams: float, systems: Systems) -> Floats:
    """Return the seconds that the round trips of so many processes take, each one's one after the other."""
    return np.asarray(trips / streams * (ROUND_TRIP + _answer(systems)))


def _served(trips: Floats, streams: float, demand: Demand, systems: Systems) -> Floats:
    """Return the seconds that round trips of so many processes about names keep a server's processor busy.

    That of one, or of all, where a hash of names places files but a new name is looked up on each (GlusterFS). The node
    of a part-time server has its own clients' calls beside, which are as much work for them as for the server; a lone
    process is on the first server's node. Who opens by MPI-IO agrees with others in between, so that a node's share of
    a processor is not used up.
    """
    own = np.where(systems.part_time, (CROSSING + _answer(systems)) / min(demand.nodes, max(1.0, streams)), 0.0)
    cpu = np.maximum(systems.cpu, 1.0) if demand.mpi else systems.cpu
    return np.asarray(trips * (_answer(systems) + own) / cpu)


def _answer(systems: Systems) -> Floats:
    """Return the s of a server's processor for one round trip about a name."""
    return np.asarray(systems.read_server * (1.0 + systems.hunts * np.log2(systems.servers)))


def _trips(demand: Demand, systems: Systems) -> Floats:
    """Return the round trips in which all files are opened or made, and closed.

    All that write a file ask for it to be made; through MPI-IO one does, and the others open it. What is read is opened
    on each node that uses it, and opened again by the node's other processes.
    """
    every = opened(demand)
    told = every * _resolving(demand, systems) if demand.mpi else 0.0
    if not demand.reads:
        made = min(every, demand.files) if demand.mpi else every
        return np.asarray(made * systems.making + (every - made) * _looking(systems) + told)
    first = min(every, max(demand.files, demand.nodes * demand.in_turn))
    return np.asarray(first * _looking(systems) + (every - first) * systems.reopening + told)


def _resolving(demand: Demand, systems: Systems) -> Floats:
    """Return the round trips in which one process asks on what file system a file is, before it opens it by MPI-IO.

    It asks about the file, in vain where that is to be made: then whether it is a link, in vain too, and about its
    folder. In vain all are asked that may have the name: with a hash of names that server, and then the others at once.

    Source: ROMIO, ADIO_ResolveFileType, in MPICH 4.0 (`adio/common/ad_fstype.c`).
    """
    in_vain = np.where(systems.hunts > 0, _twice(systems), 1.0 + systems.looks * (systems.attributes - 1.0))
    return np.asarray(_telling(systems) + (0.0 if demand.reads else 2.0 * in_vain))


def _telling(systems: Systems) -> Floats:
    """Return the round trips in which one process asks on what file system a file is."""
    return np.asarray(systems.telling * np.where(systems.hunts > 0, _twice(systems), 1.0))


def _twice(systems: Systems) -> Floats:
    """Return the round trips to one server, and then to all others, if there are any."""
    return np.minimum(systems.servers, 2.0)


def _looking(systems: Systems) -> Floats:
    """Return the round trips to open a file that is there."""
    return np.asarray(systems.opening + systems.looks * (systems.attributes - 1.0))


def opened(demand: Demand) -> float:
    """Return how often files are opened: each by one process, or shared ones by all that use them."""
    return max(demand.files, demand.openers * demand.in_turn)
