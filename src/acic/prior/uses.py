"""What is known of how a workload is run, beside its nine characteristics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from acic.prior.designs import BUFFERED
from acic.workloads import Characteristics, Interface, Operation, Phase, Workload

_ALIKE = 0.01  # by which the bytes of two phases that are alike may differ
_BY_NAME = (Interface.POSIX, Interface.STDIO, Interface.MPIIO)
_WAITING = 0.5  # of the time in I/O, of processes that copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What the nine characteristics leave open.

    Args:
        files: that are opened in all; None: one shared one, or one for each I/O process.
        syncs: fsync calls of all processes; None: one at the end of each, as benchmarks are run with.
        pauses: between iterations, in which what was written can go on to where it lasts.
        pause: s of each.
        returns: how often processes are known to come back from computing; None: as often as they pause.
        own: whether what is read was written before by the same processes of the same run.
        reopened: whether its files were closed in between, so that clients ask the servers again.
        gathered: whether collective calls go through aggregators (two-phase I/O). ROMIO sees to that where processes'
            parts of a call interleave; those of a benchmark are one piece each, in the order of ranks.
        elsewhere: s that its run computes, where it has several phases.
        overlap: how far some processes read, or write between pauses, while others compute: 0 (all wait for one
            another) to 1.
        over: how often each byte of its files is moved; below 1.0 where parts of them are not.
        apart: how far the ranks that do I/O lie apart, 1.0 where one follows the other.
        contiguous: whether what a process moves of a shared file is one part of it over all iterations; else each
            iteration has parts of all processes, as the segments of a benchmark.
        others: whether what is read other processes of the run wrote.
        copied: whether each process reads as much as it writes elsewhere, by turns.
        made, asked, renamed, removed: what is done to names: empty files and folders that are made, those that are
            looked at, files and folders that get another name, and those that go.
        names_by: processes that do that, all as much; None: those that do I/O.
        opens: beyond those that files and processes have to be opened.
        openers: processes that open each shared file together; None: those that do I/O.
        writers: processes that wrote each of the files that it finds, a part of each.
        jumps: how often processes go on to read elsewhere in a file than where they were.
        laid: B of the requests that wrote what it reads, where the same processes did; 0: that is not known.
        handed: files that it reads which others synced and then gave another name.
    """

    files: int | None = None
    syncs: int | None = None
    pauses: int = 0
    pause: float = 0.0
    returns: int | None = None
    own: bool = False
    reopened: bool = False
    gathered: bool = False
    elsewhere: float = 0.0
    overlap: float = 0.0
    over: float = 1.0
    apart: float = 1.0
    contiguous: bool = False
    others: bool = False
    copied: bool = False
    made: int = 0
    asked: int = 0
    renamed: int = 0
    removed: int = 0
    names_by: float | None = None
    opens: int = 0
    openers: int | None = None
    writers: float = 1.0
    jumps: int = 0
    laid: int = 0
    handed: int = 0


BENCHMARK = Use()
UNLIKE = 0.25  # of what benchmarks taught, where an application does otherwise (docs/decisions/0010-default-model.md)
APART = 0.35  # of the logarithm, 80 % of the errors that applications add to benchmarks' there (the same)
APART_ALIKE = 0.2  # on the baseline's own file system, whose errors are the baseline's too (the same)


def likeness(use: Use) -> float:
    """Return how much of the prior's errors on benchmarks is taken to be its error here too, 0 to 1.

    Benchmarks sync what they wrote, do not pause, read what others made, and make no calls whose parts interleave.
    Their readers begin together and then wait for one another; a log does not tell that, so what it has read is unlike.
    """
    synced = use.syncs is None or use.syncs > 0
    paused = use.pauses > 0 and use.pause > 0
    alike = synced and not paused and not use.own and not use.gathered and use.files is None
    return 1.0 if alike else UNLIKE


def uses_of(workload: Workload) -> list[Use]:
    """Return what is known of each phase beside its characteristics: a log tells it all, a description need not.

    A phase reads what its run wrote if a log says so, if another wrote as many bytes to the same files, or if it reads
    a whole number of times as many: scratch files are written once and read in each iteration.
    """
    elsewhere = _computing(workload) if len(workload.phases) > 1 else 0.0
    found = []
    for phase in workload.phases:
        reads = phase.characteristics.operation is Operation.READ
        other = _writing(phase, workload.phases) if reads and phase.example else None
        own = reads and phase.details.get("written_before") is True
        own = own or (other is not None and _whole_times(phase.bytes, other.bytes))
        again = reads and (_opened_again(phase) or (own and phase.details.get("written_by_others") is True))
        copied = any(_copies(phase, one) for one in workload.phases)
        opens = _more_opens(phase, workload.phases)
        laid = _laid(other.characteristics) if own and other else 0
        told = replace(_use_of(phase), own=own, reopened=again, elsewhere=elsewhere, copied=copied, opens=opens)
        found.append(replace(told, laid=laid, handed=_handed(phase, other) if other else 0))
    return found


def _laid(c: Characteristics) -> int:
    """Return the B of the requests that reach the file system: the C library writes whole buffers."""
    return BUFFERED if c.interface is Interface.STDIO else c.request_size


def _handed(phase: Phase, other: Phase) -> int:
    """Return how many files of a phase those who wrote them, in the other, synced and then gave another name."""
    if phase.details.get("written_by_others") is not True:
        return 0
    return min(phase.files, round(_number(other, "syncs")), round(_number(other, "renames")))


def _more_opens(phase: Phase, phases: Sequence[Phase]) -> int:
    """Return how often files are opened beyond once for each direction, told of one phase of those that use them."""
    alike = [one for one in phases if _names(one) == _names(phase)] if phase.example else [phase]
    if phase is not alike[0] or phase.characteristics.interface not in _BY_NAME:
        return 0
    least = sum(_opened_once(one) for one in alike)
    return max(0, round(_number(phase, "opens")) - least)


def _opened_once(phase: Phase) -> int:
    """Return how often the files of a phase are opened at least: each by one process, or shared ones by all."""
    c, openers = phase.characteristics, _openers(phase) or phase.characteristics.io_processes
    return max(phase.files, openers * min(phase.files, c.iterations)) if c.shared else phase.files


def _openers(phase: Phase) -> int | None:
    """Return how many processes open each shared file together by MPI-IO; None if only those that move something do.

    More opens than there are processes are those of a file that is opened again.
    """
    c, each = phase.characteristics, round(_number(phase, "opens") / phase.files)
    return each if c.shared and c.interface is Interface.MPIIO and c.io_processes < each <= c.processes else None


def _writing(phase: Phase, phases: Sequence[Phase]) -> Phase | None:
    """Return the phase that wrote what one reads: in the same way, unless a log says that others did."""
    same = _names if phase.details.get("written_by_others") is True else _files
    written = (one for one in phases if one.characteristics.operation is Operation.WRITE)
    return next((one for one in written if same(one) == same(phase)), None)


def _copies(phase: Phase, other: Phase) -> bool:
    """Return whether the same processes read in one phase what they write to other files in the other, by turns."""
    a, b = phase.characteristics, other.characteristics
    return (
        a.operation is not b.operation
        and phase.example != other.example
        and a.io_processes == b.io_processes
        and max(a.iterations, b.iterations) > 1
        and abs(phase.bytes - other.bytes) <= _ALIKE * phase.bytes
        and not (_away(phase) or _away(other))
    )


def _away(phase: Phase) -> bool:
    """Return whether processes pause between their requests, for more than they may wait for one another."""
    pauses, pause = _pauses(phase)
    return pauses * pause > _WAITING * (phase.seconds or 0.0)


def _computing(workload: Workload) -> float:
    """Return the s that a run does not do I/O; 0.0 where that is not known."""
    if workload.run_seconds is None or workload.io_share is None:
        return 0.0
    return workload.run_seconds * (1.0 - workload.io_share)


def _opened_again(phase: Phase) -> bool:
    """Return whether each process opened a file of the phase twice or more: to write it, or to read it before.

    Libraries count what they open within files, which tells nothing of that.
    """
    c = phase.characteristics
    if c.interface not in _BY_NAME:
        return False
    return _number(phase, "opens") >= 2 * (c.io_processes if c.shared else phase.files)


def _whole_times(read: int, written: int) -> bool:
    """Return whether what was written is what is read, once or several times."""
    times = round(read / written) if written else 0
    return times > 0 and abs(times * written - read) <= _ALIKE * written


def _names(phase: Phase) -> tuple[str, int]:
    return phase.example, phase.files


def _files(phase: Phase) -> tuple[str, bool, int, int]:
    return phase.example, phase.characteristics.shared, phase.characteristics.io_processes, phase.files


def _use_of(phase: Phase) -> Use:
    least = 1 if phase.characteristics.shared else phase.characteristics.io_processes
    files = phase.files if phase.files > least else None
    if not phase.details:
        return Use(files=files)
    pauses, pause = _pauses(phase)
    return Use(
        files=files,
        syncs=round(_number(phase, "syncs")),
        pauses=pauses,
        pause=pause,
        returns=0 if pauses >= phase.characteristics.iterations else None,
        gathered=phase.details.get("collective_buffering") is True,
        over=_number(phase, "times_over") or 1.0,
        apart=_number(phase, "ranks_apart") or 1.0,
        contiguous=phase.details.get("contiguous") is True,
        others=phase.details.get("written_by_others") is True,
        made=round(_number(phase, "empty_files")),
        asked=round(_number(phase, "asked_files")),
        renamed=round(_number(phase, "renames")),
        removed=round(_number(phase, "removed_files")),
        names_by=_number(phase, "names_by") or None,
        openers=_openers(phase),
        writers=_number(phase, "input_writers") or 1.0,
        jumps=round(_number(phase, "jumps")),
    )


def _pauses(phase: Phase) -> tuple[int, float]:
    """Return how often each process pauses, and for how many s.

    Where nothing tells iterations apart, but processes are known to be away from a file, each request may be one.
    """
    c = phase.characteristics
    if c.iterations > 1 or not (idle := _number(phase, "idle_seconds")):
        return c.iterations - 1, _number(phase, "pause_seconds")
    count = max(1, math.ceil(c.data_size / c.request_size) - 1)
    return count, idle / count


def _number(phase: Phase, name: str) -> float:
    value = phase.details.get(name, 0.0)
    return 0.0 if isinstance(value, str) else float(value)
