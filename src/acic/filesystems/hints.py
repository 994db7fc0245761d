"""Hints for MPI-IO: those that every mount through FUSE needs, and how they reach a program."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from acic.space import Value

NO_SIEVING: Mapping[str, str] = MappingProxyType({"romio_ds_write": "disable", "romio_ds_read": "disable"})
"""Data sieving of independent strided writes reads, changes and writes back blocks without a lock that holds between
nodes: other processes' bytes are lost in silence (docs/filesystems.md)."""

HINTS_VARIABLE = "ROMIO_HINTS"
"""Names the file of hints that ROMIO reads. What is measured never takes over that of the user: the hints of an answer,
exported as acic tells, would be in force for every configuration that has none of its own."""

BY_ROMIO: Mapping[str, str] = MappingProxyType({"OMPI_MCA_io": "^ompio"})
"""What has Open MPI do MPI-IO by its ROMIO (romio321 in 4.1, romio341 in 5): its own, OMPIO, does not read ROMIO_HINTS,
and says nothing. Other MPIs do not know the variable."""

ROMIO_DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("romio_cb_read", "romio_cb_write", "romio_ds_read", "romio_ds_write"), "automatic"),
        "cb_buffer_size": "16777216",
        "cb_config_list": "*:1",
        "ind_rd_buffer_size": "4194304",
        "ind_wr_buffer_size": "524288",
        "romio_no_indep_rw": "false",
        "romio_cb_pfr": "disable",
        "romio_cb_fr_alignment": "1",
        "romio_cb_ds_threshold": "0",
        "romio_cb_alltoall": "automatic",
    }
)
"""What ROMIO does where no hint says otherwise, on every file system. Source: MPICH 4.0.2 (2022-04), ROMIO's
adio/common/ad_hints.c and adio/include/adioi.h."""


def hint_text(value: Value) -> str:
    """Return a hint's value as ROMIO reads it: "True" would be ignored without a word (hint_fns.c)."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def done_by_romio(name: str, value: Value, machines: int) -> bool:
    """Return whether a value needs no hint on so many machines, as ROMIO does so by itself.

    Of what is not in `ROMIO_DEFAULTS` nothing is known, so that it is believed; "automatic" always leaves it to ROMIO.
    Of aggregators that takes exactly one on each machine (cb_config_list "*:1"): fewer are not its own doing either.
    """
    if name == "cb_nodes":
        return not isinstance(value, int) or value == machines
    text = hint_text(value).lower()
    return text in ("automatic", ROMIO_DEFAULTS.get(name, text))


def own_variables(*, hinted: bool) -> tuple[str, ...]:
    """Return the variables that a command does not get from whoever calls acic, with hints or without.

    A command without hints does not get what acic tells to export for Open MPI beside them either: that job would be
    another one than in a shell where nothing was exported. Of any other value acic does not know what it is for.
    """
    told = (name for name, value in BY_ROMIO.items() if not hinted and os.environ.get(name) == value)
    return (HINTS_VARIABLE, *told)


def ompio_kept() -> str:
    """Return the setting by which whoever calls acic leaves Open MPI's MPI-IO to OMPIO, "" if there is none.

    Source: Open MPI, MCA selection: "^a,b" rules components out, "a,b" names the only ones.
    """
    (name,) = BY_ROMIO
    value = os.environ.get(name, "")
    named = "ompio" in value.removeprefix("^").split(",")
    return f"{name}={value}" if value and named != value.startswith("^") else ""


def romio_hints(hints: Mapping[str, str]) -> str:
    """Return the text of a file of hints as ROMIO reads it (ROMIO_HINTS): a name and its value on each line."""
    return "".join(f"{name} {value}\n" for name, value in hints.items())


def hints_environment(file: Path) -> dict[str, str]:
    """Return the variables by which MPI-IO takes the hints in `file`; what the user set for Open MPI holds."""
    return {HINTS_VARIABLE: str(file), **{name: os.environ.get(name, value) for name, value in BY_ROMIO.items()}}
