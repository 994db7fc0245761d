"""What a workload asks of the I/O system, told as streams of requests from nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from acic.prior.designs import AGGREGATION, BUFFERED, COLLECTIVE_STEPS, ROUND_TRIP
from acic.workloads import Access, Characteristics, Interface, Operation, Phase, Workload

_ALIKE = 0.01  # by which the bytes of two phases that are alike may differ
_WHOLE = 0.9  # of what they would read if all processes read all, to be taken for that
_WAITING = 0.5  # of the time in I/O, of processes that copy
_DRIFT = 0.25  # of the computing between phases, for which others do I/O already


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What the nine characteristics leave open.

    Args:
        files: that are opened in all; None: one shared one, or one for each I/O process.
        syncs: fsync calls of all processes; None: one at the end of each, as benchmarks are run with.
        pauses: between iterations, in which what was written can go on to where it lasts.
        pause: s of each.
        returns: how often processes are known to come back from computing; None: as often as they pause.
        own: whether what is read was written before by the same processes of the same run.
        reopened: whether its files were closed in between, so that clients ask the servers again.
        gathered: whether collective calls go through aggregators (two-phase I/O). ROMIO sees to that where processes'
            parts of a call interleave; those of a benchmark are one piece each, in the order of ranks.
        elsewhere: s that its run computes, where it has several phases.
        overlap: how far some processes read while others compute, 0 (all wait for one another) to 1.
        over: how often each byte of its files is moved; below 1.0 where parts of them are not.
        apart: how far the ranks that do I/O lie apart, 1.0 where one follows the other.
        contiguous: whether what a process moves of a shared file is one part of it over all iterations; else each
            iteration has parts of all processes, as the segments of a benchmark.
        others: whether what is read other processes of the run wrote.
        copied: whether each process reads as much as it writes elsewhere, by turns.
    """

    files: int | None = None
    syncs: int | None = None
    pauses: int = 0
    pause: float = 0.0
    returns: int | None = None
    own: bool = False
    reopened: bool = False
    gathered: bool = False
    elsewhere: float = 0.0
    overlap: float = 0.0
    over: float = 1.0
    apart: float = 1.0
    contiguous: bool = False
    others: bool = False
    copied: bool = False


BENCHMARK = Use()
UNLIKE = 0.25  # of what benchmarks taught, where an application does otherwise (docs/decisions/0010-default-model.md)
APART = 0.35  # of the logarithm, 80 % of the errors that applications add to benchmarks' there (the same)
APART_ALIKE = 0.2  # on the baseline's own file system, whose errors are the baseline's too (the same)


def likeness(use: Use) -> float:
    """Return how much of the prior's errors on benchmarks is taken to be its error here too, 0 to 1.

    Benchmarks sync what they wrote, do not pause, read what others made, and make no calls whose parts interleave.
    Their readers begin together and then wait for one another; a log does not tell that, so what it has read is unlike.
    """
    synced = use.syncs is None or use.syncs > 0
    paused = use.pauses > 0 and use.pause > 0
    alike = synced and not paused and not use.own and not use.gathered and use.files is None
    return 1.0 if alike else UNLIKE


def uses_of(workload: Workload) -> list[Use]:
    """Return what is known of each phase beside its characteristics: a log tells it all, a description need not.

    A phase reads what its run wrote if another wrote as many bytes to the same files, or if it reads a whole number of
    times as many: scratch files are written once and read in each iteration.
    """
    elsewhere = _computing(workload) if len(workload.phases) > 1 else 0.0
    found = []
    for phase in workload.phases:
        reads = phase.characteristics.operation is Operation.READ
        other = _writing(phase, workload.phases) if reads and phase.example else None
        own = other is not None and _whole_times(phase.bytes, other.bytes)
        again = reads and _opened_again(phase)
        copied = any(_copies(phase, one) for one in workload.phases)
        found.append(replace(_use_of(phase), own=own, reopened=again, elsewhere=elsewhere, copied=copied))
    return found


def _writing(phase: Phase, phases: Sequence[Phase]) -> Phase | None:
    """Return the phase that wrote what one reads: in the same way, unless a log says that others did."""
    same = _names if phase.details.get("written_by_others") is True else _files
    written = (one for one in phases if one.characteristics.operation is Operation.WRITE)
    return next((one for one in written if same(one) == same(phase)), None)


def _copies(phase: Phase, other: Phase) -> bool:
    """Return whether the same processes read in one phase what they write to other files in the other, by turns."""
    a, b = phase.characteristics, other.characteristics
    return (
        a.operation is not b.operation
        and phase.example != other.example
        and a.io_processes == b.io_processes
        and max(a.iterations, b.iterations) > 1
        and abs(phase.bytes - other.bytes) <= _ALIKE * phase.bytes
        and not (_away(phase) or _away(other))
    )


def _away(phase: Phase) -> bool:
    """Return whether processes pause between their requests, for more than they may wait for one another."""
    pauses, pause = _pauses(phase)
    return pauses * pause > _WAITING * (phase.seconds or 0.0)


def _computing(workload: Workload) -> float:
    """Return the s that a run does not do I/O; 0.0 where that is not known."""
    if workload.run_seconds is None or workload.io_share is None:
        return 0.0
    return workload.run_seconds * (1.0 - workload.io_share)


def _opened_again(phase: Phase) -> bool:
    """Return whether each process opened a file of the phase twice or more: to write it, or to read it before.

    Libraries count what they open within files, which tells nothing of that.
    """
    c = phase.characteristics
    if c.interface not in (Interface.POSIX, Interface.STDIO, Interface.MPIIO):
        return False
    return _number(phase, "opens") >= 2 * (c.io_processes if c.shared else phase.files)


def _whole_times(read: int, written: int) -> bool:
    """Return whether what was written is what is read, once or several times."""
    times = round(read / written) if written else 0
    return times > 0 and abs(times * written - read) <= _ALIKE * written


def _names(phase: Phase) -> tuple[str, int]:
    return phase.example, phase.files


def _files(phase: Phase) -> tuple[str, bool, int, int]:
    return phase.example, phase.characteristics.shared, phase.characteristics.io_processes, phase.files


def _use_of(phase: Phase) -> Use:
    least = 1 if phase.characteristics.shared else phase.characteristics.io_processes
    files = phase.files if phase.files > least else None
    if not phase.details:
        return Use(files=files)
    pauses, pause = _pauses(phase)
    return Use(
        files=files,
        syncs=round(_number(phase, "syncs")),
        pauses=pauses,
        pause=pause,
        returns=0 if pauses >= phase.characteristics.iterations else None,
        gathered=phase.details.get("collective_buffering") is True,
        over=_number(phase, "times_over") or 1.0,
        apart=_number(phase, "ranks_apart") or 1.0,
        contiguous=phase.details.get("contiguous") is True,
        others=phase.details.get("written_by_others") is True,
    )


def _pauses(phase: Phase) -> tuple[int, float]:
    """Return how often each process pauses, and for how many s.

    Where nothing tells iterations apart, but processes are known to be away from a file, each request may be one.
    """
    c = phase.characteristics
    if c.iterations > 1 or not (idle := _number(phase, "idle_seconds")):
        return c.iterations - 1, _number(phase, "pause_seconds")
    count = max(1, math.ceil(c.data_size / c.request_size) - 1)
    return count, idle / count


def _number(phase: Phase, name: str) -> float:
    value = phase.details.get(name, 0.0)
    return 0.0 if isinstance(value, str) else float(value)


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
        syncs: fsync calls of all streams.
        pauses: between iterations; pause: s of each; returns: from computing, as far as they are known to be.
        own: whether it reads what its run wrote, others: what other processes of it did; reopened: whether that was
            closed before.
        copied: whether its streams write (or read) as much elsewhere, by turns.
        shuffled: B that nodes exchange before (or after) they write (or read).
        agreeing: s that collective calls take to agree, before any data moves.
        beside: processes of each node, which compute in the pauses.
        meanwhile: s that each of them computes while others do I/O; 0.0 where all pause at the same time.
        overlap: how far networks and disks work for some while others compute, 0 to 1.
        over: how often each byte of the files is read, 1.0 for what is written; again: how often by the same stream.
        alike: streams that read the same bytes at the same time: all, or 1 where each has its own.
        gaps: B of an own file for each that is read of it; 1.0 where nothing lies between.
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
        in_turn=min(files, float(w.iterations)) if w.shared else max(1.0, files / streams),
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
        overlap=use.overlap if reads else 0.0,
        over=over,
        again=max(1.0, over / alike) if alike > 1 or not w.shared else 1.0,
        alike=alike,
        gaps=gaps,
        agreeing=calls * COLLECTIVE_STEPS * math.log2(w.io_processes) * ROUND_TRIP if collective else 0.0,
    )


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
