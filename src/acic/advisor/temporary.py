"""Temporary files: what a run writes, reads again, and does not leave among its results is taken to be removed."""

from __future__ import annotations

import math
from dataclasses import replace

from acic.units import format_bytes
from acic.workloads import Operation, Phase, Workload
from acic.workloads.details import names_by

_ROUNDED = 0.05  # of a file, that sizes which people tell are off by


def removing_temporary(workload: Workload, results: int) -> Workload:
    """Return `workload`, whose phases tell how many temporary files it removes, where they did not.

    No log tells which names are removed. But where less must outlive the run than was written, the rest is what it
    wrote for itself: of the files that it reads again the largest first, as many as it reads of them, and whole ones
    alone, as of one that results are in nothing is removed.

    Args:
        workload: what the application does. One that tells of removed files, beside empty ones, tells of all.
        results: B that must outlive the run; 0 where nobody told.
    """
    writes = [phase for phase in workload.phases if phase.characteristics.operation is Operation.WRITE]
    left = sum(map(size_of, writes)) - results
    if not results or left <= 0 or any(map(_told, workload.phases)):
        return workload
    read: dict[str, int] = {}
    for phase in workload.phases:
        if phase.characteristics.operation is Operation.READ and phase.example:  # a description may name no file
            read[phase.example] = max(phase.files, read.get(phase.example, 0))  # of one that two interfaces read, too
    removed: dict[int, int] = {}
    for phase in sorted(writes, key=size_of, reverse=True):
        if phase.example in read and left > 0 and phase.bytes:
            each = size_of(phase) / phase.files
            removed[id(phase)] = min(phase.files, read[phase.example], math.floor(left / each + _ROUNDED))
            left -= removed[id(phase)] * each
    if not any(removed.values()):
        return workload
    phases = tuple(_removing(phase, removed.get(id(phase), 0)) for phase in workload.phases)
    files = sum(removed.values())
    what, are = (f"{files} files", "are") if files > 1 else ("1 file", "is")
    note = (
        f"{what} that the job writes and reads again, but that {are} not among the {format_bytes(results)} of results, "
        f"{are} taken to be temporary, and removed."
    )
    return replace(workload, phases=phases, notes=(*workload.notes, note))


def size_of(phase: Phase) -> float:
    """Return the B that the files of a phase have."""
    return phase.bytes / max(1.0, float(phase.details.get("times_over", 1.0)))


def _told(phase: Phase) -> bool:
    """Return whether a phase tells of removed files beside empty ones, which are locks."""
    return float(phase.details.get("removed_files", 0)) > float(phase.details.get("empty_files", 0))


def _removing(phase: Phase, files: int) -> Phase:
    if not files:
        return phase
    c, before = phase.characteristics, phase.details
    by = 1.0 if c.shared else float(c.io_processes)
    told = {"removed_files": int(before.get("removed_files", 0)) + files, "names_by": names_by(phase, files, by)}
    return replace(phase, details={**before, **told})
