"""Applications for a test: genomes of many, a sky in radio waves, a graph on disk, notes on runs, trees of events."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Script, Writer, prepared
from acic.units import KIB

_FILEBUF, _POLS = 8_191, 4  # _FILEBUF: what a stream of the C++ library reads or writes at once, B


def mhm2(scale: str, *, ranks: int, parts: int, calls: int, rounds: int, contigs: int, compute: float) -> Kernel:
    """Genomes of many: a range of the reads for each, contigs of all in one file, round by round, alignments."""
    lines, aligned, cut = 3_000, 900_000, round(compute / parts, 9)
    sizes = {"scaff-contigs.fasta": contigs + contigs // 8, "final_assembly.fasta": contigs + contigs // 4}
    writer = Writer(ranks)
    writer.open("l", "mhm2.log", ranks=0, write=True)
    writer.open("r", "reads.fastq", write=False)
    for part, rank in product(range(parts), range(ranks)):
        writer.read("r", (rank * parts + part) * calls * _FILEBUF, _FILEBUF, count=calls, ranks=rank)
        writer.compute(cut, ranks=rank)
    writer.close("r")
    for turn in range(rounds):
        writer.compute(compute)
        _in_order(writer, ranks, f"contigs-{turn}.fasta", contigs)
        writer.write("l", turn * lines, lines, ranks=0)
    for name, size in sizes.items():
        _in_order(writer, ranks, name, size)
    writer.compute(compute)
    _in_order(writer, ranks, "final_assembly.sam", aligned)
    writer.close("l", ranks=0)
    return Kernel(
        name="mhm2",
        scale=scale,
        title="genomes of many: a range of the reads for each, a file of all contigs in each round, one of alignments",
        source="MetaHipMer2 on UPC++: FASTQ by ranges, dist_ofstream for contigs-K.fasta, --post-asm-align, mhm2.log",
        changed=f"{rounds} rounds, {contigs // 1000} kB of contigs from each in all of them; no @SQ lines.",
        run=writer.script,
        prepares=prepared(ranks, [("reads.fastq", ranks * parts * calls * _FILEBUF)]),
        results=("mhm2.log", *(f"contigs-{turn}.fasta" for turn in range(rounds)), *sizes, "final_assembly.sam"),
    )


def _in_order(writer: Writer, ranks: int, path: str, size: int) -> None:
    """Have a file made by process 0 and written by all, a part of each behind the other."""
    writer.open("o", path, ranks=0, write=True)
    writer.close("o", ranks=0)
    writer.barrier()
    writer.open("o", path, write=True)
    for rank in range(ranks):
        writer.write("o", rank * size, size, ranks=rank)
    writer.close("o")


def wsclean(scale: str, *, ranks: int, tiles: int, rows: int, majors: int, side: int, compute: float) -> Kernel:
    """A sky in radio waves: channels picked from tiles of a shared table to own files, which are read in each cycle."""
    ahead, block, plane = 128 * KIB, 2_880, side * side * 4  # block: of FITS
    counts = {"data": rows, "weights": rows // 2}
    kept = [(rank, name, tiles * count) for rank in range(ranks) for name, count in counts.items()]
    pages = -(-tiles * rows * _FILEBUF // ahead)
    writer = Writer(ranks)
    _reorder(writer, ranks, tiles, counts)
    for rank, name, count in kept[1::2]:
        writer.read_file(f"p{rank}", f"{name}.{rank}.tmp", _FILEBUF, count=count, ranks=rank)
    writer.compute(2 * compute)
    pictures = _pictures(writer, ranks, ("psf",), plane + 3 * block)
    for major in range(majors + 1):
        if major:
            writer.compute(compute)
            for rank in range(ranks):
                writer.write_file(f"m{rank}", f"model{major}.{rank}.tmp", ahead, count=pages, ranks=rank)
                writer.read_file(f"m{rank}", f"model{major}.{rank}.tmp", ahead, count=pages, ranks=rank)
                writer.unlink(f"model{major}.{rank}.tmp", ranks=rank)
        for rank, name, count in kept:
            writer.read_file(f"p{rank}", f"{name}.{rank}.tmp", _FILEBUF, count=count, ranks=rank)
        writer.compute(compute)
        if not major:
            pictures += _pictures(writer, ranks, ("dirty",), plane + 2 * block)
    pictures += _pictures(writer, ranks, ("model", "residual", "image"), plane + 4 * block)
    for rank, name, _ in kept:
        writer.unlink(f"{name}.{rank}.tmp", ranks=rank)
    return Kernel(
        name="wsclean",
        scale=scale,
        title="a sky in radio waves: tiles of a table to two files of each, read in each cycle, pictures by process 0",
        source="WSClean on MPI: -channels-out, reordered -b0.tmp, -w.tmp and -m.tmp, FITS of each channel and of all",
        changed=f"{majors} major cycles, {side}^2 points; a model is a new file, not mapped; no headers, no -meta.tmp.",
        run=writer.script,
        prepares=prepared(ranks, [(f"{name}.tsm", ranks * tiles * _POLS * n * _FILEBUF) for name, n in counts.items()]),
        results=tuple(pictures),
    )


def _reorder(writer: Writer, ranks: int, tiles: int, counts: dict[str, int]) -> None:
    """Have each process read its channels' tiles of each column, and append one polarization of four to a file."""
    for name in counts:
        writer.open(name, f"{name}.tsm", write=False)
        for rank in range(ranks):
            writer.open(f"{name}{rank}", f"{name}.{rank}.tmp", ranks=rank, write=True)
    for rank, tile, (name, count) in product(range(ranks), range(tiles), counts.items()):
        size = count * _FILEBUF
        writer.read(name, (tile * ranks + rank) * _POLS * size, _POLS * size, ranks=rank)
        writer.write(f"{name}{rank}", tile * size, _FILEBUF, count=count, ranks=rank)
    for name in counts:
        writer.close(name)
        for rank in range(ranks):
            writer.close(f"{name}{rank}", ranks=rank)


def _pictures(writer: Writer, channels: int, kinds: Iterable[str], size: int) -> list[str]:
    """Have process 0 write what all have sent: a picture of each kind for each channel, and one of all of them."""
    names = [f"{channel}-{kind}.fits" for kind in kinds for channel in (*range(channels), "MFS")]
    writer.barrier()
    for name in names:
        writer.put(name, 1, size, ranks=0)
    writer.barrier()
    return names


def graphbolt(scale: str, *, ranks: int, epochs: int, batches: int, nodes: int, tensor: int, compute: float) -> Kernel:
    """A graph on disk: its edges read whole by each, then features of sampled nodes anywhere in a file."""
    row, every, tensors, seeds, model = 4 * KIB, 20_000, 4, 320_000, 2_600_000  # row: 1024 numbers of a node
    draw = random.Random(56)  # noqa: S311  # the same on every machine
    writer = Writer(ranks)
    writer.read_file("g", "fused_csc_sampling_graph.pt", tensor, count=tensors)
    writer.read_file("s", "train_idx.npy", seeds)
    writer.open("f", "node_feat.npy", write=False)
    for epoch in range(epochs):
        for _ in range(batches):
            for rank, _ in product(range(ranks), range(nodes)):
                writer.read("f", draw.randrange(every) * row, row, ranks=rank)
            writer.compute(compute)
            writer.barrier()
        writer.put(f"model_{epoch}.pt", 1, model, ranks=0)
    writer.close("f")
    inputs = {"fused_csc_sampling_graph.pt": tensors * tensor, "train_idx.npy": seeds, "node_feat.npy": every * row}
    return Kernel(
        name="graphbolt",
        scale=scale,
        title="a graph on disk: edges read whole by each, then features of nodes anywhere in a file, batch by batch",
        source="DGL's GraphBolt: OnDiskDataset, DiskBasedFeature by io_uring in pages, a checkpoint by process 0",
        changed=f"{epochs * batches} batches of {nodes} nodes for each, one read after the other; no validation.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(f"model_{epoch}.pt" for epoch in range(epochs)),
    )


def mlflow(scale: str, *, ranks: int, epochs: int, params: int, calls: int, compute: float) -> Kernel:
    """Notes on trainings: a tiny file for each setting, lines added to one of each figure, all read by one at last."""
    buffer, meta, ended, line, setting = 256 * KIB, 448, 470, 40, 7
    figures, tags = ("loss", "accuracy", "val_loss"), {"user": 9, "source.name": 26, "log-model.history": 640}
    model = {"model.pkl": 350_000, "MLmodel": 720, "conda.yaml": 230, "python_env.yaml": 120, "requirements.txt": 90}
    writer = Writer(ranks)
    writer.read_file("t", "train.parquet", buffer, count=calls)
    for rank in range(ranks):
        writer.get(f"{rank}/meta.yaml", 1, meta, ranks=rank)
        writer.put(f"{rank}/params.#", params, setting, ranks=rank)
    for epoch, figure, rank in product(range(epochs), figures, range(ranks)):
        writer.compute(compute, ranks=rank)
        writer.get(f"{rank}/meta.yaml", 1, meta, ranks=rank)
        writer.open(f"m{rank}", f"{rank}/metrics.{figure}", ranks=rank, write=True)
        writer.write(f"m{rank}", epoch * line, line, ranks=rank)
        writer.close(f"m{rank}", ranks=rank)
    for rank in range(ranks):
        for name, size in (model | tags).items():
            writer.put(f"{rank}/{name}", 1, size, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.get(f"{rank}/meta.yaml", 1, meta, ranks=rank)
        writer.put(f"{rank}/ended.yaml", 1, ended, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.get(f"{rank}/ended.yaml", 1, ended, ranks=0)
        writer.get(f"{rank}/params.#", params, setting, ranks=0)
        for name, size in ({f"metrics.{figure}": epochs * line for figure in figures} | tags).items():
            writer.get(f"{rank}/{name}", 1, size, ranks=0)
    made = Writer(ranks)
    for rank in range(ranks):
        made.mkdir(str(rank), ranks=ranks - 1 - rank)
        made.put(f"{rank}/meta.yaml", 1, meta, ranks=ranks - 1 - rank)
    names = [*(f"params.{n}" for n in range(params)), *(f"metrics.{figure}" for figure in figures), *model, *tags]
    return Kernel(
        name="mlflow",
        scale=scale,
        title="notes on trainings: tiny files of settings, lines added to one of each figure, all read by one at last",
        source="MLflow's FileStore on a shared mlruns: meta.yaml read for each log_metric, params, tags, search_runs",
        changed=f"{ranks} runs, made before, {epochs} epochs; a run is one folder; its meta.yaml is not replaced.",
        run=writer.script,
        prepares=Script(ranks, (*made.script.lines, *prepared(ranks, [("train.parquet", calls * buffer)]).lines)),
        results=tuple(f"{rank}/{name}" for rank in range(ranks) for name in (*names, "ended.yaml")),
    )


def hadd(scale: str, *, ranks: int, files: int, reads: int, request: int, basket: int) -> Kernel:
    """Trees of events: two processes join half of the files each, basket by basket, and one what both have made."""
    header, tables, jobs, held = 300, 24_000, 2, reads * request
    writer = Writer(ranks)
    for job in range(jobs):
        writer.open(f"o{job}", f"partial{job}.root", ranks=job, write=True)
        for number in range(files // jobs):
            writer.open(f"i{job}", f"events{job * files // jobs + number}.root", ranks=job, write=False)
            writer.read(f"i{job}", 0, header, ranks=job)
            writer.read(f"i{job}", header + held, tables, ranks=job)
            writer.read(f"i{job}", header, request, count=reads, ranks=job)
            writer.close(f"i{job}", ranks=job)
            writer.write(f"o{job}", number * held, basket, count=held // basket, ranks=job)
        writer.close(f"o{job}", ranks=job)
    writer.barrier()
    writer.open("o", "events.root", ranks=0, write=True)
    part = files // jobs * held
    for job in range(jobs):
        writer.read_file("i", f"partial{job}.root", request, count=part // request, ranks=0)
        writer.write("o", job * part, basket, count=part // basket, ranks=0)
    writer.close("o", ranks=0)
    writer.unlink("partial#.root", jobs, ranks=0)
    return Kernel(
        name="hadd",
        scale=scale,
        title="trees of events: two processes join half of the files each, basket by basket, and one joins their files",
        source="ROOT's hadd -j 2 with fast cloning: baskets copied as they are, a cache for reading, partial files",
        changed=f"{files} files of {held / 1e6:.3g} MB, baskets of {basket // 1000} kB; what is made has no tables.",
        run=writer.script,
        prepares=prepared(ranks, [(f"events{number}.root", header + held + tables) for number in range(files)]),
        results=("events.root",),
    )
