"""Applications for a test: data in pieces, as containers, archives, bins, pictures and the files of a checkout."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.phases import posix, workload
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import MIB
from acic.workloads import Access, Operation


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
    files = dumps * len(flushing)
    found = posix(
        Operation.WRITE,
        names[0][0],
        processes=ranks,
        io_processes=len(flushing),
        iterations=dumps,
        data_size=share,
        request_size=MIB,
        shared=False,
        files=files,
        pause=compute,
        syncs=files,
        apart=float(apart),
    )
    return Kernel(
        name="scr",
        scale=scale,
        title="checkpoints flushed from the nodes: a container from one process of each, synced, nobody waits",
        source="SCR's and VELOC's flushes of node-local checkpoints, containers of all processes of a node",
        changed=f"{dumps} containers of {share // MIB} MiB from each node; they are in memory before.",
        processes=ranks,
        workload=workload("scr", ranks, found),
        run=writer.script,
        results=tuple(name for alike in names for name in alike),
        compute=dumps * compute,
        bytes_moved=found.bytes,
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
    found = posix(
        Operation.READ,
        names[0],
        processes=ranks,
        iterations=epochs * each,
        data_size=size,
        request_size=block,
        shared=True,
        files=len(names),
        pause=compute,
        over=float(epochs),
        contiguous=True,
    )
    return Kernel(
        name="shards",
        scale=scale,
        title="training from archives: each read whole in small blocks, by other processes in the next epoch",
        source="WebDataset's tar shards (ImageNet, LAION), read as streams and dealt anew for each epoch",
        changed=f"{len(names)} shards of {size / 1e6:.3g} MB, {epochs} epochs.",
        processes=ranks,
        workload=workload("shards", ranks, found),
        run=writer.script,
        prepares=prepared(ranks, [(name, size) for name in names]),
        inputs=tuple(names),
        compute=epochs * each * compute,
        bytes_moved=found.bytes,
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
    opens = 2 * len(every)
    phases = [
        posix(
            Operation.READ,
            "reads.fastq",
            processes=ranks,
            iterations=chunks,
            data_size=chunk,
            request_size=chunk,
            shared=True,
            pause=round(ranks * compute, 9),
            contiguous=True,
        ),
        posix(
            Operation.WRITE,
            bins[0][0],
            processes=ranks,
            iterations=chunks * ranks,
            data_size=piece,
            request_size=piece,
            shared=False,
            files=len(every),
            pause=compute,
            opens=opens,
        ),
        posix(
            Operation.READ,
            bins[0][0],
            processes=ranks,
            iterations=ranks,
            data_size=chunks * piece,
            request_size=chunks * piece,
            shared=False,
            files=len(every),
            opens=opens,
            others=True,
        ),
        posix(
            Operation.WRITE,
            "counts.0.0",
            processes=ranks,
            data_size=table,
            request_size=table,
            shared=False,
            files=ranks,
        ),
    ]
    return Kernel(
        name="kmc",
        scale=scale,
        title="counting in genomes: pieces added to many open bins in turn, which others read whole and remove",
        source="counters of k-mers on disk (KMC, DSK), a bin from each process for each other one",
        changed=f"{chunks} chunks of {chunk // 1000} kB for each process, pieces of {piece // 1000} kB.",
        processes=ranks,
        workload=workload("kmc", ranks, *phases),
        run=writer.script,
        prepares=prepared(ranks, [("reads.fastq", ranks * chunks * chunk)]),
        inputs=("reads.fastq",),
        results=tuple(f"counts.{rank}.0" for rank in range(ranks)),
        compute=chunks * ranks * compute,
        bytes_moved=sum(one.bytes for one in phases),
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
    reads = posix(
        Operation.READ,
        names[0][0],
        processes=ranks,
        iterations=steps,
        data_size=piece,
        request_size=piece // calls,
        shared=False,
        files=steps * ranks,
        pause=round(pictures * compute, 9),
    )
    writes = posix(
        Operation.WRITE,
        "view.0.0.0",
        processes=ranks,
        io_processes=1,
        iterations=steps * pictures,
        data_size=picture,
        request_size=picture,
        shared=False,
        files=steps * pictures,
        pause=compute,
    )
    inputs = tuple(name for alike in names for name in alike)
    return Kernel(
        name="cinema",
        scale=scale,
        title="pictures of a simulation: pieces read by all, step by step, many views of each saved by one",
        source="ParaView's pvbatch on .pvtu files, a Cinema database of pictures composited at process 0",
        changed=f"{steps} steps of {piece // 1000} kB for each process, {pictures} pictures of {picture // 1000} kB.",
        processes=ranks,
        workload=workload("cinema", ranks, reads, writes),
        run=writer.script,
        prepares=prepared(ranks, [(name, piece) for name in inputs]),
        inputs=inputs,
        results=tuple(f"view.{step}.{number}.0" for step in range(steps) for number in range(pictures)),
        compute=steps * pictures * compute,
        bytes_moved=reads.bytes + writes.bytes,
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
    objects = posix(
        Operation.READ,
        "objects.pack",
        processes=ranks,
        io_processes=1,
        iterations=files,
        data_size=packed,
        request_size=packed,
        shared=False,
        access=Access.RANDOM,
        over=files / (max(places) + 1),
    )
    made, read = (
        posix(
            operation,
            "source.0.0",
            processes=ranks,
            io_processes=by,
            iterations=files // by,
            data_size=size,
            request_size=size,
            shared=False,
            files=files,
            opens=2 * files,
            others=operation is Operation.READ,
        )
        for operation, by in ((Operation.WRITE, 1), (Operation.READ, ranks))
    )
    ends = posix(
        Operation.WRITE, "index.0", processes=ranks, io_processes=1, data_size=index, request_size=index, shared=False
    )
    phases = (objects, made, read, ends)
    return Kernel(
        name="git",
        scale=scale,
        title="a checkout by one process: objects anywhere in a pack become small files, which all then read",
        source="git clone or checkout at the beginning of a job, and what is built or run from it",
        changed=f"{files} objects of {packed // 1000} kB in a pack of {pack // MIB} MiB, files of {size // 1000} kB.",
        processes=ranks,
        workload=workload("git", ranks, *phases),
        run=writer.script,
        prepares=prepared(ranks, [("objects.pack", pack)]),
        inputs=("objects.pack",),
        results=(*(f"source.{number}.0" for number in range(files)), "index.0"),
        compute=0.0,
        bytes_moved=sum(one.bytes for one in phases),
    )
