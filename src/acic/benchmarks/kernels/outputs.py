"""More applications for a test: simulations that write fields, histories and trajectories."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB


def openfoam(scale: str, *, ranks: int, fields: int, size: int, compute: float) -> Kernel:
    """OpenFOAM: each process writes its part of each field to a file of its own, and derives fields in between."""
    writer = Writer(ranks)
    for field in range(fields):
        writer.compute(compute)
        for rank in range(ranks):
            writer.put(f"field{field}.processor{rank}", 1, size, ranks=rank)
    return Kernel(
        name="openfoam",
        scale=scale,
        title="OpenFOAM: fields of a decomposed case, a file for each process and field",
        source="OpenFOAM's uncollated format: processorN/TIME/FIELD, binary",
        changed=f"{fields} fields of {size // 1000} kB, all in one folder; what derives each is computed before it.",
        run=writer.script,
        results=tuple(f"field{field}.processor{rank}" for field in range(fields) for rank in range(ranks)),
    )


def restart(scale: str, *, ranks: int, size: int, compute: float) -> Kernel:
    """A run that begins from a checkpoint, read by all, and leaves two: datasets in a shared file, collective."""
    datasets, checkpoints = 4, 2
    array = ranks * size
    writer = Writer(ranks)
    for number in range(checkpoints + 1):
        writer.open("h5", f"checkpoint.{number}.h5", write=number > 0, mpiio=True)
        for dataset in range(datasets):
            move = writer.write_all if number else writer.read_all
            move("h5", [(dataset * array + rank * size, size) for rank in range(ranks)])
        writer.close("h5")
        if number < checkpoints:
            writer.compute(compute)
            writer.barrier()
    return Kernel(
        name="restart",
        scale=scale,
        title="a restart: a checkpoint read by all, two more written, collective",
        source="the log app_ckpt_coll: parallel HDF5, a shared file for each checkpoint, one read back",
        changed=f"MPI-IO calls as HDF5 makes them; {datasets} datasets of {size // KIB} KiB of each process.",
        run=writer.script,
        prepares=prepared(ranks, [("checkpoint.0.h5", datasets * array)]),
        results=tuple(f"checkpoint.{number}.h5" for number in range(1, checkpoints + 1)),
    )


def pio(scale: str, *, ranks: int, steps: int, variables: int, size: int, compute: float) -> Kernel:
    """CESM with PIO: every fourth process writes for its neighbours, collectively with the others that do."""
    tasks = range(0, ranks, 4)
    users = ",".join(map(str, tasks))
    array = len(tasks) * size
    writer = Writer(ranks)
    writer.open("nc", "history.nc", ranks=users, write=True, mpiio=True)
    for step in range(steps):
        writer.compute(compute)
        writer.barrier()
        for variable in range(variables):
            first = (step * variables + variable) * array
            writer.write_all("nc", [(first + at * size, size) for at in range(len(tasks))], ranks=tasks)
    writer.close("nc", ranks=users)
    return Kernel(
        name="pio",
        scale=scale,
        title="CESM with PIO: one process of four writes history, collective",
        source="PIO of CESM and E3SM: box rearranger, PnetCDF, a stride of 4 between I/O tasks",
        changed=f"{steps} records of {variables} variables; the rearranging before them is left out.",
        run=writer.script,
        results=("history.nc",),
    )


def subfiles(scale: str, *, ranks: int, steps: int, chunk: int, compute: float) -> Kernel:
    """ADIOS: every fourth process appends what its neighbours gave it to a file of its own."""
    writers, chunks = range(0, ranks, 4), 4
    writer = Writer(ranks)
    for rank in writers:
        writer.open(f"data{rank}", f"data.{rank // 4}", ranks=rank, write=True)
    for step in range(steps):
        writer.compute(compute)
        writer.barrier()
        for rank in writers:
            writer.write(f"data{rank}", step * chunks * chunk, chunk, count=chunks, ranks=rank)
    for rank in writers:
        writer.close(f"data{rank}", ranks=rank)
    return Kernel(
        name="subfiles",
        scale=scale,
        title="ADIOS: one process of four appends to a file of its own",
        source="ADIOS2's BP4 engine: a sub-file for each aggregator, a chunk for each process and step",
        changed=f"{steps} steps, {chunk // KIB} KiB of each process; indices are left out.",
        run=writer.script,
        results=tuple(f"data.{rank // 4}" for rank in writers),
    )


def trajectory(scale: str, *, ranks: int, frames: int, lines: int, compute: float) -> Kernel:
    """LAMMPS: process 0 appends a frame of all atoms to a text file, as the C library's buffer empties."""
    buffer = 32 * KIB
    writer = Writer(ranks)
    writer.open("dump", "atoms.lammpstrj", ranks=0, write=True)
    for frame in range(frames):
        writer.compute(compute)
        writer.barrier()
        writer.write("dump", frame * lines * buffer, buffer, count=lines, ranks=0)
    writer.close("dump", ranks=0)
    return Kernel(
        name="trajectory",
        scale=scale,
        title="LAMMPS: process 0 appends frames to a trajectory",
        source="LAMMPS's dump command, style atom: gathered and printed by process 0",
        changed=f"{frames} frames in requests of {buffer // KIB} KiB; the gathering before them is left out.",
        run=writer.script,
        results=("atoms.lammpstrj",),
    )
