"""Phases of kernels: what an application does, known exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from types import MappingProxyType

from acic.workloads import Access, Characteristics, Interface, Operation, Phase, Quality, Workload

_EXACT: Mapping[str, Quality] = MappingProxyType(
    dict.fromkeys((field.name for field in fields(Characteristics)), Quality.EXACT)
)


def phase(
    operation: Operation,
    example: str,
    *,
    processes: int,
    data_size: int,
    request_size: int,
    interface: Interface,
    access: Access,
    shared: bool,
    io_processes: int = 0,
    iterations: int = 1,
    collective: bool = False,
    files: int = 1,
    pause: float = 0.0,
    syncs: int = 0,
    again: bool = False,
    interleaved: bool = False,
    opens: int = 0,
    over: float = 1.0,
    apart: float = 1.0,
    contiguous: bool = False,
    others: bool = False,
) -> Phase:
    """Return a phase that is known exactly.

    Args:
        operation: read or write.
        example: a file of it.
        processes: of the job.
        data_size: of an I/O process in an iteration, B.
        request_size: of a single call, B.
        interface: that the application calls.
        access: how one process's requests lie.
        shared: whether several processes use a file.
        io_processes: that do this I/O; 0 for all.
        iterations: how often.
        collective: whether the calls are.
        files: in all.
        pause: processor time computed by each rank before each iteration, s.
        syncs: fsync calls of all processes.
        again: each iteration writes the same place.
        interleaved: processes' parts of a collective call are, so that MPI-IO gathers them at aggregators.
        opens: of its files by all processes in the run, for what is read and was written in the same run.
        over: how often each byte of its files is moved; as many times as iterations, where each is `again`.
        apart: how far the ranks that do this I/O lie apart.
        contiguous: what a process moves of a shared file over all iterations is one part of it.
        others: most of what is read other processes wrote in the same run.
    """
    found = Characteristics(
        processes=processes,
        io_processes=io_processes or processes,
        interface=interface,
        iterations=iterations,
        data_size=data_size,
        request_size=request_size,
        operation=operation,
        collective=collective,
        shared=shared,
        access=access,
    )
    alone = iterations > 1 and files >= iterations * (1 if shared else found.io_processes)
    how = "one" if iterations == 1 else "again" if again else "files" if alone else "pauses"
    details: dict[str, str | int | float] = {"iterations_are": how}
    if pause:
        details["pause_seconds"] = pause
    if syncs:
        details["syncs"] = syncs
    if opens:
        details["opens"] = opens
    if (times := iterations if again else over) != 1.0:
        details["times_over"] = float(times)
    if apart != 1.0:
        details["ranks_apart"] = apart
    if contiguous:
        details["contiguous"] = True
    if others:
        details["written_by_others"] = True
    if collective:
        details["collective_buffering"] = interleaved
    return Phase(
        characteristics=found,
        quality=_EXACT,
        files=files,
        bytes=found.total_bytes,
        example=example,
        details=details,
    )


posix = partial(phase, interface=Interface.POSIX, access=Access.CONSECUTIVE)
"""A phase of POSIX calls, consecutive where nothing else is told."""


def own(
    ranks: int,
    operation: Operation,
    example: str,
    times: int,
    size: int,
    request: int,
    files: int,
    pause: float = 0.0,
    *,
    by: int = 0,
    opens: int = 0,
    syncs: int = 0,
    apart: float = 1.0,
    others: bool = False,
) -> Phase:
    """Return a phase of POSIX calls to files that no two processes use at once: `by` of the `ranks`, 0 for all."""
    sized = partial(posix, processes=ranks, io_processes=by, iterations=times, data_size=size, request_size=request)
    told = partial(sized, operation, example, shared=False, files=files, pause=round(pause, 9))
    return told(opens=opens, syncs=syncs, apart=apart, others=others)


def workload(name: str, processes: int, *phases: Phase, notes: tuple[str, ...] = ()) -> Workload:
    """Return the workload of some phases, the largest first."""
    ordered = sorted(phases, key=lambda one: -one.bytes)
    return Workload(name=name, processes=processes, phases=tuple(ordered), source="acic kernel", notes=notes)
