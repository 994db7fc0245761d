"""Heat maps: how many bytes each rank moved in each stretch of time."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan.records import check_ranks
from acic.workloads.darshan.regions import Damage

NEWEST = 1
"""Newest format of the module that can be read."""

# behind the number of bins stand two pointers of the process that wrote it
_HEAD = {order: struct.Struct(order + "Qqdq16x") for order in "<>"}
_IDS = {
    16592106915301738621: "POSIX",
    3989511027826779520: "STDIO",
    3668870418325792824: "MPIIO",
    1597927878319380788: "DFS",
    4131494093108637317: "DAOS",
}
"""Record ids of the heat maps: Darshan's hash of "heatmap:" and the module."""


class Heatmap(NamedTuple):
    """The heat map of one module.

    Args:
        ranks: the rank of each row.
        bin_seconds: width of a bin, s; the first begins with the job.
        read_bytes: shape (ranks, bins), B.
        write_bytes: shape (ranks, bins), B.
    """

    ranks: NDArray[np.int64]
    bin_seconds: float
    read_bytes: NDArray[np.int64]
    write_bytes: NDArray[np.int64]


def read_heatmaps(
    raw: bytes, order: str, processes: int, names: Mapping[int, str]
) -> tuple[dict[str, Callable[[], Heatmap]], str]:
    """Check all heat maps, and return what makes that of each module ("POSIX", "MPIIO", "STDIO", ...).

    Some releases of Darshan (3.4.0 to 3.4.3) give a rank one bin too many or too few; libdarshan-util cuts that bin, or
    adds an empty one, and so do we.

    Returns:
        The makers, and a note on what was left out, or "".

    Raises:
        Damage: the data end within a record, or hold an impossible rank or bin.
    """
    table = _walk(raw, order)
    if not table:
        return {}, ""
    bins, seconds = table[0].bins, table[0].seconds
    fitting = [record for record in table if record.seconds == seconds and abs(record.bins - bins) <= 1]
    check_ranks([record.rank for record in fitting], processes)
    modules: dict[int, list[_Record]] = {}
    for record in fitting:
        modules.setdefault(record.id, []).append(record)
    makers: dict[str, Callable[[], Heatmap]] = {}
    for key, mine in modules.items():
        module = _IDS.get(key) or names.get(key, f"record {key}").removeprefix("heatmap:")
        makers[module] = partial(_heatmap, raw, order, bins, mine)
    left_out = len(table) - len(fitting)
    note = f"{left_out} heat map records were left out: their bins are not those of the others." if left_out else ""
    return makers, note


def _heatmap(raw: bytes, order: str, bins: int, records: Sequence[_Record]) -> Heatmap:
    words = np.frombuffer(raw, dtype=np.int64)
    if order == ">":
        words = words.byteswap()
    cells = np.concatenate([_cells(words, record, bins) for record in records]).reshape(len(records), 2 * bins)
    return Heatmap(
        ranks=np.array([record.rank for record in records], dtype=np.int64),
        bin_seconds=records[0].seconds,
        read_bytes=cells[:, bins:],
        write_bytes=cells[:, :bins],
    )


class _Record(NamedTuple):
    """Head of a record, and where its bins begin, in words: first those of writes, then those of reads."""

    id: int
    rank: int
    seconds: float
    bins: int
    start: int


def _walk(raw: bytes, order: str) -> list[_Record]:
    head = _HEAD[order]
    records = []
    at, size = 0, len(raw)
    while at < size:
        if size - at < head.size:
            raise Damage("end within a record")
        key, rank, seconds, bins = head.unpack_from(raw, at)
        at += head.size
        if not 0 <= bins <= (size - at) // 16:
            raise Damage("end within a record")
        if not 0 <= seconds < inf:
            raise Damage("hold impossible bins")
        records.append(_Record(key, rank, seconds, bins, at // 8))
        at += 16 * bins
    return records


def _cells(words: NDArray[np.int64], record: _Record, bins: int) -> NDArray[np.int64]:
    """Return `bins` bins of writes and as many of reads."""
    mine = words[record.start : record.start + 2 * record.bins]
    if record.bins == bins:
        return mine
    both = np.zeros((2, bins), dtype=np.int64)
    fit = mine.reshape(2, record.bins)[:, :bins]
    both[:, : fit.shape[1]] = fit
    return both.ravel()
