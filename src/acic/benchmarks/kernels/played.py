"""What ranks do to files when a script is played: a log that forgets nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from typing import Literal, NamedTuple

from acic.benchmarks.kernels.script import ALL, Script
from acic.errors import InvalidInput
from acic.workloads import Interface

Gaps = Mapping[int, int]
"""How many pieces begin behind the end of the one before (1), there (0), or ahead of it (-1)."""

_NONE: Gaps = {}
_INTERFACES = {"posix": Interface.POSIX, "mpiio": Interface.MPIIO}


def sign(gap: int) -> int:
    """Return the kind of a gap between the end of one piece and the begin of the next, as `Gaps` has it."""
    return (gap > 0) - (gap < 0)


class Transfer(NamedTuple):  # there are many, and a frozen dataclass takes longer to make
    """What one line has one rank move of a file.

    Args:
        path: of the file.
        interface: that it is opened through.
        offset: where the first request begins, B.
        size: of a request, B.
        span: from the begin of a request to its end, with the holes that a view leaves, B.
        calls: how many requests there are.
        stride: from one's begin to the next one's, B.
        gaps: between the pieces of its requests, and between these.
        collective: whether it is a collective call.
        burst: the number of the rank's stretch without computing and without another file or direction.
        computed: by the rank until then, s.
        paused: what the rank computed last, s.
        barriers: that the rank has passed until then.
    """

    path: str
    interface: Interface
    offset: int
    size: int
    span: int
    calls: int
    stride: int
    gaps: Gaps
    collective: bool
    burst: int
    computed: float
    paused: float
    barriers: int

    @property
    def bytes(self) -> int:
        """All that is moved."""
        return self.calls * self.size

    @property
    def last(self) -> int:
        """Where the last request begins, B."""
        return self.offset + (self.calls - 1) * self.stride

    @property
    def end(self) -> int:
        """Where the last request ends, B."""
        return self.last + self.span


class Named(NamedTuple):
    """What one rank does to one name: "made" is opened to be written, or a folder, "opened" is to be read."""

    act: Literal["made", "opened", "asked", "renamed", "removed"]
    path: str
    rank: int


@dataclass(frozen=True, slots=True)
class Played:
    """What ranks do to files, each by the last name that it is given.

    Args:
        computed: how often each rank computes how long, s.
        transfers: of each file, written (True) or read: what each rank moves, in its order.
        opens: of each file, by all ranks; files stand in the order in which they are opened.
        syncs: of each file, by all ranks.
        named: how often each rank does what to which name, folders' too.
    """

    computed: list[Counter[float]]
    transfers: dict[tuple[str, bool], dict[int, list[Transfer]]] = field(default_factory=dict)
    opens: Counter[str] = field(default_factory=Counter)
    syncs: Counter[str] = field(default_factory=Counter)
    named: Counter[Named] = field(default_factory=Counter)


def played(script: Script, there: Collection[str] = ()) -> Played:
    """Return what the ranks of a script do to files.

    What replaces a file that is there before keeps the name that it was written under, and such a file its own, as in
    logs: what is read of it the run did not write.

    Args:
        script: what they do.
        there: files that are there before.

    Raises:
        InvalidInput: names that are changed go round.
    """
    reader = _Reader(script.ranks, _renamed(script, there))
    for line in script.lines:
        ranks, action, *words = line.split()
        if act := reader.acts[action]:
            for rank in _members(ranks, script.ranks):
                act(rank, words)
    return reader.found


def _renamed(script: Script, there: Collection[str]) -> dict[str, str]:
    """Return what each name of a file or folder is changed to: always the same one, which acic-bench sees to."""
    renames = (words for _, action, *words in map(str.split, script.lines) if action == "rename")
    return {
        old: new
        for path, to, count in renames
        for old, new in zip(_numbered(path, count), _numbered(to, count), strict=True)
        if old not in there and new not in there
    }


def _numbered(pattern: str, count: str) -> list[str]:
    return [pattern.replace("#", str(number)) for number in range(int(count))]


@cache
def _members(text: str, ranks: int) -> Sequence[int]:
    """Return the ranks that a line names."""
    if text == ALL:
        return range(ranks)
    spans = [part.partition("-") for part in text.split(",")]
    return [rank for first, _, last in spans for rank in range(int(first), int(last or first) + 1)]


class _View:
    """What a rank sees of a file: rows of the boxes in an array, which follows itself through the file."""

    def __init__(self, numbers: Sequence[int]) -> None:
        base, element, planes, rows, columns, *boxes = numbers
        self._array = planes * rows * columns * element
        self._size = 0
        self._gaps: Counter[int] = Counter()  # within the array
        ends = []
        for at in range(0, len(boxes), 6):
            z, y, x, depth, height, width = boxes[at : at + 6]
            begin = ((z * rows + y) * columns + x) * element
            end = (((z + depth - 1) * rows + y + height - 1) * columns + x + width) * element
            self._size += depth * height * width * element
            self._gaps[sign(columns - width)] += depth * (height - 1)
            self._gaps[sign((rows - height + 1) * columns - width)] += depth - 1
            ends.append((begin, end))
        self._gaps.update(sign(b[0] - a[1]) for a, b in pairwise(ends))
        self._begin, self._end = base + ends[0][0], base + ends[-1][1]

    def seen(self, offset: int, size: int) -> tuple[int, int, Gaps]:
        """Return where a transfer begins in the file and how far it spans, B, and the gaps in it: whole arrays."""
        arrays = size // self._size
        gaps = Counter({kind: arrays * count for kind, count in self._gaps.items()})
        gaps[sign(self._array + self._begin - self._end)] += arrays - 1
        span = (arrays - 1) * self._array + self._end - self._begin
        return self._begin + offset // self._size * self._array, span, gaps


class _Reader:
    """Takes the lines of a script, for one rank at a time: a method for each action that a log would have."""

    def __init__(self, ranks: int, renamed: Mapping[str, str]) -> None:
        self.found = Played([Counter() for _ in range(ranks)])
        self._renamed = renamed
        self.acts: dict[str, Callable[[int, list[str]], None] | None] = {
            "close": None,  # moves nothing
            "barrier": self._barrier,
            "stat": partial(self._names, act="asked"),
            "unlink": partial(self._names, act="removed"),
            "rename": self._rename,
            "mkdir": partial(self._names, act="made"),
            "rmdir": partial(self._names, act="removed"),
            "compute": self._compute,
            "open": self._open,
            "view": self._view,
            "sync": self._sync,
            "read": partial(self._several, write=False),
            "write": partial(self._several, write=True),
            "read_all": partial(self._together, write=False),
            "write_all": partial(self._together, write=True),
            "get": partial(self._files, write=False),
            "put": partial(self._files, write=True),
        }
        self._opened: dict[tuple[int, str], tuple[str, Interface]] = {}
        self._views: dict[tuple[int, str], _View] = {}
        self._bursts = [0] * ranks
        self._uses: list[tuple[str, bool] | None] = [None] * ranks
        self._computed = [0.0] * ranks
        self._paused = [0.0] * ranks
        self._barriers = [0] * ranks

    def _barrier(self, rank: int, _: list[str]) -> None:
        self._barriers[rank] += 1

    def _compute(self, rank: int, words: list[str]) -> None:
        seconds = float(words[0])
        self.found.computed[rank][seconds] += 1
        self._computed[rank] += seconds
        self._paused[rank] = seconds
        self._uses[rank] = None

    def _open(self, rank: int, words: list[str]) -> None:
        name, interface, way, told = words
        path = self._last(told)
        self._opened[rank, name] = path, _INTERFACES[interface]
        self._views.pop((rank, name), None)
        self.found.opens[path] += 1
        self.found.named[Named("made" if way == "w" else "opened", path, rank)] += 1

    def _names(self, rank: int, words: list[str], *, act: Literal["made", "asked", "renamed", "removed"]) -> None:
        for path in _numbered(words[0], words[1] if len(words) > 1 else "1"):
            self.found.named[Named(act, self._last(path), rank)] += 1

    def _rename(self, rank: int, words: list[str]) -> None:
        self._names(rank, [words[0], words[2]], act="renamed")

    def _last(self, path: str) -> str:
        """Return the last name that a file gets, whose folder may get another one, too."""
        for _ in range(len(self._renamed) + 1):
            part = path
            while part and part not in self._renamed:
                part = part.rpartition("/")[0]
            if not part:
                return path
            path = self._renamed[part] + path[len(part) :]
        raise InvalidInput(f"the names of {path} go round", hint="change names to others that are not changed back")

    def _view(self, rank: int, words: list[str]) -> None:
        self._views[rank, words[0]] = _View(list(map(int, words[1:])))

    def _sync(self, rank: int, words: list[str]) -> None:
        self.found.syncs[self._opened[rank, words[0]][0]] += 1

    def _several(self, rank: int, words: list[str], *, write: bool) -> None:
        name, *numbers = (*words, *("1", words[2])[len(words) - 3 :])  # one request, or end to end
        offset, size, calls, stride = map(int, numbers)
        gaps = {sign(stride - size): calls - 1} if calls > 1 else _NONE
        self._note(rank, self._opened[rank, name], write, offset, size, size, calls, stride, gaps)

    def _together(self, rank: int, words: list[str], *, write: bool) -> None:
        name, offset, size = words[0], int(words[1]), int(words[2])
        view = self._views.get((rank, name))
        begin, span, gaps = view.seen(offset, size) if view and size else (offset, size, _NONE)
        self._note(rank, self._opened[rank, name], write, begin, size, span, gaps=gaps, collective=True)

    def _files(self, rank: int, words: list[str], *, write: bool) -> None:
        size = int(words[2])
        for told in _numbered(words[0], words[1]):
            path = self._last(told)
            self.found.opens[path] += 1
            self._note(rank, (path, Interface.POSIX), write, 0, size, size)

    def _note(
        self,
        rank: int,
        file: tuple[str, Interface],
        write: bool,
        offset: int,
        size: int,
        span: int,
        calls: int = 1,
        stride: int = 0,
        gaps: Gaps = _NONE,
        collective: bool = False,
    ) -> None:
        use = file[0], write
        if self._uses[rank] != use:
            self._bursts[rank] += 1
            self._uses[rank] = use
        if size:
            burst, computed, paused = self._bursts[rank], self._computed[rank], self._paused[rank]
            since = self._barriers[rank]
            what = Transfer(*file, offset, size, span, calls, stride, gaps, collective, burst, computed, paused, since)
            self.found.transfers.setdefault(use, {}).setdefault(rank, []).append(what)
