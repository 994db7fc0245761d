"""What a job takes no notice of among what a platform chooses: it is neither advised, nor tried by searches.

Source: ROMIO users' guide, hints.
"""

from __future__ import annotations

from collections.abc import Sequence

from acic.errors import InvalidInput
from acic.platforms import Platform
from acic.workloads import Characteristics, Operation

FILES = "files"  # the parameter, and the kind of setting: whether each process writes a file of its own
_COLLECTIVE = ("cb_", "romio_cb_")  # collective buffering


def inert(platform: Platform, workloads: Sequence[Characteristics]) -> tuple[str, ...]:
    """Return the parameters that make no difference to any of the workloads of a job.

    Hints off MPI-IO, for reads where it only writes and the other way round, and for collective buffering where no call
    is collective; and a file for each process where no processes write one together.
    """
    hints = tuple(hint for hint in platform.hints if not any(_heeds(one, hint) for one in workloads))
    known = FILES in platform.apply and FILES in platform.space.names
    return (*hints, FILES) if known and not any(one.written_by_several for one in workloads) else hints


def no_difference(platform: Platform) -> InvalidInput:
    """Return what is said, and its remedy, where all that `platform` chooses is inert for a job."""
    return InvalidInput(
        f"nothing that {platform.name} chooses makes a difference to this job",
        hint="give a job that MPI-IO hints can matter to, or whose processes write a file together, or tell "
        "acic of more to choose: acic platform detect --storage DIR --storage DIR, for this machine",
    )


def _heeds(workload: Characteristics, hint: str) -> bool:
    """Return whether the I/O of a workload can depend on a hint."""
    ends, begins = ("_read", "ind_rd_") if workload.operation is Operation.WRITE else ("_write", "ind_wr_")
    other = hint.endswith(ends) or hint.startswith(begins)
    independent = not workload.collective and hint.startswith(_COLLECTIVE)
    return workload.interface.on_mpi_io and not independent and not other
