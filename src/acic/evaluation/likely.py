"""What is worth measuring of an application that teaches: what advice would choose for it, and its like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from acic.advisor.advice import Goal
from acic.advisor.forecast import forecast
from acic.advisor.knowledge import KIND, Knowledge
from acic.benchmarks.kernels import Kernel
from acic.evaluation.field import Application, goals_of
from acic.platforms import Platform
from acic.prior import prior_of
from acic.space import Configuration
from acic.workloads import Workload

HOPELESS = 2.0  # times the best prediction: measuring what is slower teaches nothing that a choice hangs on
NEAR = 1.5  # times the best prediction: one of these is drawn, for what models are wrong about


def likely(
    kernels: Sequence[Kernel], platform: Platform, knowledge: Knowledge, among: Sequence[Configuration]
) -> Mapping[Application, tuple[Configuration, ...]]:
    """Return the configurations that each application is to be run on, the baseline first.

    These are, for time and where there are prices for cost, the best predicted of each file system, where that is not
    hopeless, and one drawn from those that are nearly as good as the best. Models are wrong where they choose, so there
    they learn most.

    Args:
        kernels: the applications.
        platform: where they run.
        knowledge: what was learned of it before.
        among: what is to choose from, the baseline included.
    """
    everything = knowledge.among(among)
    found: dict[Application, tuple[Configuration, ...]] = {}
    for one in kernels:
        some = everything.safe_for(one.workload).steady_for(one.workload)
        configurations = [platform.space.configuration(point) for point in some.points]
        kinds = np.array([str(one.get(KIND, "")) for one in configurations])
        rng = np.random.default_rng(crc32(one.key.encode()))
        chosen = []
        for goal in map(Goal, goals_of(platform)):
            said = forecast(_as_logged(one, platform), platform, some, goal=goal)
            objective = said.objective(goal)
            best = objective.min()
            leading = [np.flatnonzero(kinds == kind)[objective[kinds == kind].argmin()] for kind in np.unique(kinds)]
            chosen += [int(i) for i in leading if objective[i] <= HOPELESS * best]
            chosen.append(int(rng.choice(np.flatnonzero(objective <= NEAR * best))))
        found[one.name, one.scale] = tuple(dict.fromkeys((platform.baseline, *(configurations[i] for i in chosen))))
    return found


def _as_logged(one: Kernel, platform: Platform) -> Workload:
    """Return the application as a log would tell it: with pauses in seconds of a clock, on nodes that it fills."""
    prior = prior_of(platform)
    nodes, processors = (prior.facts.nodes, prior.facts.cpu) if prior else (1, float(one.processes))
    longer = max(1.0, one.processes / nodes / processors)
    phases = []
    for phase in one.workload.phases:
        pause = phase.details.get("pause_seconds", 0.0)
        details = {**phase.details, "pause_seconds": longer * float(pause)} if pause else phase.details
        phases.append(replace(phase, details=details))
    return replace(one.workload, phases=tuple(phases))
