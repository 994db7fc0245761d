"""MPI-IO hints that every mount through FUSE needs."""

from collections.abc import Mapping
from types import MappingProxyType

NO_SIEVING: Mapping[str, str] = MappingProxyType({"romio_ds_write": "disable", "romio_ds_read": "disable"})
"""Data sieving of independent strided writes reads, changes and writes back blocks without a lock that holds between
nodes: other processes' bytes are lost in silence (docs/filesystems.md)."""
