"""What an application does to storage: ACIC's nine characteristics, per phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from acic.errors import InvalidInput

DARSHAN = "darshan"  # what `Workload.source` begins with where it is a log
MOST_PROCESSES = 2**27  # of a job: ten times the cores of the largest machines


class Interface(StrEnum):
    """The highest I/O interface that the application itself calls."""

    POSIX = "POSIX"
    STDIO = "STDIO"
    MPIIO = "MPIIO"
    HDF5 = "HDF5"
    PNETCDF = "PNETCDF"

    @property
    def on_mpi_io(self) -> bool:
        """Whether MPI-IO is below it: it takes hints, and calls may be collective."""
        return self not in (Interface.POSIX, Interface.STDIO)


class Operation(StrEnum):
    """The one direction of a phase."""

    READ = "read"
    WRITE = "write"


class Access(StrEnum):
    """How consecutive requests of one process lie in the file."""

    CONSECUTIVE = "consecutive"
    STRIDED = "strided"
    RANDOM = "random"
    UNKNOWN = "unknown"


class Quality(StrEnum):
    """How far a value can be trusted."""

    EXACT = "exact"
    ESTIMATED = "estimated"
    UNKNOWN = "unknown"

    @property
    def mark(self) -> str:
        """What stands before a value where people read it."""
        return {"exact": "", "estimated": "~", "unknown": "?"}[self.value]


EXACT, ESTIMATED, UNKNOWN = Quality
"""Its members, looked up once: before Python 3.12 that takes as long as a call, and a small log needs fifty of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Characteristics:
    """The nine I/O characteristics of one phase, plus its access pattern.

    `data_size` is what one I/O process moves in one iteration, in B; `request_size` what one call
    moves, in B. Source: Liu et al., SC13, section 3.2.

    Raises:
        InvalidInput: a count or size below one, more I/O processes than processes, or a request
            larger than its data.
    """

    processes: int
    io_processes: int
    interface: Interface
    iterations: int
    data_size: int
    request_size: int
    operation: Operation
    collective: bool
    shared: bool
    access: Access = Access.UNKNOWN

    def __post_init__(self) -> None:
        if min(self.processes, self.io_processes, self.iterations, self.data_size, self.request_size) < 1:
            counts = ("processes", "io_processes", "iterations", "data_size", "request_size")
            name = next(name for name in counts if getattr(self, name) < 1)
            raise InvalidInput(f"{name} is {getattr(self, name)}", hint=f"{name} must be at least 1")
        if self.io_processes > self.processes:
            raise InvalidInput(
                f"io_processes ({self.io_processes}) exceeds processes ({self.processes})",
                hint="I/O processes are those of the processes that do I/O",
            )
        if self.request_size > self.data_size:
            raise InvalidInput(
                f"request_size ({self.request_size} B) exceeds data_size ({self.data_size} B)",
                hint="data_size is what one I/O process moves per iteration, in one or more requests",
            )

    @property
    def total_bytes(self) -> int:
        """Bytes that all I/O processes move in all iterations."""
        return self.io_processes * self.iterations * self.data_size

    @property
    def written_by_several(self) -> bool:
        """Whether several processes write one file together."""
        return self.operation is Operation.WRITE and self.shared and self.io_processes > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One direction of one interface on a group of files alike.

    Args:
        characteristics: the nine, and the access pattern.
        quality: for each characteristic's name, how far it can be trusted.
        files: how many files the group has.
        bytes: bytes moved by the application in this phase, B.
        seconds: wall time that the job spends in this phase's I/O, s; None if not known.
        imbalance: slowest rank's I/O time over the mean rank's, >= 1; None if not known.
        example: name of one of the files.
        details: what else the log told, for people to read.
    """

    characteristics: Characteristics
    quality: Mapping[str, Quality] = field(default_factory=dict)
    files: int = 1
    bytes: int = 0
    seconds: float | None = None
    imbalance: float | None = None
    example: str = ""
    details: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """An application's I/O: one or more phases, and the run they were part of.

    Args:
        name: what to call it.
        processes: processes of the job.
        phases: largest in bytes first; empty if the job did no I/O that was recorded.
        run_seconds: wall time of the whole job, s; None if not known.
        io_share: share of run_seconds in which the job waits for I/O, 0..1; None if not known.
        source: where this came from ("darshan 3.41 log", "TOML", "options"); that of logs begins with `DARSHAN`.
        notes: what could not be read or is uncertain, one sentence each.
        complete: whether all of its I/O is told: False where records or modules of a log are missing, or where HDF5, or
            several processes in memory, may have written what Darshan does not count.
    """

    name: str
    processes: int
    phases: tuple[Phase, ...]
    run_seconds: float | None = None
    io_share: float | None = None
    source: str = ""
    notes: tuple[str, ...] = ()
    complete: bool = True
