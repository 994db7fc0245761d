"""Applications for a test: models saved by one, dumps in segments, matrices, records picked out, a film in pieces."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Box, Writer, prepared
from acic.units import KIB, MIB

_DOUBLE = 8  # B


def torch(scale: str, *, ranks: int, saves: int, size: int, compute: float) -> Kernel:
    """Training with copies of one model: process 0 saves it and waits until it lasts, the others wait for that."""
    writer = Writer(ranks)
    for save in range(saves):
        writer.compute(compute)
        writer.barrier()
        writer.write_file("pt", f"epoch{save}.pt", MIB, count=size // MIB, ranks=0, sync=True)
        writer.barrier()
    return Kernel(
        name="torch",
        scale=scale,
        title="training with copies of one model: one process saves it, synced, all wait",
        source="torch.save on rank 0 of data-parallel training, with fsync, behind a barrier",
        changed=f"{saves} saves of {size // MIB} MiB; all are kept.",
        run=writer.script,
        results=tuple(f"epoch{save}.pt" for save in range(saves)),
    )


def segments(scale: str, *, ranks: int, dumps: int, calls: int, compute: float) -> Kernel:
    """Dumps to a shared file each: every process its segment of it, synced by all before they go on."""
    share = calls * MIB
    writer = Writer(ranks)
    for dump in range(dumps):
        writer.compute(compute)
        writer.open("d", f"dump.{dump}", ranks=0, write=True)
        writer.close("d", ranks=0)
        writer.barrier()
        writer.open("d", f"dump.{dump}", write=True)
        for rank in range(ranks):
            writer.write("d", rank * share, MIB, count=calls, ranks=rank)
        writer.sync("d")
        writer.close("d")
    return Kernel(
        name="segments",
        scale=scale,
        title="dumps in segments: a shared file each, a part of each process, synced",
        source="N-to-1 segmented checkpoints by POSIX, as the papers of PLFS have them",
        changed=f"{dumps} dumps, {calls} MiB of each process.",
        run=writer.script,
        results=tuple(f"dump.{dump}" for dump in range(dumps)),
    )


def scalapack(scale: str, *, grid: int, tile: int, tiles: int, compute: float) -> Kernel:
    """A dense matrix, rows dealt in turn and columns in blocks: read collectively, factorised, written collectively."""
    ranks, side = grid * grid, grid * tiles * tile
    width = side // grid
    parts: list[list[Box]] = [
        [((0, (i * grid + row) * tile, column * width), (1, tile, width)) for i in range(tiles)]
        for row in range(grid)
        for column in range(grid)
    ]
    share = side * side // ranks * _DOUBLE
    writer = Writer(ranks)
    for name, write in (("a.mat", False), ("lu.mat", True)):
        writer.open("m", name, write=write, mpiio=True)
        writer.view("m", 0, _DOUBLE, (1, side, side), parts)
        (writer.write_all if write else writer.read_all)("m", [(0, share)] * ranks)
        writer.close("m")
        if not write:
            writer.compute(compute)
    whole = side * side * _DOUBLE
    return Kernel(
        name="scalapack",
        scale=scale,
        title="a dense matrix, rows dealt in turn, columns in blocks: read, factorised, written, collective",
        source="ScaLAPACK's and ELPA's matrices through MPI_Type_create_darray",
        changed=f"{side}^2 numbers on {grid}x{grid} processes, {tile} rows at a time; cyclic in rows alone.",
        run=writer.script,
        prepares=prepared(ranks, [("a.mat", whole)]),
        results=("lu.mat",),
    )


def grib(scale: str, *, ranks: int, hours: int, wanted: int, record: int, compute: float) -> Kernel:
    """Post-processing of forecasts: of each hour's file a process picks every fourth record, and computes on them."""
    every, size = 4, 4 * wanted * record
    writer = Writer(ranks)
    names = [[f"h{rank}.{hour}.grib" for hour in range(hours)] for rank in range(ranks)]
    for hour in range(hours):
        for rank in range(ranks):
            writer.open(f"g{rank}", names[rank][hour], ranks=rank, write=False)
            writer.read(f"g{rank}", 0, record, count=wanted, stride=every * record, ranks=rank)
            writer.close(f"g{rank}", ranks=rank)
        writer.compute(compute)
    inputs = [name for mine in names for name in mine]
    return Kernel(
        name="grib",
        scale=scale,
        title="post-processing of forecasts: every fourth record of a file for each hour",
        source="wgrib2 and ecCodes with an index: one variable of many, hour by hour",
        changed=f"{hours} files of {size / MIB:.3g} MiB for each process, records of {record // KIB} KiB.",
        run=writer.script,
        prepares=prepared(ranks, [(name, size) for name in inputs]),
    )


def encode(scale: str, *, ranks: int, turns: int, chunk: int, made: int, compute: float) -> Kernel:
    """Encoding of a film: processes take its chunks in turn, compute on each, and add what it became to own files."""
    writer = Writer(ranks)
    writer.open("film", "film.y4m", write=False)
    for rank in range(ranks):
        writer.open(f"o{rank}", f"part.{rank}.mkv", ranks=rank, write=True)
    for turn in range(turns):
        for rank in range(ranks):
            writer.read("film", (turn * ranks + rank) * chunk, chunk, ranks=rank)
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"o{rank}", turn * made, made, ranks=rank)
    writer.close("film")
    for rank in range(ranks):
        writer.close(f"o{rank}", ranks=rank)
    return Kernel(
        name="encode",
        scale=scale,
        title="encoding of a film: chunks of one file in turn, a file of each process behind",
        source="ffmpeg and av1an by chunks on many nodes; satellite scenes calibrated strip by strip",
        changed=f"{turns} chunks of {chunk // KIB} KiB for each process; what they become is {made // KIB} KiB each.",
        run=writer.script,
        prepares=prepared(ranks, [("film.y4m", ranks * turns * chunk)]),
        results=tuple(f"part.{rank}.mkv" for rank in range(ranks)),
    )
