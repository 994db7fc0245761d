"""Renames: a file that a job wrote under one name and then gave another is one file, of its last name.

Darshan counts them at POSIX since 3.1.7 (format 4 of the module), those that end well, of files that the process itself
opened or looked at before: the name that a file gets has a record of that process, too, with no opens where it does
nothing else with it. Each tells what it was first renamed from, but for records of all processes together: there it is
that of any one of them, mostly none (`posix_record_reduction_op`), and names have to tell it. Files that the C library
alone opened, and renameat(), are not counted, nor are files in renamed folders, which are told by what is in them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from acic.workloads.darshan.folders import in_renamed_folders
from acic.workloads.darshan.log import Log
from acic.workloads.darshan.records import Module

_INTERFACES = ("MPI-IO", "STDIO", "H5F", "PNETCDF_FILE")  # above POSIX, or beside it: whose records are of files
_COUNTERS = ("BYTES_WRITTEN", "RENAME_SOURCES", "OPENS", "F_OPEN_START_TIMESTAMP")
_SKEW = 1.0  # s, by which processes' clocks may differ, each of which begins when its process does


def renamed(log: Log) -> Log:
    """Return a log whose records of a file are all of the last name that the job gave it.

    Where it is not sure which file that is, they stay apart: one that became several by turns, or came from several, or
    whose new name was opened before the old one, which is what a file that is replaced had in it.

    Returns:
        The log itself if no file was renamed that something had been written to.
    """
    posix = log.modules.get("POSIX")
    if posix is None:
        return log
    if (posix.records["POSIX_RENAME_TARGETS"] > 0).any():
        log = _with_last_names(log, _last_names(log, posix.records))
    return _with_last_names(log, in_renamed_folders(log))


def _with_last_names(log: Log, last: Mapping[int, int]) -> Log:
    """Return a log whose records of files are of what those became."""
    if not last:
        return log
    modules = {name: _module(one, last) for name, one in log.modules.items()}
    traces = {name: replace(one, record_id=_under(one.record_id, last)) for name, one in log.dxt.items()}
    return replace(log, names=_names(log, last), modules=modules, dxt=traces, renamed=True)


@dataclass(slots=True)
class _Use:
    """What POSIX tells of a file: bytes written, when each rank first opened it, s, and how often it was renamed."""

    written: int = 0
    opened: dict[int, float] = field(default_factory=dict)
    gone: int = 0

    def before(self, other: _Use) -> bool:
        """Return whether it was opened before another one, as the same process tells, or as sure as several can."""
        early, late = (min(one.opened.values(), default=math.inf) for one in (self, other))
        pairs = ((moment, other.opened[rank]) for rank, moment in self.opened.items() if rank in other.opened)
        return early + _SKEW < late < math.inf or any(mine < theirs for mine, theirs in pairs)


def _last_names(log: Log, records: NDArray[np.void]) -> dict[int, int]:
    """Return the file that each one which was written, and those that it was in between, became."""
    if any(not module.records["file_id"].all() for name, module in log.modules.items() if "file_id" in _fields(module)):
        return {}  # Darshan 3.2.0: names alone tell which file a dataset is in
    uses: dict[int, _Use] = defaultdict(_Use)
    names = ("id", "rank", *(f"POSIX_{name}" for name in _COUNTERS))
    for file, rank, written, gone, opens, opened in zip(*(records[name].tolist() for name in names), strict=True):
        use = uses[file]
        use.written += max(0, written)
        use.gone += max(0, gone)
        if opens > 0:
            use.opened[rank] = opened
    pairs = _pairs(log, records, uses)
    came, went = Counter(old for old, _ in pairs), Counter(new for _, new in pairs)
    above = [set(log.modules[name].records["id"].tolist()) for name in _INTERFACES if name in log.modules]
    becomes = {
        old: new
        for old, new in pairs
        if came[old] == went[new] == 1
        and (new, old) not in pairs  # else they were exchanged
        and new in log.names
        and _follows(uses[old], uses[new], old, new, above)
    }
    found: dict[int, int] = {}
    for at in [file for file in becomes if uses[file].written]:
        path: dict[int, int] = {}
        while at in becomes and at not in path and at not in found:
            path[at] = at
            at = becomes[at]
        found.update(path if at in path else dict.fromkeys(path, found.get(at, at)))  # names may go round
    return {old: new for old, new in found.items() if old != new}


def _pairs(log: Log, records: NDArray[np.void], uses: Mapping[int, _Use]) -> set[tuple[int, int]]:
    """Return the files that were renamed, as what they were and what they became."""
    targets = records[records["POSIX_RENAME_TARGETS"] > 0]
    old, new = targets["POSIX_RENAMED_FROM"].astype(np.uint64).tolist(), targets["id"].tolist()
    pairs = {(a, b) for a, b in zip(old, new, strict=True) if a in uses and a != b}
    known, told = {a for a, _ in pairs}, {b for _, b in pairs}
    untold = set(targets["id"][targets["rank"] < 0].tolist()) - told
    return pairs | _by_names(log, [file for file, use in uses.items() if use.gone and file not in known], untold)


def _by_names(log: Log, gone: list[int], came: set[int]) -> set[tuple[int, int]]:
    """Return the files whose old names begin as their new ones, each with the shortest name that does."""
    stems = {file: stem for file in came if (stem := _stem(log.names.get(file, "")))}
    known = {*stems.values()}
    lengths = {*map(len, known)}
    shortest: dict[str, list[tuple[int, int]]] = {}  # two, as one may be the file itself
    for file in gone:
        name = _stem(log.names.get(file, ""))
        for stem in known.intersection([name[:length] for length in lengths]):
            shortest[stem] = sorted([*shortest.get(stem, []), (len(name), file)])[:2]
    alike = {new: [old for _, old in shortest.get(stem, []) if old != new] for new, stem in stems.items()}
    return {(olds[0], new) for new, olds in alike.items() if olds}


def _stem(name: str) -> str:
    """Return a file's path without the dots that hide it: what becomes `out` is `out.tmp`, or `.out.x7Y2`."""
    folder, slash, own = name.rpartition("/")
    return f"{folder}{slash}{own.lstrip('.')}"


def _follows(old: _Use, new: _Use, was: int, became: int, above: list[set[int]]) -> bool:
    """Return whether nothing speaks against that what was under one name is what the other has, at all interfaces."""
    alike = all((was in files) is (became in files) for files in above)
    used = bool(new.opened) or any(became in files for files in above)
    return not used or (alike and not new.before(old))


def _names(log: Log, last: Mapping[int, int]) -> dict[int, str]:
    """Return the names that are left, with datasets below the last names of their files."""
    names = {file: name for file, name in log.names.items() if file not in last}
    for module in log.modules.values():
        if "file_id" in _fields(module):
            for one, file in zip(module.records["id"].tolist(), module.records["file_id"].tolist(), strict=True):
                name, before = names.get(one, ""), f"{log.names.get(file)}:"
                if file in last and name.startswith(before):
                    names[one] = f"{log.names[last[file]]}:{name.removeprefix(before)}"
    return names


def _fields(module: Module) -> tuple[str, ...]:
    return module.records.dtype.names or ()


def _module(module: Module, last: Mapping[int, int]) -> Module:
    ids: Set[int] = set(module.records["id"].tolist())
    if module.name == "LUSTRE":  # whose records are the parts of a layout, of one file each
        last = {old: new for old, new in last.items() if new not in ids}
    if ids.isdisjoint(last) and "file_id" not in _fields(module):
        return module
    records = module.records.copy()
    for name in ("id", "file_id"):
        if name in _fields(module):
            records[name] = _under(records[name], last)
    return replace(module, records=records)


def _under(files: NDArray[np.uint64], last: Mapping[int, int]) -> NDArray[np.uint64]:
    return np.array([last.get(file, file) for file in files.tolist()], dtype=np.uint64)
