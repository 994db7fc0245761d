"""Scripts: what each rank of an application does, step by step, for `acic-bench play` to do.

The format is told in docs/acic-bench.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acic.units import MIB

ALL = "*"
"""The ranks of a line: all of them."""

Ranks = int | str
"""One rank, or several as they stand in a script: `*`, `0,4-7`."""

Box = tuple[tuple[int, int, int], tuple[int, int, int]]
"""Where a box in an array begins, and its size, in elements; the last dimension varies fastest."""


def blocks_of(split: tuple[int, int, int], block: tuple[int, int, int]) -> list[list[Box]]:
    """Return each rank's block of an array that is cut in three dimensions, the last one fastest."""
    places = [(z, y, x) for z in range(split[0]) for y in range(split[1]) for x in range(split[2])]
    return [[((z * block[0], y * block[1], x * block[2]), block)] for z, y, x in places]


@dataclass(frozen=True, slots=True)
class Script:
    """What an application does.

    Args:
        ranks: how many it has.
        lines: what they do.
    """

    ranks: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The file that acic-bench reads."""
        return "\n".join(["acic-script 1", f"ranks {self.ranks}", *self.lines, ""])

    @property
    def made(self) -> tuple[str, ...]:
        """Files that it makes, in that order."""
        found: dict[str, None] = {}
        for line in self.lines:
            _, action, *words = line.split()
            if action == "open" and words[2] == "w":
                found.setdefault(words[3])
            elif action == "put":
                found.update(dict.fromkeys(words[0].replace("#", str(number)) for number in range(int(words[1]))))
        return tuple(found)


class Writer:
    """Writes a script.

    Args:
        ranks: how many it has.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._lines: list[str] = []

    @property
    def script(self) -> Script:
        """What was written."""
        return Script(self._ranks, tuple(self._lines))

    def _add(self, *words: str | int) -> None:
        self._lines.append(" ".join(map(str, words)))

    def barrier(self, ranks: Ranks = ALL) -> None:
        """Have ranks wait for one another, without using up a processor."""
        self._add(ranks, "barrier")

    def compute(self, seconds: float, ranks: Ranks = ALL) -> None:
        """Have ranks compute, for `seconds` of processor time each."""
        self._add(ranks, "compute", f"{seconds:g}")

    def open(self, name: str, path: str, *, ranks: Ranks = ALL, write: bool, mpiio: bool = False) -> None:
        """Open a file under a name: through MPI-IO by all of the ranks together."""
        self._add(ranks, "open", name, "mpiio" if mpiio else "posix", "w" if write else "r", path)

    def close(self, name: str, *, ranks: Ranks = ALL) -> None:
        """Close a file, by all the ranks that opened it."""
        self._add(ranks, "close", name)

    def sync(self, name: str, *, ranks: Ranks = ALL) -> None:
        """Have what was written reach the disks."""
        self._add(ranks, "sync", name)

    def view(
        self,
        name: str,
        base: int,
        element: int,
        whole: tuple[int, int, int],
        parts: Sequence[Iterable[Box]],
        *,
        ranks: Sequence[int] | None = None,
    ) -> None:
        """Let each rank see its part of an array: boxes in ascending order.

        Args:
            name: of the open file.
            base: where the array begins, B.
            element: of the array, B.
            whole: the array's elements in each dimension, the slowest first.
            parts: the boxes of each rank.
            ranks: those that opened the file; None for all.
        """
        for rank, boxes in zip(range(len(parts)) if ranks is None else ranks, parts, strict=True):
            numbers = [number for box in boxes for place in box for number in place]
            self._add(rank, "view", name, base, element, *whole, *numbers)

    def write(self, name: str, offset: int, size: int, *, count: int = 1, stride: int = 0, ranks: Ranks = ALL) -> None:
        """Write `count` requests of `size` B, `stride` B from one's begin to the next one's (0: end to end)."""
        self._transfer("write", name, offset, size, count, stride, ranks)

    def read(self, name: str, offset: int, size: int, *, count: int = 1, stride: int = 0, ranks: Ranks = ALL) -> None:
        """Read as `write` writes."""
        self._transfer("read", name, offset, size, count, stride, ranks)

    def _transfer(self, action: str, name: str, offset: int, size: int, count: int, stride: int, ranks: Ranks) -> None:
        several = [count] if count > 1 else []
        self._add(ranks, action, name, offset, size, *several, *([stride] if several and stride else []))

    def write_all(self, name: str, places: Sequence[tuple[int, int]], *, ranks: Sequence[int] | None = None) -> None:
        """Write collectively: offset and size of each rank's part, B; `ranks` are those that opened the file."""
        self._together("write_all", name, places, ranks)

    def read_all(self, name: str, places: Sequence[tuple[int, int]], *, ranks: Sequence[int] | None = None) -> None:
        """Read as `write_all` writes."""
        self._together("read_all", name, places, ranks)

    def _together(self, action: str, name: str, places: Sequence[tuple[int, int]], ranks: Sequence[int] | None) -> None:
        for rank, (offset, size) in zip(range(len(places)) if ranks is None else ranks, places, strict=True):
            self._add(rank, action, name, offset, size)

    def write_file(
        self, name: str, path: str, size: int, *, count: int = 1, ranks: Ranks = ALL, sync: bool = False
    ) -> None:
        """Open a file under a name, write `count` requests of `size` B end to end, sync it if told to, and close it."""
        self.open(name, path, ranks=ranks, write=True)
        self.write(name, 0, size, count=count, ranks=ranks)
        if sync:
            self.sync(name, ranks=ranks)
        self.close(name, ranks=ranks)

    def read_file(self, name: str, path: str, size: int, *, count: int = 1, ranks: Ranks = ALL) -> None:
        """Open a file under a name, read `count` requests of `size` B from its beginning on, and close it."""
        self.open(name, path, ranks=ranks, write=False)
        self.read(name, 0, size, count=count, ranks=ranks)
        self.close(name, ranks=ranks)

    def put(self, path: str, count: int, size: int, *, ranks: Ranks) -> None:
        """Make `count` files of `size` B; # in the path stands for the number."""
        self._add(ranks, "put", path, count, size)

    def get(self, path: str, count: int, size: int, *, ranks: Ranks) -> None:
        """Open, read and close files that were put."""
        self._add(ranks, "get", path, count, size)

    def stat(self, path: str, count: int = 1, *, ranks: Ranks) -> None:
        """Ask for files' attributes."""
        self._add(ranks, "stat", path, count)

    def unlink(self, path: str, count: int = 1, *, ranks: Ranks) -> None:
        """Remove files."""
        self._add(ranks, "unlink", path, count)

    def rename(self, path: str, to: str, count: int = 1, *, ranks: Ranks) -> None:
        """Give files, or a folder, another name, which always is the same one; # in both stands for the number."""
        self._add(ranks, "rename", path, to, count)

    def mkdir(self, path: str, *, ranks: Ranks) -> None:
        """Make a folder."""
        self._add(ranks, "mkdir", path)

    def rmdir(self, path: str, *, ranks: Ranks) -> None:
        """Remove a folder."""
        self._add(ranks, "rmdir", path)


def prepared(ranks: int, files: Iterable[tuple[str, int]]) -> Script:
    """Return a script that makes files, each written by all ranks, by the MiB: the highest rank writes the beginning.

    So what a rank will read of its share was written on another node, where there are several.

    Args:
        ranks: how many.
        files: path and size in B of each.
    """
    writer = Writer(ranks)
    for path, size in files:
        writer.open("f", path, ranks=0, write=True)
        writer.close("f", ranks=0)
        writer.barrier()
        writer.open("f", path, write=True)
        share = -(-size // ranks)
        for rank in range(ranks):
            low, high = rank * share, min(size, (rank + 1) * share)
            whole, rest = divmod(max(0, high - low), MIB)
            if whole:
                writer.write("f", low, MIB, count=whole, ranks=ranks - 1 - rank)
            if rest:
                writer.write("f", low + whole * MIB, rest, ranks=ranks - 1 - rank)
        writer.sync("f")
        writer.close("f")
    return writer.script
