"""Applications for a test: neutrons, waves, plasmas and electrons, by codes that read what they start from and dump."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, blocks_of, prepared
from acic.units import KIB

_COMPLEX = 16  # B


def openmc(scale: str, *, ranks: int, nuclides: int, size: int, sites: int, compute: float) -> Kernel:
    """Neutrons: every process reads the data of all nuclides; source sites are written collectively, tallies by one."""
    batches, calls, line, lines = 2, 4, 100_000, 15
    share = sites * 104
    writer = Writer(ranks)
    names = [f"nuclide.{number}.h5" for number in range(nuclides)]
    for name in names:
        writer.read_file("n", name, size // calls, count=calls)
    for batch in range(batches):
        writer.compute(compute)
        writer.open("s", f"statepoint.{batch}.h5", write=True, mpiio=True)
        writer.write_all("s", [(rank * share, share) for rank in range(ranks)])
        writer.close("s")
    writer.write_file("t", "tallies.out", line, count=lines, ranks=0)
    return Kernel(
        name="openmc",
        scale=scale,
        title="neutrons: nuclides' files that all read, sites in order of the processes, collective, tallies by one",
        source="OpenMC on MPI: a library of HDF5 files, statepoints with the source bank, tallies.out",
        changed=f"{nuclides} nuclides of {size // 1000} kB, {batches} statepoints of {sites} sites a process.",
        run=writer.script,
        prepares=prepared(ranks, [(name, size) for name in names]),
        results=(*(f"statepoint.{batch}.h5" for batch in range(batches)), "tallies.out"),
    )


def wavewatch(scale: str, *, ranks: int, points: int, restarts: int, compute: float) -> Kernel:
    """Waves of the sea: spectra of points that are dealt in turn, a record for each, read once and written again."""
    record = 24 * 30 * 4
    share = points * record
    writer = Writer(ranks)
    writer.open("i", "restart.ww3", write=False)
    for rank in range(ranks):
        writer.read("i", rank * record, record, count=points, stride=ranks * record, ranks=rank)
    writer.close("i")
    for number in range(restarts):
        writer.compute(compute)
        writer.open("o", f"restart{number}.ww3", ranks=0, write=True)
        writer.close("o", ranks=0)
        writer.barrier()
        writer.open("o", f"restart{number}.ww3", write=True)
        for rank in range(ranks):
            writer.write("o", rank * record, record, count=points, stride=ranks * record, ranks=rank)
        writer.close("o")
    return Kernel(
        name="wavewatch",
        scale=scale,
        title="waves of the sea: a small record for each point, points dealt in turn, read and written by all",
        source="WAVEWATCH III without I/O servers: restart files of direct access, written by each process",
        changed=f"{points} spectra of {record} B on each process, {restarts} restart files; fields are left out.",
        run=writer.script,
        prepares=prepared(ranks, [("restart.ww3", ranks * share)]),
        results=tuple(f"restart{number}.ww3" for number in range(restarts)),
    )


def warpx(scale: str, *, ranks: int, dumps: int, fields: int, size: int, compute: float) -> Kernel:
    """A plasma in a laser's wake: a file for each dump, a slab of every field from each process, independent."""
    writer = Writer(ranks)
    for dump in range(dumps):
        writer.compute(compute)
        writer.open("d", f"openpmd.{dump}.h5", write=True, mpiio=True)
        for rank in range(ranks):
            writer.write("d", rank * size, size, count=fields, stride=ranks * size, ranks=rank)
        writer.close("d")
    return Kernel(
        name="warpx",
        scale=scale,
        title="a plasma: slabs of nine fields in a shared file for each dump, independent",
        source="WarpX with openPMD-api on HDF5, whose writes are independent by default",
        changed=f"{dumps} dumps, {size // 1000} kB of each field for a process; particles are left out.",
        run=writer.script,
        results=tuple(f"openpmd.{dump}.h5" for dump in range(dumps)),
    )


def gene(scale: str, *, block: tuple[int, int, int], records: int, record: int, compute: float) -> Kernel:
    """Turbulence in a tokamak: a distribution of short rows, read and written collectively, fields noted by one."""
    split = (2, 2, 4)
    ranks = split[0] * split[1] * split[2]
    whole = (split[0] * block[0], split[1] * block[1], split[2] * block[2])
    parts = blocks_of(split, block)
    share = block[0] * block[1] * block[2] * _COMPLEX
    writer = Writer(ranks)
    writer.open("f", "field.dat", ranks=0, write=True)
    for path, write in (("checkpoint", False), ("s_checkpoint", True)):
        writer.open("c", path, write=write, mpiio=True)
        writer.view("c", 0, _COMPLEX, whole, parts)
        (writer.write_all if write else writer.read_all)("c", [(0, share)] * ranks)
        writer.close("c")
        for number in range(0 if write else records):
            writer.compute(compute)
            writer.barrier()
            writer.write("f", number * record, record, ranks=0)
    writer.close("f", ranks=0)
    return Kernel(
        name="gene",
        scale=scale,
        title="turbulence of a plasma: short rows of a distribution, read and written, collective; fields by one",
        source="GENE's checkpoints through MPI-IO, its field.dat from process 0",
        changed=f"Rows of {block[2] * _COMPLEX} B, three dimensions for six; {records} fields of {record // KIB} KiB.",
        run=writer.script,
        prepares=prepared(ranks, [("checkpoint", ranks * share)]),
        results=("s_checkpoint", "field.dat"),
    )


def yambo(scale: str, *, ranks: int, fragments: int, request: int, compute: float) -> Kernel:
    """Excited electrons: each process computes and writes fragments of a database, then every one reads all of them."""
    calls = 2
    share = calls * request
    writer = Writer(ranks)
    names = [[f"ndb.em1s.{rank}.{number}" for rank in range(ranks)] for number in range(fragments)]
    for number in range(fragments):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write_file(f"w{rank}", names[number][rank], request, count=calls, ranks=rank)
    writer.barrier()
    results = tuple(name for alike in names for name in alike)
    for name in results:
        writer.read_file("r", name, request, count=calls)
    writer.compute(compute)
    files = fragments * ranks
    return Kernel(
        name="yambo",
        scale=scale,
        title="excited electrons: fragments of a database, some from each process, that every process reads",
        source="Yambo's screening (ndb.em1s fragments), read again by all for the self-energy",
        changed=f"{files} fragments of {share // 1000} kB; what comes of them is left out.",
        run=writer.script,
        results=results,
    )
