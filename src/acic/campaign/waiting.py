"""Jobs that wait in a queue, told with the scheduler's reason: a campaign that waits else looks like a dead one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from acic.campaign.view import View
from acic.cluster import Ending, Job, State

PATIENCE = 15.0  # s that a job may wait before anybody is told


class Waiting:
    """Follows jobs, one after the other, and tells which waits for what.

    Each reason is announced once, and not for each job: a busy Slurm changes between Priority and Resources all day.

    Args:
        queue: whose it is: "slurm".
        announce: is told that a job waits, and why.
        watch: is told how far a campaign is, and while a job waits, that it does.
        note: is told what a job waits for whenever that changes; "" when none does any more.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        queue: str,
        *,
        announce: Callable[[str], None],
        watch: Callable[[View], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._announce = announce
        self._watch = watch
        self._note = note
        self._clock = clock
        self._view: View | None = None
        self._shown = ""  # what is told of the job in the view
        self._noted = ""  # what is told of it elsewhere
        self._job, self._since = "", 0.0
        self._announced: set[str] = set()

    def show(self, view: View) -> None:
        """Tell how far the campaign is, and remember it for when its job waits."""
        self._view, self._shown = view, ""
        self._tell("")
        self._watch(view)

    def follow(self, job: Job, ending: Ending) -> None:
        """Take note of where `job` is, as a runner sees it now and then; a job that is not over is told if it waits."""
        if job.name != self._job:
            self._job, self._since = job.name, self._clock()
        text = ""
        if ending.state is State.QUEUED and self._clock() - self._since >= PATIENCE:
            reason = " ".join(ending.reason.split())
            text = f"waits in {self._queue}'s queue" + (f": {reason}" if reason else "")
            if text not in self._announced:
                self._announced.add(text)
                self._announce(f"job {job.name} {text}")
        self._tell(f"job {job.name} {text}" if text else "")
        if self._view and (text or self._shown):
            self._watch(replace(self._view, doing=text) if text else self._view)
        self._shown = text

    def _tell(self, text: str) -> None:
        if text != self._noted:
            self._noted = text
            self._note(text)
