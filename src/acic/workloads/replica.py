"""Replicas: IOR commands that do the I/O of a workload.

IOR: https://ior.readthedocs.io (4.0). `-b` is what a process writes at a place before the others' blocks follow, and
`-s` repeats that pattern through the file, so that `-b` equal to `-t` interleaves the requests of the processes.
"""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass

from acic.units import GIB, KIB, MIB
from acic.workloads.workload import Access, Characteristics, Interface, Operation, Phase, Workload

_APIS = {
    Interface.POSIX: "POSIX",
    Interface.STDIO: "POSIX",
    Interface.MPIIO: "MPIIO",
    Interface.HDF5: "HDF5",
    Interface.PNETCDF: "MPIIO",
}
_MANY_OPENS = 10  # of a file by a process: then metadata is part of the load
_PAUSE = 0.1  # s, that IOR's delay in whole seconds cannot tell from none


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """An IOR command that repeats a phase.

    Args:
        phase: its number in the workload, from 0.
        arguments: the command.
        prepares: whether it only makes the file that the command behind it reads.
        differences: what it does not do as the application does, one sentence each.
    """

    phase: int
    arguments: tuple[str, ...]
    prepares: bool = False
    differences: tuple[str, ...] = ()

    def __str__(self) -> str:
        comments = [f"# {one}" for one in self.differences]
        return "\n".join([*comments, shlex.join(self.arguments)])


def ior_commands(workload: Workload, *, file: str = "acic-replica") -> list[Replica]:
    """Return the IOR commands that repeat each phase, one after the other; two where a file to read must be made first.

    Args:
        workload: to repeat.
        file: to write and read; the number of the phase is appended.
    """
    commands = []
    for number, phase in enumerate(workload.phases):
        name = f"{file}.{number}"
        if phase.characteristics.operation is Operation.READ:
            commands.append(_replica(number, phase, name, prepare=True))
        commands.append(_replica(number, phase, name))
    return commands


def _replica(number: int, phase: Phase, name: str, *, prepare: bool = False) -> Replica:
    c = phase.characteristics
    layout = _Layout(phase)
    arguments = ["mpiexec", "-n", str(c.io_processes), "ior", "-a", _APIS[c.interface]]
    collective = c.collective and c.interface in (Interface.MPIIO, Interface.HDF5, Interface.PNETCDF)
    if collective and not prepare:
        arguments.append("-c")
    if c.operation is Operation.WRITE or prepare:
        arguments += ["-w", "-k"] if prepare else ["-w"]
    else:
        arguments += ["-r", "-k"]
    if not c.shared:
        arguments.append("-F")
    if c.access is Access.RANDOM and not prepare:
        arguments.append("-z")
    if phase.details.get("syncs") and c.operation is Operation.WRITE:
        arguments.append("-e")
    arguments += ["-b", _size(layout.block), "-t", _size(layout.transfer)]
    if layout.segments > 1:
        arguments += ["-s", str(layout.segments)]
    if layout.repetitions > 1 and (not prepare or layout.files):
        arguments += ["-i", str(layout.repetitions)]
        if layout.files:
            arguments.append("-m")
        if layout.delay:
            arguments += ["-d", str(layout.delay)]
    arguments += ["-o", name]
    differences = (
        ("This makes the file for the command below.",) if prepare else _differences(phase, layout, collective)
    )
    return Replica(phase=number, arguments=tuple(arguments), prepares=prepare, differences=differences)


class _Layout:
    """How IOR lays out a phase: blocks, segments and repetitions.

    Iterations that have files of their own, or do the same part of a file again, become repetitions; those that
    go on in a file become segments, because a repetition begins at the file's start.
    """

    def __init__(self, phase: Phase) -> None:
        c = phase.characteristics
        requests = max(1, round(c.data_size / c.request_size))
        self.transfer = c.data_size // requests if c.data_size % requests == 0 else c.request_size
        data = self.transfer * requests
        how = phase.details.get("iterations_are", "")
        each = 1 if c.shared else c.io_processes
        self.files = c.iterations > 1 and phase.files >= c.iterations * each
        again = self.files or how in ("files", "again") or c.iterations == 1
        self.repetitions = c.iterations if again else 1
        in_file = 1 if again else c.iterations
        interleaved = c.access is Access.STRIDED and c.shared and c.io_processes > 1
        self.block = self.transfer if interleaved else data
        self.segments = in_file * (requests if interleaved else 1)
        pause = phase.details.get("pause_seconds", 0)
        self.pause = float(pause) if not isinstance(pause, str) else 0.0
        self.delay = math.floor(self.pause + 0.5)
        self.moved = data * c.iterations * c.io_processes
        self.interleaved = interleaved


def _differences(phase: Phase, layout: _Layout, collective: bool) -> tuple[str, ...]:
    c = phase.characteristics
    found = []
    if c.interface is Interface.STDIO:
        found.append("IOR has no STDIO: POSIX calls are not buffered by the C library.")
    if c.interface is Interface.PNETCDF:
        found.append("This calls MPI-IO as PnetCDF does; an IOR with PnetCDF has -a NCMPI.")
    if c.collective and not collective:
        found.append(f"IOR cannot do collective I/O through {c.interface}.")
    if c.io_processes < c.processes:
        found.append(f"Only the {c.io_processes} of {c.processes} processes that do I/O are started.")
    if c.access is Access.STRIDED and not layout.interleaved:
        found.append("The requests follow one another here: IOR leaves no holes in a file of one process.")
    if c.access is Access.UNKNOWN:
        found.append("How the requests lie in the file is not known; here they follow one another.")
    if c.iterations > 1 and layout.pause >= _PAUSE and not (layout.repetitions > 1 and layout.delay):
        found.append(
            f"Between the {c.iterations} iterations the application pauses about {layout.pause:.2g} s; IOR does not."
        )
    if c.iterations > 1 and not layout.files and layout.repetitions > 1 and c.operation is Operation.WRITE:
        found.append("Each repetition opens and writes the same file again.")
    if layout.moved != c.total_bytes:
        found.append(
            f"IOR moves whole requests: {layout.moved} B in all, where the application moves {c.total_bytes} B."
        )
    opens = phase.details.get("opens", 0)
    if not isinstance(opens, str) and opens > _MANY_OPENS * c.io_processes * c.iterations:
        found.append(f"The application opens files {opens:.0f} times; such metadata calls are not repeated.")
    return tuple(found)


def _size(size: int) -> str:
    """Return a size as IOR writes it: 4m is 4 MiB."""
    for unit, factor in (("g", GIB), ("m", MIB), ("k", KIB)):
        if size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)
