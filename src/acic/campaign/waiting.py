"""Jobs that wait in a queue, told with the scheduler's reason: a campaign that waits else looks like a dead one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace

from acic.campaign.view import View
from acic.cluster import Ending, Job, Refused, State, Withdrawn
from acic.cluster.directives import minutes_of
from acic.units import format_seconds

PATIENCE = 15.0  # s that a job may wait before anybody is told
HOPELESS = 120.0  # s for which a scheduler has to say that a job never runs: what it says of a moment is not final
# Source: squeue(1), "JOB REASON CODES": what a queue does not give a job of this size, however long it waits
_NEVER = re.compile(r"TimeLimit|NodeLimit|MaxWall|MaxNode|BadConstraints|DependencyNeverSatisfied|Can Never Run")
# Of these, what nodes that come back or jobs that end cannot change: PartitionNodeLimit is also said of nodes that are
# down, and Grp limits are those of all jobs together. Source: squeue(1), and OpenPBS 23.06 for a job's comment.
_FINAL = re.compile(
    r"PartitionTimeLimit|(QOS|Assoc)Max\w*PerJob|BadConstraints|DependencyNeverSatisfied|Invalid(Account|QOS)"
    r"|Can Never Run"
)


class Waiting:
    """Follows jobs, one after the other, and tells which waits for what.

    Each reason is announced once, and not for each job: a busy Slurm changes between Priority and Resources all day.

    Args:
        queue: whose it is: "slurm".
        announce: is told that a job waits, and why.
        watch: is told how far a campaign is, and while a job waits, that it does.
        note: is told what a job waits for whenever that changes; "" when none does any more.
        enough: tells why nothing is waited for any longer; "" while it is.
        clock: seconds that never go back.
    """

    def __init__(
        self,
        queue: str,
        *,
        announce: Callable[[str], None],
        watch: Callable[[View], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
        enough: Callable[[], str] = lambda: "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._announce = announce
        self._watch = watch
        self._note = note
        self._enough = enough
        self._clock = clock
        self._view: View | None = None
        self._shown = ""  # what is told of the job in the view
        self._noted = ""  # what is told of it elsewhere
        self._job, self._since = "", 0.0
        self._hoped = 0.0  # when the job may still have run, by what the scheduler said
        self._announced: set[str] = set()

    def show(self, view: View) -> None:
        """Tell how far the campaign is, and remember it for when its job waits."""
        self._view, self._shown = view, ""
        self._tell("")
        self._watch(view)

    def follow(self, job: Job, ending: Ending) -> None:
        """Take note of where `job` is, as a runner sees it now and then; a job that is not over is told if it waits.

        Raises:
            Withdrawn: it waits, and that is enough.
            Refused: it never runs, as the scheduler has said for `HOPELESS` s.
        """
        reason = " ".join(ending.reason.split())
        if job.name != self._job:
            self._job, self._since = job.name, self._clock()
            self._hoped = self._since
        if ending.state is not State.QUEUED or not _FINAL.search(reason):
            self._hoped = self._clock()
        text = ""
        if ending.state is State.QUEUED and self._clock() - self._since >= PATIENCE:
            text = f"waits in {self._queue}'s queue" + (f": {reason}" if reason else "")
            text += _asked(job) if _NEVER.search(reason) else ""
            if text not in self._announced:
                self._announced.add(text)
                self._announce(f"job {job.name} {text}")
        self._tell(f"job {job.name} {text}" if text else "")
        if self._view and (text or self._shown):
            self._watch(replace(self._view, doing=text) if text else self._view)
        self._shown = text
        if ending.state is State.QUEUED and (why := self._enough()):
            raise Withdrawn(f"{why}, while the job {job.name} was in {self._queue}'s queue", hint="nothing of it ran")
        if self._clock() - self._hoped >= HOPELESS:
            told = f"the job {job.name} never runs, as {self._queue} says: {reason}{_asked(job)}"
            raise Refused(told, hint="see its queues and limits")

    def _tell(self, text: str) -> None:
        if text != self._noted:
            self._noted = text
            self._note(text)


def _asked(job: Job) -> str:
    asked = f"{format_seconds(60.0 * minutes_of(job))} on {job.nodes} of its machines"
    return f" (it asks for {asked}: see --time-limit or --budget, --nodes, and --queue)"
