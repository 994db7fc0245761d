"""One run of a point: set up, benchmark, check, and say how it went, whatever goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from acic.benchmarks import Benchmark
from acic.campaign.answering import PATIENCE, answered
from acic.campaign.attempt import Attempt
from acic.campaign.jobs import Clash, Jobs, NotTaken, Run, Trial
from acic.campaign.outputs import Outputs
from acic.campaign.places import check_place
from acic.campaign.points import Point
from acic.campaign.striping import read_back
from acic.campaign.system import Place, System
from acic.campaign.verdict import Verdict
from acic.cluster import Runner, StillRunning
from acic.cluster.others import TAKEN, ProcessorTime
from acic.errors import AcicError, MissingData, TransientError, on_one_line, printable
from acic.filesystems import WHOLE, settings
from acic.platforms import Platform
from acic.store.measurement import Outcome
from acic.workloads.replica import Replica

_JUMP = 1.0  # s that the clock may be off over a run
_STEPS = ("prepare", "measure", "check")


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
        announce: is told when a job is not taken, and asked again for; and of folders that are in the way.
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
        self._jobs = Jobs(
            runner,
            benchmark,
            nodes=nodes,
            forgotten=system.forgets,
            clock=clock,
            announce=announce,
            sleep=sleep,
        )
        self._system = system
        self._outputs = outputs
        self._nodes = nodes
        self._now = now
        self._clock = clock
        self._patience = patience
        self._look = look or (lambda: ProcessorTime(0, 0))
        self._queued = queued
        self._announce = announce

    def run(self, trial: Trial) -> Attempt:
        """Return how the trial went. Its files are gone afterwards, except for the benchmark's output.

        Raises:
            NeverTaken: the scheduler takes no such job: there was no run.
            NotTaken: it took none for some minutes: the run came to nothing.
            Clash: a folder of its name is there, of another campaign or of a run that was killed, and stays.
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
            if isinstance(error, NotTaken) and run.held:
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
            overhead=max(0.0, elapsed - run.held),
            time=begun.isoformat(),
            note=printable("; ".join(dict.fromkeys(filter(None, [verdict.note, *run.notes])))),
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
            self._jobs.runner.reclaim(self._jobs.job(run, step, ("true",)))
        self._remove(run)
        run.outputs.forget()  # nobody wrote down what it says

    def dollars(self, point: Point, seconds: float) -> float:
        """Return what `seconds` of the point's machines cost, USD; 0.0 where nobody is billed."""
        try:
            return self._platform.cost(point.configuration, point.workload.processes, seconds, held=self._nodes)
        except MissingData:
            return 0.0

    def _set_up(self, trial: Trial) -> Run:
        return Run(trial, Outputs(self._outputs, trial.name))

    def _attempted(self, run: Run) -> Verdict:
        try:
            return self._attempt(run)
        except NotTaken:
            raise
        except Clash as clash:
            self._announce(
                f"note: {clash.problem}, from elsewhere or a run that was killed; the next run number is taken"
            )
            raise
        except (AcicError, OSError) as error:
            return Verdict(Outcome.FAILED, note=on_one_line(error))

    def _clear(self, run: Run) -> str:
        """Remove what a run leaves, but for the output that tells how it went; return the hash of that."""
        try:
            self._remove(run)
        except TransientError as error:  # which takes nothing from what was measured
            run.notes.append(f"{run.data} could not be removed: {on_one_line(error)}")
        return run.outputs.keep()

    def _attempt(self, run: Run) -> Verdict:
        configuration = run.trial.point.configuration
        place = run.place = self._system.ready(configuration)
        before = self._look()
        made = settings(
            [kind for kind in self._platform.apply if kind not in (*WHOLE, "storage")],
            configuration,
            self._platform.baseline,
            directory=str(place.directory / run.folder),
            storage=self._platform.roles.storage,
            machines=self._nodes,
            own_folder=True,
        )
        run.settings = replace(made, hints={**place.hints, **made.hints})
        data = place.seen / run.folder
        answered(partial(self._make, run, place, data), patience=self._patience, undo=data.rmdir)
        _new(run.outputs.folder)
        replicas = self._jobs.replicas(run)
        verdict = Verdict(Outcome.UNKNOWN)
        for step, replica in zip(("prepare", "measure")[-len(replicas) :], replicas, strict=True):
            verdict = self._jobs.step(run, step, replica, layout=replica is replicas[0])
            if verdict.outcome is not Outcome.OK:
                return verdict if step == "measure" else replace(verdict, note=f"{step}: {verdict.note}")
            if replica.prepares:
                self._system.forget(data)
        return self._examined(run, data, replicas[-1], verdict, before)

    def _examined(self, run: Run, data: Path, replica: Replica, verdict: Verdict, before: ProcessorTime) -> Verdict:
        """Return what a run comes to whose jobs went well, by its files and by what else the processors did."""
        if excess := answered(partial(_excess, data, replica.size), patience=self._patience):
            return Verdict(Outcome.CORRUPT, verdict.result, excess)
        if (taken := self._look().taken_since(before)) > TAKEN:
            return Verdict(Outcome.SUSPECT, verdict.result, f"others got {taken:.0%} of the processor time wanted")
        doubt, remark = answered(partial(read_back, run.settings, data), patience=self._patience)
        run.notes += [remark] if remark else []
        if doubt:
            return Verdict(Outcome.SUSPECT, verdict.result, doubt)
        if run.trial.verify and self._jobs.can_check(run.trial.point.workload):
            return self._verify(run, replica, verdict)
        return verdict

    def _make(self, run: Run, place: Place, data: Path) -> None:
        check_place(place.seen, run.trial.point.workload.total_bytes, place.device, room=place.room)
        run.made = not data.exists()  # told first: an interrupt right behind the next line must not leave the folder
        try:
            _new(data)
        except Clash:
            run.made = False
            raise

    def _verify(self, run: Run, replica: Replica, measured: Verdict) -> Verdict:
        """Read back what was written, in the way that it was, and compare."""
        if run.data:
            self._system.forget(run.data)
        output = run.outputs.evidence
        try:
            checked = self._jobs.step(run, "check", replica.checking())
        except NotTaken as error:  # which takes nothing from what was measured
            run.outputs.evidence = output
            run.notes.append(f"its bytes were not compared: {on_one_line(error)}")
            return measured
        if checked.outcome is Outcome.OK:
            run.verified, run.outputs.evidence = True, output
            return measured
        if checked.outcome in (Outcome.SUSPECT, Outcome.UNKNOWN):  # which shows nothing
            run.outputs.evidence = output
            run.notes.append(f"check: {checked.note}")
            return measured
        return replace(checked, note=f"check: {checked.note}")

    def _remove(self, run: Run) -> None:
        if run.made and run.data and not self._system.remove(run.data):
            run.notes.append(f"{run.data} could not be removed")


def _new(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o755)  # a link that another user put there would be written through
    except FileExistsError as error:
        raise Clash(f"{folder} is there already") from error


def _excess(data: Path, written: int | None) -> str:
    """Return in words that the files in `data` are larger than what was written, "" if they are not.

    GlusterFS counts bytes of sharded files twice that several clients extend at once.
    """
    found = sum(path.stat().st_size for path in data.iterdir())
    return f"its files have {found} B, and {written} B were written" if written is not None and found > written else ""
