"""Layers: which module's counters speak for which file.

HDF5 and PnetCDF call MPI-IO, and MPI-IO calls POSIX, so Darshan sees the same bytes at each level. A file belongs to
the highest interface that the application called for it, and its requests are counted there, and there only:

- HDF5 files at H5D, PnetCDF files at PNETCDF_VAR, the others at MPI-IO, and what is left at POSIX and STDIO.
- A library's file goes down a level (MPI-IO, then POSIX) where its own module recorded no dataset of the file or is
  incomplete. So do HDF5's files of whose datasets it counted no byte: of `H5Dwrite_multi`, `H5Dwrite_chunk` and what
  is asynchronous Darshan counts none. And PnetCDF's where it saw non-blocking requests, which it merges and issues
  later, or where the variables' bytes are not those of the file: Darshan 3.4 and 3.5 count variables of a file for one
  closed before.
- What a library moves below the level that counts (its metadata, data sieving, aggregation) is nobody's request. What
  POSIX reads of a file after MPI-IO's last write of it, and MPI-IO never does, is the application's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass

from acic.workloads.columns import CALLS, FIRST, INTERFACES, LAST, NONBLOCKING, READ, SPLIT, WRITE
from acic.workloads.tables import Table
from acic.workloads.workload import Interface

_SAME = 0.01  # a file's header apart, variables and file hold the same bytes
_LIBRARIES = (("H5D", "H5F", Interface.HDF5), ("PNETCDF_VAR", "PNETCDF_FILE", Interface.PNETCDF))


@dataclass(slots=True)
class Requests:
    """Where the requests of one direction on the files of one interface are counted.

    Args:
        interface: the highest that the application called.
        direction: `READ` or `WRITE`.
        table: of the module that counts them.
        rows: of the table.
    """

    interface: Interface
    direction: int
    table: Table
    rows: list[int]


def layers(tables: Mapping[str, Table]) -> list[Requests]:
    """Return where the requests are counted, each byte that the application moved once."""
    found: list[Requests] = []
    owners = _owners(tables)
    owned = set().union(*owners.values())
    passed_on = _passed_on(tables.get("MPI-IO"), tables.get("POSIX"))
    for direction in (READ, WRITE):
        taken: set[int] = set()
        for name, _, interface in _LIBRARIES:
            if (table := tables.get(name)) is not None and not (table.partial and _lower(tables)):
                below = _unmoved(tables) if name == "H5D" else _counted_below(table, tables.get("MPI-IO"), direction)
                taken |= set(table.file_list) - below
                _add(found, interface, direction, table, without=below)
        for name in ("MPI-IO", "POSIX", "STDIO"):
            if (table := tables.get(name)) is None:
                continue
            for interface, files in owners.items():
                _add(found, interface, direction, table, only=files, without=taken)
            others = owned | passed_on[direction] if name == "POSIX" else owned
            _add(found, INTERFACES[name], direction, table, without=others)
            if owners:
                taken |= set(table.file_list)
    return found


def _lower(tables: Mapping[str, Table]) -> bool:
    return "MPI-IO" in tables or "POSIX" in tables


def _owners(tables: Mapping[str, Table]) -> dict[Interface, set[int]]:
    """Return the files that belong to each library."""
    owners = {}
    for data, file, interface in _LIBRARIES:
        files: set[int] = set()
        for name in (data, file):
            if name in tables:
                files.update(tables[name].file_list)
        if files:
            owners[interface] = files
    return owners


def _passed_on(table: Table | None, lower: Table | None) -> tuple[set[int], set[int]]:
    """Return the files whose reads, and whose writes, MPI-IO passes on to POSIX.

    Reads are MPI-IO's also where it only writes: it reads what surrounds small pieces, to write it back with them. That
    ends with its last write.
    """
    if table is None:
        return set(), set()
    writes, reads = (
        {file for file, row in zip(table.file_list, table.counters, strict=True) if row[CALLS + d]}
        for d in (WRITE, READ)
    )
    return reads | (writes - _read_later(table, lower, writes - reads)), writes


def _read_later(table: Table, lower: Table | None, files: Set[int]) -> set[int]:
    """Return those of the files that MPI-IO writes which POSIX reads only when that is over.

    Of split and non-blocking writes nobody knows when that is: the end of the call that begins them is recorded.
    """
    if lower is None or not files or not any(lower.moved(READ)):
        return set()
    ended: dict[int, float] = {}
    for file, row, times in zip(table.file_list, table.counters, table.times, strict=True):
        if file in files:
            known = times[LAST + WRITE] if not row[SPLIT + WRITE] + row[NONBLOCKING + WRITE] else 0.0
            ended[file] = max(ended.get(file, 0.0), known or math.inf)
    began: dict[int, float] = {}
    for file, moved, times in zip(lower.file_list, lower.moved(READ), lower.times, strict=True):
        if moved and file in ended:
            began[file] = min(began.get(file, math.inf), times[FIRST + READ])
    return {file for file, first in began.items() if first >= ended[file]}


def _unmoved(tables: Mapping[str, Table]) -> set[int]:
    """Return the HDF5 files of whose datasets nothing was counted in either direction, though datasets there are.

    Of others what is moved below in one direction alone are metadata, or chunks that HDF5 reads to write them back.
    """
    table = tables["H5D"]
    moved = zip(table.file_list, table.moved(READ), table.moved(WRITE), strict=True)
    return set(table.file_list) - {file for file, read, written in moved if read or written}


def _counted_below(table: Table, lower: Table | None, direction: int) -> set[int]:
    """Return the PnetCDF files whose requests are better counted at MPI-IO."""
    if lower is None:
        return set()
    files = set(table.file_list) & set(lower.file_list)
    rows = zip(table.file_list, table.counters, strict=True)
    later = {file for file, counters in rows if counters[NONBLOCKING + direction]}
    above, below = _bytes(table, files, direction), _bytes(lower, files, direction)
    if all(abs(above[file] - below[file]) <= _SAME * below[file] for file in files - later):
        return later & files
    return files


def _bytes(table: Table, files: Set[int], direction: int) -> dict[int, int]:
    moved = dict.fromkeys(files, 0)
    for file, count in zip(table.file_list, table.moved(direction), strict=True):
        if file in moved:
            moved[file] += count
    return moved


def _add(
    found: list[Requests],
    interface: Interface,
    direction: int,
    table: Table,
    *,
    only: Set[int] | None = None,
    without: Set[int] = frozenset(),
) -> None:
    files = table.file_list
    if only is None and without.isdisjoint(files):
        rows = [row for row, moved in enumerate(table.moved(direction)) if moved]
    else:
        wanted = (set(files) if only is None else only) - without
        rows = [row for row, file in enumerate(files) if file in wanted]
        if rows:
            moved_by = table.moved(direction)
            rows = [row for row in rows if moved_by[row]]
    if rows:
        found.append(Requests(interface, direction, table, rows))
