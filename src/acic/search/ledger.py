"""The ledger of a search: what was measured, what is best, what is left of the budget.

A strategy is a generator: it yields batches of configurations and reads the ledger for what they gave. It is simply
not asked for more once the budget is used up, so no strategy has code for that.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import inf

from acic.errors import InvalidInput
from acic.search.protocol import Found, Measure, Observation
from acic.space import Configuration, Space

Proposals = Generator[Sequence[Configuration], None, str]
"""Batches to measure; returns why the strategy ended, one sentence."""


class Ledger:
    """Every observation of one search, each configuration once.

    Args:
        space: what proposals have to be valid in.
        measure: runs configurations.
        max_runs: of them at most; None for no limit.

    Raises:
        InvalidInput: `max_runs` is not positive.
    """

    def __init__(self, space: Space, measure: Measure, *, max_runs: int | None = None) -> None:
        if max_runs is not None and max_runs < 1:
            raise InvalidInput(
                f"a search cannot make {max_runs} runs", hint="allow 1 or more: the baseline is the first"
            )
        self._space = space
        self._measure = measure
        self._left = inf if max_runs is None else max_runs
        self._known: dict[Configuration, Observation] = {}
        self.best: Observation | None = None

    def __contains__(self, configuration: object) -> bool:
        return configuration in self._known

    def __len__(self) -> int:
        return len(self._known)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """All of them, in the order they were made."""
        return tuple(self._known.values())

    def objective(self, configuration: Configuration) -> float:
        """Return what is to be small; infinite if the run failed."""
        objective = self._known[configuration].objective
        return inf if objective is None else objective

    def measure(self, batch: Sequence[Configuration]) -> str:
        """Measure what the batch has that is not known yet.

        Returns:
            "" if all of the batch is known now, else the sentence that tells why the search ends here.

        Raises:
            InvalidInput: a proposal is not valid, or the answer is not about what was asked.
        """
        new = [proposed for proposed in dict.fromkeys(batch) if proposed not in self._known]
        for proposed in new:
            if problem := self._space.problem(proposed):
                raise InvalidInput(
                    f"cannot measure {dict(proposed)}: {problem}",
                    hint="begin with a valid baseline, and propose valid configurations only",
                )
        asked = new[: int(min(self._left, len(new)))]
        answered = self._measure(asked) if asked else []
        if [one.configuration for one in answered] != asked[: len(answered)]:
            raise InvalidInput(
                "the observations are not of the configurations that were asked for",
                hint="return one for each, in the order given; leave out the last ones if the budget is used up",
            )
        for one in answered:
            self._known[one.configuration] = one
            if one.objective is not None and one.objective < self._best_objective:
                self.best = one
        self._left -= len(answered)
        if len(answered) < len(asked):
            return "The budget of the measurements is used up."
        if len(asked) == len(new):
            return ""
        several = f"All of the {len(self)} configurations allowed were run."
        return several if len(self) > 1 else "The one configuration allowed was run."

    @property
    def _best_objective(self) -> float:
        return inf if self.best is None or self.best.objective is None else self.best.objective


def conduct(proposals: Proposals, baseline: Configuration, ledger: Ledger) -> Found:
    """Return what measuring the baseline, and then all that is proposed, finds."""
    why = ledger.measure([baseline])
    while not why:
        try:
            why = ledger.measure(next(proposals))
        except StopIteration as stop:
            why = stop.value
    proposals.close()
    return Found(best=ledger.best, observations=ledger.observations, why_ended=why)
