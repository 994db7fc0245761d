"""What bytes hang on: answers that are right for some jobs alone, or that lose what they write with their machines."""

from __future__ import annotations

from collections.abc import Sequence

from acic.units import format_bytes
from acic.workloads import Operation, Phase, Workload


def one_writer(ranks: Sequence[int], workload: Workload) -> tuple[str, ...]:
    """Return what the reader must know of the answers of those ranks, which have `single_writer`; none for none."""
    if not ranks:
        return ()
    files = "each file that the job reads was written by one process"
    if _writes(workload):
        files = "each file that the job writes is written by one process, as here, and each that it reads was, too"
    return (f"{_these(ranks)} what is safe only while {files}: where several wrote one, other bytes came back.",)


def lost(ranks: Sequence[int], workload: Workload, *, counted: bool) -> tuple[str, ...]:
    """Return what the reader must know of the answers of those ranks, which have `stages_out`, with no results told.

    Args:
        ranks: of the answers.
        workload: what the application does; one that writes nothing loses nothing, but has to find its input there.
        counted: whether copying results counts once it is told what must last.
    """
    if not ranks:
        return ()
    disks = f"{_these(ranks)} what keeps files on disks that are lost with their machines."
    if not (writes := _writes(workload)):
        return (f"{disks} The job writes nothing: what it reads has to be copied there first, which is not counted.",)
    remedy = " Tell what must last by --results SIZE." if counted else ""
    written = format_bytes(sum(phase.bytes for phase in writes))
    return (f"{disks} Copying results is not counted: the job writes {written}.{remedy}",)


def _these(ranks: Sequence[int]) -> str:
    many = ", ".join(map(str, ranks))
    return f"Answer {many} is, or ties with," if len(ranks) == 1 else f"Answers {many} are, or tie with,"


def _writes(workload: Workload) -> list[Phase]:
    return [phase for phase in workload.phases if phase.characteristics.operation is Operation.WRITE]
