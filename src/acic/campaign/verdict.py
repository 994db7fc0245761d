"""What a job's ending and its output together mean: neither alone is believed."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from acic.cluster import Ending, Job, State
from acic.errors import AcicError
from acic.store.ior import IorResult, read_ior
from acic.store.ior_options import from_command
from acic.store.measurement import Outcome
from acic.workloads import Characteristics
from acic.workloads.replica import Replica

_OUTCOMES = {State.TIMEOUT: Outcome.TIMEOUT, State.FAILED: Outcome.FAILED}
_ANOTHER = (
    "this MPI-IO tells none of ROMIO's, like Open MPI 4 and Open MPI's own (OMPIO): "
    "measure with MPICH or Open MPI 5, named in ACIC_MPIEXEC"
)
_MIXED = (
    "each process took itself for the whole job: mpiexec is of another MPI than the benchmark; "
    "name in ACIC_MPIEXEC that of the MPI whose mpicc built it"
)
ELSEWHERE = "-C"  # IOR's option to read what a process on another node wrote
_UNTOLD = "whether its hints were in force is not told: IOR does not tell, acic-bench does"
_CAPPED = frozenset({"cb_nodes", "cb_config_list"})  # ROMIO lowers these to what there is


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one job went.

    Args:
        outcome: what it is recorded as.
        result: what its output tells; None if that cannot be read.
        note: the error, or why the figure is doubted; "" if all is well.
        remark: what is odd, but casts no doubt on the figure.
    """

    outcome: Outcome
    result: IorResult | None = None
    note: str = ""
    remark: str = ""


def judge(summary: Path, job: Job, ending: Ending, replica: Replica, hints: Mapping[str, str]) -> Verdict:
    """Return how the job went that ran `replica` with `hints` and was to write `summary`."""
    if ending.state in (State.CANCELLED, State.UNKNOWN):
        return Verdict(Outcome.UNKNOWN, note=ending.reason or str(ending.state))
    if ending.state is State.TIMEOUT:
        return Verdict(Outcome.TIMEOUT, note=ending.reason)
    try:
        if ending.exit_status is not None:
            summary.with_suffix(".rc").write_text(f"{ending.exit_status}\n")
        summary.touch()
        results = read_ior(summary, processes=job.processes)
    except (AcicError, ValueError, ArithmeticError, RecursionError) as error:  # garbage may break any reader
        what = error.problem if isinstance(error, AcicError) else f"{type(error).__name__}: {error}"
        return Verdict(Outcome.UNKNOWN, note=f"the benchmark's output cannot be understood: {what}")
    result = next((r for r in results if r.workload and r.workload.operation is replica.operation), results[0])
    if _is_each_alone(result, replica):
        return Verdict(Outcome.UNKNOWN, result, _MIXED)
    if ending.state is not State.DONE:
        outcome = result.outcome if result.outcome is not Outcome.OK else _OUTCOMES[ending.state]
        return Verdict(outcome, result, result.note or ending.reason)
    return _of_done(summary, job, result, replica, hints)


def _of_done(summary: Path, job: Job, result: IorResult, replica: Replica, hints: Mapping[str, str]) -> Verdict:
    """Return what the `result` is worth of a job that ended with the exit status 0."""
    if result.outcome is not Outcome.CORRUPT and not _is_whole(summary):
        return Verdict(Outcome.UNKNOWN, result, result.note or "the output ends early")
    if result.outcome is not Outcome.OK:
        return Verdict(result.outcome, result, result.note)
    if problem := _another_test(result, replica) or _no_figure(result):
        return Verdict(Outcome.UNKNOWN, result, problem)
    if problem := _from_own_node(result, job):
        return Verdict(Outcome.SUSPECT, result, problem)
    return _in_force(summary, result, hints)


def _is_whole(summary: Path) -> bool:
    """Return whether the benchmark wrote its output to the end; brackets that IOR forgets do not count."""
    return '"Finished"' in summary.read_text(errors="replace")


def _is_each_alone(result: IorResult, replica: Replica) -> bool:
    """Return whether the benchmark saw one process where several were started: then the others were not there."""
    return result.workload is not None and result.workload.io_processes == 1 < _asked(replica).io_processes


def _asked(replica: Replica) -> Characteristics:
    return from_command(shlex.join(replica.arguments)).characteristics(replica.operation)


def _another_test(result: IorResult, replica: Replica) -> str:
    """Return how the test that the output tells of differs from the one asked for, "" if it does not."""
    asked = _asked(replica)
    if result.workload is None:
        return f"the output does not tell what was run: {result.why_unknown}"
    differ = [n for n in asked.__slots__ if getattr(asked, n) != getattr(result.workload, n)]
    return f"the output is that of another test: its {', '.join(differ)}" if differ else ""


def _no_figure(result: IorResult) -> str:
    if len(result.repetitions) != 1:
        return f"the output has {len(result.repetitions)} repetitions of one that was asked for"
    return "" if result.repetitions[0].bandwidth else "the benchmark reported a bandwidth of 0"


def _from_own_node(result: IorResult, job: Job) -> str:
    """Return how the benchmark's view of the nodes shows that processes read what their own one wrote, else "".

    IOR takes every process for a node of its own where MPICH is told to do without shared memory.
    """
    nodes = result.host_shape.get("nodes")
    if ELSEWHERE not in job.command or job.nodes == 1 or not isinstance(nodes, int):
        return ""
    if nodes > job.nodes or nodes == 1 < job.processes:
        return f"processes read what their own node wrote: the benchmark saw {nodes} nodes, not {job.nodes}"
    return ""


def _in_force(summary: Path, result: IorResult, asked: Mapping[str, str]) -> Verdict:
    """Return whether the hints that were asked for were in force; a benchmark may not tell."""
    missing = _not_in_force(summary, asked)
    if asked and missing is None:
        return Verdict(Outcome.OK, result, remark=_UNTOLD)
    if not missing:
        return Verdict(Outcome.OK, result)
    if not _by_romio(summary):
        return Verdict(Outcome.SUSPECT, result, f"not known to be in force: {', '.join(sorted(missing))}; {_ANOTHER}")
    told = "not in force: " + ", ".join(f"{n}, but {v}" if v else n for n, v in sorted(missing.items()))
    if set(missing) <= _CAPPED:
        return Verdict(Outcome.OK, result, remark=told)
    return Verdict(Outcome.SUSPECT, result, told)


def _by_romio(summary: Path) -> bool:
    """Return whether the MPI-IO that tells its hints has ROMIO's, which are told whether they were asked for or not."""
    tests = json.loads(summary.read_text())["tests"]
    return any(name.startswith("romio_") for test in tests for name in test.get("Hints", {}).get("in force", ()))


def _not_in_force(summary: Path, asked: Mapping[str, str]) -> dict[str, str] | None:
    """Return the hints that MPI-IO did not take, with the values that it used instead; None where nobody tells.

    acic-bench does, and IOR does not.

    It does not know itself what was asked for in the file of ROMIO_HINTS.
    """
    with suppress(ValueError, LookupError, TypeError, AttributeError):
        tests = json.loads(summary.read_text())["tests"]
        told = [test["Hints"]["in force"] for test in tests if "Hints" in test]
        missing = {n: str(hints.get(n, "")) for hints in told for n, value in asked.items() if hints.get(n) != value}
        return missing if told else None
    return None
