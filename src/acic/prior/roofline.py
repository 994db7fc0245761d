"""The formulas: seconds that each resource needs for a workload, and what they add up to.

A run opens its files, agrees (where calls are collective), exchanges data between nodes, streams data to or from the
servers, and syncs. These follow one another. While data streams all resources work at once, so that the busiest tells;
those nearly as busy get in its way, which a norm of order `SHARPNESS` says in place of the maximum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.prior.demand import Demand
from acic.prior.designs import CROSSING, DISK_REQUEST, DURABLE, EXCHANGED, ON_NODE, ROUND_TRIP
from acic.prior.resources import Resource
from acic.prior.spread import busiest, local_share
from acic.prior.systems import Systems

Floats = NDArray[np.float64]

_BEYOND_CLIENTS = [
    *(Resource.CLIENT_NETWORK, Resource.SERVER_NETWORK, Resource.DISK_BANDWIDTH, Resource.DISK_IOPS),
    *(Resource.SERVER_PROCESSOR, Resource.LATENCY),
]
SHARPNESS = 8.0  # two resources equally busy take 1.09 times as long as one: queues between them are deep


def parts(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds that a run waits for each `Resource`, shape (configurations, resources): in all, its time."""
    load = busiest(demand, systems)
    found = np.zeros((len(systems), len(Resource)))
    stream = streaming(demand, systems, load)
    powers = (stream / stream.max(axis=1, keepdims=True)) ** SHARPNESS
    whole = stream.max(axis=1) * powers.sum(axis=1) ** (1.0 / SHARPNESS)
    found += powers / powers.sum(axis=1, keepdims=True) * whole[:, None]
    found[:, Resource.CLIENT_NETWORK] += demand.shuffled / demand.nodes / systems.nic
    found[:, Resource.CLIENT_PROCESSOR] += demand.shuffled / demand.nodes * EXCHANGED / systems.cpu
    found[:, Resource.MESSAGES] += demand.agreeing
    found[:, Resource.METADATA] += opening(demand, systems)
    if not demand.reads:
        found[:, Resource.DISK_BANDWIDTH] += flushing(demand, systems, load)
        found[:, Resource.DISK_IOPS] += syncing(demand, systems)
    return found


def streaming(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds that each resource alone needs while data streams, shape (configurations, resources)."""
    found = np.zeros((len(systems), len(Resource)))
    found[:, Resource.CLIENT_NETWORK], found[:, Resource.SERVER_NETWORK] = networks(demand, systems, load)
    found[:, Resource.DISK_BANDWIDTH] = disk_bytes(demand, systems, load)
    found[:, Resource.DISK_IOPS] = disk_requests(demand, systems, load)
    found[:, Resource.CLIENT_PROCESSOR], busy = processors(demand, systems, load)
    found[:, Resource.SERVER_PROCESSOR] = busy
    found[:, Resource.LATENCY] = latency(demand, systems)
    found[:, _BEYOND_CLIENTS] *= _crossing(demand, systems, load)[:, None]
    if not demand.reads:  # a part-time server's work is not hidden: what computes wants the same processors
        found[systems.part_time, Resource.SERVER_PROCESSOR] = busy[systems.part_time]
    found[:, Resource.SERVER_PROCESSOR] *= _crowded(demand, systems, busy)
    return found


def networks(demand: Demand, systems: Systems, load: Floats) -> tuple[Floats, Floats]:
    """Return the seconds of the busiest client's and the busiest server's network interface.

    Bottleneck: payload each way of one interface (full duplex: a part-time server's two directions do not meet).
    """
    client, server = local_share(demand, systems)
    moved = _moved(demand, systems)
    return moved / demand.nodes * (1.0 - client) / systems.nic, moved * load * (1.0 - server) / systems.nic


def disk_bytes(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds of the busiest server's disks while data streams.

    Bottleneck: B/s of a disk times disks in RAID-0; what the page cache takes meets the disk when it is synced.
    """
    rate = (systems.read if demand.reads else systems.write) * systems.disks
    here = demand.total * load
    return np.asarray((here if demand.reads else here - _absorbed(demand, systems, load)) / rate)


def disk_requests(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds that the busiest server's disks need for the number of I/Os.

    Bottleneck: I/Os a second of a disk times disks in RAID-0. Streams come in large pieces; random reads one by one;
    a write that has to last before it is answered brings the journal's I/Os along.
    """
    iops = (systems.read_iops if demand.reads else systems.write_iops) * systems.disks
    pieces = np.full(len(systems), max(demand.files, demand.total / DISK_REQUEST))
    each = _pieces(demand, systems)
    if demand.reads:
        return np.asarray((np.maximum(pieces, each) if demand.random else pieces) * load / iops)
    late = np.where(systems.cached, _absorbed(demand, systems, load) / (demand.total * load), 0.0)
    lasting = each * load / np.minimum(iops / DURABLE, np.where(systems.cached, systems.syncs, np.inf))
    return np.asarray(np.where(_waits(demand, systems), lasting, pieces * (1.0 - late) * load / iops))


def processors(demand: Demand, systems: Systems, load: Floats) -> tuple[Floats, Floats]:
    """Return the seconds of the busiest client's and the busiest server's processors.

    Bottleneck: work for each call and each byte over a node's processors. What a call asks before it moves data (its
    file's attributes) one server answers for each file. A part-time server works on a client's node, so it has both
    to do, but bytes that stay on the node cost less.
    """
    (call, byte), moved = _prices(demand, systems), _moved(demand, systems)
    sent, taken = (moved * (1.0 - stays * (1.0 - ON_NODE)) for stays in local_share(demand, systems))
    client = (demand.requests * demand.streams * _entering(demand, systems) + sent * systems.client) / demand.nodes
    asking = (systems.trips - 1.0) * _pieces(demand, systems) / np.minimum(systems.servers, demand.files)
    server = load * (_calls(demand, systems) * call + taken * byte) + asking * call
    return client / systems.cpu, (server + np.where(systems.part_time, client, 0.0)) / systems.cpu


def latency(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds of one stream that waits for each of its requests, or each window of them.

    Bottleneck: round trips, the server's work and the disk's answer, one after the other; where a client serves one
    process at a time, those of the others on its node too. The transfer is left to the network: links that are held to
    a rate (tc-tbf(8); those of clouds) let what was saved up meanwhile through at once.
    """
    calls = demand.requests * np.ceil(demand.request / systems.call)
    server, byte = _prices(demand, systems)
    size = np.minimum(demand.request, systems.call)
    inside = _entering(demand, systems) + size * (systems.client + byte / _asked(size, systems))
    trip = systems.trips * (ROUND_TRIP + server) + np.where(systems.serial, inside, 0.0)
    turns = np.where(systems.serial, demand.streams / demand.nodes, 1.0)
    crossing = demand.requests * _entering(demand, systems)
    if demand.reads:
        if demand.random:
            return np.asarray(turns * calls * (trip + 1.0 / systems.read_iops) + crossing)
        own = demand.requests * demand.request
        windows = np.where(systems.ahead > 0, np.minimum(calls, own / np.maximum(systems.ahead, 1.0)), calls)
        return np.asarray(turns * windows * trip + crossing)
    durable = np.where(_waits(demand, systems), DURABLE / systems.write_iops, 0.0)
    waits = _waits(demand, systems) | (systems.behind == 0)
    return np.asarray(np.where(waits, turns * calls * (trip + durable), 0.0) + crossing)


def opening(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds in which files are opened or made, and closed.

    Bottleneck: round trips of one process after the other's, and the processor of the server that makes files: of one,
    or of all, where a hash of names places files but a new name is looked up on each (GlusterFS). The node of a
    part-time server has its own clients' calls beside.
    """
    opens = max(demand.files, float(demand.streams))
    server, _ = _prices(demand, systems)
    chain = opens / demand.streams * systems.opening * (ROUND_TRIP + server)
    own = np.where(systems.part_time, CROSSING / demand.nodes, 0.0)
    return np.asarray(chain + opens * systems.opening * (server + own) / systems.cpu)


def flushing(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds in which a sync writes back what the page cache had taken.

    Bottleneck: B/s of the busiest server's disks. Where nobody syncs the run does not wait for it. Several nodes do not
    come to their end together: the first one's data are written while the others still send, the last one's are not, so
    half of what all but one have is taken to be on the disk by then.
    """
    synced = (demand.syncs > 0) | systems.closes
    last = np.minimum(_absorbed(demand, systems, load), systems.dirty * systems.disks)
    left = (1.0 + 1.0 / demand.nodes) / 2.0
    return np.where(synced, last * left / (systems.write * systems.disks), 0.0)


def syncing(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds that syncs need to be on the disk: of one stream, and of the disks for all of them.

    Bottleneck: I/Os a second of the disks that hold the files, or what joins them; a shared file is synced by its first
    server.
    """
    syncs = np.where(systems.closes, np.maximum(demand.syncs, demand.files), demand.syncs)
    syncs = np.where(_waits(demand, systems), 0.0, syncs)  # each write did
    chain = syncs / demand.streams * (ROUND_TRIP + DURABLE / systems.write_iops)
    used = np.minimum(systems.servers, demand.files)
    rate = np.minimum(systems.write_iops * systems.disks / DURABLE, systems.syncs)
    return np.asarray(np.maximum(chain, syncs / (rate * used)))


def _crowded(demand: Demand, systems: Systems, busy: Floats) -> Floats:
    """Return how much longer a part-time server's work takes because processes of its node compute meanwhile.

    They do where processes do not step together: for the part of the time that each computes, beside `busy` s of
    service. What computes and what serves take turns on the processors that are not free.
    """
    if demand.together:
        return np.ones(len(systems))
    computing = demand.pauses * demand.pause
    beside = demand.beside * computing / (computing + busy)
    share = np.maximum(systems.cpu - beside, systems.cpu / (beside + 1.0))
    return np.where(systems.part_time, systems.cpu / share, 1.0)


def _crossing(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the share of the data that leaves, or reaches, clients while the application waits for it.

    What nobody synced clients may send while the application does no I/O, but for what they keep; what they hold at the
    end they have to send then. What they have they also read without anybody else.
    """
    if demand.reads:
        return np.where(demand.own & systems.remembers & ~_shunned(demand, systems), 0.0, 1.0)
    if demand.syncs:
        return np.ones(len(systems))
    behind = systems.behind * demand.streams / demand.nodes
    own = demand.total / demand.nodes
    rate = systems.nic / np.maximum(1.0, demand.nodes * load)  # the busiest server takes from all nodes
    free = demand.pauses * np.minimum(behind, demand.pause * rate)
    sent = np.minimum(free, np.maximum(own - systems.keeps, 0.0))
    return np.where(_waits(demand, systems), 1.0, 1.0 - sent / own)


def _absorbed(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the B that the busiest server's page cache takes before its disks have to keep up.

    What the disks write while the application does no I/O makes room for as much.
    """
    one = systems.dirty + demand.pauses * np.minimum(systems.dirty, demand.pause * systems.write)
    room = one * systems.disks
    takes = systems.cached & ~_waits(demand, systems)
    return np.where(takes, np.minimum(demand.total * load, room), 0.0)


def _waits(demand: Demand, systems: Systems) -> NDArray[np.bool_]:
    """Return where each write is on the disk before the next: strict NFS, and strict CephFS on a shared file."""
    if demand.reads:
        return np.zeros(len(systems), dtype=bool)
    return (systems.strict & systems.cached) | _shunned(demand, systems)


def _shunned(demand: Demand, systems: Systems) -> NDArray[np.bool_]:
    """Return where clients may not cache: strict CephFS, if several write one file."""
    return systems.strict & ~systems.cached & (demand.shared and demand.streams > 1)


def _calls(demand: Demand, systems: Systems) -> Floats:
    """Return how many messages servers get.

    Requests are cut to what a call takes, and joined where they may be, but for what is synced by itself; where several
    servers have a part of a call, each gets a message. Of pieces that are scattered each node has some in every place.
    """
    each = _pieces(demand, systems)
    window = systems.ahead if demand.reads else np.where(_waits(demand, systems), 0.0, systems.behind)
    whole = demand.random and not demand.reads  # what a cache holds altogether leaves it in order
    scattered = systems.scatters & (not demand.reads) & (not demand.joined)
    joins = (window > 0) & (demand.joined | scattered | (whole & (window >= demand.total / demand.streams)))
    places = demand.total / systems.call * np.where(scattered, demand.nodes, 1.0)
    fewer = np.minimum(each, np.maximum(max(demand.streams, 0.0 if demand.reads else demand.syncs), places))
    size = np.where(joins, systems.call, np.minimum(demand.request, systems.call))
    return np.where(joins, fewer, each) * _asked(size, systems)


def _pieces(demand: Demand, systems: Systems) -> Floats:
    """Return how many pieces all requests are cut to."""
    return np.asarray(demand.streams * demand.requests * np.ceil(demand.request / systems.call))


def _asked(size: Floats, systems: Systems) -> Floats:
    """Return how many servers have a part of one call of `size` B."""
    return np.asarray(np.clip(np.ceil(size / systems.unit), 1.0, systems.servers))


def _moved(demand: Demand, systems: Systems) -> Floats:
    """Return the B that leave servers, or reach them: more than are asked for where whole pages are read.

    A page is gone before the process that it was read for comes back to it, but where neighbours on the same node read
    all of it at the same time.
    """
    if not demand.reads or demand.joined:
        return np.full(len(systems), demand.total)
    together = not demand.random and demand.nodes == 1
    apart = np.minimum(systems.page, demand.request * demand.streams) if together else systems.page
    return np.asarray(demand.total * np.maximum(1.0, apart / demand.request))


def _prices(demand: Demand, systems: Systems) -> tuple[Floats, Floats]:
    """Return the s of a server's processor for one call, and for one B, each (configurations,)."""
    if demand.reads:
        return systems.read_server, systems.read_byte
    return systems.write_server, systems.write_byte


def _entering(demand: Demand, systems: Systems) -> Floats:
    """Return the s of a client's processor for one request, each (configurations,)."""
    return np.full(len(systems), CROSSING) + (0.0 if demand.reads else systems.writing)
