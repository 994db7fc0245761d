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

    Bottleneck: round trips of one process after the other's, and the processor of the server that makes files.
    """
    return _round_trips(_trips(demand, systems), demand.streams, systems) + naming(demand, systems)


def naming(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds that opening or making files keeps a server's processor busy."""
    return _served(_trips(demand, systems), demand.streams, demand, systems)


def other_names(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds in which names are made, looked at and removed of which nothing is moved, and opened again.

    Who opens a file again that he has closed asks once whether it is still the same.
    """
    trips = demand.made * systems.making + demand.asked * _looking(systems) + demand.removed * systems.removing
    again = np.full(len(systems), float(demand.reopens))
    asking = _round_trips(trips, demand.named_by, systems) + _round_trips(again, demand.streams, systems)
    served = _served(trips, demand.named_by, demand, systems) + _served(again, demand.streams, demand, systems)
    return asking + served


def _round_trips(trips: Floats, streams: float, systems: Systems) -> Floats:
    """Return the seconds that the round trips of so many processes take, each one's one after the other."""
    return np.asarray(trips / streams * (ROUND_TRIP + _answer(systems)))


def _served(trips: Floats, streams: float, demand: Demand, systems: Systems) -> Floats:
    """Return the seconds that round trips of so many processes about names keep a server's processor busy.

    That of one, or of all, where a hash of names places files but a new name is looked up on each (GlusterFS). The node
    of a part-time server has its own clients' calls beside, which are as much work for them as for the server; a lone
    process is on the first server's node.
    """
    own = np.where(systems.part_time, (CROSSING + _answer(systems)) / min(demand.nodes, max(1.0, streams)), 0.0)
    return np.asarray(trips * (_answer(systems) + own) / systems.cpu)


def _answer(systems: Systems) -> Floats:
    """Return the s of a server's processor for one round trip about a name."""
    return np.asarray(systems.read_server * (1.0 + systems.hunts * np.log2(systems.servers)))


def _trips(demand: Demand, systems: Systems) -> Floats:
    """Return the round trips in which all files are opened or made, and closed.

    All that write a file ask for it to be made. What is read is opened on each node that uses it, and opened again by
    the node's other processes.
    """
    every = opened(demand)
    if not demand.reads:
        return np.asarray(every * systems.making)
    first = min(every, max(demand.files, demand.nodes * demand.in_turn))
    return np.asarray(first * _looking(systems) + (every - first) * systems.reopening)


def _looking(systems: Systems) -> Floats:
    """Return the round trips to open a file that is there."""
    return np.asarray(systems.opening + systems.looks * (systems.attributes - 1.0))


def opened(demand: Demand) -> float:
    """Return how often files are opened: each by one process, or shared ones by all that use them."""
    return max(demand.files, demand.streams * demand.in_turn)
