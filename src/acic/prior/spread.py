"""How evenly a workload's data lies on the servers, and how many of them it keeps busy at once."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from acic.prior.demand import Demand
from acic.prior.systems import Systems

Floats = NDArray[np.float64]
MOMENTS = 32  # of a stripe that are looked at, to know which servers are at work
STREAMS = 4096  # that are looked at, to know which servers they are on
GOLDEN = (5.0**0.5 - 1.0) / 2.0  # whose multiples are spread evenly, and never come again
LASTING = 4.0  # messages that a stripe takes at least, for streams that have met on its server to go on together


def busiest(demand: Demand, systems: Systems) -> Floats:
    """Return the share of the data that the busiest server moves, 1/servers to 1, shape (configurations,).

    The larger of two: how the bytes lie in all, and how many servers are at work at any moment.
    """
    return np.maximum(fullest(demand, systems), _at_once(demand, systems))


def fullest(demand: Demand, systems: Systems) -> Floats:
    """Return the share of the data that lies on the fullest server, shape (configurations,).

    Round robin is even once a file has a stripe for each server. Hashes place whole files, or pieces, at random.
    """
    size = demand.total / max(1.0, demand.over) / demand.files
    stripes = np.maximum(1.0, np.ceil(size / systems.unit))
    round_of_objects = systems.servers * np.ceil(size / (systems.servers * systems.piece))
    pieces = demand.files * np.where(systems.piece > systems.unit, np.minimum(stripes, round_of_objects), stripes)
    even = ~systems.hashed & (stripes >= systems.servers)
    return np.where(even, 1.0 / systems.servers, fullest_of(pieces, systems.servers) / pieces)


def asked_most(demand: Demand, systems: Systems) -> Floats:
    """Return the share of the files whose attributes the busiest server answers for: each file's is any of them."""
    files = np.full(len(systems), demand.files)
    return np.maximum(fullest_of(files, systems.attributes) / demand.files, 1.0 / systems.attributes)


def local_share(demand: Demand, systems: Systems) -> tuple[Floats, Floats]:
    """Return the shares of a client's and of a server's traffic that stay on the node, each (configurations,).

    Of part-time servers each holds 1/servers of what its own node moves. That of the node that has it worst counts: a
    client whose node has no server sends all, a server whose node has no client gets all.
    """
    client = np.where(systems.part_time & (demand.nodes <= systems.servers), 1.0 / systems.servers, 0.0)
    server = np.where(systems.part_time & (demand.nodes >= systems.servers), 1.0 / demand.nodes, 0.0)
    return client, server


def fullest_of(balls: Floats, bins: Floats) -> Floats:
    """Return how many of `balls` the fullest of `bins` is expected to hold, thrown at random.

    The mean and the largest of as many normal deviations: within 7 % for up to 4 bins. Of more it is too low where
    each gets few: by up to 11 % of 8, and 17 % of 16.

    Source: Blom, "Statistical estimates and transformed beta-variables", 1958, for the largest of normal variables.
    """
    normal = NormalDist()
    kinds, inverse = np.unique(bins, return_inverse=True)
    largest = np.array([normal.inv_cdf((n - 0.375) / (n + 0.25)) if n > 1 else 0.0 for n in kinds.tolist()])[inverse]
    mean = balls / bins
    return np.asarray(np.clip(mean + np.sqrt(mean) * largest, np.minimum(1.0, balls), balls))


def _at_once(demand: Demand, systems: Systems) -> Floats:
    """Return one over the servers at work at any moment.

    Each stream has its window's stripes under way, anywhere, but no more than the files have that are open by then.
    Where a stripe takes many messages, streams that have met on a server wait for one another there, and go on to the
    next one together. Those that a collective call keeps in step always do, and all that one call moves may be a single
    piece that a hash placed; others of a shared file drift apart by and by, so that half of it is taken (the geometric
    mean); files of their own begin on any server.
    """
    ahead = systems.ahead if demand.reads else systems.behind
    window = np.maximum(demand.request, ahead)
    each = np.minimum(window, demand.total / demand.streams)
    under_way = demand.streams / demand.alike * np.maximum(1.0, each / systems.unit)
    stripes = np.maximum(1.0, np.ceil(demand.total / max(1.0, demand.over) / demand.files / systems.unit))
    under_way = np.minimum(under_way, demand.files / demand.in_turn * stripes)
    anywhere = np.asarray(1.0 / (systems.servers * (1.0 - (1.0 - 1.0 / systems.servers) ** under_way)))
    message = np.where(ahead > 0, window, np.minimum(demand.request, systems.call))
    if demand.apart:
        pieces = np.maximum(1.0, demand.apart * demand.streams / systems.unit) * demand.files / demand.in_turn
        hashed = fullest_of(pieces, systems.servers) / pieces
        met = np.where(systems.hashed, hashed, _in_step(demand, systems, demand.apart))
        cut = ~systems.hashed | (systems.unit < demand.total)
        coarse = np.isfinite(systems.unit) & (systems.unit > message) & cut
        return np.where(coarse, np.maximum(anywhere, met), anywhere)
    striped = ~systems.hashed & np.isfinite(systems.unit)
    if demand.random or demand.alike > 1:
        return anywhere
    if demand.shared:
        met = np.sqrt(anywhere * np.maximum(anywhere, _in_step(demand, systems, demand.block)))
    else:
        begun = np.full(len(systems), float(demand.streams))
        met = np.maximum(anywhere, fullest_of(begun, systems.servers) / begun)
    return np.where(striped & (systems.unit >= LASTING * message), met, anywhere)


def _in_step(demand: Demand, systems: Systems, apart: float) -> Floats:
    """Return the share of all streams that meet on a server, while each goes through a stripe.

    Args:
        demand: how many streams there are.
        systems: where stripes are.
        apart: B between the places where neighbouring streams begin.
    """
    begins = some(demand.streams)[:, None] * apart
    moments = (np.arange(MOMENTS) + 0.5) / MOMENTS
    found = np.ones(len(systems))
    for unit, servers in set(zip(systems.unit.tolist(), systems.servers.tolist(), strict=True)):
        server = (begins / unit + moments) // 1.0 % servers
        meet = [(server == one).mean(axis=0) for one in range(int(servers))]
        found[(systems.unit == unit) & (systems.servers == servers)] = np.max(meet, axis=0).mean()
    return found


def some(streams: int) -> NDArray[np.float64]:
    """Return which of the streams to look at, in their order: all, or one of each of `STREAMS` groups of neighbours.

    Those are not equally far apart, because the servers' turns are.
    """
    if streams <= STREAMS:
        return np.arange(streams, dtype=np.float64)
    group = np.arange(STREAMS)
    return np.asarray((group + group * GOLDEN % 1.0) * (streams / STREAMS) // 1.0)
