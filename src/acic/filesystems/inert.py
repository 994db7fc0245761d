"""What a job takes no notice of among what a platform chooses: it is neither advised, nor tried by searches.

Source: ROMIO users' guide, hints.
"""

from __future__ import annotations

from collections.abc import Sequence

from acic.platforms import Platform
from acic.workloads import Characteristics

FILES = "files"  # the parameter, and the kind of setting: whether each process writes a file of its own


def inert(platform: Platform, workloads: Sequence[Characteristics]) -> tuple[str, ...]:
    """Return the parameters that make no difference to any of the workloads of a job.

    Hints off MPI-IO, and a file for each process where no processes write one together.
    """
    hints = () if any(one.interface.on_mpi_io for one in workloads) else platform.hints
    known = FILES in platform.apply and FILES in platform.space.names
    return (*hints, FILES) if known and not any(one.written_by_several for one in workloads) else hints
