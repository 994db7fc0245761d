"""Sketches: small applications drawn at random, from which models learn what benchmarks do not show.

A benchmark syncs what it wrote, never computes and reads what others made. Applications pause, leave data in caches,
make many files, read their own scratch files and hand over pieces of any size. Each sketch has one phase of that kind
(or writes a file and reads it back), with everything drawn from ranges that are wider than any one application's.

The ranges stand here, and were written before anything of a sketch was measured. Sketches follow nobody's application,
so those that advice is judged by (`acic.benchmarks.kernels`) stay unseen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

from acic.benchmarks.kernels.drawn import CALLS, MOST, SMALLEST, WORD, Drawn, drawn, log_uniform
from acic.benchmarks.kernels.kernel import Kernel, Told
from acic.benchmarks.kernels.script import Box, Script, Writer, prepared
from acic.units import MIB
from acic.workloads import Access

COUNT = 240
"""How many there are; more may follow, and the first ones stay as they are."""

NAME = "sketch"
_SEED = "acic sketches 1"
_FILES = (24, 300)  # made or read by all

Transfer = Callable[[Callable[..., None], Drawn, int], None]
"""Adds an iteration's transfers to a script: how they are told, what was drawn, and which iteration."""


@cache
def sketches(count: int = COUNT) -> tuple[Kernel, ...]:
    """Return the first `count` sketches."""
    return tuple(sketch(number) for number in range(count))


def sketch(number: int) -> Kernel:
    """Return the sketch of that number, the same on every machine."""
    draw = random.Random(f"{_SEED}/{number}")  # noqa: S311  # no secret
    kind = draw.choices(list(_KINDS), weights=[weight for weight, _ in _KINDS.values()])[0]
    return _KINDS[kind][1](f"{number:03}", draw)


def _shared_file(scale: str, draw: random.Random) -> Kernel:
    """One file, of which each process has a part of its own, every so-many-th request, or any."""
    d = drawn(draw, shared=True, mpiio=draw.random() < 0.4)
    access = draw.choices((Access.CONSECUTIVE, Access.STRIDED, Access.RANDOM), weights=(4, 5, 2))[0]
    count = len(d.doing)
    total = d.iterations * count * d.calls
    anywhere = draw.sample(range(total), total) if access is Access.RANDOM else []

    def transfer(move: Callable[..., None], d: Drawn, iteration: int) -> None:
        for place, rank in enumerate(d.doing):
            if access is Access.RANDOM:
                first = (iteration * count + place) * d.calls
                for at in anywhere[first : first + d.calls]:
                    move("f", at * d.request, d.request, ranks=rank)
            elif access is Access.STRIDED:
                begin = (iteration * d.calls * count + place) * d.request
                move("f", begin, d.request, count=d.calls, stride=count * d.request, ranks=rank)
            else:
                begin = (place * d.iterations + iteration) * d.share
                move("f", begin, d.request, count=d.calls, ranks=rank)

    return _of_one_file(scale, d, transfer)


def _collective(scale: str, draw: random.Random) -> Kernel:
    """One file, written or read by collective calls: of pieces that interleave, or of one piece of each process."""
    d = drawn(draw, shared=True, mpiio=True, most=CALLS // 4)
    interleaved = draw.random() < 0.5
    count = len(d.doing)
    rows = draw.choice((8, 16, 32, 64)) if interleaved else 1
    width = max(WORD, d.request // rows // WORD * WORD)
    request = rows * width

    def view(writer: Writer) -> None:
        if interleaved:
            mine: list[list[Box]] = [[((0, 0, place * width), (1, rows, width))] for place in range(count)]
            writer.view("f", 0, 1, (1, rows, count * width), mine, ranks=d.doing)

    def transfer(move: Callable[..., None], d: Drawn, iteration: int) -> None:
        for call in range(d.calls):
            number = iteration * d.calls + call
            places = [
                (number * request if interleaved else (number * count + i) * request, request) for i in range(count)
            ]
            move("f", places, ranks=d.doing)

    return _of_one_file(scale, replace(d, request=request), transfer, collective=True, view=view)


def _of_one_file(
    scale: str,
    d: Drawn,
    transfer: Transfer,
    *,
    collective: bool = False,
    view: Callable[[Writer], None] = lambda _: None,
) -> Kernel:
    writer = Writer(d.ranks)
    ranks = ",".join(map(str, d.doing))
    size = d.iterations * len(d.doing) * d.share

    def opened(*, write: bool) -> None:
        if write and not d.mpiio:  # one process makes a shared file before the others open it
            writer.open("f", "data", ranks=d.doing[0], write=True)
            writer.close("f", ranks=d.doing[0])
            writer.barrier()
        writer.open("f", "data", ranks=ranks, write=write, mpiio=d.mpiio)
        view(writer)

    write, read = (writer.write_all, writer.read_all) if collective else (writer.write, writer.read)
    if d.own or not d.reads:
        opened(write=True)
        _steps(writer, d.at_once if d.own else d, partial(transfer, write), sync={"f": ranks})
        writer.close("f", ranks=ranks)
    if d.own:
        writer.barrier()
    if d.reads:
        opened(write=False)
        _steps(writer, d, partial(transfer, read), sync={})
        writer.close("f", ranks=ranks)
    if d.own:
        writer.barrier()
        writer.unlink("data", ranks=0)
    before = prepared(d.ranks, [("data", size)]) if d.reads and not d.own else None
    return _sketch(scale, "collective" if collective else "a shared file", writer, before)


def _own_files(scale: str, draw: random.Random) -> Kernel:
    """A file of each process, written or read request after request."""
    d = drawn(draw, shared=False)
    writer, names = Writer(d.ranks), {rank: f"data.{rank}" for rank in d.doing}
    size = d.iterations * d.share

    def transfer(move: Callable[..., None], d: Drawn, iteration: int) -> None:
        for rank in d.doing:
            move(f"f{rank}", iteration * d.share, d.request, count=d.calls, ranks=rank)

    for write in [True] * (d.own or not d.reads) + [False] * d.reads:
        for rank, name in names.items():
            writer.open(f"f{rank}", name, ranks=rank, write=write)
        move = writer.write if write else writer.read
        sync = {f"f{rank}": str(rank) for rank in d.doing} if write else {}
        _steps(writer, d.at_once if write and d.own else d, partial(transfer, move), sync=sync)
        for rank in d.doing:
            writer.close(f"f{rank}", ranks=rank)
        writer.barrier()
    if d.own:
        for rank, name in names.items():
            writer.unlink(name, ranks=rank)
    before = prepared(d.ranks, [(name, size) for name in names.values()]) if d.reads and not d.own else None
    return _sketch(scale, "own files", writer, before)


def _many_files(scale: str, draw: random.Random) -> Kernel:
    """Many files of each process, each made or read whole."""
    d = drawn(draw, shared=False)
    each = max(2, round(log_uniform(draw, *_FILES) / len(d.doing)))
    most = min(MIB, MOST / (each * len(d.doing)))
    size = max(WORD, round(log_uniform(draw, SMALLEST, most)) // WORD * WORD)
    pause = float(f"{d.pause * d.iterations / each:.3g}")
    d = replace(d, iterations=each, calls=1, request=size, synced="never", pause=pause)
    writer, made = Writer(d.ranks), Writer(d.ranks)
    maker = made if d.reads and not d.own else writer
    maker.mkdir("files", ranks=0)
    maker.barrier()
    for number in range(each):
        if not d.reads:
            _before(writer, d)
        for place, rank in enumerate(d.doing):  # what is read was made on another node, if there are several
            by = rank if maker is writer else d.doing[place - len(d.doing) // 2]
            maker.put(f"files/{rank}.{number}", 1, size, ranks=by)
    writer.barrier()
    for number in range(each if d.reads else 0):
        _before(writer, d)
        for rank in d.doing:
            writer.get(f"files/{rank}.{number}", 1, size, ranks=rank)
    if d.own:
        writer.barrier()
        for rank in d.doing:
            writer.unlink(f"files/{rank}.#", each, ranks=rank)
    return _sketch(scale, "many files", writer, made.script if maker is made else None)


def _steps(
    writer: Writer,
    d: Drawn,
    transfer: Callable[[Drawn, int], None],
    *,
    sync: Mapping[str, str],
) -> None:
    for iteration in range(d.iterations):
        _before(writer, d)
        transfer(d, iteration)
        if d.synced == "each" or (d.synced == "end" and iteration == d.iterations - 1):
            for name, ranks in sync.items():
                writer.sync(name, ranks=ranks)


def _before(writer: Writer, d: Drawn) -> None:
    if d.pause:
        writer.compute(d.pause)
    if d.in_step:
        writer.barrier()


def _sketch(scale: str, title: str, writer: Writer, prepares: Script | None) -> Kernel:
    return Kernel(
        name=NAME,
        scale=scale,
        title=title,
        source="drawn at random",
        changed="",
        run=writer.script,
        prepares=prepares,
        told=Told(name=f"{NAME}-{scale}", before=True),
    )


_KINDS: dict[str, tuple[int, Callable[[str, random.Random], Kernel]]] = {
    "shared file": (4, _shared_file),
    "collective": (3, _collective),
    "own files": (3, _own_files),
    "many files": (3, _many_files),
}
