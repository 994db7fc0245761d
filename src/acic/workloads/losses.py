"""What a replay does not do as the application did it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from acic.units import format_bytes
from acic.workloads.collective import Numbered
from acic.workloads.darshan import Log
from acic.workloads.requests import Requests

_STREAMS = ("<STDIN>", "<STDOUT>", "<STDERR>")
_MODULES = {True: ("MPI-IO", "MPIIO"), False: ("POSIX", "POSIX")}
_OPENS = {True: ("COLL_OPENS", "INDEP_OPENS"), False: ("OPENS",)}
_SYNCS = {True: ("SYNCS",), False: ("FSYNCS", "FDSYNCS")}
_BYTES = {True: "BYTES_WRITTEN", False: "BYTES_READ"}
_CALLS = {
    "MPIIO": ("INDEP_READS", "INDEP_WRITES", *_BYTES.values()),
    "POSIX": ("READS", "WRITES", *_BYTES.values()),
}
_LIBRARIES = ("H5F", "PNETCDF_FILE")


def losses(log: Log, numbered: Numbered) -> tuple[str, ...]:
    """Return the differences between the application and its replay, one sentence each."""
    requests = numbered.requests
    return (
        *_of_bytes(log, requests),
        *_of_ranks(log, requests),
        *_of_stdio(log),
        *_of_layers(log, requests),
        *_of_places(log, numbered),
        *_of_openings(log, numbered),
        *_of_metadata(log, requests),
    )


def _total(log: Log, requests: Requests, counters: tuple[str, ...], *, mpiio: bool) -> int:
    """Return the sum of counters over the files that are replayed through an interface."""
    name, prefix = _MODULES[mpiio]
    module = log.modules.get(name)
    if module is None:
        return 0
    through = {requests.ids[file] for file in np.unique(requests.file[requests.mpiio]).tolist()}
    mine = np.array([(int(one) in through) == mpiio for one in module.records["id"]], dtype=bool)
    return sum(int(module.records[f"{prefix}_{one}"][mine].clip(0).sum()) for one in counters)


def _of_bytes(log: Log, requests: Requests) -> Iterator[str]:
    for mpiio in (True, False):
        for write in (True, False):
            made = requests.moved(mpiio=mpiio, write=write)
            asked = _total(log, requests, (_BYTES[write],), mpiio=mpiio)
            if made < asked:
                done, through = "written" if write else "read", "MPI-IO" if mpiio else "POSIX"
                yield (
                    f"Of {format_bytes(asked)} {done} through {through}, the trace has {format_bytes(made)}: DXT keeps "
                    "only so many segments of a rank (set DXT_MODMEM or DARSHAN_MODMEM for more)."
                )


def _of_ranks(log: Log, requests: Requests) -> Iterator[str]:
    busy: set[int] = set()
    for name, prefix in _MODULES.values():
        module = log.modules.get(name)
        if module is not None:
            moved = module.records[f"{prefix}_BYTES_READ"].clip(0) + module.records[f"{prefix}_BYTES_WRITTEN"].clip(0)
            busy |= set(module.records["rank"][(moved > 0) & (module.records["rank"] >= 0)].tolist())
    absent = sorted(busy - set(np.unique(requests.rank).tolist()))
    if absent:
        shown = ", ".join(map(str, absent[:5])) + (", ..." if len(absent) > 5 else "")
        yield f"{len(absent)} ranks that did I/O have no segments, and do nothing here: {shown}."


def _of_stdio(log: Log) -> Iterator[str]:
    module = log.modules.get("STDIO")
    if module is None:
        return
    own = [log.names.get(int(one)) not in _STREAMS for one in module.records["id"]]
    moved = sum(int(module.records[f"STDIO_{name}"][own].clip(0).sum()) for name in _BYTES.values())
    if moved:
        yield f"DXT does not see the C library's own I/O: {format_bytes(moved)} through STDIO are left out."


def _of_layers(log: Log, requests: Requests) -> Iterator[str]:
    if requests.lacks_offsets:
        yield "This log does not tell where MPI-IO requests are; what they became in POSIX is replayed instead."
    elif requests.beneath:
        yield f"What MPI-IO made of its requests, {requests.beneath} POSIX ones, is left to the MPI-IO of the replay."
    for name, module in (("HDF5", "H5F"), ("PnetCDF", "PNETCDF_FILE")):
        if module in log.modules:
            yield f"{name} is not called: its files are replayed as the MPI-IO or POSIX requests that it made."


def _of_places(log: Log, numbered: Numbered) -> Iterator[str]:
    if numbered.untold:
        yield (
            f"Which requests on {_named(log, numbered, numbered.untold)} were collective cannot be told; they are "
            "independent here."
        )
    if numbered.moved:
        yield (
            f"Requests on {_named(log, numbered, numbered.moved)} went through a file view whose holes DXT does not "
            "tell; here those of all ranks lie one behind the other."
        )
    if holey := frozenset(file for file in numbered.viewed if _in_pieces(log, numbered.requests.ids[file])):
        yield (
            f"Requests on {_named(log, numbered, holey)} went through a file view; whether it has holes DXT does not "
            "tell; here each request is one piece."
        )


def _of_openings(log: Log, numbered: Numbered) -> Iterator[str]:
    """Yield which files a rank began to write again after it had opened them anew, and sought nothing."""
    if (module := log.modules.get("POSIX")) is None:
        return
    requests, records = numbered.requests, module.records
    processes = np.where(records["rank"] < 0, log.job.processes, 1)
    anew = records["id"][(records["POSIX_OPENS"] > processes) & (records["POSIX_SEEKS"] == 0)]
    mine = requests.write & ~requests.mpiio & (requests.offset == 0) & (requests.length > 0)
    begun, often = np.unique(np.stack([requests.file[mine], requests.rank[mine]]), axis=1, return_counts=True)
    again = frozenset(file for file in begun[0][often > 1].tolist() if np.uint64(requests.ids[file]) in anew)
    if again:
        yield (
            f"The application opens {_named(log, numbered, again)} again between writes, and DXT tells places from 0 "
            "on each time: what it appends is written over here."
        )


def _in_pieces(log: Log, identity: int) -> bool:
    """Return whether requests through a view of a file may have had holes.

    Libraries set views in any case. Where POSIX saw the same independent requests, each was one piece.
    """
    if any(identity in log.modules[name].records["id"] for name in _LIBRARIES if name in log.modules):
        return False
    seen = {}
    for name, prefix in _MODULES.values():
        module = log.modules.get(name)
        mine = None if module is None else module.records[module.records["id"] == np.uint64(identity)]
        calls = _CALLS[prefix]
        seen[prefix] = [] if mine is None else [int(mine[f"{prefix}_{one}"].clip(0).sum()) for one in calls]
    return seen["MPIIO"] != seen["POSIX"]


def _named(log: Log, numbered: Numbered, files: frozenset[int]) -> str:
    if len(files) > 1:
        return f"{len(files)} files"
    (file,) = files
    return log.names.get(numbered.requests.ids[file], "a file").rpartition("/")[2]


def _of_metadata(log: Log, requests: Requests) -> Iterator[str]:
    opened = sum(_total(log, requests, _OPENS[mpiio], mpiio=mpiio) for mpiio in (True, False))
    used = len(np.unique(np.stack([requests.file, requests.rank, requests.mpiio.astype(np.int64)]), axis=1).T)
    if opened > used:
        yield f"The application opened files {opened} times, the replay does {used} times: a rank opens a file once."
    synced = sum(_total(log, requests, _SYNCS[mpiio], mpiio=mpiio) for mpiio in (True, False))
    if synced:
        yield f"The application synced {synced} times, the replay only with -e, before it closes a file."
