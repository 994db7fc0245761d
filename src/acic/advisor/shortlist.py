"""Shortlists: what is predicted to be best for a workload of the benchmark, of each kind of I/O system."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from acic.advisor.knowledge import KIND, Knowledge
from acic.advisor.ranking import rates
from acic.advisor.staging import staging_seconds
from acic.errors import MissingData
from acic.space import Configuration
from acic.workloads import Characteristics


def shortlists(knowledge: Knowledge, workload: Characteristics) -> tuple[float, list[list[Configuration]]]:
    """Return the baseline's seconds, and for each kind of I/O system the best configuration for time, and for cost.

    A kind is a file system and where its servers are. Those of a kind that differ in disks or stripes are near one
    another, and errors are of kinds: to know which of these is better is worth more than another run on the twin of
    what leads. What is written has to last, so it is staged out of disks that are lost. Where nobody is billed there is
    no cost.
    """
    platform, points = knowledge.platform, knowledge.points
    results = workload.total_bytes if workload.operation == "write" else 0
    usual = knowledge.baseline_seconds(workload)
    seconds = usual * np.exp(-knowledge.effect(workload).mean)
    seconds += staging_seconds(platform, points, results)
    goals = [seconds]
    with suppress(MissingData):
        goals.append(seconds * rates(platform, points, workload.processes, None))
    names = [name for name in (KIND, platform.roles.placement) if name]
    found: dict[tuple[str, ...], list[Configuration]] = {}
    for goal in goals:
        first: dict[tuple[str, ...], Configuration] = {}
        for one in (platform.space.configuration(points[i]) for i in np.argsort(goal)):
            first.setdefault(tuple(str(one.get(name)) for name in names), one)
        for kind, best in first.items():
            found.setdefault(kind, []).append(best)
    return usual, [found[kind] for kind in sorted(found)]
