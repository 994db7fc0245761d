"""What a workload asks of the I/O system, told as streams of requests from nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from acic.prior.designs import AGGREGATION, BUFFERED, COLLECTIVE_STEPS, OPENING_STEPS, ROUND_TRIP
from acic.prior.uses import BENCHMARK, Use
from acic.workloads import Access, Characteristics, Interface, Operation

_WHOLE = 0.9  # of what they would read if all processes read all, to be taken for that
_DRIFT = 0.25  # of the computing between phases, for which others do I/O already


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """Streams of requests.

    Args:
        reads: the direction.
        total: B moved.
        nodes: that move them.
        streams: processes that call the file system (aggregators, where calls are collective).
        request: B of one of their calls.
        requests: of each stream.
        apart: B between neighbouring streams' places in a collective call, which keeps them in step; 0.0 where each
            goes on alone, or through a part of the file that is its own.
        block: B of a shared file that a process has before another's begin; inf for own files.
        joined: whether consecutive requests of a stream are neighbours in the file.
        random: whether they are anywhere.
        shared: whether streams use the same file.
        files: that are opened in all; in_turn: of them, those that each stream has one after the other.
        openers: processes that open them; mpi: whether by MPI-IO.
        syncs: fsync calls of all streams.
        pauses: between iterations; pause: s of each; returns: from computing, as far as they are known to be.
        own: whether it reads what its run wrote, others: what other processes of it did; reopened: whether that was
            closed before.
        copied: whether its streams write (or read) as much elsewhere, by turns.
        shuffled: B that nodes exchange before (or after) they write (or read).
        agreeing: s that collective calls take to agree, before any data moves, and opens by MPI-IO.
        beside: processes of each node, which compute in the pauses.
        meanwhile: s that each of them computes while others do I/O; 0.0 where all pause at the same time.
        overlap: how far networks and disks work for some while others compute, 0 to 1.
        over: how often each byte of the files is read, 1.0 for what is written; again: how often by the same stream.
        alike: streams that read the same bytes at the same time: all, or 1 where each has its own.
        gaps: B of an own file for each that is read of it; 1.0 where nothing lies between.
        made, asked, renamed, removed: what is done to names beside opening; named_by: processes that ask for it.
        handed: files that each stream finds which another node synced and renamed, one after the other.
        reopens: opens of files beyond those that they and the streams have to be opened.
        piece: B of the pieces that lie together on a disk, as the files that it finds were written; inf: whole files.
        stretch: B that are read in order before a process goes on elsewhere in the file; inf where none is known to.
        skips: whether each process has a file for itself meanwhile, and reads pieces of it with gaps between.
        laid: B of the requests with which the same processes wrote what they read; 0 where that is not known.
    """

    reads: bool
    total: float
    nodes: int
    streams: int
    request: float
    requests: float
    apart: float
    block: float
    joined: bool
    random: bool
    shared: bool
    files: float
    in_turn: float
    openers: int
    mpi: bool
    syncs: float
    pauses: int
    pause: float
    returns: int
    own: bool
    others: bool
    reopened: bool
    copied: bool
    shuffled: float
    agreeing: float
    beside: int
    meanwhile: float
    overlap: float
    over: float
    again: float
    alike: int
    gaps: float
    made: int
    asked: int
    renamed: int
    removed: int
    named_by: float
    handed: float
    reopens: int
    piece: float
    stretch: float
    skips: bool
    laid: int


def demand_of(workload: Characteristics, nodes: int, use: Use = BENCHMARK) -> Demand:
    """Return the streams of `workload` on a machine of `nodes` compute nodes.

    Processes stand in blocks on the nodes, as launchers place them, and those that do I/O are the first, or evenly
    apart: what libraries with aggregators or I/O servers do.

    Collective calls in which processes' parts interleave are two-phase I/O with one aggregator a node, ROMIO's default;
    all others are made as if they were independent, but in step (ROMIO users' guide, romio_cb_write).
    """
    w = workload
    on_each = math.ceil(w.processes / nodes)
    reach = (w.io_processes - 1) * use.apart + 1
    used = min(nodes, w.io_processes, math.ceil(reach / on_each))
    calls = w.iterations * math.ceil(w.data_size / w.request_size)
    collective = w.collective and w.interface.on_mpi_io and w.shared
    gathered = collective and use.gathered and w.io_processes > 1
    streams = used if gathered else w.io_processes
    in_step = gathered or (collective and w.access is Access.STRIDED)
    apart = w.request_size * w.io_processes / streams if in_step else 0.0
    request = min(float(AGGREGATION), apart) if gathered else _asked(w)
    own = w.total_bytes / streams
    files = float(use.files or (1 if w.shared else w.io_processes))
    reads = w.operation is Operation.READ
    over = use.over if reads else 1.0
    gaps = 1.0 / over if over < 1.0 and w.access is Access.STRIDED and not w.shared else 1.0
    in_turn = min(files, float(w.iterations)) if w.shared else max(1.0, files / streams)
    openers = use.openers or (w.io_processes if w.interface.on_mpi_io else streams)
    alike = streams if w.shared and not gathered and over >= _WHOLE * streams else 1
    return Demand(
        reads=reads,
        total=float(w.total_bytes),
        nodes=used,
        streams=streams,
        request=min(request, own),
        requests=max(1.0, own / request),
        apart=apart,
        block=_block(w, use) if w.shared and not gathered else math.inf,
        joined=gathered or not (w.access is Access.RANDOM or (w.access is Access.STRIDED and w.shared) or gaps > 1.0),
        random=w.access is Access.RANDOM,
        shared=w.shared,
        files=files,
        in_turn=in_turn,
        openers=openers,
        mpi=w.interface.on_mpi_io,
        syncs=float(streams if use.syncs is None else use.syncs),
        pauses=use.pauses,
        pause=use.pause,
        returns=use.pauses if use.returns is None else use.returns,
        own=use.own,
        others=use.others,
        reopened=use.reopened,
        copied=use.copied,
        shuffled=w.total_bytes * (1.0 - 1.0 / used) if gathered else 0.0,
        beside=on_each,
        meanwhile=0.0 if collective or _in_step(w, use) else use.pauses * use.pause or _drifted(w, use),
        overlap=use.overlap if reads or use.pauses * use.pause else 0.0,
        over=over,
        again=max(1.0, over / alike) if alike > 1 or not w.shared else 1.0,
        alike=alike,
        gaps=gaps,
        made=use.made,
        asked=use.asked,
        renamed=use.renamed,
        removed=use.removed,
        named_by=use.names_by or float(w.io_processes),
        handed=use.handed * (1.0 - 1.0 / nodes) / (1 if w.shared else openers),
        reopens=use.opens,
        stretch=w.total_bytes / (streams * in_turn + use.jumps) if reads and use.jumps else math.inf,
        skips=w.shared and w.access is Access.STRIDED and streams <= files and over * files < streams * in_turn,
        laid=use.laid,
        piece=w.total_bytes / over / files / use.writers if reads and use.writers > 1.0 else math.inf,
        agreeing=_steps(calls * COLLECTIVE_STEPS if collective else 0.0, w.io_processes)
        + _steps(in_turn * OPENING_STEPS if w.interface.on_mpi_io and w.shared else 0.0, openers),
    )


def _steps(steps: float, processes: int) -> float:
    """Return the s of steps in which processes agree, by a tree of messages."""
    return steps * math.log2(processes) * ROUND_TRIP


def _asked(w: Characteristics) -> float:
    """Return the B of one request to the file system: the C library fills a buffer with small ones in order."""
    buffered = w.interface is Interface.STDIO and w.access is Access.CONSECUTIVE
    return float(max(w.request_size, min(BUFFERED, w.data_size)) if buffered else w.request_size)


def _in_step(w: Characteristics, use: Use) -> bool:
    """Return whether processes are taken to pause at the same time, though no collective call makes them.

    Those do that write a file together, and those that gather what others computed, who wait for them meanwhile. What
    all read or write by themselves each does when it comes to it.
    """
    some = w.io_processes < w.processes
    return (w.shared or some) if w.operation is Operation.WRITE else (use.own and some)


def _drifted(w: Characteristics, use: Use) -> float:
    """Return the s for which processes still compute when others began a phase in which none of them pauses."""
    return _DRIFT * use.elsewhere if w.io_processes == w.processes else 0.0


def _block(w: Characteristics, use: Use) -> float:
    """Return the B of a shared file that a process has before another's begin."""
    if w.access is not Access.CONSECUTIVE:
        return float(w.request_size)
    files = min(use.files or 1, w.iterations)
    return w.data_size * w.iterations / files if use.contiguous else float(w.data_size)
