"""Applications for a test: galaxies on nested grids, a supernova, a shelf sea, electrons and phonons, a mantle."""

from __future__ import annotations

import random
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB

_SINGLE, _DOUBLE, _COMPLEX, _BUFFER, _FILEBUF = 4, 8, 16, 4 * KIB, 8_191  # B; of the C and the C++ library's streams
_META = 4 * KIB  # HDF5's own, for the group of a grid and what is in it
_NC = 256 * KIB  # blocks of the netCDF library, as the file system would have them
_STATES = {"SD_0_New_MF": 12, "SD_1_New_MF": 1, "SD_2_New_MF": 3, "SD_3_New_MF": 12}  # of Castro: components
_BOXES = (1, 2)  # of a process on each level
_FABHEAD = 142  # the text before a box, about, B


def enzo(scale: str, *, ranks: int, grids: int, fields: int, dumps: int, compute: float) -> Kernel:
    """Galaxies on nested grids: a file of its grids by each, a hierarchy of all as text by process 0, read by all."""
    draw = random.Random(71)  # noqa: S311  # the same on every machine
    some = [(draw.choice((12, 14, 16, 20)), draw.randrange(400, 900)) for _ in range(grids - 1)]
    # Of a grid: fields, then positions, velocities, mass, number and type of particles.
    each = [[side**3 * _DOUBLE] * fields + [count * _DOUBLE] * 9 for side, count in ((24, 900), *some)]
    sets = [[each[0], *draw.sample(each[1:], grids - 1)] for _ in range(ranks)]  # balanced
    text, settings, bounds = -(-ranks * grids * 820 // _BUFFER), 12_200, 6_800
    writer = Writer(ranks)
    writer.read_file("s", "DD0000", _BUFFER, count=3)
    writer.read_file("h", "DD0000.hierarchy", _BUFFER, count=text)
    for rank, own in enumerate(sets):
        writer.open(f"g{rank}", f"DD0000.cpu{rank:04}", ranks=rank, write=False)
        place = 0
        for one in own:
            for size in (_META, *one):
                writer.read(f"g{rank}", place, size, ranks=rank)
                place += size
        writer.close(f"g{rank}", ranks=rank)
    made = []
    for number in range(1, dumps + 1):
        name = f"DD{number:04}"
        writer.compute(compute)
        writer.barrier()
        for end, size in (("", settings), (".boundary", 700), (".boundary.hdf", bounds)):
            writer.write_file("s", f"{name}{end}", size, ranks=0)
        writer.write_file("h", f"{name}.hierarchy", _BUFFER, count=text, ranks=0)
        for rank, own in enumerate(sets):
            _packed(writer, f"{name}.cpu{rank:04}", rank, own)
        writer.barrier()
        writer.write_file("s", f"{name}.memorymap", ranks * grids * 14, ranks=0)
        made += [f"{name}{end}" for end in ("", ".boundary", ".boundary.hdf", ".hierarchy", ".memorymap")]
        made += [f"{name}.cpu{rank:04}" for rank in range(ranks)]
    inputs = [(f"DD0000.cpu{rank:04}", sum(_META + sum(one) for one in each)) for rank in range(ranks)]
    return Kernel(
        name="enzo",
        scale=scale,
        title="galaxies on nested grids: a packed file by each, field by field of each grid, a text that all read",
        source="Enzo: Group_WriteAllData and ReadAllData, packed AMR by HDF5's POSIX driver, .hierarchy by stdio",
        changed=f"{ranks * grids} grids of 12^3 to 24^3, {fields} fields, {dumps} dumps, alike; flat, little HDF5.",
        run=writer.script,
        prepares=prepared(ranks, [("DD0000", 3 * _BUFFER), ("DD0000.hierarchy", text * _BUFFER), *inputs]),
        results=tuple(made),
    )


def _packed(writer: Writer, path: str, rank: int, sets: list[list[int]]) -> None:
    """Write a process's grids, array by array, and what HDF5 has about them when the file is closed."""
    writer.open(f"g{rank}", path, ranks=rank, write=True)
    place, kept = 0, []
    for one in sets:
        kept.append(place)
        place += _META
        for size in one:
            writer.write(f"g{rank}", place, size, ranks=rank)
            place += size
    for at in kept:
        writer.write(f"g{rank}", at, _META, ranks=rank)
    writer.close(f"g{rank}", ranks=rank)


def castro(scale: str, *, ranks: int, files: int, variables: int, plots: int, compute: float) -> Kernel:
    """An exploding star: boxes of a level appended to few files, in turns, a header of each level by process 0."""
    outputs = [*(f"plt{number:05}" for number in range(1, plots + 1)), "chk00002"]
    writer = Writer(ranks)
    writer.read_file("h", "chk00000.Header", _FILEBUF, ranks=0)
    for (level, boxes), (part, components) in product(enumerate(_BOXES), _STATES.items()):
        name = f"chk00000.Level_{level}.{part}"
        writer.read_file("h", f"{name}_H", _FILEBUF, ranks=0)
        writer.barrier()
        _boxes(writer, name, range(ranks), files, _fab(boxes, components), boxes, write=False)
    made = []
    for name in outputs:
        writer.compute(compute)
        writer.barrier()
        writer.open("h", f"{name}.Header", ranks=0, write=True)
        parts = _STATES if name.startswith("chk") else {"Cell": variables}
        for (level, boxes), (part, components) in product(enumerate(_BOXES), parts.items()):
            path = f"{name}.Level_{level}.{part}"
            _boxes(writer, path, range(ranks), files, _fab(boxes, components), boxes, write=True)
            writer.write_file("c", f"{path}_H", ranks * boxes * (60 + components * 48), ranks=0)
            writer.barrier()
            made += [f"{path}_H", *(f"{path}_D_{number:05}" for number in range(files))]
        writer.write("h", 0, 5_200, ranks=0)
        writer.close("h", ranks=0)
        writer.write_file("j", f"{name}.job_info", 11_000, ranks=0)
        writer.barrier()
        made += [f"{name}.Header", f"{name}.job_info"]
    inputs = [("chk00000.Header", _FILEBUF)]
    for (level, boxes), (part, components) in product(enumerate(_BOXES), _STATES.items()):
        name, size = f"chk00000.Level_{level}.{part}", ranks // files * boxes * _fab(boxes, components)
        inputs += [(f"{name}_H", _FILEBUF), *((f"{name}_D_{number:05}", size) for number in range(files))]
    return Kernel(
        name="castro",
        scale=scale,
        title="an exploding star: boxes of each level and state appended to a few files by processes in turns",
        source="Castro on AMReX: VisMF's NFilesIter with static sets, amr.plot_nfiles, SD_n_New_MF of checkpoints",
        changed=f"{ranks * sum(_BOXES)} boxes, {files} files a level, balanced; flat, no renaming, nothing read ahead.",
        run=writer.script,
        prepares=prepared(ranks, inputs),
        results=tuple(made),
    )


def _fab(boxes: int, components: int) -> int:
    """Return the size of a box, of which a process has `boxes` that are as large together as the one of level 0, B."""
    return _FABHEAD + components * 16**3 // boxes * _DOUBLE


def _boxes(writer: Writer, name: str, ranks: range, files: int, fab: int, count: int, *, write: bool) -> None:
    """Have each process move its boxes: appended when the one before it in the same file is done."""
    for rank in ranks:
        if write and rank >= files:
            writer.barrier(f"{rank - files},{rank}")
        writer.open(f"d{rank}", f"{name}_D_{rank % files:05}", ranks=rank, write=write)
        place = rank // files * count * fab
        (writer.write if write else writer.read)(f"d{rank}", place, fab, count=count, ranks=rank)
        writer.close(f"d{rank}", ranks=rank)


def roms(scale: str, *, ranks: int, points: int, levels: int, times: int, every: int, compute: float) -> Kernel:
    """A shelf sea: one process reads forcing and climatology for all, and writes records of histories and averages."""
    flat, deep, edge = points * _SINGLE, points * levels * _SINGLE, 11_600
    history, average = [flat] * 3 + [deep] * 9, [flat] * 9 + [deep] * 5
    restart = [2 * flat] * 9 + [2 * deep] * 8  # doubles: of three times and of two
    forcing, climate, initial = [flat] * 8, [deep] * 4, [flat] * 3 + [deep] * 4
    read, kept = ("frc", "bry", "clm"), ("his", "avg", "rst")
    writer = Writer(ranks)
    for name, sizes in (("grd", [2 * flat] * 20), ("ini", initial)):
        writer.open(name, f"shelf_{name}.nc", ranks=0, write=False)
        _record(writer, name, sizes, 0, write=False)
        writer.close(name, ranks=0)
    for name in (*read, *kept):
        writer.open(name, f"shelf_{name}.nc", ranks=0, write=name in kept)
    for time in range(times):
        _record(writer, "frc", forcing, time, write=False)
        _record(writer, "bry", [edge] * 20, time, write=False)
        if time % every == 0:
            _record(writer, "clm", climate, time // every, write=False)
        writer.barrier()
        writer.compute(compute)
        writer.barrier()
        if (time + 1) % every == 0:
            _record(writer, "his", history, time // every, write=True)
        if (time + 1) % (2 * every) == 0:
            _record(writer, "avg", average, time // (2 * every), write=True)
    _record(writer, "rst", restart, 0, write=True)
    for name in (*read, *kept):
        writer.close(name, ranks=0)
    inputs = {
        "grd": 40 * flat,
        "ini": sum(initial),
        "frc": times * sum(forcing),
        "bry": times * 20 * edge,
        "clm": times // every * sum(climate),
    }
    return Kernel(
        name="roms",
        scale=scale,
        title="a shelf sea: forcing, edges and climatology read by one for all, records of three files written by it",
        source="ROMS: get_2dfld and get_3dfld by the master, wrt_his, wrt_avg and wrt_rst after mp_gather, netCDF-3",
        changed=f"{points} points, {levels} levels, {times} times of forcing; no headers, blocks of {_NC // KIB} KiB.",
        run=writer.script,
        prepares=prepared(ranks, [(f"shelf_{name}.nc", size) for name, size in inputs.items()]),
        results=tuple(f"shelf_{name}.nc" for name in kept),
    )


def _record(writer: Writer, name: str, sizes: list[int], record: int, *, write: bool) -> None:
    """Have process 0 move variables of a record one after another, each in blocks of the netCDF library."""
    place = record * sum(sizes)
    for size in sizes:
        whole, rest = divmod(size, _NC)
        for offset, part, count in ((place, _NC, whole), (place + whole * _NC, rest, 1)):
            if part and count:
                (writer.write if write else writer.read)(name, offset, part, count=count, ranks=0)
        place += size


def epw(scale: str, *, ranks: int, coarse: int, fine: int, vectors: int, compute: float) -> Kernel:
    """Electrons and phonons: wave functions of other pools read again and again, then a matrix for each wave vector."""
    kpoints, irreps, modes, bands = 2, 2, 6, 8
    wave, potential = 9_375 * _COMPLEX, 20**3 * _COMPLEX
    matrix = bands * bands * modes * 93 * _COMPLEX  # of a lattice vector
    draw = random.Random(73)  # noqa: S311  # the same on every machine
    writer = Writer(ranks)
    for q in range(coarse):
        shift = draw.randrange(1, ranks)  # where k + q is
        for irrep, rank in product(range(irreps), range(ranks)):
            writer.open("v", f"dvscf_q{q}", ranks=rank, write=False)
            part = modes // irreps
            writer.read("v", irrep * part * potential, potential, count=part, ranks=rank)
            writer.close("v", ranks=rank)
            for k, pool in product(range(kpoints), (rank, (rank + shift) % ranks)):
                writer.open("w", f"wfc{pool + 1}", ranks=rank, write=False)
                writer.read("w", k * wave, wave, ranks=rank)
                writer.close("w", ranks=rank)
                writer.compute(round(compute / irreps / kpoints / 2, 9), ranks=rank)
        writer.barrier()
    for rank in range(ranks):
        size = bands * bands * kpoints * modes * coarse * _COMPLEX
        writer.write_file(f"b{rank}", f"epb{rank + 1}", size, ranks=rank)
    writer.barrier()
    writer.write_file("e", "epmatwe1", matrix, count=coarse, ranks=0)
    writer.read_file("e", "epmatwe1", matrix, count=coarse, ranks=0)
    writer.write_file("p", "epmatwp", matrix, count=vectors, ranks=0)
    writer.barrier()
    share = vectors // ranks
    writer.open("p", "epmatwp", write=False, mpiio=True)
    for _ in range(fine):
        for rank in range(ranks):
            writer.read("p", rank * share * matrix, matrix, count=share, ranks=rank)
        writer.compute(compute)
        writer.barrier()
    writer.close("p")
    writer.put("linewidth.elself", 1, fine * 26_000, ranks=0)
    writer.unlink("epmatwe1", ranks=0)
    inputs = [(f"dvscf_q{q}", modes * potential) for q in range(coarse)]
    return Kernel(
        name="epw",
        scale=scale,
        title="electrons and phonons: wave functions of other pools, a matrix by one, its parts for each wave vector",
        source="EPW: readwfc and readdvscf in elphel2_shuffle, epb files, etf_mem = 1: MPI_FILE_READ_AT of epmatwp",
        changed=f"{coarse} coarse and {fine} fine wave vectors, {vectors} lattice vectors of {matrix // 1000} kB.",
        run=writer.script,
        prepares=prepared(ranks, [*inputs, *((f"wfc{pool + 1}", kpoints * wave) for pool in range(ranks))]),
        results=(*(f"epb{rank + 1}" for rank in range(ranks)), "epmatwp", "linewidth.elself"),
    )


def aspect(scale: str, *, ranks: int, outputs: int, steps: int, cells: int, compute: float) -> Kernel:
    """A mantle: compressed pieces written together to a picture, cells' data to a checkpoint, statistics by one."""
    saved, resume = {"mesh": 24, "mesh_fixed.data": 1_544}, 260_000  # B of a cell, by p4est and deal.II; of archives
    pictures = {"solution": (560, 3_100), "particles": (230, 2_700)}  # B of a cell, compressed, and of a list of pieces
    writer = Writer(ranks)
    for name, size in saved.items():
        _pieces(writer, f"restart.0.{name}", ranks, cells * size, write=False)
    writer.read_file("z", "restart.0.resume.z", _FILEBUF, count=resume // _FILEBUF)
    for output in range(outputs):
        for number in range(output * steps, (output + 1) * steps):
            writer.compute(compute)
            writer.barrier()
            writer.write_file("s", f"statistics.{number}", (number + 20) * 420, ranks=0)
            if number:
                writer.unlink(f"statistics.{number - 1}", ranks=0)  # it is renamed to the same
        for name, (size, around) in pictures.items():
            _pieces(writer, f"{name}-{output:05}.vtu", ranks, cells * (size + 17 * output), write=True)
            writer.put(f"{name}-{output:05}.pvtu", 1, around, ranks=0)
        if output:
            for name, size in saved.items():
                _pieces(writer, f"restart.{output}.{name}", ranks, cells * size, write=True)
            writer.write_file("z", f"restart.{output}.resume.z", resume, ranks=0)
    kept = [f"{name}-{output:05}.{end}" for output in range(outputs) for name in pictures for end in ("vtu", "pvtu")]
    kept += [f"restart.{output}.{name}" for output in range(1, outputs) for name in (*saved, "resume.z")]
    inputs = [(f"restart.0.{name}", ranks * cells * size) for name, size in saved.items()]
    return Kernel(
        name="aspect",
        scale=scale,
        title="a mantle: compressed pieces of pictures, cells and their data written together, statistics anew by one",
        source="ASPECT, deal.II: write_vtu_in_parallel, Triangulation::save, restart.resume.z read by all, statistics",
        changed=f"{ranks * cells} cells, {outputs} pictures of {steps} steps, pieces alike, nothing around; new names.",
        run=writer.script,
        prepares=prepared(ranks, [*inputs, ("restart.0.resume.z", resume // _FILEBUF * _FILEBUF)]),
        results=(*kept, f"statistics.{outputs * steps - 1}"),
    )


def _pieces(writer: Writer, path: str, ranks: int, size: int, *, write: bool) -> None:
    """Have all move their pieces of a file together."""
    writer.open("f", path, write=write, mpiio=True)
    (writer.write_all if write else writer.read_all)("f", [(rank * size, size) for rank in range(ranks)])
    writer.close("f")
