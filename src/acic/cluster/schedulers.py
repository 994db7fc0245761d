"""The batch schedulers, by name: those that PSI/J alone does not do for have modules of their own."""

from __future__ import annotations

from acic.cluster.directives import Request
from acic.cluster.lsf import Lsf
from acic.cluster.pbs import Pbs
from acic.cluster.scheduler import Scheduler
from acic.cluster.slurm import Slurm, cluster_of


def open_scheduler(name: str, request: Request, patience: float) -> Scheduler:
    """Return the scheduler that PSI/J calls `name`, for jobs of this `request`; s to wait for its answers.

    Raises:
        MissingData: PSI/J is not installed.
        InvalidInput: there is no such batch scheduler, or none whose jobs can be followed.
    """
    match name:
        case "slurm":
            return Slurm(name, patience, cluster_of(request.attributes))
        case "pbs":
            return Pbs(name, patience)
        case "lsf":
            return Lsf(name, patience)
        case _:
            return Scheduler(name, patience)
