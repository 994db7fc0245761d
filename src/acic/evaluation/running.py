"""One run of an application in the lab: input made, caches emptied, timed, results staged out, cleared away."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from acic.benchmarks import Benchmark
from acic.benchmarks.kernels import Kernel, Step, result_of
from acic.benchmarks.kernels import Outcome as Took
from acic.campaign.system import Deployed, Place
from acic.cluster import Job, State
from acic.cluster.others import TAKEN, ProcessorTime, processor_time_beside
from acic.errors import AcicError, TransientError, on_one_line
from acic.evaluation.truth import OutOfTime, Run
from acic.filesystems.hints import hints_environment, romio_hints
from acic.lab import Lab
from acic.lab.staging import stage_out
from acic.platforms import Platform
from acic.space import Configuration
from acic.store.measurement import Outcome

LIMIT = 120.0  # s for a job
_TRIES = 12  # of a run while others get this machine's processors
_PAUSE = 10.0  # s before it is tried again


class WrongBytes(AcicError):
    """What was read is not what was written."""


class Runs:
    """Makes runs of applications in a lab that is up.

    Args:
        platform: the lab's.
        lab: the lab.
        benchmark: acic-bench.
        outputs: a folder for what jobs print; nothing is left in it.
        now: tells the time of day.
        told: is told of each run that is thrown away, and why.
        doubted: whether a configuration is to be run once more after each run, and all its data compared.
        environment: of each timed run, beside its own.
        look: tells what became of the machine's processors; None: from what the kernel and its processes tell.
        sleep: waits some seconds.
        over: whether the time for runs is up, so that one which is thrown away is not made again.
    """

    def __init__(
        self,
        platform: Platform,
        lab: Lab,
        benchmark: Benchmark,
        outputs: Path,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        told: Callable[[str], None] = lambda _: None,
        doubted: Callable[[Configuration], bool] = lambda _: False,
        environment: Mapping[str, str] | None = None,
        look: Callable[[], ProcessorTime] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._platform = platform
        self._lab = lab
        self._system = Deployed(lab)
        self._runner = lab.runner(mpiexec=benchmark.mpiexec)
        self._benchmark = benchmark
        self._doubted = doubted
        self._outputs = outputs
        self._environment = dict(environment or {})
        self._now = now
        self._told = told
        self._look = look or (lambda: processor_time_beside(lab.processes()))
        self._sleep = sleep
        self._over = over
        self._made = 0
        self.thrown_away = 0

    def run(self, kernel: Kernel, configuration: Configuration, repetition: int) -> Run:
        """Return how the application went on `configuration`.

        The seconds of a run during which others got this machine's processors tell nothing: it is counted in
        `thrown_away`, and made again. One that failed has none, and is tried again later anyway.

        Raises:
            OutOfTime: the time was up before one held.
            TransientError: that was so every time.
        """
        for tries_left in reversed(range(_TRIES)):
            made, taken = self._once(kernel, configuration, repetition)
            if taken <= TAKEN or made.outcome is not Outcome.OK:
                return made
            self.thrown_away += 1
            if tries_left and not self._over():
                self._told(f"others got {taken:.0%} of the processor time: run thrown away, again in {_PAUSE:.0f} s")
                self._sleep(_PAUSE)
            if self._over():
                raise OutOfTime("the time for runs was up before one held", hint="go on later with the same command")
        raise TransientError(
            f"others got {taken:.0%} of the processor time wanted: {_TRIES} runs in a row were thrown away",
            hint="nothing measured now would hold: end what else works on this machine (top), and if nothing does its "
            "hypervisor gave it to others; go on later with the same command",
        )

    def _once(self, kernel: Kernel, configuration: Configuration, repetition: int) -> tuple[Run, float]:
        """Return the run, and the share of the processor time wanted meanwhile that others got."""
        begun, before = self._now(), self._look()
        self._made += 1
        name = f"{kernel.key}-{begun:%Y%m%d%H%M%S}-{self._made}"
        folder = self._outputs / name
        place: Place | None = None
        took, staged, size = None, 0.0, 0
        outcome, note = Outcome.OK, ""
        try:
            folder.mkdir(parents=True)
            place = self._system.ready(configuration)
            before = self._look()  # deploying is not timed
            (place.seen / name).mkdir()
            took = self._timed(kernel, name, folder, place)
            results = [f"{name}/{result}" for result in kernel.results]
            size = sum((place.seen / result).stat().st_size for result in results)
            if size > kernel.bytes_moved:
                outcome, note = Outcome.CORRUPT, f"its results have {size} B, and it wrote {kernel.bytes_moved} B"
            elif results and self._platform.stages_out(configuration):
                staged = stage_out(self._lab, results)
            if outcome is Outcome.OK and self._doubted(configuration):
                self._compare(kernel, name, folder, place)
        except WrongBytes as error:
            outcome, note, staged = Outcome.CORRUPT, error.problem, 0.0
        except (AcicError, OSError) as error:
            outcome, note = Outcome.FAILED, on_one_line(error)
        finally:
            taken = self._look().taken_since(before)
            note = "; ".join(filter(None, [note, self._clear(folder, place.seen / name if place else None)]))
        good = took if outcome is Outcome.OK else None
        made = Run(
            kernel=kernel.name,
            scale=kernel.scale,
            configuration=configuration,
            repetition=repetition,
            time=begun,
            outcome=outcome,
            seconds=good.seconds if good else None,
            io=good.io_seconds if good else None,
            compute=good.compute_seconds if good else None,
            staged=staged if good else 0.0,
            staged_bytes=size if good and staged else 0,
            tool_version=self._benchmark.version,
            note=note,
        )
        return made, taken

    def _compare(self, kernel: Kernel, name: str, folder: Path, place: Place) -> None:
        """Run it once more, and compare all that is read and all that was written: not in the time of a run.

        Raises:
            WrongBytes: some differ.
            TransientError: some of its input do, which all processes make together, so the run says nothing.
        """
        again = f"{name}-compared"
        (place.seen / again).mkdir()
        try:
            for step in kernel.steps:
                self._system.forget(place.seen)
                try:
                    self._job(kernel, step, again, folder, place, check=True)
                except WrongBytes as error:
                    if step == "prepare":
                        raise TransientError(f"its input is wrong: {error.problem}") from error
                    raise
        finally:
            self._removed(place.seen / again)  # what stays is told when the run itself is cleared away

    def _timed(self, kernel: Kernel, name: str, folder: Path, place: Place) -> Took:
        kernel.write(folder)
        if place.hints:
            (folder / "romio_hints").write_text(romio_hints(place.hints))
        for step in kernel.steps:
            self._system.forget(place.seen)
            took = self._job(kernel, step, name, folder, place)
        return took

    def _job(self, kernel: Kernel, step: Step, name: str, folder: Path, place: Place, *, check: bool = False) -> Took:
        output = folder / f"{step}.json"
        directory, settle = place.directory / name, place.holds_back and step == "run"
        arguments = kernel.command(step, directory, scripts=folder, summary=output, settle=settle, check=check)
        job = Job(
            name=f"{name}-{step}",
            command=(str(self._benchmark.program), *arguments),
            processes=kernel.processes,
            folder=folder,
            time_limit=LIMIT,
            nodes=self._platform.compute_nodes or 1,
            environment={
                **place.environment,
                **hints_environment(folder / "romio_hints"),
                **(self._environment if step == "run" and not check else {}),
            },
        )
        self._runner.submit(job)
        ending = self._runner.wait(job)
        if check and output.is_file() and (took := result_of(output.read_text())).status == "wrong data":
            raise WrongBytes(f"{step}: {took.error}")
        if ending.state is not State.DONE:
            last = job.last_said(2)
            raise TransientError(f"{step}: {ending.reason}: {' / '.join(last)}")
        took = result_of(output.read_text())
        if not took.good:
            raise TransientError(f"{step}: {took.status}: {took.error}")
        return took

    def _clear(self, folder: Path, data: Path | None) -> str:
        """Remove the run's files; return what could not be."""
        shutil.rmtree(folder, ignore_errors=True)
        return self._removed(data) if data is not None else ""

    def _removed(self, data: Path) -> str:
        """Remove a folder; return why that could not be: it takes nothing from what was measured."""
        try:
            gone = self._system.remove(data)
        except TransientError as error:
            return f"its files could not be removed: {on_one_line(error)}"
        return "" if gone else "its files could not be removed, so the file system was made anew"
