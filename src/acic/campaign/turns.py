"""Runs of a command with one configuration after the other, in rounds, for as long as a budget lasts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from acic.campaign.budget import Budget
from acic.campaign.comparison import in_turn
from acic.cluster import Refused
from acic.platforms import Platform
from acic.space import Configuration

DAY = 24 * 3600.0  # s


@dataclass(frozen=True, slots=True)
class Took:
    """What a run gave: its s, None if it failed, a note, and the s for which its job can have had its machines.

    `held` is None for all the time that passed.
    """

    seconds: float | None
    note: str
    held: float | None = None


class Turns:
    """Has runs made in rounds, each configuration once in each, and counts what they come to.

    Args:
        platform: where they are made; prices machines.
        wanted: the configurations.
        budget: of all runs: what is left of it limits each, and of the run that it ends in only a figure counts.
        price: USD per machine and hour; None for the platform's.
        processes: of the application, whose machines are paid.
        held: machines of each run that are asked for, as its processes may need fewer.
        time_limit: s for each run, which has failed then; None for what is left of the budget.
        announce: is told how the budget ended, or why a scheduler refused a run.
        longest: s for each run, where neither a time limit nor a budget says less.

    Raises:
        InvalidInput: the budget is money where nothing has a price.
        MissingData: or where one of the configurations has none.
    """

    def __init__(
        self,
        platform: Platform,
        wanted: Sequence[Configuration],
        budget: Budget,
        *,
        price: float | None,
        processes: int,
        held: int,
        time_limit: float | None,
        announce: Callable[[str], None],
        longest: float = DAY,
    ) -> None:
        self._platform, self._wanted, self._price, self._longest = platform, wanted, price, longest
        self._processes, self._held, self._time_limit, self._announce = processes, held, time_limit, announce
        self._purse = _Purse(budget, platform.at_price(price), wanted, processes, held)
        self._until = math.inf  # when the budget's time is over, by the monotonic clock

    def measured(
        self,
        run: Callable[[int, int, float], Took],
        goal: str,
        rounds: int,
        *,
        seed: int,
        watch: Callable[[int], None],
    ) -> list[list[tuple[float | None, str]]]:
        """Return, for each configuration, what each round gave: s or USD (None if it failed), and a note.

        What was measured until the budget is used up, or a scheduler refuses a run, is kept; until an interrupt, told.

        Args:
            run: takes the round, the configuration's position and the s that it may take, and makes one.
            goal: "time" or "cost".
            rounds: how often each is run.
            seed: of the order in each round.
            watch: is told how many runs were made.

        Raises:
            Refused: a scheduler takes no such run, and none before it gave a figure.
        """
        found: list[list[tuple[float | None, str]]] = [[] for _ in self._wanted]
        turns = list(in_turn(rounds, len(self._wanted), seed=seed))
        for done, (turn, position) in enumerate(turns):
            begun = time.monotonic()
            self._until = begun + self._purse.seconds
            try:
                took = run(turn, position, self._limit(self._purse.left(position)))
            except Refused as refused:
                if all(figure is None for rows in found for figure, _ in rows):
                    raise
                self._announce(f"note: run {done + 1} of {len(turns)} and what follows are left out: {refused.problem}")
                break
            except KeyboardInterrupt:
                self._tell(found, goal)
                raise
            elapsed = time.monotonic() - begun
            self._purse.pay(position, elapsed, held=elapsed if took.held is None else took.held)
            over = self._purse.left(position) <= 0
            counts = not over or took.seconds is not None
            if counts:
                found[position].append((self._objective(goal, self._wanted[position], took.seconds), took.note))
                watch(done + 1)
            if over and not (counts and done + 1 == len(turns)):
                self._announce(f"note: the budget was used up in run {done + 1} of {len(turns)}")
                break
        return found

    def _tell(self, found: Sequence[Sequence[tuple[float | None, str]]], goal: str) -> None:
        """Tell what was measured before an interrupt, after which nothing else does."""
        unit = "s" if goal == "time" else "USD"
        for position, rows in enumerate(found):
            figures = ", ".join("failed" if figure is None else f"{figure:.4g} {unit}" for figure, _ in rows)
            if rows:
                self._announce(f"note: {position or 'baseline'}: measured before the interrupt: {figures}")

    def left(self, position: int) -> float:
        """Return the s that the budget leaves for a run on that configuration, with all before it; inf for no limit."""
        return self._purse.left(position)

    def enough(self) -> str:
        """Return why a run that is still waited for is to be taken back; empty where it is not."""
        return "the budget was used up" if time.monotonic() >= self._until else ""

    def _limit(self, left: float) -> float:
        """Return the s that a run may take of which the budget leaves so many."""
        limit = left if self._time_limit is None else min(left, self._time_limit)
        return limit if limit < math.inf else self._longest

    def _objective(self, goal: str, configuration: Configuration, seconds: float | None) -> float | None:
        if seconds is None or goal == "time":
            return seconds
        return self._platform.cost(configuration, self._processes, seconds, price=self._price, held=self._held)


class _Purse:
    """What is left of a budget while runs are paid from it: `seconds`, inf where time is no limit, and money.

    Raises:
        InvalidInput: it is money, and the platform has no prices.
        MissingData: or one of the configurations has none.
    """

    def __init__(
        self, budget: Budget, platform: Platform, wanted: Sequence[Configuration], processes: int, held: int
    ) -> None:
        budget.check(platform)
        self.seconds = math.inf if budget.seconds is None else budget.seconds
        self._dollars = math.inf if budget.dollars is None else budget.dollars
        priced = budget.dollars is not None
        self._rates = [platform.cost(one, processes, 1.0, held=held) if priced else 0.0 for one in wanted]  # USD/s

    def left(self, position: int) -> float:
        """Return how long a run on that configuration may take, s; inf where nothing limits it."""
        rate = self._rates[position]
        return min(self.seconds, self._dollars / rate if rate else math.inf)

    def pay(self, position: int, seconds: float, *, held: float) -> None:
        """Take a run out of it: the s that passed, and the USD of the s for which that configuration's jobs held it."""
        self.seconds -= seconds
        self._dollars -= held * self._rates[position]
