"""Replicas: IOR commands that do the I/O of a workload.

IOR: https://ior.readthedocs.io (4.0). `-b` is what a process writes at a place before the others' blocks follow, and
`-s` repeats that pattern through the file, so that `-b` equal to `-t` interleaves the requests of the processes.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from acic.units import GIB, KIB, MIB
from acic.workloads.details import NAMED
from acic.workloads.workload import Access, Characteristics, Interface, Operation, Phase, Workload

_APIS = {
    Interface.POSIX: "POSIX",
    Interface.STDIO: "POSIX",
    Interface.MPIIO: "MPIIO",
    Interface.HDF5: "HDF5",
    Interface.PNETCDF: "MPIIO",
}
_COLLECTIVE = (Interface.MPIIO, Interface.HDF5, Interface.PNETCDF)
_PREPARES = (
    "This makes the file for the command below, which the clients' memory may answer: empty their caches in between{}."
)
_OTHER_TASKS = ", or add -C to it on several nodes"  # which does not go with random places in a shared file
_ATOM = 8  # B, of which IOR's sizes are multiples
_MANY_OPENS = 10  # of a file by a process: then metadata is part of the load
_ALIKE = 0.02  # of how often bytes are moved, that files of somewhat unlike sizes differ by
_ROUND = 100  # times, from which on parts of one are told to nobody
_BY_TURNS = 0.5  # of the shorter phase's time that is the other's too: of writes, reads, writes and reads it is more
_PAUSE = 0.1  # s, that IOR's delay in whole seconds cannot tell from none


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """An IOR command that repeats a phase.

    Args:
        phase: its number in the workload, from 0.
        arguments: the command.
        size: of its files together, B; None where HDF5 adds what it needs itself.
        prepares: whether it only makes the file that the command behind it reads.
        differences: what it does not do as the application does, one sentence each.
        remove: the shell command that removes the files which it has to leave, "" where IOR removes them itself.
    """

    phase: int
    arguments: tuple[str, ...]
    size: int | None
    prepares: bool = False
    differences: tuple[str, ...] = ()
    remove: str = ""

    @property
    def operation(self) -> Operation:
        """Which way it moves data: what makes a file writes it."""
        return Operation.WRITE if "-w" in self.arguments else Operation.READ

    @property
    def options(self) -> tuple[str, ...]:
        """IOR's options, without launcher and program."""
        return self.arguments[self.arguments.index("ior") + 1 :]

    def checking(self) -> Replica:
        """Return the command that reads back what this one left (with `-k`), in the same way, and compares."""
        kept = [option for option in self.arguments if option not in ("-w", "-e", "-r")]
        return replace(self, arguments=(*kept, "-r", "-R"), prepares=False, differences=(), remove="")

    def __str__(self) -> str:
        comments = [f"# {one}" for one in self.differences]
        return "\n".join([*comments, shlex.join(self.arguments), *filter(None, [self.remove])])


def ior_commands(workload: Workload, *, file: str = "acic-replica", strict: bool = True) -> list[Replica]:
    """Return the IOR commands that repeat each phase, one after the other; two where a file to read must be made first.

    Args:
        workload: to repeat.
        file: to write and read; the number of the phase is appended.
        strict: with nothing that IOR refuses and acic-bench does not: a random order of blocks of a single request.
    """
    commands = []
    for number, phase in enumerate(workload.phases):
        name = f"{file}.{number}"
        if phase.characteristics.operation is Operation.READ:
            commands.append(_replica(number, phase, name, strict=strict, prepare=True))
        made = _replica(number, phase, name, strict=strict)
        turns = _of_turns(phase, workload.phases)
        commands.append(replace(made, differences=(*made.differences, *turns)))
    return commands


def _replica(number: int, phase: Phase, name: str, *, strict: bool, prepare: bool = False) -> Replica:
    c = phase.characteristics
    layout = _Layout(phase, strict=strict)
    collective = c.collective and c.interface in _COLLECTIVE
    write = prepare or c.operation is Operation.WRITE
    again = not write and layout.times_over > 1  # a repetition would remove what the next one reads
    options = {
        "-c": collective and not prepare,
        "-w": write,
        "-r": not write,
        "-k": prepare or again,
        "-F": not c.shared,
        "-z": layout.random and not prepare,
        "-e": write and not prepare and bool(phase.details.get("syncs")),
    }
    arguments = ["mpiexec", "-n", str(c.io_processes), "ior", "-a", _APIS[c.interface]]
    arguments += [option for option, given in options.items() if given]
    arguments += ["-b", _size(layout.block), "-t", _size(layout.transfer)]
    if layout.segments > 1:
        arguments += ["-s", str(layout.segments)]
    if layout.repetitions > 1 and (layout.files or not prepare):
        arguments += ["-i", str(layout.repetitions), *(["-m"] if layout.files else [])]
        if layout.delay and not prepare:
            arguments += ["-d", str(layout.delay)]
    differences: tuple[str, ...] = (_PREPARES.format("" if layout.random and c.shared else _OTHER_TASKS),)
    if not prepare:
        differences = (*_of_interface(phase, collective), *_of_layout(phase, layout), *_of_time(phase, layout))
    return Replica(
        phase=number,
        arguments=(*arguments, "-o", name),
        size=None if c.interface is Interface.HDF5 else layout.moved // layout.times_over,
        prepares=prepare,
        differences=differences,
        remove=f"rm -f {shlex.quote(name)}{'' if c.shared else '.*'}" if again else "",
    )


class _Layout:
    """How IOR lays out a phase: blocks, segments and repetitions.

    Iterations that have files of their own, or do the same part of a file again, become repetitions; those that
    go on in a file become segments, because a repetition begins at the file's start; or one block, where each process
    goes on in a part of its own. Places are random within a block, of which each segment has the same order, so that
    iterations of a single request are one block, if that is `strict`.
    """

    def __init__(self, phase: Phase, *, strict: bool) -> None:
        c = phase.characteristics
        requests = max(1, round(c.data_size / c.request_size))
        self.transfer = math.ceil(c.data_size / requests / _ATOM) * _ATOM
        self.interleaved = c.access is Access.STRIDED and c.shared and c.io_processes > 1
        self.files = c.iterations > 1 and phase.files >= c.iterations * (1 if c.shared else c.io_processes)
        again = self.files or phase.details.get("iterations_are") in ("files", "again")
        self.repetitions = c.iterations if again else 1
        goes_on = 1 if again else c.iterations
        parts = phase.details.get("contiguous") is True and phase.files == 1 and c.access is Access.CONSECUTIVE
        in_block = goes_on if parts or (strict and c.access is Access.RANDOM and requests == 1) else 1
        self.block = self.transfer if self.interleaved else self.transfer * requests * in_block
        self.segments = goes_on // in_block * (requests if self.interleaved else 1)
        self.unordered = unordered(c) or ("a single request" if strict and self.block == self.transfer else "")
        self.random = c.access is Access.RANDOM and not self.unordered
        self.times_over = self.repetitions if again and not self.files else 1
        self.pause = _told(phase, "pause_seconds")
        self.delay = math.floor(self.pause + 0.5)
        self.moved = self.transfer * requests * c.iterations * c.io_processes


def unordered(c: Characteristics) -> str:
    """Return what IOR has no random order for; "" if it has one."""
    if c.interface is Interface.HDF5:
        return "HDF5"
    return "collective calls" if c.collective and c.interface in _COLLECTIVE else ""


def _of_interface(phase: Phase, collective: bool) -> Iterator[str]:
    c = phase.characteristics
    if c.interface is Interface.STDIO:
        yield "IOR has no STDIO: POSIX calls are not buffered by the C library."
    if c.interface is Interface.PNETCDF:
        yield "This calls MPI-IO as PnetCDF does; an IOR with PnetCDF has -a NCMPI."
    if c.collective and not collective:
        yield f"There is no collective I/O through {c.interface}."
    if c.io_processes < c.processes:
        yield f"Only the {c.io_processes} of {c.processes} processes that do I/O are started."


def _of_layout(phase: Phase, layout: _Layout) -> Iterator[str]:
    c = phase.characteristics
    if c.access is Access.STRIDED and not layout.interleaved:
        yield "The requests follow one another here: IOR leaves no holes in the file of one process."
    if phase.details.get("file_views") is True:
        yield (
            "The application sets file views: a request may be many pieces with holes in between, which the log does "
            "not tell; here it is one piece."
        )
    if c.access is Access.RANDOM and not layout.random:
        yield f"IOR has no random order for {layout.unordered}: here the requests follow one another."
    if c.access is Access.UNKNOWN:
        yield "How the requests lie in the file is not known; here they follow one another."
    if layout.transfer != c.request_size:
        yield (
            f"Requests are of {layout.transfer} B, not {c.request_size} B: IOR makes whole ones, of a multiple of "
            f"{_ATOM} B."
        )
    if layout.moved != (own := phase.bytes or c.total_bytes):
        yield f"IOR moves {layout.moved} B in all, the application {own} B."
    yield from _of_coverage(phase, layout)


def _of_coverage(phase: Phase, layout: _Layout) -> Iterator[str]:
    """Yield that the application moves some bytes of its files never, or more often than IOR does, or may do so."""
    over, verb = _told(phase, "times_over", layout.times_over), f"{phase.characteristics.operation}s"
    if over < min(1.0, layout.times_over * (1.0 - _ALIKE)):
        yield f"The application leaves gaps: it {verb} {over:.0%} of the bytes of its files, IOR all of them."
    elif over > layout.times_over * (1.0 + _ALIKE):
        here = "once" if layout.times_over == 1 else f"{layout.times_over} times"
        told = f"{over:.0f}" if over >= _ROUND else f"{over:.3g}"
        yield f"The application {verb} each byte {told} times over, IOR {here}."
    if phase.details.get("iterations_are") == "opens":
        yield "Whether each opening writes over what was there, or goes on behind it, is not known; here it goes on."


def _of_time(phase: Phase, layout: _Layout) -> Iterator[str]:
    c = phase.characteristics
    several = c.iterations > 1
    if several and layout.pause >= _PAUSE and not (layout.repetitions > 1 and layout.delay):
        yield f"The application pauses about {layout.pause:.2g} s between its {c.iterations} iterations, IOR does not."
    if several and layout.repetitions > 1 and not layout.files and c.operation is Operation.WRITE:
        yield "Each repetition opens and writes the same file again."
    opens = _told(phase, "opens")
    if opens > _MANY_OPENS * c.io_processes * c.iterations:
        yield f"The application opens files {opens:.0f} times; such metadata calls are not repeated."
    if names := sum(_told(phase, name) for name in NAMED):
        yield f"The application makes, looks at, changes or removes {names:.0f} names beside its I/O, IOR does not."


def _of_turns(phase: Phase, every: Sequence[Phase]) -> Iterator[str]:
    """Yield that the application does the other direction of the phase's files in the same seconds."""
    if any(_by_turns(phase, other) for other in every):
        replay = "; --replay FILE keeps their order" if _told(phase, "traced_share") else ""
        yield f"The application reads and writes the same files by turns, IOR other files one after the other{replay}."


def _by_turns(one: Phase, other: Phase) -> bool:
    ways = {one.characteristics.operation, other.characteristics.operation}
    if len(ways) < 2 or not one.example or one.example != other.example:
        return False
    spans = [(_told(phase, "began"), _told(phase, "ended")) for phase in (one, other)]
    both = min(ended for _, ended in spans) - max(began for began, _ in spans)
    return both > _BY_TURNS * min(ended - began for began, ended in spans)


def _told(phase: Phase, name: str, otherwise: float = 0.0) -> float:
    """Return a number of a phase's details."""
    found = phase.details.get(name, otherwise)
    return otherwise if isinstance(found, str) else float(found)


def _size(size: int) -> str:
    """Return a size as IOR writes it: 4m is 4 MiB."""
    for unit, factor in (("g", GIB), ("m", MIB), ("k", KIB)):
        if size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)
