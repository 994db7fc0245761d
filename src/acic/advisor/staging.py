"""Staging out: results on disks that are lost with their machines are copied to where they last."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform
from acic.prior import Prior, prior_of
from acic.prior.systems import Systems
from acic.workloads import Operation, Workload

Floats = NDArray[np.float64]


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

    def seconds(self, results: int, *, own: bool) -> Floats:
        """Return the s that copying `results` B takes after a run, shape (candidates,); 0 where they last anyway.

        `own` is whether each process wrote files of its own.
        """
        if not results or self.prior is None or self.systems is None:
            return np.zeros(len(self.lost))
        return np.where(self.lost, self.prior.staging(results, self.systems, own=own), 0.0)


def staging_of(platform: Platform, points: NDArray[np.int8]) -> Staging:
    """Return how the candidates `points`, shape (candidates, parameters), hand over results."""
    prior = prior_of(platform)
    configurations = [platform.space.configuration(point) for point in points]
    lost = np.array([platform.stages_out(one) for one in configurations])
    if prior is None or not math.isfinite(prior.facts.archive):
        return Staging(None, None, lost)
    return Staging(prior, prior.systems(configurations), lost)


def own_files(workload: Workload) -> bool:
    """Return whether each process wrote files of its own."""
    writes = [phase.characteristics for phase in workload.phases if phase.characteristics.operation is Operation.WRITE]
    return bool(writes) and all(not one.shared and one.io_processes == one.processes for one in writes)
