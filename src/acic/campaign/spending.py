"""What the rest of a campaign's budget is spent on: more runs of a point, or more points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from acic.campaign.attempt import Attempt
from acic.campaign.budget import Expectation
from acic.campaign.points import Field, Point
from acic.campaign.repeats import UsualNoise
from acic.campaign.rules import Rules
from acic.campaign.state import Progress, Stage, State
from acic.platforms.platform import SECONDS_PER_HOUR
from acic.store.measurement import Outcome

ENOUGH_POINTS = 150  # that a short budget is spread over, rather than spent on repetitions; fewer if there are no more


class Spending:
    """Spreads a campaign's budget over its points, by what its runs took so far and how far they differ.

    Args:
        field: the space of its points.
        rules: the campaign's.
        dollars: tells what a run of a point costs, USD, that takes so many s.
        clock: seconds that never go back.
        wall: seconds since 1970, for the budget's deadline.
    """

    def __init__(
        self,
        field: Field,
        rules: Rules,
        dollars: Callable[[Point, float], float],
        *,
        clock: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self._baseline = field.platform.baseline
        self._rules = rules
        self._dollars = dollars
        self._clock = clock
        self._wall = wall
        self._expectation = Expectation(field.platform)
        self._noise = UsualNoise()
        self._points = min(ENOUGH_POINTS, field.space.raw_size, rules.budget.points or ENOUGH_POINTS)
        self._before, self._began = 0.0, clock()

    def begin(self, before: float) -> None:
        """Count time from now on; `before` s were spent in runs until then."""
        self._before, self._began = before, self._clock()

    def expect(self, points: int) -> None:
        """Take note of how many points there will be at most: the budget is spread over no more."""
        self._points = max(1, min(self._points, points))

    def learn(self, point: Point, attempt: Attempt) -> None:
        """Take in what a run took, and cost."""
        if attempt.outcome in (Outcome.OK, Outcome.SUSPECT):
            whole = self._dollars(point, attempt.elapsed)
            paid = attempt.elapsed * (attempt.dollars / whole) if whole else attempt.elapsed
            ran = max(0.0, attempt.elapsed - attempt.overhead)
            self._expectation.learn(point, attempt.elapsed, attempt.dollars, paid=paid, ran=ran)

    def learn_noise(self, progress: Progress) -> None:
        """Take in how far the runs of a point differ that is not run again."""
        self._noise.learn(progress.bandwidths)

    def spent(self, state: State) -> float:
        """Return the seconds spent: in runs before, and since `begin`, whatever with."""
        return max(state.seconds, self._before + self._clock() - self._began)

    def over(self, state: State) -> bool:
        """Return whether all the time that there is has passed: no money is spent while a job is in a queue."""
        return not self._rules.budget.covers(self.spent(state), 0.0, until=self._wall())

    def known_well(self, state: State, progress: Progress) -> bool:
        """Return whether a point has been run often enough, or as often as the budget allows.

        A screening of which part was never run ranks nothing, and without baselines nothing tells an improvement, so
        these come first, whatever repetitions are due.
        """
        repeats = self._rules.repeats
        if progress.point.configuration == self._baseline:  # it serves all points of its workload
            repeats = replace(repeats, fewest=min(repeats.most, max(2, repeats.fewest)))
        repeats = replace(repeats, most=min(repeats.most, max(repeats.fewest, self._affordable())))
        if repeats.enough(progress.bandwidths, self._noise.value):
            return True
        return bool(progress.bandwidths) and not self._spares_a_repetition(state, progress)

    def repeated_enough(self, runs: Sequence[Progress]) -> bool:
        """Return whether a point, of which these are all, has been run often enough, whatever the budget allows."""
        bandwidths = [b for p in runs for b in p.bandwidths]
        often = sum(len(p.attempts) for p in runs) >= self._rules.repeats.most
        return often or self._rules.repeats.enough(bandwidths, self._noise.value)

    def fitting(self, state: State, progress: Progress) -> Progress | None:
        """Return the point to run next: this one, or the first one begun later that the rest of the budget covers."""
        behind, avoided = state.progress[progress.number + 1 :], state.avoided
        later = (p for p in behind if not (p.stored or p.attempts or p.point.configuration in avoided))
        for candidate in (progress, *later):
            if self.covers(state, [candidate.point]):
                return candidate
        return None

    def covers(self, state: State, points: Sequence[Point]) -> bool:
        """Return whether what is left of the budget covers one run of each point."""
        seconds = sum(self._expectation.seconds(point) for point in points)
        dollars = sum(self._dollars(point, self._expectation.paid(point)) for point in points)
        spent, end = self.spent(state) + seconds, self._wall() + seconds
        return self._rules.budget.covers(spent, state.dollars + dollars, until=end)

    def limit(self, point: Point) -> float:
        """Return the s after which a job of a run of `point` counts as hung."""
        return self._expectation.limit(point, self._rules.time_limit)

    def left(self, state: State, point: Point) -> float:
        """Return the s that a job of a run of `point` may take by what is left of the budget.

        Twice what is expected of the run are allowed at least, so that the last one is not lost for a little; but not
        beyond a deadline.
        """
        budget, most = self._rules.budget, [math.inf]
        if budget.seconds is not None:
            most.append(budget.seconds - self.spent(state))
        if budget.dollars is not None and (hourly := self._dollars(point, SECONDS_PER_HOUR)):
            most.append((budget.dollars - state.dollars) / hourly * SECONDS_PER_HOUR)
        rest = max(min(most), 2.0 * self._expectation.seconds(point))
        return max(1.0, rest if budget.deadline is None else min(rest, budget.deadline - self._wall()))

    def _spares_a_repetition(self, state: State, progress: Progress) -> bool:
        """Return whether what is left covers one more run of a point beside what screening and baselines lack."""
        avoided = state.avoided
        lacking = [
            p.point
            for p in state.progress
            if p.stage in (Stage.SCREENING, Stage.BASELINE)
            and not (p.stored or p.attempts)
            and p.point.configuration not in avoided
        ]
        if state.stages == [Stage.SCREENING] and self._baseline not in avoided:
            lacking += self._baselines_to_come(state)
        return not lacking or self.covers(state, [progress.point, *lacking])

    def _baselines_to_come(self, state: State) -> list[Point]:
        """Return what is planned when the screening is over."""
        planned = dict.fromkeys(p.point for p in state.progress)
        baselines = dict.fromkeys(Point(point.workload, self._baseline) for point in planned)
        most = self._rules.budget.points
        room = None if most is None else max(0, most - len(state.progress))
        return [point for point in baselines if point not in planned][:room]

    def _affordable(self) -> int:
        """Return how many runs of each point the budget allows if it is to cover all, or enough of them."""
        covered = self._expectation.covered(self._rules.budget)
        return int(min(self._rules.repeats.most, covered / self._points))
