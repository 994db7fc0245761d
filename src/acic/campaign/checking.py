"""Which runs to check: read back, and compared byte by byte."""

from __future__ import annotations

import math
from collections.abc import Collection
from fractions import Fraction

from acic.campaign.state import Progress
from acic.space import Configuration
from acic.workloads import Characteristics, Interface, Operation

_BY_MPI_IO = (Interface.MPIIO, Interface.HDF5, Interface.PNETCDF)


def worth_checking(progress: Progress, *, share: float, checked: Collection[Configuration]) -> bool:
    """Return whether to check the next run of a point: a share of the points, and where writers share a file.

    A point is checked once, as soon as it can be; the first write of a configuration that `is_shared` always.

    Args:
        progress: the point.
        share: of the points; 0 for none at all.
        checked: configurations of which such a write was read back, and was right.
    """
    if any(attempt.verified for attempt in progress.attempts) or not share:
        return False
    unknown = progress.point.configuration not in checked
    return _is_drawn(progress.number, share) or (unknown and is_shared(progress.point.workload))


def is_shared(workload: Characteristics) -> bool:
    """Return whether it is an independent MPI-IO write to one file, where the file system alone keeps writers apart.

    What a benchmark writes is one piece a call: data sieving, which loses bytes without working locks, is not met.
    """
    shared = workload.interface in _BY_MPI_IO and workload.shared
    return shared and not workload.collective and workload.operation is Operation.WRITE


def _is_drawn(number: int, share: float) -> bool:
    """Return whether a point is one of those checked: the first, and of the first n points a share, rounded up."""
    exactly = Fraction(str(share))  # as it was typed: of 10 points 0.1 is one, whatever floats make of it
    return math.ceil((number + 1) * exactly) > math.ceil(number * exactly)
