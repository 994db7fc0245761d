"""One run of a point: set up, benchmark, check, and say how it went, whatever goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from acic.benchmarks import Benchmark
from acic.benchmarks.benchmark import IOR, hints_text
from acic.campaign.answering import PATIENCE, answered
from acic.campaign.attempt import Attempt
from acic.campaign.outputs import Outputs
from acic.campaign.patience import patiently
from acic.campaign.places import check_place
from acic.campaign.points import Point
from acic.campaign.system import Place, System
from acic.campaign.verdict import Verdict, judge
from acic.cluster import Job, Refused, Runner, StillRunning
from acic.cluster.others import TAKEN, ProcessorTime
from acic.errors import AcicError, TransientError, on_one_line
from acic.filesystems import WHOLE, Settings, settings
from acic.filesystems.hints import HINTS_VARIABLE
from acic.platforms import Platform
from acic.store.measurement import Outcome
from acic.workloads import Access, Characteristics, Operation, Phase, Workload
from acic.workloads.replica import Replica, ior_commands

_JUMP = 1.0  # s that the clock may be off over a run
_STEPS = ("prepare", "measure", "check")


class NotTaken(TransientError):
    """A job of a run was not taken, by a scheduler that does not answer or has no room: the run came to nothing.

    Args:
        elapsed: s that it took until then; dollars: USD that earlier jobs of it cost. 0.0 where it had none.
    """

    elapsed = dollars = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run to make.

    Args:
        name: of its jobs and its folder; unique for ever.
        number: of the run in the campaign; marks its data.
        point: what to run.
        time_limit: s for each of its jobs.
        verify: read the bytes back afterwards and compare.
    """

    name: str
    number: int
    point: Point
    time_limit: float
    verify: bool = False


@dataclass(slots=True)
class _Run:
    """What is known of a trial under way."""

    trial: Trial
    outputs: Outputs
    place: Place | None = None
    settings: Settings = field(default_factory=lambda: Settings(directory=""))
    made: bool = False  # its folder, by this run and not by another of the same name
    jobs: float = 0.0  # s spent in jobs
    held: float = 0.0  # s that jobs can have had their machines
    idle: float = 0.0  # s in which nothing took a job
    verified: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def folder(self) -> str:
        """The name of the folder of its files."""
        return f"acic-{self.trial.name}"

    @property
    def data(self) -> Path | None:
        """The folder of its files, on the storage that is measured, as this program sees it."""
        return self.place.seen / self.folder if self.place else None


class Trials:
    """Makes trials on a platform.

    Args:
        platform: what is measured.
        runner: runs the jobs.
        benchmark: what runs in them.
        system: gives runs their place.
        outputs: where the benchmark's outputs are kept, one file for each run; seen by all nodes.
        nodes: machines to spread processes over.
        now: tells the time of day.
        clock: tells seconds that never go back.
        patience: s that a file system has to make a folder, or to list it.
        look: tells what became of the processors that jobs run on; None where that cannot be known.
        queued: whether jobs wait for their machines, which are paid for while a job has them and not before.
        announce: is told when a job is not taken, and asked again for.
        sleep: waits so many s, for what takes no job just now.
    """

    def __init__(
        self,
        platform: Platform,
        runner: Runner,
        benchmark: Benchmark,
        system: System,
        outputs: Path,
        *,
        nodes: int = 1,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
        patience: float = PATIENCE,
        look: Callable[[], ProcessorTime] | None = None,
        queued: bool = False,
        announce: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._platform = platform
        self._runner = runner
        self._benchmark = benchmark
        self._system = system
        self._outputs = outputs
        self._nodes = nodes
        self._now = now
        self._clock = clock
        self._patience = patience
        self._look = look or (lambda: ProcessorTime(0, 0))
        self._queued = queued
        self._announce, self._sleep = announce, sleep

    def run(self, trial: Trial) -> Attempt:
        """Return how the trial went. Its files are gone afterwards, except for the benchmark's output.

        Raises:
            Refused: the scheduler takes no such job: there was no run.
            NotTaken: it took none for some minutes: nor was there one.
            StillRunning: it was interrupted, and a job of it could not be ended: its files are left for `reclaim`.
        """
        begun, start = self._now(), self._clock()
        run = self._set_up(trial)
        try:
            verdict = self._attempted(run)
        except StillRunning:
            raise  # a job of its own writes to its folders, by which `reclaim` finds it
        except BaseException as error:
            self._clear(run)
            if isinstance(error, NotTaken) and run.jobs:
                error.elapsed = self._clock() - start - run.idle
                error.dollars = self.dollars(trial.point, run.held if self._queued else error.elapsed)
            raise
        raw = self._clear(run)
        whole = self._clock() - start
        drift = (self._now() - begun).total_seconds() - whole
        elapsed = whole - run.idle
        if abs(drift) > _JUMP:
            run.notes.append(f"the clock jumped by {drift:+.0f} s during the run")
        result = verdict.result
        good = verdict.outcome in (Outcome.OK, Outcome.SUSPECT) and result is not None
        return Attempt(
            number=trial.number,
            outcome=verdict.outcome,
            repetition=result.repetitions[0] if good and result and result.repetitions else None,
            elapsed=elapsed,
            dollars=self.dollars(trial.point, run.held if self._queued else elapsed),
            overhead=max(0.0, elapsed - run.jobs),
            time=begun.isoformat(),
            note="; ".join(dict.fromkeys(filter(None, [verdict.note, *run.notes]))),
            raw_sha256=raw,
            tool_version=result.tool_version if result else "",
            verified=run.verified,
        )

    def reclaim(self, name: str, point: Point) -> None:
        """End and clear away what a controller that died left of the trial called `name`."""
        run = self._set_up(Trial(name=name, number=0, point=point, time_limit=1.0))
        run.place = self._system.where(point.configuration)
        run.made = run.place is not None
        for step in _STEPS:
            self._runner.reclaim(self._job(run, step, ("true",)))
        self._remove(run)
        run.outputs.forget()  # nobody wrote down what it says

    def dollars(self, point: Point, seconds: float) -> float:
        """Return what `seconds` of the point's machines cost, USD; 0.0 where nobody is billed."""
        try:
            return self._platform.cost(point.configuration, point.workload.processes, seconds, held=self._nodes)
        except AcicError:
            return 0.0

    def _set_up(self, trial: Trial) -> _Run:
        return _Run(trial, Outputs(self._outputs, trial.name))

    def _attempted(self, run: _Run) -> Verdict:
        try:
            return self._attempt(run)
        except (Refused, NotTaken):
            raise
        except (AcicError, OSError) as error:
            return Verdict(Outcome.FAILED, note=on_one_line(error))

    def _clear(self, run: _Run) -> str:
        """Remove what a run leaves, but for the output that tells how it went; return the hash of that."""
        try:
            self._remove(run)
        except TransientError as error:  # which takes nothing from what was measured
            run.notes.append(f"{run.data} could not be removed: {on_one_line(error)}")
        return run.outputs.keep()

    def _attempt(self, run: _Run) -> Verdict:
        configuration = run.trial.point.configuration
        place = run.place = self._system.ready(configuration)
        before = self._look()
        made = settings(
            [kind for kind in self._platform.apply if kind not in (*WHOLE, "storage")],
            configuration,
            self._platform.baseline,
            directory=str(place.directory / run.folder),
            storage=self._platform.roles.storage,
        )
        run.settings = replace(made, hints={**place.hints, **made.hints})
        data = place.seen / run.folder
        answered(partial(self._make, run, place, data), patience=self._patience, undo=data.rmdir)
        run.outputs.folder.mkdir()
        replicas = _replicas(run, strict=self._benchmark.name == IOR)
        verdict = Verdict(Outcome.UNKNOWN)
        for step, replica in zip(("prepare", "measure")[-len(replicas) :], replicas, strict=True):
            verdict = self._step(run, step, replica, layout=replica is replicas[0])
            if verdict.outcome is not Outcome.OK:
                return verdict if step == "measure" else replace(verdict, note=f"{step}: {verdict.note}")
            if replica.prepares:
                self._system.forget(data)
        if excess := answered(partial(_excess, data, replicas[-1].size), patience=self._patience):
            return Verdict(Outcome.CORRUPT, verdict.result, excess)
        if (taken := self._look().taken_since(before)) > TAKEN:
            return Verdict(Outcome.SUSPECT, verdict.result, f"others got {taken:.0%} of the processor time wanted")
        if run.trial.verify and self._can_check(run.trial.point.workload):
            return self._verify(run, replicas[-1], verdict)
        return verdict

    def _make(self, run: _Run, place: Place, data: Path) -> None:
        check_place(place.seen, run.trial.point.workload.total_bytes, place.device, room=place.room)
        run.made = not data.exists()  # told first: an interrupt right behind the next line must not leave the folder
        data.mkdir()

    def _step(self, run: _Run, step: str, replica: Replica, *, layout: bool = False) -> Verdict:
        arguments = [*replica.options, "-G", str(run.trial.number + 1), *self._hints(run)]
        if replica.operation is Operation.WRITE:
            arguments += ["-e"]
        if "-k" not in arguments:
            arguments += ["-k"]  # the folder goes as a whole, and a check may come
        if (workers := run.trial.point.workload.io_processes) < run.trial.point.workload.processes:
            arguments += ["-N", str(workers)]
        job = self._job(run, step, tuple(arguments), layout=layout)
        run.outputs.evidence = run.outputs.folder / f"{job.name}.json"
        asked = self._clock()
        self._submit(run, job)
        ending = self._runner.wait(job)
        run.jobs += ending.seconds or 0.0
        run.held += ending.held(self._clock() - asked, job.time_limit)
        verdict = judge(run.outputs.evidence, job, ending, replica)
        run.notes += [verdict.remark] if verdict.remark else []
        return verdict

    def _submit(self, run: _Run, job: Job) -> None:
        """Have a job started, or put into a queue: asked again for some minutes where that cannot be done now.

        Raises:
            NotTaken: it still cannot be.
        """

        def sleep(seconds: float) -> None:
            begun = self._clock()
            self._sleep(seconds)
            run.idle += self._clock() - begun

        try:
            patiently(partial(self._runner.submit, job), TransientError, announce=self._announce, sleep=sleep)
        except TransientError as error:
            raise NotTaken(error.problem, hint=error.hint) from error

    def _can_check(self, workload: Characteristics) -> bool:
        """Return whether another job knows which bytes to expect: after random writes, only if it draws as they did."""
        if workload.access is not Access.RANDOM:
            return True
        return workload.operation is Operation.WRITE and self._benchmark.verifies_places

    def _verify(self, run: _Run, replica: Replica, measured: Verdict) -> Verdict:
        """Read back what was written, in the way that it was, and compare."""
        if run.data:
            self._system.forget(run.data)
        output = run.outputs.evidence
        try:
            checked = self._step(run, "check", replica.checking())
        except (Refused, NotTaken) as error:  # which takes nothing from what was measured
            run.outputs.evidence = output
            run.notes.append(f"its bytes were not compared: {on_one_line(error)}")
            return measured
        if checked.outcome is Outcome.OK:
            run.verified, run.outputs.evidence = True, output
            return measured
        return replace(checked, note=f"check: {checked.note}")

    def _job(self, run: _Run, step: str, arguments: tuple[str, ...], *, layout: bool = False) -> Job:
        workload = run.trial.point.workload
        name = f"{run.trial.name}-{step}"
        return Job(
            name=name,
            command=self._benchmark.command(arguments, run.outputs.folder / f"{name}.json"),
            processes=workload.processes,
            folder=run.outputs.folder,
            time_limit=run.trial.time_limit,
            nodes=self._nodes,
            environment=run.place.environment if run.place else {},
            without=(HINTS_VARIABLE,),
            before=run.settings.layout if layout else (),
        )

    def _hints(self, run: _Run) -> tuple[str, ...]:
        if not run.settings.hints or not run.trial.point.workload.interface.on_mpi_io:
            return ()
        file = run.outputs.folder / "hints"
        file.write_text(hints_text(run.settings.hints), encoding="utf-8")
        return self._benchmark.hints_arguments(file)

    def _remove(self, run: _Run) -> None:
        if run.made and run.data and not self._system.remove(run.data):
            run.notes.append(f"{run.data} could not be removed")


def _excess(data: Path, written: int | None) -> str:
    """Return in words that the files in `data` are larger than what was written, "" if they are not.

    GlusterFS counts bytes of sharded files twice that several clients extend at once.
    """
    found = sum(path.stat().st_size for path in data.iterdir())
    return f"its files have {found} B, and {written} B were written" if written is not None and found > written else ""


def _replicas(run: _Run, *, strict: bool) -> list[Replica]:
    """Return what to start for the trial: one command, or two where a file to read must be made first."""
    c = run.trial.point.workload
    if run.settings.file_per_process and c.shared:
        c = replace(c, shared=False)
    workload = Workload(name=run.trial.name, processes=c.processes, phases=(Phase(characteristics=c),))
    return ior_commands(workload, file=f"{run.settings.directory}/data", strict=strict)
