"""What every search does: choose configurations to measure, by what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

import numpy as np

from acic.errors import InvalidInput
from acic.space import Configuration, Space


@dataclass(frozen=True, slots=True)
class Observation:
    """What measuring one configuration gave.

    Args:
        configuration: what was measured.
        objective: what is to be small: seconds or USD of the job, > 0; None if the run failed.
        spent: s of wall time or USD that finding out took, >= 0.

    Raises:
        InvalidInput: a figure that no measurement gives.
    """

    configuration: Configuration
    objective: float | None
    spent: float

    def __post_init__(self) -> None:
        if self.objective is not None and not 0 < self.objective < inf:
            raise InvalidInput(
                f"an objective is {self.objective}", hint="give s or USD above 0, or None if the run failed"
            )
        if not 0 <= self.spent < inf:
            raise InvalidInput(f"a measurement spent {self.spent}", hint="give s or USD, 0 if nothing is billed")


class Measure(Protocol):
    """Measures configurations, in the order given; a search knows nothing else of where they run."""

    def __call__(self, configurations: Sequence[Configuration]) -> list[Observation]:
        """Return one observation each. May return fewer when the budget is used up: then the search ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found.

    Args:
        best: of the least objective, the first if several have it; None if every run failed.
        observations: all of them, in the order they were made; the first is the baseline's.
        why_ended: one sentence.
    """

    best: Observation | None
    observations: tuple[Observation, ...]
    why_ended: str


class Search(Protocol):
    """A strategy that measures in the loop. It always minimises `Observation.objective`."""

    @property
    def name(self) -> str:
        """The name that `--strategy` takes."""

    @property
    def about(self) -> str:
        """One line for the list of strategies."""

    def run(
        self,
        space: Space,
        baseline: Configuration,
        measure: Measure,
        *,
        rng: np.random.Generator,
        max_runs: int | None = None,
    ) -> Found:
        """Return the best configuration of `space` found from `baseline` on, which is measured first.

        No configuration is measured twice, and only valid ones are, with values that the space lists or the
        baseline has. The same `rng` and the same observations give the same search.

        Args:
            space: what may be chosen.
            baseline: where the search begins, and what it has to beat.
            measure: runs configurations.
            rng: whatever is drawn comes from it.
            max_runs: measurements at most, the baseline's included; None: until the strategy ends by itself.

        Raises:
            InvalidInput: the baseline is not valid, or `measure` answers for what it was not asked.
        """
