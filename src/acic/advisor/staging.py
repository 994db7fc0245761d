"""Staging out: results on disks that are lost with their machines are copied to where they last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform
from acic.prior import Prior, Results, prior_of
from acic.prior.systems import Systems
from acic.units import format_bytes
from acic.workloads import Operation, Phase, Workload

Floats = NDArray[np.float64]

_ALIKE = 1.01  # times what a job writes: a size that people tell is rounded


@dataclass(frozen=True, slots=True)
class Staging:
    """How candidates hand over what must outlive a run; by what hardware and file systems are, whatever model predicts.

    Args:
        prior: of their platform; None where nothing is counted, because its file tells no archive or no hardware.
        systems: the candidates.
        lost: which of them lose results with their machines, shape (candidates,).
    """

    prior: Prior | None
    systems: Systems | None
    lost: NDArray[np.bool_]

    def seconds(self, results: Results) -> Floats:
        """Return the s that copying `results` takes after a run, shape (candidates,); 0 where they last anyway."""
        if not results.size or self.prior is None or self.systems is None:
            return np.zeros(len(self.lost))
        return np.where(self.lost, self.prior.staging(results, self.systems), 0.0)


def staging_of(platform: Platform, points: NDArray[np.int8]) -> Staging:
    """Return how the candidates `points`, shape (candidates, parameters), hand over results."""
    prior = prior_of(platform)
    configurations = [platform.space.configuration(point) for point in points]
    lost = np.array([platform.stages_out(one) for one in configurations])
    if prior is None or not math.isfinite(prior.facts.archive):
        return Staging(None, None, lost)
    return Staging(prior, prior.systems(configurations), lost)


def more_than_written(workload: Workload, size: int) -> list[str]:
    """Return that `size` B of results are more than a job is known to write; nothing where they are not.

    They are charged all the same: who was asked may know of files that the log lacks, as what is mapped into memory.
    """
    written = sum(phase.bytes for phase in _writes(workload.phases))
    if not workload.complete or size <= written * _ALIKE:
        return []
    known = f"the {format_bytes(written)} that the job is known to write"
    return [f"--results tells {format_bytes(size)}, more than {known}."]


def results_of(phases: Sequence[Phase], size: int) -> Results:
    """Return `size` B of results of a run: of what its phases wrote, in as many files for each byte."""
    writes = _writes(phases)
    doing = [phase.characteristics for phase in writes]
    written = sum(phase.bytes for phase in writes)
    files = max(1, round(sum(phase.files for phase in writes) * min(1.0, size / written))) if written else 1
    own = bool(doing) and all(not one.shared and one.io_processes == one.processes for one in doing)
    return Results(size=size, files=files, own=own, one=own and files <= doing[0].processes)


def _writes(phases: Sequence[Phase]) -> list[Phase]:
    return [phase for phase in phases if phase.characteristics.operation is Operation.WRITE]
