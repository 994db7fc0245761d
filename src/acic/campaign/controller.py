"""The controller: one run after the other, each written down before and after, until the budget is used up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from acic.campaign.attempts import Attempts
from acic.campaign.course import Course
from acic.campaign.journal import Journal
from acic.campaign.planning import Planner, is_whole, screened
from acic.campaign.points import Field, Rows
from acic.campaign.rules import Rules
from acic.campaign.searched import asked_before, runs_of
from acic.campaign.spending import Spending
from acic.campaign.state import QUARANTINE, Progress, Stage, State
from acic.campaign.storing import Storing
from acic.campaign.trial import Trials
from acic.campaign.view import View, view_of

GIVE_UP = 8  # runs that failed in a row, after which something else must be wrong
USED_UP = "the budget is used up"
ASKED = "somebody asked for it"


class Controller:
    """Runs a campaign from wherever its journal says it is.

    Args:
        journal: of the campaign.
        field: the space of its points.
        planner: what to measure.
        rules: how.
        trials: makes the runs.
        storing: puts measurements into the store.
        options: what is asked for now; where it differs from the journal, that is written down.
        watch: is told how far it is, before each run.
        clock: seconds that never go back.
        wall: seconds since 1970, for a budget's deadline.
    """

    def __init__(
        self,
        journal: Journal,
        field: Field,
        planner: Planner,
        rules: Rules,
        trials: Trials,
        storing: Storing,
        *,
        options: dict[str, Any] | None = None,
        watch: Callable[[View], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._journal = journal
        self._field = field
        self._planner = planner
        self._rules = rules
        self._storing = storing
        self._watch = watch
        self._wall = wall
        self._options = options or {}
        self._spending = Spending(field, rules, trials.dollars, clock=clock, wall=wall)
        self._course = Course(journal, field)
        self._attempts = Attempts(self._course, rules, trials, self._spending, wall=wall)
        self._asked = 0  # points that a search has asked for
        self._cursor = 0  # every point before it is dealt with

    @property
    def state(self) -> State:
        """What became of the campaign so far."""
        return self._course.state

    def run(self) -> str:
        """Run until the budget is used up, nothing is left, or somebody asks for a pause; return why it stopped.

        Raises:
            InvalidInput: another controller is at work on the campaign.
            TransientError: the scheduler takes no such jobs; the campaign is paused, and no run counted.
            StoreError: the store cannot be written; nothing is lost, resume when it can.
        """
        with self.at_work():
            while not self.stopped:
                self._step()
        return self.stopped

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Take the campaign up where its journal left it, and keep every other controller away meanwhile.

        Raises:
            InvalidInput: another controller is at work on it.
        """
        with self._journal.locked():
            self._begin()
            try:
                yield
            except KeyboardInterrupt:
                self._course.note("paused", why="interrupted", at=self._wall())
                raise
            finally:
                self._journal.note_waiting("")

    @property
    def stopped(self) -> str:
        """Why nothing more is run, "" while it goes on."""
        return self._course.stopped

    def enough(self) -> str:
        """Return why a run that is still in a queue is not waited for any longer; "" while it is."""
        if self._journal.pause_asked:
            return ASKED
        return USED_UP if self._spending.over(self.state) else ""

    @property
    def ahead(self) -> int:
        """How many more points the journal holds that a search has asked for than were asked for `at_work`."""
        return sum(p.stage is Stage.SEARCH for p in self.state.progress) - self._asked

    def measure(self, rows: Rows) -> list[Progress]:
        """Measure just these points, in this order; return what became of those that were dealt with.

        For a search that chooses its points itself, `at_work`. What the journal holds is not run again: a search that
        was killed, and asks for the same points in the same order, goes on where it was. Once it has stopped, none are.

        Raises:
            AnotherSearch: it asks for others than the journal holds.
            TransientError: the scheduler takes no such jobs; the campaign is paused, and no run counted.
        """
        asked = []
        for row in rows[:0] if self.stopped else rows:
            known = asked_before(self.state, self._asked, row, name=self._journal.name)
            self._asked += 1
            asked.append(known or self._course.plan(Stage.SEARCH, row[None, :])[0])
        self._finish_all(asked)
        return [p for p in asked if p.stored]

    def repeat(self, rows: Rows) -> bool:
        """Run those of the points once more that have not been run often enough; return whether any was.

        Nothing is run where what is left of the budget does not cover all of them. What was planned before the search
        was killed is not planned again.
        """
        asked, lacking = [], []
        for row in rows:
            runs = runs_of(self.state, row)
            planned = [p for p in runs if p.stage is Stage.REPEAT and not p.stored]
            asked += planned
            if not planned and not self._spending.repeated_enough(runs):
                lacking.append(row)
        points = [p.point for p in asked] + [self._field.point(row) for row in lacking]
        if self.stopped or not points or not self._spending.covers(self.state, points):
            return False
        asked += self._course.plan(Stage.REPEAT, np.array(lacking)) if lacking else []
        self._finish_all(asked)
        return any(p.attempts for p in asked)

    def _finish_all(self, asked: Sequence[Progress]) -> None:
        while not self.stopped and not all(p.stored for p in asked):
            self._step()

    def expect(self, points: int) -> None:
        """Take note of how many points a search asks for at most: a budget is spread over no more."""
        self._spending.expect(points)

    def end(self, why: str) -> None:
        """Write down that a search is over."""
        if not self.stopped:
            self._end(why)

    def _begin(self) -> None:
        self._journal.ask_pause(False)  # first: who asks for it while the journal is read asks this controller
        self._journal.note_waiting("")  # a controller that was killed may have left it
        self._course.take_up()
        for progress, attempt in self.state.attempts:  # in their order, for the same decisions as before
            self._attempts.learn(progress, attempt)
        for number in self.state.order:
            self._spending.learn_noise(self.state.progress[number])
        if self.state.open_run:
            self._attempts.lose(self.state.open_run)
        self._course.resume(self._options)
        self._storing.put_back(self.state)
        self._spending.begin(self.state.seconds)

    def _step(self) -> None:
        if self._journal.pause_asked:
            self._course.note("paused", why=ASKED)
        elif self.state.in_a_row >= GIVE_UP:
            last = self.state.attempts[-1][1].note
            self._course.note("paused", why=f"{GIVE_UP} runs in a row failed; the last: {last}")
        elif progress := self._next_point():
            self._advance(progress)
        elif not self._plan():
            points = self._rules.budget.points
            limited = points is not None and len(self.state.progress) >= points
            whole = "everything there is to measure has been measured"
            self._end(f"the limit of {points} points is reached" if limited else whole)

    def _advance(self, progress: Progress) -> None:
        """Do the next thing about a point: run it, or be done with it."""
        configuration = progress.point.configuration
        if progress.closed:
            self._store_it(progress)
        elif configuration in self.state.unsafe:
            self._finish(progress, "" if progress.attempts else "its configuration gave back wrong bytes")
        elif self.state.failed[configuration] >= QUARANTINE and not progress.attempts:
            self._finish(progress, "its configuration keeps failing")
        elif progress.tried_enough or self._spending.known_well(self.state, progress):
            self._finish(progress)
        elif (fitting := self._spending.fitting(self.state, progress)) is None:
            self._end(USED_UP)
        else:
            self._attempt(fitting)

    def _attempt(self, progress: Progress) -> None:
        spent, budget = self._spending.spent(self.state), self._rules.budget
        self._watch(view_of(self.state, progress, done=self._cursor, spent=spent, budget=budget))
        if not self._attempts.make(progress) and not self._journal.pause_asked:
            self._end(USED_UP)

    def _finish(self, progress: Progress, skipped: str = "") -> None:
        """Be done with a point: that is written down first, so that the store never gets half of its runs, then all."""
        self._course.note("closed", point=progress.number, **({"skipped": skipped} if skipped else {}))
        self._store_it(progress)

    def _store_it(self, progress: Progress) -> None:
        """Put what was measured of a point into the store; doing it again changes nothing."""
        self._storing.put(progress)
        self._course.note("stored", point=progress.number)
        self._spending.learn_noise(progress)

    def _plan(self) -> bool:
        """Plan more, if there is more; rank the parameters when all of the screening is over."""
        if Stage.SCREENING in self.state.stages and not self.state.ranks and is_whole(self._field, self.state):
            ranks, effects = screened(self._field, self.state, held=self._rules.nodes)
            self._course.note("ranked", ranks=ranks, effects=effects)
        planned = self._planner.next(self.state)
        if planned is None:
            return False
        stage, rows = planned
        self._course.plan(stage, rows)
        return True

    def _end(self, why: str) -> None:
        for progress in self.state.waiting:
            if progress.attempts and not progress.closed:
                self._finish(progress)
        self._course.note("ended", why=why)

    def _next_point(self) -> Progress | None:
        while self._cursor < len(self.state.progress) and self.state.progress[self._cursor].stored:
            self._cursor += 1
        begun = (p for p in self.state.progress[self._cursor :] if p.attempts and not p.stored)
        return next(begun, None) or next(iter(self.state.progress[self._cursor : self._cursor + 1]), None)
