"""One run of a point: set up, benchmark, check, and say how it went, whatever goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from acic.benchmarks import Benchmark
from acic.benchmarks.benchmark import hints_text
from acic.campaign.points import Point
from acic.campaign.state import Attempt
from acic.cluster import Ending, Job, Runner, State
from acic.errors import AcicError, InvalidInput
from acic.filesystems import Settings, settings
from acic.platforms import Platform
from acic.space import Configuration
from acic.store.ior import IorResult, read_ior
from acic.store.measurement import Outcome
from acic.units import format_bytes
from acic.workloads import Access, Characteristics, Operation, Phase, Workload
from acic.workloads.replica import Replica, ior_commands

_OUTCOMES = {State.TIMEOUT: Outcome.TIMEOUT, State.FAILED: Outcome.FAILED}
_CAPPED = frozenset({"cb_nodes", "cb_config_list"})  # ROMIO lowers these to what there is
_SPARE = 1.05  # of a file system's free space that a run may need
_JUMP = 1.0  # s that the clock may be off over a run
_STEPS = ("prepare", "measure", "check")


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
    settings: Settings
    data: Path  # the folder of its files, on the storage that is measured
    outputs: Path  # the folder of its jobs
    jobs: float = 0.0  # s spent in jobs
    verified: bool = False
    notes: list[str] = field(default_factory=list)


class Trials:
    """Makes trials on a platform.

    Args:
        platform: what is measured.
        runner: runs the jobs.
        benchmark: what runs in them.
        directory: where files go, unless the configuration chooses a storage; seen by all nodes.
        outputs: where the benchmark's outputs are kept, one file for each run; seen by all nodes.
        nodes: machines to spread processes over.
        devices: the device number of each directory; where another one is found later, a mount is gone.
        now: tells the time of day.
        clock: tells seconds that never go back.
    """

    def __init__(
        self,
        platform: Platform,
        runner: Runner,
        benchmark: Benchmark,
        directory: Path,
        outputs: Path,
        *,
        nodes: int = 1,
        devices: Mapping[str, int] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._platform = platform
        self._runner = runner
        self._benchmark = benchmark
        self._directory = directory
        self._outputs = outputs
        self._nodes = nodes
        self._devices = dict(devices or {})
        self._now = now
        self._clock = clock

    def run(self, trial: Trial) -> Attempt:
        """Return how the trial went. Its files are gone afterwards, except for the benchmark's output."""
        begun, start = self._now(), self._clock()
        run = self._set_up(trial)
        try:
            outcome, result, note = self._attempt(run)
        except (AcicError, OSError) as error:
            outcome, result, note = Outcome.FAILED, None, _one_line(error)
        finally:
            self._clear(run)
        elapsed = self._clock() - start
        drift = (self._now() - begun).total_seconds() - elapsed
        if abs(drift) > _JUMP:
            run.notes.append(f"the clock jumped by {drift:+.0f} s during the run")
        good = outcome in (Outcome.OK, Outcome.SUSPECT) and result is not None
        return Attempt(
            number=trial.number,
            outcome=outcome,
            repetition=result.repetitions[0] if good and result and result.repetitions else None,
            elapsed=elapsed,
            dollars=self.dollars(trial.point, elapsed),
            overhead=max(0.0, elapsed - run.jobs),
            time=begun.isoformat(),
            note="; ".join(filter(None, [note, *run.notes])),
            raw_sha256=result.raw_sha256 if result else "",
            tool_version=result.tool_version if result else "",
            verified=run.verified,
        )

    def reclaim(self, name: str, point: Point) -> None:
        """End and clear away what a controller that died left of the trial called `name`."""
        run = self._set_up(Trial(name=name, number=0, point=point, time_limit=1.0))
        for step in _STEPS:
            self._runner.reclaim(self._job(run, step, ("true",)))
        self._clear(run)

    def dollars(self, point: Point, seconds: float) -> float:
        """Return what `seconds` of the point's machines cost, USD; 0.0 where nobody is billed."""
        try:
            return self._platform.cost(point.configuration, point.workload.processes, seconds)
        except AcicError:
            return 0.0

    def _set_up(self, trial: Trial) -> _Run:
        base = storage_directory(self._platform, trial.point.configuration, self._directory)
        data = base / f"acic-{trial.name}"
        wanted = settings(
            [k for k in self._platform.apply if k != "storage"],
            trial.point.configuration,
            self._platform.baseline,
            directory=str(data),
        )
        return _Run(trial, wanted, data, self._outputs / trial.name)

    def _attempt(self, run: _Run) -> tuple[Outcome, IorResult | None, str]:
        self._check_place(run)
        run.data.mkdir()
        run.outputs.mkdir()
        replicas = _replicas(run)
        for step, replica in zip(("prepare", "measure")[-len(replicas) :], replicas, strict=True):
            outcome, result, note = self._step(run, step, replica, layout=replica is replicas[0])
            if outcome is not Outcome.OK:
                return outcome, result, f"{step}: {note}" if step == "prepare" else note
            if replica.prepares:
                self._forget(run.data)
        if run.trial.verify and self._can_check(run.trial.point.workload):
            return self._verify(run, replicas[-1], result)
        return outcome, result, note

    def _step(
        self, run: _Run, step: str, replica: Replica, *, layout: bool = False
    ) -> tuple[Outcome, IorResult | None, str]:
        arguments = [*replica.options, "-G", str(run.trial.number + 1), *self._hints(run)]
        if replica.operation is Operation.WRITE:
            arguments += ["-e"]
        if "-k" not in arguments:
            arguments += ["-k"]  # the folder goes as a whole, and a check may come
        if (workers := run.trial.point.workload.io_processes) < run.trial.point.workload.processes:
            arguments += ["-N", str(workers)]
        job = self._job(run, step, tuple(arguments), layout=layout)
        self._runner.submit(job)
        ending = self._runner.wait(job)
        run.jobs += ending.seconds or 0.0
        return self._judge(run, job, ending, replica)

    def _can_check(self, workload: Characteristics) -> bool:
        """Return whether another job knows which bytes to expect: after random writes, only if it draws as they did."""
        if workload.access is not Access.RANDOM:
            return True
        return workload.operation is Operation.WRITE and self._benchmark.verifies_places

    def _verify(self, run: _Run, replica: Replica, result: IorResult | None) -> tuple[Outcome, IorResult | None, str]:
        """Read back what was written, in the way that it was, and compare."""
        self._forget(run.data)
        outcome, checked, note = self._step(run, "check", replica.checking())
        if outcome is Outcome.OK:
            run.verified = True
            return Outcome.OK, result, ""
        return outcome, checked, f"check: {note}"

    def _job(self, run: _Run, step: str, arguments: tuple[str, ...], *, layout: bool = False) -> Job:
        workload = run.trial.point.workload
        name = f"{run.trial.name}-{step}"
        return Job(
            name=name,
            command=self._benchmark.command(arguments, run.outputs / f"{name}.json"),
            processes=workload.processes,
            folder=run.outputs,
            time_limit=run.trial.time_limit,
            nodes=self._nodes,
            before=run.settings.layout if layout else (),
        )

    def _hints(self, run: _Run) -> tuple[str, ...]:
        if not run.settings.hints:
            return ()
        file = run.outputs / "hints"
        file.write_text(hints_text(run.settings.hints), encoding="utf-8")
        return self._benchmark.hints_arguments(file)

    def _judge(self, run: _Run, job: Job, ending: Ending, replica: Replica) -> tuple[Outcome, IorResult | None, str]:
        """Return what the job's ending and its output together mean: neither alone is believed."""
        summary = run.outputs / f"{job.name}.json"
        if ending.state in (State.CANCELLED, State.UNKNOWN):
            return Outcome.UNKNOWN, None, ending.reason or str(ending.state)
        if ending.state is State.TIMEOUT:
            return Outcome.TIMEOUT, None, ending.reason
        if ending.exit_status is not None:
            summary.with_suffix(".rc").write_text(f"{ending.exit_status}\n")
        summary.touch()
        try:
            results = read_ior(summary, processes=job.processes)
        except AcicError as error:
            return Outcome.UNKNOWN, None, f"the benchmark's output cannot be understood: {error.problem}"
        result = next((r for r in results if r.workload and r.workload.operation is replica.operation), results[0])
        if ending.state is State.DONE and result.outcome is Outcome.OK:
            return self._in_force(run, summary, result)
        outcome = result.outcome if result.outcome is not Outcome.OK else _OUTCOMES[ending.state]
        return outcome, result, result.note or ending.reason

    def _in_force(self, run: _Run, summary: Path, result: IorResult) -> tuple[Outcome, IorResult | None, str]:
        """Return whether the hints that were asked for were in force; a benchmark may not tell."""
        missing = _not_in_force(summary)
        if not missing:
            return Outcome.OK, result, ""
        note = "not in force: " + ", ".join(f"{name} {value}" for name, value in sorted(missing.items()))
        if set(missing) <= _CAPPED:
            run.notes.append(note)
            return Outcome.OK, result, ""
        return Outcome.SUSPECT, result, note

    def _check_place(self, run: _Run) -> None:
        """Refuse a directory that is not the one it was (a mount that is gone), or that is full.

        Raises:
            InvalidInput: it is so.
        """
        base = run.data.parent
        known = self._devices.get(str(base))
        if known is not None and base.stat().st_dev != known:
            raise InvalidInput(f"{base} is on another file system than before: is it mounted?")
        need = run.trial.point.workload.total_bytes * _SPARE
        free = shutil.disk_usage(base).free
        if need > free:
            raise InvalidInput(f"{base} has {format_bytes(free)} left, and the run needs {format_bytes(need)}")

    def _forget(self, folder: Path) -> None:
        """Ask this machine's kernel to drop the files from its page cache, so that they are read from storage."""
        for path in folder.iterdir():
            with suppress(OSError):
                descriptor = os.open(path, os.O_RDONLY)
                try:
                    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
                finally:
                    os.close(descriptor)

    def _clear(self, run: _Run) -> None:
        """Remove the run's files; the output of what was measured stays."""
        shutil.rmtree(run.data, ignore_errors=True)
        kept = run.outputs / f"{run.trial.name}-measure.json"
        if kept.is_file():
            kept.replace(self._outputs / f"{run.trial.name}.json")
        shutil.rmtree(run.outputs, ignore_errors=True)


def storage_directory(platform: Platform, configuration: Configuration, otherwise: Path) -> Path:
    """Return where files go: the storage that the configuration chooses, or else `otherwise`."""
    name = platform.roles.storage
    return Path(str(configuration[name])) if name and name in configuration else otherwise


def storage_directories(platform: Platform, otherwise: Path) -> Iterator[Path]:
    """Yield every directory that configurations of the platform may use."""
    if name := platform.roles.storage:
        yield from (Path(str(value)) for value in platform.space[name].values)
    else:
        yield otherwise


def _replicas(run: _Run) -> list[Replica]:
    """Return what to start for the trial: one command, or two where a file to read must be made first."""
    from dataclasses import replace

    c = run.trial.point.workload
    if run.settings.file_per_process and c.shared:
        c = replace(c, shared=False)
    workload = Workload(name=run.trial.name, processes=c.processes, phases=(Phase(characteristics=c),))
    return ior_commands(workload, file=str(run.data / "data"))


def _not_in_force(summary: Path) -> dict[str, str]:
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        tests = json.loads(summary.read_text())["tests"]
        return {k: str(v) for test in tests for k, v in test.get("Hints", {}).get("not in force", {}).items()}
    return {}


def _one_line(error: Exception) -> str:
    text = error.problem if isinstance(error, AcicError) else str(error)
    return " ".join(text.split())[:300]
