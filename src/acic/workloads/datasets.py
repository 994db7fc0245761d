"""Datasets: which file each record of a library's dataset, or variable, is of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan import Log

_LOWER = ("MPI-IO", "POSIX")  # which count what a library moves, too
_OF_WHOLE_FILES = ("H5F", *_LOWER)


def files_of(log: Log, records: NDArray[np.void]) -> NDArray[np.uint64]:
    """Return the id of the file of each record, shape (records,).

    Darshan 3.2.0 (format 1 of H5D) left no ids of files: there a dataset's name, which is `FILE:DATASET`, tells it. If
    that is not known of all, none is returned where a module below counts the same bytes: each counts once.
    """
    files: NDArray[np.uint64] = records["file_id"]
    if files.all():
        return files
    known = {
        log.names[file]: file
        for name in _OF_WHOLE_FILES
        if name in log.modules
        for file in log.modules[name].records["id"].tolist()
        if file in log.names
    }
    named = [log.names.get(dataset, "") for dataset in records["id"].tolist()]
    found = [file or _file_of(name, known) for file, name in zip(files.tolist(), named, strict=True)]
    return np.array(found if all(found) or not any(name in log.modules for name in _LOWER) else [], dtype=np.uint64)


def _file_of(name: str, known: dict[str, int]) -> int:
    """Return the id of the file that a dataset's name begins with, the longest; 0 for none."""
    while ":" in name:
        name = name.rpartition(":")[0]
        if name in known:
            return known[name]
    return 0
