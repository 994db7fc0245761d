"""Columns: the counters of any Darshan module under one set of names.

A module that does not have a counter has zeros in its column. Columns that exist for both directions stand side by
side, read first, so that `COLUMN + direction` is the one of a direction (`READ` or `WRITE`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acic.workloads.workload import Interface

READ: Final = 0
WRITE: Final = 1

_INTEGERS = (
    *("READS", "WRITES", "INDEP_READS", "INDEP_WRITES", "COLL_READS", "COLL_WRITES", "SPLIT_READS", "SPLIT_WRITES"),
    *("NB_READS", "NB_WRITES", "BYTES_READ", "BYTES_WRITTEN", "CONSEC_READS", "CONSEC_WRITES"),
    *("SEQ_READS", "SEQ_WRITES", "MAX_BYTE_READ", "MAX_BYTE_WRITTEN"),
    *("RW_SWITCHES", "OPENS", "MODE", "SEEKS", "FSYNCS", "FDSYNCS", "SYNCS", "FILE_NOT_ALIGNED", "VIEWS"),
    *(f"STRIDE{i}_COUNT" for i in (1, 2, 3, 4)),
    *(f"ACCESS{i}_ACCESS" for i in (1, 2, 3, 4)),
    *(f"ACCESS{i}_COUNT" for i in (1, 2, 3, 4)),
    *("USE_MPIIO_COLLECTIVE", "FASTEST_RANK_BYTES", "SLOWEST_RANK_BYTES", "INDEP_WAITS", "COLL_WAITS"),
    *("SLOWEST_RANK", "INDEP_OPENS"),
)
_FLOATS = (
    *("F_READ_TIME", "F_WRITE_TIME", "F_READ_START_TIMESTAMP", "F_WRITE_START_TIMESTAMP"),
    *("F_READ_END_TIMESTAMP", "F_WRITE_END_TIMESTAMP", "F_META_TIME", "F_SLOWEST_RANK_TIME"),
    "F_CLOSE_END_TIMESTAMP",
    *("F_FASTEST_RANK_TIME", "F_VARIANCE_RANK_BYTES"),
)

INTEGERS, FLOATS = len(_INTEGERS), len(_FLOATS)

CALLS = _INTEGERS.index("READS")
INDEPENDENT = _INTEGERS.index("INDEP_READS")
COLLECTIVE = _INTEGERS.index("COLL_READS")
SPLIT = _INTEGERS.index("SPLIT_READS")
NONBLOCKING = _INTEGERS.index("NB_READS")
BYTES = _INTEGERS.index("BYTES_READ")
CONSECUTIVE = _INTEGERS.index("CONSEC_READS")
SEQUENTIAL = _INTEGERS.index("SEQ_READS")
HIGHEST_BYTE = _INTEGERS.index("MAX_BYTE_READ")
SWITCHES = _INTEGERS.index("RW_SWITCHES")
OPENS = _INTEGERS.index("OPENS")
MODE = _INTEGERS.index("MODE")
SEEKS = _INTEGERS.index("SEEKS")
SYNCS = _INTEGERS.index("FSYNCS")  # and the two behind
UNALIGNED = _INTEGERS.index("FILE_NOT_ALIGNED")
VIEWS = _INTEGERS.index("VIEWS")
STRIDES = _INTEGERS.index("STRIDE1_COUNT")  # four
SIZES = _INTEGERS.index("ACCESS1_ACCESS")  # four
COUNTS = _INTEGERS.index("ACCESS1_COUNT")  # four
ASKED_COLLECTIVE = _INTEGERS.index("USE_MPIIO_COLLECTIVE")
FASTEST_BYTES = _INTEGERS.index("FASTEST_RANK_BYTES")
SLOWEST_BYTES = _INTEGERS.index("SLOWEST_RANK_BYTES")
SLOWEST_RANK = _INTEGERS.index("SLOWEST_RANK")
WAITS = _INTEGERS.index("INDEP_WAITS")  # and the one behind
_OPENS_ALONE = _INTEGERS.index("INDEP_OPENS")  # of communicators of one process, which OPENS has the sum with

DIRECTED: Final = (CALLS, INDEPENDENT, COLLECTIVE, SPLIT, NONBLOCKING, BYTES, CONSECUTIVE, SEQUENTIAL, HIGHEST_BYTE)
"""Integer columns that stand for both directions, the one for reads, and that for writes behind it."""

SECONDS = _FLOATS.index("F_READ_TIME")
FIRST = _FLOATS.index("F_READ_START_TIMESTAMP")
LAST = _FLOATS.index("F_READ_END_TIMESTAMP")
META_SECONDS = _FLOATS.index("F_META_TIME")
SLOWEST_SECONDS = _FLOATS.index("F_SLOWEST_RANK_TIME")
CLOSED = _FLOATS.index("F_CLOSE_END_TIMESTAMP")
BYTES_VARIANCE = _FLOATS.index("F_VARIANCE_RANK_BYTES")

INTERFACES = {
    "POSIX": Interface.POSIX,
    "STDIO": Interface.STDIO,
    "MPI-IO": Interface.MPIIO,
    "H5D": Interface.HDF5,
    "PNETCDF_VAR": Interface.PNETCDF,
}
"""The modules that count the application's requests, and the interface of each."""

LIBRARY_DATA = {Interface.HDF5: "H5D", Interface.PNETCDF: "PNETCDF_VAR"}
"""The module in which a library counts the requests on its datasets or variables."""

_OF_MODULE = {("MPI-IO", "OPENS"): "COLL_OPENS"}
"""Columns that a module has by another name: files that several processes use are opened together, others alone."""

_SEVERAL_KINDS = ("MPI-IO", "PNETCDF_VAR")  # of calls, that CALLS has the sum of

_MOST_BYTES = 1 << 56
_MOST = 1e40  # B squared, too

MANY = 500
"""Records from which on numpy beats a loop."""

PAUSE = 2e-4
"""Longest gap between two requests, s, that can be the work of a loop around the calls."""


Columns = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Integer columns and float columns, each of shape (records, columns); B, s, and B squared."""

Rows = tuple[list[list[int]], list[list[float]]]
"""The same as lists, row by row."""


def load_columns(name: str, records: NDArray[np.void]) -> Columns:
    """Return the columns of the records of the module `name`."""
    layout = _LAYOUTS.get(name) or _LAYOUTS.setdefault(name, _layout(name, records.dtype))
    words = records.view(np.int64).reshape(len(records), -1)
    columns = words.take(layout.places, 1)
    columns[:, layout.missing] = 0
    integers, floats = columns[:, :INTEGERS], columns[:, INTEGERS:].view(np.float64)
    # -1 is "not recorded"; some releases also left times that are negative, and a damaged log may hold anything
    np.minimum(np.maximum(integers, 0, out=integers), _MOST_BYTES, out=integers)
    if name in _SEVERAL_KINDS:
        sums = integers[:, INDEPENDENT : NONBLOCKING + 2].reshape(-1, 4, 2).sum(axis=1)
        np.minimum(sums, _MOST_BYTES, out=integers[:, CALLS : CALLS + 2])
        integers[:, OPENS] += integers[:, _OPENS_ALONE]
    np.fmin(np.fmax(floats, 0.0, out=floats), _MOST, out=floats)
    return integers, floats


def load_rows(name: str, records: NDArray[np.void]) -> Rows:
    """Return what `load_columns` does, as lists, sooner for a few records: most logs have no more."""
    layout = _LAYOUTS.get(name) or _LAYOUTS.setdefault(name, _layout(name, records.dtype))
    counters, times = [], []
    # a view of an array of records as words takes numpy longer than all of this
    for fields in layout.fields.iter_unpack(records.tobytes()):
        row = (*fields, 0, 0.0)
        mine: list[int] = list(layout.integers(row))
        if max(mine) > _MOST_BYTES:  # what is below zero, too: without its sign, it is larger than any
            mine = [0 if value >> 63 else min(value, _MOST_BYTES) for value in mine]
        if name in _SEVERAL_KINDS:
            sums = sum(mine[INDEPENDENT:BYTES:2]), sum(mine[INDEPENDENT + 1 : BYTES : 2])
            mine[CALLS : CALLS + 2] = (min(value, _MOST_BYTES) for value in sums)
            mine[OPENS] += mine[_OPENS_ALONE]
        counters.append(mine)
        seconds: list[float] = list(layout.floats(row))
        if not (min(seconds) >= 0 and sum(seconds) <= _MOST):  # one of them may not be a number
            seconds = [min(value, _MOST) if value > 0 else 0.0 for value in seconds]
        times.append(seconds)
    return counters, times


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a module's records have the columns, in words of 8 bytes.

    Args:
        places: word of each column, or any.
        missing: the columns that the module does not have.
        fields: unpacks those words of a record that are columns.
        integers: picks the integer columns of these, with an integer and a float of zero behind them.
        floats: picks the float columns likewise.
    """

    places: NDArray[np.intp]
    missing: NDArray[np.intp]
    fields: struct.Struct
    integers: Callable[[tuple[int | float, ...]], tuple[int, ...]]
    floats: Callable[[tuple[int | float, ...]], tuple[float, ...]]


_LAYOUTS: dict[str, _Layout] = {}


def _layout(name: str, dtype: np.dtype[np.void]) -> _Layout:
    fields: Mapping[str, tuple[np.dtype[np.void], int]] = dtype.fields or {}  # type: ignore[assignment]  # no titles
    words = {field: place[1] // 8 for field, place in fields.items()}
    prefix = name.replace("-", "")
    names = [_OF_MODULE.get((name, column), column) for column in (*_INTEGERS, *_FLOATS)]
    places = [words.get(f"{prefix}_{column}", -1) for column in names]
    of_columns = np.array(places)
    types = {place: "Q" if column < INTEGERS else "d" for column, place in enumerate(places)}
    order = {place: i for i, place in enumerate(sorted(set(places) - {-1}))}
    return _Layout(
        places=of_columns.clip(0),
        missing=np.flatnonzero(of_columns < 0),
        fields=struct.Struct("=" + "".join(types.get(word, "8x") for word in range(dtype.itemsize // 8))),
        integers=itemgetter(*[order.get(place, -2) for place in places[:INTEGERS]]),
        floats=itemgetter(*[order.get(place, -1) for place in places[INTEGERS:]]),
    )
