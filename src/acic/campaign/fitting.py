"""An application's phases, made small enough for the platform that they are to be run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acic.platforms import Platform
from acic.workloads import Access, Characteristics
from acic.workloads.replica import unordered


def fitted(
    platform: Platform, workloads: Sequence[Characteristics], most_bytes: int | None = None
) -> list[Characteristics]:
    """Return the workloads as they can be run: by the processes of the platform's training, in an order that IOR has.

    Args:
        platform: where they are to run.
        workloads: of an application, which may have run on a larger machine.
        most_bytes: that a run may move; iterations go first, then the data of each. None for any.
    """
    known = [v for v in platform.training.get("io_processes", ()) if isinstance(v, int)]
    return [_smaller(w, max(known) if known else w.processes, most_bytes) for w in workloads]


def _smaller(workload: Characteristics, processes: int, most_bytes: int | None) -> Characteristics:
    io_processes = min(workload.io_processes, processes)
    made = replace(workload, io_processes=io_processes, processes=max(io_processes, min(workload.processes, processes)))
    if made.access is Access.RANDOM and unordered(made):
        made = replace(made, access=Access.CONSECUTIVE)
    if most_bytes is None or made.total_bytes <= most_bytes:
        return made
    made = replace(made, iterations=max(1, most_bytes // (made.data_size * io_processes)))
    room = max(made.request_size, most_bytes // io_processes // made.request_size * made.request_size)
    return replace(made, data_size=min(made.data_size, room))
