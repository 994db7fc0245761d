"""Which runs to check: read back, and compared byte by byte."""

from __future__ import annotations

from collections.abc import Collection

from acic.campaign.state import Progress
from acic.space import Configuration
from acic.workloads import Interface, Operation

_SIEVING = (Interface.MPIIO, Interface.HDF5, Interface.PNETCDF)


def worth_checking(progress: Progress, *, share: float, seen: Collection[Configuration]) -> bool:
    """Return whether to check the next run of a point: a share of the points, and where ROMIO is known to lose bytes.

    Independent MPI-IO to one file goes through data sieving, which reads, changes and writes back what lies between;
    without working locks others' bytes are lost. So the first such write of a configuration is always checked.

    Args:
        progress: the point.
        share: of the points; 0 for none at all.
        seen: configurations that were run before.
    """
    if progress.attempts or not share:
        return False
    w = progress.point.workload
    sieved = w.interface in _SIEVING and w.shared and not w.collective and w.operation is Operation.WRITE
    return progress.number % max(1, round(1 / share)) == 0 or (sieved and progress.point.configuration not in seen)
