"""Formulas of the servers' disks: seconds for bytes, for I/Os, and for what has to last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.prior.calls import asked, pieces, shunned, waits
from acic.prior.demand import Demand
from acic.prior.designs import DISK_REQUEST, RAID_CHUNK, ROUND_TRIP
from acic.prior.systems import Systems

Floats = NDArray[np.float64]


def disk_bytes(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds of the busiest server's disks while data streams, if it has the share `load` of the data.

    Bottleneck: B/s of a disk times disks in RAID-0; what the page cache takes meets the disk when it is synced, and
    what was just written it still has.
    """
    rate = (systems.read if demand.reads else systems.write) * systems.disks
    here = demand.total * load * _from_disks(demand, systems)
    return np.asarray((here if demand.reads else here - _absorbed(demand, systems, load)) / rate)


def disk_requests(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the seconds that the busiest server's disks need for the number of I/Os.

    Bottleneck: I/Os a second of a disk times disks in RAID-0. Streams come in large pieces, random reads one by one.
    What a server commits piece by piece (BlueStore's objects) takes the journal's I/Os beside.
    """
    if demand.reads:
        streamed = np.maximum(demand.files, demand.total / systems.extent * _split(systems))
        sought = demand.streams * demand.requests * np.ceil(demand.request / DISK_REQUEST)
        sought = sought * asked(demand.request, systems) * np.minimum(systems.disks, 1.0 + demand.request / RAID_CHUNK)
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
    syncs = np.where(systems.keeps > 0, np.maximum(demand.syncs, demand.streams), syncs)  # sent when the run ends
    syncs = np.where(waits(demand, systems), 0.0, syncs)  # each write did
    chain = syncs / demand.streams * (ROUND_TRIP + systems.alone / systems.write_iops)
    used = np.minimum(systems.servers, demand.files)
    disks = np.where(systems.commits, 1.0, systems.disks)
    return np.asarray(np.maximum(chain, syncs / (_lasting(systems, disks) * used)))


def _from_disks(demand: Demand, systems: Systems) -> Floats:
    """Return the part of what is written, or read by others than clients, that disks have to do with.

    Nothing, of what servers still have; and once what is read several times.
    """
    times = np.maximum(1.0, demand.over / np.where(systems.remembers, demand.again, 1.0))
    return np.where(systems.cached & (demand.reads & demand.own), 0.0, 1.0 / times)


def _absorbed(demand: Demand, systems: Systems, load: Floats) -> Floats:
    """Return the B that the busiest server's page cache takes before its disks have to keep up.

    What the disks write while the application does no I/O makes room for as much. Where closing a file waits for them
    only what is open at a time can wait.
    """
    one = systems.dirty + demand.pauses * np.minimum(systems.dirty, demand.pause * systems.write)
    room = one * systems.disks
    if demand.in_turn > 1.0:
        room = np.where(systems.closes, np.minimum(room, demand.total * load / demand.in_turn), room)
    takes = systems.cached & ~waits(demand, systems)
    return np.where(takes, np.minimum(demand.total * load, room), 0.0)


def _lasting(systems: Systems, disks: Floats | float) -> Floats:
    """Return how many small writes a second a server makes last, if `disks` share them.

    The disks of a RAID-0 share only what waits together: one write's journal is on all of them (btrfs mirrors it).
    """
    return np.minimum(systems.write_iops * disks / systems.durable, systems.syncs)


def _split(systems: Systems) -> Floats:
    """Return how many disks one I/O of a stream meets: pieces as large as a chunk of RAID-0 lie across two."""
    return np.where(systems.extent <= RAID_CHUNK, np.minimum(systems.disks, 2.0), 1.0)
