"""Which runs to check: read back, and compared byte by byte."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction

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
    return _is_drawn(progress.number, share) or (sieved and progress.point.configuration not in seen)


def _is_drawn(number: int, share: float) -> bool:
    """Return whether a point is one of those checked: the first, and of the first n points a share, rounded up."""
    exactly = Fraction(str(share))  # as it was typed: of 10 points 0.1 is one, whatever floats make of it
    return math.ceil((number + 1) * exactly) > math.ceil(number * exactly)
