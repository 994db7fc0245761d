"""Applications for a test: data sets for training, clusters of proteins, a database of metrics, workflows, a mirror."""

from __future__ import annotations

import random
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB

_BATCH = 1_000_000  # what CombBLAS reads at once, B
_WINDOW = 256 * KIB  # of a file that rsync reads, and what it writes at once, B
_PAGE, _AHEAD = 32 * KIB, 128 * KIB  # of Prometheus' log; what is read where a file is mapped, B
_HEAD = 312_000  # what Prometheus maps of a head, B
_BESIDE, _MERGED = {"meta.json": 620, "tombstones": 9}, {"meta.json": 947, "tombstones": 10}  # with a block, B
_POSTINGS = {"index_tmp_p": 71_000, "index_tmp_po": 23_000}  # beside an index while it is written, B
_SHARED = {"config.pickle": 5_600, "environment.pickle": 7_900}  # of Toil's job store, B
_JOB, _STATS = 3_900, 2_450  # descriptions and statistics of Toil's jobs, B


def hfdatasets(scale: str, *, ranks: int, parts: int, part: int, record: int, rows: int, compute: float) -> Kernel:
    """Data for training: texts to tables under another name, to tokens in files that are moved, read row by row."""
    row, batches, at_once = 16_390, 7, 16  # of tokens, B; tables of a text; rows that are written at once
    shards = [(rank, f"json-train-{rank:05}-00000-of-NNNNN.arrow") for rank in range(ranks)]
    final = [f"json-train-{rank:05}-of-{ranks:05}.arrow" for rank in range(ranks)]
    tokens = [f"cache-5f1c_{rank:05}_of_{ranks:05}.arrow" for rank in range(ranks)]
    writer = Writer(ranks)
    writer.open("l", "json.lock", ranks=0, write=True)
    writer.close("l", ranks=0)
    writer.mkdir("json.incomplete", ranks=0)
    writer.barrier()
    for rank, name in shards:
        writer.open("a", f"json.incomplete/{name}", ranks=rank, write=True)
        for number in range(parts):
            writer.read_file("j", f"part-{rank * parts + number:05}.jsonl", part, ranks=rank)
            writer.compute(compute, ranks=rank)
            writer.write("a", number * batches * record, record, count=batches, ranks=rank)
        writer.close("a", ranks=rank)
    writer.barrier()
    for (_, name), told in zip(shards, final, strict=True):
        writer.rename(f"json.incomplete/{name}", f"json.incomplete/{told}", ranks=0)
    writer.put("json.incomplete/dataset_info.json", 1, 1_640, ranks=0)
    writer.rename("json.incomplete", "json", ranks=0)
    writer.barrier()
    writer.get("json/dataset_info.json", 1, 1_640, ranks="*")
    for rank, name in enumerate(final):  # each a part that it has made
        writer.open("a", f"json/{name}", ranks=rank, write=False)
        writer.open("t", f"json/tmp{rank:04}q7x", ranks=rank, write=True)
        for number in range(parts):
            writer.read("a", number * batches * record, record, count=batches, ranks=rank)
            writer.compute(compute, ranks=rank)
            place, count = number * (rows // parts) * row, rows // parts // at_once
            writer.write("t", place, at_once * row, count=count, ranks=rank)
        writer.close("t", ranks=rank)
        writer.close("a", ranks=rank)
        writer.rename(f"json/tmp{rank:04}q7x", f"json/{tokens[rank]}", ranks=rank)
    writer.barrier()
    for name in tokens:
        writer.open(name, f"json/{name}", write=False)
    order = list(product(range(ranks), range(rows)))
    random.Random(72).shuffle(order)  # noqa: S311  # the same on every machine
    for number, (shard, at) in enumerate(order):  # an epoch, dealt to all
        writer.read(tokens[shard], at * row, row, ranks=number % ranks)
        writer.compute(round(compute / rows, 9), ranks=number % ranks)
    for name in tokens:
        writer.close(name)
    return Kernel(
        name="hfdatasets",
        scale=scale,
        title="data for training: texts to tables and to tokens under names for a while, rows read in any order by all",
        source="Hugging Face datasets: load_dataset and map with num_proc, .incomplete, _rename_shard, shutil.move",
        changed=f"{ranks * parts} texts of {part / 1e6:.3g} MB, an epoch of {ranks * rows} rows; nothing is mapped.",
        run=writer.script,
        prepares=prepared(ranks, [(f"part-{number:05}.jsonl", part) for number in range(ranks * parts)]),
        results=("json.lock", *(f"json/{name}" for name in ("dataset_info.json", *final, *tokens))),
    )


def hipmcl(scale: str, *, ranks: int, batches: int, text: int, rounds: int, compute: float) -> Kernel:
    """Clusters of proteins: each reads its part of a list of pairs, in batches, and all write clusters together."""
    writer = Writer(ranks)
    writer.stat("pairs.triples", ranks="*")
    writer.open("f", "pairs.triples", write=False, mpiio=True)
    for number in range(batches):
        for rank in range(ranks):
            writer.read("f", (rank * batches + number) * _BATCH, _BATCH, ranks=rank)
        writer.compute(compute)
        writer.barrier()
    writer.close("f")
    for _ in range(rounds):
        writer.compute(compute)  # expand, prune and inflate
        writer.barrier()
    writer.open("c", "pairs.mcl", write=True, mpiio=True)
    writer.write_all("c", [(rank * text, text) for rank in range(ranks)])
    writer.close("c")
    return Kernel(
        name="hipmcl",
        scale=scale,
        title="clusters of proteins: a part of a text by each, a batch at a time, clusters written together as text",
        source="HipMCL on CombBLAS: ReadGeneralizedTuples, FetchBatch by MPI_File_read_at, WriteMCLClusters",
        changed=f"{ranks * batches} batches that do not overlap, {rounds} rounds; as much text of each process.",
        run=writer.script,
        prepares=prepared(ranks, [("pairs.triples", ranks * batches * _BATCH)]),
        results=("pairs.mcl",),
    )


def prometheus(
    scale: str, *, ranks: int, rounds: int, log: tuple[int, int], block: tuple[int, int], compute: float
) -> Kernel:
    """A database of metrics: each server logs samples, makes blocks under another name, and merges and removes them."""
    (commits, commit), (chunks, index), asked = log, block, 24
    merged = rounds * chunks - 40_000, 2 * index + 9_000
    writer = Writer(ranks)
    for rank, folder in product(range(ranks), ("", "/wal", "/chunks_head")):
        writer.mkdir(f"s{rank}{folder}", ranks=rank)
    for turn, rank in product(range(rounds), range(ranks)):
        server, head = f"s{rank}", f"s{rank}/chunks_head/{turn + 1:06}"
        writer.open("w", f"{server}/wal/{turn:08}", ranks=rank, write=True)
        for number in range(commits):
            writer.compute(compute, ranks=rank)
            writer.write("w", number * commit, commit, ranks=rank)
        writer.sync("w", ranks=rank)
        writer.close("w", ranks=rank)
        writer.put(head, 1, _HEAD, ranks=rank)
        writer.get(head, 1, _HEAD, ranks=rank)
        _block(writer, rank, f"{server}/01HB{turn}", block, _BESIDE)
        writer.unlink(head, ranks=rank)
    shuffle = random.Random(73)  # noqa: S311  # the same on every machine
    for rank in range(ranks):
        server, blocks = f"s{rank}", [f"s{rank}/01HB{turn}" for turn in range(rounds)]
        _checkpoint(writer, rank, server, rounds - 1, commits * commit)
        for name in blocks:
            for file, size in _BESIDE.items():
                writer.get(f"{name}/{file}", 1, size, ranks=rank)
            _whole(writer, rank, f"{name}/index", index, _AHEAD, write=False)
            _whole(writer, rank, f"{name}/chunks/000001", chunks, _AHEAD, write=False)
        writer.compute(compute, ranks=rank)
        _block(writer, rank, f"{server}/01HC", merged, _MERGED)
        for name in blocks:
            writer.rename(name, f"{name}.tmp-for-deletion", ranks=rank)
            for file in ("chunks/000001", "index", *_BESIDE):
                writer.unlink(f"{name}.tmp-for-deletion/{file}", ranks=rank)
            writer.rmdir(f"{name}.tmp-for-deletion/chunks", ranks=rank)
            writer.rmdir(f"{name}.tmp-for-deletion", ranks=rank)
        writer.get(f"{server}/01HC/meta.json", 1, _MERGED["meta.json"], ranks=rank)
        _whole(writer, rank, f"{server}/01HC/index", merged[1], _AHEAD, write=False)
        writer.open("q", f"{server}/01HC/chunks/000001", ranks=rank, write=False)
        for at in shuffle.sample(range(merged[0] // _PAGE), asked):
            writer.read("q", at * _PAGE, _PAGE, ranks=rank)
        writer.close("q", ranks=rank)
    kept = [f"01HC/{name}" for name in ("chunks/000001", "index", *_BESIDE)]
    kept += [f"wal/{rounds - 1:08}", f"wal/checkpoint.{rounds - 2:08}/00000000"]
    return Kernel(
        name="prometheus",
        scale=scale,
        title="a database of metrics: logs, blocks in folders that are renamed when whole, merged and removed, asked",
        source="Prometheus' TSDB: wlog, LeveledCompactor.write, writeMetaFile, Checkpoint, .tmp-for-deletion",
        changed=f"{rounds} blocks of {chunks / 1e6:.3g} MB on each server; nothing is mapped, no fsync of folders.",
        run=writer.script,
        results=tuple(f"s{rank}/{name}" for rank, name in product(range(ranks), kept)),
    )


def _whole(writer: Writer, rank: int, path: str, size: int, unit: int, *, write: bool, sync: bool = False) -> None:
    """Have a rank move a file that is no multiple of a unit, from its beginning to its end, in units."""
    whole, rest = divmod(size, unit)
    writer.open("f", path, ranks=rank, write=write)
    move = writer.write if write else writer.read
    move("f", 0, unit, count=whole, ranks=rank)
    move("f", whole * unit, rest, ranks=rank)
    if sync:
        writer.sync("f", ranks=rank)
    writer.close("f", ranks=rank)


def _block(writer: Writer, rank: int, path: str, sizes: tuple[int, int], beside: dict[str, int]) -> None:
    """Have a server make a block of Prometheus, whose folder gets its name when all is there."""
    made, (chunks, index) = f"{path}.tmp-for-creation", sizes
    writer.mkdir(made, ranks=rank)
    writer.mkdir(f"{made}/chunks", ranks=rank)
    writer.write_file("c", f"{made}/chunks/000001", chunks, ranks=rank, sync=True)
    for name, size in _POSTINGS.items():
        writer.put(f"{made}/{name}", 1, size + index // 9, ranks=rank)
        writer.get(f"{made}/{name}", 1, size + index // 9, ranks=rank)
        writer.unlink(f"{made}/{name}", ranks=rank)
    writer.write_file("i", f"{made}/index", index, ranks=rank, sync=True)
    for name, size in beside.items():
        writer.write_file("m", f"{made}/{name}.tmp", size, ranks=rank, sync=True)
        writer.rename(f"{made}/{name}.tmp", f"{made}/{name}", ranks=rank)
    writer.rename(made, path, ranks=rank)


def _checkpoint(writer: Writer, rank: int, server: str, segments: int, log: int) -> None:
    """Have a server put what it needs of segments of its log into a checkpoint, and remove them."""
    made = f"{server}/wal/checkpoint.{segments - 1:08}"
    writer.mkdir(f"{made}.tmp", ranks=rank)
    for number in range(segments):
        _whole(writer, rank, f"{server}/wal/{number:08}", log, _PAGE, write=False)
    _whole(writer, rank, f"{made}.tmp/00000000", log // 4, _PAGE, write=True, sync=True)
    writer.rename(f"{made}.tmp", made, ranks=rank)
    for number in range(segments):
        writer.unlink(f"{server}/wal/{number:08}", ranks=rank)


def toil(scale: str, *, ranks: int, jobs: int, given: int, made: int, compute: float) -> Kernel:
    """Workflows, one for each sample: descriptions of jobs and files between them replaced in a store that goes."""
    folders, parts = ("", "/shared", "/jobs", "/files", "/stats", "/stats/inbox", "/stats/archived"), range(jobs)
    writer = Writer(ranks)
    for rank in range(ranks):
        store = f"store{rank}"
        for folder in folders:
            writer.mkdir(f"{store}{folder}", ranks=rank)
        for name, size in _SHARED.items():
            _replace(writer, rank, f"{store}/shared/{name}", size, ".tmp")
        for job in parts:
            _job(writer, rank, job, {f"sample{rank}.{job}.fq": given}, (f"part{job}", made), compute)
        _job(writer, rank, jobs, {f"{store}/files/part{job}": made for job in parts}, ("all", jobs * made), compute)
        writer.unlink(f"{store}/files/part#", jobs, ranks=rank)
        writer.get(f"{store}/files/all", 1, jobs * made, ranks=rank)
        _replace(writer, rank, f"sample{rank}.bam", jobs * made, ".tmp")  # exported
        for name in ("files/all", *(f"shared/{name}" for name in _SHARED)):
            writer.unlink(f"{store}/{name}", ranks=rank)
        writer.unlink(f"{store}/stats/archived/job#", jobs + 1, ranks=rank)
        for folder in reversed(folders):
            writer.rmdir(f"{store}{folder}", ranks=rank)
    return Kernel(
        name="toil",
        scale=scale,
        title="workflows: jobs' descriptions, statistics and files, each written aside and renamed, in stores that go",
        source="Toil's FileJobStore: update_job with .new, atomic_copy, write_logs and read_logs, environment.pickle",
        changed=f"{ranks} samples of {jobs + 1} jobs in turn, a store for each; links are not made, no local disks.",
        run=writer.script,
        prepares=prepared(ranks, [(f"sample{rank}.{job}.fq", given) for rank in range(ranks) for job in parts]),
        results=tuple(f"sample{rank}.bam" for rank in range(ranks)),
    )


def _replace(writer: Writer, rank: int, path: str, size: int, end: str) -> None:
    """Have a rank write a file under a name for a while, and rename it."""
    writer.put(f"{path}{end}", 1, size, ranks=rank)
    writer.rename(f"{path}{end}", path, ranks=rank)


def _job(writer: Writer, rank: int, job: int, given: dict[str, int], made: tuple[str, int], compute: float) -> None:
    """Have a worker of Toil do a job: it is described before it begins, when it has committed, and at its end."""
    store, third = f"store{rank}", round(compute / 3, 9)  # its body, its end, and what the leader does for it
    path, stats = f"{store}/jobs/job{job}", f"{store}/stats/inbox/job{job}"
    writer.mkdir(path, ranks=rank)
    _replace(writer, rank, f"{path}/job", _JOB, ".new")
    shared = {f"{store}/shared/{name}": size for name, size in _SHARED.items()}
    for name, size in {**shared, f"{path}/job": _JOB, **given}.items():
        writer.get(name, 1, size, ranks=rank)
    writer.compute(third, ranks=rank)
    _replace(writer, rank, f"{store}/files/{made[0]}", made[1], ".tmp")
    _replace(writer, rank, f"{path}/job", _JOB, ".new")
    writer.compute(third, ranks=rank)
    _replace(writer, rank, f"{path}/job", _JOB, ".new")
    _replace(writer, rank, stats, _STATS, ".new")
    writer.compute(third, ranks=rank)
    writer.get(stats, 1, _STATS, ranks=rank)
    writer.rename(stats, f"{store}/stats/archived/job{job}", ranks=rank)
    writer.unlink(f"{path}/job", ranks=rank)
    writer.rmdir(path, ranks=rank)


def rsync(scale: str, *, ranks: int, files: tuple[int, int, int], sizes: tuple[int, int], compute: float) -> Kernel:
    """A mirror: attributes of all files, new ones whole, changed ones by what differs, each renamed to its name."""
    (same, new, changed), before = files, ("same", "big")  # which are on both sides
    kinds = {"same": (same, 6_400), "new": (new, sizes[0]), "big": (changed, sizes[1])}
    kept = [(kind, number) for kind in ("new", "big") for number in range(kinds[kind][0])]
    trees = {f"{side}{rank}": side for rank, side in product(range(ranks), ("src", "dst"))}
    there = [(tree, kind) for (tree, side), kind in product(trees.items(), kinds) if side == "src" or kind in before]
    writer = Writer(ranks)
    for tree, kind in there:
        writer.stat(f"{tree}.{kind}#", kinds[kind][0], ranks=int(tree[3:]))
    for rank, (kind, number) in product(range(ranks), kept):
        old, made, size = f"src{rank}.{kind}{number}", f"dst{rank}.{kind}{number}", kinds[kind][1]
        if kind in before:  # for its checksums
            writer.compute(compute, ranks=rank)
            _whole(writer, rank, made, size, _WINDOW, write=False)
        writer.compute(compute, ranks=rank)
        _whole(writer, rank, old, size, _WINDOW, write=False)
        if kind in before:  # for what is as it was
            _whole(writer, rank, made, size, _WINDOW, write=False)
        _whole(writer, rank, f"{made}.k3fQ9a", size, _WINDOW, write=True)
        writer.rename(f"{made}.k3fQ9a", made, ranks=rank)
    given = [(f"{tree}.{kind}{number}", kinds[kind][1]) for tree, kind in there for number in range(kinds[kind][0])]
    return Kernel(
        name="rsync",
        scale=scale,
        title="a mirror: new files copied, changed ones read on both sides and written anew, each renamed when whole",
        source="rsync -a --no-whole-file, one for each tree: map_file's windows, write_file, finish_transfer",
        changed=f"{ranks} trees of {same + new + changed} files, flat; one process for three, sizes alike, no times.",
        run=writer.script,
        prepares=prepared(ranks, given),
        results=tuple(f"dst{rank}.{kind}{number}" for rank in range(ranks) for kind, number in kept),
    )
