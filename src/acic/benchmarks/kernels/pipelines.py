"""More applications for a test: pipelines and benchmarks whose processes read what was given, or what others wrote."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def bwa(scale: str, *, ranks: int, index: int, chunks: int, chunk: int, compute: float) -> Kernel:
    """Alignment: each process reads the whole index, then aligns and writes its reads, chunk after chunk."""
    request, piece = 256 * KIB, 64 * KIB
    writer = Writer(ranks)
    writer.read_file("index", "genome.bwt", request, count=index // request)
    for rank in range(ranks):
        writer.open(f"sam{rank}", f"{rank}.sam", ranks=rank, write=True)
    for number in range(chunks):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"sam{rank}", number * chunk, piece, count=chunk // piece, ranks=rank)
    for rank in range(ranks):
        writer.close(f"sam{rank}", ranks=rank)
    return Kernel(
        name="bwa",
        scale=scale,
        title="alignment of genomes: an index that all read whole, results of each process",
        source="BWA-MEM and Bowtie run by MPI wrappers: the index is loaded by each process",
        changed=f"An index of {index // MIB} MiB; {chunks} chunks of {chunk // KIB} KiB; reads come by other ways.",
        run=writer.script,
        prepares=prepared(ranks, [("genome.bwt", index)]),
        results=tuple(f"{rank}.sam" for rank in range(ranks)),
    )


def montage(scale: str, *, ranks: int, each: int, raw: int, projected: int, compute: float) -> Kernel:
    """Mosaics of the sky: images read whole, projected and written, each a file of its own."""
    writer, made = Writer(ranks), Writer(ranks)
    for rank in range(ranks):
        made.put(f"raw.{rank}.#", each, raw, ranks=rank)
    for number in range(each):
        for rank in range(ranks):
            writer.get(f"raw.{(rank + ranks // 2) % ranks}.{number}", 1, raw, ranks=rank)
        writer.compute(compute)
        for rank in range(ranks):
            writer.put(f"projected.{rank}.{number}", 1, projected, ranks=rank)
    return Kernel(
        name="montage",
        scale=scale,
        title="Montage: images read whole, projected and written, a file each",
        source="Montage's mProject run for many images: a task for each, no task waits for another",
        changed=f"{ranks * each} images of {raw // 1000} kB, projected to {projected // 1000} kB, each in a request.",
        run=writer.script,
        prepares=made.script,
        results=tuple(f"projected.{rank}.{number}" for rank in range(ranks) for number in range(each)),
    )


def tfrecord(scale: str, *, ranks: int, batches: int, batch: int, weights: int, compute: float) -> Kernel:
    """Training from records: each process reads on in a file of its own, batch by batch; process 0 saves weights."""
    request = 256 * KIB
    shards = [f"train.{rank}.tfrecord" for rank in range(ranks)]
    writer = Writer(ranks)
    for rank, shard in enumerate(shards):
        writer.open(f"shard{rank}", shard, ranks=rank, write=False)
    for number in range(batches):
        for rank in range(ranks):
            writer.read(f"shard{rank}", number * batch, request, count=batch // request, ranks=rank)
        writer.compute(compute)
        writer.barrier()
    for rank in range(ranks):
        writer.close(f"shard{rank}", ranks=rank)
    writer.write_file("model", "model.ckpt", MIB, count=weights // MIB, ranks=0)
    return Kernel(
        name="tfrecord",
        scale=scale,
        title="training of a network from records: a file of each process, batch by batch; weights saved by one",
        source="TensorFlow's TFRecord files and MLPerf Storage: sequential reads, a step of all after each batch",
        changed=f"{batches} batches of {batch // KIB} KiB of each process, weights of {weights // MIB} MiB.",
        run=writer.script,
        prepares=prepared(ranks, [(shard, batches * batch) for shard in shards]),
        results=("model.ckpt",),
    )


def zarr(scale: str, *, ranks: int, each: int, chunk: int, compute: float) -> Kernel:
    """A transposition on chunks: each process writes its chunks, a file each, and reads those of another one."""
    writer = Writer(ranks)
    writer.compute(compute)
    for rank in range(ranks):
        writer.put(f"array.{rank}.#", each, chunk, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.get(f"array.{(rank + ranks // 2) % ranks}.#", each, chunk, ranks=rank)
    return Kernel(
        name="zarr",
        scale=scale,
        title="arrays in chunks: a file for each, written by one process and read by another",
        source="Zarr and Dask: chunks of an array are files, read again by whichever worker needs them",
        changed=f"{ranks * each} chunks of {chunk // 1000} kB, all in one folder.",
        run=writer.script,
        results=tuple(f"array.{rank}.{number}" for rank in range(ranks) for number in range(each)),
    )


def io500(scale: str, *, ranks: int, request: int, count: int, hard: bool) -> Kernel:
    """IO500's ior-easy and ior-hard: written and synced, then read by processes of other nodes."""
    paths = ["hard"] if hard else [f"easy.{rank}" for rank in range(ranks)]
    writer = Writer(ranks)
    if hard:
        writer.open("f", paths[0], ranks=0, write=True)
        writer.close("f", ranks=0)
        writer.barrier()
    for write in (True, False):
        for rank in range(ranks):
            who = rank if write else (rank + ranks // 4) % ranks
            writer.open(f"f{rank}", paths[0] if hard else paths[who], ranks=rank, write=write)
            move = writer.write if write else writer.read
            place, stride = (who * request, ranks * request) if hard else (0, 0)
            move(f"f{rank}", place, request, count=count, stride=stride, ranks=rank)
            if write:
                writer.sync(f"f{rank}", ranks=rank)
            writer.close(f"f{rank}", ranks=rank)
        if write:
            writer.barrier()
    name = f"io500-{'hard' if hard else 'easy'}"
    return Kernel(
        name=name,
        scale=scale,
        title=f"IO500's ior-{'hard: records of 47008 B, interleaved' if hard else 'easy: a file of each process'}",
        source=f"IO500, ior-{'hard' if hard else 'easy'}: written, synced, and read by other processes",
        changed=f"{count} requests of {request} B of each process, where IO500 writes for five minutes.",
        run=writer.script,
        results=tuple(paths),
    )
