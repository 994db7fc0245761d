"""Applications held out: duplicates among reads, brains' surfaces, things in pictures, ground that moves, a shuffle."""

from __future__ import annotations

import random
from itertools import pairwise, product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared

_JAVA, _ZLIB, _STDIO = 131_072, 8_192, 4_096  # what htsjdk, zlib and the C library move at once, B
_BGZF, _HEAD, _EACH = 18_724, 18, 7  # a block of a BAM file and its head, which is read first, B; blocks a buffer
_MATE, _VALUES = 84, 14  # of a read whose mate is on another chromosome: B, and values, each read by a call of its own
_SPILLS = dict.fromkeys((1, 6, 11, 16, 21), 305_700) | {9: 263_400, 20: 263_400}  # B behind some chromosomes
_RUNS = (  # of recon-all: tools, B that each writes, by what requests, whether each reads an atlas
    (8, 311_000, _ZLIB, False),  # orig, nu, T1, brainmask
    (5, 91_400, _ZLIB, True),  # norm, m3z, aseg
    (6, 53_200, _ZLIB, False),  # brain, wm, filled
    (10, 201_300, _STDIO, False),  # of the left half: orig, smoothwm, inflated, white, sphere, pial
    (10, 203_700, _STDIO, False),
)
_SCAN, _ATLAS, _CURVE = 560_000, 1_130_000, 22_700  # B
_PICTURES = {"train": (43_100, 276_480), "val": (47_300, 233_472)}  # B of a .jpg and of what is in it
_LABEL, _NPY, _PYTHON = 370, 128, 8_192  # B: a picture's labels, a head of numpy, a buffer
_STAGES = (  # of topsStack, read > written; - for the date before
    *("dem>lat lon hgt los inc mask", "lat lon hgt>azi.off rng.off", "tiff azi.off rng.off>slc", "-slc slc>int"),
    *("int>fine", "-slc slc>full", "full>cor", "fine cor>unw"),
)
_PIXEL = {"dem": 2, "lat": 8, "lon": 8, "hgt": 8, "los": 8, "inc": 8, "mask": 1, "azi.off": 4, "rng.off": 4}  # B
_PIXEL |= {"tiff": 4, "slc": 8, "int": 8, "full": 4, "fine": 8, "cor": 4, "unw": 8}
_MADE = {name: number for number, stage in enumerate(_STAGES) for name in stage.split(">")[1].split()}
_FEW, _IDLE = ("fine", "cor", "unw"), ("fine", "full", "cor")  # 3 lines as one, 9 samples as one; soon computed
_ABOUT = {"xml": 1_930, "vrt": 715}  # texts beside each raster, about, B
_ARROW = (8, 712, 8, 416)  # read of a shard before its data: a length, the schema, a length, what the batch has, B


def _move(writer: Writer, rank: int, path: str, size: int, request: int, *, write: bool = False) -> None:
    """Have a rank open a file, read or write it by requests from its beginning on, and close it."""
    writer.open("m", path, ranks=rank, write=write)
    for place, length, count in ((0, request, size // request), (size - size % request, size % request, 1)):
        if length and count:
            (writer.write if write else writer.read)("m", place, length, count=count, ranks=rank)
    writer.close("m", ranks=rank)


def markduplicates(scale: str, *, ranks: int, parts: int, mates: int, compute: float) -> Kernel:
    """Duplicates among reads: samples read twice by blocks, ends of reads spilled, mates in a file a chromosome."""
    writer, size = Writer(ranks), parts * _EACH * _BGZF
    for rank in range(ranks):
        writer.mkdir(f"CSPI{rank}", ranks=rank)
        _sweep(writer, rank, parts, mates * _MATE, compute)
        for number, spilled in _SPILLS.items():  # merged
            _move(writer, rank, f"sort{rank}.{number}.tmp", spilled, _JAVA)
            writer.unlink(f"sort{rank}.{number}.tmp", ranks=rank)
        writer.open("o", f"s{rank}.dup.bam", ranks=rank, write=True)
        _sweep(writer, rank, parts, 0, compute)
        writer.close("o", ranks=rank)
        for end, length in {"bai": 97_300, "metrics": 3_240}.items():
            writer.put(f"s{rank}.dup.{end}", 1, length, ranks=rank)
        writer.rmdir(f"CSPI{rank}", ranks=rank)
    return Kernel(
        name="markduplicates",
        scale=scale,
        title="duplicates among reads: samples read twice by small blocks, ends spilled and merged, mates put aside",
        source="Picard's MarkDuplicates, a job each; htsjdk: processNextBlock, SortingCollection, ensureSequenceLoaded",
        changed=f"{ranks} samples of {size / 1e6:.3g} MB, {parts} chromosomes that are alike; spills read in turn.",
        run=writer.script,
        prepares=prepared(ranks, [(f"s{rank}.bam", size) for rank in range(ranks)]),
        results=tuple(f"s{rank}.dup.{end}" for rank, end in product(range(ranks), ("bam", "bai", "metrics"))),
    )


def _sweep(writer: Writer, rank: int, parts: int, mates: int, compute: float) -> None:
    """Have a rank read a sample by blocks, put aside what it finds and read that, or, without mates, write it anew."""
    own = {number: f"CSPI{rank}/{number}.tmp" for number in range(1, parts if mates else 0)}
    writer.open("b", f"s{rank}.bam", ranks=rank, write=False)
    for number in range(parts):
        if number in own:
            writer.write(own[number], 0, mates, ranks=rank)  # it was in a buffer
            writer.close(own[number], ranks=rank)
            writer.stat(own[number], ranks=rank)
            _move(writer, rank, own[number], mates, _MATE // _VALUES)
            writer.unlink(own[number], ranks=rank)
        for block in range(number * _EACH, (number + 1) * _EACH):
            writer.read("b", block * _BGZF, _HEAD, ranks=rank)
            writer.read("b", block * _BGZF + _HEAD, _BGZF - _HEAD, ranks=rank)
        writer.compute(compute, ranks=rank)
        for path in () if number else own.values():
            writer.open(path, path, ranks=rank, write=True)
        if not mates:
            writer.write("o", number * _JAVA, _JAVA, ranks=rank)
        elif number in _SPILLS:
            _move(writer, rank, f"sort{rank}.{number}.tmp", _SPILLS[number], _JAVA, write=True)
    writer.close("b", ranks=rank)


def freesurfer(scale: str, *, ranks: int, compute: float) -> Kernel:
    """Brains' surfaces: tool after tool reads volumes, an atlas, meshes in tiny requests, and writes the next ones."""
    writer, tools = Writer(ranks), [(run, tool) for run, (count, *_) in enumerate(_RUNS) for tool in range(count)]
    for rank in range(ranks):
        writer.mkdir(f"sub{rank}", ranks=rank)
        writer.put(f"sub{rank}/IsRunning.lh+rh", 1, 187, ranks=rank)
        for number, (run, tool) in enumerate(tools):
            for end, size in {"-status.log": 61, ".cmd": 173, ".log": 1_290}.items():
                writer.open("l", f"sub{rank}/recon-all{end}", ranks=rank, write=True)
                writer.write("l", number * size, size, ranks=rank)
                writer.close("l", ranks=rank)
            _use(writer, rank, run, tool)
            writer.compute(compute, ranks=rank)
            _, made, request, _ = _RUNS[run]
            _move(writer, rank, f"sub{rank}/{run}.{tool}", made, request, write=True)
            if request == _STDIO:
                _move(writer, rank, f"sub{rank}/{run}.{tool}.curv", _CURVE, request, write=True)
            writer.put(f"sub{rank}/touch.{number}", 1, 108, ranks=rank)
        writer.unlink(f"sub{rank}/IsRunning.lh+rh", ranks=rank)
    return Kernel(
        name="freesurfer",
        scale=scale,
        title="brains' surfaces: tool after tool reads volumes, an atlas and meshes in tiny requests, logs and marks",
        source="FreeSurfer's recon-all, a subject each: MRIread, MRIwrite, znzlib, MRISread, MRISwrite, GCAread",
        changed=f"{ranks} subjects, {len(tools)} tools in chains, a folder, a twentieth of the bytes; stdio: 4 KiB.",
        run=writer.script,
        prepares=prepared(ranks, [("atlas.gca", _ATLAS), *((f"sub{rank}.T1w.mgz", _SCAN) for rank in range(ranks))]),
        results=tuple(path for path in writer.script.made if "IsRunning" not in path),
    )


def _use(writer: Writer, rank: int, run: int, tool: int) -> None:
    """Have a tool of FreeSurfer read what the one before made, and what the last run, or that of the volumes, did."""
    _, size, request, atlas = _RUNS[run]
    if tool:
        _move(writer, rank, f"sub{rank}/{run}.{tool - 1}", size, request)
    elif not run:
        _move(writer, rank, f"sub{rank}.T1w.mgz", _SCAN, _ZLIB)
    if run:
        before = min(run - 1, 2)
        _move(writer, rank, f"sub{rank}/{before}.{_RUNS[before][0] - 1}", _RUNS[before][1], _ZLIB)
    if atlas:
        _move(writer, rank, "atlas.gca", _ATLAS, _STDIO)


def yolo(scale: str, *, ranks: int, train: int, epochs: int, weights: int, compute: float) -> Kernel:
    """Things in pictures: unpacked to a file each by one, asked for by all, read in any order, weights written over."""
    writer, made, counts = Writer(ranks), Writer(ranks), {"train": train, "val": train // 9}
    draw = random.Random(81)  # noqa: S311  # the same on every machine
    names = [f"train{number}" for number in draw.sample(range(train), train)]
    for part, count in counts.items():
        for number, (end, size) in product(range(count), {"jpg": _PICTURES[part][0], "txt": _LABEL}.items()):
            made.put(f"{part}{number}.{end}", 1, size, ranks=(ranks - 1 - number) % ranks)
        _unpack(writer, ranks, part, count)
    for epoch in range(epochs):
        share = train // ranks
        for rank in range(ranks):
            first = (rank + epoch) % ranks * share
            for name in draw.sample(names[first : first + share], share):
                _see(writer, rank, name)
                writer.compute(compute, ranks=rank)
        for name in ("last", "best") if epoch % 2 == 0 else ("last",):
            writer.put(f"{name}.pt", 1, weights, ranks=0)
        writer.open("c", "results.csv", ranks=0, write=True)
        writer.write("c", epoch * 187, 187, ranks=0)
        writer.close("c", ranks=0)
        writer.barrier()
    writer.get("best.pt", 1, weights, ranks="*")
    for _, number in product(range(2), range(counts["val"])):  # of the last epoch, and of the best one
        _see(writer, number % ranks, f"val{number}")
    writer.put("plot#.png", 7, 143_000, ranks=0)
    return Kernel(
        name="yolo",
        scale=scale,
        title="things in pictures: unpacked to files by one, asked for by all, read in any order, weights written over",
        source="Ultralytics YOLO with cache=disk: cache_labels, get_hash, cache_images_to_disk, load_image, save_model",
        changed=f"{train} pictures alike, {epochs} epochs, val=False; no threads, no heads, weights are not stripped.",
        run=writer.script,
        prepares=made.script,
        results=writer.script.made,
    )


def _unpack(writer: Writer, ranks: int, part: str, count: int) -> None:
    """Have process 0 read labels and unpack pictures, and then all others look at them."""
    packed, size = _PICTURES[part]
    for rank in range(ranks):
        writer.get(*((f"{part}.cache", 1, 490 * count) if rank else (f"{part}#.txt", count, _LABEL)), ranks=rank)
        if not rank:
            writer.put(f"{part}.cache", 1, 490 * count, ranks=0)
        for end in ("txt", "jpg"):
            writer.stat(f"{part}#.{end}", count, ranks=rank)
        for number in () if rank else range(count):
            writer.get(f"{part}{number}.jpg", 1, packed, ranks=0)
            writer.open("n", f"{part}{number}.npy", ranks=0, write=True)
            for place, length in ((0, _NPY), (_NPY, size)):
                writer.write("n", place, length, ranks=0)
            writer.close("n", ranks=0)
        writer.stat(f"{part}#.npy", count, ranks=rank)
        if not rank:
            writer.barrier()


def _see(writer: Writer, rank: int, name: str) -> None:
    """Have a rank read a picture as numpy does."""
    writer.stat(f"{name}.npy", ranks=rank)
    writer.open("n", f"{name}.npy", ranks=rank, write=False)
    writer.read("n", 0, _PYTHON, ranks=rank)
    writer.read("n", _NPY, _PICTURES[name.rstrip("0123456789")][1], ranks=rank)
    writer.close("n", ranks=rank)


def isce(scale: str, *, ranks: int, bursts: int, lines: int, samples: int, compute: float) -> Kernel:
    """Ground that moves: stage by stage, rasters of bursts read and written line by line, a date or a pair each."""
    writer = Writer(ranks)
    for stage, rank, burst in product(_STAGES, range(ranks), range(bursts)):
        if rank == burst == 0:  # all jobs of a stage end before the next one
            writer.barrier()
        if burst == 0 and not stage.endswith(_IDLE):
            writer.compute(compute, ranks=rank)
        if burst == rank or stage != _STAGES[0]:
            _stage(writer, (rank, ranks, burst), stage, lines, samples)
    inputs = {f"{rank}.tiff.{burst}": 4 * samples * lines for rank, burst in product(range(ranks), range(bursts))}
    inputs |= {f"0.dem.{burst}": 2 * samples * lines for burst in range(bursts)}
    return Kernel(
        name="isce",
        scale=scale,
        title="ground that moves: stages of jobs, rasters of bursts by lines, each with texts, of a date or a pair",
        source="ISCE2's topsStack: topo, geo2rdr, resamp_slc, generateIgram, mergeBursts, FilterAndCoherence",
        changed=f"{ranks} dates, {bursts} bursts of {lines} lines of about {samples}; flat, no filter, no mmap.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(path for path in writer.script.made if ".full." not in path or path.endswith(("xml", "vrt"))),
    )


def _stage(writer: Writer, job: tuple[int, int, int], stage: str, lines: int, samples: int) -> None:
    """Have a job of ISCE move lines of rasters in turn, and leave texts beside those that it makes."""
    rank, ranks, burst = job
    given, made = (names.split() for names in stage.split(">"))
    paths = {}
    for name in (*given, *made):
        kind = name.removeprefix("-")  # what the first stage has is of the first date, for all
        date = 0 if kind in _STAGES[0] else (rank - (kind != name)) % ranks
        paths[name] = f"{date}.{kind}.{'all' if kind in _FEW else burst}"
        if name in given and kind in _MADE:
            writer.get(f"{paths[name]}.xml", 1, _ABOUT["xml"] + 10 * _MADE[kind], ranks=rank)
        writer.open(name, paths[name], ranks=rank, write=name in made)
    for line, name in product(range(lines), paths):
        kind = name.removeprefix("-")
        size = _PIXEL[kind] * (samples + 4 * _MADE.get(kind, 0)) // (9 if kind in _FEW else 1)
        place = (burst * lines + line) // 3 if kind in _FEW else line
        if kind not in _FEW or line % 3 == 2:
            (writer.write if name in made else writer.read)(name, place * size, size, ranks=rank)
    for name, path in paths.items():
        writer.close(name, ranks=rank)
        for end, size in _ABOUT.items() if name in made and burst * (name in _FEW) == 0 else ():
            writer.put(f"{path}.{end}", 1, size + 10 * _MADE[name], ranks=rank)
    if made == ["cor"]:
        writer.unlink(paths["full"], ranks=rank)


def dask(scale: str, *, ranks: int, parts: int, columns: int, chunk: int, shard: int, compute: float) -> Kernel:
    """A shuffle: columns of tables read, shards appended to a file a partition, read by messages, written as tables."""
    writer, size, whole = Writer(ranks), 2 * columns * chunk + 14_900, shard + sum(_ARROW) + 8
    for rank in range(ranks):
        writer.mkdir(f"worker{rank}", ranks=rank)
    for turn in range(parts):
        for rank in range(ranks):
            writer.open("i", f"part{turn * ranks + rank}.parquet", ranks=rank, write=False)
            writer.read("i", 2 * columns * chunk, 14_900, ranks=rank)  # what leads to the columns
            writer.read("i", 0, chunk, count=columns, stride=2 * chunk, ranks=rank)
            writer.close("i", ranks=rank)
            writer.compute(compute, ranks=rank)
        writer.barrier()  # shards come from all
        for rank, (low, high) in product(range(ranks), pairwise((0, 1, 4, 9, ranks))):  # what waits
            writer.open("s", f"worker{rank}/shuffle", ranks=rank, write=True)
            writer.write("s", (turn * ranks + low) * whole, whole, count=high - low, ranks=rank)
            writer.close("s", ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        path, key = f"worker{rank}/shuffle", f"worker{rank}/storage"
        writer.open("s", path, ranks=rank, write=False)
        for place, (number, length) in product(range(parts * ranks), enumerate((*_ARROW, shard, 8))):
            writer.read("s", place * whole + sum((*_ARROW, shard)[:number]), length, ranks=rank)
        writer.close("s", ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write_file("k", key, parts * shard, count=ranks, ranks=rank)  # spilled
        writer.get(key, 1, parts * ranks * shard, ranks=rank)
        _move(writer, rank, f"out{rank}.parquet", parts * columns * chunk + 9_700, chunk, write=True)
        for name in (key, path):
            writer.unlink(name, ranks=rank)
        writer.rmdir(f"worker{rank}", ranks=rank)
    return Kernel(
        name="dask",
        scale=scale,
        title="a shuffle: columns read, shards appended to a file of each partition, read in pieces, tables written",
        source="Dask: DiskShardsBuffer._write_frames, read_from_disk, SpillBuffer, zict's File, to_parquet",
        changed=f"{parts * ranks} partitions to {ranks}, all spilled, rounds kept in step; no locks, no _metadata.",
        run=writer.script,
        prepares=prepared(ranks, [(f"part{number}.parquet", size) for number in range(parts * ranks)]),
        results=tuple(f"out{rank}.parquet" for rank in range(ranks)),
    )
