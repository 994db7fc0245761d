"""Jobs that are child processes of this one: what runs on this machine and what goes out by ssh have in common."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import IO

from acic.cluster import commands, records
from acic.cluster.job import Ending, Job, State, cancelled_on_interrupt
from acic.cluster.statuses import ending_of, failed_before
from acic.errors import AcicError, InvalidInput, TransientError

_NOT_EXECUTABLE, _NOT_FOUND = 126, 127  # as shells have it

GRACE = 2.0  # s from TERM to KILL
_NAPS = (1.0, 2.0, 4.0, 8.0, 15.0)  # s between tries to end what a good run left: no answer may be for a moment


@dataclass(frozen=True, slots=True)
class Start:
    """A process to start.

    Args:
        words: the program and its arguments.
        stdin: what it is given on standard input.
        held: whether standard input stays open, and empty, until it has ended. Hydra sends the end of its own on to
            ranks that may be gone; then it dies of SIGPIPE, or finds the connection reset, and what they said and
            their exit status are lost.
    """

    words: Sequence[str]
    stdin: str = ""
    held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to start for a job.

    Args:
        before: what to run first, one after the other, for each command before the job.
        command: what is timed.
        environment: all of it, with the job's tag.
    """

    before: Sequence[Start]
    command: Start
    environment: Mapping[str, str]


class DirectRunner(ABC):
    """Runs each job in a thread of its own, which starts the job's processes and waits for them.

    The thread is the parent of what it starts, and ends after it: the kernel kills a process by
    `setpriv --pdeathsig` when the *thread* that started it is no more.
    """

    def __init__(self) -> None:
        self._runs: dict[str, _Run] = {}

    @abstractmethod
    def plan(self, job: Job) -> Plan:
        """Return what to start for `job`.

        Raises:
            InvalidInput: it can never run here.
            TransientError: it cannot run now.
        """

    @abstractmethod
    def end(self, job: Job) -> bool:
        """End all processes of `job`, wherever they are; return whether there were any.

        Raises:
            TransientError: some may be left.
        """

    @abstractmethod
    def clear(self, job: Job) -> None:
        """Remove what killed processes of `job` leave behind."""

    @abstractmethod
    def explain(self, job: Job, ending: Ending) -> Ending:
        """Return the ending of a `job` that failed, as it is to be understood."""

    def submit(self, job: Job) -> None:
        """See `Runner.submit`: when this returns, the job runs."""
        records.check_folder(job)
        if job.name in self._runs or records.ending_file(job).exists():
            raise InvalidInput(f"there was a job {job.name} already", hint="give each job a name of its own")
        plan = self.plan(job)
        try:
            streams = job.stdout.open("wb"), job.stderr.open("wb")
        except OSError as error:
            raise InvalidInput(f"cannot write {job.stdout}: {error}", hint="choose another folder") from error
        run = _Run(self, job, plan, streams)
        run.start()
        self._runs[job.name] = run

    def poll(self, job: Job) -> Ending:
        """See `Runner.poll`."""
        run = self._runs.get(job.name)
        if run is not None:
            return run.ending
        return records.recorded(job) or Ending(state=State.UNKNOWN, reason="it was not started by this controller")

    def wait(self, job: Job) -> Ending:
        """See `Runner.wait`."""
        run = self._runs.get(job.name)
        if run is not None:
            with cancelled_on_interrupt(self.cancel, job):
                run.over.wait()
        return self.poll(job)

    def cancel(self, job: Job) -> Ending:
        """See `Runner.cancel`."""
        run = self._runs.get(job.name)
        if run is None:
            return self.reclaim(job) or self.poll(job)
        run.stop(State.CANCELLED, "cancelled")
        return run.ending

    def reclaim(self, job: Job) -> Ending | None:
        """See `Runner.reclaim`."""
        if job.name in self._runs:
            return self.cancel(job)
        ran = self.end(job)
        self.clear(job)
        known = records.recorded(job)
        if known is None and ran and job.folder.is_dir():
            known = records.record(job, Ending(state=State.CANCELLED, reason="its controller had died"))
        return known


class _Run:
    """One job under way."""

    def __init__(self, runner: DirectRunner, job: Job, plan: Plan, streams: tuple[IO[bytes], IO[bytes]]) -> None:
        self.ending = Ending(state=State.RUNNING)
        self.over = threading.Event()
        self._runner, self._job, self._plan, self._streams = runner, job, plan, streams
        self._started: Future[None] = Future()
        self._lock = threading.Lock()
        self._stopped: Ending | None = None  # why it is being ended, once it is
        self._exited = False
        self._timer = threading.Timer(job.time_limit, self._expire)
        self._timer.daemon = True

    def start(self) -> None:
        """Return when the first process runs.

        Raises:
            TransientError: this machine has no room for another process.
        """
        threading.Thread(target=self._work, name=self._job.name, daemon=True).start()
        self._started.result()

    def stop(self, state: State, reason: str) -> None:
        """End the job, unless it has ended; return when no process is left.

        Raises:
            TransientError: some may be left.
        """
        with self._lock:
            if not self._exited and self._stopped is None:
                self._stopped = Ending(state=state, reason=reason)
        try:
            self._runner.end(self._job)
        except TransientError as error:
            self._settle(Ending(state=state, reason=f"{reason}; {error.problem}", hint=error.hint))
            raise
        self.over.wait()
        self._runner.clear(self._job)

    def _expire(self) -> None:
        try:
            self.stop(State.TIMEOUT, f"time limit of {self._job.time_limit:g} s")
        except TransientError:
            return  # it stands in the reason

    def _work(self) -> None:
        try:
            ending = self._run()
        except Exception as error:  # this thread is the job's only witness: whatever happens has to reach its ending
            if not self._started.done():
                self._started.set_exception(error)
                return
            ending = Ending(state=State.UNKNOWN, reason=f"{type(error).__name__}: {error}")
        finally:
            self._timer.cancel()
            for stream in self._streams:
                with suppress(OSError):  # what no disk has room for
                    stream.close()
        self._settle(ending)

    def _run(self) -> Ending:
        for start, words in zip(self._plan.before, self._job.before, strict=True):
            status = self._execute(start)
            if status:
                return self._cleared(failed_before(words, status))
        begin = time.monotonic()
        status = self._execute(self._plan.command)
        seconds = time.monotonic() - begin
        with self._lock:
            self._exited = True
        self._timer.cancel()
        ending = self._cleared(ending_of(status, seconds))
        return self._runner.explain(self._job, ending) if ending.state is State.FAILED else ending

    def _cleared(self, ending: Ending) -> Ending:
        """Return how the job ended, with `ending` for its last process, when nothing it left running is left."""
        good = ending.state is State.DONE
        try:
            self._end(_NAPS if good else ())  # also when it is being stopped: whoever does that is not done yet
        except AcicError as error:
            why = self._stopped or Ending(state=State.UNKNOWN if good else State.FAILED)
            reason = "; ".join(filter(None, [why.reason, error.problem]))
            return Ending(state=why.state, seconds=ending.seconds, reason=reason, hint=error.hint)
        return ending if self._stopped is None else replace(self._stopped, seconds=ending.seconds)

    def _end(self, naps: Sequence[float]) -> None:
        """End what the job left running; who does not answer is asked again after each of `naps`, in s.

        Raises:
            TransientError: some may be left.
        """
        for nap in naps:
            try:
                self._runner.end(self._job)
            except TransientError:
                if self.over.wait(nap):  # whoever stops it has told how it ended
                    raise
            else:
                return
        self._runner.end(self._job)

    def _execute(self, start: Start) -> int:
        """Run one process to its end; return its exit status, -N for a signal N."""
        with self._lock:  # a job that is being stopped starts nothing more
            if self._stopped is not None:
                return _NOT_EXECUTABLE
            process = self._spawn(start)
        if not self._started.done():
            self._timer.start()
            self._started.set_result(None)
        if process is None:
            return _NOT_FOUND
        status = process.wait()
        if process.stdin is not None:
            process.stdin.close()
        return status

    def _spawn(self, start: Start) -> subprocess.Popen[bytes] | None:
        stdout, stderr = self._streams
        try:
            with _input(start) as stdin:
                return subprocess.Popen(  # noqa: S603  # a list, no shell
                    [*commands.die_with_parent(), *start.words],
                    cwd=self._job.start,
                    env=self._plan.environment,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
        except (FileNotFoundError, PermissionError) as error:
            stderr.write(f"{start.words[0]}: {error.strerror}\n".encode())
            return None
        except OSError as error:
            raise TransientError(f"cannot start {start.words[0]}: {error.strerror}", hint="try again later") from error

    def _settle(self, ending: Ending) -> None:
        with self._lock:
            if not self.over.is_set():
                self.ending = records.record_or_tell(self._job, ending)
                self.over.set()


def _input(start: Start) -> AbstractContextManager[IO[bytes] | int]:
    if start.held:
        return nullcontext(subprocess.PIPE)
    if not start.stdin:
        return open(os.devnull, "rb")
    file = tempfile.TemporaryFile()  # noqa: SIM115  # the caller closes it; unlike a pipe, it takes any length at once
    file.write(os.fsencode(start.stdin))  # what is not UTF-8 of an environment, too
    file.seek(0)
    return file
