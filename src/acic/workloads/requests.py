"""The requests of a job that a replay makes again: the application's own, each once, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.errors import MissingData, UnreadableInput
from acic.workloads.darshan import Log, Segments

_NO_DXT = (
    "run the job again with DXT_ENABLE_IO_TRACE=1 in its environment (Darshan 3.3 or newer), or leave out --replay: "
    "IOR commands need only counters"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """Reads and writes, sorted by their start.

    Args:
        file: index in `ids`.
        rank: process.
        mpiio: whether through MPI-IO, else POSIX.
        write: whether a write.
        offset: B.
        length: B.
        start: s since the start of the job.
        end: s since the start of the job.
        call: number of the collective call that the request is part of, from 1; 0 if it is independent.
        ids: Darshan's id of each file, in the order of first use.
        beneath: how many POSIX requests were left out, since MPI-IO made them.
        lacks_offsets: whether the MPI-IO requests were left out, since this format does not tell where they are.
    """

    file: NDArray[np.int64]
    rank: NDArray[np.int64]
    mpiio: NDArray[np.bool_]
    write: NDArray[np.bool_]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    ids: tuple[int, ...]
    call: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    beneath: int = 0
    lacks_offsets: bool = False

    def moved(self, *, mpiio: bool, write: bool) -> int:
        """Return the bytes that went through an interface in one direction."""
        return int(self.length[(self.mpiio == mpiio) & (self.write == write)].sum())

    def of_files(self) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Yield each file's index, and the places of its requests."""
        order = self.file.argsort(kind="stable")
        edges = np.flatnonzero(np.diff(self.file[order])) + 1
        for places in np.split(order, edges):
            yield int(self.file[places[0]]), places


def requests_of(log: Log) -> Requests:
    """Return the requests that DXT recorded of an application's own calls.

    What MPI-IO asked of POSIX, while it had a file open, is left out.

    Raises:
        MissingData: the log has no DXT segments, or only such that do not tell an offset.
        UnreadableInput: lengths, offsets or times are impossible.
    """
    posix, mpiio = log.dxt.get("DXT_POSIX"), log.dxt.get("DXT_MPIIO")
    lacks_offsets = mpiio is not None and bool((mpiio.offset < 0).any())
    if lacks_offsets:
        mpiio = None
    parts = {"POSIX": posix, "MPI-IO": mpiio}
    there = {module: part for module, part in parts.items() if part is not None and len(part.length)}
    if not there:
        what = "only DXT segments without offsets" if lacks_offsets else "no DXT segments, only counters"
        raise MissingData(f"{log.path} has {what}: a replay needs every single read and write", hint=_NO_DXT)
    for module, part in there.items():
        _check(log, part, module)
    kept = [(mpiio, True, np.ones(len(mpiio.length), dtype=bool))] if mpiio is not None else []
    beneath = 0
    if posix is not None:
        own = _own(log, posix, mpiio)
        beneath = int(np.count_nonzero(~own))
        kept.append((posix, False, own))
    made = _joined(kept)
    return replace(made, beneath=beneath, lacks_offsets=lacks_offsets)


def _check(log: Log, segments: Segments, module: str) -> None:
    times = np.concatenate([segments.start, segments.end])
    possible = bool(np.isfinite(times).all()) and bool((segments.end - segments.start > -1).all())
    most = 1 << 56
    if possible:
        possible = bool(((segments.length >= 0) & (segments.length < most)).all()) and _counted(log, segments, module)
    if not possible or bool(((segments.offset < 0) | (segments.offset >= most)).any()):
        raise UnreadableInput(
            f"cannot replay {log.path}: its DXT segments have impossible lengths, offsets or times",
            hint="the file is damaged: copy it again from where Darshan wrote it",
        )


def _counted(log: Log, segments: Segments, name: str) -> bool:
    """Return whether the counters know of as many bytes as the segments, as far as the log has all counters."""
    module = log.modules.get(name)
    if module is None or module.partial:
        return True
    write = segments.write
    for way, moved in (("WRITTEN", segments.length[write]), ("READ", segments.length[~write])):
        told = module.records[f"{name.replace('-', '')}_BYTES_{way}"].clip(0)
        if sum(moved.tolist()) > sum(told.tolist()):  # a sum of int64 could overflow
            return False
    return True


def _own(log: Log, posix: Segments, mpiio: Segments | None) -> NDArray[np.bool_]:
    """Return which POSIX requests are the application's: of a file that MPI-IO uses, those while it is not open."""
    own = np.ones(len(posix.length), dtype=bool)
    if mpiio is None or not len(mpiio.length):
        return own
    windows = _windows(log)
    used = {file: windows.get(file, (-np.inf, np.inf)) for file in mpiio.record_id.tolist()}
    behind = posix.requests.cumsum().tolist()
    for file, count, end in zip(posix.record_id.tolist(), posix.requests.tolist(), behind, strict=True):
        if file in used:
            first, last = used[file]
            start = posix.start[end - count : end]
            own[end - count : end] = (start < first) | (start > last)
    return own


def _windows(log: Log) -> dict[int, tuple[float, float]]:
    """Return from when to when MPI-IO had each file open, s; files whose log does not tell are left out."""
    found: dict[int, tuple[float, float]] = {}
    module = log.modules.get("MPI-IO")
    for record in module.records if module is not None else ():
        first, last = float(record["MPIIO_F_OPEN_START_TIMESTAMP"]), float(record["MPIIO_F_CLOSE_END_TIMESTAMP"])
        known = first >= 0 and last > first
        before = found.get(int(record["id"]), (np.inf, -np.inf))
        found[int(record["id"])] = (min(first, before[0]), max(last, before[1])) if known else (-np.inf, np.inf)
    return found


def _joined(kept: list[tuple[Segments, bool, NDArray[np.bool_]]]) -> Requests:
    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(segments, name)[mask] for segments, _, mask in kept])

    # a clock that was set back a little makes times that are negative, or an end before the start
    start = np.maximum(column("start"), 0.0)
    end = np.maximum(column("end"), start)
    order = np.lexsort((end, start))
    ids, first, file = np.unique(column("id")[order], return_index=True, return_inverse=True)
    by_use = first.argsort()
    mpiio = np.concatenate([np.full(int(mask.sum()), is_mpiio) for _, is_mpiio, mask in kept])
    return Requests(
        file=by_use.argsort()[file].astype(np.int64),
        rank=column("rank")[order],
        mpiio=mpiio[order],
        write=column("write")[order],
        offset=column("offset")[order],
        length=column("length")[order],
        start=start[order],
        end=end[order],
        ids=tuple(int(one) for one in ids[by_use]),
        call=np.zeros(len(order), dtype=np.int64),
    )
