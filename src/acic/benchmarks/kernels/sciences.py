"""Applications for a test: weather, proteins, a microscope's movies, a plasma and water by quantum chemistry."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB

_FLOAT, _DOUBLE = 4, 8  # B


def icon(scale: str, *, ranks: int, calls: int, record: int, steps: int, message: int, compute: float) -> Kernel:
    """Weather: a restart file of each working process, and two that pack and write forecasts while those go on."""
    grid, arrays, attributes, ready = 250_000, 20, 40_000, 6
    works, servers = ranks - 2, f"{ranks - 2}-{ranks - 1}"
    streams = {"ml": (ranks - 2, 6, 10), "pl": (ranks - 1, 4, 8)}  # process, variables, levels of each
    working = f"0-{works - 1}"
    writer = Writer(ranks)
    writer.read_file("g", "grid.nc", grid, count=arrays, ranks=0)
    writer.barrier()
    for rank in range(works):
        writer.read_file(f"i{rank}", f"start.patch1_{rank}.nc", record, count=calls, ranks=rank)
    for step in range(steps):
        writer.compute(compute, ranks=working)
        writer.barrier()
        for stream, (rank, variables, levels) in streams.items():
            writer.open(stream, f"{stream}.{step}.grb", ranks=rank, write=True)
            for variable in range(variables):
                writer.compute(compute / variables, ranks=rank)
                writer.write(stream, variable * levels * message, message, count=levels, ranks=rank)
            writer.close(stream, ranks=rank)
        writer.barrier(servers)
        writer.put(f"ready.{step}", 1, ready, ranks=works)
    for rank in range(works):
        writer.write_file(f"o{rank}", f"end.patch1_{rank}.nc", record, count=calls, ranks=rank)
    writer.put("end.attributes.nc", 1, attributes, ranks=0)
    share = calls * record
    inputs = {"grid.nc": arrays * grid, **{f"start.patch1_{rank}.nc": share for rank in range(works)}}
    forecasts = [name.format(step) for step in range(steps) for name in ("ml.{}.grb", "pl.{}.grb", "ready.{}")]
    left = ("end.attributes.nc", *(f"end.patch1_{rank}.nc" for rank in range(works)))
    return Kernel(
        name="icon",
        scale=scale,
        title="weather: a restart file of each working process, forecasts packed and written by two that only do that",
        source="ICON: asynchronous output in GRIB2 through CDI, a file for each time, ready files, multifile restarts",
        changed=f"{steps} times, records of {record // 1000} kB, messages of {message // 1000} kB; packing is as long.",
        run=writer.script,
        prepares=prepared(ranks, list(inputs.items())),
        results=(*forecasts, *left),
    )


def namd(scale: str, *, ranks: int, atoms: int, frames: int, every: int, compute: float) -> Kernel:
    """Proteins in water: process 0 reads lines of text, appends coordinates, and keeps the last two restarts."""
    buffer, cell, energies, system = 4 * KIB, 130, 1_100, 330  # buffer: of the C library
    texts = {"apoa1.psf": atoms * 146 // buffer, "apoa1.pdb": atoms * 81 // buffer}
    axis, vectors, restarts = atoms * _FLOAT, 3 * atoms * _DOUBLE, frames // every
    appended = {"apoa1.dcd": (3, axis), "apoa1.log": (1, energies), "apoa1.xst": (1, cell)}
    writer = Writer(ranks)
    for name, count in texts.items():
        writer.read_file("t", name, buffer, count=count, ranks=0)
    writer.barrier()
    for name in appended:
        writer.open(name, name, ranks=0, write=True)
    for frame in range(frames):
        writer.compute(compute)
        writer.barrier()
        for name, (count, size) in appended.items():
            writer.write(name, frame * count * size, size, count=count, ranks=0)
        number, rest = divmod(frame + 1, every)
        if rest == 0:
            for kind in ("bin", "xsc") if number > 2 else ():
                writer.unlink(f"restart.{number - 2}.{kind}", ranks=0)
            writer.write_file("r", f"restart.{number}.bin", vectors, count=2, ranks=0)
            writer.put(f"restart.{number}.xsc", 1, system, ranks=0)
    for name in appended:
        writer.close(name, ranks=0)
    kept = [f"restart.{number}.{kind}" for number in (restarts - 1, restarts) for kind in ("bin", "xsc")]
    return Kernel(
        name="namd",
        scale=scale,
        title="proteins in water: text read, coordinates appended and restarts of two versions kept by process 0",
        source="NAMD: PSF and PDB by the C library, a DCD frame axis by axis, restarts whose former ones become .old",
        changed=f"{atoms} atoms, {frames} frames; .coor and .vel are one file; renaming removes; marks are left out.",
        run=writer.script,
        prepares=prepared(ranks, [(name, count * buffer) for name, count in texts.items()]),
        results=(*appended, *kept),
    )


def cryosparc(scale: str, *, ranks: int, movies: int, frames: int, frame: int, picture: int, compute: float) -> Kernel:
    """A microscope's movies: each process reads its own, frame by frame, and leaves a picture with small files."""
    row = 1_400
    made = {"aligned.mrc": picture, "thumb.png": 42_000, "background.mrc": 26_000, "bend.npy": 9_700, "rigid.npy": 770}
    cases = [f"{movie}.{rank}" for movie in range(movies) for rank in range(ranks)]
    writer = Writer(ranks)
    writer.read_file("g", "gain.mrc", picture)
    for movie in range(movies):
        for rank in range(ranks):
            writer.read_file(f"m{rank}", f"movie.{movie}.{rank}.tif", frame, count=frames, ranks=rank)
        writer.compute(compute)
        for name, size in made.items():
            for rank in range(ranks):
                writer.put(f"{movie}.{rank}.{name}", 1, size, ranks=rank)
    writer.barrier()
    writer.put("micrographs.cs", 1, len(cases) * row, ranks=0)
    inputs = {"gain.mrc": picture, **{f"movie.{case}.tif": frames * frame for case in cases}}
    return Kernel(
        name="cryosparc",
        scale=scale,
        title="a microscope's movies: each process reads its own, frame by frame, and leaves a picture and small files",
        source="CryoSPARC's patch motion correction: TIFF movies, a gain reference, .mrc, .npy and .png of each, a .cs",
        changed=f"{len(cases)} movies of {frames} frames of {frame // 1000} kB, pictures of {picture // 1000} kB.",
        run=writer.script,
        prepares=prepared(ranks, list(inputs.items())),
        results=(*(f"{case}.{name}" for case in cases for name in made), "micrographs.cs"),
    )


def picongpu(scale: str, *, ranks: int, cells: int, particles: int, outputs: int, compute: float) -> Kernel:
    """A plasma: one process of each node writes what it and its neighbours hold, component after component."""
    nodes, line, notes = 4, 64, 4
    blocks = (*[_FLOAT * cells] * 8, *[_FLOAT * particles] * 10)  # E, B and two derived fields; electrons
    tables = {"md.0": 46_000, "profiling.json": 11_000, "mmd.0": 9_000, "md.idx": 320}
    group = ranks // nodes
    roots = range(0, ranks, group)
    names = (*(f"data.{node}" for node in range(nodes)), *tables)
    writer = Writer(ranks)
    writer.open("e", "e_energy_all.dat", ranks=0, write=True)
    for output in range(outputs):
        for note in range(notes):
            writer.compute(compute / notes)
            writer.write("e", (output * notes + note) * line, line, ranks=0)
        writer.barrier()
        for rank in roots:
            members, start = f"{rank}-{rank + group - 1}", 0
            writer.open(f"d{rank}", f"simData_{output}.data.{rank // group}", ranks=rank, write=True)
            for block in blocks:
                writer.write(f"d{rank}", start, block, count=group, ranks=rank)
                writer.barrier(members)
                start += group * block
            writer.close(f"d{rank}", ranks=rank)
        for name, size in tables.items():
            writer.put(f"simData_{output}.{name}", 1, size, ranks=0)
    writer.close("e", ranks=0)
    return Kernel(
        name="picongpu",
        scale=scale,
        title="a plasma: for each output a sub-file of each node, component after component, tables by process 0",
        source="PIConGPU with openPMD on ADIOS2's BP5: TwoLevelShm, an aggregator a node, a flush for each component",
        changed=f"{outputs} outputs, {cells} cells and {particles} electrons on each; md.idx is written at once.",
        run=writer.script,
        results=("e_energy_all.dat", *(f"simData_{output}.{name}" for output in range(outputs) for name in names)),
    )


def cp2k(scale: str, *, ranks: int, basis: int, orbitals: int, side: int, steps: int, compute: float) -> Kernel:
    """Water by quantum chemistry: orbitals by process 0 in each step, densities of all as lines of text, collective."""
    buffer, every, backups = 128 * KIB, 2, 3  # buffer: of gfortran, for unformatted files
    calls = basis * orbitals * _DOUBLE // buffer
    share = side * side // ranks * (13 * side + side // 6)
    appended, state = {"pos-1.xyz": 12_300, "1.ener": 118}, 41_000
    writer = Writer(ranks)
    writer.read_file("i", "start.wfn", buffer, count=calls, ranks=0)
    writer.barrier()
    for name in appended:
        writer.open(name, name, ranks=0, write=True)
    for step in range(steps):
        writer.compute(compute)
        writer.barrier()
        for kind in ("wfn", "restart") if step > backups else ():
            writer.unlink(f"{step - backups - 1}.{kind}", ranks=0)
        writer.write_file("w", f"{step}.wfn", buffer, count=calls, ranks=0)
        writer.barrier()
        if step % every == every - 1:
            writer.open("c", f"density.{step}.cube", write=True, mpiio=True)
            writer.write_all("c", [(rank * share, share) for rank in range(ranks)])
            writer.close("c")
        for name, size in appended.items():
            writer.write(name, step * size, size, ranks=0)
        writer.put(f"{step}.restart", 1, state, ranks=0)
    for name in appended:
        writer.close(name, ranks=0)
    kept = [f"{step}.{kind}" for step in range(max(0, steps - backups - 1), steps) for kind in ("wfn", "restart")]
    grids = [f"density.{step}.cube" for step in range(every - 1, steps, every)]
    return Kernel(
        name="cp2k",
        scale=scale,
        title="water by quantum chemistry: orbitals by process 0 in each step, densities of all as text, collective",
        source="CP2K's molecular dynamics: RESTART.wfn with three backups, .cube by MPI-IO, trajectories, energies",
        changed=f"{orbitals} orbitals of {basis} functions, {side}^3 points without headers; renaming is removing.",
        run=writer.script,
        prepares=prepared(ranks, [("start.wfn", calls * buffer)]),
        results=(*kept, *grids, *appended),
    )
