"""What a scheduler said last of the jobs that are asked for."""

from __future__ import annotations

import threading
import time

from acic.cluster.job import Job
from acic.cluster.scheduler import Scheduler, Sight
from acic.errors import AcicError


class Sights:
    """Asks a scheduler for all jobs at once, and of those it has been asked for not more often than it likes.

    Args:
        scheduler: who is asked.
        interval: s between questions, whatever the answers are.
    """

    def __init__(self, scheduler: Scheduler, interval: float) -> None:
        self._scheduler, self._interval = scheduler, interval
        self._lock = threading.RLock()
        self._natives: dict[str, str] = {}  # the scheduler's id of each job that is asked for
        self._seen: dict[str, Sight] = {}
        self._silent: AcicError | None = None  # why the last question has no answer
        self._looked = -float("inf")

    def of(self, job: Job, native: str) -> Sight | None:
        """Return what the scheduler says of a job; None if it does not know it.

        Raises:
            TransientError: it does not answer.
        """
        with self._lock:
            unasked = self._natives.get(job.name) != native
            if unasked or time.monotonic() - self._looked >= self._interval:
                self._natives[job.name] = native
                self._look()
            if self._silent is not None:
                raise self._silent
            sight = self._seen.get(native)
            return sight if sight is not None and sight.of(job) else None

    def _look(self) -> None:
        self._looked = time.monotonic()
        self._seen, self._silent = {}, None
        try:
            self._seen = self._scheduler.look(set(self._natives.values()))
        except AcicError as error:
            self._silent = error

    def drop(self, job: Job) -> None:
        """Ask for a job no more."""
        with self._lock:
            self._natives.pop(job.name, None)
