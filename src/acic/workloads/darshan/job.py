"""The job that a Darshan log is about, and the names of the files that it used."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from itertools import repeat
from typing import NamedTuple

from acic.workloads.darshan.regions import Damage, Header
from acic.workloads.workload import MOST_PROCESSES

JOB_SIZE = 4096
"""Size of the job record with command line and mounts, B."""

LONGEST_RUN = 366 * 86_400.0
"""What a run takes at most, s: no centre lets a job run for a year, and a clock that is wrong is off by decades."""

_METADATA = 1024
_HEADS = {(order, new): struct.Struct(order + ("7q" if new else "5q")) for order in "<>" for new in (False, True)}
_NUMBERS = {order: (struct.Struct(order + "Q"), struct.Struct(order + "I")) for order in "<>"}


class Job(NamedTuple):
    """The run that was watched.

    Args:
        uid: numeric user id.
        start: when it began, s since 1970 (UTC).
        end: when it ended, s since 1970 (UTC).
        run_seconds: how long it ran, s; before log format 3.41 only whole seconds are known, and this is rounded up.
            0 or below where the log's times cannot be.
        processes: MPI processes, or 1.
        jobid: of the job scheduler, or of the first process.
        exe: command line.
        metadata: what Darshan and the user noted, "lib_ver" for example.
        log_version: format of the log, as "3.41".
        mounts: mount point and file system type, the longest mount point first.
    """

    uid: int
    start: float
    end: float
    run_seconds: float
    processes: int
    jobid: int
    exe: str
    metadata: Mapping[str, str]
    log_version: str
    mounts: tuple[tuple[str, str], ...]


def text(raw: bytes) -> str:
    """Return the text up to the first NUL; bytes that are not UTF-8 are replaced."""
    return raw.partition(b"\0")[0].decode("utf-8", "replace")


def read_job(raw: bytes, header: Header) -> Job:
    """Return the job of an unpacked job record.

    Raises:
        Damage: the record is too short, or holds an impossible number of processes.
    """
    nanoseconds = header.version == "3.41"
    head = _HEADS[header.order, nanoseconds]
    if len(raw) < head.size + _METADATA:
        raise Damage("end early")
    if nanoseconds:
        uid, start, start_ns, end, end_ns, processes, jobid = head.unpack_from(raw)
        began, ended = start + start_ns / 1e9, end + end_ns / 1e9
        seconds = ended - began
    else:
        uid, start, end, processes, jobid = head.unpack_from(raw)
        began, ended = float(start), float(end)
        seconds = float(end - start + 1)
    if began < 1 or seconds > LONGEST_RUN:
        seconds = 0.0
    if not 1 <= processes <= MOST_PROCESSES:
        raise Damage(f"claim {processes} processes")
    behind = head.size + _METADATA
    exe, _, mounts = text(raw[behind:JOB_SIZE]).partition("\n")
    lines = [line.split("=", 1) for line in text(raw[head.size : behind]).split("\n") if "=" in line]
    return Job(
        uid=uid,
        start=began,
        end=ended,
        run_seconds=seconds,
        processes=processes,
        jobid=jobid,
        exe=exe,
        metadata=dict(lines),
        log_version=header.version,
        mounts=_mounts(mounts),
    )


def _mounts(table: str) -> tuple[tuple[str, str], ...]:
    lines = map(str.partition, table.split("\n"), repeat("\t"))
    pairs = [(where, kind) for kind, tab, where in lines if tab]
    pairs.sort(key=lambda pair: len(pair[0]), reverse=True)
    return tuple(pairs)


def read_names(raw: bytes, header: Header) -> dict[int, str]:
    """Return the name of each record id.

    Raises:
        Damage: the last name is cut.
    """
    if header.version == "3.00":
        return _names_with_lengths(raw, header)
    names: dict[int, str] = {}
    key_at = _NUMBERS[header.order][0].unpack_from
    at, size = 0, len(raw)
    while at < size:
        end = raw.find(b"\0", at + 8)
        if end < 0:
            raise Damage("end early")
        (key,) = key_at(raw, at)
        # each rank may tell the name again; one that did not know it left it empty
        if not names.get(key):
            names[key] = raw[at + 8 : end].decode("utf-8", "replace")
        at = end + 1
    return names


def _names_with_lengths(raw: bytes, header: Header) -> dict[int, str]:
    names: dict[int, str] = {}
    number, length = _NUMBERS[header.order]
    at, size = 0, len(raw)
    while at < size:
        start = at + number.size + length.size
        if start > size:
            raise Damage("end early")
        end = start + length.unpack_from(raw, at + number.size)[0]
        if end > size:
            raise Damage("end early")
        names.setdefault(number.unpack_from(raw, at)[0], raw[start:end].decode("utf-8", "replace"))
        at = end
    return names
