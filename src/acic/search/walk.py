"""Space walking: one parameter after the other, each set to its best value with the others held.

Source: Liu et al., SC13, section 4.3 ("PB-guided space walking") and 5.5 (the random walk it is compared with).

Two things the paper leaves open. A parameter that has no other valid value when its turn comes (the servers of NFS)
gets another turn when all others had theirs. And where the ranks are measured first, the walk sets out from the
best configuration met until then, which is the baseline unless a run of the design beat it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from acic.design import effects, foldover, plackett_burman
from acic.search.ledger import Ledger, Proposals, conduct
from acic.search.protocol import Found, Measure
from acic.search.repair import neighbours, usual_values
from acic.space import Configuration, Space, repaired

FAILED_AS = 2.0  # times the slowest run that ended: what a failed run of the design counts as


@dataclass(frozen=True, slots=True)
class PbWalk:
    """A walk from the parameter that matters most to the one that matters least.

    Args:
        ranks: names of parameters, most important first, as Plackett-Burman screening ranks them; names that the
            space does not have are passed over, parameters that are not named come last. None: a folded-over design
            is measured first, which costs two runs for each row of it.
    """

    ranks: Sequence[str] | None = None

    name = "pb-walk"
    about = "one parameter at a time, in the order of their Plackett-Burman ranks (SC13): few runs, no training"

    def run(
        self,
        space: Space,
        baseline: Configuration,
        measure: Measure,
        *,
        rng: np.random.Generator,  # noqa: ARG002 nothing is drawn
        max_runs: int | None = None,
    ) -> Found:
        """Return the best configuration on the way; raises also for more parameters than a design takes."""
        ledger = Ledger(space, measure, max_runs=max_runs)
        return conduct(self._proposals(space, baseline, ledger), baseline, ledger)

    def _proposals(self, space: Space, baseline: Configuration, ledger: Ledger) -> Proposals:
        ranks = (yield from _screening(space, baseline, ledger)) if self.ranks is None else self.ranks
        order = [name for name in dict.fromkeys(ranks) if name in space.names]
        order += [name for name in space.names if name not in order]
        return (yield from _walk(space, baseline, ledger, order))


@dataclass(frozen=True, slots=True)
class RandomWalk:
    """A walk that takes the parameters in a random order."""

    name = "random-walk"
    about = "one parameter at a time, in random order: what pb-walk is compared with"

    def run(
        self,
        space: Space,
        baseline: Configuration,
        measure: Measure,
        *,
        rng: np.random.Generator,
        max_runs: int | None = None,
    ) -> Found:
        """Return the best configuration on the way."""
        ledger = Ledger(space, measure, max_runs=max_runs)
        order = [space.names[i] for i in rng.permutation(len(space.names))]
        return conduct(_walk(space, baseline, ledger, order), baseline, ledger)


def longest(space: Space, *, screened: bool) -> int:
    """Return how many configurations a walk measures at most, as a rule.

    Args:
        space: what may be chosen.
        screened: a design is measured first, as there are no ranks.
    """
    design = len(foldover(plackett_burman(len(space.parameters)))) if screened else 0
    return design + 1 + sum(len(p.values) - 1 for p in space.parameters)


def _walk(space: Space, baseline: Configuration, ledger: Ledger, order: Sequence[str]) -> Proposals:
    usual = usual_values(space, baseline)
    waiting = list(order)
    while waiting:
        stuck = []
        for name in waiting:
            here = ledger.best.configuration if ledger.best else baseline
            if around := neighbours(space, here, name, usual):
                yield around
            else:
                stuck.append(name)
        if len(stuck) == len(waiting):
            break
        waiting = stuck
    return "Every parameter had its turn."


def _screening(
    space: Space, baseline: Configuration, ledger: Ledger
) -> Generator[list[Configuration], None, list[str]]:
    """Measure a folded-over design; return the parameters, that of the largest effect first."""
    design = foldover(plackett_burman(len(space.parameters)))
    usual = usual_values(space, baseline)
    rows = []
    for levels in design:
        ends = {p.name: p.high if level > 0 else p.low for p, level in zip(space.parameters, levels, strict=True)}
        rows.append(repaired(space, {**usual, **ends}))
    yield [row for row in rows if row is not None]
    sizes = effects(design, _results([inf if row is None else ledger.objective(row) for row in rows]))
    return [space.names[i] for i in np.argsort(-sizes, kind="stable")]


def _results(objectives: Sequence[float]) -> NDArray[np.float64]:
    """Return them with failed runs taken to be slow: a parameter that breaks runs matters."""
    results = np.array(objectives)
    ended = results[np.isfinite(results)]
    results[np.isinf(results)] = FAILED_AS * ended.max() if ended.size else 1.0
    return results
