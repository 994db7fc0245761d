"""The jobs of a run: which commands it has, how each is offered to a runner, and what it took."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from acic.benchmarks import Benchmark
from acic.benchmarks.benchmark import IOR, hints_text
from acic.campaign.outputs import Outputs
from acic.campaign.patience import patiently
from acic.campaign.points import Point
from acic.campaign.system import Place
from acic.campaign.verdict import ELSEWHERE, Verdict, judge
from acic.cluster import Job, Refused, Runner, Withdrawn
from acic.cluster.launcher import Kind, find_launcher
from acic.errors import AcicError, TransientError
from acic.filesystems import Settings
from acic.filesystems.hints import hints_environment, own_variables, romio_hints
from acic.workloads import Access, Characteristics, Operation, Phase, Workload
from acic.workloads.replica import Replica, ior_commands


class NotTaken(TransientError):
    """A job of a run was not taken, by a scheduler that does not answer or has no room: the run came to nothing.

    Args:
        elapsed: s that it took until then; dollars: USD that earlier jobs of it cost. 0.0 where it had none.
    """

    elapsed = dollars = 0.0


class NeverTaken(NotTaken):
    """A job of a run was not taken, or never runs in its queue, and so would be another one like it."""


class TakenBack(NotTaken):
    """A job of a run waited in a queue until a pause was asked for, or the budget was over."""


class Clash(AcicError):
    """A folder that a run was to make is there already, and is not the run's: there was no run."""


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
class Run:
    """What is known of a trial under way."""

    trial: Trial
    outputs: Outputs
    place: Place | None = None
    settings: Settings = field(default_factory=lambda: Settings(directory=""))
    made: bool = False  # its folder, by this run and not by another of the same name
    held: float = 0.0  # s that jobs can have had their machines: what they took, where that is known
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


class Jobs:
    """Has a runner do the commands of runs.

    Args:
        runner: runs the jobs.
        benchmark: what runs in them.
        nodes: machines to spread processes over.
        forgotten: whether the caches of all of them are emptied before anything is read.
        clock: tells seconds that never go back.
        announce: is told when a job is not taken, and asked again for.
        sleep: waits so many s, for what takes no job just now.
    """

    def __init__(
        self,
        runner: Runner,
        benchmark: Benchmark,
        *,
        nodes: int,
        forgotten: bool = False,
        clock: Callable[[], float],
        announce: Callable[[str], None],
        sleep: Callable[[float], None],
    ) -> None:
        self.runner = runner
        self._benchmark, self._nodes = benchmark, nodes
        self._elsewhere = nodes > 1 and not forgotten
        self._clock, self._announce, self._sleep = clock, announce, sleep

    def replicas(self, run: Run) -> list[Replica]:
        """Return what to start for the trial: one command, or two where a file to read must be made first."""
        c = run.trial.point.workload
        if run.settings.file_per_process and c.shared:
            c = replace(c, shared=False)
        workload = Workload(name=run.trial.name, processes=c.processes, phases=(Phase(characteristics=c),))
        return ior_commands(workload, file=f"{run.settings.directory}/data", strict=self._benchmark.name == IOR)

    def step(self, run: Run, step: str, replica: Replica, *, layout: bool = False) -> Verdict:
        """Start a command of a run, wait for its end, and return how it went; `layout`: after what lays out its files.

        Raises:
            NotTaken: the job is not taken, or taken back from the queue.
            StillRunning: that was interrupted, and the job could not be ended.
        """
        hints = run.settings.hints if run.trial.point.workload.interface.on_mpi_io else {}
        words, variables = self._hinting(run, hints)
        arguments = [*replica.options, "-G", str(run.trial.number + 1), *words]
        if replica.operation is Operation.WRITE:
            arguments += ["-e"]
        if self._elsewhere and step in ("measure", "check") and _may_shift(replica):
            arguments += [ELSEWHERE]  # what another node wrote, as caches of nodes are out of reach
        if "-k" not in arguments:
            arguments += ["-k"]  # the folder goes as a whole, and a check may come
        if (workers := run.trial.point.workload.io_processes) < run.trial.point.workload.processes:
            arguments += ["-N", str(workers)]
        job = self.job(run, step, tuple(arguments), variables, layout=layout)
        run.outputs.evidence = run.outputs.folder / f"{job.name}.json"
        self._submit(run, job)
        asked = self._clock()
        try:
            ending = self.runner.wait(job)
        except Withdrawn as error:
            raise TakenBack(error.problem, hint=error.hint) from error
        except Refused as error:
            raise NeverTaken(error.problem, hint=error.hint) from error
        run.held += ending.held(self._clock() - asked, job.time_limit)
        verdict = judge(run.outputs.evidence, job, ending, replica, hints)
        run.notes += [verdict.remark] if verdict.remark else []
        return verdict

    def _submit(self, run: Run, job: Job) -> None:
        """Have a job started, or put into a queue: asked again for some minutes where that cannot be done now.

        Raises:
            NeverTaken: it never will be.
            NotTaken: it still cannot be.
        """

        def sleep(seconds: float) -> None:
            begun = self._clock()
            self._sleep(seconds)
            run.idle += self._clock() - begun

        try:
            patiently(partial(self.runner.submit, job), TransientError, announce=self._announce, sleep=sleep)
        except Refused as error:
            raise NeverTaken(error.problem, hint=error.hint) from error
        except TransientError as error:
            raise NotTaken(error.problem, hint=error.hint) from error

    def can_check(self, workload: Characteristics) -> bool:
        """Return whether another job knows which bytes to expect: after random writes, only if it draws as they did."""
        if workload.access is not Access.RANDOM:
            return True
        return workload.operation is Operation.WRITE and self._benchmark.verifies_places

    def job(
        self,
        run: Run,
        step: str,
        arguments: tuple[str, ...],
        variables: Mapping[str, str] = MappingProxyType({}),
        *,
        layout: bool = False,
    ) -> Job:
        """Return the job of a step; the same name for the same step, by which it is found again."""
        workload = run.trial.point.workload
        name = f"{run.trial.name}-{step}"
        return Job(
            name=name,
            command=self._benchmark.command(arguments, run.outputs.folder / f"{name}.json"),
            processes=workload.processes,
            folder=run.outputs.folder,
            time_limit=run.trial.time_limit,
            nodes=self._nodes,
            environment={**(run.place.environment if run.place else {}), **variables},
            without=own_variables(hinted=bool(variables)),
            before=run.settings.layout if layout else (),
        )

    def _hinting(self, run: Run, hints: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the options and the variables by which the benchmark takes `hints`.

        Open MPI 4's own MPI-IO takes none of ROMIO's, and Open MPI 5's ROMIO none of a program's own: by the variables
        that acic tells its users to export it takes them, as an application does.
        """
        if not hints:
            return (), {}
        file = run.outputs.folder / "hints"
        if find_launcher(self._benchmark.mpiexec).kind is Kind.OPEN_MPI:
            file.write_text(romio_hints(hints), encoding="utf-8")
            return (), hints_environment(file)
        file.write_text(hints_text(hints), encoding="utf-8")
        return self._benchmark.hints_arguments(file), {}


def _may_shift(replica: Replica) -> bool:
    """Return whether processes can read what others wrote: IOR has no such order for random places in a shared file."""
    return "-r" in replica.options and ("-z" not in replica.options or "-F" in replica.options)
