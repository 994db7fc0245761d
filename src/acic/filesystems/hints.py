"""Hints for MPI-IO: those that every mount through FUSE needs, and how they reach a program."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

NO_SIEVING: Mapping[str, str] = MappingProxyType({"romio_ds_write": "disable", "romio_ds_read": "disable"})
"""Data sieving of independent strided writes reads, changes and writes back blocks without a lock that holds between
nodes: other processes' bytes are lost in silence (docs/filesystems.md)."""

HINTS_VARIABLE = "ROMIO_HINTS"
"""Names the file of hints that ROMIO reads. What is measured never takes over that of the user: the hints of an answer,
exported as acic tells, would be in force for every configuration that has none of its own."""

BY_ROMIO: Mapping[str, str] = MappingProxyType({"OMPI_MCA_io": "^ompio"})
"""What has Open MPI do MPI-IO by its ROMIO (romio321 in 4.1, romio341 in 5): its own, OMPIO, does not read ROMIO_HINTS,
and says nothing. Other MPIs do not know the variable."""


def romio_hints(hints: Mapping[str, str]) -> str:
    """Return the text of a file of hints as ROMIO reads it (ROMIO_HINTS): a name and its value on each line."""
    return "".join(f"{name} {value}\n" for name, value in hints.items())


def hints_environment(file: Path) -> dict[str, str]:
    """Return the variables by which MPI-IO takes the hints in `file`; what the user set for Open MPI holds."""
    return {HINTS_VARIABLE: str(file), **{name: os.environ.get(name, value) for name, value in BY_ROMIO.items()}}
