"""A genetic algorithm: configurations that did well are crossed and mutated.

Source: the kind that Behzad et al. tune HDF5 applications with ("Taming parallel I/O complexity with auto-tuning",
SC13); the settings here are our own, and no child is measured that was measured before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acic.search.ledger import Ledger, Proposals, conduct
from acic.search.protocol import Found, Measure
from acic.search.repair import drawn, drawn_values
from acic.space import Configuration, Space, repaired

TRIES = 20  # children that were measured before until the population is held to have converged


@dataclass(frozen=True, slots=True, kw_only=True)
class Genetic:
    """Tournament selection, uniform crossover, mutation, elitism; made valid by repair.

    Args:
        population: configurations measured in a generation.
        generations: how many, the random first one included.
        tournament: members drawn to choose one parent from.
        mutation: probability that a parameter of a child is drawn anew.
        elite: best ones of a generation that live on beside their children.
    """

    population: int = 12
    generations: int = 10
    tournament: int = 3
    mutation: float = 0.15
    elite: int = 2

    name = "genetic"
    about = "a genetic algorithm, as H5Tuner's: needs many runs, no training, any size of space"

    def run(
        self,
        space: Space,
        baseline: Configuration,
        measure: Measure,
        *,
        rng: np.random.Generator,
        max_runs: int | None = None,
    ) -> Found:
        """Return the best of all generations."""
        ledger = Ledger(space, measure, max_runs=max_runs)
        return conduct(self._proposals(space, baseline, ledger, rng), baseline, ledger)

    def _proposals(self, space: Space, baseline: Configuration, ledger: Ledger, rng: np.random.Generator) -> Proposals:
        draws = [drawn(space, rng) for _ in range(self.population - 1)]
        alive = [baseline, *dict.fromkeys(one for one in draws if one is not None and one != baseline)]
        yield alive
        for _ in range(self.generations - 1):
            ranked = sorted(alive, key=ledger.objective)
            children = self._children(space, ranked, ledger, rng)
            if not children:
                return "The population has converged: all that it breeds was measured."
            yield children
            alive = [*ranked[: self.elite], *children]
        return f"All {self.generations} generations were measured."

    def _children(
        self, space: Space, ranked: list[Configuration], ledger: Ledger, rng: np.random.Generator
    ) -> list[Configuration]:
        """Return configurations that are not measured, as many as the population has members, or as can be bred."""
        children: dict[Configuration, None] = {}
        for _ in range(self.population):
            for _ in range(TRIES):
                child = self._child(space, ranked, rng)
                if child is not None and child not in ledger and child not in children:
                    children[child] = None
                    break
        return list(children)

    def _child(self, space: Space, ranked: list[Configuration], rng: np.random.Generator) -> Configuration | None:
        """Return a child of two; a parameter that applies to neither is drawn, in case it applies to the child."""
        one, other = (ranked[int(rng.integers(len(ranked), size=self.tournament).min())] for _ in range(2))
        fresh = drawn_values(space, rng)
        genes = dict(fresh)
        for name in space.names:
            parents = (one, other) if rng.random() < 0.5 else (other, one)
            inherited = [parent[name] for parent in parents if name in parent]
            if inherited and rng.random() >= self.mutation:
                genes[name] = inherited[0]
        return repaired(space, genes)
