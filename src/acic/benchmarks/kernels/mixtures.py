"""More applications for a test, which read and write in turn."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def tiles(scale: str, *, split: tuple[int, int], frames: int, rows: int, row: int, compute: float) -> Kernel:
    """Frames of an image, each process a tile, written row by row and independently; all is read back at the end."""
    down, across = split
    ranks, frame = down * across, down * rows * across * row
    writer = Writer(ranks)
    writer.open("image", "frames", write=True, mpiio=True)
    for write in (True, False):
        for number in range(frames):
            if write:
                writer.compute(compute)
            for rank in range(ranks):
                place = number * frame + rank // across * rows * across * row + rank % across * row
                move = writer.write if write else writer.read
                move("image", place, row, count=rows, stride=across * row, ranks=rank)
        writer.barrier()
    writer.close("image")
    return Kernel(
        name="tiles",
        scale=scale,
        title="tiles of an image, written frame by frame and read back, independent",
        source="the log app_tile_indep: independent MPI-IO through a subarray, appended to one file, then read",
        changed=f"A call for each row of {row // KIB} KiB, {frames} frames.",
        run=writer.script,
        results=("frames",),
    )


def mapreduce(scale: str, *, ranks: int, share: int, compute: float) -> Kernel:
    """MapReduce: each process reads its share, writes it sorted, and reduces its part of what all wrote."""
    request, part = 256 * KIB, share // ranks
    found = share // 8
    writer = Writer(ranks)
    writer.open("input", "input", write=False)
    for rank in range(ranks):
        writer.read("input", rank * share, request, count=share // request, ranks=rank)
    writer.close("input")
    writer.compute(compute)
    for rank in range(ranks):
        writer.write_file("map", f"map.{rank}", request, count=share // request, ranks=rank)
    writer.barrier()
    for turn in range(ranks):
        for rank in range(ranks):
            writer.open("map", f"map.{(rank + turn) % ranks}", ranks=rank, write=False)
            writer.read("map", rank * part, part, ranks=rank)
            writer.close("map", ranks=rank)
    writer.compute(compute)
    for rank in range(ranks):
        writer.put(f"reduced.{rank}", 1, found, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.unlink(f"map.{rank}", ranks=rank)

    return Kernel(
        name="mapreduce",
        scale=scale,
        title="MapReduce: a shared input, sorted parts that all read from, small results",
        source="external sorting as in TeraSort and samtools: spilled runs, each read by all that merge",
        changed=f"{share // MIB} MiB of each process, which all fit in memory; results are an eighth.",
        run=writer.script,
        prepares=prepared(ranks, [("input", ranks * share)]),
        results=tuple(f"reduced.{rank}" for rank in range(ranks)),
    )


def outofcore(scale: str, *, ranks: int, requests: int, compute: float) -> Kernel:
    """NWChem: integrals written once to a scratch file of each process, and read again in each iteration."""
    request, passes = 96 * KIB, 3
    names = [f"integrals.{rank}" for rank in range(ranks)]
    writer = Writer(ranks)
    for rank, name in enumerate(names):
        writer.open(f"f{rank}", name, ranks=rank, write=True)
        writer.write(f"f{rank}", 0, request, count=requests, ranks=rank)
    for _ in range(passes):
        writer.compute(compute)
        writer.barrier()
        for rank in range(ranks):
            writer.read(f"f{rank}", 0, request, count=requests, ranks=rank)
    for rank, name in enumerate(names):
        writer.close(f"f{rank}", ranks=rank)
        writer.unlink(name, ranks=rank)
    return Kernel(
        name="outofcore",
        scale=scale,
        title="NWChem: a scratch file of each process, written once and read in each iteration",
        source="Hartree-Fock with integrals on disk (NWChem, Gaussian): write once, read in every iteration",
        changed=f"{requests * request // KIB} KiB of each process, {passes} iterations; the files go at the end.",
        run=writer.script,
    )


def keyvalue(scale: str, *, ranks: int, rounds: int, table: int, compute: float) -> Kernel:
    """A store of pages: seven of ten operations read anywhere in a table, three write anywhere in another, and sync."""
    page, reads, writes = 4 * KIB, 7, 3
    draw = random.Random(70)  # noqa: S311  # the same on every machine
    wanted = draw.sample(range(table // page), ranks * rounds * reads)
    changed = draw.sample(range(ranks * rounds * writes), ranks * rounds * writes)
    writer = Writer(ranks)
    writer.open("updates", "updates", ranks=0, write=True)
    writer.close("updates", ranks=0)
    writer.barrier()
    writer.open("table", "table", write=False)
    writer.open("updates", "updates", write=True)
    for number in range(rounds):
        for rank in range(ranks):
            first = number * ranks + rank
            for place in wanted[first * reads : (first + 1) * reads]:
                writer.read("table", place * page, page, ranks=rank)
            for place in changed[first * writes : (first + 1) * writes]:
                writer.write("updates", place * page, page, ranks=rank)
        writer.sync("updates")
        writer.compute(compute)
    writer.close("updates")
    writer.close("table")
    return Kernel(
        name="keyvalue",
        scale=scale,
        title="a store of pages: random reads and writes, each round synced",
        source="the log app_mixrand: 4 KiB at random places of a shared file, 70 % reads",
        changed=f"Pages are written to a file of their own, synced in each of {rounds} rounds.",
        run=writer.script,
        prepares=prepared(ranks, [("table", table)]),
        results=("updates",),
    )


def dtar(scale: str, *, ranks: int, each: int, size: int) -> Kernel:
    """Archiving: files that others made, read whole and written one behind the other into a shared archive."""
    writer, made = Writer(ranks), Writer(ranks)
    made.mkdir("files", ranks=0)
    made.barrier()
    for rank in range(ranks):
        made.put(f"files/{rank}.#", each, size, ranks=rank)
    writer.open("tar", "archive.tar", ranks=0, write=True)
    writer.close("tar", ranks=0)
    writer.barrier()
    writer.open("tar", "archive.tar", write=True)
    for number in range(each):
        for rank in range(ranks):
            writer.get(f"files/{(rank + ranks // 2) % ranks}.{number}", 1, size, ranks=rank)
            writer.write("tar", (rank * each + number) * size, size, ranks=rank)
    writer.close("tar")
    return Kernel(
        name="dtar",
        scale=scale,
        title="archiving: many files read by all and packed into one",
        source="dtar of mpiFileUtils: files dealt to the processes, places in the archive known beforehand",
        changed=f"{ranks * each} files of {size // 1000} kB; headers and padding are left out.",
        run=writer.script,
        prepares=made.script,
        results=("archive.tar",),
    )
