"""Applications held out: fields of a forecast, electrons by vectors, a flow, collisions of particles, stars."""

from __future__ import annotations

from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB

_DOUBLE, _TEXT, _STREAM = 8, 8 * KIB, 128 * KIB  # B; what gfortran and Python move at once of a text; of a stream
_HEAD, _PAGE, _SCHEMA = 104, 64 * KIB, 21_340  # of FDB, B: an index's head and its page, a schema
_RUN = ((0, KIB), (KIB, 16 * KIB), *((17 * KIB + part * _TEXT, _TEXT) for part in range(4)))  # a RUNFILE's tables
_FIELDS = ((131_488, 4_512), (136_000, 40_656), (50_176, 81_312))  # of a RUNFILE: where, B
_VALUES = {"BodyForces_wall": 437, "Bulk": 230, "Analyze": 345}  # B of a line
_POINTS = (1, 2, 6, 9, 10, 14)  # processes with record points
_CARDS = {"param_card.dat": 9_130, "run_card.dat": 14_600, "ident_card.dat": 3_270}
_GIVEN = {"moffset.dat": 4, "input_sg.txt": 78}  # to a job, B
_JOB = {"ftn26": 31_200, "results.dat": 2_090, "run1_app.log": 23_600, "log.txt": 23_700}  # what it leaves, B


def _kernel(writer: Writer, scale: str, inputs: dict[str, int], about: tuple[str, str, str, str]) -> Kernel:
    """Return a kernel: what it makes and neither removes nor renames is its results."""
    (name, title, source, changed), run = about, writer.script
    words = [[*line.split(), "", ""][1:4] for line in run.lines]
    gone = {path for action, path, _ in words if action in ("unlink", "rename")}
    made = dict.fromkeys((*run.made, *(to for action, _, to in words if action == "rename")))
    kept, before = tuple(path for path in made if path not in gone), prepared(run.ranks, inputs.items())
    return Kernel(
        name=name, scale=scale, title=title, source=source, changed=changed, run=run, prepares=before, results=kept
    )


def fdb(scale: str, *, ranks: int, steps: int, field: int, levels: int, surface: int, compute: float) -> Kernel:
    """Fields of a forecast: appended to files of each server, indices and a table synced, and read for products."""
    readers, kinds, node = range(3, ranks, 4), {"pl": levels, "sfc": surface}, _HEAD + _PAGE
    files = [*product((rank for rank in range(ranks) if rank not in readers), kinds)]
    writer, entries, each = Writer(ranks), len(files), len(readers)  # entries of the table in a step
    writer.get("schema", 1, _SCHEMA, ranks="*")
    for (rank, kind), end in product(files, ("data", "index")):
        writer.open(f"{kind}.{rank}.{end}", f"{kind}.{rank}.{end}", ranks=rank, write=True)
    for step in range(steps + 1):
        for entry, (rank, kind) in enumerate(files * (step < steps), step * entries):
            writer.compute(round(compute / len(kinds), 9), ranks=rank)
            writer.write(f"{kind}.{rank}.data", step * kinds[kind] * field, kinds[kind] * field, ranks=rank)
            writer.sync(f"{kind}.{rank}.data", ranks=rank)
            writer.write(f"{kind}.{rank}.index", step * node, _HEAD, ranks=rank)
            writer.write(f"{kind}.{rank}.index", step * node + _HEAD, _PAGE, ranks=rank)
            writer.sync(f"{kind}.{rank}.index", ranks=rank)
            writer.open("t", "toc", ranks=rank, write=True)
            writer.write("t", entry * KIB, KIB, ranks=rank)
            writer.sync("t", ranks=rank)
            writer.close("t", ranks=rank)
        for turn, rank in enumerate(readers if step else ()):  # the step before, while the next one is computed
            writer.stat("toc", ranks=rank)
            writer.open("t", "toc", ranks=rank, write=False)
            writer.read("t", (step - 1) * entries * KIB, entries * KIB, ranks=rank)
            writer.close("t", ranks=rank)
            for source, kind in files:
                writer.open("i", f"{kind}.{source}.index", ranks=rank, write=False)
                writer.read("i", (step - 1) * node, _HEAD, ranks=rank)
                writer.read("i", (step - 1) * node + _HEAD, _PAGE, ranks=rank)
                writer.close("i", ranks=rank)
                first, count = (step - 1) * kinds[kind] + turn, kinds[kind] // each
                writer.open("d", f"{kind}.{source}.data", ranks=rank, write=False)
                writer.read("d", first * field, field, count=count, stride=each * field, ranks=rank)
                writer.close("d", ranks=rank)
                writer.compute(round(compute / entries, 9), ranks=rank)
            writer.write_file("p", f"products.{step}.{rank}", field // 2, count=levels + surface, ranks=rank)
        writer.barrier()
    for (rank, kind), end in product(files, ("data", "index")):
        writer.close(f"{kind}.{rank}.{end}", ranks=rank)
    about = (
        "fdb",
        "fields of a forecast: appended by servers, data, index and table synced each step, read for products",
        "ECMWF's FDB: TocStore::archive and flush, FDBFileHandle, TocIndex::flush, TocHandler::writeIndexRecord",
        f"{entries // 2} servers, {steps} steps, fields of {field / 1e3:.3g} kB, flushed by kind; new entries read.",
    )
    return _kernel(writer, scale, {"schema": _SCHEMA}, about)


def molcas(scale: str, *, ranks: int, batches: int, vectors: int, vector: int, cycles: int, compute: float) -> Kernel:
    """Electrons by vectors: those of each process read in each cycle, a RUNFILE's tables rewritten with each field."""
    writer, batch = Writer(ranks), vectors * vector
    for rank in range(ranks):
        writer.read_file("o", f"ONEINT.{rank}", _FIELDS[-1][1], count=9, ranks=rank)
        writer.open(f"v{rank}", f"CHVCL1.{rank}", ranks=rank, write=True)
    for number, rank in product(range(batches), range(ranks)):
        writer.compute(round(compute / batches, 9), ranks=rank)
        writer.write(f"v{rank}", number * batch, batch, ranks=rank)
        _fields(writer, rank)
    for rank in range(ranks):  # the next program
        writer.close(f"v{rank}", ranks=rank)
        writer.open(f"v{rank}", f"CHVCL1.{rank}", ranks=rank, write=False)
    for _ in range(cycles):
        for number, rank in product(range(batches), range(ranks)):
            writer.compute(round(compute / batches, 9), ranks=rank)
            writer.read(f"v{rank}", number * batch, batch, ranks=rank)
            _fields(writer, rank)
        writer.barrier()
    for rank in range(ranks):
        writer.close(f"v{rank}", ranks=rank)
        writer.unlink(f"CHVCL1.{rank}", ranks=rank)
    for name, count in {"ScfOrb": 47, "scf.molden": 61, "scf.h5": 53}.items():
        writer.write_file("k", f"dye.{name}", _TEXT, count=count, ranks=0)
    about = (
        "molcas",
        "electrons by vectors: those of each process read in each cycle, a RUNFILE whose tables are rewritten",
        "OpenMolcas: gxWrRun, gxRdRun, OpnRun, rdToc, wrToc, Cho_PutVec2, Cho_VecRd1, Cho_OpenVR, PrgmCache",
        f"{batches * vectors} vectors of {vector / 1e3:.3g} kB each, {cycles} cycles, the same three fields; "
        "flat; RUNFILE and ONEINT are there before, and no vectors are read while others are made.",
    )
    inputs = {f"ONEINT.{rank}": 9 * _FIELDS[-1][1] for rank in range(ranks)}
    inputs |= {f"RUNFILE.{rank}": sum(_FIELDS[1]) for rank in range(ranks)}
    return _kernel(writer, scale, inputs, about)


def _fields(writer: Writer, rank: int) -> None:
    """Get two fields of a RUNFILE and put one: tables are read before each, and written behind what is put."""
    for field, put in zip(_FIELDS, (False, False, True), strict=True):
        writer.stat(f"RUNFILE.{rank}", ranks=rank)
        writer.open("r", f"RUNFILE.{rank}", ranks=rank, write=put)
        for at, size in _RUN if put else (*_RUN, field):
            writer.read("r", at, size, ranks=rank)
        for at, size in (field, *_RUN) if put else ():
            writer.write("r", at, size, ranks=rank)
        writer.close("r", ranks=rank)


def flexi(scale: str, *, ranks: int, elements: int, order: int, outputs: int, samples: int, compute: float) -> Kernel:
    """A flow: a frame of each file by one, elements by all together, each file opened again and again, some points."""
    writer, cell = Writer(ranks), (order + 1) ** 3 * _DOUBLE  # a variable of an element, B
    mesh, state = (elements * size for size in ((24 + 124 + 648), 5 * cell))  # ElemInfo, SideInfo, NodeCoords
    for path, size in {"mesh.h5": mesh, "State_0.h5": state}.items():
        for turn in range(2):
            writer.open("f", path, write=False, mpiio=True)
            if turn:
                writer.read_all("f", [(2 * KIB + rank * size, size) for rank in range(ranks)])
            writer.close("f")
    for output, half in product(range(1, outputs + 1), range(2)):
        writer.compute(compute)
        writer.barrier()
        for name, line in _VALUES.items():
            writer.open("t", f"{name}.csv", ranks=0, write=True)
            writer.write("t", (2 * output - 2 + half) * line, line, ranks=0)
            writer.close("t", ranks=0)
        _points(writer, f"RP_{output}.h5", half, samples)
        for name, sets in {"TimeAvg": (5, 4), "State": (5,)}.items() if half else ():
            _alone(writer, 0, f"{name}_{output}.h5", 2 * len(sets))
            writer.barrier()
            for base, variables in zip((0, 5), sets, strict=False):
                size, start = variables * cell * elements, base * cell * elements * ranks
                writer.open("f", f"{name}_{output}.h5", write=True, mpiio=True)
                writer.write_all("f", [(start + rank * size, size) for rank in range(ranks)])
                writer.close("f")
            _alone(writer, 0, f"{name}_{output}.h5", 1)
    about = (
        "flexi",
        "a flow: files made by one, opened and written by all together, opened by one again, points by some",
        "FLEXI: GenerateFileSkeleton, GatheredWriteArray, WriteTimeAverage, WriteRP, MarkWriteSuccessful, OutputToFile",
        f"{elements * ranks} elements of {(order + 1) ** 3} points, {outputs} outputs; no heads, no tables of HDF5.",
    )
    return _kernel(writer, scale, {"mesh.h5": 2 * KIB + ranks * mesh, "State_0.h5": 2 * KIB + ranks * state}, about)


def _alone(writer: Writer, rank: int, path: str, times: int) -> None:
    """Have a process open a file alone, some times."""
    for _ in range(times):
        writer.open("m", path, ranks=rank, write=True)
        writer.close("m", ranks=rank)


def _points(writer: Writer, path: str, time: int, samples: int) -> None:
    """Have those with record points write the samples of a buffer to a file, behind the last ones."""
    those, own, size = ",".join(map(str, _POINTS)), 67, samples * 67 * 6 * _DOUBLE
    _alone(writer, _POINTS[0], path, 1)
    writer.barrier(those)
    writer.open("p", path, ranks=those, write=True, mpiio=True)
    boxes = [[((0, place * own, 0), (samples, own, 6))] for place in range(len(_POINTS))]
    writer.view("p", 0, _DOUBLE, (samples, own * len(_POINTS), 6), boxes, ranks=_POINTS)
    writer.write_all("p", [(time * size, size)] * len(_POINTS), ranks=_POINTS)
    writer.close("p", ranks=those)
    _alone(writer, _POINTS[0], path, 1)


def madgraph(scale: str, *, ranks: int, channels: int, density: int, events: int, compute: float) -> Kernel:
    """Collisions: a folder of small files for each job, looked at, joined and removed by process 0 meanwhile."""
    writer, workers = Writer(ranks), ranks - 1
    names = [f"G{number}" for number in range(1, channels + 1)]
    for number, name in enumerate(names):
        _job(writer, 1 + number % workers, name, density, events // 3, compute)
    writer.barrier()
    for name in names:
        writer.stat(f"{name}/results.dat", ranks=0)
        writer.get(f"{name}/results.dat", 1, _JOB["results.dat"], ranks=0)
        writer.put(f"ajob.{name}", 1, 1_480, ranks=0)
    writer.barrier()
    for turn in range(4):
        for place, (name, half) in enumerate(product(names[turn::3] * (turn < 3), "ab")):
            writer.get(f"ajob.{name}", 1, 1_480, ranks=1 + place % workers)
            _job(writer, 1 + place % workers, f"{name}{half}0", density, events, compute)
        for name in names[turn - 1 :: 3] * (turn > 0):  # those of the round before
            _join(writer, name, (f"{name}a0", f"{name}b0"), events)
        writer.barrier()
    writer.compute(round(3 * channels / workers * compute, 9), ranks=0)  # as much as each of the others has
    joined = 3 * events // 4 * 2  # requests of a channel
    for name in names:
        writer.get(f"{name}/sum.dat", 1, 2_310, ranks=0)
        writer.open(name, f"{name}/sum.lhe", ranks=0, write=False)
        writer.read(name, 0, _TEXT, count=joined, ranks=0)  # for the weights
    writer.open("o", "unweighted_events.lhe", ranks=0, write=True)
    for number, name in enumerate(names):
        writer.read(name, 0, _TEXT, count=joined, ranks=0)
        writer.write("o", number * joined * _TEXT, _TEXT, count=joined, ranks=0)
    for name in (*names, "o"):
        writer.close(name, ranks=0)
    for name in names:
        writer.unlink(f"{name}/sum.lhe", ranks=0)
        writer.rename(f"{name}/log.txt", f"{name}/run_01_log.txt", ranks=0)
    about = (
        "madgraph",
        "collisions: folders of small files by jobs, a density read by each, events joined twice by one",
        "MadGraph5_aMC@NLO: survey.sh, refine.sh, create_ajob, CombineRuns, Combine_results, MultiEventFile.unweight",
        f"{channels} channels, two jobs each to refine, three rounds, a small density; joined in order, not packed.",
    )
    return _kernel(writer, scale, {**_CARDS, "NNPDF23.grid": density * _TEXT}, about)


def _job(writer: Writer, rank: int, folder: str, density: int, events: int, compute: float) -> None:
    """Have a process run madevent in a folder: cards and a density are read, events and a grid are written."""
    writer.mkdir(folder, ranks=rank)
    for name, size in _GIVEN.items():
        writer.put(f"{folder}/{name}", 1, size, ranks=rank)
    for name, size in _CARDS.items():
        writer.get(name, 1, size, ranks=rank)
    writer.read_file("p", "NNPDF23.grid", _TEXT, count=density, ranks=rank)
    writer.compute(compute, ranks=rank)
    writer.write_file("e", f"{folder}/events.lhe", _TEXT, count=events, ranks=rank)
    for name, size in _JOB.items():
        writer.put(f"{folder}/{name}", 1, size, ranks=rank)


def _join(writer: Writer, name: str, folders: tuple[str, str], events: int) -> None:
    """Have process 0 join the jobs of a channel, three of four events, and remove their folders."""
    writer.unlink(f"{name}/events.lhe", ranks=0)
    for folder in folders:
        writer.get(f"{folder}/results.dat", 1, _JOB["results.dat"], ranks=0)
    writer.put(f"{name}/sum.dat", 1, 2_310, ranks=0)
    writer.open("c", f"{name}/sum.lhe", ranks=0, write=True)
    for number, folder in enumerate(folders):
        writer.read_file("e", f"{folder}/events.lhe", _TEXT, count=events, ranks=0)
        writer.write("c", number * (3 * events // 4) * _TEXT, _TEXT, count=3 * events // 4, ranks=0)
    writer.close("c", ranks=0)
    for folder in folders:
        for left in ("events.lhe", *_GIVEN, *_JOB):
            writer.unlink(f"{folder}/{left}", ranks=0)
        writer.rmdir(folder, ranks=0)


def mesa(scale: str, *, ranks: int, tables: int, profiles: int, every: int, zones: int, compute: float) -> Kernel:
    """Stars: caches of tables read by each, some made and renamed, a line appended each step, profiles, photos."""
    text, cache, own, row = 61, 2, 3, 2_613  # requests of a table; requests of its cache; new ones of a star; B
    profile, photo = zones * 43 * 16 // _TEXT, zones * 480 // _STREAM + 1  # requests
    writer = Writer(ranks)
    writer.mkdir("cache", ranks=0)
    writer.barrier()
    for rank, star in ((rank, f"star{rank}") for rank in range(ranks)):
        for folder in ("", "/LOGS", "/photos", "/.mesa_temp_cache"):
            writer.mkdir(f"{star}{folder}", ranks=rank)
        for number in range(tables):
            writer.read_file("x", f"{number}.data", _TEXT, ranks=rank)  # its head
            writer.read_file("c", f"{number}.bin", _STREAM, count=cache, ranks=rank)
        for name in (f"kap_{rank}_{number}" for number in range(own)):
            writer.read_file("x", f"{name}.data", _TEXT, count=text, ranks=rank)
            writer.compute(compute, ranks=rank)
            writer.write_file("c", f"{star}/.mesa_temp_cache/{name}.bin", _STREAM, count=cache, ranks=rank)
            writer.rename(f"{star}/.mesa_temp_cache/{name}.bin", f"cache/{name}.bin", ranks=rank)
        for number, step in product(range(profiles), range(every)):
            writer.compute(compute, ranks=rank)
            writer.stat(f"{star}/LOGS", ranks=rank)
            writer.open("h", f"{star}/LOGS/history.data", ranks=rank, write=True)
            writer.write("h", (number * every + step) * row, row, ranks=rank)
            writer.close("h", ranks=rank)
            if step == every - 1:
                writer.write_file("p", f"{star}/LOGS/profile{number}.data", _TEXT, count=profile, ranks=rank)
                writer.put(f"{star}/LOGS/profiles.index", 1, 220, ranks=rank)
                writer.write_file("b", f"{star}/photos/x{number}", _STREAM, count=photo, ranks=rank)
        writer.write_file("m", f"{star}/final.mod", _TEXT, count=zones * 34 * 25 // _TEXT, ranks=rank)
        writer.rmdir(f"{star}/.mesa_temp_cache", ranks=rank)
    given = [*range(tables), *(f"kap_{rank}_{number}" for rank, number in product(range(ranks), range(own)))]
    inputs = {f"{name}.data": text * _TEXT for name in given} | {f"{n}.bin": cache * _STREAM for n in range(tables)}
    about = (
        "mesa",
        "stars: caches of tables read by each, made and renamed, a history opened each step, profiles, photos",
        "MESA: Load1_eosDT_Table, Read_EoS_Cache, mv, history, do_save_profiles, output_to_file, output_star_photo",
        f"{ranks} stars of {zones} zones, {tables} tables of 0.26 MB, {profiles * every} steps; the index is unread.",
    )
    return _kernel(writer, scale, inputs, about)
