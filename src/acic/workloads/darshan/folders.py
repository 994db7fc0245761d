"""Folders that get another name: what a job wrote in one and then reads in another is one file, of its last name.

Darshan counts no renames of folders. They are told by their files: all that a folder has that is read only was written
before, as much of each, under the same names in a folder beside it, of which nothing is used any more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from operator import eq

from acic.workloads.darshan.log import Log

_COUNTERS = ("BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_READ", "MAX_BYTE_WRITTEN")
_TIMES = ("F_OPEN_START_TIMESTAMP", "F_READ_START_TIMESTAMP", "F_WRITE_END_TIMESTAMP", "F_CLOSE_END_TIMESTAMP")
_MOST = 200  # folders beside one another that are alike: who knows which one became which


@dataclass(slots=True)
class _File:
    """What POSIX tells of a file: B moved, B up to the highest one touched, and when it was used, s."""

    read: int = 0
    written: int = 0
    size: int = 0
    began: float = math.inf
    ended: float = 0.0


def in_renamed_folders(log: Log) -> dict[int, int]:
    """Return what each file whose folder got another name is in that folder."""
    records = log.modules["POSIX"].records
    sizes = records["POSIX_BYTES_READ"], records["POSIX_BYTES_WRITTEN"]
    if not ((sizes[0] > 0) & (sizes[1] <= 0)).any() or not ((sizes[1] > 0) & (sizes[0] <= 0)).any():
        return {}
    files = _files(log)
    ends = {log.names[file].rpartition("/")[2] for file, one in files.items() if one.written and not one.read}
    read = _by_folder(log, [file for file, one in files.items() if one.read and not one.written], ends)
    if not read:
        return {}
    written = _by_folder(log, [file for file, one in files.items() if one.written and not one.read], ends)
    beside: dict[tuple[str, str, int], list[tuple[float, str]]] = defaultdict(list)  # by any one of its files
    for folder, theirs in written.items():
        until = max(files[file].ended for file in theirs.values())
        for name, file in theirs.items():
            beside[folder.rpartition("/")[0], name, files[file].size].append((until, folder))
    found: dict[int, int] = {}
    taken: set[str] = set()
    for folder, mine in read.items():
        name, file = next(iter(mine.items()))
        begins = min(files[one].began for one in mine.values())
        others = beside[folder.rpartition("/")[0], name, files[file].size]
        before = [one for until, one in others if until < begins] if len(others) <= _MOST else []
        fitting = [one for one in before if one not in taken and _became(files, written[one], mine)]
        if fitting:
            former = max(fitting, key=lambda one: (_alike(one, folder), one))
            taken.add(former)
            found.update({written[former][name]: file for name, file in mine.items()})
    return found


def _files(log: Log) -> dict[int, _File]:
    """Return the files that have names."""
    records = log.modules["POSIX"].records
    columns = (records[name].tolist() for name in ("id", *(f"POSIX_{name}" for name in (*_COUNTERS, *_TIMES))))
    found: dict[int, _File] = {}
    for file, read, written, far, farther, *times in zip(*columns, strict=True):
        if "/" in log.names.get(file, ""):
            one = found.setdefault(file, _File())
            one.read += max(0, read)
            one.written += max(0, written)
            one.size = max(one.size, far + 1 if read > 0 else 0, farther + 1 if written > 0 else 0)
            one.began = min([one.began, *[moment for moment in times[:2] if moment > 0]])
            one.ended = max(one.ended, *times[2:])
    return found


def _by_folder(log: Log, files: Iterable[int], ends: set[str]) -> dict[str, dict[str, int]]:
    """Return the files of each folder by their own names; of folders of whose names all are among `ends`."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for file in files:
        folder, _, own = log.names[file].rpartition("/")
        found[folder][own] = file
    return {folder: mine for folder, mine in found.items() if ends.issuperset(mine)}


def _became(files: Mapping[int, _File], written: Mapping[str, int], read: Mapping[str, int]) -> bool:
    """Return whether all that is read in one folder was written in the other one, as much of each file."""
    return all(name in written and files[written[name]].size == files[file].size for name, file in read.items())


def _alike(one: str, other: str) -> int:
    """Return how many characters two names have in common at their beginnings and ends."""
    ways = (one, other), (one[::-1], other[::-1])
    return sum(len([*takewhile(bool, map(eq, *way))]) for way in ways)
