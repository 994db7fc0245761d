"""Applications for a test: galaxies, splashing fluids, earthquakes, an ocean and molecules, each with its own I/O."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, blocks_of, prepared

_FLOAT = 4  # B
_DOUBLE = 8  # B


def gadget(scale: str, *, ranks: int, particles: int, rounds: int, compute: float) -> Kernel:
    """Galaxies that form: one process of each group reads and writes for it, restart files of all come in waves."""
    files, waves, blocks = 2, 2, 3
    group = ranks // files
    masters = range(0, ranks, group)
    piece, part = particles * 3 * _FLOAT, particles * 100
    writer = Writer(ranks)
    for rank in masters:
        writer.read_file(f"i{rank}", f"ics.{rank // group}", piece, count=group * blocks, ranks=rank)
    for turn in range(rounds):
        writer.compute(compute)
        writer.barrier()
        for rank in masters:
            writer.write_file(f"s{rank}", f"snapshot_{turn}.{rank // group}", piece, count=group * blocks, ranks=rank)
        writer.barrier()
        writer.compute(compute)
        for wave in range(waves):
            writer.barrier()
            for rank in range(wave, ranks, waves):
                writer.write_file(f"r{rank}", f"restart_{turn}.{rank}", part, count=2, ranks=rank)
        writer.barrier()
        for rank in range(ranks if turn else 0):
            writer.unlink(f"restart_{turn - 1}.{rank}", ranks=rank)
    size = group * blocks * piece
    inputs = [f"ics.{number}" for number in range(files)]
    kept = [f"snapshot_{turn}.{number}" for turn in range(rounds) for number in range(files)]
    return Kernel(
        name="gadget",
        scale=scale,
        title="galaxies that form: snapshots by one process of each group, restart files of all in waves",
        source="GADGET-4 and AREPO: several files per snapshot, a limit to files that are written at a time",
        changed=f"{particles} particles on each process, {rounds} rounds; blocks are alike, headers are left out.",
        run=writer.script,
        prepares=prepared(ranks, [(name, size) for name in inputs]),
        results=(*kept, *(f"restart_{rounds - 1}.{rank}" for rank in range(ranks))),
    )


def basilisk(scale: str, *, ranks: int, calls: int, dumps: int, frames: int, frame: int, compute: float) -> Kernel:
    """A fluid that splashes: each process reads through the whole dump for its cells, and writes them to the next."""
    buffer = 4096  # of the C library
    share = calls * buffer
    writer = Writer(ranks)
    writer.read_file("r", "restart", buffer, count=ranks * calls)
    writer.open("m", "movie.ppm", ranks=0, write=True)
    for dump in range(dumps):
        for number in range(dump * frames, (dump + 1) * frames):
            writer.compute(compute)
            writer.barrier()
            writer.write("m", number * frame, frame, ranks=0)
        writer.open("d", f"dump-{dump}", ranks=0, write=True)
        writer.close("d", ranks=0)
        writer.barrier()
        writer.open("d", f"dump-{dump}", write=True)
        for rank in range(ranks):
            writer.write("d", rank * share, buffer, count=calls, ranks=rank)
        writer.close("d")
    writer.close("m", ranks=0)
    return Kernel(
        name="basilisk",
        scale=scale,
        title="a splashing fluid: a dump that every process reads through, cells of each in the next ones, a movie",
        source="Basilisk's dump and restore of trees on MPI, by the C library; output_ppm from process 0",
        changed=f"{calls} buffers of {buffer} B of each process, {dumps} dumps; coarse cells lie with the others.",
        run=writer.script,
        prepares=prepared(ranks, [("restart", ranks * share)]),
        results=(*(f"dump-{dump}" for dump in range(dumps)), "movie.ppm"),
    )


def awp(scale: str, *, block: tuple[int, int, int], outputs: int, steps: int, compute: float) -> Kernel:
    """An earthquake: all read a mesh collectively, those at the surface write its motion, each leaves a checkpoint."""
    split, material, motion, state = (2, 2, 2), 3 * _FLOAT, 3 * _FLOAT, 9
    ranks, top = 8, range(4)
    depth, height, width = block
    cells = depth * height * width
    plane = height * width * motion
    whole = (split[0] * depth, split[1] * height, split[2] * width)
    writer = Writer(ranks)
    writer.open("m", "mesh", write=False, mpiio=True)
    writer.view("m", 0, material, whole, blocks_of(split, block))
    writer.read_all("m", [(0, cells * material)] * ranks)
    writer.close("m")
    surface = f"{top[0]}-{top[-1]}"
    writer.open("s", "surface", ranks=surface, write=True, mpiio=True)
    writer.view("s", 0, motion, (1, *whole[1:]), blocks_of((1, 2, 2), (1, height, width)), ranks=top)
    for output in range(outputs):
        writer.compute(compute)
        writer.barrier()
        writer.write_all("s", [(output * steps * plane, steps * plane)] * len(top), ranks=top)
    writer.close("s", ranks=surface)
    for rank in range(ranks):
        writer.write_file(f"c{rank}", f"checkpoint.{rank}", cells * _FLOAT, count=state, ranks=rank)
    return Kernel(
        name="awp",
        scale=scale,
        title="an earthquake: a mesh read by all, the surface's motion written by half, collective; a state of each",
        source="AWP-ODC: MPI-IO through subarrays for mesh and output, time steps gathered before each write",
        changed=f"Blocks of {depth}x{height}x{width} cells, {outputs} writes of {steps} steps; one file for three.",
        run=writer.script,
        prepares=prepared(ranks, [("mesh", ranks * cells * material)]),
        results=("surface", *(f"checkpoint.{rank}" for rank in range(ranks))),
    )


def mom6(scale: str, *, ranks: int, rows: int, levels: int, days: int, compute: float) -> Kernel:
    """An ocean: all read bands of a restart, one process of four writes history in parts, one combines them."""
    columns, variables, group = 360, 6, 4
    roots = range(0, ranks, group)
    band, piece = rows * columns * _DOUBLE, group * rows * columns * _FLOAT
    day, field = variables * piece, len(roots) * piece
    parts = [f"ocean.nc.{rank:04d}" for rank in roots]
    writer = Writer(ranks)
    writer.stat("restart.nc", ranks="*")
    writer.open("r", "restart.nc", write=False)
    for rank in range(ranks):
        writer.read("r", rank * band, band, count=levels, stride=ranks * band, ranks=rank)
    writer.close("r")
    for rank, name in zip(roots, parts, strict=True):
        writer.open(f"p{rank}", name, ranks=rank, write=True)
    for number in range(days):
        writer.compute(compute)
        writer.barrier()
        for rank in roots:
            writer.write(f"p{rank}", number * day, piece, count=variables, ranks=rank)
    for rank in roots:
        writer.close(f"p{rank}", ranks=rank)
    writer.barrier()
    writer.open("o", "ocean.nc", ranks=0, write=True)
    for number in range(days):
        for name in parts:
            writer.open("p", name, ranks=0, write=False)
            writer.read("p", number * day, piece, count=variables, ranks=0)
            writer.close("p", ranks=0)
        writer.write("o", number * len(roots) * day, field, count=variables, ranks=0)
    writer.close("o", ranks=0)
    for name in parts:
        writer.unlink(name, ranks=0)
    return Kernel(
        name="mom6",
        scale=scale,
        title="an ocean: bands of a restart read by all, history in parts by one process of four, combined by one",
        source="MOM6 and other models on FMS: io_layout, and mppnccombine at the end of the job",
        changed=f"A grid of {ranks * rows}x{columns}, {levels} levels read, {days} days of {variables} fields.",
        run=writer.script,
        prepares=prepared(ranks, [("restart.nc", ranks * levels * band)]),
        results=("ocean.nc",),
    )


def dlpoly(scale: str, *, ranks: int, batches: int, atoms: int, frames: int, compute: float) -> Kernel:
    """Molecules that move: lines of text for each atom, in batches by every second process, independent."""
    line = 73
    doing = range(0, ranks, 2)
    group = ",".join(map(str, doing))
    batch, frame_batch = atoms * 4 * line, atoms * 2 * line
    state, share = len(doing) * batches * batch, batches * frame_batch
    writer = Writer(ranks)
    writer.open("c", "CONFIG", ranks=group, write=False, mpiio=True)
    for place, rank in enumerate(doing):
        writer.read("c", place * batch, batch, count=batches, stride=len(doing) * batch, ranks=rank)
    writer.close("c", ranks=group)
    writer.open("h", "HISTORY", ranks=group, write=True, mpiio=True)
    writer.open("s", "STATIS", ranks=0, write=True)
    statis = 40 * line
    for frame in range(frames):
        writer.compute(compute)
        writer.barrier()
        writer.write("s", frame * statis, statis, ranks=0)
        for place, rank in enumerate(doing):
            start = (frame * len(doing) + place) * share
            writer.write("h", start, frame_batch, count=batches, ranks=rank)
    writer.close("h", ranks=group)
    writer.close("s", ranks=0)
    writer.open("r", "REVCON", ranks=group, write=True, mpiio=True)
    for place, rank in enumerate(doing):
        writer.write("r", place * batches * batch, batch, count=batches, ranks=rank)
    writer.close("r", ranks=group)
    return Kernel(
        name="dlpoly",
        scale=scale,
        title="molecules that move: lines of text read, appended and left in batches by half of the processes",
        source="DL_POLY 4: CONFIG, HISTORY and REVCON by sorted MPI-IO with I/O processes and batches",
        changed=f"{len(doing) * batches * atoms} atoms, {frames} frames; the sorting and REVIVE are left out.",
        run=writer.script,
        prepares=prepared(ranks, [("CONFIG", state)]),
        results=("HISTORY", "STATIS", "REVCON"),
    )
