"""What people run beside the applications of the papers."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def mdtest(scale: str, *, ranks: int, files: int) -> Kernel:
    """Many small files in one folder: made, asked for, read by another process and removed."""
    size = 4 * KIB
    path = [f"tree/file.{rank}.#" for rank in range(ranks)]
    writer = Writer(ranks)
    writer.mkdir("tree", ranks=0)
    writer.barrier()
    for rank in range(ranks):
        writer.put(path[rank], files, size, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.stat(path[(rank + ranks // 2) % ranks], files, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.get(path[(rank + ranks // 2) % ranks], files, size, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.unlink(path[rank], files, ranks=rank)
    writer.barrier()
    writer.rmdir("tree", ranks=0)
    return Kernel(
        name="mdtest",
        scale=scale,
        title="mdtest: many files of 4 KiB, made, looked at, read and removed",
        source="mdtest of the IOR distribution (-w 4096 -e 4096 -N), and the log mdtest",
        changed=f"{ranks * files} files in one folder, {files} of each process.",
        run=writer.script,
    )


def random_reads(scale: str, *, ranks: int, batches: int, reads: int, file_size: int, compute: float) -> Kernel:
    """Small reads at random places of a large file, in batches with computing behind each."""
    size = 16 * KIB
    count = ranks * batches * reads
    places = random.Random(16).sample(range(file_size // size), count)  # noqa: S311  # the same on every machine
    writer = Writer(ranks)
    writer.open("events", "events", write=False)
    for batch in range(batches):
        for rank in range(ranks):
            first = (rank * batches + batch) * reads
            for place in places[first : first + reads]:
                writer.read("events", place * size, size, ranks=rank)
            writer.compute(compute, rank)
    writer.close("events")
    return Kernel(
        name="random-reads",
        scale=scale,
        title="small random reads of a large file",
        source="event selection as in high-energy physics: 16 KiB of a file at a time, all processes",
        changed=f"{count} reads from a file of {file_size // MIB} MiB.",
        run=writer.script,
        prepares=prepared(ranks, [("events", file_size)]),
    )


def one_writer(scale: str, *, ranks: int, size: int) -> Kernel:
    """One process streams a file to disk."""
    request = MIB
    writer = Writer(ranks)
    writer.write_file("out", "stream.out", request, count=size // request, ranks=0, sync=True)
    writer.barrier()
    return Kernel(
        name="one-writer",
        scale=scale,
        title="one process streams a file, and syncs it",
        source="collecting and archiving: a serial program in a parallel job",
        changed="Nothing is computed.",
        run=writer.script,
        results=("stream.out",),
    )


def shared_log(scale: str, *, ranks: int, rounds: int, compute: float) -> Kernel:
    """A small shared file to which all add records and sync them, and a header that is written again each time."""
    record, header = 8 * KIB, 512
    writer = Writer(ranks)
    writer.open("log", "events.log", ranks=0, write=True)
    writer.close("log", ranks=0)
    writer.barrier()
    writer.open("log", "events.log", write=True)
    writer.open("header", "header", ranks=0, write=True)
    for number in range(rounds):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write("log", (number * ranks + rank) * record, record, ranks=rank)
        writer.sync("log")
        writer.write("header", 0, header, ranks=0)
        writer.sync("header", ranks=0)
        writer.barrier()
    writer.close("header", ranks=0)
    writer.close("log")
    return Kernel(
        name="shared-log",
        scale=scale,
        title="a small shared file written often, each record synced",
        source="journals and headers of libraries that update their metadata: write, fsync, again",
        changed=f"{rounds} rounds of a record of 8 KiB from each process, and a header of 512 B.",
        run=writer.script,
        results=("events.log", "header"),
    )


def bursts(scale: str, *, ranks: int, steps: int, compute: float) -> Kernel:
    """Long computing with short checkpoints, a file for each process; only the last two are kept."""
    request, requests, kept = 160 * KIB, 4, 2
    writer = Writer(ranks)
    for step in range(steps):
        writer.compute(compute)
        writer.barrier()
        for rank in range(ranks):
            name = f"ckpt{rank}"
            writer.write_file(name, f"ckpt.{step}.{rank}", request, count=requests, ranks=rank)
            if step >= kept:
                writer.unlink(f"ckpt.{step - kept}.{rank}", ranks=rank)
    return Kernel(
        name="bursts",
        scale=scale,
        title="long computing with short bursts of checkpoints",
        source="defensive checkpoints: a file for each process and step, the last two kept",
        changed=f"{steps} steps.",
        run=writer.script,
        results=tuple(f"ckpt.{step}.{rank}" for step in range(steps - kept, steps) for rank in range(ranks)),
    )
