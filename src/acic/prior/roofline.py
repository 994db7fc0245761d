"""The formulas: seconds that each resource needs for a workload, and what they add up to.

A run opens its files, agrees (where calls are collective), exchanges data between nodes, streams data to or from the
servers, and syncs. These follow one another. While data streams all resources work at once, so that the busiest tells;
those nearly as busy get in its way, which a norm of order `SHARPNESS` says in place of the maximum. With several
servers or disks all of it takes a little longer.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from acic.prior.calls import asked, holes, largest, messages, moved, pieces, shunned, waits
from acic.prior.demand import Demand
from acic.prior.designs import BESIDE, CROSSING, EXCHANGED, ON_NODE, ROUND_TRIP
from acic.prior.disks import disk_bytes, disk_requests, flushing, syncing
from acic.prior.names import naming, opening, other_names
from acic.prior.queues import by_turns, waiting
from acic.prior.resources import Resource
from acic.prior.spread import asked_most, busiest, fullest, local_share
from acic.prior.systems import Systems

Floats = NDArray[np.float64]

_BEYOND_CLIENTS = [
    *(Resource.CLIENT_NETWORK, Resource.SERVER_NETWORK, Resource.DISK_BANDWIDTH, Resource.DISK_IOPS),
    *(Resource.SERVER_PROCESSOR, Resource.LATENCY),
]
_OF_SERVERS = [Resource.SERVER_NETWORK, Resource.DISK_BANDWIDTH, Resource.DISK_IOPS]
_DISKS = [Resource.DISK_BANDWIDTH, Resource.DISK_IOPS]
_CLIENTS = [Resource.CLIENT_NETWORK, Resource.CLIENT_PROCESSOR, Resource.LATENCY]
SLOWEST = 0.03  # of the time, for each doubling of the servers, or of their disks
SCATTERED = 0.07  # of the time, where all servers have metadata
_LEAST = 1e-300  # not to divide by 0 s
SHARPNESS = 8.0  # two resources equally busy take 1.09 times as long as one: queues between them are deep


def parts(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds that a run waits for each `Resource`, shape (configurations, resources): in all, its time."""
    load = busiest(demand, systems)
    found = np.zeros((len(systems), len(Resource)))
    streamed = _passed(demand, systems, streaming(demand, systems, load))
    whole = streamed.sum(axis=1)
    found += streamed
    found[:, Resource.CLIENT_NETWORK] += demand.shuffled / demand.nodes / systems.nic
    found[:, Resource.CLIENT_PROCESSOR] += demand.shuffled / demand.nodes * EXCHANGED / systems.cpu
    found[:, Resource.CLIENT_PROCESSOR] += _beginning(demand)
    found[:, Resource.MESSAGES] += demand.agreeing
    found[:, Resource.METADATA] += opening(demand, systems) + other_names(demand, systems)
    if not demand.reads:
        lasts, named, synced = waits(demand, systems), naming(demand, systems), syncing(demand, systems)
        hidden = np.minimum(np.where(lasts, named, synced), _beside(demand, systems, named, whole))
        found[:, Resource.METADATA] -= np.where(lasts, hidden, 0.0)
        ending = np.where(systems.closes, min(1.0, demand.streams / demand.files), 1.0)  # the rest was closed before
        found[:, Resource.DISK_BANDWIDTH] += flushing(demand, systems, fullest(demand, systems), whole * ending)
        found[:, Resource.DISK_IOPS] += synced - np.where(lasts, 0.0, hidden)
    return found * _several(systems)[:, None]


def _passed(demand: Demand, systems: Systems, stream: Floats) -> Floats:
    """Return the seconds of each resource while data streams: disks are at work in the first pass over what is read."""
    passes = np.maximum(1.0, demand.over / demand.alike / np.where(systems.remembers, demand.again, 1.0))
    if not demand.reads or passes.max() <= 1.0:
        return _at_once(stream)
    further = stream * (1.0 - 1.0 / passes)[:, None]
    further[:, _DISKS] = 0.0
    return _at_once(stream - further) + _at_once(further)


def _at_once(stream: Floats) -> Floats:
    """Return the seconds of each resource where all work at once."""
    most = np.maximum(stream.max(axis=1, keepdims=True), _LEAST)
    powers = (stream / most) ** SHARPNESS
    summed = np.maximum(powers.sum(axis=1, keepdims=True), _LEAST)
    return np.asarray(powers / summed * stream.max(axis=1, keepdims=True) * summed ** (1.0 / SHARPNESS))


def _several(systems: Systems) -> Floats:
    """Return how much longer all takes for the number of servers and disks, shape (configurations,): 1.0 for one disk.

    Who needs several waits for the slowest, and the more there are the slower that is. Where each server has metadata
    all was slower by as much as was measured (docs/prior.md).
    """
    scattered = (systems.attributes > 1) & (systems.looks > 0)
    return np.asarray(1.0 + SLOWEST * np.log2(systems.servers * systems.disks) + np.where(scattered, SCATTERED, 0.0))


def streaming(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds that each resource alone needs while data streams, shape (configurations, resources)."""
    found = np.zeros((len(systems), len(Resource)))
    found[:, Resource.CLIENT_NETWORK], found[:, Resource.SERVER_NETWORK] = networks(demand, systems, load)
    lies = load if demand.reads else fullest(demand, systems)  # the page cache goes on writing while others are served
    found[:, Resource.DISK_BANDWIDTH] = disk_bytes(demand, systems, lies)
    found[:, Resource.DISK_IOPS] = disk_requests(demand, systems, lies)
    found[:, Resource.CLIENT_PROCESSOR], busy = processors(demand, systems, load)
    found[:, Resource.SERVER_PROCESSOR] = busy
    found[:, Resource.LATENCY] = latency(demand, systems)
    found[:, _BEYOND_CLIENTS] *= _crossing(demand, systems, load)[:, None]
    if not demand.reads:  # a part-time server's work is not hidden: what computes wants the same processors
        found[systems.part_time, Resource.SERVER_PROCESSOR] = busy[systems.part_time]
    if demand.meanwhile:
        _overlap(demand, systems, found)
        found[:, Resource.SERVER_PROCESSOR] *= np.where(
            systems.part_time, _crowded(demand, systems, busy, systems.threads), 1.0
        )
        for resource in _CLIENTS:
            found[:, resource] *= _crowded(demand, systems, found[:, resource], 1.0, besides=1)
    return found


def _beginning(demand: Demand) -> float:
    """Return the seconds that I/O waits for the node's processors when processes come back to it from computing.

    The others on the node are still computing, or have used up its share of a period of the scheduler.
    """
    return demand.returns * (demand.beside - 1) * min(BESIDE, demand.pause)


def networks(demand: Demand, systems: Systems, load: Floats) -> tuple[Floats, Floats]:
    """Return the seconds of the busiest client's and the busiest server's network interface.

    Bottleneck: payload each way of one interface (full duplex: a part-time server's two directions do not meet, and of
    processes that copy some read while others write). Where servers are at work one after the other, what is for one on
    the client's own node needs no network.
    """
    client, server = local_share(demand, systems)
    size = moved(demand, systems) * (by_turns(demand.streams) if demand.copied else 1.0)
    lies, in_turn = fullest(demand, systems) * (1.0 - server), load * (1.0 - np.maximum(client, server))
    return size / demand.nodes * (1.0 - client) / systems.nic, size * np.maximum(lies, in_turn) / systems.nic


def processors(demand: Demand, systems: Systems, load: Floats) -> tuple[Floats, Floats]:
    """Return the seconds of the busiest client's and the busiest server's processors.

    Bottleneck: work for each call and each byte over a node's processors. What a call asks before it moves data (its
    file's attributes) one server answers for each file, of those that have any. A part-time server works on a client's
    node, so it has both to do, but bytes that stay on the node cost less.
    """
    (call, byte), size = _prices(demand, systems), moved(demand, systems)
    sent, taken = (size * (1.0 - stays * (1.0 - ON_NODE)) for stays in local_share(demand, systems))
    client = (demand.requests * demand.streams * _entering(demand, systems) + sent * systems.client) / demand.nodes
    number = messages(demand, systems)
    asking = (systems.trips - 1.0) * np.minimum(pieces(demand, systems), number) * asked_most(demand, systems)
    server = load * (number * call + taken * byte) + asking * _asking(demand, systems)
    return client / systems.cpu, (server + np.where(systems.part_time, client, 0.0)) / systems.cpu


def latency(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds of one stream that waits for each of its requests, or each window of them.

    Bottleneck: round trips, the server's work and the disk's answer, one after the other; where a client serves one
    process at a time, those of the others on its node too. The transfer is left to the network: links that are held to
    a rate (tc-tbf(8); those of clouds) let what was saved up meanwhile through at once.
    """
    most, calls = largest(demand, systems), pieces(demand, systems) / demand.streams
    server, byte = _prices(demand, systems)
    size = np.minimum(demand.request, most)
    inside = _entering(demand, systems) + size * (systems.client + byte / asked(size, systems))
    asking = (systems.trips - 1.0) * (ROUND_TRIP + _asking(demand, systems))
    trip = asking + ROUND_TRIP + server + np.where(systems.serial, inside, 0.0)
    turns = np.where(systems.serial, demand.streams / demand.nodes, 1.0)
    crossing = demand.requests * _entering(demand, systems)
    if demand.reads:
        if demand.random:
            return np.asarray(turns * (calls * trip + demand.requests / systems.read_iops) + crossing)
        own = demand.requests * demand.request
        windows = np.where(systems.ahead > 0, np.minimum(calls, own / np.maximum(systems.ahead, 1.0)), calls)
        return np.asarray(turns * windows * trip + crossing)
    lasts = waits(demand, systems)
    durable = np.where(lasts, systems.alone / systems.write_iops, 0.0)
    return np.asarray(np.where(lasts | (systems.behind == 0), turns * calls * (trip + durable), 0.0) + crossing)


def _beside(demand: Demand, systems: Systems, named: Floats, whole: Floats) -> Floats:
    """Return the seconds of other work beside which files are made last as they are closed, one after the other.

    That of one goes on while the next one is made, which takes `named`, and while those of other processes are sent, of
    which all take `whole`. Where each write lasts before it is answered, that is a part of sending, and goes on while
    others are made.
    """
    if demand.files <= demand.streams:
        return np.zeros(len(systems))
    sent = whole * (1.0 - demand.streams / demand.files) if demand.streams > 1 else 0.0
    return np.where(systems.closes, np.where(waits(demand, systems), whole, named + sent), 0.0)


def _overlap(demand: Demand, systems: Systems, found: Floats) -> None:
    """Take from what networks and disks need what they do for some processes while others compute.

    Writes that have to last are waited for as syncs are: all of them.
    """
    lasting = np.where(waits(demand, systems), found[:, Resource.DISK_IOPS], 0.0)
    visits, think = demand.pauses + 1, demand.meanwhile / max(1, demand.pauses)
    on_node = math.ceil(demand.streams / demand.nodes)
    for resources, customers in ((_OF_SERVERS, demand.streams), ([Resource.CLIENT_NETWORK], on_node)):
        alone = found[:, resources]
        free = waiting(alone, customers, visits, think)
        found[:, resources] = alone ** (1.0 - demand.overlap) * free**demand.overlap
    found[:, Resource.DISK_IOPS] = np.maximum(found[:, Resource.DISK_IOPS], lasting)


def _crowded(demand: Demand, systems: Systems, busy: Floats, threads: Floats | float, *, besides: int = 0) -> Floats:
    """Return how much longer `busy` s of work on a node's processors take because processes of the node compute.

    They do where processes do not step together: for the part of the time that each computes, all but `besides` of
    them. What computes and the threads that work for I/O take turns on the processors that are not free.
    """
    beside = (demand.beside - besides) * demand.meanwhile / (demand.meanwhile + busy)
    share = np.maximum(systems.cpu - beside, systems.cpu * threads / (beside + threads))
    return np.asarray(systems.cpu / share)


def _crossing(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the share of the data that leaves, or reaches, clients while the application waits for it.

    What nobody synced before a pause clients may send while the application does no I/O, but for what they keep; what
    they hold at the end, the last iteration's at least, they have to send then, and so they have when a file of each
    iteration is closed, where closing waits for it or the file is shared by clients with leases.
    What they have, written or read before, they also read without anybody else, unless other processes wrote it.
    """
    if demand.reads:
        alone = systems.leases & (not demand.shared)
        again = alone | (systems.reuses & (not demand.shared or demand.nodes == 1))
        kept = (again | (not demand.reopened)) & (not demand.others)  # who opens a file asks whether it is the same
        share = (holes(demand, systems) if demand.own else 1.0) / demand.again
        return np.where(kept & systems.remembers & ~shunned(demand, systems), share, 1.0)
    unsynced = demand.pauses + 1 - max(1.0, demand.syncs / demand.streams)  # pauses before which nobody synced
    if unsynced <= 0.0:
        return np.ones(len(systems))
    behind = systems.behind * demand.streams / demand.nodes
    own = demand.total / demand.nodes
    taken = systems.nic / np.maximum(1.0, demand.nodes * load)  # the busiest server takes from all nodes
    sending = systems.cpu / (demand.beside + 1.0) / systems.client  # beside what computes
    free = unsynced * np.minimum(behind, demand.pause * np.minimum(taken, sending))
    if demand.in_turn > 1.0:
        free = np.where(systems.closes | (systems.leases & demand.shared), 0.0, free)
    free = np.minimum(free, np.maximum(own * unsynced / (demand.pauses + 1) - systems.keeps, 0.0))
    sent = np.minimum(free, np.maximum(own - systems.keeps, 0.0))
    return np.where(waits(demand, systems), 1.0, 1.0 - sent / own)


def _asking(demand: Demand, systems: Systems) -> Floats:
    """Return the s of a server's processor for what a call asks before it moves data, (configurations,)."""
    return systems.read_ask if demand.reads else systems.write_ask


def _prices(demand: Demand, systems: Systems) -> tuple[Floats, Floats]:
    """Return the s of a server's processor for one call, and for one B, each (configurations,)."""
    if demand.reads:
        return systems.read_server, systems.read_byte
    return systems.write_server, systems.write_byte


def _entering(demand: Demand, systems: Systems) -> Floats:
    """Return the s of a client's processor for one request, each (configurations,)."""
    return np.full(len(systems), CROSSING) + (0.0 if demand.reads else systems.writing)
