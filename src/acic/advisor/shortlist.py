"""Shortlists: what is predicted to be best for a workload of the benchmark, of each kind and around the leader."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.advisor.knowledge import KIND, Knowledge
from acic.advisor.ranking import rates
from acic.errors import MissingData
from acic.prior import Results
from acic.space import Configuration
from acic.workloads import Characteristics, Operation


@dataclass(frozen=True, slots=True)
class Shortlists:
    """What to try for a workload.

    Args:
        seconds: that the baseline is predicted to take, s.
        kinds: of each kind of I/O system, its best for time and its best for cost. A kind is a file system and where
            its servers are.
        around: for time and for cost, the best of all and what is one step from it, best first. A step changes one
            parameter, and what there is no more or only then.
    """

    seconds: float
    kinds: list[list[Configuration]]
    around: list[list[Configuration]]


def shortlists(knowledge: Knowledge, workload: Characteristics) -> Shortlists:
    """Return what is predicted best for `workload`, for each goal: without prices there is one.

    What is written has to last, so it is staged out of disks that are lost.
    """
    space = knowledge.platform.space
    names = [name for name in (KIND, knowledge.platform.roles.placement) if name]
    kinds: dict[tuple[str, ...], list[Configuration]] = {}
    around = []
    usual = knowledge.baseline_seconds(workload)
    for goal in _goals(knowledge, workload, usual):
        ranked = [space.configuration(knowledge.points[i]) for i in np.argsort(goal)]
        first: dict[tuple[str, ...], Configuration] = {}
        for one in ranked:
            first.setdefault(tuple(str(one.get(name)) for name in names), one)
        for kind, best in first.items():
            kinds.setdefault(kind, []).append(best)
        around.append([one for one in ranked if _steps(one, ranked[0]) <= 1])
    return Shortlists(usual, [kinds[kind] for kind in sorted(kinds)], around)


def _goals(knowledge: Knowledge, workload: Characteristics, usual: float) -> list[NDArray[np.float64]]:
    """Return what is predicted of every configuration: seconds, and USD where somebody is billed."""
    platform, points = knowledge.platform, knowledge.points
    seconds = usual * np.exp(-knowledge.effect(workload).mean)
    if workload.operation is Operation.WRITE:
        own = not workload.shared and workload.io_processes == workload.processes
        files = 1 if workload.shared else workload.io_processes
        seconds += knowledge.staging.seconds(Results(size=workload.total_bytes, files=files, own=own, one=own))
    with suppress(MissingData):
        return [seconds, seconds * rates(platform, points, workload.processes, None)]
    return [seconds]


def _steps(one: Configuration, other: Configuration) -> int:
    """Return how many of the parameters that both have differ."""
    return sum(one[name] != other[name] for name in one.keys() & other.keys())
