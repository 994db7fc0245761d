"""Which MPI-IO requests of a trace were collective calls: DXT does not say, and the counters tell it in most cases.

Counters know how many requests on a file were collective. Where all were, the k-th of each rank are one call; where a
rank made others too, its collective ones are those under way while the other ranks were in a call, or the far larger
ones (HDF5 writes its metadata independently).

A request through a file view has holes, but DXT has only its beginning and its length. Where such requests of one call
overlap, they are laid one behind the other, as what they leave together has no holes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan import Log
from acic.workloads.requests import Requests

_FAR = 2  # times smaller
_KINDS = {True: ("COLL_WRITES", "SPLIT_WRITES"), False: ("COLL_READS", "SPLIT_READS")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """Requests whose collective calls have numbers.

    Args:
        requests: with `call`, and with `offset` where they lie one behind the other.
        untold: files, by index, some of whose collective calls could not be told, and are independent here.
        moved: files, by index, some of whose requests were laid one behind the other.
        viewed: files, by index, with views, none of whose requests overlap.
    """

    requests: Requests
    untold: frozenset[int]
    moved: frozenset[int]
    viewed: frozenset[int]


def number_calls(log: Log, requests: Requests) -> Numbered:
    """Find the collective calls of a trace, and number them in the order of time."""
    counters = _counters(log)
    offset = requests.offset.copy()
    untold: set[int] = set()
    moved: set[int] = set()
    viewed: set[int] = set()
    groups: list[NDArray[np.intp]] = []
    for file, write, places in _parts(requests):
        collective, views = counters.get((requests.ids[file], write), (0, 0))
        found = _rows(requests, places, collective) if collective else None
        if collective and found is None:
            untold.add(file)
        if found is not None:
            groups += list(found)
        rows = found if found is not None else _equal(requests, places)
        if views:
            (moved if rows is not None and _lay(requests, rows, offset) else viewed).add(file)
    numbered = replace(requests, offset=offset)
    call = _numbers(requests, groups)
    if call is None:
        untold |= {int(requests.file[group[0]]) for group in groups}
        call = np.zeros(len(offset), dtype=np.int64)
    return Numbered(
        requests=replace(numbered, call=call),
        untold=frozenset(untold),
        moved=frozenset(moved),
        viewed=frozenset(viewed - moved),
    )


def _counters(log: Log) -> dict[tuple[int, bool], tuple[int, int]]:
    """Return how many collective requests there were of each file in each direction, and how many views."""
    found: dict[tuple[int, bool], tuple[int, int]] = {}
    module = log.modules.get("MPI-IO")
    for record in module.records if module is not None else ():
        for write, names in _KINDS.items():
            key = (int(record["id"]), write)
            calls, views = found.get(key, (0, 0))
            calls += sum(max(0, int(record[f"MPIIO_{name}"])) for name in names)
            found[key] = calls, views + max(0, int(record["MPIIO_VIEWS"]))
    return found


def _parts(requests: Requests) -> Iterator[tuple[int, bool, NDArray[np.intp]]]:
    """Yield the MPI-IO requests of each file and direction."""
    for file, places in requests.of_files():
        for write in (True, False):
            mine = places[requests.mpiio[places] & (requests.write[places] == write)]
            if len(mine):
                yield file, write, mine


def _rows(requests: Requests, places: NDArray[np.intp], collective: int) -> NDArray[np.intp] | None:
    """Return the places of the collective requests, a row for each call and a column for each rank; None: not told."""
    columns = _by_rank(requests, places)
    calls, rest = divmod(collective, len(columns))
    if rest or min(map(len, columns)) < calls:
        return None
    pure = [column for column in columns if len(column) == calls]
    if len(pure) == len(columns):
        return np.column_stack(columns)
    if pure:
        chosen = [_during(requests, column, np.column_stack(pure)) for column in columns]
    else:
        chosen = [_large(requests, column, calls) for column in columns]
    told = [column for column in chosen if column is not None]
    if len(told) < len(columns):
        return None
    rows = np.column_stack(told)
    starts = requests.start[rows]
    return rows if bool((starts.max(axis=1)[:-1] <= starts.min(axis=1)[1:]).all()) else None


def _equal(requests: Requests, places: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Return the k-th requests of all ranks as rows, if all made as many."""
    columns = _by_rank(requests, places)
    return np.column_stack(columns) if len({len(column) for column in columns}) == 1 else None


def _by_rank(requests: Requests, places: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    ranks = requests.rank[places]
    order = ranks.argsort(kind="stable")
    return np.split(places[order], np.flatnonzero(np.diff(ranks[order])) + 1)


def _during(requests: Requests, places: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Return a rank's requests that were under way while all other ranks were in a call, one for each row.

    Where there are several, since the others waited for it, it is the one that has about the size of theirs.
    """
    edges = np.stack([requests.start[rows].max(axis=1), requests.end[rows].min(axis=1)])
    first = requests.end[places].searchsorted(edges.min(axis=0), side="left")
    behind = requests.start[places].searchsorted(edges.max(axis=0), side="right")
    if (behind <= first).any():
        return None
    for row in np.flatnonzero(behind - first > 1).tolist():
        theirs = requests.length[rows[row]]
        own = requests.length[places[first[row] : behind[row]]]
        alike = np.flatnonzero((own * _FAR > theirs.min()) & (own < theirs.max() * _FAR))
        if len(alike) != 1:
            return None
        first[row] += alike[0]
    return places[first] if bool((np.diff(first) > 0).all()) else None


def _large(requests: Requests, places: NDArray[np.intp], count: int) -> NDArray[np.intp] | None:
    """Return a rank's `count` largest requests, if all others are far smaller: a library's own metadata."""
    lengths = np.sort(requests.length[places])
    least = lengths[-count]
    return places[requests.length[places] >= least] if lengths[-count - 1] * _FAR < least else None


def _lay(requests: Requests, rows: NDArray[np.intp], offset: NDArray[np.int64]) -> bool:
    """Lay the requests of a row one behind the other where they overlap; return whether any did.

    Reads of the same bytes by all ranks are left alone: these are no views with holes.
    """
    order = requests.offset[rows].argsort(axis=1, kind="stable")
    rows = np.take_along_axis(rows, order, axis=1)
    begins, lengths = requests.offset[rows], requests.length[rows]
    overlap = (begins[:, 1:] < begins[:, :-1] + lengths[:, :-1]).any(axis=1) & (begins[:, -1] > begins[:, 0])
    if not overlap.any():
        return False
    ahead = np.cumsum(lengths, axis=1) - lengths
    offset[rows[overlap]] = begins[overlap, :1] + ahead[overlap]
    return True


def _numbers(requests: Requests, groups: list[NDArray[np.intp]]) -> NDArray[np.int64] | None:
    """Return the number of each request's call, such that those of each rank ascend; None if there are none such."""
    call = np.zeros(len(requests.start), dtype=np.int64)
    if not groups:
        return call
    for moment in (np.max, np.min):  # when the last rank came, or the first
        order = np.argsort([moment(requests.start[group]) for group in groups], kind="stable")
        for number, at in enumerate(order.tolist(), start=1):
            call[groups[at]] = number
        if _ascend(requests, call):
            return call
    return None


def _ascend(requests: Requests, call: NDArray[np.int64]) -> bool:
    places = np.flatnonzero(call)
    order = places[requests.rank[places].argsort(kind="stable")]
    same = requests.rank[order][1:] == requests.rank[order][:-1]
    return bool((np.diff(call[order])[same] > 0).all())
