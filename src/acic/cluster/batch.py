"""Jobs that a batch scheduler runs."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from acic.cluster import jobscript, processes, records
from acic.cluster.direct import GRACE
from acic.cluster.directives import Request, check_attributes
from acic.cluster.job import Ending, Job, Refused, State, Withdrawn, cancelled_on_interrupt
from acic.cluster.launcher import find_launcher
from acic.cluster.scheduler import Sight
from acic.cluster.schedulers import open_scheduler
from acic.cluster.sights import Sights
from acic.cluster.statuses import by_signal
from acic.cluster.tickets import Ticket, native_of, read_ticket, withdraw, write_ticket
from acic.errors import AcicError, InvalidInput, TransientError

_FIRST_NAP, _LONGEST_NAP = 0.05, 1.0  # s


class BatchRunner:
    """Runs jobs through Slurm, or any other batch scheduler that PSI/J knows.

    How a program ended stands in a file that the job's script writes as its last act; what the scheduler
    says explains why there is none. Nothing that a later controller needs is kept in memory.

    Args:
        scheduler: as PSI/J calls it: "slurm", "pbs", "lsf", "cobalt".
        account: whom the time is charged to; "" for the scheduler's default.
        queue: queue or partition; "" for the scheduler's default.
        attributes: other directives, as the scheduler writes them, without dashes: {"constraint": "haswell"}.
        mpiexec: the launcher; None for that of ACIC_MPIEXEC, beside this Python, or on PATH.
        interval: s between questions to the scheduler.
        patience: s to wait for its answer.
        settle: s that the last file of a job may take to be seen here (NFS) when the scheduler says it ended.
        watch: is told, while `wait` waits, where the job is: in the queue, with the scheduler's reason, or running; it
            has a job taken back by raising `Withdrawn` or `Refused`.

    Raises:
        MissingData: PSI/J is not installed.
        InvalidInput: PSI/J knows no such scheduler, or a directive cannot be written.
    """

    def __init__(
        self,
        scheduler: str = "slurm",
        *,
        account: str = "",
        queue: str = "",
        attributes: Mapping[str, str] | None = None,
        mpiexec: Path | None = None,
        interval: float = 5.0,
        patience: float = 30.0,
        settle: float = 10.0,
        watch: Callable[[Job, Ending], None] = lambda *_: None,
    ) -> None:
        check_attributes(scheduler, attributes or {})
        self._request = Request(account=account, queue=queue, attributes=dict(attributes or {}))
        self._scheduler = open_scheduler(scheduler, self._request, patience)
        self._mpiexec = mpiexec
        self._settle, self._patience = settle, patience
        self._watch = watch
        self._sights = Sights(self._scheduler, interval)
        self._last: dict[str, Ending] = {}  # what was seen of a job the last time
        self._missed: dict[str, float] = {}  # since when a job has ended without saying how

    @property
    def name(self) -> str:
        """What the user calls it: the scheduler's name."""
        return self._scheduler.name

    def check(self) -> None:
        """See whether the scheduler is there, before any job depends on it.

        Raises:
            InvalidInput: its commands are not here.
            TransientError: it does not answer.
        """
        self._scheduler.check()

    def submit(self, job: Job) -> None:
        """See `Runner.submit`: the job is in the queue when this returns."""
        records.check_folder(job)
        earlier = read_ticket(job)
        if records.ending_file(job).exists() or (earlier is not None and earlier.may_start):
            raise InvalidInput(f"there was a job {job.name} already", hint="give each job a name of its own")
        token = secrets.token_hex(8)
        files = jobscript.Files.of(job, token)
        files.folder.mkdir(mode=0o700, exist_ok=True)  # what waits in the queue runs as this user, hours later
        self._write_scripts(job, files)
        ticket = Ticket(token=token, may_start=True)
        write_ticket(job, ticket)
        try:
            native = self._scheduler.submit(files.batch)
        except BaseException as error:
            native = self._started(job, ticket, error)
        write_ticket(job, replace(ticket, native=native))
        self._last[job.name] = Ending(state=State.QUEUED)

    def _started(self, job: Job, ticket: Ticket, error: BaseException) -> str:
        """Return the id of a job that started though its submission failed; else see that it never will, and raise.

        A scheduler may have taken a job and not have said so in time.
        """
        withdraw(job, ticket)
        if isinstance(error, Refused):  # it has none, and one of this name would be another
            raise error
        native = native_of(job, ticket)
        if native is not None and isinstance(error, TransientError):
            return native
        with suppress(AcicError):
            for found in self._scheduler.find(job.name):
                self._scheduler.cancel(found)
        raise error

    def _write_scripts(self, job: Job, files: jobscript.Files) -> None:
        command, crowded = list(job.command), {}
        if job.processes:
            launcher = find_launcher(self._mpiexec)
            command, crowded = launcher.in_allocation(command, job.processes, job.nodes), launcher.crowded()
        jobscript.write(job, files, command, crowded)
        launch = ["/bin/sh", str(files.script)]
        records.write_program(files.batch, self._scheduler.script(job, self._request, launch, files.folder))

    def poll(self, job: Job) -> Ending:
        """See `Runner.poll`: asks the scheduler at most every `interval` seconds."""
        known = records.recorded(job)
        if known is not None:
            return known
        ticket = read_ticket(job)
        if ticket is None:
            return Ending(state=State.UNKNOWN, reason="it was never submitted")
        ended = self._ended(job, ticket)
        if ended is not None and not by_signal(ended):
            return self._record(job, ended)
        native = native_of(job, ticket)
        before = self._last.get(job.name, Ending(state=State.QUEUED))
        try:
            sight = self._sights.of(job, native) if native is not None else None
        except TransientError:
            now = self._unseen(job, ticket, before)
        else:
            now = self._judge(job, ticket, sight, before)
        if now.state is State.UNKNOWN:
            self._give_up(job, ticket, native)
        if now.state.over:
            return self._record(job, now)
        self._last[job.name] = now
        return now

    def _give_up(self, job: Job, ticket: Ticket, native: str | None) -> None:
        """See that a job does not start, and ends, should it be there after all: nobody will look at it again."""
        with suppress(OSError):
            withdraw(job, ticket)
        with suppress(AcicError):
            if native is not None:
                self._scheduler.cancel(native)

    def _unseen(self, job: Job, ticket: Ticket, before: Ending) -> Ending:
        """Return where `job` is while the scheduler does not answer: where it was, unless it has begun since."""
        if before.state is not State.QUEUED:
            return before
        if _begun(job, ticket):
            return Ending(state=State.RUNNING)
        return replace(before, reason=f"{self.name} does not answer")  # what it said last, it does not say any more

    def _judge(self, job: Job, ticket: Ticket, sight: Sight | None, before: Ending) -> Ending:
        """Return where `job` is by what the scheduler says and by what its script wrote."""
        if sight is not None and not sight.state.over:
            self._missed.pop(job.name, None)
            return Ending(state=sight.state, reason=sight.reason)
        ended = self._ended(job, ticket)  # it may have ended since this was looked at
        if sight is not None and sight.final:
            # a program that the scheduler had killed ended by a signal, and this is why
            if ended is not None and not by_signal(ended):
                return ended
            told = Ending(state=sight.state, reason=sight.reason)
            return told if ended is None else replace(told, exit_status=ended.exit_status, seconds=ended.seconds)
        if ended is not None:
            return ended
        since = self._missed.setdefault(job.name, time.monotonic())
        if time.monotonic() - since < self._settle:
            return before
        jobscript.look_anew(jobscript.Files.of(job, ticket.token))
        if (ended := self._ended(job, ticket)) is not None:
            return ended
        if sight is None:
            return Ending(state=State.UNKNOWN, reason=f"gone from {self.name} without an exit status")
        if sight.state is State.FAILED:
            return Ending(state=State.FAILED, reason=sight.reason) if _begun(job, ticket) else _not_started(job)
        return Ending(state=State.UNKNOWN, reason=sight.reason or f"ended in {self.name} without an exit status")

    def wait(self, job: Job) -> Ending:
        """See `Runner.wait`."""
        nap = _FIRST_NAP
        with cancelled_on_interrupt(self.cancel, job):
            while not (ending := self.poll(job)).state.over:
                try:
                    self._watch(job, ending)
                except (Withdrawn, Refused):
                    if self._taken_back(job):
                        raise
                time.sleep(nap)
                nap = min(1.5 * nap, _LONGEST_NAP)
        return ending

    def _taken_back(self, job: Job) -> bool:
        """Cancel a job that is in the queue; return whether nothing of it runs, as far as that can be known.

        Leave to start is taken from it before the scheduler is asked: where that does not answer, the job may stay in
        the queue, and does nothing. One that has begun just before is waited for.
        """
        try:
            self.cancel(job)
        except AcicError:
            ticket = read_ticket(job)
            return ticket is None or not _begun(job, ticket)
        return True

    def cancel(self, job: Job) -> Ending:
        """See `Runner.cancel`."""
        ended = self.reclaim(job)
        if ended is None and read_ticket(job) is not None:
            return self._record(job, Ending(state=State.UNKNOWN, reason=f"gone from {self.name}; nobody saw how"))
        return ended or self.poll(job)

    def reclaim(self, job: Job) -> Ending | None:
        """See `Runner.reclaim`."""
        ticket = read_ticket(job)
        known = records.recorded(job)
        if ticket is not None and known is None:
            # the job's script writes its id and then looks for leave; here leave is taken and then the id is read
            ticket = withdraw(job, ticket)
            known = self._end(job, ticket)
            if known is None and not ticket.gone and native_of(job, ticket) is None:
                write_ticket(job, replace(ticket, gone=True))
        processes.end(job.name, grace=GRACE)  # where a node that failed is this machine, the scheduler leaves them
        return known

    def _end(self, job: Job, ticket: Ticket) -> Ending | None:
        """End a job that may be queued, running or gone; return how it ended if that is known for certain."""
        native = native_of(job, ticket)
        natives = [native] if native is not None else self._scheduler.find(job.name)
        alive = False
        deadline = time.monotonic() + 2 * self._patience
        nap = _FIRST_NAP
        while natives:
            sights = {native: sight for native, sight in self._seen_or_cancelled(natives).items() if sight.of(job)}
            left = [native for native in natives if native in sights and not sights[native].state.over]
            if not left:
                break
            if time.monotonic() > deadline:
                raise TransientError(
                    f"{self.name} does not end the job {job.name} ({', '.join(left)})", hint="ask who runs the machine"
                )
            for native in left:
                self._scheduler.cancel(native)
            alive = True
            time.sleep(nap)
            nap = min(2 * nap, _LONGEST_NAP)
        else:
            return None
        sight = next((sights[native] for native in natives if native in sights), None)
        return self._conclude(job, ticket, sight, alive=alive)

    def _seen_or_cancelled(self, natives: Sequence[str]) -> Mapping[str, Sight]:
        """Return what the scheduler says of jobs that are to end; where it does not answer, they are cancelled unseen.

        Raises:
            TransientError: it does not answer, or not in words that are understood.
        """
        try:
            return self._scheduler.look(natives)
        except TransientError:
            with suppress(AcicError):
                for native in natives:
                    self._scheduler.cancel(native)
            raise

    def _conclude(self, job: Job, ticket: Ticket, sight: Sight | None, *, alive: bool) -> Ending | None:
        if ticket.gone:
            return None
        ended = self._ended(job, ticket)
        if ended is not None and not (alive and by_signal(ended)):
            return self._record(job, ended)
        if alive:
            return self._record(job, Ending(state=State.CANCELLED, reason="cancelled"))
        if sight is not None and sight.final:
            return self._record(job, Ending(state=sight.state, reason=sight.reason))
        return None

    def _ended(self, job: Job, ticket: Ticket) -> Ending | None:
        return jobscript.read_end(job, jobscript.Files.of(job, ticket.token))

    def _record(self, job: Job, ending: Ending) -> Ending:
        self._sights.drop(job)
        return records.record_or_tell(job, ending)


def _begun(job: Job, ticket: Ticket) -> bool:
    return jobscript.Files.of(job, ticket.token).started.exists()


def _not_started(job: Job) -> Ending:
    reason = f"its script did not start on the node, which may not see {job.folder.absolute()}"
    return Ending(state=State.UNKNOWN, reason=reason, hint="use one that all nodes see; acic's are in XDG_STATE_HOME")
