"""What every search does: choose configurations to measure, by what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from acic.space import Configuration, Space


@dataclass(frozen=True, slots=True)
class Observation:
    """What measuring one configuration gave.

    Args:
        configuration: what was measured.
        objective: what is to be small: seconds or USD of the job; None if the run failed.
        spent: s of wall time or USD that finding out took.
    """

    configuration: Configuration
    objective: float | None
    spent: float


class Measure(Protocol):
    """Measures configurations, in the order given; a search knows nothing else of where they run."""

    def __call__(self, configurations: Sequence[Configuration]) -> list[Observation]:
        """Return one observation each. May return fewer when the budget is used up: then the search ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found.

    Args:
        best: the configuration of the least objective; None if nothing could be measured.
        observations: all of them, in the order they were made.
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

    def run(self, space: Space, baseline: Configuration, measure: Measure, *, rng: np.random.Generator) -> Found:
        """Return the best configuration of `space` found from `baseline` on, which is measured first."""
