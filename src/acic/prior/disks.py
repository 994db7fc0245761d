"""Formulas of the servers' disks: seconds for bytes, for I/Os, and for what has to last."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from acic.prior.calls import asked, behind, pieces, shunned, waits
from acic.prior.demand import Demand
from acic.prior.designs import DISK_REQUEST, FUSE_REQUEST, OVERREAD, PAGE, RAID_CHUNK, ROUND_TRIP, SAVED
from acic.prior.systems import Systems

Floats = NDArray[np.float64]


def disk_bytes(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds of the busiest server's disks while data streams, if it has the share `load` of the data.

    Bottleneck: B/s of a disk times disks in RAID-0; what the page cache takes meets the disk when it is synced, and
    what was just written it still has.
    """
    rate = (systems.read if demand.reads else systems.write) * systems.disks
    here = demand.total * load * _from_disks(demand, systems) * _between(demand, systems)
    return np.asarray((here if demand.reads else here - _absorbed(demand, systems, load)) / rate)


def disk_requests(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds that the busiest server's disks need for the number of I/Os.

    Bottleneck: I/Os a second of a disk times disks in RAID-0. Streams come in large pieces, or in those in which their
    files were written; random reads one by one, as do small ones with gaps between them where clients do not read far
    ahead. What a server commits piece by piece (BlueStore's objects) takes the journal's I/Os beside.
    """
    if demand.reads:
        streamed = demand.total * _between(demand, systems) * _streamed(demand, systems)
        streamed = np.maximum(streamed, np.maximum(demand.files, _lone(demand, systems)))
        sought = _apart(demand, systems) * np.ceil(demand.request / DISK_REQUEST) * asked(demand.request, systems)
        needed = (np.maximum(streamed, sought) if demand.random else streamed) * _from_disks(demand, systems)
        return np.asarray(needed * load / (systems.read_iops * systems.disks))
    each = pieces(demand, systems)
    late = np.where(systems.cached, _absorbed(demand, systems, load) / (demand.total * load), 0.0)
    data = np.maximum(demand.files, demand.total / systems.written) * (1.0 - late)
    parts = np.clip(systems.call / demand.block, 1.0, demand.nodes)  # of an object, each a client's
    objects = np.where(systems.commits, np.maximum(demand.files, demand.total / systems.call * parts), 0.0)
    rate = _lasting(systems, 1.0)
    streamed = (data / (systems.write_iops * systems.disks) + objects / rate) * load
    return np.asarray(np.where(waits(demand, systems), _one_by_one(demand, systems, each, load) / rate, streamed))


def _one_by_one(demand: Demand, systems: Systems, each: Floats, load: Floats) -> Floats:
    """Return how many writes the busiest server makes last before it answers them.

    Where clients of CephFS may not cache, its metadata server keeps track of all in one journal.
    """
    return each * np.where(shunned(demand, systems), 1.0, load)


def flushing(demand: Demand, systems: Systems, load: Floats, stream: Floats) -> Floats:
    """Return the seconds in which a sync writes back what the page cache had taken.

    Bottleneck: B/s of the busiest server's disks. Where nobody syncs the run does not wait for it. Several nodes do not
    come to their end together: the first one's data are written while the others still send, the last one's are not, so
    disks are taken to be at work for half of the `stream` s in which all but one send, or until nothing is left.
    """
    synced = (demand.syncs > 0) | systems.closes
    rate = systems.write * systems.disks
    last = np.minimum(_absorbed(demand, systems, load), systems.dirty * systems.disks)
    meanwhile = np.minimum(stream, last / rate) * (1.0 - 1.0 / demand.nodes) / 2.0
    return np.where(synced, last / rate - meanwhile, 0.0)


def syncing(demand: Demand, systems: Systems) -> Floats:
    """Return the seconds that syncs need to be on the disk: of one stream, and of the disks for all of them.

    Bottleneck: I/Os a second of the disks that hold the files, or what joins them; a shared file is synced by its first
    server. What a disk that is held to a rate saves up in a pause it does at once; what joins several saves up nothing.
    """
    syncs = np.where(systems.closes, np.maximum(demand.syncs, demand.files), demand.syncs)
    syncs = np.where(systems.keeps > 0, np.maximum(demand.syncs, demand.streams), syncs)  # sent when the run ends
    syncs = np.where(waits(demand, systems), 0.0, syncs)  # each write did
    answers = syncs / demand.streams * ROUND_TRIP
    chain = answers + syncs / demand.streams * systems.alone / systems.write_iops
    used = np.minimum(systems.servers, demand.files)
    disks = np.where(systems.commits, 1.0, systems.disks)
    saved = min(demand.pauses, demand.syncs / demand.streams) * min(demand.pause, SAVED)
    held = np.maximum(chain, syncs * systems.durable / (systems.write_iops * disks * used)) - saved
    return np.asarray(np.maximum(np.maximum(answers, held), syncs / (systems.syncs * used)))


def _from_disks(demand: Demand, systems: Systems) -> Floats:
    """Return the part of what is written, or read by others than clients, that disks have to do with.

    Nothing, of what servers still have; and once what is read several times.
    """
    times = np.maximum(1.0, demand.over / np.where(systems.remembers, demand.again, 1.0))
    return np.where(systems.cached & (demand.reads & demand.own), 0.0, 1.0 / times)


def _between(demand: Demand, systems: Systems) -> Floats:
    """Return how often what is wanted of files with gaps leaves disks, of what lies between it too.

    Page caches of servers read ahead behind each piece: as far as clients do, or as much again where those do not.
    """
    if demand.gaps <= 1.0:
        return np.ones(len(systems))
    ahead = 1.0 + np.where(systems.ahead > 0, systems.ahead / demand.request, 1.0)
    return np.where(systems.cached, np.minimum(demand.gaps, ahead), behind(demand, systems))


def _lone(demand: Demand, systems: Systems) -> Floats:
    """Return the I/Os of small pieces with gaps between them that are read one by one, of all disks of a server."""
    lone = systems.cached & (systems.ahead <= OVERREAD) & (demand.gaps > 1.0 and demand.request <= FUSE_REQUEST)
    skipped = systems.cached & (systems.page <= 1) & demand.skips
    found = _apart(demand, systems)
    return np.where(lone, found, np.where(skipped, found * np.where(systems.windows, 0.5, 1.0), 0.0))


def _apart(demand: Demand, systems: Systems) -> Floats:
    """Return the I/Os of requests that are no neighbours, on all disks: one that lies across two chunks takes two.

    What a request's size has in common with a chunk is all that is known of where requests begin.
    """
    across = 1.0 + (demand.request - math.gcd(round(demand.request), RAID_CHUNK)) / RAID_CHUNK
    return demand.streams * demand.requests * np.minimum(systems.disks, across)


def _absorbed(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the B that the busiest server's page cache takes before its disks have to keep up.

    What the disks write while the application does no I/O makes room for as much. Where closing a file waits for them
    only what is open at a time can wait, while others go on; of shared files all wait for each.
    """
    one = systems.dirty + demand.pauses * np.minimum(systems.dirty, demand.pause * systems.write)
    room = one * systems.disks
    if demand.in_turn > 1.0 and not demand.shared:
        room = np.where(systems.closes, np.minimum(room, demand.total * load / demand.in_turn), room)
    takes = systems.cached & ~waits(demand, systems)
    return np.where(takes, np.minimum(demand.total * load, room), 0.0)


def _lasting(systems: Systems, disks: Floats | float) -> Floats:
    """Return how many small writes a second a server makes last, if `disks` share them.

    The disks of a RAID-0 share only what waits together: one write's journal is on all of them (btrfs mirrors it).
    """
    return np.minimum(systems.write_iops * disks / systems.durable, systems.syncs)


def _streamed(demand: Demand, systems: Systems) -> Floats:
    """Return the I/Os for each B of a stream that is read, of all disks of a server.

    Each takes what one I/O does at most. Of files that many processes wrote, a part each, no more than such a part lies
    together on a server; where it has several disks each chunk of RAID-0 takes one, and half of one is for where parts
    begin. Where each write lasted before the next, half of the parts that begin within a page lie in two places. Pieces
    of extents as large as a chunk lie across two disks.
    """
    there = np.maximum(np.minimum(demand.piece, systems.unit), demand.piece / systems.servers)
    piece = np.clip(there, PAGE, systems.extent)
    parted = systems.cached & (piece < systems.extent)
    across = np.where(systems.extent <= RAID_CHUNK, np.minimum(systems.disks, 2.0), 1.0)
    split = systems.cached & (systems.disks > 1.0) & (demand.stretch < OVERREAD)
    across = np.where(split, systems.extent / RAID_CHUNK, across)
    chunks = np.where(systems.disks > 1.0, np.maximum(1.0, 0.5 + piece / RAID_CHUNK), 1.0)
    within = 1.0 - math.gcd(round(demand.piece), PAGE) / PAGE if math.isfinite(demand.piece) else 0.0
    chunks += np.where(systems.strict, 0.5 * within, 0.0)
    return np.where(parted, chunks / piece, across / systems.extent)
