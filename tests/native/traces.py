"""Writes the file that `acic-bench replay` reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One transfer of an application, as DXT tells it: offset and length in B, start and end in s.

    `call` is the number of the collective call that it is part of, from 1 in the order in which all ranks make them;
    0: independent.
    """

    rank: int
    interface: str  # "posix" or "mpiio"
    operation: str  # "write" or "read"
    file: str
    offset: int
    length: int
    start: float
    end: float
    call: int = 0


def write_trace(path: Path, segments: Iterable[Segment], *, barriers: Iterable[float] = ()) -> list[str]:
    """Write a trace, and return the files in the order of their indices; file i is named f<i> in it.

    A file that is read before anything is written to it, or beyond all that is written, is there beforehand, as large
    as what is read of it.
    """
    found = sorted(segments, key=lambda s: (s.start, s.end))
    files = list(dict.fromkeys(s.file for s in found))
    lines = ["acic-replay 1", f"ranks {max(s.rank for s in found) + 1}"]
    lines += [f"file {i} {_size_before([s for s in found if s.file == name])} f{i}" for i, name in enumerate(files)]
    lines += [f"barrier {when:.9g}" for when in sorted(barriers)]
    for s in found:
        place = f"{s.call} {files.index(s.file)} {s.offset} {s.length}"
        lines.append(f"{s.rank} {s.interface} {s.operation} {place} {s.start:.9g} {s.end:.9g}")
    path.write_text("\n".join(lines) + "\n")
    return files


def number_calls(segments: Iterable[Segment]) -> list[Segment]:
    """Return collective segments with the numbers of their calls.

    The k-th of each rank on a file, in one direction, are taken for one call.

    Raises:
        ValueError: the ranks do not agree on an order.
    """
    groups: dict[tuple[str, str, int], list[Segment]] = defaultdict(list)
    made: dict[tuple[int, str, str], int] = defaultdict(int)
    for s in sorted(segments, key=lambda s: (s.start, s.end)):
        groups[s.file, s.operation, made[s.rank, s.file, s.operation]].append(s)
        made[s.rank, s.file, s.operation] += 1
    ordered = sorted(groups.values(), key=lambda group: group[0].start)
    numbered = [replace(s, call=number) for number, group in enumerate(ordered, start=1) for s in group]
    for rank in {s.rank for s in numbered}:
        own = [s.start for s in numbered if s.rank == rank]
        if own != sorted(own):
            raise ValueError(f"rank {rank} makes its collective calls in an order of its own")
    return numbered


def _size_before(segments: Sequence[Segment]) -> int:
    first = min(segments, key=lambda s: s.start)
    read = max((s.offset + s.length for s in segments if s.operation == "read"), default=0)
    written = max((s.offset + s.length for s in segments if s.operation == "write"), default=0)
    return read if first.operation == "read" or read > written else 0
