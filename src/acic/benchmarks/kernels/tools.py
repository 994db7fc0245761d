"""Applications for a test: tools that search, sort, build, save, show and store."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def hmmer(scale: str, *, ranks: int, parts: int, part: int, compute: float) -> Kernel:
    """A search for profiles: each process reads the whole database, part by part, and scores each part."""
    request = 128 * KIB
    writer = Writer(ranks)
    writer.open("db", "sequences.fa", write=False)
    for number in range(parts):
        writer.read("db", number * part, request, count=part // request)
        writer.compute(compute)
    writer.close("db")
    return Kernel(
        name="hmmer",
        scale=scale,
        title="search for profiles: a database that all read whole, each in its own time",
        source="HMMER's hmmsearch started for many queries at once: each reads all sequences",
        changed=f"{parts} parts of {part // KIB} KiB; hits are left out.",
        run=writer.script,
        prepares=prepared(ranks, [("sequences.fa", parts * part)]),
    )


def samsort(scale: str, *, ranks: int, share: int, compute: float) -> Kernel:
    """Sorting: each process reads its share and writes it sorted; process 0 merges all into one file."""
    request = 512 * KIB
    writer = Writer(ranks)
    writer.open("in", "reads.bam", write=False)
    for rank in range(ranks):
        writer.read("in", rank * share, request, count=share // request, ranks=rank)
    writer.close("in")
    writer.compute(compute)
    for rank in range(ranks):
        writer.put(f"tmp.{rank}.bam", 1, share, ranks=rank)
    writer.barrier()
    writer.get("tmp.#.bam", ranks, share, ranks=0)
    writer.write_file("out", "sorted.bam", request, count=ranks * share // request, ranks=0)
    writer.barrier()
    for rank in range(ranks):
        writer.unlink(f"tmp.{rank}.bam", ranks=rank)

    return Kernel(
        name="samsort",
        scale=scale,
        title="sorting of alignments: sorted pieces of each process, merged by one",
        source="samtools sort with threads on many nodes: temporary files, one merge",
        changed=f"{share // KIB} KiB of each process; a merge reads piece after piece, and writes then.",
        run=writer.script,
        prepares=prepared(ranks, [("reads.bam", ranks * share)]),
        results=("sorted.bam",),
    )


def build(scale: str, *, ranks: int, units: int, source: int, made: int, compute: float) -> Kernel:
    """A build: each process reads sources and writes objects, file by file; process 0 links them."""
    program = 8 * MIB
    writer, before = Writer(ranks), Writer(ranks)
    for rank in range(ranks):
        before.put(f"src.{rank}.#", units, source, ranks=(rank + ranks // 2) % ranks)
    for unit in range(units):
        for rank in range(ranks):
            writer.get(f"src.{rank}.{unit}", 1, source, ranks=rank)
        writer.compute(compute)
        for rank in range(ranks):
            writer.put(f"obj.{rank}.{unit}", 1, made, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.get(f"obj.{rank}.#", units, made, ranks=0)
    writer.put("program", 1, program, ranks=0)
    return Kernel(
        name="build",
        scale=scale,
        title="building a program: sources read and objects written by all, linked by one",
        source="parallel make in a shared folder: a compiler for each source, one linker",
        changed=f"{ranks * units} sources of {source // 1000} kB, objects of {made // 1000} kB; headers are left out.",
        run=writer.script,
        prepares=before.script,
        results=("program", *(f"obj.{rank}.{unit}" for rank in range(ranks) for unit in range(units))),
    )


def fsdp(scale: str, *, ranks: int, saves: int, shard: int, compute: float) -> Kernel:
    """Training of a sharded model: each process saves its shard and syncs it; the save before is removed."""
    writer = Writer(ranks)
    for save in range(saves):
        writer.compute(compute)
        writer.barrier()
        for rank in range(ranks):
            writer.write_file(f"s{rank}", f"step{save}.{rank}.distcp", MIB, count=shard // MIB, ranks=rank, sync=True)
        writer.barrier()
        if save:
            for rank in range(ranks):
                writer.unlink(f"step{save - 1}.{rank}.distcp", ranks=rank)
    return Kernel(
        name="fsdp",
        scale=scale,
        title="saving a sharded model: a file of each process, synced, save after save",
        source="PyTorch's distributed checkpoints (FSDP): a .distcp file for each rank, fsync, the older ones removed",
        changed=f"{saves} saves, shards of {shard // MIB} MiB; metadata are left out.",
        run=writer.script,
        results=tuple(f"step{saves - 1}.{rank}.distcp" for rank in range(ranks)),
    )


def visit(scale: str, *, ranks: int, domains: int, size: int, compute: float) -> Kernel:
    """Visualisation: engines read the domains of a simulation, each several, and draw one before the next."""
    request = 256 * KIB
    files = [f"domain.{rank}.{number}.silo" for rank in range(ranks) for number in range(domains)]
    writer = Writer(ranks)
    for number in range(domains):
        for rank in range(ranks):
            name = f"d{rank}.{number}"
            writer.read_file(name, f"domain.{rank}.{number}.silo", request, count=size // request, ranks=rank)
        writer.compute(compute)
    writer.barrier()
    return Kernel(
        name="visit",
        scale=scale,
        title="visualisation: engines that each read several domains' files, and draw in between",
        source="VisIt and ParaView on files of more domains than there are engines",
        changed=f"{ranks * domains} domains of {size // MIB} MiB; pictures are left out.",
        run=writer.script,
        prepares=prepared(ranks, [(file, size) for file in files]),
    )


def sqlite(scale: str, *, ranks: int, transactions: int, pages: int, compute: float) -> Kernel:
    """A workflow's database: process 0 appends each transaction to a log and syncs it, and writes the tables once."""
    page, request = 4 * KIB, 64 * KIB
    entry = pages * page
    table = transactions * entry // request * request
    writer = Writer(ranks)
    writer.open("wal", "state.db-wal", ranks=0, write=True)
    for number in range(transactions):
        writer.compute(compute)
        writer.barrier()
        writer.write("wal", number * entry, page, count=pages, ranks=0)
        writer.sync("wal", ranks=0)
    writer.close("wal", ranks=0)
    writer.write_file("db", "state.db", request, count=table // request, ranks=0, sync=True)
    writer.unlink("state.db-wal", ranks=0)
    return Kernel(
        name="sqlite",
        scale=scale,
        title="a workflow's database: one process appends and syncs transactions, all wait",
        source="SQLite with a write-ahead log, as workflow managers (Parsl, FireWorks) keep their state",
        changed=f"{transactions} transactions of {pages} pages; the log is written back once, at the end.",
        run=writer.script,
        results=("state.db",),
    )
