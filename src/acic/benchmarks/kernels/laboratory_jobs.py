"""Applications for a test: transcripts on a genome, electrons in molecules, scans, a workflow and an index of texts."""

from __future__ import annotations

from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB

_FILEBUF = 8_191  # what a stream of the C++ library reads at once, B
_BGZF = 64 * KIB  # a block of a BAM file, at most
_RECORD = 512 * KIB  # 65536 numbers: a record of integrals
_STREAM = 128 * KIB  # what a task reads and writes at once
_LUCENE = 8 * KIB  # what Lucene writes at once
_TABLES = {"chrName.txt": 600, "chrLength.txt": 700, "exonInfo.tab": 90_000, "transcriptInfo.tab": 45_000}
_SCRIPTS = {"sh": 1_300, "run": 11_500}  # of a task, B, and what it leaves behind
_ENDS = {"out": 400, "err": 1_900, "log": 2_300, "trace": 330}


def star(scale: str, *, ranks: int, genome: int, chunks: int, reads: int, bins: int, compute: float) -> Kernel:
    """Transcripts on a genome: an index read whole by each, reads to bins on disk, each sorted, all of them joined."""
    index = {"Genome": genome, "SA": 8 * genome, "SAindex": genome // 2}
    mates = {"R1.fastq": reads, "R2.fastq": reads - 1}  # the second ones are trimmed more
    piece = sum(mates.values()) * _FILEBUF // bins  # what a chunk of both mates adds to a bin
    writer = Writer(ranks)
    for name, size in _TABLES.items():
        writer.get(name, 1, size, ranks="*")
    for name, size in index.items():
        writer.read_file("i", name, size)
    for rank in range(ranks):
        names = {f"b{rank}.{number}": f"{rank}_STARtmp/{number}" for number in range(bins)}
        writer.mkdir(f"{rank}_STARtmp", ranks=rank)
        for name, path in (*names.items(), (f"l{rank}", f"{rank}_Log.progress.out")):
            writer.open(name, path, ranks=rank, write=True)
        for mate in mates:
            writer.open(f"{mate}{rank}", f"{rank}_{mate}", ranks=rank, write=False)
        for chunk in range(chunks):
            for mate, count in mates.items():
                writer.read(f"{mate}{rank}", chunk * count * _FILEBUF, _FILEBUF, count=count, ranks=rank)
            for name in names:
                writer.compute(compute, ranks=rank)
                writer.write(name, chunk * piece, piece, ranks=rank)
            writer.write(f"l{rank}", chunk * 125, 125, ranks=rank)
        for name in (*names, f"l{rank}", *(f"{mate}{rank}" for mate in mates)):
            writer.close(name, ranks=rank)
        _sort(writer, rank, bins, chunks * piece, compute)
    inputs = [(f"{rank}_{m}", chunks * n * _FILEBUF) for rank, (m, n) in product(range(ranks), mates.items())]
    kept = ("Log.progress.out", "Aligned.bam", "SJ.out.tab", "Log.final.out")
    return Kernel(
        name="star",
        scale=scale,
        title="transcripts on a genome: an index read whole by each, reads, bins that are sorted and joined to one",
        source="STAR for a sample on each node: Genome, SA, SAindex, --outSAMtype BAM SortedByCoordinate, _STARtmp",
        changed=f"An index of {9.5 * genome / 1e6:.3g} MB, {bins} bins for 50, {chunks} chunks, a thread; no Log.out.",
        run=writer.script,
        prepares=prepared(ranks, [*_TABLES.items(), *index.items(), *inputs]),
        results=tuple(f"{rank}_{name}" for rank, name in product(range(ranks), kept)),
    )


def _sort(writer: Writer, rank: int, bins: int, size: int, compute: float) -> None:
    """Have a process read its bins, sort each to a file of blocks, and join these."""
    blocks = -(-size // (2 * _BGZF))  # of a bin when it is compressed
    for number in range(bins):
        writer.read_file(f"b{rank}", f"{rank}_STARtmp/{number}", size, ranks=rank)
        writer.unlink(f"{rank}_STARtmp/{number}", ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write_file(f"s{rank}", f"{rank}_STARtmp/b{number}", _BGZF, count=blocks, ranks=rank)
    writer.open(f"o{rank}", f"{rank}_Aligned.bam", ranks=rank, write=True)
    for number in range(bins):
        writer.read_file(f"s{rank}", f"{rank}_STARtmp/b{number}", _BGZF, count=blocks, ranks=rank)
        writer.write(f"o{rank}", number * blocks * _BGZF, _BGZF, count=blocks, ranks=rank)
    writer.close(f"o{rank}", ranks=rank)
    writer.write_file(f"o{rank}", f"{rank}_SJ.out.tab", _FILEBUF, count=12, ranks=rank)
    writer.put(f"{rank}_Log.final.out", 1, 2_000, ranks=rank)
    writer.unlink(f"{rank}_STARtmp/b#", bins, ranks=rank)
    writer.rmdir(f"{rank}_STARtmp", ranks=rank)


def nwchem(scale: str, *, ranks: int, records: int, cycles: int, functions: int, compute: float) -> Kernel:
    """Electrons in molecules: integrals written to a file of each process, and read from it again in every cycle."""
    vectors, entry = functions * 8, 560
    writer = Writer(ranks)
    writer.read_file("n", "mol.nw", 3_600, ranks=0)
    writer.open("d", "mol.db", ranks=0, write=True)
    writer.barrier()
    for rank in range(ranks):
        writer.open(f"i{rank}", f"mol.aoints.{rank}", ranks=rank, write=True)
    for record, rank in product(range(records), range(ranks)):
        writer.compute(3 * compute, ranks=rank)
        writer.write(f"i{rank}", record * _RECORD, _RECORD, ranks=rank)
    for rank in range(ranks):
        writer.close(f"i{rank}", ranks=rank)
        writer.open(f"i{rank}", f"mol.aoints.{rank}", ranks=rank, write=False)
    for cycle in range(cycles):
        for record, rank in product(range(records), range(ranks)):
            writer.read(f"i{rank}", record * _RECORD, _RECORD, ranks=rank)
            writer.compute(compute, ranks=rank)
        writer.barrier()
        writer.write_file("m", f"mol.movecs.{cycle}", vectors, count=functions, ranks=0)
        if cycle:
            writer.unlink(f"mol.movecs.{cycle - 1}", ranks=0)
        writer.write("d", 12 * cycle * entry, entry, count=12, ranks=0)
    for rank in range(ranks):
        writer.close(f"i{rank}", ranks=rank)
        writer.unlink(f"mol.aoints.{rank}", ranks=rank)
    writer.close("d", ranks=0)
    return Kernel(
        name="nwchem",
        scale=scale,
        title="electrons in molecules: integrals in a file of each process, read again in each cycle, vectors by one",
        source="NWChem's semidirect SCF: .aoints files, records of 65536 doubles, .movecs and the RTDB by process 0",
        changed=f"{records} records each, {cycles} cycles, {functions} functions; .movecs are new files, .db grows.",
        run=writer.script,
        prepares=prepared(ranks, [("mol.nw", 3_600)]),
        results=("mol.db", f"mol.movecs.{cycles - 1}"),
    )


def savu(scale: str, *, ranks: int, each: int, columns: int, compute: float) -> Kernel:
    """Scans: plugin after plugin reads a file of the last one and writes its own: projections, sinograms, slices."""
    frame, views = ranks * each * columns * 2, 2  # a projection of numbers of 2 B; views: a dark one, a flat one
    chunk, sinogram, piece = each * each * columns * 4, ranks * each * (columns - 16) * 4, columns * columns * 4
    writer = Writer(ranks)
    writer.open("r", "scan.nxs", write=False, mpiio=True)
    writer.open("c", "p0.h5", write=True, mpiio=True)
    writer.read("r", 0, frame, count=views)
    for rank in range(ranks):
        writer.read("r", (views + rank * each) * frame, frame, count=each, ranks=rank)
    writer.compute(compute)
    for rank in range(ranks):
        writer.write("c", rank * ranks * chunk, chunk, count=ranks, ranks=rank)
    for name in "rc":
        writer.close(name)
    writer.open("c", "p0.h5", write=False, mpiio=True)
    writer.open("s", "p1.h5", write=True, mpiio=True)
    for rank in range(ranks):
        writer.read("c", rank * chunk, chunk, count=ranks, stride=ranks * chunk, ranks=rank)
    writer.compute(2 * compute)
    for rank in range(ranks):
        writer.write("s", rank * each * sinogram, sinogram, count=each, ranks=rank)
    for name in "cs":
        writer.close(name)
    writer.open("s", "p1.h5", write=False, mpiio=True)
    writer.open("v", "recon.h5", write=True, mpiio=True)
    for rank in range(ranks):
        writer.read("s", rank * each * sinogram, sinogram, count=each, ranks=rank)
        for number in range(each):
            writer.compute(2 * compute, ranks=rank)
            writer.write("v", (rank * each + number) * piece, piece, ranks=rank)
    for name in "sv":
        writer.close(name)
    writer.barrier()
    writer.unlink("p#.h5", 2, ranks=0)
    writer.write_file("n", "processed.nxs", 2 * KIB, count=9, ranks=0)
    return Kernel(
        name="savu",
        scale=scale,
        title="scans: plugins hand over files, in chunks, written by projections, read by sinograms; slices are kept",
        source="Savu at Diamond Light Source: parallel HDF5, independent, correction, ring removal, reconstruction",
        changed=f"{ranks * each}^2x{columns} points, 16 columns cut off, three plugins; no tables of HDF5, no filling.",
        run=writer.script,
        prepares=prepared(ranks, [("scan.nxs", (views + ranks * each) * frame)]),
        results=("recon.h5", "processed.nxs"),
    )


def nextflow(scale: str, *, ranks: int, waves: int, reads: int, compute: float) -> Kernel:
    """A workflow: process 0 makes a folder with scripts for each task, looks for its end, and collects results."""
    workers = range(1, ranks)
    order = list(product(("trim", "count"), range(waves)))
    folders = [[f"work.{task}.{wave}.{worker}" for worker in workers] for task, wave in order]
    writer = Writer(ranks)
    writer.open("log", ".nextflow.log", ranks=0, write=True)
    writer.compute(round(len(order) * compute, 9), ranks=0)  # it starts, and reads its script
    for place in range(len(order) + 2):  # while a wave is worked on, the next one is made, the last one looked at
        for folder in folders[place] if place < len(order) else ():
            writer.mkdir(folder, ranks=0)
            for name, size in _SCRIPTS.items():
                writer.put(f"{folder}/.command.{name}", 1, size, ranks=0)
        for folder in folders[place - 2] if place > 1 else ():
            writer.stat(f"{folder}/.exitcode", ranks=0)
            writer.get(f"{folder}/.exitcode", 1, 1, ranks=0)
            writer.stat(f"{folder}/out", ranks=0)
            writer.get(f"{folder}/.command.trace", 1, _ENDS["trace"], ranks=0)
        writer.write("log", place * 3_000, 3_000, ranks=0)
        for worker, folder in zip(workers, folders[place - 1] if 0 < place <= len(order) else (), strict=False):
            task, wave = order[place - 1]
            source = f"{wave}.{worker}.fastq" if task == "trim" else f"work.trim.{wave}.{worker}/out"
            _task(writer, worker, folder, (source, reads, reads if task == "trim" else reads // 2), compute)
        writer.barrier()
    writer.open("q", "counts.tsv", ranks=0, write=True)
    collected = [folder for some in folders[waves:] for folder in some]
    for number, folder in enumerate(collected):
        writer.read_file("p", f"{folder}/out", _STREAM, count=reads // 2, ranks=0)
        writer.write("q", number * (reads // 2) * _STREAM, _STREAM, count=reads // 2, ranks=0)
    for name in ("q", "log"):
        writer.close(name, ranks=0)
    removed = (*(f".command.{end}" for end in (*_SCRIPTS, "begin", *_ENDS)), ".exitcode", "out")
    for folder in (folder for some in folders for folder in some):
        for name in removed:
            writer.unlink(f"{folder}/{name}", ranks=0)
        writer.rmdir(folder, ranks=0)
    samples = [(f"{wave}.{worker}.fastq", reads * _STREAM) for wave, worker in product(range(waves), workers)]
    return Kernel(
        name="nextflow",
        scale=scale,
        title="a workflow: a folder with scripts, marks and an exit code for each task, results collected by one",
        source="Nextflow on a grid: work folders, .command.*, .exitcode, the operator collectFile, cleanup = true",
        changed=f"{len(samples)} samples, two tasks each, in waves; it looks once; no links, no cache of its own.",
        run=writer.script,
        prepares=prepared(ranks, samples),
        results=(".nextflow.log", "counts.tsv"),
    )


def _task(writer: Writer, worker: int, folder: str, data: tuple[str, int, int], compute: float) -> None:
    """Have a process do a task in its folder: with what it reads, and how many requests it reads and writes."""
    source, given, made = data
    for name, size in _SCRIPTS.items():
        writer.get(f"{folder}/.command.{name}", 1, size, ranks=worker)
    writer.open(f"b{worker}", f"{folder}/.command.begin", ranks=worker, write=True)
    writer.close(f"b{worker}", ranks=worker)
    writer.read_file(f"i{worker}", source, _STREAM, count=given, ranks=worker)
    writer.compute(compute, ranks=worker)
    writer.write_file(f"o{worker}", f"{folder}/out", _STREAM, count=made, ranks=worker)
    for name, size in _ENDS.items():
        writer.put(f"{folder}/.command.{name}", 1, size, ranks=worker)
    writer.put(f"{folder}/.exitcode", 1, 1, ranks=worker)


def elasticsearch(scale: str, *, ranks: int, bulks: int, bulk: int, blocks: int, compute: float) -> Kernel:
    """An index of texts: a log that is synced for each bulk, small segments that are merged, synced at a flush."""
    small, ends = range(1, bulks, 2), {"cfe": 480, "si": 370}
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"t{rank}", f"{rank}.translog-1.tlog", ranks=rank, write=True)
        for number in range(bulks):
            writer.compute(compute, ranks=rank)
            writer.write(f"t{rank}", number * bulk, bulk, ranks=rank)
            writer.sync(f"t{rank}", ranks=rank)
            if number in small:  # a refresh
                writer.write_file(f"s{rank}", f"{rank}._{number}.cfs", _LUCENE, count=blocks, ranks=rank)
                for end, size in ends.items():
                    writer.put(f"{rank}._{number}.{end}", 1, size, ranks=rank)
        for number in small:
            writer.read_file(f"s{rank}", f"{rank}._{number}.cfs", _LUCENE, count=blocks, ranks=rank)
        writer.compute(2 * compute, ranks=rank)
        merged = {"_m.cfs": (_LUCENE, len(small) * blocks), "segments_2": (700, 1), "translog-2.tlog": (55, 1)}
        for name, (size, count) in merged.items():
            writer.write_file(f"s{rank}", f"{rank}.{name}", size, count=count, ranks=rank, sync=True)
        for number, end in product(small, ("cfs", *ends)):
            writer.unlink(f"{rank}._{number}.{end}", ranks=rank)
        writer.close(f"t{rank}", ranks=rank)
        writer.unlink(f"{rank}.translog-1.tlog", ranks=rank)
    return Kernel(
        name="elasticsearch",
        scale=scale,
        title="an index of texts: synced logs of each shard, segments in small requests, merged, synced at a flush",
        source="Elasticsearch: index.translog.durability request, refreshes, Lucene's compound files, merge, flush",
        changed=f"A shard for each process, {bulks} bulks of {bulk // 1000} kB, one flush; no replicas, no .ckp.",
        run=writer.script,
        results=tuple(f"{rank}.{name}" for rank, name in product(range(ranks), merged)),
    )
