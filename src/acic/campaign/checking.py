"""Which runs to check: read back, and compared byte by byte."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction

from acic.campaign.state import Progress
from acic.space import Configuration
from acic.workloads import Characteristics, Interface, Operation

_SIEVING = (Interface.MPIIO, Interface.HDF5, Interface.PNETCDF)


def worth_checking(progress: Progress, *, share: float, checked: Collection[Configuration]) -> bool:
    """Return whether to check the next run of a point: a share of the points, and where ROMIO is known to lose bytes.

    A point is checked once, as soon as it can be; the first write of a configuration that `is_sieved` always.

    Args:
        progress: the point.
        share: of the points; 0 for none at all.
        checked: configurations of which such a write was read back, and was right.
    """
    if any(attempt.verified for attempt in progress.attempts) or not share:
        return False
    unknown = progress.point.configuration not in checked
    return _is_drawn(progress.number, share) or (unknown and is_sieved(progress.point.workload))


def is_sieved(workload: Characteristics) -> bool:
    """Return whether it is an independent MPI-IO write to one file.

    It goes through data sieving, which reads, changes and writes back what lies between; without working locks others'
    bytes are lost.
    """
    shared = workload.interface in _SIEVING and workload.shared
    return shared and not workload.collective and workload.operation is Operation.WRITE


def _is_drawn(number: int, share: float) -> bool:
    """Return whether a point is one of those checked: the first, and of the first n points a share, rounded up."""
    exactly = Fraction(str(share))  # as it was typed: of 10 points 0.1 is one, whatever floats make of it
    return math.ceil((number + 1) * exactly) > math.ceil(number * exactly)
