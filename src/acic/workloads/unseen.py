"""Unseen: what Darshan does not count, so that a log may lack bytes that were written, and who wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from acic.units import MIB, format_bytes
from acic.workloads.columns import READ, WRITE
from acic.workloads.darshan import Log
from acic.workloads.tables import Table

_TIMES = 10  # what HDF5 writes over what Darshan counts, from which on it may be more than filling datasets
_METADATA = MIB  # of a file at most, as a rule


def mapped_by_several(log: Log) -> bool:
    """Return whether several processes may have written a file that was mapped into memory: no log tells who only read.

    A record of all processes does not tell which of them mapped it.
    """
    if (module := log.modules.get("POSIX")) is None:
        return False
    records = module.records
    maps = records["POSIX_MMAPS"] > 0
    if not maps.any():
        return False
    mine = np.isin(records["id"], records["id"][maps]) & (maps | (records["POSIX_BYTES_WRITTEN"] > 0))
    users = {*zip(records["id"][mine].tolist(), records["rank"][mine].tolist(), strict=True)}
    return any(rank < 0 for _, rank in users) or len({file for file, _ in users}) < len(users)


def uncounted(tables: Mapping[str, Table]) -> Iterator[str]:
    """Yield how much HDF5 wrote to files of whose datasets Darshan counts but a small part."""
    if (datasets := tables.get("H5D")) is None:
        return
    counted, used = _moved(datasets, WRITE), _moved(datasets, READ)
    below: dict[int, int] = {}
    for name in ("POSIX", "MPI-IO"):  # what POSIX writes for MPI-IO may have been read first
        if (table := tables.get(name)) is not None:
            below |= _moved(table, WRITE)
    more = {
        file: wrote - size
        for file, size in counted.items()
        if (size or used[file]) and (wrote := below.get(file, 0)) > max(_TIMES * size, size + _METADATA)
    }
    if more:
        files = "1 file" if len(more) == 1 else f"{len(more)} files"
        yield (
            f"HDF5 wrote {format_bytes(sum(more.values()))} to {files} beside what Darshan counts of datasets. It does "
            "not count H5Dwrite_multi, H5Dwrite_chunk and asynchronous writes, nor all of what has a variable length: "
            "where the application has such, the phases lack them."
        )


def _moved(table: Table, direction: int) -> dict[int, int]:
    """Return the B that were moved of each file."""
    found = dict.fromkeys(table.file_list, 0)
    for file, size in zip(table.file_list, table.moved(direction), strict=True):
        found[file] += size
    return found
