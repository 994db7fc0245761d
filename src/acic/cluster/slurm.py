"""Slurm, asked for more than PSI/J asks it: every state is listed, and a job is gone only if Slurm says so."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from acic.cluster.directives import Request
from acic.cluster.job import Job, State
from acic.cluster.scheduler import Scheduler, Sight
from acic.errors import InvalidInput, TransientError

_GONE = "Invalid job id specified"
_NAME = re.compile(r"\bJobName=(\S+)")
_FIELDS = re.compile(r"\bJobState=(\S+) Reason=(\S+)")
_DIRECTIVE = re.compile(r"^#SBATCH --([a-z-]+)=", re.MULTILINE)
_VARIABLES = {"TIME": "TIMELIMIT", "MEM": "MEM_PER_NODE"}  # of sbatch, where they are not called as the directive
_TASKS = re.compile(r"^(#SBATCH --ntasks=).*$", re.MULTILINE)
_SITES = {"SLURM_CLUSTERS", "SLURM_CONF", "SLURM_MPI_TYPE"}  # no job's own: which Slurm, and modules tell its PMI
_SUBMITTED = re.compile(r"^Submitted batch job (\d+)(?: on cluster (\S+))?", re.MULTILINE)
_HINT = "see whether squeue works"

# Source: squeue(1) of Slurm 22.05 and 24.05, "JOB STATE CODES".
_QUEUED = {"CONFIGURING", "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
_RUNNING = {"COMPLETING", "RESIZING", "RUNNING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED"}
_ENDED = {
    "BOOT_FAIL": Sight(State.FAILED, "node failure: it did not boot", final=True),
    "CANCELLED": Sight(State.CANCELLED, "cancelled", final=True),
    "COMPLETED": Sight(State.DONE),
    "DEADLINE": Sight(State.TIMEOUT, "its deadline in Slurm", final=True),
    "FAILED": Sight(State.FAILED, "its script failed"),
    "LAUNCH_FAILED": Sight(State.FAILED, "node failure: it could not be launched", final=True),
    "NODE_FAIL": Sight(State.FAILED, "node failure", final=True),
    "OUT_OF_MEMORY": Sight(State.FAILED, "out of memory", final=True),
    "PREEMPTED": Sight(State.FAILED, "preempted by another job", final=True),
    "RECONFIG_FAIL": Sight(State.FAILED, "node failure: it could not be configured", final=True),
    "REVOKED": Sight(State.CANCELLED, "revoked: another cluster started it", final=True),
    "TIMEOUT": Sight(State.TIMEOUT, "time limit of Slurm", final=True),
}


class Slurm(Scheduler):
    """Slurm.

    Where there are several clusters, a job's id is "NUMBER;CLUSTER", as `sbatch --parsable` has it: numbers are not
    theirs alone. An id without a cluster is one of that which the user's jobs go to.

    Args:
        name: "slurm".
        patience: s to wait for an answer to a command.
        cluster: where jobs go; "" where Slurm's commands know that by themselves.

    Raises:
        MissingData: PSI/J is not installed.
    """

    def __init__(self, name: str, patience: float, cluster: str = "") -> None:
        super().__init__(name, patience)
        self._cluster = cluster

    def script(self, job: Job, request: Request, launch: Sequence[str], folder: Path) -> str:
        """See `Scheduler.script`: of a command that starts processes by itself, `srun` starts one for each task."""
        text = super().script(job, request, launch, folder)
        return text if job.processes else _TASKS.sub(rf"\g<1>{max(job.slots, job.nodes)}", text)

    def _answered(self, done: subprocess.CompletedProcess[str]) -> bool:
        """See `Scheduler._answered`: squeue is asked for all jobs, and fails only where it has no answer."""
        return done.returncode == 0

    def _hand_over(self, script: Path) -> subprocess.CompletedProcess[str]:
        """See `Scheduler._hand_over`: without what would go before the script's own directives (sbatch(1)).

        Nor with what `srun` in the job would take for options (srun(1), INPUT ENVIRONMENT VARIABLES): that it passes no
        variables on, and where this is in a job itself, all that this one was given, as its binding and memory.
        """
        asked = {name.upper().replace("-", "_") for name in _DIRECTIVE.findall(os.fsdecode(script.read_bytes()))}
        hidden = {f"SBATCH_{_VARIABLES.get(name, name)}" for name in asked}
        hidden |= {"SLURM_EXPORT_ENV", *({"SLURM_CLUSTERS"} if "CLUSTERS" in asked else ())}
        if "SLURM_JOB_ID" in os.environ:
            hidden |= {name for name in os.environ if name.startswith("SLURM_")} - _SITES
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        # a job that is started again after a failure of its node would be measured from its second start
        return self._command(["sbatch", str(script.absolute())], environment=kept | {"SBATCH_NO_REQUEUE": "1"})

    def _id_in(self, answer: str) -> str:
        """See `Scheduler._id_in`: a site's sbatch may say more, before and after."""
        found = _SUBMITTED.search(answer)
        if found is None:
            raise ValueError(answer)
        return ";".join(filter(None, found.groups()))

    def _ask(self, natives: Collection[str]) -> subprocess.CompletedProcess[str]:  # noqa: ARG002  # it lists all
        """See `Scheduler._ask`."""
        return self._squeue(self._cluster)

    def look(self, natives: Collection[str]) -> dict[str, Sight]:
        """See `Scheduler.look`: of a job that squeue leaves out, scontrol is asked."""
        parts = {native: self._parts(native) for native in natives}
        told = {cluster: self._queue(cluster) for cluster in {cluster for _, cluster in parts.values()}}
        seen = {
            native: told[cluster].get(number) or self._ask_controller(number, cluster)
            for native, (number, cluster) in parts.items()
        }
        return {native: sight for native, sight in seen.items() if sight is not None}

    def _queue(self, cluster: str) -> dict[str, Sight]:
        rows = (line.split("|", 3) for line in self._listed(cluster, "--format=%A|%T|%r|%j"))
        return {row[0]: replace(sight_of(row[1], row[2]), job=row[3]) for row in rows if len(row) == 4}

    def _listed(self, cluster: str, *options: str) -> list[str]:
        done = self._squeue(cluster, *options)
        if done.returncode != 0:
            raise TransientError(f"squeue failed: {done.stderr.strip()}", hint=_HINT)
        return done.stdout.splitlines()

    def _squeue(self, cluster: str, *options: str) -> subprocess.CompletedProcess[str]:
        return self._command(["squeue", *_on(cluster), "--me", "--noheader", "--states=all", *options])

    def _ask_controller(self, number: str, cluster: str) -> Sight | None:
        done = self._command(["scontrol", *_on(cluster), "--oneliner", "show", "job", number])
        found = _FIELDS.search(done.stdout)
        if found is not None:
            named = _NAME.search(done.stdout)
            return replace(sight_of(found[1], found[2]), job=named[1] if named is not None else "")
        if _GONE in done.stdout + done.stderr:
            return None
        raise TransientError(f"scontrol failed: {(done.stdout + done.stderr).strip()}", hint=_HINT)

    def find(self, name: str) -> list[str]:
        """See `Scheduler.find`."""
        listed = self._listed(self._cluster, f"--name={name}", "--format=%A")
        return [line for line in listed if line.isdecimal()]  # the cluster may be named above them

    def cancel(self, native: str) -> None:
        """See `Scheduler.cancel`."""
        number, cluster = self._parts(native)
        self._command(["scancel", *_on(cluster), "--quiet", number])

    def _parts(self, native: str) -> tuple[str, str]:
        number, _, cluster = native.partition(";")
        return number, cluster or self._cluster


def cluster_of(attributes: Mapping[str, str]) -> str:
    """Return the cluster that jobs with these attributes go to; "" for that of this machine.

    Raises:
        InvalidInput: they may go to any of several.
    """
    names = attributes.get("clusters") or os.environ.get("SBATCH_CLUSTERS") or os.environ.get("SLURM_CLUSTERS") or ""
    if "," in names or names == "all":
        raise InvalidInput(
            f"jobs on any of the clusters {names} cannot be followed", hint="name one: --attribute clusters=NAME"
        )
    return names


def _on(cluster: str) -> list[str]:
    return ["-M", cluster] if cluster else []


def sight_of(state: str, reason: str) -> Sight:
    """Return what a state of Slurm means; one that is not listed is UNKNOWN."""
    if state in _QUEUED:
        return Sight(State.QUEUED, "" if reason == "None" else reason)
    if state in _RUNNING:
        return Sight(State.RUNNING)
    return _ENDED.get(state, Sight(State.UNKNOWN, f"Slurm says {state}, which is not known here"))
