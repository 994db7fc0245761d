"""Characterise: from a Darshan log to a workload."""

from __future__ import annotations

import os.path
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path

from acic.errors import UnreadableInput
from acic.workloads.columns import PAUSE
from acic.workloads.darshan import Log, read_log, renamed, within
from acic.workloads.empty import empty_files, told_of
from acic.workloads.evidence import Evidence
from acic.workloads.groups import groups
from acic.workloads.layers import layers
from acic.workloads.lone import unmerged
from acic.workloads.notes import layouts, modules_missing, notes, places
from acic.workloads.pauses import idle
from acic.workloads.phases import Draft, draft, mirror, phase
from acic.workloads.spells import Spells, counted_twice
from acic.workloads.substitutes import substitutes
from acic.workloads.tables import lacks_counters, tables, tells_nothing
from acic.workloads.timing import merged
from acic.workloads.unseen import mapped_by_several, uncounted
from acic.workloads.workload import DARSHAN, Workload


def characterize_file(path: Path | str, *, partial: bool = False, only: str = "") -> Workload:
    """Return the workload that the Darshan log at `path` tells of.

    Args:
        path: of the log.
        partial: leave out modules that are damaged, with a note, instead of refusing the log.
        only: a directory, as the job saw it: files elsewhere are left out, so that their time counts as computing. One
            that was renamed lies where its last name is.

    Raises:
        UnreadableInput: there is no such file, it is no whole Darshan log, or nothing whole is left of it.
        InvalidInput: `only` is no absolute path.
        MissingData: no file of the log lies below `only`.
    """
    log = read_log(path, partial=partial)
    if tells_nothing(log):
        raise UnreadableInput(
            f"cannot read {path}: none of its modules that count I/O ({', '.join(log.lost)}) could be read",
            hint="copy it again from where Darshan wrote it, or run the job again" if partial else "use a newer acic",
        )
    log = renamed(log)  # all of it, as a file may have been renamed into `only`, or out of it
    if not only or (part := within(log, only)) is log:
        return _characterized(log)
    found = _characterized(part)
    note = f"Files that do not lie below {only} are left out: the time in their I/O counts as computing."
    return replace(found, notes=(*found.notes, note))


def characterize(log: Log) -> Workload:
    """Return the workload that a Darshan log tells of: a phase for each direction of each group of alike files.

    The phase with the most bytes is first, of as many the one that began first.
    """
    return _characterized(renamed(log))


def _characterized(log: Log) -> Workload:
    """Return the workload of a log whose files have their last names."""
    found = tables(log)
    if log.dxt or log.heatmaps:
        found |= substitutes(log, found)
    found = unmerged(found, log.job.processes)
    evidence = Evidence(log, found)
    processes, seconds = log.job.processes, log.job.run_seconds
    drafts = [draft(group, evidence) for requests in layers(found) for group in groups(requests, processes, log.names)]
    drafts = _mirrored(drafts)
    apart = sum([one.timing.seconds for one in drafts])
    _split_overlap(drafts)
    _pause(drafts)
    phases = [phase(one, evidence) for one in sorted(drafts, key=lambda one: (-one.group.bytes, _began(one)))]
    empty = empty_files(found, processes)
    slowest = apart - counted_twice([one.timing.spells for one in drafts])
    waiting = max(0.0, min(slowest, sum([one.seconds or 0.0 for one in phases]))) + empty.seconds
    phases = told_of(empty, phases, seconds)
    unseen = [*uncounted(found)]
    known = seconds > 0 and not lacks_counters(log) and all(one.seconds is not None for one in phases)
    return Workload(
        name=_name(log),
        processes=processes,
        phases=tuple(phases),
        run_seconds=seconds if seconds > 0 else None,
        io_share=min(1.0, waiting / seconds) if known else None,
        source=f"{DARSHAN} {log.job.log_version} log",
        notes=(
            *notes(log, drafts, empty.seconds, evidence.damaged),
            *unseen,
            *places(phases),
            *dict.fromkeys(layouts(phases)),
        ),
        complete=not (log.notes or any(modules_missing(log)) or unseen or mapped_by_several(log)),
    )


def _mirrored(drafts: list[Draft]) -> list[Draft]:
    """Return the drafts, each helped by the one of the same files and the other direction."""
    if all(one.certain for one in drafts) or not any(one.tells for one in drafts):
        return drafts
    others = {(one.group.table.name, one.group.files[0], one.group.direction): one for one in drafts}
    found = []
    for one in drafts:
        other = others.get((one.group.table.name, one.group.files[0], 1 - one.group.direction))
        found.append(one if other is None else mirror(one, other))
    return found


def _split_overlap(drafts: list[Draft]) -> None:
    """Split the time in which several phases are active between them."""
    timings = [one.timing for one in drafts if one.timing.busy is not None]
    if len(timings) < 2:
        return
    busy = sorted([one.busy for one in timings if one.busy is not None], key=lambda one: one.starts[0])
    if not [1 for a, b in pairwise(busy) if a.ends[-1] > b.starts[0]]:
        return
    starts, ends = [*chain(*[one.starts for one in busy])], [*chain(*[one.ends for one in busy])]
    alone = sum(ends) - sum(starts)
    share = merged(starts, ends).seconds / alone if alone else 1.0
    for timing in timings:
        timing.seconds *= share


def _pause(drafts: list[Draft]) -> None:
    """Tell how long processes stay away from each one's files, where no trace tells it."""
    every: list[Spells] = []
    for one in drafts:
        group, found = one.group, one.iterations
        measured = found.pause is not None and found.by != "heat map"  # whose empty bins are shorter than a pause
        if measured or group.calls <= one.processes or group.spans:
            continue
        least = PAUSE * (found.count - 1 or group.calls / one.processes - 1)
        mine = one.timing.spells
        if max(mine.last) - min(mine.first) <= least:
            continue
        every = every or [other.timing.spells.apart() for other in drafts]
        if (away := idle(mine, every, group.processes)) > least:
            found.pause = away / max(1, found.count - 1)


def _began(one: Draft) -> float:
    """Return when the first request of a draft began, s since the job did; 0 where nothing tells."""
    return min(one.timing.spells.first, default=0.0)


def _name(log: Log) -> str:
    program = os.path.basename(log.job.exe.partition(" ")[0])
    return program if program and not program.isdigit() else log.path.name.removesuffix(".darshan")
