"""Running something on what is deployed: a program of the user's, or a benchmark that shows what it does."""

from __future__ import annotations

import json
import math
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from acic.benchmarks import find_benchmark, hints_text
from acic.cluster.job import Ending, Job, State
from acic.errors import TransientError
from acic.filesystems.hints import hints_environment, romio_hints
from acic.lab.directories import note_job, run_directory
from acic.lab.lab import Lab
from acic.lab.results import PLACE, copy_results
from acic.lab.settling import SYNC, settled
from acic.units import MIB

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
    until: float = math.inf,
    prepare: str = "",
    fresh: bool = True,
    hints: Mapping[str, str] | None = None,
    results: Path | None = None,
    begun: Callable[[Job], None] = lambda _: None,
    ended: Callable[[Ending], None] = lambda _: None,
    done: Callable[[str], None] = lambda _: None,
) -> tuple[Job, Ending]:
    """Run a command on the compute nodes, with a directory of its own on what is deployed, removed when it has ended.

    Where clients hold back what was written, it has ended well when they have sent it, which is part of its time.

    Args:
        lab: with something deployed.
        words: the command; `{directory}` is where its files are to go.
        processes: MPI processes; 0 to start it once, on the first node.
        folder: for its output, a temporary one: the next run removes it where this program was killed. The command
            starts where this program did.
        seconds: after which it is ended, and so are what prepares it and copying its results.
        until: when it is ended at the latest, what prepares it included, by the monotonic clock.
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
    with run_directory(lab) as (directory, site):
        site_hints, held = {**site.deployment.hints, **(hints or {})}, site.deployment.holds_back
        made = partial(_started_here, lab, site_hints, directory)
        send = partial(_sent, lab, partial(made, SYNC, min(processes, lab.facts.compute_nodes), folder))
        if prepare:
            _prepared(lab, made(["sh", "-c", prepare], 0, folder, _left(seconds, until)))
        if fresh:
            lab.fresh()
        elif prepare and held:
            send(seconds)  # else other nodes may not see it
        job = made(words, processes, folder, _left(seconds, until))
        begun(job)
        ending = _ended(lab, job)
        if held and ending.state is State.DONE:
            ending = settled(ending, send, job.time_limit)
        ended(ending)
        if ending.state is State.DONE:
            done(directory)
        if results is not None:
            unsent = send if held and ending.state is not State.DONE else None
            copy_results(lab, site.mounted[0], directory, results, seconds=seconds, send=unsent)
        return job, ending


def bandwidths(lab: Lab, *, processes: int, folder: Path, seconds: float) -> Iterator[Bandwidth]:
    """Write and read by each of `PATTERNS`; before each reading all caches are emptied.

    Raises:
        TransientError: a run failed, or found wrong data.
    """
    benchmark = find_benchmark("acic-bench")
    each = -(-processes // lab.facts.compute_nodes)
    for pattern, options in PATTERNS.items():
        with run_directory(lab) as (directory, site):
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


def _left(seconds: float, until: float) -> float:
    """Return the s, of so many, that are left until then by the monotonic clock.

    Raises:
        TransientError: there are none.
    """
    left = min(seconds, until - time.monotonic())
    if left <= 0:
        raise TransientError("no time was left to run it", hint="give it more")
    return left


def _sent(lab: Lab, made: Callable[[float], Job], seconds: float) -> float:
    """Have all clients send what they hold of a run's files, by a job that is made so; return the s that it took.

    Raises:
        TransientError: not all of it was sent in `seconds`.
    """
    job = made(seconds)
    ending = _ended(lab, job)
    if ending.state is not State.DONE or ending.seconds is None:
        problem = f"not all that it wrote was sent to the servers: {ending.reason or ending.state}{_said(job)}"
        raise TransientError(problem, hint=ending.hint or "give a longer --time-limit, or run it again")
    return ending.seconds


def _ended(lab: Lab, job: Job, mpiexec: Path | None = None) -> Ending:
    note_job(lab, job)
    runner = lab.runner(mpiexec=mpiexec)
    runner.submit(job)
    return runner.wait(job)


def _rate(summary: Path, operation: str) -> float:
    for entry in json.loads(summary.read_text())["summary"]:
        if entry["operation"] == operation:
            return float(entry["bwMeanMIB"]) * MIB
    raise TransientError(f"the benchmark says nothing of its {operation}", hint="run it again")


def _said(job: Job) -> str:
    return "".join(f": {line}" for line in job.last_said())
