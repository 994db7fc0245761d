"""What bytes hang on: answers right for some jobs alone, or that show them late, or lose them with their machines."""

from __future__ import annotations

from collections.abc import Sequence

from acic.advisor.knowledge import KIND
from acic.advisor.safety import STALE, follows
from acic.advisor.temporary import size_of
from acic.platforms import Platform
from acic.units import format_bytes
from acic.workloads import Operation, Phase, Workload

_SLIGHT = 0.01  # of what a job moves: less is its settings, as a rule


def one_writer(ranks: Sequence[int], workload: Workload) -> tuple[str, ...]:
    """Return what the reader must know of the answers of those ranks, which have `single_writer`; none for none."""
    if not ranks:
        return ()
    files = "each file that the job reads was written by one process"
    if _writes(workload):
        here = ", as here" if workload.processes > 1 else ""  # a log of one process may be one of many of the job
        files = f"each file that the job writes is written by one process{here}, and each that it reads was, too"
    told = f"{_these(ranks)} what is safe only while {files}: where several wrote one, other bytes came back."
    if writers := _input_writers(workload):
        told += f" Of its input {writers} did: copy it there by one process a file, or take another answer."
    return (told,)


def lost(ranks: Sequence[int], workload: Workload, *, results: bool, counted: bool) -> tuple[str, ...]:
    """Return what the reader must know of the answers of those ranks, which have `stages_out`; none for nothing.

    Args:
        ranks: of the answers.
        workload: what the application does; one that writes nothing loses nothing, but has to find its input there.
        results: whether it was told what must last.
        counted: whether copying that counts once it is told.
    """
    told = []
    if (writes := _writes(workload)) and not results:
        remedy = " Tell what must last by --results SIZE." if counted else ""
        written = format_bytes(sum(phase.bytes for phase in writes))
        told.append(f"Copying results is not counted: the job writes {written}.{remedy}")
    if size := input_size(workload):
        told.append(
            f"Copying input there first is never counted: the job reads {format_bytes(size)} that it did not write."
        )
    disks = f"{_these(ranks)} what keeps files on disks that are lost with their machines."
    return (" ".join([disks, *told]),) if ranks and told else ()


def stale(ranks: Sequence[int], workload: Workload) -> tuple[str, ...]:
    """Return what the reader must know of the answers of those ranks, which are of a `STALE` file system."""
    if not ranks or not follows(workload):
        return ()
    return (f"{_these(ranks)} {_late(workload)} See that it works before you rely on it.",)


def left_out(workload: Workload, platform: Platform) -> tuple[str, ...]:
    """Return why what is `STALE` is left out, for a workload that `follows` files that grow; none where nothing is."""
    kinds = platform.space[KIND].values if KIND in platform.space.names else ()
    if not follows(workload) or not set(STALE).intersection(kinds) or platform.baseline.get(KIND) in STALE:
        return ()
    return (
        f"Left out is {_late(workload)} If it does not, tell read_while_written = false in a workload file "
        "(acic characterize LOG --output FILE).",
    )


def _late(workload: Workload) -> str:
    grown = [phase for phase in workload.phases if phase.details.get("read_while_written") is True]
    files = sum(phase.files for phase in grown)
    read = "a file" if files == 1 else f"{files} files"
    named = f" ({grown[0].example})" if grown[0].example else ""
    return (
        f"{' or '.join(STALE)}, whose clients go on with the size of an open file that others append to: what lies "
        f"behind is read as nothing. The job seems to read {read}{named} while others write."
    )


def input_size(workload: Workload) -> float:
    """Return how much a job reads of files that it did not write, B; 0 where that is nothing to speak of."""
    written = {phase.example for phase in _writes(workload)}
    reads = (phase for phase in workload.phases if phase.characteristics.operation is Operation.READ)
    brought = (one for one in reads if one.example not in written and one.details.get("written_by_others") is not True)
    size = sum(map(size_of, brought))
    return size if size > _SLIGHT * sum(phase.bytes for phase in workload.phases) else 0.0


def _these(ranks: Sequence[int]) -> str:
    many = ", ".join(map(str, ranks))
    return f"Answer {many} is, or ties with," if len(ranks) == 1 else f"Answers {many} are, or tie with,"


def _input_writers(workload: Workload) -> int:
    """Return how many processes wrote a file of the job's input, as its user tells; 0 where it is one, or not told."""
    found = [float(phase.details.get("input_writers", 1.0)) for phase in workload.phases]
    return round(max(found, default=1.0)) if max(found, default=1.0) > 1.0 else 0


def _writes(workload: Workload) -> list[Phase]:
    return [phase for phase in workload.phases if phase.characteristics.operation is Operation.WRITE]
