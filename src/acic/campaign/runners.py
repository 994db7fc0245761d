"""Who makes a campaign's runs: this machine, other hosts, a batch scheduler, or the lab."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from acic.benchmarks import Benchmark, find_benchmark
from acic.campaign.places import check_directories
from acic.campaign.request import LOCAL, SSH, Where
from acic.campaign.system import Deployed, Standing
from acic.campaign.trial import Trials
from acic.cluster import BatchRunner, Ending, Job, LocalRunner, Runner, SshRunner
from acic.cluster.others import processor_time
from acic.filesystems import LAB
from acic.platforms import Platform
from acic.space import Value

Watch = Callable[[Job, Ending], None]  # is told where a job is while it waits in a queue or runs from one


def _nobody(job: Job, ending: Ending) -> None:
    pass


def open_trials(
    platform: Platform,
    where: Where,
    outputs: Path,
    *,
    devices: dict[str, int] | None = None,
    only: Mapping[str, Value] | None = None,
    watch: Watch = _nobody,
    announce: Callable[[str], None] = lambda _: None,
) -> tuple[Trials, Benchmark]:
    """Return what makes runs, and the benchmark in them.

    Raises:
        AcicError: no benchmark or launcher can be found, a scheduler is not there, or a directory is missing.
    """
    benchmark = find_benchmark(where.benchmark, announce=announce)
    if where.runner == LAB:
        from acic.cluster.lab import LabFacts
        from acic.lab import Lab
        from acic.lab.directories import reclaim

        lab = Lab.open(facts=LabFacts.of(platform.lab))
        reclaim(lab)  # of `acic lab run`: it would go on beside what is measured
        nodes = platform.compute_nodes or 1
        inside = lab.runner(mpiexec=benchmark.mpiexec)
        made = Trials(platform, inside, benchmark, Deployed(lab), outputs, nodes=nodes, look=processor_time)
        return made, benchmark
    check_directories(platform, Path(where.directory), only)
    runner = open_runner(where, benchmark.mpiexec, watch=watch)
    system = Standing(platform, Path(where.directory), devices)
    queued = where.runner not in (LOCAL, SSH)
    nodes = where.nodes
    made = Trials(platform, runner, benchmark, system, outputs, nodes=nodes, queued=queued, announce=announce)
    return made, benchmark


def open_runner(where: Where, mpiexec: Path | None, *, watch: Watch = _nobody) -> Runner:
    """Return the runner that the user asks for.

    Raises:
        AcicError: its scheduler is not there, or it or a host does not answer.
    """
    if where.runner == LOCAL:
        return LocalRunner(mpiexec=mpiexec)
    if where.runner == SSH:
        hosts = SshRunner(where.hosts, mpiexec=mpiexec)
        hosts.check(where.nodes)
        return hosts
    made = batch_runner(where, mpiexec, watch=watch)
    made.check()
    return made


def batch_runner(where: Where, mpiexec: Path | None, *, watch: Watch = _nobody) -> BatchRunner:
    """Return the runner for a batch scheduler, which need not be here.

    Raises:
        AcicError: PSI/J is not installed, knows no such scheduler, or a directive cannot be written.
    """
    return BatchRunner(
        where.runner,
        queue=where.queue,
        account=where.account,
        attributes=dict(where.attributes),
        mpiexec=mpiexec,
        watch=watch,
    )
