"""Older versions of Darshan's modules, read as their newest version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan.counters import LAYOUTS, Layout, names


@dataclass(frozen=True, slots=True)
class Conversion:
    """How to read the records of one version of a module as those of its newest version.

    Args:
        source: the record as it stands in the log.
        target: the newest record.
        blocks: runs of 8-byte words that target and source share: where they are in the one, and in the other.
        blank: a target record with what older versions lack: -1, and 0 for an id.
        same: whether there is nothing to convert.
        swapped: the source in big-endian byte order; None if all its fields are words.
    """

    source: np.dtype[np.void]
    target: np.dtype[np.void]
    blocks: tuple[tuple[slice, slice], ...]
    blank: NDArray[np.int64]
    same: bool
    swapped: np.dtype[np.void] | None


_CLOSE_AND_OPEN = ("F_CLOSE_START_TIMESTAMP", "F_OPEN_END_TIMESTAMP")
_LACKS: dict[tuple[str, int], tuple[str, ...]] = {
    ("POSIX", 3): names("FILENOS DUPS RENAME_SOURCES RENAME_TARGETS RENAMED_FROM"),
    ("POSIX", 2): names("FILENOS DUPS RENAME_SOURCES RENAME_TARGETS RENAMED_FROM", *_CLOSE_AND_OPEN),
    ("POSIX", 1): names("FILENOS DUPS RENAME_SOURCES RENAME_TARGETS RENAMED_FROM", *_CLOSE_AND_OPEN),
    ("MPI-IO", 2): _CLOSE_AND_OPEN,
    ("MPI-IO", 1): _CLOSE_AND_OPEN,
    ("H5F", 2): ("FLUSHES", "USE_MPIIO", "F_META_TIME"),
    ("H5F", 1): ("FLUSHES", "USE_MPIIO", "F_META_TIME", *_CLOSE_AND_OPEN),
    ("H5D", 1): ("file_id",),
    ("STDIO", 1): ("FDOPENS",),
    ("BG/Q", 1): (),
    ("PNETCDF_FILE", 2): names(
        "CREATES OPENS REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN WAIT_FAILURES",
        "F_WAIT_START_TIMESTAMP F_WAIT_END_TIMESTAMP F_META_TIME F_WAIT_TIME",
    ),
    ("PNETCDF_FILE", 1): names(
        "CREATES OPENS REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN WAIT_FAILURES",
        "F_WAIT_START_TIMESTAMP F_WAIT_END_TIMESTAMP F_META_TIME F_WAIT_TIME",
        *_CLOSE_AND_OPEN,
    ),
}
"""What the records of an older version lack, of those of the newest one."""

_IDS = ("file_id", "RENAMED_FROM")

_DROPPED: dict[tuple[str, int], tuple[int, tuple[str, ...]]] = {
    # version 1 of POSIX counted the calls of the C library too
    ("POSIX", 1): (6, ("FOPENS", "FREADS", "FWRITES", "FSEEKS")),
    ("PNETCDF_FILE", 2): (0, ("INDEP_OPENS", "COLL_OPENS")),
    ("PNETCDF_FILE", 1): (0, ("INDEP_OPENS", "COLL_OPENS")),
    ("BG/Q", 1): (0, ("ALIGNMENT",)),
}
"""Counters that only an older version has, and the index of the first of them among its integers."""


def _fields(dtype: np.dtype[np.void]) -> tuple[str, ...]:
    """Return the names of a structured type's fields."""
    return dtype.names or ()


def _blocks(target: Sequence[str], source: Sequence[str]) -> tuple[tuple[slice, slice], ...]:
    """Return the runs of names that stand in both, as slices of the one and of the other."""
    places = {name: i for i, name in enumerate(target)}
    runs: list[tuple[int, int, int]] = []  # length, and ends in target and source
    for i, name in enumerate(source):
        if name not in places:
            continue
        at = places[name]
        length = runs.pop()[0] if runs and runs[-1][1:] == (at, i) else 0
        runs.append((length + 1, at + 1, i + 1))
    return tuple((slice(a - size, a), slice(b - size, b)) for size, a, b in runs)


@cache
def conversion(module: str, version: int) -> Conversion | None:
    """Return how to read `module`'s records of format `version`, or None if that format is unknown."""
    newest = LAYOUTS[module]
    target = newest.dtype()
    if version != newest.version and (module, version) not in _LACKS:
        return None
    lacks = _LACKS.get((module, version), ()) if version != newest.version else ()
    at, dropped = _DROPPED.get((module, version), (0, ())) if version != newest.version else (0, ())
    kept = [name for name in newest.integers if name not in lacks]
    source = Layout(
        prefix=newest.prefix,
        version=version,
        integers=(*kept[:at], *dropped, *kept[at:]),
        floats=tuple(name for name in newest.floats if name not in lacks),
        file_id=newest.file_id and "file_id" not in lacks,
        tail=newest.tail,
    ).dtype()
    blank = np.zeros(1, dtype=target)
    for name in lacks:
        if name not in _IDS:
            blank[f"{newest.prefix}_{name}"] = -1
    return Conversion(
        source=source,
        target=target,
        blocks=_blocks(_fields(target), _fields(source)),
        blank=blank.view(np.int64) if not newest.tail else np.zeros(0, np.int64),
        same=version == newest.version,
        swapped=source.newbyteorder(">") if newest.tail else None,
    )
