"""Applications for a test: fields cut one way and another, graphs, particles, and two files side by side."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Box, Writer, prepared
from acic.units import KIB, MIB

_DOUBLE = 8  # B


def pencils(scale: str, *, rows: int, columns: int, side: int, fields: int, compute: float) -> Kernel:
    """Spectra of a flow: pencils along one axis read collectively, transformed, slabs of a grid of rows written."""
    ranks, whole = rows * columns, (side, side, side)
    height, width, slab = side // rows, side // columns, side // ranks
    pencil: list[list[Box]] = [
        [((row * height, column * width, 0), (height, width, side))] for row in range(rows) for column in range(columns)
    ]
    slabs: list[list[Box]] = [[((rank * slab, 0, 0), (slab, side, side))] for rank in range(ranks)]
    share = side**3 // ranks * _DOUBLE
    writer = Writer(ranks)
    for field in range(fields):
        for name, path, parts in (("u", f"u.{field}", pencil), ("s", f"spectrum.{field}", slabs)):
            writer.open(name, path, write=name == "s", mpiio=True)
            writer.view(name, 0, _DOUBLE, whole, parts)
            if name == "u":
                writer.read_all(name, [(0, share)] * ranks)
                writer.compute(compute)
            else:
                writer.write_all(name, [(0, share)] * ranks)
            writer.close(name)
    size = side**3 * _DOUBLE
    return Kernel(
        name="pencils",
        scale=scale,
        title="spectra of a flow: pencils read and slabs written, field after field, collective",
        source="turbulence codes on P3DFFT and 2DECOMP&FFT through MPI_Type_create_subarray",
        changed=f"{fields} fields of {side}^3 numbers on {rows}x{columns} processes.",
        run=writer.script,
        prepares=prepared(ranks, [(f"u.{field}", size) for field in range(fields)]),
        results=tuple(f"spectrum.{field}" for field in range(fields)),
    )


def frames(scale: str, *, ranks: int, steps: int, size: int, compute: float) -> Kernel:
    """A dataset that grows: each step every process adds its row, independently, and nobody syncs."""
    writer = Writer(ranks)
    writer.open("h", "run.h5", ranks=0, write=True)
    writer.close("h", ranks=0)
    writer.barrier()
    writer.open("h", "run.h5", write=True)
    for step in range(steps):
        writer.compute(compute)
        writer.barrier()
        for rank in range(ranks):
            writer.write("h", (step * ranks + rank) * size, size, ranks=rank)
    writer.close("h")
    return Kernel(
        name="frames",
        scale=scale,
        title="a dataset that grows in one file: a row of each process, step by step, independent",
        source="h5py with an extendible dataset, detectors' streams, particle codes that sample in every step",
        changed=f"{steps} steps of {size // KIB} KiB of each process; the library's own tables are left out.",
        run=writer.script,
        results=("run.h5",),
    )


def graph(scale: str, *, ranks: int, calls: int, ranking: int, compute: float) -> Kernel:
    """A graph is loaded, each process its part of the edges; it is searched; one process writes what was found."""
    request = MIB
    share = calls * request
    writer = Writer(ranks)
    writer.open("g", "edges.bin", write=False)
    for rank in range(ranks):
        writer.read("g", rank * share, request, count=calls, ranks=rank)
    writer.close("g")
    writer.compute(compute)
    writer.barrier()
    writer.put("ranks.bin", 1, ranking, ranks=0)
    return Kernel(
        name="graph",
        scale=scale,
        title="a graph: edges read by all, a part each, a result written by one",
        source="PageRank and Graph500 on a list of edges in one binary file",
        changed=f"{share // MIB} MiB for each process, a result of {ranking // MIB} MiB.",
        run=writer.script,
        prepares=prepared(ranks, [("edges.bin", ranks * share)]),
        results=("ranks.bin",),
    )


def relion(scale: str, *, ranks: int, rounds: int, images: int, image: int, stack: int, compute: float) -> Kernel:
    """Reconstruction of particles: each round every process reads images anywhere in a stack; one writes a map."""
    draw = random.Random(29)  # noqa: S311  # the same on every machine
    places = draw.sample(range(stack // image), ranks * rounds * images)
    density = 2 * MIB
    writer = Writer(ranks)
    writer.open("s", "particles.mrcs", write=False)
    for turn in range(rounds):
        for rank in range(ranks):
            first = (turn * ranks + rank) * images
            for place in places[first : first + images]:
                writer.read("s", place * image, image, ranks=rank)
        writer.compute(compute)
        writer.barrier()
        writer.put(f"map.{turn}.#", 1, density, ranks=0)
    writer.close("s")
    return Kernel(
        name="relion",
        scale=scale,
        title="reconstruction of particles: images anywhere in a stack, a map by one process in each round",
        source="RELION's refinement of particle stacks that lie on a shared file system",
        changed=f"{rounds} rounds of {images} images of {image // KIB} KiB for each process; maps of 2 MiB.",
        run=writer.script,
        prepares=prepared(ranks, [("particles.mrcs", stack)]),
        results=tuple(f"map.{turn}.0" for turn in range(rounds)),
    )


def compare(scale: str, *, ranks: int, calls: int, request: int) -> Kernel:
    """Two large files compared: each process has a part of them, and reads a piece of one, then of the other."""
    share = calls * request
    paths = ("old.nc", "new.nc")
    writer = Writer(ranks)
    for path in paths:
        writer.open(path[0], path, write=False)
    for call in range(calls):
        for rank in range(ranks):
            for path in paths:
                writer.read(path[0], rank * share + call * request, request, ranks=rank)
    for path in paths:
        writer.close(path[0])
    return Kernel(
        name="compare",
        scale=scale,
        title="two large files compared, piece by piece",
        source="mpiFileUtils' dcmp and checks of bit-for-bit reproducibility behind runs of climate models",
        changed=f"Two files of {ranks * share // MIB} MiB in pieces of {request // KIB} KiB.",
        run=writer.script,
        prepares=prepared(ranks, [(path, ranks * share) for path in paths]),
    )
