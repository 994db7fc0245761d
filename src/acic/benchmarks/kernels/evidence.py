"""Applications for a test: flashes of a laser, tensors in memory, genotypes, a query and an index of vectors."""

from __future__ import annotations

import random
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB

_STREAMS = {"epix0": 38_000, "epix1": 37_600, "epix2": 38_300, "epix3": 36_900, "timing": 9_000}  # B of an event
_SMALL = 180  # what tells where an event's data are, B
_DATASETS = {"timestamp": 8, "photons": 8, "position": 16, "radial": 4_096, "roi": 6_400}  # B of an event
_AUTOSYNC = 4 * MIB  # what Redis lets be unsynced
_HFILE = 32 * KIB  # a buffer of htslib
_TILES = {  # of an attribute, compressed, B
    "__coords": 46_000,
    "END": 21_000,
    "REF_var": 11_000,
    "ALT_var": 14_000,
    "GT_var": 16_000,
    "DP": 9_000,
    "AD_var": 38_000,
    "PL_var": 92_000,
}
_BGZF = 64 * KIB
_HADOOP, _BLOCK = 64 * KIB, 32 * KIB  # io.file.buffer.size and spark.shuffle.file.buffer, B


def psana(scale: str, *, ranks: int, rounds: int, batch: int, compute: float) -> Kernel:
    """Flashes of a laser: one tells where events are, most read them from every stream, some write what they saw."""
    readers, servers = range(3, ranks - 2), range(ranks - 2, ranks)  # 1 and 2 build events of what 0 reads
    events = len(readers) * batch  # of a round
    writer = Writer(ranks)
    for name in _STREAMS:
        writer.open(f"s{name}", f"{name}.smd.xtc2", ranks=0, write=False)
        writer.open(name, f"{name}.xtc2", ranks=f"{readers[0]}-{readers[-1]}", write=False)
    writer.open("h0", "run_part0.h5", ranks=servers[0], write=True)
    writer.open("h1", "run_part1.h5", ranks=servers[1], write=True)
    for number in range(rounds):
        for name in _STREAMS:
            writer.read(f"s{name}", number * events * _SMALL, events * _SMALL, ranks=0)
            writer.compute(round(compute / len(_STREAMS), 9), ranks=0)
        writer.barrier()
        for (place, reader), (name, size) in product(enumerate(readers), _STREAMS.items()):
            writer.read(name, (number * events + place * batch) * size, batch * size, ranks=reader)
        writer.compute(compute, ranks=f"1-{ranks - 1}")  # who waits polls
        place = number * events * sum(_DATASETS.values())
        for size in _DATASETS.values():
            writer.write("h0", place, events * size, ranks=servers[0])
            writer.write("h1", place, events * size, ranks=servers[1])
            place += events * size
    for name in _STREAMS:
        writer.close(f"s{name}", ranks=0)
        writer.close(name, ranks=f"{readers[0]}-{readers[-1]}")
    writer.close("h0", ranks=servers[0])
    writer.close("h1", ranks=servers[1])
    writer.barrier()
    parts = ("run_part0.h5", "run_part1.h5")
    writer.stat("run_part#.h5", 2, ranks=servers[0])
    writer.write_file("j", "run.h5", 2 * KIB, count=len(_DATASETS), ranks=servers[0])
    sizes = {"smd.xtc2": lambda _: _SMALL, "xtc2": lambda size: size}
    inputs = [
        (f"{name}.{end}", rounds * events * of(size))
        for (name, size), (end, of) in product(_STREAMS.items(), sizes.items())
    ]
    return Kernel(
        name="psana",
        scale=scale,
        title="flashes of a laser: offsets read by one, batches of events from all streams by most, small data by two",
        source="psana2 at LCLS-II: SMD0, event builders, big-data cores, .xtc2 and .smd.xtc2, smalldata's SRV cores",
        changed=f"{rounds * events} events, batches of {batch}; a round begins together; no calibration, no tables.",
        run=writer.script,
        prepares=prepared(ranks, inputs),
        results=(*parts, "run.h5"),
    )


def redis(scale: str, *, ranks: int, keys: int, steps: int, tensors: int, tensor: int, compute: float) -> Kernel:
    """Tensors in memory: what clients send is appended and synced, now and then all that is there is written anew."""
    servers, turns, line = range(0, ranks, 2), 2, tensor + 96  # line: a command with its key
    writer = Writer(ranks)
    for server in servers:
        writer.read_file(f"b{server}", f"{server}.base.0.rdb", tensor, count=keys, ranks=server)
        writer.open(f"a{server}", f"{server}.incr.0.aof", ranks=server, write=True)
    for turn in range(turns + 1):
        for step in range(steps):
            writer.compute(compute)  # servers, too: they answer
            writer.barrier()
            for server in servers:
                writer.write(f"a{server}", step * tensors * line, line, count=tensors, ranks=server)
                writer.sync(f"a{server}", ranks=server)
        for server in servers:
            writer.close(f"a{server}", ranks=server)
            if turn < turns:
                _rewrite(writer, server, turn, keys, tensor)
    ends = (f"base.{turns}.rdb", f"incr.{turns}.aof", f"manifest.{turns}")
    return Kernel(
        name="redis",
        scale=scale,
        title="tensors in memory: every second process appends what it gets, syncs it, and rewrites all it has twice",
        source="Redis 7 under SmartSim: appendonly, appendfsync everysec, BGREWRITEAOF with an RDB, 4 MB unsynced",
        changed=f"{keys} tensors of {tensor // 1000} kB in a shard; a step is a second; no fork, no renaming.",
        run=writer.script,
        prepares=prepared(ranks, [(f"{server}.base.0.rdb", keys * tensor) for server in servers]),
        results=tuple(f"{server}.{end}" for server, end in product(servers, ends)),
    )


def _rewrite(writer: Writer, server: int, turn: int, keys: int, tensor: int) -> None:
    """Have a server begin a new log, write all that it has, name both in a new manifest, and remove the old ones."""
    base, log, manifest = (f"{server}.{name}" for name in ("base.{}.rdb", "incr.{}.aof", "manifest.{}"))
    every = _AUTOSYNC // tensor
    writer.open(f"a{server}", log.format(turn + 1), ranks=server, write=True)
    writer.open(f"b{server}", base.format(turn + 1), ranks=server, write=True)
    for first in range(0, keys, every):
        writer.write(f"b{server}", first * tensor, tensor, count=min(every, keys - first), ranks=server)
        writer.sync(f"b{server}", ranks=server)
    writer.close(f"b{server}", ranks=server)
    writer.write_file(f"m{server}", manifest.format(turn + 1), 88, ranks=server, sync=True)
    for path in (base, manifest) if turn else ():  # the first state was there before
        writer.unlink(path.format(turn), ranks=server)
    writer.unlink(log.format(turn), ranks=server)


def genomicsdb(scale: str, *, ranks: int, batches: int, samples: int, reads: int, compute: float) -> Kernel:
    """Genotypes of many: a process imports an interval of all samples to fragments, then reads these as one."""
    index, flushes = 90_000, 3  # flushes: of a fragment
    writer = Writer(ranks)
    for rank, sample in product(range(ranks), range(batches * samples)):
        writer.read_file(f"t{rank}", f"{sample}.g.vcf.gz.tbi", _HFILE, count=index // _HFILE, ranks=rank)
    for rank, number in product(range(ranks), range(batches)):
        some = range(number * samples, (number + 1) * samples)
        for sample in some:
            writer.open(f"g{rank}.{sample}", f"{sample}.g.vcf.gz", ranks=rank, write=False)
        for flush in range(flushes):
            for turn, sample in product(range(reads), some):  # by their places on the genome
                place = (rank * flushes + flush) * reads + turn
                writer.read(f"g{rank}.{sample}", place * _HFILE, _HFILE, ranks=rank)
                writer.compute(round(compute / reads / samples, 9), ranks=rank)
            for name, size in _TILES.items():
                writer.open(f"f{rank}", f"{rank}.{number}.{name}.tdb", ranks=rank, write=True)
                writer.write(f"f{rank}", flush * size, size, ranks=rank)
                writer.close(f"f{rank}", ranks=rank)
        for sample in some:
            writer.close(f"g{rank}.{sample}", ranks=rank)
        for name in _TILES:
            writer.open(f"f{rank}", f"{rank}.{number}.{name}.tdb", ranks=rank, write=True)
            writer.sync(f"f{rank}", ranks=rank)
            writer.close(f"f{rank}", ranks=rank)
        writer.write_file(f"f{rank}", f"{rank}.{number}.__book_keeping.tdb.gz", 5_400, ranks=rank, sync=True)
    made = (*(f"{name}.tdb" for name in _TILES), "__book_keeping.tdb.gz")
    for rank in range(ranks):
        _genotype(writer, rank, batches, flushes, compute)
    size = ranks * flushes * reads * _HFILE
    inputs = {"g.vcf.gz": size, "g.vcf.gz.tbi": index // _HFILE * _HFILE}
    kept = [f"{number}.{name}" for number, name in product(range(batches), made)]
    return Kernel(
        name="genomicsdb",
        scale=scale,
        title="genotypes of many: an interval of all samples to files of attributes, appended, synced, read as one",
        source="GATK: GenomicsDBImport --batch-size, TileDB's fragments opened for each append, GenotypeGVCFs",
        changed=f"{batches * samples} samples of {size / 1e6:.3g} MB, an interval each; flat, no locks, no JSON.",
        run=writer.script,
        prepares=prepared(
            ranks, [(f"{n}.{end}", s) for n, (end, s) in product(range(batches * samples), inputs.items())]
        ),
        results=tuple(f"{rank}.{name}" for rank, name in product(range(ranks), (*kept, "vcf.gz"))),
    )


def _genotype(writer: Writer, rank: int, batches: int, tiles: int, compute: float) -> None:
    """Have a process read its fragments tile by tile, side by side, and write what it calls."""
    blocks = 6  # of variants, for each tile
    for number in range(batches):
        writer.get(f"{rank}.{number}.__book_keeping.tdb.gz", 1, 5_400, ranks=rank)
    writer.open(f"v{rank}", f"{rank}.vcf.gz", ranks=rank, write=True)
    for tile in range(tiles):
        for number in range(batches):
            for name, size in _TILES.items():
                writer.open(f"f{rank}", f"{rank}.{number}.{name}.tdb", ranks=rank, write=False)
                writer.read(f"f{rank}", tile * size, size, ranks=rank)
                writer.close(f"f{rank}", ranks=rank)
            writer.compute(round(compute / batches, 9), ranks=rank)
        writer.write(f"v{rank}", tile * blocks * _BGZF, _BGZF, count=blocks, ranks=rank)
    writer.close(f"v{rank}", ranks=rank)


def spark(scale: str, *, ranks: int, maps: int, reduces: int, calls: int, pieces: int, compute: float) -> Kernel:
    """A query: executors map splits to a sorted file and an index of each task, serve segments of them, and reduce."""
    executors = range(1, ranks)
    parts, segment, split, made = len(executors) * reduces, pieces * _BLOCK, calls * _HADOOP, 10 * _HADOOP
    draw = random.Random(63)  # noqa: S311  # the same on every machine
    writer = Writer(ranks)
    writer.compute(round((maps + reduces) * compute, 9), ranks=0)  # it plans, and looks after the others
    writer.open("e", "application.inprogress", ranks=0, write=True)
    writer.stat("table.csv", ranks=0)
    writer.write("e", 0, 24_000, ranks=0)
    for rank in executors:
        writer.open("t", "table.csv", ranks=rank, write=False)
        for task in range(maps):
            place = task * len(executors) + rank - 1
            writer.read("t", place * split, _HADOOP, count=calls, ranks=rank)
            writer.compute(compute, ranks=rank)
            writer.write_file(f"s{rank}", f"shuffle_0_{place}.data", _BLOCK, count=parts * pieces, ranks=rank)
            writer.put(f"shuffle_0_{place}.index", 1, 8 * (parts + 1), ranks=rank)
        writer.close("t", ranks=rank)
    writer.write("e", 24_000, maps * len(executors) * 3_000, ranks=0)
    writer.barrier()
    for rank, wave in product(executors, range(reduces)):
        asked = list(range(wave * len(executors), (wave + 1) * len(executors)))
        draw.shuffle(asked)  # whose fetches come first
        for part, task in product(asked, range(maps)):
            place = task * len(executors) + rank - 1
            writer.open(f"s{rank}", f"shuffle_0_{place}.data", ranks=rank, write=False)
            writer.read(f"s{rank}", part * segment, segment, ranks=rank)
            writer.close(f"s{rank}", ranks=rank)
            writer.compute(round(compute / len(asked) / maps, 9), ranks=rank)
        part = wave * len(executors) + rank - 1
        writer.write_file(f"o{rank}", f"part-{part}.parquet", _HADOOP, count=made // _HADOOP, ranks=rank)
        writer.put(f".part-{part}.parquet.crc", 1, 8 + made // 128, ranks=rank)
    writer.barrier()
    writer.write("e", 24_000 + maps * len(executors) * 3_000, parts * 3_000, ranks=0)
    writer.close("e", ranks=0)
    for part in range(parts):
        writer.stat(f"part-{part}.parquet", ranks=0)
    writer.put("_SUCCESS.crc", 1, 8, ranks=0)
    for rank, task, end in product(executors, range(maps), ("data", "index")):
        writer.unlink(f"shuffle_0_{task * len(executors) + rank - 1}.{end}", ranks=rank)
    outputs = [name.format(part) for part, name in product(range(parts), ("part-{}.parquet", ".part-{}.parquet.crc"))]
    return Kernel(
        name="spark",
        scale=scale,
        title="a query: splits of a table, a sorted file of each map task, segments of them read as they are fetched",
        source="Spark SQL, spark.local.dir on a shared file system: sort shuffle, local checksums, an event log",
        changed=f"{maps * len(executors)} maps, {parts} reduces; indices stay in memory; no renaming, no spills.",
        run=writer.script,
        prepares=prepared(ranks, [("table.csv", maps * len(executors) * split)]),
        results=("application.inprogress", *outputs, "_SUCCESS.crc"),
    )


def faiss(scale: str, *, ranks: int, lists: int, vectors: int, batches: int, probes: int, compute: float) -> Kernel:
    """An index of vectors: a part by each process, merged list by list by one to a file that all then search in."""
    codes, ids = vectors * 512, vectors * 8  # of a list in a part, B: 128 numbers and a name of each vector
    slot, trained = codes + ids, lists * 512 + 3_000
    learned = 1_600 * 516  # vectors to train with, of a request, B
    draw = random.Random(64)  # noqa: S311  # the same on every machine
    writer = Writer(ranks)
    writer.read_file("l", "learn.fvecs", learned, count=5, ranks=0)
    writer.compute(compute)
    writer.put("trained.index", 1, trained, ranks=0)
    writer.barrier()
    writer.open("x", "base.fvecs", write=False)
    for rank in range(ranks):
        writer.get("trained.index", 1, trained, ranks=rank)
        writer.read("x", rank * lists * vectors * 516, vectors * 516, count=lists, ranks=rank)
        writer.compute(4 * compute, ranks=rank)
        writer.write_file(f"b{rank}", f"block_{rank}.index", slot, count=lists, ranks=rank)
    writer.close("x")
    writer.barrier()
    for rank in range(ranks):
        writer.open(f"b{rank}", f"block_{rank}.index", ranks=0, write=False)
    writer.open("m", "merged.ivfdata", ranks=0, write=True)
    for number in range(lists):
        for rank in range(ranks):
            writer.read(f"b{rank}", number * slot, slot, ranks=0)
        writer.write("m", number * ranks * slot, codes, count=ranks, ranks=0)
        writer.write("m", number * ranks * slot + ranks * codes, ids, count=ranks, ranks=0)
    for name in (*(f"b{rank}" for rank in range(ranks)), "m"):
        writer.close(name, ranks=0)
    writer.put("populated.index", 1, trained + lists * 24, ranks=0)
    writer.unlink("block_#.index", ranks, ranks=0)
    writer.barrier()
    writer.open("m", "merged.ivfdata", write=False)
    for rank in range(ranks):
        writer.get("populated.index", 1, trained + lists * 24, ranks=rank)
        for _ in range(batches):
            for number in draw.sample(range(lists), probes):
                writer.read("m", number * ranks * slot, ranks * slot, ranks=rank)
            writer.compute(compute, ranks=rank)
        writer.put(f"found.{rank}.npy", 1, batches * 48_000, ranks=rank)
    writer.close("m")
    return Kernel(
        name="faiss",
        scale=scale,
        title="an index of vectors: a part by each, merged by one list by list, lists of it read in searches",
        source="Faiss's demo_ondisk_ivf: trained.index, block_*.index, merge_ondisk to merged.ivfdata, prefetch_lists",
        changed=f"{ranks * lists * vectors} vectors of 128 floats, {lists} lists alike; read, not mapped to memory.",
        run=writer.script,
        prepares=prepared(ranks, [("learn.fvecs", 5 * learned), ("base.fvecs", ranks * lists * vectors * 516)]),
        results=("trained.index", "merged.ivfdata", "populated.index", *(f"found.{rank}.npy" for rank in range(ranks))),
    )
