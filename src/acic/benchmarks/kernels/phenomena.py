"""Applications for a test: a plasma's turbulence, a fire, a river, the noise of the ground and a beam in a ring."""

from __future__ import annotations

from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared

_FLOAT, _DOUBLE, _COMPLEX = 4, 8, 16  # B


def cgyro(scale: str, *, ranks: int, radial: int, species: int, state: int, steps: int, compute: float) -> Kernel:
    """A plasma's turbulence: small synced records of every second process, files opened anew, and whole states."""
    every, group, lines = steps // 2, range(0, ranks, 2), {"out.cgyro.time": 39, "out.cgyro.timing": 122}
    half, some = _COMPLEX // 2, ",".join(map(str, group))
    flux, moments = 3 * species * _FLOAT, 3 * species * radial * half
    records = {"kxky_phi": radial * half, "kxky_moments": moments, "ky_flux": flux, "freq": 2 * _FLOAT}
    writer = Writer(ranks)
    _shares(writer, range(ranks), "start.restart", state, write=False, sync=False)
    for name in (*records, *lines):
        writer.open("o", name, ranks=0, write=True)
        writer.close("o", ranks=0)
    writer.barrier()
    for step in range(steps):
        writer.compute(compute)
        writer.barrier()
        for name, size in records.items():
            writer.open("b", name, ranks=some, write=True, mpiio=True)
            for place, rank in enumerate(group):
                writer.write("b", (step * len(group) + place) * size, size, ranks=rank)
            writer.sync("b", ranks=some)
            writer.close("b", ranks=some)
        for name, size in lines.items():
            writer.open("o", name, ranks=0, write=True)
            writer.write("o", step * size, size, ranks=0)
            writer.close("o", ranks=0)
        save, rest = divmod(step + 1, every)
        if rest:
            continue
        _shares(writer, range(ranks), f"restart.{save}", state, write=True, sync=True)
        if save > 1:
            writer.unlink(f"restart.{save - 1}", ranks=0)
        writer.put(f"restart.{save}.tag", 1, 30, ranks=0)
    return Kernel(
        name="cgyro",
        scale=scale,
        title="a plasma's turbulence: synced records of every second process, files opened anew, states by all of them",
        source="CGYRO: cgyro_write_distributed_bcomplex with MPI_FILE_WRITE_AT and MPI_FILE_SYNC, bin.cgyro.restart",
        changed=f"{steps} outputs, {state // 1000} kB of state each; three moments are one file; renaming is removing.",
        run=writer.script,
        prepares=prepared(ranks, [("start.restart", ranks * state)]),
        results=(*records, *lines, "restart.2", "restart.1.tag", "restart.2.tag"),
    )


def _shares(writer: Writer, ranks: range, path: str, size: int, *, count: int = 1, write: bool, sync: bool) -> None:
    """Have some processes write or read their shares of a file that all open, each on its own, and sync it if told."""
    writer.open("h", path, write=write, mpiio=True)
    for place, rank in enumerate(ranks):
        (writer.write if write else writer.read)("h", place * count * size, size, count=count, ranks=rank)
    if sync:
        writer.sync("h")
    writer.close("h")


def fds(scale: str, *, ranks: int, cells: tuple[int, int, int], arrays: int, frames: int, compute: float) -> Kernel:
    """A fire: seven files of each process that grow by a flushed record in each frame, restarts that replace others."""
    x, y, z = cells
    marks, every = 20, frames // 2  # marks: a time and Fortran's around two records, B
    sizes = {name: _FLOAT * a * b + marks for name, a, b in (("1.sf", y, z), ("2.sf", x, z), ("3.sf", x, y))}
    sizes |= {"1.bf": 2 * sizes["1.sf"] + sizes["3.sf"], "prt5": 200 * 5 * _FLOAT}
    sizes |= {"soot.s3d": x * y * z // 4, "hrr.s3d": x * y * z // 20}
    lines, field = {"hrr.csv": 210, "devc.csv": 1_300, "fire.out": 2_400}, (x + 2) * (y + 2) * (z + 2) * _DOUBLE
    writer = Writer(ranks)
    for name in lines:
        writer.open(name, name, ranks=0, write=True)
    for rank, name in product(range(ranks), sizes):
        writer.open(f"{name}{rank}", f"{rank}.{name}", ranks=rank, write=True)
    for frame in range(frames):
        writer.compute(compute)
        writer.barrier()
        for rank, (name, size) in product(range(ranks), sizes.items()):
            writer.write(f"{name}{rank}", frame * size, size, ranks=rank)
        for name, size in lines.items():
            writer.write(name, frame * size, size, ranks=0)
        save, rest = divmod(frame + 1, every)
        for rank in range(0 if rest else ranks):
            if save > 1:
                writer.unlink(f"{rank}.{save - 1}.restart", ranks=rank)
            writer.write_file(f"r{rank}", f"{rank}.{save}.restart", field, count=arrays, ranks=rank)
    for name in lines:
        writer.close(name, ranks=0)
    for rank, name in product(range(ranks), sizes):
        writer.close(f"{name}{rank}", ranks=rank)
    return Kernel(
        name="fds",
        scale=scale,
        title="a fire: slices, surfaces, smoke and drops in files of each mesh, flushed often, restarts in between",
        source="FDS: a mesh for each process, .sf, .bf, .s3d and .prt5, DT_FLUSH, .restart with STATUS='REPLACE'",
        changed=f"Meshes of {x}x{y}x{z}, {frames} frames; smoke is of one size, restarts have other names; no .smv.",
        run=writer.script,
        results=(*lines, *(f"{rank}.{name}" for rank, name in product(range(ranks), (*sizes, "2.restart")))),
    )


def telemac(scale: str, *, ranks: int, nodes: int, variables: int, frames: int, compute: float) -> Kernel:
    """A river: process 0 cuts a mesh into a file for each, reads what each wrote, frame by frame, and joins it."""
    mesh, listed, record = 10, 5_600, nodes * _FLOAT  # mesh: records of it
    part = record // ranks
    writer = Writer(ranks)
    writer.read_file("g", "geo.slf", record, count=mesh, ranks=0)
    for rank in range(ranks):
        writer.write_file("g", f"geo{rank}.slf", part, count=mesh, ranks=0)
    writer.barrier()
    for rank in range(ranks):
        writer.read_file(f"g{rank}", f"geo{rank}.slf", part, count=mesh, ranks=rank)
        writer.open(f"r{rank}", f"res{rank}.slf", ranks=rank, write=True)
    writer.open("l", "listing.txt", ranks=0, write=True)
    for frame in range(frames):
        writer.compute(compute)
        writer.barrier()
        for rank in range(ranks):
            writer.write(f"r{rank}", frame * variables * part, part, count=variables, ranks=rank)
        writer.write("l", frame * listed, listed, ranks=0)
    for rank in range(ranks):
        writer.close(f"r{rank}", ranks=rank)
    writer.close("l", ranks=0)
    writer.barrier()
    _gretel(writer, ranks, record, mesh, variables, frames)
    for kind in ("geo", "res"):
        writer.unlink(f"{kind}#.slf", ranks, ranks=0)
    return Kernel(
        name="telemac",
        scale=scale,
        title="a river: a mesh cut by process 0, results of each process, joined by process 0 frame by frame, removed",
        source="TELEMAC-2D by telemac2d.py: PARTEL, T2DRES of each process in SELAFIN, GRETEL, a working folder",
        changed=f"{nodes} nodes, {frames} frames of {variables} variables; no T2DCLI, results without meshes.",
        run=writer.script,
        prepares=prepared(ranks, [("geo.slf", mesh * record)]),
        results=("r2d.slf", "listing.txt"),
    )


def _gretel(writer: Writer, ranks: int, record: int, mesh: int, variables: int, frames: int) -> None:
    """Have process 0 read the mesh again, and for each frame what each process wrote, to write it as one."""
    part = record // ranks
    writer.read_file("g", "geo.slf", record, count=mesh, ranks=0)
    for rank in range(ranks):
        writer.open(f"p{rank}", f"res{rank}.slf", ranks=0, write=False)
    writer.open("o", "r2d.slf", ranks=0, write=True)
    for frame in range(frames):
        for rank in range(ranks):
            writer.read(f"p{rank}", frame * variables * part, part, count=variables, ranks=0)
        writer.write("o", frame * variables * record, record, count=variables, ranks=0)
    writer.close("o", ranks=0)
    for rank in range(ranks):
        writer.close(f"p{rank}", ranks=0)


def noisepy(scale: str, *, ranks: int, each: int, stations: int, trace: int, piece: int, compute: float) -> Kernel:
    """The ground's noise: pairs of stations in a file for each time, then opened anew for each pair and time."""
    node, nodes, done = 544, 4, 4  # node: of a tree of HDF5
    head, times, pairs = nodes * node, ranks * each, stations * (stations + 1) // 2
    own, stacking = pairs // ranks, round(compute / 40, 9)
    writer = Writer(ranks)
    for turn, rank in product(range(each), range(ranks)):
        time = turn * ranks + rank
        writer.read_file(f"d{rank}", f"raw{time}.h5", trace, count=stations, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.open(f"c{rank}", f"ccf{time}.h5", ranks=rank, write=True)
        writer.write(f"c{rank}", head, piece, count=pairs, ranks=rank)
        writer.write(f"c{rank}", 0, head, ranks=rank)
        writer.close(f"c{rank}", ranks=rank)
        writer.put(f"{time}.tmp", 1, done, ranks=rank)
    writer.barrier()
    for turn, rank in product(range(own), range(ranks)):
        pair = turn * ranks + rank
        for time in range(times):
            writer.open(f"c{rank}", f"ccf{time}.h5", ranks=rank, write=False)
            writer.read(f"c{rank}", 0, node, count=nodes, ranks=rank)
            writer.read(f"c{rank}", head + pair * piece, piece, ranks=rank)
            writer.close(f"c{rank}", ranks=rank)
            writer.compute(stacking, ranks=rank)
        writer.write_file(f"s{rank}", f"stack{pair}.h5", piece, count=times + 1, ranks=rank)
    kept = [name.format(time) for time in range(times) for name in ("ccf{}.h5", "{}.tmp")]
    return Kernel(
        name="noisepy",
        scale=scale,
        title="the ground's noise: a file of all pairs for each time, then opened for each pair, to stack its times",
        source="NoisePy's S1 and S2 on mpi4py: ASDF files by pyasdf, a .tmp for each time, a STACK file for each pair",
        changed=f"{times} times, {stations} stations, one component; a file's tree is {nodes} nodes; no folders.",
        run=writer.script,
        prepares=prepared(ranks, [(f"raw{time}.h5", stations * trace) for time in range(times)]),
        results=(*kept, *(f"stack{pair}.h5" for pair in range(own * ranks))),
    )


def pelegant(scale: str, *, ranks: int, particles: int, pages: int, turns: int, calls: int, compute: float) -> Kernel:
    """A beam in a ring: a bunch read and pages of a shared file written by all but process 0, which adds lines."""
    given, row, line = 7 * _DOUBLE, 8 * _DOUBLE, {"ring.cen": 184, "ring.log": 95}
    slaves, buffer, share = range(1, ranks), particles * row // calls, particles * row  # process 0 holds no particles
    writer = Writer(ranks)
    _shares(writer, slaves, "bunch.sdds", particles * given // calls, count=calls, write=False, sync=False)
    for name in line:
        writer.open(name, name, ranks=0, write=True)
    writer.open("w", "ring.w1", write=True, mpiio=True)
    for turn in range(pages * turns):
        writer.compute(compute)
        writer.barrier()
        for name, size in line.items():
            writer.write(name, turn * size, size, ranks=0)
        page, rest = divmod(turn + 1, turns)
        for rank in () if rest else slaves:
            writer.write("w", ((page - 1) * len(slaves) + rank - 1) * share, buffer, count=calls, ranks=rank)
    writer.close("w")
    _shares(writer, slaves, "ring.out", buffer, count=calls, write=True, sync=False)
    for name in line:
        writer.close(name, ranks=0)
    return Kernel(
        name="pelegant",
        scale=scale,
        title="a beam in a ring: a bunch read, pages of a watch point and the end written by all but one, each alone",
        source="Pelegant on SDDS: MPI_File_read and MPI_File_write of rows in buffers, WATCH in mode coord",
        changed=f"{len(slaves) * particles} rows, {pages} pages, {buffer // 1000} kB at once, not 4 MB; no headers.",
        run=writer.script,
        prepares=prepared(ranks, [("bunch.sdds", len(slaves) * particles * given)]),
        results=("ring.w1", "ring.out", *line),
    )
