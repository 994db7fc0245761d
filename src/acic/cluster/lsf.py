"""LSF, which PSI/J knows as it is on CSM systems (Summit), and whose answers it cannot read when they tell reasons."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from acic.cluster.directives import Request, slots_per_node
from acic.cluster.job import Job, State
from acic.cluster.scheduler import Scheduler, Sight

_REASONS = ("EXIT_REASON", "KILL_REASON", "SUSPEND_REASON")
_NODES = re.compile(r"^#BSUB -nnodes .*$", re.MULTILINE)

# Source: IBM Spectrum LSF 10.1, "Termination reasons displayed by bacct, bhist, and bjobs".
_ENDED_BY_LSF = {
    "TERM_ADMIN": State.CANCELLED,
    "TERM_BUCKET_KILL": State.CANCELLED,
    "TERM_CPULIMIT": State.TIMEOUT,
    "TERM_DEADLINE": State.TIMEOUT,
    "TERM_FORCE_ADMIN": State.CANCELLED,
    "TERM_FORCE_OWNER": State.CANCELLED,
    "TERM_MEMLIMIT": State.FAILED,
    "TERM_OWNER": State.CANCELLED,
    "TERM_PREEMPT": State.FAILED,
    "TERM_RUNLIMIT": State.TIMEOUT,
}


class Lsf(Scheduler):
    """LSF."""

    def script(self, job: Job, request: Request, launch: Sequence[str], folder: Path) -> str:
        """See `Scheduler.script`: nodes are asked for as everywhere, and the job is not started again."""
        own = f'#BSUB -R "span[ptile={slots_per_node(job)}]"\n#BSUB -rn'
        return _NODES.sub(own, super().script(job, request, launch, folder))

    def _hand_over(self, script: Path) -> subprocess.CompletedProcess[str]:
        """See `Scheduler._hand_over`: of a script that is named, LSF reads directives only where it is set up for it.

        Source: IBM Spectrum LSF 10.1, bsub, "job_script" (LSB_BSUB_PARSE_SCRIPT) and "command" (standard input).
        """
        return self._command(["bsub"], stdin=os.fsdecode(script.read_bytes()))

    def _read(self, done: subprocess.CompletedProcess[str]) -> dict[str, Sight]:
        """See `Scheduler._read`: PSI/J 0.9.11 finds a reason, and then takes it from a field that LSF has not."""
        told = json.loads(done.stdout)
        for job in told["RECORDS"]:
            job["reason"] = next((job[name] for name in _REASONS if job.get(name)), "")
        sights = super()._read(subprocess.CompletedProcess(done.args, done.returncode, json.dumps(told), done.stderr))
        return {native: _ended(sight) for native, sight in sights.items()}

    def _finding(self) -> Sequence[str]:
        """See `Scheduler._finding`: bjobs lists one's own jobs."""
        return ("bjobs", "-noheader", "-o", "jobid", "-J")


def _ended(sight: Sight) -> Sight:
    """Return `sight`, of a job that LSF itself ended with that for its end."""
    state = _ENDED_BY_LSF.get(sight.reason.partition(":")[0]) if sight.state is State.FAILED else None
    return sight if state is None else replace(sight, state=state, final=True)
