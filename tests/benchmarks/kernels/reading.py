"""Scripts read a second time, from the text alone, and their phases by the definitions in docs/workloads.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise, product


@dataclass(frozen=True, slots=True)
class Request:
    """One call of one rank that moves data: B, and the places of its contiguous pieces in the file."""

    rank: int
    path: str
    write: bool
    interface: str
    collective: bool
    pieces: tuple[tuple[int, int], ...]
    burst: int  # number of the rank's stretch without computing and without another file or direction
    computed: float  # by the rank until then, s

    @property
    def size(self) -> int:
        return sum(length for _, length in self.pieces)

    @property
    def offset(self) -> int:
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        return sum(self.pieces[-1])


@dataclass(slots=True)
class Reading:
    """All that the ranks of a script do."""

    ranks: int = 0
    requests: list[Request] = field(default_factory=list)
    computed: list[float] = field(default_factory=list)
    syncs: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    opens: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    made: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    names: Mapping[str, str] = field(default_factory=dict)  # what each one is changed to
    kept: Mapping[str, str] = field(default_factory=dict)  # files that replace others: what they are told as
    renamed: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # how often, by the last name


def members(text: str, ranks: int) -> list[int]:
    if text == "*":
        return list(range(ranks))
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def numbered(pattern: str, count: str) -> list[str]:
    return [pattern.replace("#", str(number)) for number in range(int(count))]


def last(path: str, names: Mapping[str, str]) -> str:
    """The name at the end of all changes, of the path and of each folder that it is in."""
    for old, new in names.items():
        if path == old or path.startswith(old + "/"):
            return last(new + path[len(old) :], names)
    return path


def read(text: str, there: Collection[str] = ()) -> Reading:
    """Return what a script does, files under the last names that they get: such a name stands in all lines.

    But what replaces a file that is there before, and such a file, keep the name that they have.
    """
    first, second, *lines = text.splitlines()
    assert first == "acic-script 1"
    names, kept = dict[str, str](), dict[str, str]()
    for line in lines:
        _, action, *words = line.split()
        if action == "rename":
            pairs = zip(numbered(words[0], words[2]), numbered(words[1], words[2]), strict=True)
            for old, new in pairs:
                (kept if {old, new} & set(there) else names)[old] = new
    reader = _Reader(int(second.removeprefix("ranks ")), names)
    reader.found.kept = {new: old for old, new in kept.items()}
    for line in lines:
        who, action, *words = line.split()
        for rank in members(who, reader.found.ranks):
            getattr(reader, action)(rank, *words)
    return reader.found


class _Reader:
    """Takes the lines of a script; a method for each action."""

    def __init__(self, ranks: int, names: Mapping[str, str]) -> None:
        self.found = Reading(ranks=ranks, computed=[0.0] * ranks, names=names)
        self._paths: dict[str, tuple[str, str]] = {}
        self._views: dict[tuple[int, str], list[int]] = {}
        self._bursts = [0] * ranks
        self._last: list[tuple[str, bool] | None] = [None] * ranks

    def _nothing(self, *_: object) -> None:
        """What moves no data."""

    barrier = close = mkdir = rmdir = stat = _nothing

    def rename(self, _: int, __: str, to: str, count: str) -> None:
        for new in numbered(to, count):
            self.found.renamed[last(new, self.found.names)] += 1

    def compute(self, rank: int, seconds: str) -> None:
        self.found.computed[rank] += float(seconds)
        self._last[rank] = None

    def open(self, _: int, name: str, interface: str, mode: str, path: str) -> None:
        path = last(path, self.found.names)
        self._paths[name] = (path, interface)
        self.found.opens[path] += 1
        if mode == "w":
            self.found.made.add(path)

    def view(self, rank: int, name: str, *numbers: str) -> None:
        self._views[rank, name] = list(map(int, numbers))

    def sync(self, _: int, name: str) -> None:
        self.found.syncs[self._paths[name][0]] += 1

    def unlink(self, _: int, path: str, count: str) -> None:
        self.found.removed |= {last(one, self.found.names) for one in numbered(path, count)}

    def read(self, rank: int, name: str, *numbers: str) -> None:
        self._several(rank, name, False, numbers)

    def write(self, rank: int, name: str, *numbers: str) -> None:
        self._several(rank, name, True, numbers)

    def _several(self, rank: int, name: str, write: bool, numbers: Sequence[str]) -> None:
        path, interface = self._paths[name]
        offset, size, count, stride = _numbers(numbers)
        for number in range(count):
            self._note(rank, path, write, interface, False, [(offset + number * stride, size)])

    def write_all(self, rank: int, name: str, offset: str, size: str) -> None:
        self._together(rank, name, True, offset, size)

    def read_all(self, rank: int, name: str, offset: str, size: str) -> None:
        self._together(rank, name, False, offset, size)

    def _together(self, rank: int, name: str, write: bool, offset: str, size: str) -> None:
        path, interface = self._paths[name]
        view = self._views.get((rank, name))
        pieces = [(int(offset), int(size))] if view is None else list(seen(view, int(offset), int(size)))
        self._note(rank, path, write, interface, True, pieces)

    def put(self, rank: int, path: str, count: str, size: str) -> None:
        self.found.made |= {last(one, self.found.names) for one in numbered(path, count)}
        self._whole(rank, path, True, int(count), int(size))

    def get(self, rank: int, path: str, count: str, size: str) -> None:
        self._whole(rank, path, False, int(count), int(size))

    def _whole(self, rank: int, path: str, write: bool, count: int, size: int) -> None:
        for one in (last(told, self.found.names) for told in numbered(path, str(count))):
            self.found.opens[one] += 1
            self._note(rank, one, write, "posix", False, [(0, size)])

    def _note(
        self, rank: int, path: str, write: bool, interface: str, collective: bool, pieces: list[tuple[int, int]]
    ) -> None:
        if self._last[rank] != (path, write):
            self._bursts[rank] += 1
        self._last[rank] = (path, write)
        part = tuple(piece for piece in pieces if piece[1])
        if part:
            burst, computed = self._bursts[rank], self.found.computed[rank]
            self.found.requests.append(Request(rank, path, write, interface, collective, part, burst, computed))


def _numbers(words: Sequence[str]) -> tuple[int, int, int, int]:
    offset, size, *rest = map(int, words)
    count = rest[0] if rest else 1
    return offset, size, count, rest[1] if len(rest) > 1 else size


def seen(view: Sequence[int], offset: int, size: int) -> Iterator[tuple[int, int]]:
    """Where the bytes of a transfer in a view lie, whole rows in ascending order."""
    base, element, *rest = view
    _, rows, columns = whole = rest[:3]
    array = whole[0] * rows * columns * element
    places = []
    for at in range(3, len(rest), 6):
        (z, y, x), (depth, height, width) = rest[at : at + 3], rest[at + 3 : at + 6]
        for k, j in product(range(z, z + depth), range(y, y + height)):
            places.append((((k * rows + j) * columns + x) * element, width * element))
    each = sum(length for _, length in places)
    assert offset % each == 0
    assert size % each == 0
    for turn in range(offset // each, (offset + size) // each):
        yield from ((base + turn * array + place, length) for place, length in places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A phase as it was found: the characteristics, and what stands beside them."""

    io_processes: int
    interface: str
    iterations: int
    data_size: int
    request_size: int
    operation: str
    collective: bool
    shared: bool
    access: str
    interleaved: bool
    files: frozenset[str]
    bytes: int
    extent: int  # of its files, to the last byte that is moved
    pauses: frozenset[float]
    syncs: int
    apart: float
    contiguous: bool
    others: bool


def phases(reading: Reading) -> list[Found]:
    """A phase for each direction on files that are alike: in interface, in sharing, and in size."""
    by_file: dict[tuple[str, bool], list[Request]] = defaultdict(list)
    for request in reading.requests:
        by_file[request.path, request.write].append(request)
    groups: dict[tuple[object, ...], list[Request]] = defaultdict(list)
    for (_, write), requests in by_file.items():
        shared = len({request.rank for request in requests}) > 1
        groups[write, requests[0].interface, shared, sum(one.size for one in requests)] += requests
    return [_phase(requests, reading) for requests in groups.values()]


def _phase(requests: list[Request], reading: Reading) -> Found:
    by_rank: dict[int, list[Request]] = defaultdict(list)
    for request in requests:
        by_rank[request.rank].append(request)
    bursts = {len({request.burst for request in own}) for own in by_rank.values()}
    assert len(bursts) == 1, "ranks differ in their iterations"
    (iterations,) = bursts
    moved = {sum(request.size for request in own) for own in by_rank.values()}
    assert len(moved) == 1, "ranks differ in their bytes"
    data_size, rest = divmod(moved.pop(), iterations)
    assert rest == 0
    files = frozenset(request.path for request in requests)
    pauses: set[float] = set()
    for own in by_rank.values():
        when = sorted({request.burst: request.computed for request in own}.values())
        pauses |= {round(b - a, 9) for a, b in pairwise(when)}
    return Found(
        io_processes=len(by_rank),
        interface={"posix": "POSIX", "mpiio": "MPIIO"}[requests[0].interface],
        iterations=iterations,
        data_size=data_size,
        request_size=_of_median_byte(sorted(request.size for request in requests)),
        operation="write" if requests[0].write else "read",
        collective=all(request.collective for request in requests),
        shared=any(len({one.rank for one in requests if one.path == path}) > 1 for path in files),
        access=_access(by_rank.values()),
        interleaved=_interleaved(by_rank),
        files=files,
        bytes=sum(request.size for request in requests),
        extent=sum(max(one.end for one in requests if one.path == path) for path in files),
        pauses=frozenset(pauses),
        syncs=sum(reading.syncs[path] for path in files),
        apart=(max(by_rank) - min(by_rank)) / max(1, len(by_rank) - 1) or 1.0,
        contiguous=iterations > 1 and _contiguous(by_rank.values()),
        others=2 * sum(request.size for request in requests if _of_others(request, reading))
        > sum(r.size for r in requests),
    )


def _of_others(request: Request, reading: Reading) -> bool:
    """Whether it reads a file that other ranks wrote, and its own did not."""
    writers = {one.rank for one in reading.requests if one.write and one.path == request.path}
    return not request.write and bool(writers) and request.rank not in writers


def _contiguous(of_ranks: Iterable[Sequence[Request]]) -> bool:
    """Whether each rank's requests to a file follow one another, of files of which it makes several."""
    several = False
    for own in of_ranks:
        by_path: dict[str, list[Request]] = defaultdict(list)
        for one in own:
            if one.collective:
                return False
            by_path[one.path].append(one)
        several = several or any(len(each) > 1 for each in by_path.values())
        if any(b.offset != a.end for each in by_path.values() for a, b in pairwise(each)):
            return False
    return several


def _interleaved(by_rank: Mapping[int, Sequence[Request]]) -> bool:
    """Whether a rank's part of a call begins before the one of the rank below ends: what ROMIO asks."""
    calls = zip(*(own for _, own in sorted(by_rank.items())), strict=True)
    together = [call for call in calls if all(one.collective for one in call)]
    return any(b.offset < a.end for call in together for a, b in pairwise(call))


def _of_median_byte(sizes: Sequence[int]) -> int:
    moved = sum(sizes)
    return next(size for size, until in zip(sizes, accumulate(sizes), strict=True) if 2 * until >= moved)


def _access(of_ranks: Iterable[Sequence[Request]]) -> str:
    gaps: list[int] = []
    for own in of_ranks:
        for one in own:
            gaps += [b[0] - sum(a) for a, b in pairwise(one.pieces)]
        gaps += [b.offset - a.end for a, b in pairwise(own) if a.path == b.path and a.offset != b.offset]
    if sum(gap == 0 for gap in gaps) * 2 >= len(gaps):
        return "consecutive"
    return "strided" if all(gap >= 0 for gap in gaps) else "random"
