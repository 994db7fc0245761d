"""Applications for a test: data in pieces, as containers, archives, bins, pictures and the files of a checkout."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import MIB


def scr(scale: str, *, ranks: int, dumps: int, calls: int, compute: float) -> Kernel:
    """Checkpoints kept on nodes are flushed: one process of each node writes a container, synced; others go on."""
    apart = ranks // 4
    flushing = range(0, ranks, apart)
    share = calls * MIB
    writer = Writer(ranks)
    names = [[f"ckpt.{dump}.{rank}" for rank in flushing] for dump in range(dumps)]
    for dump in range(dumps):
        writer.compute(compute)
        for rank, name in zip(flushing, names[dump], strict=True):
            writer.write_file(f"c{rank}", name, MIB, count=calls, ranks=rank, sync=True)
    return Kernel(
        name="scr",
        scale=scale,
        title="checkpoints flushed from the nodes: a container from one process of each, synced, nobody waits",
        source="SCR's and VELOC's flushes of node-local checkpoints, containers of all processes of a node",
        changed=f"{dumps} containers of {share // MIB} MiB from each node; they are in memory before.",
        run=writer.script,
        results=tuple(name for alike in names for name in alike),
    )


def shards(scale: str, *, ranks: int, epochs: int, each: int, blocks: int, compute: float) -> Kernel:
    """Training from archives: each process reads some whole, in small blocks, and others in the next epoch."""
    block = 10_240  # of tar
    size = blocks * block
    names = [f"train.{number}.tar" for number in range(each * ranks)]
    writer = Writer(ranks)
    for epoch in range(epochs):
        for turn in range(each):
            for rank in range(ranks):
                name = names[turn * ranks + (rank + 3 * epoch) % ranks]
                writer.read_file(f"t{rank}", name, block, count=blocks, ranks=rank)
            writer.compute(compute)
        writer.barrier()
    return Kernel(
        name="shards",
        scale=scale,
        title="training from archives: each read whole in small blocks, by other processes in the next epoch",
        source="WebDataset's tar shards (ImageNet, LAION), read as streams and dealt anew for each epoch",
        changed=f"{len(names)} shards of {size / 1e6:.3g} MB, {epochs} epochs.",
        run=writer.script,
        prepares=prepared(ranks, [(name, size) for name in names]),
    )


def kmc(scale: str, *, ranks: int, chunks: int, chunk: int, piece: int, table: int, compute: float) -> Kernel:
    """Counting of words in genomes: chunks read, small pieces added to many bins in turn, bins read by others."""
    bins = [[f"bin.{rank}.{number}" for number in range(ranks)] for rank in range(ranks)]
    every = [(rank, number) for rank in range(ranks) for number in range(ranks)]
    writer = Writer(ranks)
    writer.open("i", "reads.fastq", write=False)
    for rank, number in every:
        writer.open(f"b{rank}-{number}", bins[rank][number], ranks=rank, write=True)
    for turn in range(chunks):
        for rank in range(ranks):
            writer.read("i", (rank * chunks + turn) * chunk, chunk, ranks=rank)
        for number in range(ranks):
            writer.compute(compute)
            for rank in range(ranks):
                writer.write(f"b{rank}-{number}", turn * piece, piece, ranks=rank)
    writer.close("i")
    for rank, number in every:
        writer.close(f"b{rank}-{number}", ranks=rank)
    writer.barrier()
    for number in range(ranks):
        for rank in range(ranks):
            writer.read_file(f"m{rank}", bins[number][rank], chunks * piece, ranks=rank)
            writer.unlink(bins[number][rank], ranks=rank)
    for rank in range(ranks):
        writer.put(f"counts.{rank}.#", 1, table, ranks=rank)
    return Kernel(
        name="kmc",
        scale=scale,
        title="counting in genomes: pieces added to many open bins in turn, which others read whole and remove",
        source="counters of k-mers on disk (KMC, DSK), a bin from each process for each other one",
        changed=f"{chunks} chunks of {chunk // 1000} kB for each process, pieces of {piece // 1000} kB.",
        run=writer.script,
        prepares=prepared(ranks, [("reads.fastq", ranks * chunks * chunk)]),
        results=tuple(f"counts.{rank}.0" for rank in range(ranks)),
    )


def cinema(scale: str, *, ranks: int, steps: int, piece: int, pictures: int, picture: int, compute: float) -> Kernel:
    """A film of pictures: each step all read their pieces and draw views of them together, which one process saves."""
    calls = 4
    names = [[f"step{step}.{rank}.vtu" for rank in range(ranks)] for step in range(steps)]
    writer = Writer(ranks)
    for step in range(steps):
        for rank in range(ranks):
            writer.read_file(f"p{rank}", names[step][rank], piece // calls, count=calls, ranks=rank)
        for number in range(pictures):
            writer.compute(compute)
            writer.barrier()
            writer.put(f"view.{step}.{number}.#", 1, picture, ranks=0)
    inputs = tuple(name for alike in names for name in alike)
    return Kernel(
        name="cinema",
        scale=scale,
        title="pictures of a simulation: pieces read by all, step by step, many views of each saved by one",
        source="ParaView's pvbatch on .pvtu files, a Cinema database of pictures composited at process 0",
        changed=f"{steps} steps of {piece // 1000} kB for each process, {pictures} pictures of {picture // 1000} kB.",
        run=writer.script,
        prepares=prepared(ranks, [(name, piece) for name in inputs]),
        results=tuple(f"view.{step}.{number}.0" for step in range(steps) for number in range(pictures)),
    )


def git(scale: str, *, ranks: int, files: int, packed: int, size: int, pack: int) -> Kernel:
    """A checkout: one process reads objects anywhere in a pack and makes small files, then all read their part."""
    draw = random.Random(41)  # noqa: S311  # the same on every machine
    places = draw.sample(range(pack // packed), files)
    index = 100 * files
    writer = Writer(ranks)
    writer.open("p", "objects.pack", ranks=0, write=False)
    for number, place in enumerate(places):
        writer.read("p", place * packed, packed, ranks=0)
        writer.put(f"source.{number}.#", 1, size, ranks=0)
    writer.close("p", ranks=0)
    writer.put("index.#", 1, index, ranks=0)
    writer.barrier()
    for number in range(files):
        writer.get(f"source.{number}.#", 1, size, ranks=number * ranks // files)
    return Kernel(
        name="git",
        scale=scale,
        title="a checkout by one process: objects anywhere in a pack become small files, which all then read",
        source="git clone or checkout at the beginning of a job, and what is built or run from it",
        changed=f"{files} objects of {packed // 1000} kB in a pack of {pack // MIB} MiB, files of {size // 1000} kB.",
        run=writer.script,
        prepares=prepared(ranks, [("objects.pack", pack)]),
        results=(*(f"source.{number}.0" for number in range(files)), "index.0"),
    )
