"""Applications for a test: air around a wing, a fusion plasma, an ocean, a jet of gas and electrons in molecules."""

from __future__ import annotations

import math
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, blocks_of, prepared
from acic.units import KIB

_FLOAT, _DOUBLE = 4, 8  # B
_FILEBUF = 8_191  # what a stream of the C++ library reads at once, B
_PAGE = 64 * KIB  # what Psi4's PSIO moves at once
_BASES = {"def2-tzvp.gbs": 610_000, "def2-tzvp-ri.gbs": 390_000, "def2-universal-jkfit.gbs": 240_000}


def su2(scale: str, *, ranks: int, points: int, fields: int, times: int, compute: float) -> Kernel:
    """Air around a wing: a text of the mesh read whole by each, states, pictures written together."""
    mesh, state, line = ranks * points * 115 // _FILEBUF, points * fields * _DOUBLE, 216
    vectors, scalars = 3 * _FLOAT, _FLOAT  # B of a point
    # Coordinates, connectivity, offsets and types of as many hexahedra as points, then the fields.
    arrays = (vectors, 8 * _FLOAT, _FLOAT, 1, vectors, vectors, vectors, *[scalars] * (fields - 12))
    writer = Writer(ranks)
    writer.read_file("m", "wing.su2", _FILEBUF, count=mesh)
    for old in range(2):  # second order in time
        writer.open("r", f"restart_{old}.dat", write=False, mpiio=True)
        writer.read_all("r", [(rank * state, state) for rank in range(ranks)])
        writer.close("r")
    writer.open("h", "history.csv", ranks=0, write=True)
    for time in range(times):
        writer.compute(compute)
        writer.barrier()
        writer.write("h", time * line, line, ranks=0)
        writer.open("r", f"restart_{time + 2}.dat", write=True, mpiio=True)
        writer.write_all("r", [(rank * state, state) for rank in range(ranks)])
        writer.close("r")
        base = 0
        writer.open("v", f"flow_{time + 2}.vtu", write=True, mpiio=True)
        for size in arrays:
            part = points * size
            writer.write_all("v", [(base + rank * part, part) for rank in range(ranks)])
            base += ranks * part
        writer.close("v")
    writer.close("h", ranks=0)
    kept = [name.format(time + 2) for time in range(times) for name in ("restart_{}.dat", "flow_{}.vtu")]
    return Kernel(
        name="su2",
        scale=scale,
        title="air around a wing: a mesh's text read whole by each, states and arrays of pictures written together",
        source="SU2: CSU2ASCIIMeshReaderFVM's ifstream, binary restarts and .vtu by MPI-IO, dual time stepping",
        changed=f"{ranks * points} points, {fields} fields, {times} steps; no headers, no surface.",
        run=writer.script,
        prepares=prepared(
            ranks, [("wing.su2", mesh * _FILEBUF), *((f"restart_{old}.dat", ranks * state) for old in range(2))]
        ),
        results=("history.csv", *kept),
    )


def xgc(scale: str, *, ranks: int, group: int, particles: int, nodes: int, outputs: int, compute: float) -> Kernel:
    """A fusion plasma: particles read by each from a group's file, written by its first, planes by leaders."""
    blocks = [particles * numbers * _DOUBLE for numbers in (9, 3) * 2]  # of ions and electrons: phase, constants
    share, firsts, index, entry = sum(blocks), range(0, ranks, group), 2_900, 64
    writer = Writer(ranks)
    writer.read_file("i", "xgc.restart.0.bp.md.0", ranks * index, ranks=0)
    writer.barrier()
    for rank in range(ranks):
        base = rank % group * share
        writer.open(f"p{rank}", f"xgc.restart.0.bp.data.{rank // group}", ranks=rank, write=False)
        for size in blocks:
            writer.read(f"p{rank}", base, size, ranks=rank)
            base += size
        writer.close(f"p{rank}", ranks=rank)
    for part in ("data.0", "md.0", "md.idx"):
        writer.open(part, f"xgc.oneddiag.bp.{part}", ranks=0, write=True)
    for output in range(1, outputs + 1):
        writer.compute(compute)
        writer.barrier()
        for part, size in (("data.0", 21_000), ("md.0", 13_500), ("md.idx", entry)):
            writer.write(part, (output - 1) * size, size, ranks=0)
        _bp(writer, f"xgc.3d.{output}.bp", firsts, 3 * nodes * _DOUBLE, count=1, index=len(firsts) * 1_100, steps=1)
        if output % 3 == 0:
            _bp(writer, f"xgc.restart.{output}.bp", firsts, share, count=group, index=ranks * index, steps=2)
            writer.barrier()
    for part in ("data.0", "md.0", "md.idx"):
        writer.close(part, ranks=0)
    parts = [f"data.{number}" for number in range(len(firsts))]
    made = [f"3d.{output}" for output in range(1, outputs + 1)]
    made += [f"restart.{output}" for output in range(3, outputs + 1, 3)]
    return Kernel(
        name="xgc",
        scale=scale,
        title="a fusion plasma: particles of each from files of groups, written by its first, planes by leaders",
        source="XGC with ADIOS2's BP4: restart with an aggregator on each node, 3d of each output, oneddiag by one",
        changed=f"{particles} ions and electrons each, {nodes} nodes, {outputs} outputs; no folders, no f0, no mesh.",
        run=writer.script,
        prepares=prepared(
            ranks,
            [
                ("xgc.restart.0.bp.md.0", ranks * index),
                *((f"xgc.restart.0.bp.{part}", group * share) for part in parts),
            ],
        ),
        results=(
            *(f"xgc.oneddiag.bp.{part}" for part in ("data.0", "md.0", "md.idx")),
            *(f"xgc.{name}.bp.{part}" for name, part in product(made, (*parts, "md.0", "md.idx"))),
        ),
    )


def _bp(writer: Writer, path: str, firsts: range, size: int, *, count: int, index: int, steps: int) -> None:
    """Have aggregators write what they have, a buffer of each process after the other, and process 0 the index."""
    for number, rank in enumerate(firsts):
        writer.write_file(f"d{number}", f"{path}.data.{number}", size, count=count, ranks=rank)
    writer.write_file("i", f"{path}.md.0", index, ranks=0)
    writer.write_file("x", f"{path}.md.idx", 64 * (1 + steps), ranks=0)


def nemo(
    scale: str, *, split: tuple[int, int], tile: tuple[int, int], levels: int, outputs: int, compute: float
) -> Kernel:
    """An ocean: a state and winds read by all in bands of rows, files of each process, a state that one rebuilds."""
    (north, east), (rows, columns) = split, tile
    ranks, band, part = north * east, rows * east * columns, rows * columns  # points of one level
    state = ("tn", "sn", "un", "vn", "en", "avt", "rhop")
    winds = 7  # variables of the air in each record
    means = {"T": (levels, levels, 1, 1, 1, 1), "U": (levels, 1, 1), "V": (levels, 1), "W": (levels, levels)}
    writer = Writer(ranks)
    writer.open("r", "restart.nc", write=False)
    for number, rank in product(range(len(state)), range(ranks)):
        base, size = number * levels * north * band + rank // east * band, band * _DOUBLE
        writer.read("r", base * _DOUBLE, size, count=levels, stride=north * size, ranks=rank)
    writer.close("r")
    writer.open("f", "forcing.nc", write=False)
    writer.open("s", "run.stat", ranks=0, write=True)
    for rank, grid in product(range(ranks), means):
        writer.open(f"{grid}{rank}", f"grid_{grid}_{rank:04}.nc", ranks=rank, write=True)
    for output in range(outputs):
        for rank in range(ranks):
            base, size = (output * winds * north + rank // east) * band * _FLOAT, band * _FLOAT
            writer.read("f", base, size, count=winds, stride=north * size, ranks=rank)
        writer.compute(compute)
        writer.barrier()
        writer.write("s", output * 104, 104, ranks=0)
        for rank, (grid, variables) in product(range(ranks), means.items()):
            base = output * sum(variables) * part * _FLOAT
            for planes in variables:
                writer.write(f"{grid}{rank}", base, planes * part * _FLOAT, ranks=rank)
                base += planes * part * _FLOAT
    writer.close("f")
    writer.close("s", ranks=0)
    for rank, grid in product(range(ranks), means):
        writer.close(f"{grid}{rank}", ranks=rank)
    _rebuilt(writer, ranks, levels * part * _DOUBLE, len(state))
    return Kernel(
        name="nemo",
        scale=scale,
        title="an ocean: bands of rows of a state and of winds read by all, files of each, a state that one rebuilds",
        source="NEMO without XIOS: iom_get by every process, fld_read, grid_T to W of each, rebuild_nemo of restarts",
        changed=f"{ranks} tiles of {rows}x{columns}, {levels} levels; air in one file, bands for sieves; no headers.",
        run=writer.script,
        prepares=prepared(
            ranks,
            [
                ("restart.nc", len(state) * levels * north * band * _DOUBLE),
                ("forcing.nc", outputs * winds * north * band * _FLOAT),
            ],
        ),
        results=(
            "run.stat",
            *(f"grid_{grid}_{rank:04}.nc" for rank, grid in product(range(ranks), means)),
            "restart_out.nc",
        ),
    )


def _rebuilt(writer: Writer, ranks: int, size: int, variables: int) -> None:
    """Have each process write its part of variables, and process 0 join them to a file, variable by variable."""
    for rank in range(ranks):
        writer.write_file(f"o{rank}", f"restart_{rank:04}.nc", size, count=variables, ranks=rank)
    writer.barrier()
    writer.open("w", "restart_out.nc", ranks=0, write=True)
    for rank in range(ranks):
        writer.open(f"o{rank}", f"restart_{rank:04}.nc", ranks=0, write=False)
    for variable in range(variables):
        for rank in range(ranks):
            writer.read(f"o{rank}", variable * size, size, ranks=0)
        writer.write("w", variable * ranks * size, ranks * size, ranks=0)
    for name in ("w", *(f"o{rank}" for rank in range(ranks))):
        writer.close(name, ranks=0)
    for rank in range(ranks):
        writer.unlink(f"restart_{rank:04}.nc", ranks=0)


def pluto(
    scale: str, *, split: tuple[int, int, int], block: tuple[int, int, int], outputs: int, compute: float
) -> Kernel:
    """A jet of gas: a state read and others written together, variable by variable, and pictures with vectors."""
    ranks, state, picture = math.prod(split), [_DOUBLE] * 8, [_FLOAT, 3 * _FLOAT, 3 * _FLOAT, _FLOAT]
    lines = {"dbl.out": 96, "restart.out": 712, "vtk.out": 88}
    kinds = {"dbl": (3, state, ("dbl.out", "restart.out")), "vtk": (2, picture, ("vtk.out",))}
    writer = Writer(ranks)
    writer.put("grid.out", 1, 9_400, ranks=0)
    _arrays(writer, "data.0000.dbl", split, block, state, write=False)
    for output in range(1, outputs + 1):
        writer.compute(compute)
        writer.barrier()
        for kind, (every, elements, lists) in kinds.items():
            number, rest = divmod(output, every)
            if rest:
                continue
            _arrays(writer, f"data.{number:04}.{kind}", split, block, elements, write=True)
            for name in lists:
                writer.open("l", name, ranks=0, write=True)
                writer.write("l", (number - 1) * lines[name], lines[name], ranks=0)
                writer.close("l", ranks=0)
    kept = [f"data.{n + 1:04}.{kind}" for kind, (every, *_) in kinds.items() for n in range(outputs // every)]
    return Kernel(
        name="pluto",
        scale=scale,
        title="a jet of gas: blocks of a state read and written together by variable, pictures of numbers and vectors",
        source="PLUTO's ArrayLib: subarray views with MPI_File_write_all, -restart of .dbl, .vtk, lists by process 0",
        changed=f"{ranks} blocks of {'x'.join(map(str, block))}, {outputs} outputs; no headers in .vtk, no logs.",
        run=writer.script,
        prepares=prepared(ranks, [("data.0000.dbl", ranks * math.prod(block) * sum(state))]),
        results=("grid.out", *lines, *kept),
    )


def _arrays(
    writer: Writer,
    path: str,
    split: tuple[int, int, int],
    block: tuple[int, int, int],
    elements: list[int],
    *,
    write: bool,
) -> None:
    """Have all processes move their blocks of arrays of some elements in B, one array after the other."""
    (a, b, c), (z, y, x) = split, block
    ranks, base = a * b * c, 0
    writer.open("a", path, write=write, mpiio=True)
    for element in elements:
        writer.view("a", base, element, (a * z, b * y, c * x), blocks_of(split, block))
        (writer.write_all if write else writer.read_all)("a", [(0, z * y * x * element)] * ranks)
        base += ranks * z * y * x * element
    writer.close("a")


def psi4(scale: str, *, ranks: int, auxiliary: int, pairs: int, blocks: int, compute: float) -> Kernel:
    """Electrons in molecules, one on each node: integrals written, read across, written again, and read for pairs."""
    row, size = pairs * _DOUBLE, pairs * auxiliary * _DOUBLE // blocks
    pages, some = size // _PAGE, row // blocks
    writer = Writer(ranks)
    for name, text in _BASES.items():
        writer.get(name, 1, text, ranks="*")
    for rank in range(ranks):
        aia, qia = (f"psi.{rank}.mol.{number}" for number in (193, 194))
        writer.put(f"psi.{rank}.clean", 1, 90, ranks=rank)
        writer.open(f"o{rank}", f"mol{rank}.out", ranks=rank, write=True)
        writer.write(f"o{rank}", 0, _FILEBUF, ranks=rank)
        writer.open(f"a{rank}", aia, ranks=rank, write=True)
        for number in range(blocks):
            writer.compute(compute, ranks=rank)
            writer.write(f"a{rank}", number * size, _PAGE, count=pages, ranks=rank)
        writer.close(f"a{rank}", ranks=rank)
        writer.open(f"a{rank}", aia, ranks=rank, write=False)
        writer.open(f"q{rank}", qia, ranks=rank, write=True)
        for number in range(blocks):
            writer.read(f"a{rank}", number * some, some, count=auxiliary, stride=row, ranks=rank)
            writer.compute(compute, ranks=rank)
            writer.write(f"q{rank}", number * size, _PAGE, count=pages, ranks=rank)
        for name in "aq":
            writer.close(f"{name}{rank}", ranks=rank)
        writer.unlink(aia, ranks=rank)
        writer.open(f"q{rank}", qia, ranks=rank, write=False)
        for number in range(blocks):
            for other in (number, *range(number)):  # with itself from memory
                writer.read(f"q{rank}", other * size, _PAGE, count=pages, ranks=rank)
                writer.compute(compute, ranks=rank)
        writer.close(f"q{rank}", ranks=rank)
        writer.unlink(qia, ranks=rank)
        writer.write(f"o{rank}", _FILEBUF, _FILEBUF, ranks=rank)
        writer.close(f"o{rank}", ranks=rank)
        writer.put(f"timer{rank}.dat", 1, 4_700, ranks=rank)
        writer.unlink(f"psi.{rank}.clean", ranks=rank)
    return Kernel(
        name="psi4",
        scale=scale,
        title="electrons in molecules: scratch files of each, written by rows, read in columns, turned, read for pairs",
        source="Psi4's DF-MP2 with PSIO's pages of 64 KiB: (A|ia), its fitting to (ia|Q), pairs of blocks of both",
        changed=f"{auxiliary} functions, {pairs} pairs, {blocks} blocks; no tables of contents, SCF in memory.",
        run=writer.script,
        prepares=prepared(ranks, _BASES.items()),
        results=tuple(name.format(rank) for rank in range(ranks) for name in ("mol{}.out", "timer{}.dat")),
    )
