"""Jobs on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from acic.cluster import processes, segments
from acic.cluster.direct import GRACE, DirectRunner, Plan, Start
from acic.cluster.job import Ending, Job
from acic.cluster.launcher import find_launcher
from acic.errors import InvalidInput


class LocalRunner(DirectRunner):
    """Runs jobs on this machine, as they come: nothing is queued.

    Args:
        mpiexec: the launcher; None for that of ACIC_MPIEXEC, beside this Python, or on PATH.
    """

    def __init__(self, *, mpiexec: Path | None = None) -> None:
        super().__init__()
        self._mpiexec = mpiexec

    @property
    def name(self) -> str:
        """What the user calls it."""
        return "local"

    def plan(self, job: Job) -> Plan:
        """Return what to start for `job`."""
        if job.nodes > 1:
            raise InvalidInput(
                f"the job {job.name} wants {job.nodes} machines, and this is one", hint="run it by ssh or a scheduler"
            )
        before = [Start(command) for command in job.before]
        if job.processes == 0:
            return Plan(before=before, command=Start(job.command), environment=_environment(job, {}))
        launcher = find_launcher(self._mpiexec)
        needed = launcher.environment(job.processes, len(os.sched_getaffinity(0)))
        return Plan(
            before=before,
            command=Start(launcher.here(job.command, job.processes), held=True),
            environment=_environment(job, needed),
        )

    def end(self, job: Job) -> bool:
        """End all processes of `job`."""
        return processes.end(job.name, grace=GRACE)

    def clear(self, job: Job) -> None:  # noqa: ARG002  # a segment does not tell whose it was
        """Remove shared memory that nobody uses."""
        segments.remove_unused()

    def explain(self, job: Job, ending: Ending) -> Ending:  # noqa: ARG002  # nothing more is known of it
        """Return `ending`: the exit status says all."""
        return ending


def _environment(job: Job, needed: dict[str, str]) -> dict[str, str]:
    return job.variables(needed | os.environ)
