"""LSF, whose answers PSI/J cannot read as soon as they tell why a job ended."""

from __future__ import annotations

import json

from acic.cluster.scheduler import Scheduler

_REASONS = ("EXIT_REASON", "KILL_REASON", "SUSPEND_REASON")


class Lsf(Scheduler):
    """LSF."""

    def _readable(self, answer: str) -> str:
        """See `Scheduler._readable`: PSI/J 0.9.11 finds a reason, and then takes it from a field that LSF has not."""
        told = json.loads(answer)
        for job in told["RECORDS"]:
            job["reason"] = next((job[name] for name in _REASONS if job.get(name)), "")
        return json.dumps(told)
