"""A part of a log: what it tells of the files below one directory."""

from __future__ import annotations

import os.path
from collections.abc import Set
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput, MissingData
from acic.workloads.darshan.dxt import Segments
from acic.workloads.darshan.log import Log
from acic.workloads.darshan.records import Module

_MODULES = {"POSIX": "POSIX", "MPIIO": "MPI-IO", "STDIO": "STDIO"}  # by the names of their heat maps
_SLIGHT = 0.01


def within(log: Log, directory: str) -> Log:
    """Return what a log tells of the files below a directory; the run stays as long as it was.

    A heat map does not tell files apart, so it is left out where others had more than `_SLIGHT` of its bytes.

    Args:
        log: the whole one.
        directory: as the job saw it, an absolute path.

    Returns:
        The log itself if all of its files lie there.

    Raises:
        InvalidInput: the directory is no absolute path.
        MissingData: no file of the log lies below it.
    """
    if not directory.startswith("/"):
        raise InvalidInput(f"{directory} is no absolute path", hint="name the directory as the job saw it: /scratch")
    top = "/" + os.path.normpath(directory).lstrip("/")  # which keeps two at the beginning
    mine = {file for file, name in log.names.items() if below(name, top)}
    if not mine:
        raise MissingData(f"no file of {log.path} lies below {top}", hint=_places(log))
    elsewhere = [file for file, name in log.names.items() if name.startswith("/") and file not in mine]
    mine.update(file for file, name in log.names.items() if name[:1] not in ("", "/"))  # streams, a machine: no files
    chosen = {name: _chosen(module, mine) for name, module in log.modules.items()}
    of_use = [rows.all() for name, rows in chosen.items() if name != "LUSTRE"]  # layouts may be of names that are gone
    if not elsewhere and all(of_use):  # counters alone may have been lost
        return log
    modules = {name: _part(log.modules[name], rows) for name, rows in chosen.items() if rows.any()}
    maps = {
        name: one
        for name, one in log.heatmaps.items()
        if (module := _MODULES.get(name)) in chosen and _most(log.modules[module], name, chosen[module])
    }
    traces = {name: part for name, one in log.dxt.items() if len((part := _of_trace(one, mine)).record_id)}
    return replace(log, modules=modules, dxt=traces, heatmaps=maps)


def below(name: str, directory: str) -> bool:
    """Return whether a file's absolute path is below a directory's."""
    return name.startswith(directory if directory.endswith("/") else f"{directory}/")


def _chosen(module: Module, mine: Set[int]) -> NDArray[np.bool_]:
    """Return which records are about these files; a dataset's own name begins with its file's."""
    return _in(module.records["id"], mine)


def _part(module: Module, chosen: NDArray[np.bool_]) -> Module:
    osts, pools = tuple(compress(module.osts, chosen)), tuple(compress(module.pools, chosen))
    return replace(module, records=module.records[chosen], osts=osts, pools=pools)


def _most(module: Module, prefix: str, chosen: NDArray[np.bool_]) -> bool:
    """Return whether the chosen records have nearly all bytes of a module, read and written."""
    moved = [module.records[f"{prefix}_BYTES_{way}"].clip(0) for way in ("READ", "WRITTEN")]
    return all(float(one[~chosen].sum()) <= _SLIGHT * float(one.sum()) for one in moved)


def _of_trace(whole: Segments, mine: Set[int]) -> Segments:
    chosen = _in(whole.record_id, mine)
    each = chosen.repeat(whole.requests)
    return replace(
        whole,
        offset=whole.offset[each],
        length=whole.length[each],
        start=whole.start[each],
        end=whole.end[each],
        thread=None if whole.thread is None else whole.thread[each],
        record_id=whole.record_id[chosen],
        record_rank=whole.record_rank[chosen],
        requests=whole.requests[chosen],
        writes=whole.writes[chosen],
    )


def _in(files: NDArray[np.uint64], mine: Set[int]) -> NDArray[np.bool_]:
    return np.array([file in mine for file in files.tolist()], dtype=bool)


def _places(log: Log) -> str:
    """Return where its files lie, as a hint."""
    names = [name for name in log.names.values() if name.startswith("/")]
    if not names:
        return "the log does not name its files by their paths"
    found = sorted({next((where for where, _ in log.job.mounts if below(name, where)), "/") for name in names})
    return f"its files lie below {', '.join(found)}"
