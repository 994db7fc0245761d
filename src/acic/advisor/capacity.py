"""Whether a platform can run a job at all: what it has processors for, or was measured with."""

from __future__ import annotations

from dataclasses import replace

from acic.advisor.advice import Goal
from acic.advisor.forecast import Forecast
from acic.advisor.learned import Learned
from acic.errors import MissingData
from acic.platforms import Platform
from acic.workloads import Workload

SHARING = 4  # processes of a processor


def too_many(workload: Workload, platform: Platform, learned: Learned) -> str:
    """Return that the job has more processes than the platform can run, in words; "" where it has not.

    A few may share a processor, by threads in hardware or on purpose, as in the lab: `SHARING` of them never are too
    many, nor as many as in any measurement.
    """
    processors = platform.processors
    measured = learned.ranges.get("processes")
    if processors is None or workload.processes <= max(SHARING * processors, measured.high if measured else 0):
        return ""
    nodes = f"{platform.compute_nodes} compute node{'' if platform.compute_nodes == 1 else 's'}"
    return f"{platform.name} has {nodes} with {processors} processors, and the job has {workload.processes} processes"


def without_cost(found: Forecast, goal: Goal, crowd: str) -> Forecast:
    """Return the same without prices: what machines cost that cannot run the job is no cost of it.

    Raises:
        MissingData: `goal` needs them; `crowd` is why there are none.
    """
    if goal is not Goal.TIME:
        raise MissingData(
            f"{crowd}, so what a run costs is not known", hint="use --goal time, or the file of a platform of its size"
        )
    return replace(found, rate=None)
