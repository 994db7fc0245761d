"""A job, how it ended, and what every runner does with it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from acic.cluster.last_words import last_words
from acic.errors import AcicError, InvalidInput

TAG = "ACIC_JOB"  # the environment variable that every process of a job carries, with the job's name

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Refused(InvalidInput):
    """A scheduler does not take a job or never starts it, and would not if it were asked again.

    Of the job's program that says nothing.
    """


class Withdrawn(AcicError):
    """A job is not waited for any longer, as who watches it says: it was taken back before it began."""


class State(StrEnum):
    """Where a job is; the last five are ends."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"  # exit status 0
    FAILED = "failed"  # another exit status, a signal, a lost node
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"  # gone, and nobody saw how: never taken for done

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self not in (State.QUEUED, State.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One parallel program to run.

    Args:
        name: unique among all jobs ever, since a job is found by it after its controller has died.
        command: the program and its arguments, without a launcher.
        processes: how many MPI processes; 0 for a program that is started once, as it is (a user's own `mpiexec ...`).
        folder: which exists and which all nodes see; standard output and error go there.
        time_limit: s, after which the whole job is ended, the commands before included.
        nodes: machines to spread the processes over.
        environment: added to the controller's own.
        without: variables that it does not take over, neither from the controller nor from a machine.
        before: commands to run first, once, one after the other; if one fails, so does the job.
        directory: where it starts, which all nodes see, too; None for `folder`.
        slots: processes that a command without `processes` starts by itself, for which a scheduler is asked for room.

    Raises:
        InvalidInput: a name that is none for a file, an empty command, a variable that cannot be, or a count or
            time that cannot be.
    """

    name: str
    command: tuple[str, ...]
    processes: int
    folder: Path
    time_limit: float
    nodes: int = 1
    environment: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    directory: Path | None = None
    slots: int = 0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidInput(f"{self.name!r} is no name for a job", hint="use letters, digits, '.', '_' and '-'")
        if not self.command or not self.command[0] or self.processes < 0 or self.nodes < 1:
            raise InvalidInput(f"the job {self.name} lacks a command or nodes", hint="give at least one of each")
        if not 0 < self.time_limit < math.inf:
            raise InvalidInput(f"{self.time_limit} s is no time limit", hint="give seconds, more than 0")
        if not all(command and command[0] for command in self.before):
            raise InvalidInput(f"a command before the job {self.name} is empty", hint="leave it out")
        for variable in (*self.environment, *self.without):
            if not _VARIABLE.fullmatch(variable) or variable == TAG:
                raise InvalidInput(
                    f"{variable!r} cannot be set or left out for a job", hint="use letters, digits and '_'"
                )
        if any("\0" in word for word in self._words()):
            raise InvalidInput(f"a word of the job {self.name} has a NUL in it", hint="no program can be given one")

    def _words(self) -> Iterator[str]:
        yield from self.command
        yield from self.environment.values()
        for command in self.before:
            yield from command

    def variables(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the whole environment of its processes, of what they would inherit."""
        kept = {name: value for name, value in inherited.items() if name not in self.without}
        return kept | dict(self.environment) | {TAG: self.name}

    @property
    def start(self) -> Path:
        """The working directory of its processes."""
        return self.folder if self.directory is None else self.directory

    @property
    def stdout(self) -> Path:
        """Where its standard output goes."""
        return self.folder / f"{self.name}.out"

    @property
    def stderr(self) -> Path:
        """Where its standard error goes."""
        return self.folder / f"{self.name}.err"

    def last_said(self, lines: int = 1) -> list[str]:
        """Return the last lines, at most so many, of its standard error, or where that is empty of its standard output.

        What its launchers say of themselves is left out, and where nothing else is said, told by its first sentence.
        """
        return last_words(self.stderr, self.stdout)[-lines:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a job stands or ended.

    Args:
        state: where it is.
        exit_status: of the program; 128 + N for a signal N; None if not known.
        seconds: wall time of the program by a monotonic clock (without queueing); None if not known.
        reason: one line, "" if all went well: "exit status 2", "killed by signal 9", "node failure", "time limit of
            30 s".
        hint: what can be done about it; "" where nothing more is known than the program said.
    """

    state: State
    exit_status: int | None = None
    seconds: float | None = None
    reason: str = ""
    hint: str = ""

    def held(self, waited: float, limit: float) -> float:
        """Return the s for which a job can have had its machines, where it was `waited` for so many, of `limit`."""
        return min(waited, limit) if self.seconds is None else self.seconds


class Runner(Protocol):
    """Runs jobs somewhere. Several jobs may be under way at once.

    A job outlives neither `cancel` nor `reclaim`: when these return, no process of it is left anywhere.
    """

    @property
    def name(self) -> str:
        """What the user calls it: "local", "ssh", "slurm"."""

    def submit(self, job: Job) -> None:
        """Start `job`, or put it into a queue.

        Raises:
            Refused: the scheduler will never take it.
            InvalidInput: it can never run here (no such launcher or folder, too many nodes, a name used before).
            TransientError: it was not started, and may be if tried again.
        """

    def poll(self, job: Job) -> Ending:
        """Return where a submitted job is.

        What cannot be seen now (a scheduler that does not answer) is as it was before: nothing is lost. The reason
        of a job in a queue is then that, and not what the scheduler said before.
        """

    def wait(self, job: Job) -> Ending:
        """Return how a submitted job ended, when it has; cancels it and re-raises on KeyboardInterrupt.

        Raises:
            Withdrawn, Refused: it was still in a queue, and whoever watches it had it taken back.
            StillRunning: that was interrupted, and it could not be cancelled.
        """

    def cancel(self, job: Job) -> Ending:
        """End `job` if it has not ended; return how it did.

        Raises:
            TransientError: a process does not end, or a machine or scheduler does not answer: some may be left.
        """

    def reclaim(self, job: Job) -> Ending | None:
        """Take over what a controller that died left of `job`, which it may or may not have submitted.

        Still running or queued, it is cancelled, with every process. Returns how it ended if that is
        known for certain, else None. Safe to call again.

        Raises:
            TransientError: as in `cancel`.
        """


class StillRunning(KeyboardInterrupt):
    """An interrupt on which a job could not be ended: what `Runner.reclaim` needs to end it later has to be kept."""


@contextmanager
def cancelled_on_interrupt(cancel: Callable[[Job], Ending], job: Job) -> Iterator[None]:
    """Cancel `job` where the block is interrupted.

    Raises:
        StillRunning: it was interrupted, and the job could not be cancelled.
    """
    try:
        yield
    except KeyboardInterrupt:
        try:
            cancel(job)
        except (AcicError, OSError, KeyboardInterrupt) as error:
            left = StillRunning()
            left.add_note(f"the job {job.name} may still run: {str(error) or 'interrupted again'}")
            raise left from error
        raise
