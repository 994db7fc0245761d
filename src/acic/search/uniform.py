"""Random search: the floor that every other strategy has to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.search.candidates import Candidates
from acic.search.ledger import Ledger, Proposals, conduct
from acic.search.protocol import Found, Measure
from acic.space import Configuration, Space


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Valid configurations, uniformly drawn without repetition.

    Args:
        runs: configurations besides the baseline.
    """

    runs: int = 100

    name = "random"
    about = "configurations drawn at random: the floor to beat"

    def run(
        self,
        space: Space,
        baseline: Configuration,
        measure: Measure,
        *,
        rng: np.random.Generator,
        max_runs: int | None = None,
    ) -> Found:
        """Return the best of a random sample."""
        ledger = Ledger(space, measure, max_runs=max_runs)
        return conduct(self._proposals(space, ledger, rng), baseline, ledger)

    def _proposals(self, space: Space, ledger: Ledger, rng: np.random.Generator) -> Proposals:
        candidates = Candidates(space)
        rows = np.flatnonzero(candidates.unknown(one.configuration for one in ledger.observations))
        drawn = rng.permutation(rows)[: self.runs]
        yield candidates.configurations(drawn)
        if len(drawn) == len(rows):
            return "Every configuration of the space was measured."
        return f"The {self.runs} configurations drawn were measured."
