"""Applications for a test: an ocean, a flow, galaxies in a grid, a structure that yields and electrons in a crystal."""

from __future__ import annotations

from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB

_SINGLE, _DOUBLE = 4, 8  # B


def mitgcm(scale: str, *, side: int, tile: tuple[int, int], levels: int, periods: int, compute: float) -> Kernel:
    """An ocean: rows of a forcing that all read, and for each tile files that are opened for each field."""
    ranks, (width, height) = side * side, tile
    flat, row = width * height * _SINGLE, width * _SINGLE
    forcing = ("uwind", "vwind", "atemp", "aqh")
    saved = [2 * flat * levels] * 6 + [2 * flat] * 3  # of a pickup: U, V, T, S and two tendencies; the surface
    streams = {"2d": ([flat] * 6, 760), "state": ([flat * levels] * 4, 700), "trsp": ([flat * levels] * 3, 680)}
    writer = Writer(ranks)

    def records(path: str, sizes: list[int], rank: int, *, write: bool) -> None:
        for number, size in enumerate(sizes):
            writer.open(f"t{rank}", path, ranks=rank, write=write)
            (writer.write if write else writer.read)(f"t{rank}", sum(sizes[:number]), size, ranks=rank)
            writer.close(f"t{rank}", ranks=rank)

    for rank in range(ranks):
        records(f"pickup.start.{rank}.data", saved, rank, write=False)
    writer.barrier()
    for period in range(periods):
        for path in forcing:
            writer.open(path, path, write=False)
            for rank in range(ranks):
                start = period * ranks * flat + (rank // side * height * side + rank % side) * row
                writer.read(path, start, row, count=height, stride=side * row, ranks=rank)
            writer.close(path)
            writer.compute(compute / len(forcing))
            writer.barrier()
        made = streams if period < periods - 1 else streams | {"pickup": (saved, 720)}
        for (stream, (sizes, meta)), rank in product(made.items(), range(ranks)):
            records(f"{stream}.{period}.{rank}.data", sizes, rank, write=True)
            writer.put(f"{stream}.{period}.{rank}.meta", 1, meta, ranks=rank)
    pickups = [f"pickup.start.{rank}.data" for rank in range(ranks)]
    inputs = dict.fromkeys(forcing, periods * ranks * flat) | dict.fromkeys(pickups, sum(saved))
    names = [*(f"{stream}.{period}" for stream in streams for period in range(periods)), f"pickup.{periods - 1}"]
    return Kernel(
        name="mitgcm",
        scale=scale,
        title="an ocean: rows of a forcing read by all, two small files of each tile and stream, opened for each field",
        source="MITgcm's mdsio: direct access to global input, tiled .data and .meta of its diagnostics, a pickup",
        changed=f"{periods} outputs, tiles of {width}x{height}x{levels}; forcing in turn; no bathymetry, no STDOUT.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(f"{name}.{rank}.{kind}" for name in names for rank in range(ranks) for kind in ("data", "meta")),
    )


def saturne(scale: str, *, ranks: int, cells: int, outputs: int, steps: int, compute: float) -> Kernel:
    """A flow: a mesh that all read in blocks, files of one field and time and a checkpoint by few, all collective."""
    apart, line = 4, 2_600  # apart: ranks from one block to the next one, where blocks would be small
    faces, edge = 3 * cells, cells // 5  # edge: faces of the boundary
    mesh = (16 * faces, 8 * faces, 32 * faces, 4 * faces, 24 * cells)  # cells, vertices and groups of faces, places
    fields = {"pressure": (1, cells), "velocity": (3, cells), "rij": (6, cells), "yplus": (1, edge), "tau": (3, edge)}
    saves = {"main.csc": (24 * cells, 8 * cells, 48 * cells), "auxiliary.csc": (8 * faces, 8 * edge, 16 * cells)}
    writer = Writer(ranks)
    writer.open("m", "mesh_input.csm", write=False, mpiio=True)
    for number, size in enumerate(mesh):
        writer.read_all("m", [(ranks * sum(mesh[:number]) + rank * size, size) for rank in range(ranks)])
    writer.close("m")
    writer.open("log", "run_solver.log", ranks=0, write=True)
    for output in range(outputs):
        for step in range(steps):
            writer.compute(compute)
            writer.barrier()
            writer.write("log", (output * steps + step) * line, line, ranks=0)
        made = {f"{field}.{output}": (_SINGLE * each,) * count for field, (count, each) in fields.items()}
        for path, sizes in (made if output < outputs - 1 else made | saves).items():
            writer.open(path, path, write=True, mpiio=True)
            for number, size in enumerate(sizes):
                start, part = ranks * sum(sizes[:number]), apart * size
                writer.write_all(path, [(start + rank * size, 0 if rank % apart else part) for rank in range(ranks)])
            writer.close(path)
    writer.close("log", ranks=0)
    results = [f"{field}.{output}" for output in range(outputs) for field in fields]
    return Kernel(
        name="saturne",
        scale=scale,
        title="a flow: a mesh read by all in blocks, files of one field and time and a checkpoint by few, collective",
        source="code_saturne: mesh_input.csm, EnSight Gold by MPI_File_write_at_all in blocks of a least size, .csc",
        changed=f"{ranks * cells} cells, {outputs} outputs, blocks of every {apart}th process; no headers, no .case.",
        run=writer.script,
        prepares=prepared(ranks, [("mesh_input.csm", ranks * sum(mesh))]),
        results=(*results, *saves, "run_solver.log"),
    )


def ramses(scale: str, *, ranks: int, grids: tuple[int, ...], particles: int, outputs: int, compute: float) -> Kernel:
    """Galaxies in a grid: four files of each process, record by record of each level, read once and written anew."""
    mark, cells, beside = 8, 8, 8  # mark: around a record; beside: of a level's grids, those next to other processes'
    texts = {"info": 2_100, "header": 620, "namelist": 3_400, "compilation": 480}
    each = [count for level in grids for count in (level, level // beside)]
    ints, reals = [_SINGLE * count + mark for count in each], [_DOUBLE * count + mark for count in each]
    files = {
        "amr": [part for i, r in zip(ints, reals, strict=True) for part in ((i, 3), (r, 3), (i, 7 + 3 * cells))],
        "hydro": [(real, 6 * cells) for real in reals],
        "grav": [(real, 4 * cells) for real in reals],
        "part": [(_DOUBLE * particles + mark, 7), (_SINGLE * particles + mark, 2)],
    }
    writer = Writer(ranks)
    for output in range(outputs + 1):
        if output:
            writer.compute(compute)
        writer.barrier()
        for text, size in texts.items() if output else ():
            writer.put(f"{text}_{output}.txt", 1, size, ranks=0)
        for (kind, parts), rank in product(files.items(), range(ranks)):
            name, start, move = f"{kind}{rank}", 0, writer.write if output else writer.read
            writer.open(name, f"{kind}_{output}.out{rank}", ranks=rank, write=output > 0)
            for size, count in parts:
                move(name, start, size, count=count, ranks=rank)
                start += size * count
            writer.close(name, ranks=rank)
    sizes = {kind: sum(size * count for size, count in parts) for kind, parts in files.items()}
    inputs = {f"{kind}_0.out{rank}": size for kind, size in sizes.items() for rank in range(ranks)}
    later = range(1, outputs + 1)
    made = [f"{kind}_{output}.out{rank}" for output in later for kind in files for rank in range(ranks)]
    return Kernel(
        name="ramses",
        scale=scale,
        title="galaxies in a grid: four files of each process, a small record for each level, cell and variable",
        source="RAMSES: backup_amr, backup_hydro, backup_poisson and backup_part, unformatted Fortran without a buffer",
        changed=f"{len(grids)} levels of {sum(grids)} grids on each, {outputs} outputs; no folders, no counts.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=(*made, *(f"{text}_{output}.txt" for output in later for text in texts)),
    )


def mapdl(scale: str, *, ranks: int, solves: int, panels: int, panel: int, compute: float) -> Kernel:
    """A structure that yields: a matrix and its factor on disk for each process, read back twice; results combined."""
    buffer, deck = 64 * KIB, 40
    kinds = {"full": 12, "esav": 8, "rst": 9}  # requests of each file and solution
    writer = Writer(ranks)
    writer.read_file("d", "ds.dat", buffer, count=deck, ranks=0)
    for rank in range(ranks):
        writer.open(f"r{rank}", f"file{rank}.rst", ranks=rank, write=True)
    for solve in range(solves):
        writer.barrier()
        for rank in range(ranks):
            full, factor = f"file{rank}.{solve}.full", f"file{rank}.{solve}.LN22"
            writer.write_file(f"m{rank}", full, buffer, count=kinds["full"], ranks=rank)
            writer.read_file(f"m{rank}", full, buffer, count=kinds["full"], ranks=rank)
            writer.open(f"f{rank}", factor, ranks=rank, write=True)
            for number in range(panels):
                writer.compute(compute, ranks=rank)
                writer.write(f"f{rank}", number * panel, panel, ranks=rank)
            writer.read(f"f{rank}", 0, panel, count=panels, ranks=rank)
            for number in reversed(range(panels)):
                writer.read(f"f{rank}", number * panel, panel, ranks=rank)
            writer.close(f"f{rank}", ranks=rank)
            writer.write_file(f"e{rank}", f"file{rank}.{solve}.esav", buffer, count=kinds["esav"], ranks=rank)
            writer.write(f"r{rank}", solve * kinds["rst"] * buffer, buffer, count=kinds["rst"], ranks=rank)
            for path in (full, factor, *([f"file{rank}.{solve - 1}.esav"] if solve else ())):
                writer.unlink(path, ranks=rank)
    for rank in range(ranks):
        writer.close(f"r{rank}", ranks=rank)
    writer.barrier()
    share = solves * kinds["rst"]
    writer.open("o", "file.rst", ranks=0, write=True)
    for rank in range(ranks):
        writer.read_file("i", f"file{rank}.rst", buffer, count=share, ranks=0)
        writer.write("o", rank * share * buffer, buffer, count=share, ranks=0)
        writer.unlink(f"file{rank}.rst", ranks=0)
    writer.close("o", ranks=0)
    return Kernel(
        name="mapdl",
        scale=scale,
        title="a structure that yields: a factor on disk for each process, read forward and backward; results combined",
        source="Ansys MAPDL, distributed: the sparse solver out of core, .full, .esav and .rst of each process",
        changed=f"{solves} solutions with {panels * panel / 1e6:.1f} MB of a factor each, in own files; no .db.",
        run=writer.script,
        prepares=prepared(ranks, [("ds.dat", deck * buffer)]),
        results=("file.rst", *(f"file{rank}.{solves - 1}.esav" for rank in range(ranks))),
    )


def vasp(scale: str, *, ranks: int, bands: int, waves: int, grid: int, moves: int, compute: float) -> Kernel:
    """Electrons in a crystal: one process reads bands for all, flushes lines in each step, writes bands and density."""
    buffer, loops, record = 8 * KIB, 6, waves * _DOUBLE  # loops: until electrons rest; record: of direct access
    lines, left = {"OSZICAR": 92, "OUTCAR": 3_100}, {"XDATCAR": 4_700, "vasprun.xml": 17_000}
    texts = {"POTCAR": 48, "CHGCAR": grid**3 * 18 // buffer, "CHG": grid**3 * 12 // buffer}  # requests
    writer = Writer(ranks)
    writer.read_file("p", "POTCAR", buffer, count=texts["POTCAR"], ranks=0)
    writer.read_file("w", "WAVECAR", record, count=bands, ranks=0)
    writer.barrier()
    for name in (*lines, *left):
        writer.open(name, name, ranks=0, write=True)
    for step in range(moves * loops):
        writer.compute(compute)
        writer.barrier()
        for name, size in lines.items():
            writer.write(name, step * size, size, ranks=0)
        move, rest = divmod(step + 1, loops)
        for name, size in () if rest else left.items():
            writer.write(name, (move - 1) * size, size, ranks=0)
    for name in ("CHG", "CHGCAR"):
        writer.write_file("c", name, buffer, count=texts[name], ranks=0)
    writer.put("CONTCAR", 1, 9_400, ranks=0)
    writer.write_file("w", "WAVECAR.new", record, count=bands, ranks=0)
    for name in (*lines, *left):
        writer.close(name, ranks=0)
    return Kernel(
        name="vasp",
        scale=scale,
        title="electrons in a crystal: bands read for all, lines in each step, bands and density written by process 0",
        source="VASP: WAVECAR in records of direct access, CHGCAR and CHG as text, OUTCAR, OSZICAR and vasprun.xml",
        changed=f"{bands} bands of {waves} plane waves, {moves} moves of ions; CONTCAR once, WAVECAR to another name.",
        run=writer.script,
        prepares=prepared(ranks, [("POTCAR", texts["POTCAR"] * buffer), ("WAVECAR", bands * record)]),
        results=(*lines, *left, "CHG", "CHGCAR", "CONTCAR", "WAVECAR.new"),
    )
