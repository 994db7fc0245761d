"""Applications for a test: transcripts, traits and genomes, organs in scans, backups and families of proteins."""

from __future__ import annotations

import random
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB

_FILEBUF = 8_191  # what a stream of the C++ library reads or writes at once, B
_TRAITS = ("Y1", "Y2")
_TOOLS: tuple[tuple[tuple[str, ...], dict[str, int]], ...] = (  # what each reads and makes, in buffers of a stream
    ((), {"both.fa": 10}),
    (("both.fa",), {"jellyfish.kmers.fa": 21}),
    (("jellyfish.kmers.fa",), {"inchworm.fa": 5}),
    (("inchworm.fa",), {"chrysalis/GraphFromIwormFasta.out": 4}),
    (("chrysalis/GraphFromIwormFasta.out",), {"chrysalis/bundled.fasta": 6}),
    (("chrysalis/bundled.fasta", "both.fa"), {"chrysalis/readsToComponents.out": 11}),
    (("chrysalis/readsToComponents.out",), {"chrysalis/c0.graph.tmp": 7, "chrysalis/c0.reads.tmp": 8}),
    (("chrysalis/c0.graph.tmp", "chrysalis/c0.reads.tmp"), {"chrysalis/c0.graph.allProbPaths.fasta": 3}),
)
_MARKS = ("both.fa.ok", "jellyfish.ok", "inchworm.ok", "chrysalis/bundled.ok")
_BUFFERS = {name: count for _, makes in _TOOLS for name, count in makes.items()}


def trinity(scale: str, *, ranks: int, clusters: int, reads: int, compute: float) -> Kernel:
    """Transcripts: tool after tool for each cluster of reads, in a folder of its own that is removed, then one list."""
    kept, tasks = 2, list(product(range(clusters), range(ranks)))
    writer = Writer(ranks)
    for cluster in range(clusters):
        _assemble(writer, ranks, cluster, reads, compute)
        for rank in range(ranks):
            writer.write_file(f"t{rank}", f"c{cluster}.{rank}.Trinity.fasta", _FILEBUF, count=kept, ranks=rank)
            for name in (*_BUFFERS, *_MARKS):
                writer.unlink(f"c{cluster}.{rank}.out/{name}", ranks=rank)
            for folder in ("out/chrysalis", "out"):
                writer.rmdir(f"c{cluster}.{rank}.{folder}", ranks=rank)
    writer.barrier()
    for cluster, rank in tasks:
        writer.read_file("t", f"c{cluster}.{rank}.Trinity.fasta", _FILEBUF, count=kept, ranks=0)
    writer.write_file("t", "Trinity.fasta", _FILEBUF, count=kept * len(tasks), ranks=0)
    return Kernel(
        name="trinity",
        scale=scale,
        title="transcripts: tools that hand over small files for each cluster of reads, in a folder that is removed",
        source="Trinity's phase 2 by ParaFly or HpcGridRunner with --full_cleanup: inchworm, chrysalis, butterfly, .ok",
        changed=f"{len(tasks)} clusters of {reads * _FILEBUF // 1000} kB, dealt in turn; fewer marks; no commands.",
        run=writer.script,
        prepares=prepared(ranks, [(f"c{cluster}.{rank}.reads.fa", reads * _FILEBUF) for cluster, rank in tasks]),
        results=(*(f"c{cluster}.{rank}.Trinity.fasta" for cluster, rank in tasks), "Trinity.fasta"),
    )


def _assemble(writer: Writer, ranks: int, cluster: int, reads: int, compute: float) -> None:
    """Have each process run the tools on a cluster of its own, and mark with empty files what is done."""
    for rank in range(ranks):
        writer.mkdir(f"c{cluster}.{rank}.out", ranks=rank)
        writer.mkdir(f"c{cluster}.{rank}.out/chrysalis", ranks=rank)
        writer.read_file(f"t{rank}", f"c{cluster}.{rank}.reads.fa", _FILEBUF, count=reads, ranks=rank)
    for number, (given, makes) in enumerate(_TOOLS):
        for rank, name in product(range(ranks), given):
            writer.read_file(f"t{rank}", f"c{cluster}.{rank}.out/{name}", _FILEBUF, count=_BUFFERS[name], ranks=rank)
        writer.compute(compute)
        for rank, (name, count) in product(range(ranks), makes.items()):
            writer.write_file(f"t{rank}", f"c{cluster}.{rank}.out/{name}", _FILEBUF, count=count, ranks=rank)
        for rank, mark in product(range(ranks), _MARKS[number // 2 : number // 2 + 1] if number % 2 else ()):
            writer.open(f"t{rank}", f"c{cluster}.{rank}.out/{mark}", ranks=rank, write=True)
            writer.close(f"t{rank}", ranks=rank)


def regenie(scale: str, *, ranks: int, people: int, blocks: int, snps: int, variants: int, compute: float) -> Kernel:
    """Traits: blocks of a genotype file to predictions of jobs, joined by one; then a chromosome for each process."""
    ridges, snp, jobs = 5, people // 4, range(1, ranks)
    part, loco, gene = people * ridges * 8, people * 9 * ranks // _FILEBUF, variants * people // 2 // _FILEBUF
    writer = Writer(ranks)
    _predict(writer, ranks, blocks, (snps, snp), part, compute)
    writer.barrier()
    for trait in _TRAITS:
        for rank in jobs:
            writer.read_file("l", f"fit_l0_{trait}_job{rank - 1}", blocks * part, ranks=0)
            writer.compute(round(blocks * compute / len(jobs), 9), ranks=0)
        writer.write_file("p", f"fit_{trait}.loco", _FILEBUF, count=loco, ranks=0)
        writer.unlink(f"fit_l0_{trait}_job#", len(jobs), ranks=0)
    writer.barrier()
    for trait in _TRAITS:
        writer.read_file("p", f"fit_{trait}.loco", _FILEBUF, count=loco)
    for rank in range(ranks):
        writer.open(f"g{rank}", f"chr{rank}.bgen", ranks=rank, write=False)
        writer.open(f"o{rank}", f"chr{rank}.regenie", ranks=rank, write=True)
    for block, rank in product(range(blocks), range(ranks)):
        writer.read(f"g{rank}", block * gene * _FILEBUF, _FILEBUF, count=gene, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write(f"o{rank}", block * 3 * _FILEBUF, _FILEBUF, count=3, ranks=rank)
    for rank, name in product(range(ranks), "go"):
        writer.close(f"{name}{rank}", ranks=rank)
    inputs = {f"chr{rank}.bgen": blocks * gene * _FILEBUF for rank in range(ranks)}
    return Kernel(
        name="regenie",
        scale=scale,
        title="traits and genomes: blocks read by jobs, predictions of each, joined by one, a chromosome for each",
        source="REGENIE: --split-l0, --run-l0 and --run-l1 on a .bed file, .loco files, step 2 on .bgen, --no-split",
        changed=f"{people} people, 2 traits, {blocks} blocks a job; level 1 computes file by file; no .bim, .fam.",
        run=writer.script,
        prepares=prepared(ranks, [("geno.bed", len(jobs) * blocks * snps * snp), *inputs.items()]),
        results=(*(f"fit_{trait}.loco" for trait in _TRAITS), *(f"chr{rank}.regenie" for rank in range(ranks))),
    )


def _predict(writer: Writer, ranks: int, blocks: int, reads: tuple[int, int], part: int, compute: float) -> None:
    """Have all but process 0 read their blocks of SNPs, `reads` of what size, and add predictions of each trait."""
    (count, size), jobs, members = reads, range(1, ranks), f"1-{ranks - 1}"
    writer.open("g", "geno.bed", ranks=members, write=False)
    for rank, trait in product(jobs, _TRAITS):
        writer.open(f"{trait}.{rank}", f"fit_l0_{trait}_job{rank - 1}", ranks=rank, write=True)
    for block, rank in product(range(blocks), jobs):
        writer.read("g", ((rank - 1) * blocks + block) * count * size, size, count=count, ranks=rank)
        for trait in _TRAITS:
            writer.compute(compute, ranks=rank)
            writer.write(f"{trait}.{rank}", block * part, part, ranks=rank)
    writer.close("g", ranks=members)
    for rank, trait in product(jobs, _TRAITS):
        writer.close(f"{trait}.{rank}", ranks=rank)


def nnunet(scale: str, *, ranks: int, epochs: int, samples: int, planes: int, rows: int, compute: float) -> Kernel:
    """Organs in scans: parts of arrays anywhere, a row of planes of each, and notes; a network after each epoch."""
    depth, side, notes, picture, lines, cases = 40, 160, 46_000, 118_000, 620, ranks * samples
    kinds = {"npy": side * 4, "seg.npy": side}  # a row's numbers of 4 B, or labels of 1 B
    draw = random.Random(58)  # noqa: S311  # the same on every machine
    writer = Writer(ranks)
    for epoch in range(epochs):
        order = draw.sample(range(samples), samples)
        for number, rank in product(range(samples), range(ranks)):
            case = (rank + epoch) % ranks * samples + order[number]
            place = draw.randrange(depth - planes) * side + draw.randrange(side - rows)
            writer.get(f"{case}.pkl", 1, notes, ranks=rank)
            for kind, row in kinds.items():
                writer.open(f"c{rank}", f"{case}.{kind}", ranks=rank, write=False)
                writer.read(f"c{rank}", place * row, rows * row, count=planes, stride=side * row, ranks=rank)
                writer.close(f"c{rank}", ranks=rank)
            writer.compute(compute, ranks=rank)
            if number % 2 and rank == ranks - 1:
                writer.barrier()  # two samples are a batch
        writer.open("l", "training_log.txt", ranks=0, write=True)
        writer.write("l", epoch * lines, lines, ranks=0)
        writer.close("l", ranks=0)
        writer.write_file("m", f"checkpoint{epoch}.pth", 410_000, count=8, ranks=0)
        writer.put(f"progress{epoch}.png", 1, picture, ranks=0)
        for name in (f"checkpoint{epoch - 1}.pth", f"progress{epoch - 1}.png") if epoch else ():
            writer.unlink(name, ranks=0)
        writer.barrier()
    arrays = {f"{case}.{kind}": depth * side * row for case, (kind, row) in product(range(cases), kinds.items())}
    return Kernel(
        name="nnunet",
        scale=scale,
        title="organs in scans: a box of an array anywhere, its labels and notes for each sample, a network by one",
        source="nnU-Net v2 on several processes: unpacked .npy that are mapped, .pkl, checkpoint_best, progress.png",
        changed=f"{cases} cases of {depth}x{side}^2, {epochs} epochs; read, not mapped; checkpoints are removed.",
        run=writer.script,
        prepares=prepared(ranks, [*arrays.items(), *((f"{case}.pkl", notes) for case in range(cases))]),
        results=("training_log.txt", f"checkpoint{epochs - 1}.pth", f"progress{epochs - 1}.png"),
    )


def restic(scale: str, *, ranks: int, small: int, large: int, reads: int, pack: int, compute: float) -> Kernel:
    """Backups: machines read their files and add packs that are synced to one store, with locks and an index."""
    buffer, ahead, note, known, lock, key, listed = 32 * KIB, 512 * KIB, 21_000, 6, 192, 450, 310_000
    last = {"tree": (buffer, 4), "added": (74_000, 1), "snapshot": (330, 1)}  # size and count of requests
    writer = Writer(ranks)
    writer.get("key", 1, key, ranks="*")
    for rank in range(ranks):
        writer.write_file(f"k{rank}", f"locks.{rank}", lock, ranks=rank, sync=True)
    writer.barrier()
    writer.get("locks.#", ranks, lock, ranks="*")
    writer.get("index.#", known, listed, ranks="*")
    for rank in range(ranks):
        writer.stat(f"home{rank}.#", small, ranks=rank)
        writer.get(f"home{rank}.#", small, note, ranks=rank)
    for number, rank in product(range(large), range(ranks)):
        writer.stat(f"data{rank}.{number}", ranks=rank)
        writer.read_file(f"d{rank}", f"data{rank}.{number}", ahead, count=reads, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write_file(f"p{rank}", f"pack{rank}.{number}", buffer, count=pack, ranks=rank, sync=True)
    for rank, (name, (size, count)) in product(range(ranks), last.items()):
        writer.write_file(f"p{rank}", f"{name}{rank}", size, count=count, ranks=rank, sync=True)
    writer.barrier()
    for rank in range(ranks):
        writer.unlink(f"locks.{rank}", ranks=rank)
    inputs = {"key": key, **{f"index.{number}": listed for number in range(known)}}
    inputs |= {f"home{rank}.{number}": note for rank, number in product(range(ranks), range(small))}
    inputs |= {f"data{rank}.{n}": reads * ahead for rank, n in product(range(ranks), range(large))}
    made = (*(f"pack{{}}.{number}" for number in range(large)), *(f"{name}{{}}" for name in last))
    return Kernel(
        name="restic",
        scale=scale,
        title="backups: each machine reads its files and adds synced packs to a store of all, with locks and indices",
        source="restic's local backend on a shared folder: a chunker's buffer of 512 KiB, fsync, locks, indices",
        changed=f"{small} files of {note // 1000} kB, then {large} of {reads * ahead / 1e6:.3g} MB; no renames.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(name.format(rank) for rank, name in product(range(ranks), made)),
    )


def pastis(scale: str, *, ranks: int, share: int, overlap: int, found: int, blocks: int, compute: float) -> Kernel:
    """Families of proteins: all sequences read in parts that overlap, blocks compared in step, pairs written by all."""
    writer = Writer(ranks)
    writer.open("f", "proteins.fasta", write=False, mpiio=True)
    writer.read_all("f", [(rank * share, share + overlap) for rank in range(ranks)])
    writer.close("f")
    for _ in range(blocks + 1):  # the matrix of k-mers, then blocks of its square
        writer.compute(compute)
        writer.barrier()
    writer.open("o", "similarity.mtx", write=True, mpiio=True)
    writer.write_all("o", [(rank * found, found) for rank in range(ranks)])
    writer.close("o")
    return Kernel(
        name="pastis",
        scale=scale,
        title="families of proteins: sequences read in parts that overlap, much computing, pairs that are alike",
        source="PASTIS on CombBLAS: ParallelFastaReader by MPI-IO with an overlap, blocked SUMMA, ParallelWriteMM",
        changed=f"{ranks * share / 1e6:.3g} MB of sequences, {blocks} blocks; an overlap behind all, too; no idx map.",
        run=writer.script,
        prepares=prepared(ranks, [("proteins.fasta", ranks * share + overlap)]),
        results=("similarity.mtx",),
    )
