"""The prior of a platform: predicted seconds, improvement and bottleneck of any workload on any configuration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform
from acic.prior.demand import demand_of
from acic.prior.designs import design
from acic.prior.facts import Facts, facts_of
from acic.prior.resources import Resource
from acic.prior.roofline import parts
from acic.prior.staging import Results, staging
from acic.prior.systems import Systems, systems_of
from acic.prior.uses import BENCHMARK, Use, likeness
from acic.prior.view import view
from acic.space import Rule, Value
from acic.workloads import Characteristics

Floats = NDArray[np.float64]
_TOLD = 0.99  # of the seconds of a run whose processes wait for one another: what takes as long alone tells nothing
_REMEMBERED = 1024  # estimates: an evaluation asks the same of the baseline and of its candidates for each model
_FEW = 256  # configurations, of which those estimates take 20 MB


@dataclass(frozen=True, slots=True)
class Prior:
    """What hardware and design say of a platform, nothing measured."""

    platform: Platform
    facts: Facts
    baseline: Systems

    def systems(self, configurations: Sequence[Mapping[str, Value]]) -> Systems:
        """Return configurations in the form in which they are estimated; worth keeping."""
        return systems_of(self.platform, self.facts, configurations)

    def parts(self, workload: Characteristics, systems: Systems, use: Use = BENCHMARK) -> Floats:
        """Return the seconds waited for each `Resource`, shape (configurations, resources), not to be written to."""
        estimate = _parts if len(systems) > _FEW else _remembered
        return estimate(workload, self.facts.nodes, use, systems)

    def seconds(self, workload: Characteristics, systems: Systems, use: Use = BENCHMARK) -> Floats:
        """Return the predicted seconds of `workload` on each configuration, shape (configurations,)."""
        return np.asarray(self.parts(workload, systems, use).sum(axis=1))

    def staging(self, results: Results, systems: Systems) -> Floats:
        """Return the s that copying `results` to where they last takes after a run, shape (configurations,)."""
        return staging(results, self.facts, systems)

    def heard(self, phases: Sequence[tuple[Characteristics, Use]], io: float) -> list[Use]:
        """Return the uses of a run's phases with what its seconds in I/O on the baseline tell: how far they overlap.

        Processes that wait for one another before they read, or write, keep the servers busy at once, and wait for all
        of it; where each goes on alone, some are served while others compute. No log tells which, but it does how long
        they waited: between the two that is taken which explains it, by the logarithm.

        Args:
            phases: what the run does to files, and how.
            io: s of the run in I/O, on the baseline.
        """
        together, alone = (
            sum(float(self.seconds(w, self.baseline, replace(use, overlap=overlap))[0]) for w, use in phases)
            for overlap in (0.0, 1.0)
        )
        if io <= 0.0 or alone >= _TOLD * together:
            return [use for _, use in phases]
        overlap = min(1.0, max(0.0, math.log(together / io) / math.log(together / alone)))
        return [replace(use, overlap=overlap) for _, use in phases]

    def log_improvement(self, workload: Characteristics, systems: Systems, use: Use = BENCHMARK) -> Floats:
        """Return the natural logarithm of the baseline's seconds over each configuration's, shape (configurations,)."""
        return np.asarray(
            np.log(self.seconds(workload, self.baseline, use)) - np.log(self.seconds(workload, systems, use))
        )

    def view(self, workload: Characteristics, systems: Systems, use: Use = BENCHMARK) -> Floats:
        """Return what models see, shape (configurations, `acic.prior.view.COLUMNS`)."""
        base = self.parts(workload, self.baseline, use)[0]
        return view(self.parts(workload, systems, use), base, likeness(use))

    def why(self, workload: Characteristics, configuration: Mapping[str, Value], use: Use = BENCHMARK) -> str:
        """Return what limits a configuration, and what the baseline, in words."""
        found = self.parts(workload, self.systems([configuration, self.platform.baseline]), use)
        own, baseline = ((Resource(int(row.argmax())), row.max() / row.sum()) for row in found)
        return (
            f"limited by {own[0].words} ({own[1]:.0%} of the time in I/O), "
            f"the baseline by {baseline[0].words} ({baseline[1]:.0%})"
        )


def _parts(workload: Characteristics, nodes: int, use: Use, systems: Systems) -> Floats:
    found = parts(demand_of(workload, nodes, use), systems)
    found.flags.writeable = False
    return found


_remembered = lru_cache(maxsize=_REMEMBERED)(_parts)


def prior_of(platform: Platform) -> Prior | None:
    """Return the prior of a platform.

    None where its file tells no hardware, where a configuration may lack its file system or its kind of disk, or where
    a file system is of no known design.
    """
    facts, space, needed = facts_of(platform), platform.space, {"file_system", platform.roles.device}
    if facts is None or not needed <= set(space.names):
        return None
    if any(needed & set(rule.absent) for rule in space.constraints if isinstance(rule, Rule)):
        return None
    if any(design(str(one)) is None for one in space["file_system"].values):
        return None
    return Prior(platform, facts, systems_of(platform, facts, [platform.baseline]))
