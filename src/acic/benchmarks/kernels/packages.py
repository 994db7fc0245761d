"""More applications for a test: packages that write histories, plotfiles and checkpoints, or read volumes."""

from __future__ import annotations

import math

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, blocks_of, prepared
from acic.units import KIB, MIB


def gromacs(scale: str, *, ranks: int, frames: int, frame: int, state: int, compute: float) -> Kernel:
    """GROMACS: process 0 appends a compressed frame now and then; a checkpoint is synced every fourth frame."""
    every = 4
    writer = Writer(ranks)
    writer.open("xtc", "traj.xtc", ranks=0, write=True)
    for number in range(frames):
        writer.compute(compute)
        writer.barrier()
        writer.write("xtc", number * frame, frame, ranks=0)
        if number % every == every - 1:
            name = f"state.{number // every}.cpt"
            writer.write_file("cpt", name, 64 * KIB, count=state // (64 * KIB), ranks=0, sync=True)
            if number >= every:
                writer.unlink(f"state.{number // every - 1}.cpt", ranks=0)
    writer.close("xtc", ranks=0)
    states = frames // every
    return Kernel(
        name="gromacs",
        scale=scale,
        title="GROMACS: process 0 appends compressed frames, and syncs checkpoints",
        source="GROMACS's mdrun: .xtc frames, a .cpt that is synced and takes the place of the one before",
        changed=f"{frames} frames of {frame // 1000} kB, checkpoints of {state // KIB} KiB; energies are left out.",
        run=writer.script,
        results=("traj.xtc", f"state.{states - 1}.cpt"),
    )


def scatter(scale: str, *, ranks: int, size: int, compute: float) -> Kernel:
    """A serial netCDF input read by process 0 for all, a time step, and a restart that process 0 writes."""
    writer = Writer(ranks)
    writer.read_file("in", "initial.nc", MIB, count=size // MIB, ranks=0)
    writer.barrier()
    writer.compute(compute)
    writer.barrier()
    writer.write_file("out", "restart.nc", MIB, count=size // MIB // 4, ranks=0)
    return Kernel(
        name="scatter",
        scale=scale,
        title="process 0 reads the input for all, and writes the restart",
        source="climate models with serial netCDF: process 0 reads and scatters",
        changed="Requests of 1 MiB; scattering and gathering are left out.",
        run=writer.script,
        prepares=prepared(ranks, [("initial.nc", size)]),
        results=("restart.nc",),
    )


def chombo(scale: str, *, ranks: int, dumps: int, boxes: int, side: int, compute: float) -> Kernel:
    """Chombo: boxes of an adaptive mesh, dealt to the processes, each written by itself to a shared plotfile."""
    box = side**3 * 8
    writer = Writer(ranks)
    for dump in range(dumps):
        writer.compute(compute)
        writer.barrier()
        writer.open("h5", f"plot.{dump}.hdf5", write=True, mpiio=True)
        for rank in range(ranks):
            writer.write("h5", rank * box, box, count=boxes, stride=ranks * box, ranks=rank)
        writer.close("h5")
    return Kernel(
        name="chombo",
        scale=scale,
        title="Chombo: boxes of an adaptive mesh, dealt in turn, in shared plotfiles, independent",
        source="Chombo's HDF5 plotfiles: a write for each box",
        changed=f"One component in boxes of {side}^3 cells, {boxes} of each process and dump; tables are left out.",
        run=writer.script,
        results=tuple(f"plot.{dump}.hdf5" for dump in range(dumps)),
    )


def macsio(scale: str, *, ranks: int, groups: int, request: int, count: int, compute: float) -> Kernel:
    """MACSio with Silo: processes of a group append to its file one after the other, a baton going round."""
    each = ranks // groups
    writer = Writer(ranks)
    writer.compute(compute)
    writer.barrier()
    for turn in range(each):
        for group in range(groups):
            rank = group * each + turn
            name = f"silo{rank}"
            writer.open(name, f"silo.{group}", ranks=rank, write=True)
            writer.write(name, turn * count * request, request, count=count, ranks=rank)
            writer.close(name, ranks=rank)
        if turn < each - 1:
            for group in range(groups):
                writer.barrier(f"{group * each}-{group * each + each - 1}")
    return Kernel(
        name="macsio",
        scale=scale,
        title="MACSio: a file for each group of processes, written by one after the other",
        source="MACSio and Silo: multiple independent files, the processes of a group pass a baton",
        changed=f"{groups} files; {count * request // KIB} KiB of each process in {count} requests.",
        run=writer.script,
        results=tuple(f"silo.{group}" for group in range(groups)),
    )


def volume(scale: str, *, split: tuple[int, int, int], block: tuple[int, int, int], compute: float) -> Kernel:
    """Volume rendering: each process reads its block of a field, time step after time step, collectively."""
    steps, element = 3, 4
    ranks = math.prod(split)
    whole = (block[0] * split[0], block[1] * split[1], block[2] * split[2])
    mine, array = math.prod(block) * element, math.prod(whole) * element
    writer = Writer(ranks)
    writer.open("raw", "volume.raw", write=False, mpiio=True)
    for step in range(steps):
        writer.view("raw", step * array, element, whole, blocks_of(split, block))
        writer.read_all("raw", [(0, mine)] * ranks)
        writer.compute(compute)
        writer.barrier()
    writer.close("raw")
    return Kernel(
        name="volume",
        scale=scale,
        title="volume rendering: blocks of a field read by all, collective",
        source="parallel volume rendering (Peterka et al.): subarrays of a raw file, two-phase reads",
        changed=f"{steps} time steps, blocks of {'x'.join(map(str, block))} points of 4 B.",
        run=writer.script,
        prepares=prepared(ranks, [("volume.raw", steps * array)]),
    )
