"""Inputs: what nobody but the user knows of files that are there before a run."""

from __future__ import annotations

from dataclasses import replace

from acic.workloads.workload import Operation, Phase, Workload


def with_input_writers(workload: Workload, writers: int) -> Workload:
    """Return `workload`, whose phases that read tell how many processes wrote each of their files, where they did not.

    It is no matter for files that the run itself wrote.

    Args:
        workload: what the application does.
        writers: processes that wrote each file, a part of it each; 1 changes nothing.
    """
    if writers == 1:
        return workload
    return replace(workload, phases=tuple(_told(phase, writers) for phase in workload.phases))


def _told(phase: Phase, writers: int) -> Phase:
    if phase.characteristics.operation is not Operation.READ or "input_writers" in phase.details:
        return phase
    return replace(phase, details={**phase.details, "input_writers": float(writers)})
