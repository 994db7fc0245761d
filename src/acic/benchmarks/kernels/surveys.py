"""Applications for a test: electrons that are excited, black holes, neurons in a film, long reads, a layered ocean."""

from __future__ import annotations

from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Box, Writer, prepared
from acic.units import KIB

_SINGLE, _DOUBLE, _COMPLEX = 4, 8, 16  # B
_LINE, _META = 80, 5_600  # of a text; what HDF5 has about a variable of Carpet, B
_GROUPS = {"hydrobase": 4, "admbase-metric": 6, "admbase-lapse": 1}  # of Cactus: variables
_FORCING = ("tauewd", "taunwd", "wndspd", "airtmp", "vapmix", "radflx", "shwflx")
_WORDS, _CUTS = 4_096, 4  # records of HYCOM are multiples of so many; blocks of Canu's reads, compared pairwise
_BUFFER = 128 * KIB  # what is read or written of overlaps at once, B


def berkeleygw(scale: str, *, split: int, bands: int, waves: int, order: int, points: int, compute: float) -> Kernel:
    """Electrons that are excited: bands read by all together, a matrix of each point written as blocks by all."""
    ranks, side, band, every = split * split, order // split, waves * _COMPLEX, 3
    blocks: list[list[Box]] = [[((0, y * side, x * side), (1, side, side))] for y in range(split) for x in range(split)]
    writer = Writer(ranks)
    for name, count in (("WFN", bands), ("WFNq", 1)):
        writer.open("h", f"{name}.h5", ranks=0, write=False)  # the head, which is told to all
        writer.close("h", ranks=0)
        writer.open("f", f"{name}.h5", write=False, mpiio=True)
        for number in range(count):
            writer.read_all("f", [((rank * count + number) * band, band) for rank in range(ranks)])
        writer.close("f")
    writer.open("l", "epsilon.log", ranks=0, write=True)
    for point in range(points + 1):
        name = "epsmat.h5" if point else "eps0mat.h5"
        for step in range(every):
            writer.compute(compute)
            writer.write("l", (point * every + step) * 6 * _LINE, 6 * _LINE, ranks=0)
            writer.barrier()
        writer.open("m", name, write=True, mpiio=True)
        writer.view("m", 0, _COMPLEX, (1, order, order), blocks)
        writer.write_all("m", [(max(0, point - 1) * side * side * _COMPLEX, side * side * _COMPLEX)] * ranks)
        writer.close("m")
        writer.barrier()
        writer.open("h", name, ranks=0, write=True)  # that the point is done
        writer.close("h", ranks=0)
    writer.close("l", ranks=0)
    return Kernel(
        name="berkeleygw",
        scale=scale,
        title="electrons that are excited: bands read by all together, a matrix of each point written as blocks by all",
        source="BerkeleyGW's epsilon: read_hdf5_bands_block, write_matrix_d_par_hdf_2 for each q, set_qpt_done",
        changed=f"{ranks * bands} bands, a matrix of {order}, a block of each process; heads are not moved; flat.",
        run=writer.script,
        prepares=prepared(ranks, [("WFN.h5", ranks * bands * band), ("WFNq.h5", ranks * band)]),
        results=("epsilon.log", "eps0mat.h5", "epsmat.h5"),
    )


def cactus(scale: str, *, ranks: int, side: int, levels: int, outputs: int, steps: int, compute: float) -> Kernel:
    """Black holes: a file of each group by each process, appended; checkpoints that get their names when whole."""
    part, arrays, line = side**3 * _DOUBLE, 32, side * ranks * levels * 118  # of a slice as text, B
    writer = Writer(ranks)
    kept: list[str] = []
    for turn in range(outputs):
        for step in range(steps):
            writer.compute(compute)
            for name, count in _GROUPS.items():
                size = 25 + count * 4 * 21  # four norms of each variable
                _piece(writer, f"{name}..asc", (turn * steps + step) * size, size, 0, write=True)
            writer.barrier()
        for name, count in _GROUPS.items():
            size = line + line * count // 7
            _piece(writer, f"{name}.x.asc", turn * size, size, 0, write=True)
        for (name, count), rank in product(_GROUPS.items(), range(ranks)):
            place, sets = turn * count * (levels * part + _META), count * levels
            writer.open("v", f"{name}.file_{rank}.h5", ranks=rank, write=True)
            writer.write("v", place, part, count=sets, ranks=rank)
            writer.write("v", place + sets * part, count * _META, ranks=rank)
            writer.close("v", ranks=rank)
        if turn % 2 == 0:
            continue
        name = f"it_{(turn + 1) * steps * 32}"
        for rank in range(ranks):
            writer.open("c", f"checkpoint.chkpt.tmp.{name}.file_{rank}.h5", ranks=rank, write=True)
            writer.write("c", 0, part, count=arrays * levels, ranks=rank)
            writer.write("c", arrays * levels * part, 19 * _META, ranks=rank)
            writer.close("c", ranks=rank)
        writer.barrier()  # all are whole
        kept, old = [f"checkpoint.chkpt.{name}.file_{rank}.h5" for rank in range(ranks)], kept
        for rank, path in enumerate(kept):
            writer.rename(f"checkpoint.chkpt.tmp.{name}.file_{rank}.h5", path, ranks=rank)
        for rank, path in enumerate(old):
            writer.unlink(path, ranks=rank)
    return Kernel(
        name="cactus",
        scale=scale,
        title="black holes: a file of each group by each process, appended, checkpoints named when they are whole",
        source="Cactus, the Einstein Toolkit: CarpetIOHDF5, one_file_per_group, .chkpt.tmp.it_, CarpetIOASCII, -Scalar",
        changed=f"{levels} levels of {side}^3 a process, {arrays} arrays kept, {outputs} outputs; little HDF5.",
        run=writer.script,
        results=(
            *(f"{name}.{kind}asc" for name, kind in product(_GROUPS, (".", "x."))),
            *(f"{name}.file_{rank}.h5" for name, rank in product(_GROUPS, range(ranks))),
            *kept,
        ),
    )


def _piece(
    writer: Writer, path: str, place: int, size: int, rank: int, *, write: bool, count: int = 1, stride: int = 0
) -> None:
    """Have a rank open a file, move requests from a place on, and close it."""
    writer.open("p", path, ranks=rank, write=write)
    (writer.write if write else writer.read)("p", place, size, count=count, stride=stride, ranks=rank)
    writer.close("p", ranks=rank)


def caiman(scale: str, *, ranks: int, frames: int, sides: tuple[int, int], patch: int, compute: float) -> Kernel:
    """Neurons in a film: parts turned to rows of pixels and joined in one file, read as patches and as blocks."""
    (height, width), portions, cuts = sides, 2, 4
    pixels, row = height * width, ranks * frames * _SINGLE
    names = [f"Yr{rank}_d1_{height}_d2_{width}_d3_1_order_C" for rank in range(ranks)]
    parts = [f"{name}_frames_{frames}_.mmap" for name in names]
    joined, some = f"Yr_d1_{height}_d2_{width}_d3_1_order_C_frames_{ranks * frames}_.mmap", pixels // ranks // portions
    writer = Writer(ranks)
    for rank, name in enumerate(names):
        writer.read_file("t", f"film{rank}.tif", pixels * 2, count=frames, ranks=rank)
        writer.compute(compute, ranks=rank)  # motion
        writer.write_file("p", name, pixels * frames * _SINGLE, ranks=rank)
        writer.rename(name, parts[rank], ranks=rank)
    writer.barrier()
    writer.open("y", joined, ranks=0, write=True)
    writer.close("y", ranks=0)
    writer.barrier()
    for turn, rank in product(range(portions), range(ranks)):
        first = (turn * ranks + rank) * some
        for path in parts:
            _piece(writer, path, first * frames * _SINGLE, some * frames * _SINGLE, rank, write=False)
            writer.compute(round(compute / 8 / ranks, 9), ranks=rank)  # it is put in its columns
        _piece(writer, joined, first * row, some * row, rank, write=True)
    writer.barrier()
    writer.put("Yr.npz", 1, 2_150, ranks=0)
    for number, (x, y) in enumerate(product(range(cuts), range(cuts))):
        rank, at = number % ranks, x * (width - patch) // (cuts - 1) * height + y * (height - patch) // (cuts - 1)
        _piece(writer, joined, at * row, patch * row, rank, write=False, count=patch, stride=height * row)
        writer.compute(compute, ranks=rank)
    writer.barrier()
    for rank in range(ranks):  # a product with all of it
        _piece(writer, joined, rank * (pixels // ranks) * row, pixels // ranks * row, rank, write=False)
        writer.compute(compute, ranks=rank)
    writer.barrier()
    writer.write_file("r", "analysis_results.hdf5", 437_000, count=6, ranks=0)
    return Kernel(
        name="caiman",
        scale=scale,
        title="neurons in a film: parts turned to rows of pixels, joined in one file, which is read as patches",
        source="CaImAn: save_memmap with tofile and os.rename, save_memmap_join, CNMF's patches, parallel_dot_product",
        changed=f"{ranks} films of {frames} frames, {cuts * cuts} patches, one product; nothing is mapped.",
        run=writer.script,
        prepares=prepared(ranks, [(f"film{rank}.tif", pixels * 2 * frames) for rank in range(ranks)]),
        results=(*parts, joined, "Yr.npz", "analysis_results.hdf5"),
    )


def canu(scale: str, *, ranks: int, block: int, overlaps: int, compute: float) -> Kernel:
    """Long reads: blocks of a store compared, overlaps to buckets, slices and a store, named when whole, corrected."""
    folders = [f"{hashed + 1:03}" for hashed in range(_CUTS)]
    jobs = [f"{folder}/{cut * _CUTS + other + 1:06}" for cut, folder in enumerate(folders) for other in range(_CUTS)]
    store, lump, third = "asm.ovlStore", len(jobs) * overlaps * _BUFFER // ranks**2 + 340, round(compute / 3, 9)
    lists, parts = ranks * 47_000 + 16, [f"{part + 1:04}" for part in range(ranks)]
    writer = Writer(ranks)
    for folder in (*folders, f"{store}.BUILDING", "results"):
        writer.mkdir(folder, ranks=0)
    writer.barrier()
    for number, job in enumerate(jobs):
        rank = number % ranks
        writer.get("asm.frequentMers.fasta", 1, 61_000, ranks=rank)
        for cut in divmod(number, _CUTS):
            _piece(writer, "asm.blobs.0000", cut * block, block // 20, rank, write=False, count=20)
            writer.compute(compute, ranks=rank)
        writer.write_file("o", f"{job}.ovb.WORKING", _BUFFER, count=overlaps, ranks=rank)
        for end, size in (("counts", 38_000), ("stats", 410)):
            writer.put(f"{job}.{end}", 1, size, ranks=rank)
        writer.rename(f"{job}.ovb.WORKING", f"{job}.ovb", ranks=rank)
    writer.barrier()
    for job in jobs:
        writer.get(f"{job}.stats", 1, 410, ranks=0)
    _store(writer, f"{store}.BUILDING", jobs, (ranks, overlaps, lump, third))
    for part, (end, size) in product(parts, (("info", 72), ("index", 47_000))):
        writer.get(f"{store}.BUILDING/{part}.{end}", 1, size, ranks=0)
        writer.unlink(f"{store}.BUILDING/{part}.{end}", ranks=0)
    writer.put(f"{store}.BUILDING/index", 1, lists, ranks=0)
    writer.put(f"{store}.BUILDING/info", 1, 76, ranks=0)
    writer.rename(f"{store}.BUILDING", store, ranks=0)
    for job, end in product(jobs, ("ovb", "counts", "stats")):  # not needed any more
        writer.unlink(f"{job}.{end}", ranks=0)
    for folder in folders:
        writer.rmdir(folder, ranks=0)
    writer.barrier()
    for rank, part in enumerate(parts):
        writer.get(f"{store}/index", 1, lists, ranks=rank)
        writer.read_file("d", f"{store}/{part}.001", ranks * lump, ranks=rank)
        writer.compute(third, ranks=rank)
        writer.put(f"results/{part}.WORKING.cns", 1, 2 * block // ranks, ranks=rank)
        writer.rename(f"results/{part}.WORKING.cns", f"results/{part}.cns", ranks=rank)
    kept = (*(f"{part}.001" for part in parts), "index", "info")
    return Kernel(
        name="canu",
        scale=scale,
        title="long reads: overlaps of blocks to buckets, slices and a store, files and folders named when whole",
        source="Canu: overlap.sh's .ovb.WORKING and mv, ovStoreBucketizer, ovStoreSorter, .BUILDING, .WORKING.cns",
        changed=f"{len(jobs)} jobs of two blocks of {block / 1e6:.3g} MB, a slice for each; reads not looked up again.",
        run=writer.script,
        prepares=prepared(ranks, [("asm.blobs.0000", _CUTS * block), ("asm.frequentMers.fasta", 61_000)]),
        results=(*(f"{store}/{name}" for name in kept), *(f"results/{part}.cns" for part in parts)),
    )


def _store(writer: Writer, path: str, jobs: list[str], told: tuple[int, int, int, float]) -> None:
    """Have each process of Canu put its overlaps into a bucket, by slices, and then sort a slice of all buckets."""
    ranks, overlaps, lump, compute = told
    slices, buckets = ([f"{kind}{part + 1:04}" for part in range(ranks)] for kind in ("slice", f"{path}/bucket"))
    for rank, bucket in enumerate(buckets):
        create = f"{path}/create{rank + 1:04}"
        writer.mkdir(create, ranks=rank)
        for name in slices:
            writer.open(name, f"{create}/{name}", ranks=rank, write=True)
        for job in jobs[rank::ranks]:
            writer.read_file("o", f"{job}.ovb", _BUFFER, count=overlaps, ranks=rank)
        for name in slices:
            writer.write(name, 0, lump, ranks=rank)
            writer.close(name, ranks=rank)
        writer.put(f"{create}/sliceSizes", 1, ranks * 8, ranks=rank)
        writer.rename(create, bucket, ranks=rank)
    writer.barrier()
    for rank, name in enumerate(slices):
        for bucket in buckets:
            writer.get(f"{bucket}/sliceSizes", 1, ranks * 8, ranks=rank)
            writer.read_file("b", f"{bucket}/{name}", lump, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write_file("d", f"{path}/{rank + 1:04}.001", ranks * lump, ranks=rank)
        for end, size in (("index", 47_000), ("info", 72)):
            writer.put(f"{path}/{rank + 1:04}.{end}", 1, size, ranks=rank)
        for bucket in buckets:
            writer.unlink(f"{bucket}/{name}", ranks=rank)
    writer.barrier()
    for bucket in buckets:
        writer.unlink(f"{bucket}/sliceSizes", ranks=0)
        writer.rmdir(bucket, ranks=0)


def hycom(scale: str, *, tiles: int, grid: tuple[int, int], levels: int, days: int, compute: float) -> Kernel:
    """A layered ocean: fields by the first process of each row of tiles, read alone, written together, with texts."""
    ranks, words, members = tiles * tiles, grid[0] * grid[1], [row * tiles for row in range(tiles)]
    record, share = -(-words // _WORDS) * _WORDS * _SINGLE, words // tiles * _SINGLE
    who, state, shown = ",".join(map(str, members)), 10 * levels + 12, 5 * levels + 11
    outputs = {day: (f"archv.2011_{day:03}_00", shown) for day in range(2, days + 1, 2)}
    writer = Writer(ranks)
    writer.read_file("b", "restart_in.b", (state + 5) * _LINE, ranks=0)
    writer.open("r", "restart_in.a", ranks=who, write=False, mpiio=True)
    for row, rank in enumerate(members):
        writer.read("r", row * share, share, count=state, stride=record, ranks=rank)
    writer.close("r", ranks=who)
    for name in _FORCING:
        writer.read_file("b", f"forcing.{name}.b", (days + 5) * _LINE, ranks=0)
        writer.open(name, f"forcing.{name}.a", ranks=who, write=False, mpiio=True)
    for day in range(1, days + 1):
        for name in _FORCING:
            for row, rank in enumerate(members):
                writer.read(name, (day - 1) * record + row * share, share, ranks=rank)
            writer.compute(round(compute / len(_FORCING), 9))
        writer.barrier()
        if day in outputs:
            _fields(writer, *outputs[day], members, (record, share))
    _fields(writer, "restart_out", state, members, (record, share))
    for name in _FORCING:
        writer.close(name, ranks=who)
    sizes = {"restart_in": state, **{f"forcing.{name}": days for name in _FORCING}}
    inputs = [(f"{name}.a", count * record) for name, count in sizes.items()]
    inputs += [(f"{name}.b", (count + 5) * _LINE) for name, count in sizes.items()]
    made = ("restart_out", *(path for path, _ in outputs.values()))
    return Kernel(
        name="hycom",
        scale=scale,
        title="a layered ocean: fields by the first process of each row, read alone, written together, texts beside",
        source="HYCOM: mod_za's MPI-2 I/O, zaiord and zaiowr with group_1st_in_row, archiv, restart_out, forcing",
        changed=f"{levels} layers of {grid[0]}x{grid[1]}, {days} days of forcing; no fill behind, .b read at once.",
        run=writer.script,
        prepares=prepared(ranks, inputs),
        results=tuple(f"{path}.{end}" for path, end in product(made, "ab")),
    )


def _fields(writer: Writer, path: str, count: int, members: list[int], sizes: tuple[int, int]) -> None:
    """Have the first processes of HYCOM's rows write fields, one after another, and process 0 a text about them."""
    (record, share), who = sizes, ",".join(map(str, members))
    writer.open("a", f"{path}.a", ranks=who, write=True, mpiio=True)
    for number in range(count):
        writer.write_all("a", [(number * record + row * share, share) for row in range(len(members))], ranks=members)
    writer.close("a", ranks=who)
    writer.write_file("b", f"{path}.b", (count + 4) * _LINE, ranks=0)
