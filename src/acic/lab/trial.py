"""Running something on what is deployed: a program of the user's, or a benchmark that shows what it does."""

from __future__ import annotations

import json
import logging
import shlex
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from acic.benchmarks import find_benchmark, hints_text
from acic.cluster.job import Ending, Job, State, StillRunning
from acic.errors import InvalidInput, TransientError
from acic.filesystems.hints import hints_environment, romio_hints
from acic.lab.lab import Lab
from acic.lab.results import PLACE, ResultsStay, copy_results
from acic.lab.site import Site
from acic.units import MIB

_log = logging.getLogger(__name__)
_RUNNING = "running"  # the note of a run under way
_REMOVING = 60.0  # s for a run's files to be removed

# What is measured unless something else is asked for: a shared file in large and in interleaved small pieces.
PATTERNS: Mapping[str, tuple[str, ...]] = {
    "shared file, POSIX, 4 MiB": ("-a", "POSIX", "-t", "4m", "-b", "32m"),
    "shared file, collective MPI-IO, 256 KiB": ("-a", "MPIIO", "-c", "-t", "256k", "-b", "256k", "-s", "64"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bandwidth:
    """What one benchmark run gave.

    Args:
        pattern: name of the access pattern.
        operation: "write" or "read".
        rate: B/s.
    """

    pattern: str
    operation: str
    rate: float


def run(
    lab: Lab,
    words: Sequence[str],
    *,
    processes: int,
    folder: Path,
    seconds: float,
    prepare: str = "",
    fresh: bool = True,
    hints: Mapping[str, str] | None = None,
    results: Path | None = None,
    begun: Callable[[Job], None] = lambda _: None,
    ended: Callable[[Ending], None] = lambda _: None,
    done: Callable[[str], None] = lambda _: None,
) -> tuple[Job, Ending]:
    """Run a command on the compute nodes, with a directory of its own on what is deployed, removed when it has ended.

    Args:
        lab: with something deployed.
        words: the command; `{directory}` is where its files are to go.
        processes: MPI processes; 0 to start it once, on the first node.
        folder: for its output, a temporary one: the next run removes it where this program was killed. The command
            starts where this program did.
        seconds: after which it is ended, and so are what prepares it and copying its results.
        prepare: a shell's command line that makes its input, on the first node; empty for none.
        fresh: whether all caches are emptied before it starts.
        hints: for MPI-IO, beside those that what is deployed needs.
        results: the folder that takes what it leaves in its directory, however it ended; None for nothing.
        begun: is told of the job just before it starts, so that what it says can be read meanwhile.
        ended: is told how it ended, before its results are copied.
        done: is told its directory, as nodes see it, where it ended well.

    Raises:
        ResultsStay: they could not be copied; its directory is not removed then.
        TransientError: it was not started, or what prepares it failed.
    """
    with _directory(lab) as (directory, site):
        site_hints = {**site.deployment.hints, **(hints or {})}
        made = partial(_started_here, lab, site_hints, directory)
        if prepare:
            _prepared(lab, made(["sh", "-c", prepare], 0, folder, seconds))
        if fresh:
            lab.fresh()
        job = made(words, processes, folder, seconds)
        begun(job)
        ending = _ended(lab, job)
        ended(ending)
        if ending.state is State.DONE:
            done(directory)
        if results is not None:
            copy_results(lab, site.mounted[0], directory, results, seconds=seconds)
        return job, ending


def bandwidths(lab: Lab, *, processes: int, folder: Path, seconds: float) -> Iterator[Bandwidth]:
    """Write and read by each of `PATTERNS`; before each reading all caches are emptied.

    Raises:
        TransientError: a run failed, or found wrong data.
    """
    benchmark = find_benchmark("acic-bench")
    each = -(-processes // lab.facts.compute_nodes)
    for pattern, options in PATTERNS.items():
        with _directory(lab) as (directory, site):
            hints = folder / "hints"
            hints.write_text(hints_text(site.deployment.hints))
            given = (
                *options,
                "-k",
                "-E",
                "-G",
                "1",
                "-e",
                *benchmark.hints_arguments(hints),
                "-o",
                f"{directory}/file",
            )
            for operation, more in (("write", ("-w",)), ("read", ("-r", "-C", "-Q", str(each)))):
                lab.fresh()
                summary = folder / f"{uuid.uuid4().hex}.json"
                words = benchmark.command((*given, *more), summary)
                job = _job(lab, site.deployment.hints, words, processes, folder, seconds)
                ending = _ended(lab, job, benchmark.mpiexec)
                if ending.state is not State.DONE:
                    problem = f"{operation}, {pattern}: {ending.reason}{_said(job)}"
                    raise TransientError(problem, hint=ending.hint or "run it again")
                yield Bandwidth(pattern=pattern, operation=operation, rate=_rate(summary, operation))


def _job(lab: Lab, hints: Mapping[str, str], words: Sequence[str], processes: int, folder: Path, seconds: float) -> Job:
    file = folder / "romio-hints"
    file.write_text(romio_hints(hints))
    return Job(
        name=f"lab-{uuid.uuid4().hex[:12]}",
        command=tuple(words),
        processes=processes,
        folder=folder,
        time_limit=seconds,
        nodes=lab.facts.compute_nodes if processes else 1,
        environment=hints_environment(file) if hints else {},
    )


def _started_here(
    lab: Lab,
    hints: Mapping[str, str],
    directory: str,
    words: Sequence[str],
    processes: int,
    folder: Path,
    seconds: float,
) -> Job:
    """Return a job of a user's, which starts where this program did."""
    job = _job(lab, hints, [word.replace(PLACE, directory) for word in words], processes, folder, seconds)
    return replace(job, directory=Path.cwd())


def _prepared(lab: Lab, job: Job) -> None:
    """Run what makes a command's input.

    Raises:
        TransientError: it failed.
    """
    ending = _ended(lab, job)
    if ending.state is not State.DONE:
        problem = f"what prepares the run failed: {ending.reason}{_said(job)}"
        raise TransientError(problem, hint=ending.hint or "try it by itself: acic lab run --processes 0 -- sh -c ...")


def _ended(lab: Lab, job: Job, mpiexec: Path | None = None) -> Ending:
    lab.room.remember(_RUNNING, {**lab.room.recall(_RUNNING), "job": job.name, "folder": str(job.folder)})
    runner = lab.runner(mpiexec=mpiexec)
    runner.submit(job)
    return runner.wait(job)


@contextmanager
def _directory(lab: Lab) -> Iterator[tuple[str, Site]]:
    """Make a directory on what is deployed, and remove it at the end; what a killed run left goes first."""
    reclaim(lab)
    site = lab.site
    if site is None:
        raise InvalidInput("nothing is deployed in the lab", hint="deploy something first: acic lab run --fs nfs")
    directory = f"{site.deployment.directory}/run-{uuid.uuid4().hex[:12]}"
    first = site.mounted[0]
    lab.room.remember(_RUNNING, {"directory": directory})
    try:
        done = lab.run(first, ["mkdir", directory])
    except BaseException:
        lab.room.remember(_RUNNING, None)
        raise
    if done.returncode != 0:
        lab.room.remember(_RUNNING, None)
        raise TransientError(
            f"cannot make {shlex.quote(directory)} on {first}: {done.stderr.strip()}", hint="try again"
        )
    try:
        yield directory, site
    except StillRunning:
        raise  # the next one ends it by what is remembered
    except ResultsStay:
        lab.room.remember(_RUNNING, None)
        raise
    except BaseException:
        _forget(lab, first, directory)
        raise
    _forget(lab, first, directory)


def _forget(lab: Lab, first: str, directory: str) -> None:
    _remove(lab, first, directory)
    lab.room.remember(_RUNNING, None)


def reclaim(lab: Lab) -> None:
    """End what is left of a run whose controller was killed, and remove its files.

    The file system is taken down if it keeps processes from ending or files from being removed.

    Raises:
        TransientError: some of its processes do not end.
    """
    note = lab.room.recall(_RUNNING)
    if note is None:
        return
    _log.warning("a run was killed: what is left of it is removed")
    if "job" in note:  # without a launcher nothing ends with its controller
        folder = Path(note["folder"])
        left = Job(name=note["job"], command=("true",), processes=0, folder=folder, time_limit=_REMOVING)
        _end(lab, left)
        shutil.rmtree(folder, ignore_errors=True)
    if lab.site is not None:
        _remove(lab, lab.site.mounted[0], note["directory"])
    lab.room.remember(_RUNNING, None)


def _end(lab: Lab, job: Job) -> None:
    try:
        lab.runner().reclaim(job)
    except TransientError as error:  # they wait for a file system that does not answer
        _log.warning("a run's processes do not end, so the file system is taken down: %s", error.problem)
        lab.undeploy()
        lab.runner().reclaim(job)


def _remove(lab: Lab, node: str, directory: str) -> None:
    """Remove a directory, or take down the file system that cannot: it is told, and takes nothing from what was run."""
    try:
        done = lab.run(node, ["rm", "-rf", directory], seconds=_REMOVING)
        if done.returncode == 0:
            return
        why = done.stderr.strip()
    except TransientError as error:
        why = error.problem
    _log.warning("a run's files cannot be removed, so the file system is taken down: %s", why)
    try:
        lab.undeploy()
    except TransientError as error:
        _log.warning("the file system cannot be taken down: %s; %s", error.problem, error.hint)


def _rate(summary: Path, operation: str) -> float:
    for entry in json.loads(summary.read_text())["summary"]:
        if entry["operation"] == operation:
            return float(entry["bwMeanMIB"]) * MIB
    raise TransientError(f"the benchmark says nothing of its {operation}", hint="run it again")


def _said(job: Job) -> str:
    return "".join(f": {line}" for line in job.last_said())
