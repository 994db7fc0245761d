"""Collective buffering: who calls the file system with it and without it, how often, and what is exchanged for it.

It hangs on the workload alone, so that it is known where no hardware is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from acic.prior.demand import demand_of
from acic.prior.designs import AGGREGATION
from acic.prior.uses import BENCHMARK, Use
from acic.workloads import Characteristics


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What reaches the file system, and what processes exchange for it.

    Args:
        callers: processes that call the file system.
        requests: of all of them, >= 1.
        request: B of one of these.
        exchanged: B that go to another machine before they are written, or after they are read.
    """

    callers: int
    requests: int
    request: float
    exchanged: float


def alone(workload: Characteristics) -> Traffic:
    """Return the traffic where each process makes its own requests."""
    w = workload
    requests = w.io_processes * _calls(w)
    return Traffic(callers=w.io_processes, requests=requests, request=w.total_bytes / requests, exchanged=0.0)


def gathered(
    workload: Characteristics,
    nodes: int,
    use: Use = BENCHMARK,
    *,
    aggregators: int | None = None,
    buffer: int | None = None,
) -> Traffic:
    """Return the traffic where aggregators make the requests of collective calls (two-phase I/O).

    Each has an equal part of the bytes of a call, and a machine as much of them as any other.

    Args:
        workload: that several processes write, or read, in one file.
        nodes: machines that its processes fill, in blocks.
        use: what else is known of it.
        aggregators: processes that are; None: one on each machine with I/O processes, ROMIO's default.
        buffer: B that each of them moves at a time at most; None: ROMIO's own.

    Source: ROMIO users' guide, cb_nodes and cb_buffer_size.
    """
    demand = demand_of(replace(workload, collective=True, shared=True), nodes, replace(use, gathered=True))
    callers = min(aggregators or demand.nodes, workload.processes)
    calls = _calls(workload)
    turns = max(1, math.ceil(workload.total_bytes / calls / callers / (buffer or AGGREGATION)))
    requests = calls * callers * turns
    return Traffic(
        callers=callers, requests=requests, request=workload.total_bytes / requests, exchanged=demand.shuffled
    )


def _calls(workload: Characteristics) -> int:
    """Return how many calls each process makes."""
    return workload.iterations * math.ceil(workload.data_size / workload.request_size)
