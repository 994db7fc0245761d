"""Data sieving: where an answer puts bytes at risk by it, and what is predicted of its hints.

ROMIO sieves calls of several pieces alone, as file views make them: it reads what lies between the pieces, changes it
and writes it back. Source: MPICH's ROMIO, mpi-io/write.c and adio/common/ad_write_coll.c, ad_write_str.c, as of 2025.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from acic.advisor.advice import Recommendation
from acic.space import Value
from acic.units import format_setting
from acic.workloads import Interface, Operation, Phase, Workload

_HINTS = ("romio_ds_", "ind_")
_LIBRARIES = (Interface.HDF5, Interface.PNETCDF)  # they set views, of which logs tell nothing


def put_at_risk(
    answers: Sequence[Recommendation], baseline: Mapping[str, Value], workload: Workload
) -> tuple[str, ...]:
    """Return what the reader must know of answers that have writes sieved, and the baseline has not; none for none."""
    writes = [one for one in workload.phases if one.characteristics.written_by_several and _in_pieces(one)]
    ranks = [
        one.rank
        for one in answers
        if any(_sieves(one.configuration, phase) and not _sieves(baseline, phase) for phase in writes)
    ]
    if not ranks:
        return ()
    which = f"Answer{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"
    return (
        f"{which}: where one call of this job writes several pieces (file views), MPI-IO then reads, changes and "
        "writes back what lies between them (data sieving). That loses bytes of other processes where locks do not "
        "hold between machines, as on NFS without locks and Lustre mounted with localflock, and no benchmark checks "
        "it: compare what the job writes, or set romio_ds_write disable too.",
    )


def by_chance(answer: Mapping[str, Value], baseline: Mapping[str, Value], workload: Workload) -> list[str]:
    """Return what the reader must know of an answer that sets hints of data sieving: no benchmark makes such calls."""
    changed = [name for name, value in answer.items() if name.startswith(_HINTS) and value != baseline.get(name)]
    if not changed:
        return []
    if any(map(_in_pieces, workload.phases)):
        remedy = "Runs of the application itself would tell: acic verify LOG -- COMMAND."
    else:
        applies = [name for name in changed if name in baseline]  # what it has not, it cannot keep
        keep = (f"--keep {shlex.quote(f'{name}={format_setting(name, baseline[name])}')}" for name in applies)
        remedy = "Nor is this job known to" + (f": {' '.join(keep)} leaves it out." if applies else ".")
    return [
        f"{', '.join(changed)}: data sieving acts on calls of several pieces alone (file views). No benchmark makes "
        f"such calls, so that what is predicted of it is chance. {remedy}"
    ]


def is_off(configuration: Mapping[str, Value], hint: str) -> bool:
    """Return whether a configuration turns a hint off; ROMIO takes "DISABLE", too."""
    return str(configuration.get(hint)).lower() == "disable"


def _in_pieces(phase: Phase) -> bool:
    """Return whether calls of a phase may be of several pieces, as far as is told."""
    interface = phase.characteristics.interface
    return interface in _LIBRARIES or (interface.on_mpi_io and phase.details.get("file_views") is True)


def _sieves(configuration: Mapping[str, Value], phase: Phase) -> bool:
    """Return whether ROMIO sieves the writes of a phase: those that no aggregators make."""
    own = phase.characteristics
    alone = not own.collective or is_off(configuration, "romio_cb_write")
    return own.operation is Operation.WRITE and alone and not is_off(configuration, "romio_ds_write")
