"""Simulations that write what they have computed, collectively or one process for all."""

from __future__ import annotations

import math

from acic.benchmarks.kernels.kernel import Kernel, Told
from acic.benchmarks.kernels.script import Box, Writer, blocks_of

DOUBLE, FLOAT = 8, 4  # B


def btio(scale: str, *, ranks: int, grid: int, dumps: int, compute: float) -> Kernel:
    """BT-IO: a field of five numbers a point, written every few time steps.

    Each of p*p ranks has p cells of the p*p*p that the grid is cut into, one in each slab, on diagonals.
    """
    side, point = math.isqrt(ranks), 5 * DOUBLE
    cell = grid // side
    mine = grid**3 * point // ranks
    writer = Writer(ranks)
    writer.open("out", "btio.out", write=True, mpiio=True)
    writer.view("out", 0, point, (grid, grid, grid), [_cells(rank, side, cell) for rank in range(ranks)])
    for dump in range(dumps):
        writer.compute(compute)
        writer.barrier()
        writer.write_all("out", [(dump * mine, mine)] * ranks)
    writer.close("out")
    return Kernel(
        name="btio",
        scale=scale,
        title="BT-IO: nested-strided cells, collective writes",
        source="ACIC (SC13, section 5.1) and the log btio_A_mpi_io_full: NPB BT with full MPI-IO",
        changed=f"A grid of {grid}^3 points and {dumps} dumps; the file is not read back, as in the paper's table.",
        run=writer.script,
        results=("btio.out",),
    )


def _cells(rank: int, side: int, cell: int) -> list[Box]:
    """Return NPB's cells of a rank: those of slab k are shifted along the diagonal by k."""
    row, column = divmod(rank, side)
    return [
        ((slab * cell, (row - slab) % side * cell, (column + slab) % side * cell), (cell, cell, cell))
        for slab in range(side)
    ]


def flashio(scale: str, *, ranks: int, blocks: int, compute: float) -> Kernel:
    """FLASH-IO: a checkpoint of 24 variables and two plot files of 4, a collective write for each variable."""
    files = (
        ("flash_chk_0000.h5", 24, 8**3 * DOUBLE),
        ("flash_plt_cnt_0000.h5", 4, 8**3 * FLOAT),
        ("flash_plt_crn_0000.h5", 4, 9**3 * FLOAT),
    )
    writer = Writer(ranks)
    for path, variables, block in files:
        mine = blocks * block
        writer.compute(compute)
        writer.barrier()
        writer.open("h5", path, write=True, mpiio=True)
        for variable in range(variables):
            writer.write_all("h5", [((variable * ranks + rank) * mine, mine) for rank in range(ranks)])
        writer.close("h5")
    return Kernel(
        name="flashio",
        scale=scale,
        title="FLASH-IO: checkpoint and plot files, a collective write for each variable",
        source="ACIC (SC13, section 5.1) and the log flash_io: 24 variables of blocks of 8^3 points, plots of 4",
        changed=(
            f"MPI-IO calls as HDF5 makes them, without HDF5's and FLASH's own small tables; {blocks} blocks on each "
            "process, where FLASH-IO has 80 to 82."
        ),
        run=writer.script,
        results=tuple(path for path, _, _ in files),
        told=Told(before=True),
    )


def vpicio(scale: str, *, ranks: int, particles: int, compute: float) -> Kernel:
    """VPIC-IO: eight variables of all particles, one after the other in a file."""
    variables, mine = 8, particles * FLOAT
    writer = Writer(ranks)
    writer.compute(compute)
    writer.barrier()
    writer.open("h5", "particles.h5", write=True, mpiio=True)
    for variable in range(variables):
        writer.write_all("h5", [((variable * ranks + rank) * mine, mine) for rank in range(ranks)])
    writer.close("h5")
    return Kernel(
        name="vpicio",
        scale=scale,
        title="VPIC-IO: large contiguous blocks of 8 variables, collective",
        source="Model-driven tuning (CLUSTER'15, section III-B) and the log vpicio_2048p_collective",
        changed=f"{particles} particles on each process for 8 million; the time step before the dump is computed.",
        run=writer.script,
        results=("particles.h5",),
        told=Told(before=True),
    )


def vorpalio(scale: str, *, split: tuple[int, int, int], compute: float) -> Kernel:
    """VORPAL-IO: fields on a 3-D grid, each process a block.

    Args:
        scale: of the kernel.
        split: processes along z, y and x, the slowest dimension first.
        compute: processor time of each rank, s.
    """
    block, fields = (32, 32, 300), 3
    ranks = math.prod(split)
    whole = (block[0] * split[0], block[1] * split[1], block[2] * split[2])
    mine, array = math.prod(block) * DOUBLE, math.prod(whole) * DOUBLE
    blocks = blocks_of(split, block)
    writer = Writer(ranks)
    writer.compute(compute)
    writer.barrier()
    writer.open("h5", "fields.h5", write=True, mpiio=True)
    for field in range(fields):
        writer.view("h5", field * array, DOUBLE, whole, blocks)
        writer.write_all("h5", [(0, mine)] * ranks)
    writer.close("h5")
    return Kernel(
        name="vorpalio",
        scale=scale,
        title="VORPAL-IO: blocks of 3-D fields in a shared file, collective",
        source="Model-driven tuning (CLUSTER'15, section III-B): a 3-D grid cut into blocks, H5Block, weak scaling",
        changed="Blocks of 300x32x32 points for 300x100x60, three fields; the time step before the dump is computed.",
        run=writer.script,
        results=("fields.h5",),
        told=Told(before=True),
    )


def gcrmio(scale: str, *, ranks: int, panels: int, compute: float) -> Kernel:
    """GCRM-IO: every second process writes panels of a geodesic mesh, interleaved with the others'."""
    levels, cells, variables = 26, 256, 3
    record, writers = levels * cells * DOUBLE, ranks // 2
    each = panels // writers
    users = ",".join(str(2 * one) for one in range(writers))
    writer = Writer(ranks)
    writer.compute(compute)
    writer.barrier()
    writer.open("h5", "mesh.h5", ranks=users, write=True, mpiio=True)
    for variable in range(variables):
        for one in range(writers):
            place = (variable * panels + one) * record
            writer.write("h5", place, record, count=each, stride=writers * record, ranks=2 * one)
    writer.close("h5", ranks=users)
    return Kernel(
        name="gcrmio",
        scale=scale,
        title="GCRM-IO: records of a mesh at computed offsets, half of the processes write",
        source="Model-driven tuning (CLUSTER'15, section III-B): a geodesic mesh of all processes, strong scaling",
        changed=(
            f"{panels} panels of {cells} cells and {levels} levels, three variables; every second process writes, "
            "independently, as with GCRM's I/O processes; the time step before the dump is computed."
        ),
        run=writer.script,
        results=("mesh.h5",),
        told=Told(before=True),
    )


def pop(scale: str, *, ranks: int, dumps: int, slices: int, compute: float) -> Kernel:
    """POP: all compute, and process 0 writes what they have, slice after slice."""
    record = 320 * 384 * DOUBLE
    writer = Writer(ranks)
    for dump in range(dumps):
        writer.compute(compute)
        writer.barrier()
        writer.write_file("tavg", f"tavg.{dump}", record, count=slices, ranks=0)
        writer.barrier()
    return Kernel(
        name="pop",
        scale=scale,
        title="POP: process 0 writes for all",
        source="One configuration per application (APSys'11, section 5): process 0 carries out all I/O, POSIX",
        changed="Slices of POP's 320x384 grid (gx1v3), a file for each dump; the gathering before it is left out.",
        run=writer.script,
        results=tuple(f"tavg.{dump}" for dump in range(dumps)),
    )
