"""PBS Professional and OpenPBS, read line by line: their JSON is none where a variable of the user's is odd."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
from collections.abc import Collection, Sequence
from signal import SIGKILL, SIGTERM

from acic.cluster.job import Job, State
from acic.cluster.scheduler import Scheduler, Sight

_JOB = re.compile(r"^Job Id: (\S+)$", re.MULTILINE)
_FIELD = re.compile(r"^    (\w+) = (.*)$", re.MULTILINE)
_NO_HISTORY = "job history"  # what a server speaks of that keeps none, asked for jobs that are over
_DELETED = "91"  # the substate of a job that qdel ended

# Source: PBS Professional 2021.1 Reference Guide, "Job States".
_QUEUED, _RUNNING, _OVER = "HMQSTUW", "BER", "FX"
# Source: openpbs, src/include/job.h (JOB_EXEC_KILL_...); 256 + N is signal N, which qdel sends.
_ENDED = {
    "0": Sight(State.DONE),
    "-24": Sight(State.FAILED, "limit of processors", final=True),
    "-25": Sight(State.FAILED, "limit of processors", final=True),
    "-26": Sight(State.FAILED, "out of memory", final=True),
    "-27": Sight(State.FAILED, "out of memory", final=True),
    "-28": Sight(State.TIMEOUT, "limit of processor time", final=True),
    "-29": Sight(State.TIMEOUT, "time limit of PBS", final=True),
    str(256 + SIGKILL): Sight(State.CANCELLED, "cancelled", final=True),
    str(256 + SIGTERM): Sight(State.CANCELLED, "cancelled", final=True),
}


class Pbs(Scheduler):
    """PBS Professional or OpenPBS."""

    def _directives(self, job: Job) -> dict[str, str]:
        """See `Scheduler._directives`: a job started again after its node failed would queue only to do nothing."""
        return super()._directives(job) | {"r": "n"}

    def _ask(self, natives: Collection[str]) -> subprocess.CompletedProcess[str]:
        """See `Scheduler._ask`."""
        done = self._command(["qstat", "-f", "-x", *natives])
        return self._command(["qstat", "-f", *natives]) if _NO_HISTORY in done.stderr else done

    def _read(self, done: subprocess.CompletedProcess[str]) -> dict[str, Sight]:
        """See `Scheduler._read`."""
        _, *told = _JOB.split(done.stdout.replace("\n\t", ""))  # a long value goes on in the next line
        if done.returncode != 0 or not told:
            raise ValueError(done.stderr)
        bodies = (dict(_FIELD.findall(body)) for body in told[1::2])
        return {native: _sight_of(fields) for native, fields in zip(told[::2], bodies, strict=True)}

    def _finding(self) -> Sequence[str]:
        """See `Scheduler._finding`: qselect lists other users' jobs of that name, too, unless it is told not to."""
        return ("qselect", "-u", pwd.getpwuid(os.geteuid()).pw_name, "-N")


def _sight_of(fields: dict[str, str]) -> Sight:
    """Return what `fields` of a job say; a state that is not listed is UNKNOWN."""
    state = fields["job_state"]
    if state in _QUEUED:
        return Sight(State.QUEUED, fields.get("comment", ""))
    if state in _RUNNING:
        return Sight(State.RUNNING)
    if state not in _OVER:
        return Sight(State.UNKNOWN, f"PBS says {state}, which is not known here")
    if fields.get("substate") == _DELETED:
        return Sight(State.CANCELLED, "cancelled", final=True)
    status = fields.get("Exit_status")
    return Sight(State.UNKNOWN) if status is None else _ENDED.get(status, Sight(State.FAILED, "its script failed"))
