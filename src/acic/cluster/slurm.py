"""Slurm, asked for more than PSI/J asks it: every state is listed, and a job is gone only if Slurm says so."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from acic.cluster.job import State
from acic.cluster.scheduler import Scheduler, Sight
from acic.errors import TransientError

_GONE = "Invalid job id specified"
_NAME = re.compile(r"\bJobName=(\S+)")
_FIELDS = re.compile(r"\bJobState=(\S+) Reason=(\S+)")
_DIRECTIVE = re.compile(r"^#SBATCH --([a-z-]+)=", re.MULTILINE)
_VARIABLES = {"TIME": "TIMELIMIT", "MEM": "MEM_PER_NODE"}  # of sbatch, where they are not called as the directive
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
    """Slurm."""

    def _answered(self, done: subprocess.CompletedProcess[str]) -> bool:
        """See `Scheduler._answered`: squeue is asked for all jobs, and fails only where it has no answer."""
        return done.returncode == 0

    def _environment(self, script: Path) -> Mapping[str, str]:
        """See `Scheduler._environment`: without what would go before the script's own directives (sbatch(1))."""
        asked = {name.upper().replace("-", "_") for name in _DIRECTIVE.findall(os.fsdecode(script.read_bytes()))}
        hidden = {f"SBATCH_{_VARIABLES.get(name, name)}" for name in asked}
        # a job that is started again after a failure of its node would be measured from its second start
        return {name: value for name, value in os.environ.items() if name not in hidden} | {"SBATCH_NO_REQUEUE": "1"}

    def look(self, natives: Collection[str]) -> dict[str, Sight]:
        """See `Scheduler.look`: of a job that squeue leaves out, scontrol is asked."""
        done = self._command(["squeue", "--me", "--noheader", "--states=all", "--format=%A|%T|%r|%j"])
        if done.returncode != 0:
            raise TransientError(f"squeue failed: {done.stderr.strip()}", hint=_HINT)
        rows = (line.split("|", 3) for line in done.stdout.splitlines())
        told = {row[0]: replace(sight_of(row[1], row[2]), job=row[3]) for row in rows if len(row) == 4}
        seen = {native: told[native] for native in natives if native in told}
        for native in set(natives) - set(seen):
            sight = self._ask_controller(native)
            if sight is not None:
                seen[native] = sight
        return seen

    def _ask_controller(self, native: str) -> Sight | None:
        done = self._command(["scontrol", "--oneliner", "show", "job", native])
        found = _FIELDS.search(done.stdout)
        if found is not None:
            named = _NAME.search(done.stdout)
            return replace(sight_of(found[1], found[2]), job=named[1] if named is not None else "")
        if _GONE in done.stdout + done.stderr:
            return None
        raise TransientError(f"scontrol failed: {(done.stdout + done.stderr).strip()}", hint=_HINT)

    def find(self, name: str) -> list[str]:
        """See `Scheduler.find`."""
        done = self._command(["squeue", "--me", "--noheader", "--states=all", f"--name={name}", "--format=%A"])
        if done.returncode != 0:
            raise TransientError(f"squeue failed: {done.stderr.strip()}", hint=_HINT)
        return done.stdout.split()


def sight_of(state: str, reason: str) -> Sight:
    """Return what a state of Slurm means; one that is not listed is UNKNOWN."""
    if state in _QUEUED:
        return Sight(State.QUEUED, "" if reason == "None" else reason)
    if state in _RUNNING:
        return Sight(State.RUNNING)
    return _ENDED.get(state, Sight(State.UNKNOWN, f"Slurm says {state}, which is not known here"))
