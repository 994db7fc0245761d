"""Runs of points, one after the other: each is written down before it begins, and when it has ended."""

from __future__ import annotations

from collections.abc import Callable

from acic.campaign.attempt import Attempt, event_of
from acic.campaign.checking import is_shared, worth_checking
from acic.campaign.course import Course
from acic.campaign.jobs import Clash, NeverTaken, NotTaken, TakenBack, Trial
from acic.campaign.rules import Rules
from acic.campaign.spending import Spending
from acic.campaign.state import OpenRun, Progress
from acic.campaign.trial import Trials
from acic.errors import TransientError, on_one_line
from acic.space import Configuration
from acic.store.measurement import Outcome

_REFUSED = (
    "see its queues and limits; once it takes such jobs, --resume --name {name} goes on; "
    "another queue or --time-limit needs a new campaign"
)


class Attempts:
    """Has runs made, and keeps what the next ones depend on.

    Args:
        course: of the campaign.
        rules: how it goes about it.
        trials: makes the runs.
        spending: limits them, and learns from them.
        wall: seconds since 1970.
    """

    def __init__(
        self, course: Course, rules: Rules, trials: Trials, spending: Spending, *, wall: Callable[[], float]
    ) -> None:
        self._course = course
        self._rules = rules
        self._trials = trials
        self._spending = spending
        self._wall = wall
        self._checked: set[Configuration] = set()  # a write of theirs that is shared was read back, and was right

    def learn(self, progress: Progress, attempt: Attempt) -> None:
        """Take in what a run of a point showed, and took."""
        if attempt.verified and is_shared(progress.point.workload):
            self._checked.add(progress.point.configuration)
        self._spending.learn(progress.point, attempt)

    def lose(self, lost: OpenRun) -> None:
        """End what is left of a run whose end nobody saw; it is paid for as long as it can have taken."""
        state = self._course.state
        ended = state.paused_at if state.paused_at is not None else self._wall()
        elapsed = 0.0 if lost.began is None else min(max(0.0, ended - lost.began), lost.limit)
        point = state.progress[lost.point].point
        self._trials.reclaim(lost.job, point)
        dollars = self._trials.dollars(point, elapsed)
        self._course.note("lost", run=lost.number, point=lost.point, elapsed=elapsed, dollars=dollars)

    def make(self, progress: Progress) -> bool:
        """Make one run of a point; return whether the campaign goes on: not where the run was taken back from a queue.

        Raises:
            TransientError: the scheduler takes no such jobs; the campaign is paused, and no run counted.
        """
        state, campaign, note = self._course.state, self._course.journal.name, self._course.note
        number, point = state.runs, progress.point
        hung, left = self._spending.limit(point), self._spending.left(state, point)
        limit, name = min(hung, left), f"{campaign}-{number}"
        note("started", run=number, point=progress.number, job=name, at=self._wall(), limit=limit)
        verify = worth_checking(progress, share=self._rules.verify, checked=self._checked)
        try:
            attempt = self._trials.run(Trial(name=name, number=number, point=point, time_limit=limit, verify=verify))
        except NotTaken as away:
            note("refused", run=number, why=on_one_line(away), elapsed=away.elapsed, dollars=away.dollars)
            if isinstance(away, TakenBack):
                return False
            passing = f"{away.hint}; then --resume --name {campaign} goes on"
            hint = _REFUSED.format(name=campaign) if isinstance(away, NeverTaken) else passing
            raise TransientError(away.problem, hint=hint) from away
        except Clash:  # of which nobody is to blame: the next number is taken
            note("lost", run=number, point=progress.number, clash=True)
            return True
        if attempt.outcome is Outcome.TIMEOUT and limit < hung:  # of which the budget is to blame, not the point
            note("lost", run=number, point=progress.number, elapsed=attempt.elapsed, dollars=attempt.dollars)
            return True
        note("finished", **event_of(attempt, progress.number))
        self.learn(progress, attempt)
        return True
