"""Applications for a test that write what they computed; two of them read it back."""

from __future__ import annotations

import math

from acic.benchmarks.kernels.kernel import Kernel, Told
from acic.benchmarks.kernels.script import Writer, blocks_of
from acic.units import KIB

_DOUBLE, _FLOAT = 8, 4  # B


def hacc(scale: str, *, ranks: int, particles: int, compute: float) -> Kernel:
    """HACC-IO: nine variables of all particles to a file for each process, which is read back."""
    variables, particle = 9, 38
    mine = particles * particle
    names = [f"hacc-{rank}.data" for rank in range(ranks)]
    writer = Writer(ranks)
    writer.compute(compute)
    writer.barrier()
    for write in (True, False):
        for rank, name in enumerate(names):
            writer.open(f"f{rank}", name, ranks=rank, write=write)
            move = writer.write if write else writer.read
            move(f"f{rank}", 0, mine // variables, count=variables, ranks=rank)
            writer.close(f"f{rank}", ranks=rank)
        writer.barrier()
    return Kernel(
        name="hacc",
        scale=scale,
        title="HACC-IO: a checkpoint of all particles, a file each, and its restart",
        source="the log hacc_write_read: seven floats, an identity and a mask of each particle, 38 B",
        changed=f"{particles} particles on each process; the variables' pieces are alike.",
        run=writer.script,
        results=tuple(names),
        told=Told(before=True),  # of what is read back at once, too
    )


def s3d(scale: str, *, split: tuple[int, int, int], side: int, dumps: int, compute: float) -> Kernel:
    """S3D-IO: 16 fields on a 3-D grid, each process a block, a file for each dump."""
    fields = 16  # 11 species, three velocities, pressure and temperature
    ranks = math.prod(split)
    block = (side, side, side)
    whole = (side * split[0], side * split[1], side * split[2])
    mine, array = math.prod(block) * _DOUBLE, math.prod(whole) * _DOUBLE
    blocks = blocks_of(split, block)
    names = [f"field.{dump}.nc" for dump in range(dumps)]
    writer = Writer(ranks)
    for name in names:
        writer.compute(compute)
        writer.barrier()
        writer.open("nc", name, write=True, mpiio=True)
        for field in range(fields):
            writer.view("nc", field * array, _DOUBLE, whole, blocks)
            writer.write_all("nc", [(0, mine)] * ranks)
        writer.close("nc")
    return Kernel(
        name="s3d",
        scale=scale,
        title="S3D-IO: blocks of the fields of a flame, a file for each dump, collective",
        source="the log s3d_io_blocking: PnetCDF, blocking, five files",
        changed=f"MPI-IO calls as PnetCDF makes them, a call for each field; blocks of {side}^3 points, {dumps} dumps.",
        run=writer.script,
        results=tuple(names),
    )


def wrf(scale: str, *, split: tuple[int, int], patch: int, frames: int, compute: float) -> Kernel:
    """WRF: frames of a history file, each process a patch of all levels, all fields of a frame in one call."""
    levels = 40
    ranks = math.prod(split)
    whole = (levels, patch * split[0], patch * split[1])
    mine = levels * patch**2 * _FLOAT
    writer = Writer(ranks)
    writer.open("nc", "wrfout.nc", write=True, mpiio=True)
    writer.view("nc", 0, _FLOAT, whole, blocks_of((1, *split), (levels, patch, patch)))
    for frame in range(frames):
        writer.compute(compute)
        writer.barrier()
        writer.write_all("nc", [(frame * mine, mine)] * ranks)
    writer.close("nc")
    return Kernel(
        name="wrf",
        scale=scale,
        title="WRF: patches of a history file, frame after frame, collective",
        source="the log wrf_io: PnetCDF, non-blocking, a call for each frame",
        changed=f"A field of {levels} levels stands for all; patches of {patch}^2 points, {frames} frames.",
        run=writer.script,
        results=("wrfout.nc",),
    )


def btio_ep(scale: str, *, ranks: int, dumps: int, compute: float) -> Kernel:
    """BT-IO with a file for each process: dumps between time steps, and all of it read back to be verified."""
    request, pieces = 128 * KIB, 20
    mine = request * pieces
    names = [f"btio.epio.{rank}" for rank in range(ranks)]
    writer = Writer(ranks)
    for rank, name in enumerate(names):
        writer.open(f"f{rank}", name, ranks=rank, write=True)
    for dump in range(dumps):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"f{rank}", dump * mine, request, count=pieces, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.read(f"f{rank}", 0, request, count=dumps * pieces, ranks=rank)
        writer.close(f"f{rank}", ranks=rank)
    return Kernel(
        name="btio-ep",
        scale=scale,
        title="BT-IO, a file for each process, read back at the end",
        source="the log btio_A_ep_io: NPB BT, 40 dumps in requests of 128 KiB",
        changed=f"POSIX, where NPB writes through Fortran; {dumps} dumps.",
        run=writer.script,
        results=tuple(names),
    )
