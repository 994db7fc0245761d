"""Applications for a test, jobs that pass files on: a checkpoint changed and genes of cells."""

from __future__ import annotations

from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB

_SMALL = 1_000  # a pickle, and the table of contents of a zip, B
_STATES = ("fp32", "exp_avg", "exp_avg_sq")
_GZIP, _BGZF = 32 * KIB, 64 * KIB  # what is read of a compressed text, and written of a BAM, at once, B
_STAGES = ("MAKE_SHARD", "ALIGN_AND_COUNT", "WRITE_POS_BAM")
_GIVEN, _TOLD = {"_args": 1_500, "_jobinfo": 900}, {"_log": 1_100, "_outs": 800, "_complete": 25}  # B


def _zip(writer: Writer, path: str, tensors: int, tensor: int, rank: int, *, write: bool, small: int = _SMALL) -> None:
    """Have a rank write tensors as torch.save does, or read them as torch.load: the end of the zip first."""
    writer.open("z", path, ranks=rank, write=write)
    if not write:
        writer.read("z", small + tensors * tensor, small, ranks=rank)
    move = writer.write if write else writer.read
    move("z", 0, small, ranks=rank)
    move("z", small, tensor, count=tensors, ranks=rank)
    if write:
        writer.write("z", small + tensors * tensor, small, ranks=rank)
    writer.close("z", ranks=rank)


def _held(ranks: int, full: int) -> list[tuple[int, int, int]]:
    """Return rank, parameter, and B of it that the rank has: one and a half each."""
    held = []
    for rank in range(ranks):
        one, half = rank // 2 * 3 + 2 * (rank % 2), rank // 2 * 3 + 1
        held += sorted([(rank, one, full), (rank, half, full // 2)], key=lambda own: own[1])
    return held


def deepspeed(scale: str, *, ranks: int, numbers: int, steps: int, compute: float) -> Kernel:
    """A checkpoint made for any number of processes: cut into pieces on a node, merged by parameter, loaded by all."""
    count, full, shard = ranks * 3 // 2, numbers * 4, numbers * 6  # parameters; states of one and of a rank, B
    model, optimizer = "{}.mp_rank_00_model_states.pt", "{}.bf16_zero_pp_rank_{}_mp_rank_00_optim_states.pt"
    held = _held(ranks, full)
    pieces = list(product(held, _STATES))
    writer = Writer(ranks)
    _zip(writer, model.format("old"), count, numbers * 2, 0, write=False)
    for rank in range(ranks):
        worker = rank % (ranks // 4)  # of the first node's
        _zip(writer, optimizer.format("old", rank), len(_STATES), shard, worker, write=False)
        for (_, parameter, size), state in product(held[2 * rank : 2 * rank + 2], _STATES):
            _zip(writer, f"tmp.{parameter}.{state}.{rank}", 1, size, worker, write=True, small=_SMALL + 48)
    writer.barrier()
    for parameter, state in product(range(count), _STATES):
        for rank, _, size in (own for own in held if own[1] == parameter):
            _zip(writer, f"tmp.{parameter}.{state}.{rank}", 1, size, parameter % 2, write=False, small=_SMALL + 48)
        _zip(writer, f"zero.{parameter}.{state}.pt", 1, full, parameter % 2, write=True)
    writer.barrier()
    for (rank, parameter, _), state in pieces:
        writer.unlink(f"tmp.{parameter}.{state}.{rank}", ranks=0)
    _zip(writer, model.format("old"), count, numbers * 2, 0, write=False)
    _zip(writer, model.format("universal"), count, numbers * 2, 0, write=True)
    writer.put("latest_universal", 1, 24, ranks=0)
    writer.barrier()
    for rank in range(ranks):  # training goes on
        writer.get("latest_universal", 1, 24, ranks=rank)
        _zip(writer, model.format("universal"), count, numbers * 2, rank, write=False)
    for (rank, parameter, _), state in pieces:
        _zip(writer, f"zero.{parameter}.{state}.pt", 1, full, rank, write=False)
    for _ in range(steps):
        writer.compute(compute)
        writer.barrier()
    _zip(writer, model.format("new"), count, numbers * 2, 0, write=True)
    for rank in range(ranks):
        _zip(writer, optimizer.format("new", rank), len(_STATES), shard, rank, write=True)
    writer.barrier()
    writer.put("latest", 1, 14, ranks=0)
    size = len(_STATES) * shard + 2 * _SMALL
    shards = [(optimizer.format("old", rank), size) for rank in range(ranks)]
    merged = [f"zero.{parameter}.{state}.pt" for parameter, state in product(range(count), _STATES)]
    saved = [model.format("new"), *(optimizer.format("new", rank) for rank in range(ranks)), "latest"]
    return Kernel(
        name="deepspeed",
        scale=scale,
        title="a checkpoint cut to pieces on a node, merged by parameter by two, loaded by all that need it; a save",
        source="DeepSpeed's ds_to_universal, --universal-checkpoint, BF16 ZeRO states, zips of torch.save",
        changed=f"{count} parameters of {numbers} numbers; computing in training only; no folders, no scheduler.",
        run=writer.script,
        prepares=prepared(ranks, [(model.format("old"), count * numbers * 2 + 2 * _SMALL), *shards]),
        results=(*merged, model.format("universal"), "latest_universal", *saved),
    )


def _stage(writer: Writer, number: int, jobs: range, *, begin: bool) -> None:
    """Have Martian's mrp, rank 0, describe a stage's jobs, which begin; or these tell what they made."""
    by, to, files = (0, None, _GIVEN) if begin else (None, 0, _TOLD)
    for of, extra in ((by, True), (to, False)):
        for rank, (name, size) in product(jobs, files.items()):
            act = writer.put if extra else writer.get
            act(f"{_STAGES[number]}.{rank}.{name}", 1, size + 7 * number, ranks=rank if of is None else of)
        writer.barrier()


def cellranger(scale: str, *, ranks: int, reads: int, runs: int, shard: int, index: int, compute: float) -> Kernel:
    """Genes of cells: jobs sort reads to shards, read their range of everyone's, twice, and a BAM is put together."""
    jobs, texts = range(1, ranks), {"R1": reads // 4, "R2": reads}
    blocks, row = len(jobs) * shard // _BGZF, len(jobs) * shard
    writer = Writer(ranks)
    _stage(writer, 0, jobs, begin=True)
    for rank in jobs:
        writer.open(f"s.{rank}", f"{rank}.valid.shard", ranks=rank, write=True)
        for name in texts:
            writer.open(f"{name}.{rank}", f"{rank}_{name}.fastq.gz", ranks=rank, write=False)
    for run, rank in product(range(runs), jobs):
        for name, number in texts.items():
            writer.read(f"{name}.{rank}", run * number * _GZIP, _GZIP, count=number, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write(f"s.{rank}", run * row, shard, count=len(jobs), ranks=rank)
    for rank, name in product(jobs, ("s", *texts)):
        writer.close(f"{name}.{rank}", ranks=rank)
    writer.compute(runs * compute, ranks=0)  # who waits polls
    _stage(writer, 0, jobs, begin=False)
    _stage(writer, 1, jobs, begin=True)
    writer.read_file("g", "star.SA", MIB, count=index, ranks=f"1-{ranks - 1}")
    for rank in jobs:
        _range(writer, "valid", rank, jobs, runs, shard)
    writer.compute(3 * compute)
    for rank in jobs:
        writer.write_file("a", f"{rank}.counts.shard", 120_000, ranks=rank)
        writer.write_file("a", f"{rank}.pos_sorted.shard", shard, count=len(jobs), ranks=rank)
    _stage(writer, 1, jobs, begin=False)
    _stage(writer, 2, jobs, begin=True)
    for rank in jobs:
        _range(writer, "pos_sorted", rank, jobs, 1, shard)
    writer.compute(compute)
    for rank in jobs:
        writer.write_file("b", f"{rank}.bam", _BGZF, count=blocks, ranks=rank)
    _stage(writer, 2, jobs, begin=False)
    _join(writer, jobs, blocks)
    told = product(_STAGES, jobs, (*_GIVEN, *_TOLD))
    inputs = [(f"{rank}_{name}.fastq.gz", runs * n * _GZIP) for rank, (name, n) in product(jobs, texts.items())]
    return Kernel(
        name="cellranger",
        scale=scale,
        title="genes of cells: reads to shards of each job, a range of everyone's read by each, a BAM that one joins",
        source="Cell Ranger: Martian's jobs and their files, shardio's ranges, STAR's index read by each, a BAM's join",
        changed=f"{len(jobs)} jobs, shards of {shard // 1000} kB without indices, an index of {index} MiB; flat.",
        run=writer.script,
        prepares=prepared(ranks, [*inputs, ("star.SA", index * MIB)]),
        results=(*(".".join(map(str, names)) for names in told), "possorted.bam", "possorted.bam.bai", "matrix.h5"),
    )


def _join(writer: Writer, jobs: range, blocks: int) -> None:
    """Have one rank put BAMs together, another one the counts, and mrp remove what was passed on."""
    writer.open("o", "possorted.bam", ranks=1, write=True)
    for place, rank in enumerate(jobs):
        writer.open("b", f"{rank}.bam", ranks=1, write=False)
        for block in range(blocks):
            writer.read("b", block * _BGZF, _BGZF, ranks=1)
            writer.write("o", (place * blocks + block) * _BGZF, _BGZF, ranks=1)
        writer.close("b", ranks=1)
        writer.read_file("c", f"{rank}.counts.shard", 120_000, ranks=2)
    writer.close("o", ranks=1)
    writer.put("possorted.bam.bai", 1, 90_000, ranks=1)
    writer.write_file("h", "matrix.h5", 80_000, count=6, ranks=2)
    writer.barrier()
    for rank, end in product(jobs, ("valid.shard", "pos_sorted.shard", "counts.shard", "bam")):
        writer.unlink(f"{rank}.{end}", ranks=0)


def _range(writer: Writer, name: str, rank: int, jobs: range, runs: int, shard: int) -> None:
    """Have a job read its range of keys of every job's file: a part of each sorted run."""
    for other in jobs:
        writer.open("s", f"{other}.{name}.shard", ranks=rank, write=False)
        writer.read("s", (rank - 1) * shard, shard, count=runs, stride=len(jobs) * shard, ranks=rank)
        writer.close("s", ranks=rank)
