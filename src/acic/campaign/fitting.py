"""An application's phases, made small enough for the platform that they are to be run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from acic.platforms import Platform
from acic.workloads import Access, Characteristics
from acic.workloads.replica import unordered

_UNEVEN = 1.1  # phases that are smaller by factors this far apart are another mix than the job's


def fitted(platform: Platform, workloads: Sequence[Characteristics]) -> list[Characteristics]:
    """Return the workloads as they can be run: by the processes of the platform's training, in an order that IOR has.

    Args:
        platform: where they are to run.
        workloads: each for itself.
    """
    return [_smaller(w, _processes(platform, w), None) for w in workloads]


def replica(
    platform: Platform, phases: Sequence[Characteristics], most_bytes: int | None = None
) -> list[Characteristics]:
    """Return an application's phases as they can be run (`fitted`), all of them smaller by the same factor.

    What is searched for is the sum of their times: of phases that were made smaller each for itself it is another
    job's. A phase that has too few requests for it is not made as small as the others.

    Args:
        platform: where they are to run.
        phases: of an application, which may have run on a larger machine.
        most_bytes: that a run may move; iterations go first, then the data of each. None for any.
    """
    parts = [_part(made, phase) for made, phase in zip(fitted(platform, phases), phases, strict=True)]
    if most_bytes is not None:
        parts += [Fraction(most_bytes, phase.total_bytes) for phase in phases]
    part = min(parts, default=Fraction(1))
    return [_smaller(p, _processes(platform, p), max(1, int(part * p.total_bytes))) for p in phases]


def uneven(phases: Sequence[Characteristics], made: Sequence[Characteristics]) -> str:
    """Return in a sentence that the `replica` moves another mix than the job, "" where it does not."""
    parts = [_part(small, whole) for small, whole in zip(made, phases, strict=True)]
    if not parts or max(parts) <= _UNEVEN * min(parts):
        return ""
    first, last = (f"{float(part):.2g}" for part in (min(parts), max(parts)))
    return (
        f"the replica moves {first} of the job's bytes in one phase and {last} in another, which has no more requests "
        "to leave out: what that one gains counts too much"
    )


def _processes(platform: Platform, workload: Characteristics) -> int:
    known = [v for v in platform.training.get("io_processes", ()) if isinstance(v, int)]
    return max(known) if known else workload.processes


def _part(made: Characteristics, whole: Characteristics) -> Fraction:
    return Fraction(made.total_bytes, whole.total_bytes)


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
