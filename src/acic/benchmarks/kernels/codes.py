"""Applications for a test: simulations that dump collectively, read meshes, run as ensembles, or keep lattices."""

from __future__ import annotations

import math

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, blocks_of, prepared
from acic.units import KIB


def nek5000(scale: str, *, ranks: int, dumps: int, each: int, compute: float) -> Kernel:
    """Nek5000: coordinates, velocity and pressure in a file for each dump, field after field, collective."""
    fields = 7
    writer = Writer(ranks)
    for dump in range(dumps):
        writer.compute(compute)
        writer.barrier()
        writer.open("f", f"case0.f{dump:05}", write=True, mpiio=True)
        for field in range(fields):
            writer.write_all("f", [((field * ranks + rank) * each, each) for rank in range(ranks)])
        writer.close("f")
    return Kernel(
        name="nek5000",
        scale=scale,
        title="Nek5000: elements of each field in the order of processes, a file for each dump, collective",
        source="Nek5000's .fld files through MPI-IO: coordinates, velocity and pressure, a call for each",
        changed=f"{dumps} dumps, {each // 1000} kB of each field for a process; headers are left out.",
        run=writer.script,
        results=tuple(f"case0.f{dump:05}" for dump in range(dumps)),
    )


def specfem(scale: str, *, ranks: int, record: int, records: int, frames: int, compute: float) -> Kernel:
    """SPECFEM3D: each process reads its mesh, record by record, and writes parts of a movie after its time steps."""
    meshes = [f"proc{rank:06}_mesh.bin" for rank in range(ranks)]
    movie = record * 12
    writer = Writer(ranks)
    for rank, mesh in enumerate(meshes):
        writer.read_file(f"m{rank}", mesh, record, count=records, ranks=rank)
    writer.barrier()
    for frame in range(frames):
        writer.compute(compute)
        for rank in range(ranks):
            writer.put(f"proc{rank:06}_movie{frame:03}.bin", 1, movie, ranks=rank)
    return Kernel(
        name="specfem",
        scale=scale,
        title="SPECFEM3D: a mesh for each process, read record by record, and movie files",
        source="SPECFEM3D's databases: Fortran unformatted files of each process; a movie file of each for a frame",
        changed=f"{records} records of {record // 1000} kB, {frames} frames; seismograms are left out.",
        run=writer.script,
        prepares=prepared(ranks, [(mesh, records * record) for mesh in meshes]),
        results=tuple(f"proc{rank:06}_movie{frame:03}.bin" for rank in range(ranks) for frame in range(frames)),
    )


def ensemble(scale: str, *, ranks: int, state: int, history: int, days: int, compute: float) -> Kernel:
    """An ensemble: each process is a member of its own that reads its state, writes history, and its state again."""
    starts = [f"member{rank:02}.start.nc" for rank in range(ranks)]
    request = 64 * KIB
    writer = Writer(ranks)
    for rank, start in enumerate(starts):
        writer.read_file(f"s{rank}", start, request, count=state // request, ranks=rank)
    for day in range(days):
        writer.compute(compute)
        for rank in range(ranks):
            writer.put(f"member{rank:02}.day{day}.nc", 1, history, ranks=rank)
    for rank in range(ranks):
        writer.write_file(f"e{rank}", f"member{rank:02}.end.nc", request, count=state // request, ranks=rank)
    names = [*(f"day{day}" for day in range(days)), "end"]
    return Kernel(
        name="ensemble",
        scale=scale,
        title="an ensemble of forecasts: members that read, compute and write, each by itself",
        source="ensembles of limited-area models (WRF, COSMO): a member for each process, none waits for another",
        changed=f"States of {state // KIB} KiB, {days} days of {history // 1000} kB.",
        run=writer.script,
        prepares=prepared(ranks, [(start, state) for start in starts]),
        results=tuple(f"member{rank:02}.{name}.nc" for rank in range(ranks) for name in names),
    )


def lattice(scale: str, *, split: tuple[int, int, int], block: tuple[int, int, int], compute: float) -> Kernel:
    """Lattice QCD: a gauge field read by all, and two propagators written, blocks of a lattice, collective."""
    site, made = 72 * 8, 2
    ranks, mine = math.prod(split), math.prod(block) * site
    whole = (block[0] * split[0], block[1] * split[1], block[2] * split[2])
    size = math.prod(whole) * site
    blocks = blocks_of(split, block)
    writer = Writer(ranks)
    writer.open("gauge", "gauge.lime", write=False, mpiio=True)
    writer.view("gauge", 0, site, whole, blocks)
    writer.read_all("gauge", [(0, mine)] * ranks)
    writer.close("gauge")
    for number in range(made):
        writer.compute(compute)
        writer.barrier()
        writer.open("prop", f"prop.{number}.lime", write=True, mpiio=True)
        writer.view("prop", 0, site, whole, blocks)
        writer.write_all("prop", [(0, mine)] * ranks)
        writer.close("prop")
    return Kernel(
        name="lattice",
        scale=scale,
        title="lattice QCD: blocks of a lattice, a field read and two propagators written, collective",
        source="QIO and c-lime of USQCD: a site's data together, sites in lexicographic order",
        changed=f"Blocks of {'x'.join(map(str, block))} sites of {site} B; a propagator is as large as the field.",
        run=writer.script,
        prepares=prepared(ranks, [("gauge.lime", size)]),
        results=tuple(f"prop.{number}.lime" for number in range(made)),
    )
