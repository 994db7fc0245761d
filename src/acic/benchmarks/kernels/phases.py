"""Phases of kernels, from their scripts: what `acic characterize` would tell, had it a log that forgets nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from types import MappingProxyType
from typing import TypeVar

from acic.benchmarks.kernels.played import Played, Transfer, sign
from acic.errors import InvalidInput
from acic.workloads import Access, Characteristics, Operation, Phase, Quality, Workload
from acic.workloads.sizes import of_median_byte

_EXACT: Mapping[str, Quality] = MappingProxyType(
    dict.fromkeys((field.name for field in fields(Characteristics)), Quality.EXACT)
)
_DIGITS = 9  # of the s that ranks compute, which are sums
_Number = TypeVar("_Number", int, float)


def workload_of(
    name: str, found: Played, *, inputs: Played | None = None, first: Sequence[str] = (), before: bool = False
) -> Workload:
    """Return what was done to storage, known exactly: a phase for each direction on files that are alike.

    Files are alike in interface, in whether several ranks use them, and in the bytes moved of each. An iteration is a
    stretch of a rank without computing and without another file or direction.

    Args:
        name: of the workload.
        found: what ranks did.
        inputs: what they did before, to make files that are there.
        first: files made before; a phase's example is the first of its files in these, or else in what is opened.
        before: whether a pause is told of what is done in one iteration, too: what was computed last before it.

    Raises:
        InvalidInput: ranks differ in iterations, or iterations in bytes or pauses: no phase can tell that.
    """
    groups: dict[tuple[object, ...], _Group] = {}
    for (path, write), ranks in found.transfers.items():
        transfers = [one for own in ranks.values() for one in own]
        alike = write, transfers[0].interface, len(ranks) > 1, sum(one.bytes for one in transfers)
        group = groups.setdefault(alike, _Group(write, len(ranks) > 1))
        group.files.append(path)
        for rank, own in ranks.items():
            group.ranks.setdefault(rank, []).extend(own)
    order = {path: number for number, path in reversed([*enumerate((*first, *found.opens))])}
    told = _named(groups.values(), found)
    for group in groups.values():
        told[id(group)] |= _laid(group, found, inputs)
    phases = [_phase(group, found, order, told[id(group)], before=before) for group in groups.values()]
    phases.sort(key=lambda one: -one.bytes)
    return Workload(name=name, processes=len(found.computed), phases=tuple(phases), source="acic kernel")


@dataclass(frozen=True, slots=True)
class _Group:
    """Files that are alike, and what each rank moves of them in one direction, file by file."""

    write: bool
    shared: bool
    files: list[str] = field(default_factory=list)
    ranks: dict[int, list[Transfer]] = field(default_factory=dict)


def _named(groups: Iterable[_Group], found: Played) -> dict[int, dict[str, float]]:
    """Return for each group's id what is told of names: of its files, and for the one of most files of empty ones, too.

    What is written and read is told of where it is written.
    """
    every = sorted(groups, key=lambda one: one.write)
    of = {path: id(group) for group in every for path in group.files}
    most = id(max(every, key=lambda one: len(one.files))) if every else 0
    acts: dict[int, Counter[str]] = {id(one): Counter() for one in every}
    ranks: dict[int, Counter[int]] = {id(one): Counter() for one in every}
    for (act, path, rank), times in found.named.items() if every else ():
        if path in of and act in ("made", "opened"):
            continue  # told by files and opens
        group = of.get(path, most)
        acts[group]["asked" if act == "opened" else act] += times
        ranks[group][rank] += times
    told = {"made": "empty_files", "asked": "asked_files", "renamed": "renames", "removed": "removed_files"}
    return {
        group: {told[act]: times for act, times in sorted(some.items())}
        | ({"names_by": some.total() / max(ranks[group].values())} if some else {})
        for group, some in acts.items()
    }


def _laid(group: _Group, found: Played, inputs: Played | None) -> dict[str, float]:
    """Return how many ranks wrote each of the files that a group reads, before, by the bytes that it reads of them."""
    if group.write or inputs is None:
        return {}
    ranks, moved = 0, 0
    for path in group.files:
        if writers := len(inputs.transfers.get((path, True), {})):
            size = sum(one.bytes for own in found.transfers[path, False].values() for one in own)
            ranks, moved = ranks + writers * size, moved + size
    return {"input_writers": ranks / moved} if ranks > moved else {}


def _phase(group: _Group, found: Played, order: Mapping[str, int], told: Mapping[str, float], *, before: bool) -> Phase:
    example, of_ranks = min(group.files, key=order.__getitem__), group.ranks.values()
    transfers = [one for own in of_ranks for one in own]
    bursts = [_bursts(own) for own in of_ranks]
    iterations = _same("iterations", example, map(len, bursts))
    characteristics = Characteristics(
        processes=len(found.computed),
        io_processes=len(group.ranks),
        interface=transfers[0].interface,
        iterations=iterations,
        data_size=_same("bytes", example, (moved for own in bursts for moved, _ in own)),
        request_size=_request_size(transfers),
        operation=Operation.WRITE if group.write else Operation.READ,
        collective=all(one.collective for one in transfers),
        shared=group.shared,
        access=_access(of_ranks),
    )
    pause = transfers[0].paused if before else 0.0
    if iterations > 1:
        pause = _same("pauses", example, (round(b - a, _DIGITS) for own in bursts for (_, a), (_, b) in pairwise(own)))
    return Phase(
        characteristics=characteristics,
        quality=_EXACT,
        files=len(group.files),
        bytes=characteristics.total_bytes,
        example=example,
        details={**_details(characteristics, group, found, pause), **told},
    )


def _request_size(transfers: Iterable[Transfer]) -> int:
    moved: Counter[int] = Counter()
    for one in transfers:
        moved[one.size] += one.bytes
    sizes = sorted(moved)
    return of_median_byte(sizes, [moved[size] for size in sizes])


def _bursts(own: Iterable[Transfer]) -> list[tuple[int, float]]:
    """Return the bytes that a rank moves in each of its bursts, and the s that it computed until then."""
    moved: Counter[int] = Counter()
    computed = {}
    for one in own:
        moved[one.burst] += one.bytes
        computed[one.burst] = one.computed
    return [(moved[burst], computed[burst]) for burst in sorted(moved)]


def _same(what: str, example: str, told: Iterable[_Number]) -> _Number:
    """Return what is the same for all ranks, in all iterations."""
    first, *others = dict.fromkeys(told)
    if others:
        raise InvalidInput(
            f"what is done with {example} and files like it differs in {what}: {first} here, {others[0]} there",
            hint="have each rank do as much in each iteration, or give files that differ in use different sizes",
        )
    return first


def _access(of_ranks: Iterable[Sequence[Transfer]]) -> Access:
    """Return how most requests of a rank lie, and their pieces, to the ones before them in the same file."""
    gaps: Counter[int] = Counter()
    for own in of_ranks:
        for one in own:
            if one.gaps:
                gaps.update(one.gaps)
        gaps.update(sign(b.offset - a.end) for a, b in pairwise(own) if a.path == b.path and a.last != b.offset)
    if gaps[0] * 2 >= gaps.total():
        return Access.CONSECUTIVE
    return Access.RANDOM if gaps[-1] else Access.STRIDED


def _details(c: Characteristics, group: _Group, found: Played, pause: float) -> dict[str, str | int | float]:
    over = _times_over(group.files, found, write=group.write)
    again = over == c.iterations and _times_over(group.files, found, write=True) == over
    alone = len(group.files) >= c.iterations * (1 if c.shared else c.io_processes)
    how = "one" if c.iterations == 1 else "again" if again else "files" if alone else "pauses"
    details: dict[str, str | int | float] = {"iterations_are": how}
    if pause:
        details["pause_seconds"] = pause
    if group.write and (syncs := sum(found.syncs[path] for path in group.files)):
        details["syncs"] = syncs
    details["opens"] = sum(found.opens[path] for path in group.files)
    if over != 1.0:
        details["times_over"] = over
    if (apart := (max(group.ranks) - min(group.ranks)) / max(1, len(group.ranks) - 1) or 1.0) != 1.0:
        details["ranks_apart"] = apart
    if c.shared and not c.collective and c.iterations > 1 and _contiguous(group.ranks.values()):
        details["contiguous"] = True
    if not group.write and not c.collective and (jumps := sum(map(_jumps, group.ranks.values()))):
        details["jumps"] = jumps
    if not group.write and _of_others(group.ranks, found) * 2 > c.total_bytes:
        details["written_by_others"] = True
    if not group.write and _growing(group.files, found) * 2 > c.total_bytes:
        details["read_while_written"] = True
    if c.collective:
        details["collective_buffering"] = _interleaved(group.ranks)
    return details


def _times_over(files: Iterable[str], found: Played, *, write: bool) -> float:
    """Return how often each byte of some files is moved in a direction, to the last that is; 0.0 where none is."""
    moved, extent = 0, 0
    for path in files:
        transfers = [one for own in found.transfers.get((path, write), {}).values() for one in own]
        moved += sum(one.bytes for one in transfers)
        extent += max((one.end for one in transfers), default=0)
    return moved / extent if extent else 0.0


def _contiguous(of_ranks: Iterable[Sequence[Transfer]]) -> bool:
    """Return whether the requests of each rank to a file follow one another, and there are several to one file."""
    several = False
    for own in of_ranks:
        alike = [(a, b) for a, b in pairwise(own) if a.path == b.path]
        if any(b.offset != a.end for a, b in alike) or any(set(one.gaps) - {0} for one in own):
            return False
        several = several or bool(alike) or any(one.calls > 1 for one in own)
    return several


def _jumps(own: Sequence[Transfer]) -> int:
    """Return how often a rank goes on elsewhere in a file than behind what it moved before; 0 where a view skips."""
    if any(one.span > one.size for one in own):
        return 0
    inside = sum(times for one in own for kind, times in one.gaps.items() if kind)
    return inside + sum(a.path == b.path and a.end != b.offset for a, b in pairwise(own))


def _of_others(ranks: Mapping[int, Sequence[Transfer]], found: Played) -> int:
    """Return how many bytes ranks read of files that others wrote, and they themselves did not."""
    moved = 0
    for rank, own in ranks.items():
        for one in own:
            writers = found.transfers.get((one.path, True), {})
            moved += one.bytes if writers and rank not in writers else 0
    return moved


def _growing(files: Iterable[str], found: Played) -> int:
    """Return how many bytes are read of files that others go on writing, as barriers tell, and that stay open."""
    moved = 0
    for path in files:
        readers, writers = found.transfers[path, False], found.transfers.get((path, True), {})
        reads = sum(one.calls for own in readers.values() for one in own)
        for rank, own in readers.items() if reads >= 2 * found.opens[path] else ():
            others = [one for other, of in writers.items() if other != rank for one in of]
            moved += sum(one.bytes for one in own) if others and _meanwhile(own, others) else 0
    return moved


def _meanwhile(reads: Sequence[Transfer], writes: Sequence[Transfer]) -> bool:
    """Return whether reads go on for half of the barriers from the first of some writes to the last one."""
    begun, done = (end(one.barriers for one in reads) for end in (min, max))
    first, last = (end(one.barriers for one in writes) for end in (min, max))
    both = min(done, last) - max(begun, first)
    return both > 0 and 2 * both >= last - first


def _interleaved(ranks: Mapping[int, Sequence[Transfer]]) -> bool:
    """Return whether a rank's part of a call begins before the one of the rank below ends: what ROMIO asks."""
    calls = zip(*(own for _, own in sorted(ranks.items())), strict=True)
    return any(b.offset < a.end for call in calls for a, b in pairwise(call))
