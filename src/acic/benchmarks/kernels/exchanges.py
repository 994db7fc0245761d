"""Applications for a test: means of a climate, eddies, walkers' hills, collisions and a universe."""

from __future__ import annotations

from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Box, Writer, prepared
from acic.units import KIB

_SINGLE, _DOUBLE, _BUFFER = 4, 8, 4 * KIB  # B; the last of the C library's streams
_MONTHS, _SEASONS = 12, {"DJF": (11, 0, 1), "MAM": (2, 3, 4), "JJA": (5, 6, 7), "SON": (8, 9, 10)}
_HEADS = {"": 21_300, "month": 22_180, "season": 23_440, "year": 24_920}  # of files, which tell their history, B
_FIELDS = ("u", "v", "w", "thl", "qt", "s")
_LINE = {"HILLS": 161, "COLVAR": 108, "GRID": 121}  # of texts, B
_SHARES = {"ITS": 11, "TPC": 64, "TRD": 6, "TOF": 4, "MFT": 5, "MCH": 3, "EMC": 3, "PHS": 2, "FT0": 1, "ZDC": 1}  # %
_KEYS, _STREAMERS, _META = 6_900, 13_500, 640  # of ROOT's files: the tree, what classes are; of .done; B
_DARK = {"Coordinates": 24, "Velocities": 12, "Masses": 4, "ParticleIDs": 8}  # of a particle, B
_GAS = _DARK | {"SmoothingLengths": 4, "InternalEnergies": 4}
_MORE = {"Densities": 4, "Entropies": 4, "Pressures": 4, "Potentials": 4}  # of snapshots
_ENGINE, _PART, _XPART, _GPART = 41_000, 288, 96, 112  # of restart files, B


def nco(scale: str, *, ranks: int, years: int, points: int, levels: int, compute: float) -> Kernel:
    """Means of a climate: one operator for each month, season and the year, whose file gets its name when complete."""
    flat, deep = points * _SINGLE, points * levels * _SINGLE
    sizes = [flat] * 14 + [deep] * 8
    writer = Writer(ranks)
    for month in range(_MONTHS):
        files = [f"h0.{year:04}-{month + 1:02}.nc" for year in range(years)]
        _mean(writer, month % ranks, files, "", f"clm_{month + 1:02}.nc", "month", sizes, compute)
    writer.barrier()
    for number, (season, months) in enumerate(_SEASONS.items()):
        files = [f"clm_{month + 1:02}.nc" for month in months]
        _mean(writer, number % ranks, files, "month", f"clm_{season}.nc", "season", sizes, compute)
    writer.barrier()
    writer.compute(round(len(_SEASONS) * compute, 9), ranks=f"1-{ranks - 1}")  # they wait
    _mean(writer, 0, [f"clm_{season}.nc" for season in _SEASONS], "season", "clm_ANN.nc", "year", sizes, compute)
    inputs = [f"h0.{year:04}-{month + 1:02}.nc" for year, month in product(range(years), range(_MONTHS))]
    return Kernel(
        name="nco",
        scale=scale,
        title="means of a climate: files of months read variable by variable, each mean written aside and then named",
        source="NCO: ncra as diagnostics packages call it side by side, nco_fl_out_open's .pid.ncra.tmp, nco_fl_mv",
        changed=f"{years} years of {points} points, {levels} levels; netCDF-3, a variable at once, no regridding.",
        run=writer.script,
        prepares=prepared(ranks, [(path, _HEADS[""] + sum(sizes)) for path in inputs]),
        results=tuple(f"clm_{name}.nc" for name in (*(f"{month + 1:02}" for month in range(12)), *_SEASONS, "ANN")),
    )


def _mean(
    writer: Writer, rank: int, files: list[str], of: str, to: str, kind: str, sizes: list[int], compute: float
) -> None:
    """Have an operator read files, variable by variable, write their mean under another name, and rename it."""
    for path in files:
        writer.stat(path, ranks=rank)
        writer.open("i", path, ranks=rank, write=False)
        _pieces(writer, "i", (_HEADS[of], *sizes), rank, write=False)
        writer.compute(compute, ranks=rank)
    writer.open("o", f"{to}.ncra.tmp", ranks=rank, write=True)
    _pieces(writer, "o", (_HEADS[kind], *sizes), rank)
    writer.rename(f"{to}.ncra.tmp", to, ranks=rank)


def microhh(
    scale: str, *, columns: int, rows: int, grid: tuple[int, int, int], crosses: int, steps: int, compute: float
) -> Kernel:
    """Eddies: fields read and written as slabs, each in a file of all; cross-sections by those that have them."""
    ranks, (depth, height, width) = columns * rows, grid
    places = [(row, column) for row in range(rows) for column in range(columns)]
    slab, tall, wide = depth // columns, height // rows, width // columns
    slabs: list[list[Box]] = [[((x * slab, y * tall, 0), (slab, tall, width))] for y, x in places]
    flats: list[list[Box]] = [[((0, y * tall, x * wide), (1, tall, wide))] for y, x in places]
    along = [rank for rank, (y, _) in enumerate(places) if y == rows // 2]
    across = [rank for rank, (_, x) in enumerate(places) if x == columns // 2]
    cuts: dict[str, tuple[tuple[int, int, int], list[list[Box]], list[int]]] = {
        "xy": ((1, height, width), flats, list(range(ranks))),
        "xz": ((1, depth, width), [[((0, 0, x * wide), (1, depth, wide))] for x in range(columns)], along),
        "yz": ((1, depth, height), [[((0, 0, y * tall), (1, depth, tall))] for y in range(rows)], across),
    }
    share, nodes = slab * tall * width * _DOUBLE, 2 * (depth + height + width) * _DOUBLE
    writer = Writer(ranks)
    writer.read_file("g", "grid.0000000", nodes, ranks=0)
    writer.barrier()
    for name in _FIELDS:
        writer.open("f", f"{name}.0000000", write=False, mpiio=True)
        writer.view("f", 0, _DOUBLE, grid, slabs)
        writer.read_all("f", [(0, share)] * ranks)
        writer.close("f")
        writer.compute(compute)  # it is transposed
    writer.open("s", "flow.default.nc", ranks=0, write=True)
    for number in range(1, crosses + 1):
        writer.compute(round(steps * compute, 9))
        writer.write("s", (number - 1) * 61 * depth * _DOUBLE, depth * _DOUBLE, count=61, ranks=0)
        writer.barrier()
        for cut, (whole, parts, members) in cuts.items():
            who = ",".join(map(str, members))
            writer.open("c", f"w.{cut}.{number * 60:07}", ranks=who, write=True, mpiio=True)
            writer.view("c", 0, _DOUBLE, whole, parts, ranks=members)
            size = whole[1] * whole[2] // len(members) * _DOUBLE
            writer.write_all("c", [(0, size)] * len(members), ranks=members)
            writer.sync("c", ranks=who)
            writer.close("c", ranks=who)
            writer.barrier()
    writer.close("s", ranks=0)
    for name in _FIELDS:
        writer.compute(compute)
        writer.open("f", f"{name}.{crosses * 60:07}", write=True, mpiio=True)
        writer.view("f", 0, _DOUBLE, grid, slabs)
        writer.write_all("f", [(0, share)] * ranks)
        writer.close("f")
    writer.put(f"time.{crosses * 60:07}", 1, 28, ranks=0)
    sections = (f"w.{cut}.{number * 60:07}" for number, cut in product(range(1, crosses + 1), cuts))
    fields = (f"{name}.{crosses * 60:07}" for name in _FIELDS)
    return Kernel(
        name="microhh",
        scale=scale,
        title="eddies: fields as slabs of rows, each file read or written at once by all; cross-sections, synced",
        source="MicroHH: Field3d_io's transposed save_field3d and load_field3d, save_xy, xz and yz_slice with sync",
        changed=f"{len(_FIELDS)} fields of {depth}x{height}x{width}, saved once, sections of one; few statistics.",
        run=writer.script,
        prepares=prepared(ranks, [("grid.0000000", nodes), *((f"{name}.0000000", ranks * share) for name in _FIELDS)]),
        results=("flow.default.nc", *sections, *fields, f"time.{crosses * 60:07}"),
    )


def plumed(scale: str, *, ranks: int, exchanges: int, hills: int, bins: int, every: int, compute: float) -> Kernel:
    """Hills that walkers share: each appends its own and reads all others' new ones; a grid whose last one is kept."""
    added, values = hills * _LINE["HILLS"], 6 * hills * _LINE["COLVAR"]
    whole, rest = divmod(bins * bins * _LINE["GRID"], _BUFFER)
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"h{rank}", f"HILLS.{rank}", ranks=rank, write=True)
        writer.open(f"c{rank}", f"COLVAR.{rank}", ranks=rank, write=True)
        writer.open(f"g{rank}", f"GRID.{rank}", ranks=rank, write=True)
    writer.barrier()
    others = [(rank, other) for rank, other in product(range(ranks), range(ranks)) if other != rank]
    for rank, other in others:
        writer.open(f"r{rank}.{other}", f"HILLS.{other}", ranks=rank, write=False)
    for turn in range(exchanges):
        for rank in range(ranks):
            writer.write(f"c{rank}", turn * values, values, ranks=rank)
            writer.write(f"h{rank}", turn * added, added, ranks=rank)
            writer.close(f"h{rank}", ranks=rank)  # so that others see it
            writer.open(f"h{rank}", f"HILLS.{rank}", ranks=rank, write=True)
        writer.barrier()
        for rank, other in others:
            writer.read(f"r{rank}.{other}", turn * added, added, ranks=rank)
            writer.compute(round(compute / (ranks - 1), 9), ranks=rank)
        for rank in range(ranks) if (turn + 1) % every == 0 else ():
            writer.close(f"g{rank}", ranks=rank)
            writer.rename(f"GRID.{rank}", f"bck.last.GRID.{rank}", ranks=rank)
            writer.open(f"g{rank}", f"GRID.{rank}", ranks=rank, write=True)
            writer.write(f"g{rank}", 0, _BUFFER, count=whole, ranks=rank)
            writer.write(f"g{rank}", whole * _BUFFER, rest, ranks=rank)
    for rank, other in others:
        writer.close(f"r{rank}.{other}", ranks=rank)
    for rank, name in product(range(ranks), "hcg"):
        writer.close(f"{name}{rank}", ranks=rank)
    kept = ("HILLS", "COLVAR", "GRID", "bck.last.GRID")
    return Kernel(
        name="plumed",
        scale=scale,
        title="hills that walkers share: texts appended and read by all others, a grid each that replaces its last",
        source="PLUMED: METAD with WALKERS_DIR and GRID_WFILE, heavy flushes of HILLS, OFile::rewind's bck.last files",
        changed=f"{ranks} walkers, {hills} hills a turn, in step, computing after each is read; no MD code's files.",
        run=writer.script,
        results=tuple(f"{name}.{rank}" for name, rank in product(kept, range(ranks))),
    )


def alice(scale: str, *, ranks: int, frames: int, raw: int, packed: int, compute: float) -> Kernel:
    """Collisions in frames of time: raw ones read by each node, a packed file of each, which is named when complete."""
    folder, header = "2aBcDe_505673", 96
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"r{rank}", f"o2_rawtf_{rank}.tf", ranks=rank, write=False)
    writer.mkdir(folder, ranks=0)
    writer.barrier()
    made = []
    for frame, rank in product(range(frames), range(ranks)):
        name = f"o2_ctf_run00505673_tf{frame * ranks + rank:010}_epn{rank:03}"
        place = frame * (header + raw)
        writer.read(f"r{rank}", place, header, ranks=rank)
        writer.read(f"r{rank}", place + header, raw, ranks=rank)
        writer.compute(compute, ranks=rank)
        _packed(writer, f"{folder}/{name}.root.part", rank, packed)
        writer.stat(f"{folder}/{name}.root.part", ranks=rank)
        writer.put(f"{name}.tmp", 1, _META, ranks=rank)
        writer.rename(f"{folder}/{name}.root.part", f"{folder}/{name}.root", ranks=rank)
        writer.rename(f"{name}.tmp", f"{name}.done", ranks=rank)
        made += [f"{folder}/{name}.root", f"{name}.done"]
    for rank in range(ranks):
        writer.close(f"r{rank}", ranks=rank)
    return Kernel(
        name="alice",
        scale=scale,
        title="collisions: raw frames of time read by each node, a packed file and a note of each, named when whole",
        source="ALICE O2: raw-tf-reader, CTFWriterSpec with one frame a file, its default, .part, .tmp, .done, no MD5",
        changed=f"{ranks} nodes, {frames} frames each of {raw / 1e6:.3g} MB; {len(_SHARES)} detectors; heads once.",
        run=writer.script,
        prepares=prepared(ranks, [(f"o2_rawtf_{rank}.tf", frames * (header + raw)) for rank in range(ranks)]),
        results=tuple(made),
    )


def _packed(writer: Writer, path: str, rank: int, size: int) -> None:
    """Write a file as ROOT does: a basket of each detector, the tree, what classes are, and the head at last."""
    head = 300
    writer.open(f"t{rank}", path, ranks=rank, write=True)
    place = head
    for part in (*(size * share // 100 for share in _SHARES.values()), _KEYS, _STREAMERS):
        writer.write(f"t{rank}", place, part, ranks=rank)
        place += part
    writer.write(f"t{rank}", 0, head, ranks=rank)
    writer.close(f"t{rank}", ranks=rank)


def swift(scale: str, *, ranks: int, gas: int, dark: int, snapshots: int, steps: int, compute: float) -> Kernel:
    """A universe: snapshots by all together, field by field; restart files of each, the one before kept by renaming."""
    first = [gas * size for size in _GAS.values()] + [dark * size for size in _DARK.values()]
    later = [gas * size for size in (_GAS | _MORE).values()] + [dark * size for size in (*_DARK.values(), 4)]
    blocks = (_ENGINE, gas * _PART, gas * _XPART, (gas + dark) * _GPART)
    writer = Writer(ranks)
    _together(writer, "ics.hdf5", first, ranks, write=False)
    writer.open("t", "timesteps.txt", ranks=0, write=True)
    restarts = [f"restart.swift_{rank:06}.rst" for rank in range(ranks)]
    for step in range(snapshots * steps):
        writer.compute(compute)
        writer.write("t", step * 187, 187, ranks=0)
        number, rest = divmod(step + 1, steps)
        if rest == 0:
            name = f"snap_{number - 1:04}.hdf5"
            writer.open("s", name, ranks=0, write=True)
            writer.close("s", ranks=0)
            writer.barrier()
            _together(writer, name, later, ranks, write=True)
        if (step + 1) % (snapshots * steps // 2) == 0:
            writer.barrier()
            for rank, path in enumerate(restarts):
                if number > snapshots // 2:
                    writer.stat(path, ranks=rank)
                    writer.rename(path, f"{path}.prev", ranks=rank)
                writer.open(f"r{rank}", path, ranks=rank, write=True)
                _pieces(writer, f"r{rank}", blocks, rank)
    writer.close("t", ranks=0)
    return Kernel(
        name="swift",
        scale=scale,
        title="a universe: snapshots written field by field by all, restart files of each, the last ones kept",
        source="SWIFT: parallel_io's collective HDF5, prepared by rank 0; restart.c with restarts:save, timesteps.txt",
        changed=f"{gas + dark} particles a process, as many on each, {snapshots} snapshots, restarts twice; flat HDF5.",
        run=writer.script,
        prepares=prepared(ranks, [("ics.hdf5", ranks * sum(first))]),
        results=(
            "timesteps.txt",
            *(f"snap_{number:04}.hdf5" for number in range(snapshots)),
            *(f"{path}{end}" for path, end in product(restarts, ("", ".prev"))),
        ),
    )


def _together(writer: Writer, path: str, sizes: list[int], ranks: int, *, write: bool) -> None:
    """Have all move datasets one after another, each process its part of each."""
    writer.open("s", path, write=write, mpiio=True)
    place = 0
    for size in sizes:
        parts = [(place + rank * size, size) for rank in range(ranks)]
        (writer.write_all if write else writer.read_all)("s", parts)
        place += ranks * size
    writer.close("s")


def _pieces(writer: Writer, name: str, sizes: tuple[int, ...], rank: int, *, write: bool = True) -> None:
    """Have a rank move pieces of a file that it opened, one behind another, and close it."""
    place = 0
    for size in sizes:
        (writer.write if write else writer.read)(name, place, size, ranks=rank)
        place += size
    writer.close(name, ranks=rank)
