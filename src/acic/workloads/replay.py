"""Replays: an application's own reads and writes, from a Darshan log with DXT, as a trace that acic-bench makes again.

The trace's format is told in docs/acic-bench.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from acic.whole import whole
from acic.workloads.collective import number_calls
from acic.workloads.darshan import Log, read_log, renamed, within
from acic.workloads.dependencies import dependencies
from acic.workloads.losses import losses
from acic.workloads.requests import Requests, requests_of

_LONGEST = 1 << 30  # B; an MPI count ends at 2^31
_NAME = 60  # characters of a file's own name


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFile:
    """A file of a replay.

    Args:
        name: in the folder of the replay.
        path: of the application's file; "" if the log does not tell it.
        size_before: bytes that are there before the replay begins, since the application reads them.
        size_after: bytes at its end.
    """

    name: str
    path: str
    size_before: int
    size_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A trace that acic-bench replays.

    Args:
        lines: of the trace.
        ranks: of the application.
        files: in the order of the trace.
        bytes_read: B, by all ranks.
        bytes_written: B, by all ranks.
        differences: what is not as in the application, one sentence each.
    """

    lines: tuple[str, ...]
    ranks: int
    files: tuple[ReplayFile, ...]
    bytes_read: int
    bytes_written: int
    differences: tuple[str, ...]


def replay_trace(log: Log) -> Replay:
    """Return the trace of an application's reads and writes.

    A file that was renamed is one file, of its last name.

    Raises:
        MissingData: the log has no DXT segments.
        UnreadableInput: they are impossible.
    """
    return _replayed(renamed(log))


def _replayed(log: Log) -> Replay:
    """Return the trace of a log whose files have their last names."""
    numbered = number_calls(log, requests_of(log))
    sizes, barriers = dependencies(numbered.requests)
    made, split = _split(numbered.requests)
    files = tuple(_files(log, made, sizes))
    head = ["acic-replay 1", f"ranks {log.job.processes}"]
    head += [f"file {index} {file.size_before} {file.name}" for index, file in enumerate(files)]
    head += [f"barrier {moment!r}" for moment in barriers]
    notes = [f"{split} MPI-IO requests of more than 1 GiB are made in pieces."] if split else []
    return Replay(
        lines=(*head, *_segments(made)),
        ranks=log.job.processes,
        files=files,
        bytes_read=int(made.length[~made.write].sum()),
        bytes_written=int(made.length[made.write].sum()),
        differences=(*log.notes, *losses(log, numbered), *notes),
    )


def save_replay(log: Path, trace: Path, *, partial: bool = False, only: str = "") -> Replay:
    """Write the replay of the Darshan log at `log` to the file `trace`, which appears when it is whole.

    Args:
        log: to read.
        trace: to write.
        partial: use the modules of a damaged log that are whole.
        only: a directory, as the job saw it: what lies elsewhere is left out.

    Raises:
        MissingData: the log has no DXT segments, or no file below `only`.
        UnreadableInput: the log cannot be read.
        InvalidInput: the file cannot be written, or `only` is no absolute path.
    """
    found = renamed(read_log(log, partial=partial))
    made = _replayed(within(found, only) if only else found)
    write_trace(made, trace)
    return made


def write_trace(made: Replay, trace: Path) -> None:
    """Write a replay's lines to a file, which appears when it is whole.

    Raises:
        InvalidInput: the file cannot be written.
    """
    with whole(trace) as unfinished:
        unfinished.writelines(f"{line}\n".encode("ascii") for line in made.lines)


def _files(log: Log, made: Requests, sizes: list[int]) -> Iterator[ReplayFile]:
    ends = np.zeros(len(made.ids), dtype=np.int64)
    longer = made.write & (made.length > 0)  # a write of 0 B makes no file longer
    np.maximum.at(ends, made.file[longer], (made.offset + made.length)[longer])
    for index, (identity, size) in enumerate(zip(made.ids, sizes, strict=True)):
        path = log.names.get(identity, "")
        own = re.sub(r"[^A-Za-z0-9._-]+", "_", path.rpartition("/")[2])[-_NAME:]
        yield ReplayFile(
            name=f"{index}-{own}" if own else str(index),
            path=path,
            size_before=size,
            size_after=max(size, int(ends[index])),
        )


def _segments(made: Requests) -> Iterator[str]:
    interfaces, operations = ("posix", "mpiio"), ("read", "write")
    columns = (made.rank, made.mpiio, made.write, made.call, made.file, made.offset, made.length, made.start, made.end)
    for rank, mpiio, write, *numbers, start, end in zip(*(column.tolist() for column in columns), strict=True):
        call, file, offset, length = numbers
        yield f"{rank} {interfaces[mpiio]} {operations[write]} {call} {file} {offset} {length} {start!r} {end!r}"


def _split(requests: Requests) -> tuple[Requests, int]:
    """Return the requests with those too long for a call of MPI-IO in pieces, and how many these were.

    The pieces of a collective request are calls of their own, which ranks with fewer pieces join with no bytes.
    """
    pieces = np.where(requests.mpiio, np.maximum(1, -(-requests.length // _LONGEST)), 1)
    count = int(np.count_nonzero(pieces > 1))
    if not count:
        return requests, 0
    source = np.arange(len(pieces)).repeat(pieces)
    piece = np.arange(len(source)) - (pieces.cumsum() - pieces).repeat(pieces)
    most = np.zeros(int(requests.call.max()) + 1, dtype=np.int64)
    np.maximum.at(most, requests.call, pieces)
    first = most.cumsum() - most - (most[0] - 1)  # number 0 is no call
    call = requests.call[source]
    part: NDArray[np.int64] = np.where(pieces[source] > 1, _LONGEST, requests.length[source])
    part = np.minimum(part, requests.length[source] - piece * _LONGEST * (pieces[source] > 1))
    return (
        replace(
            requests,
            **{name: getattr(requests, name)[source] for name in ("file", "rank", "mpiio", "write", "start", "end")},
            offset=requests.offset[source] + piece * _LONGEST,
            length=part,
            call=np.where(call > 0, first[call] + piece, 0),
        ),
        count,
    )
