"""Applications for a test: tools that search, sort, build, save, show and store."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.phases import posix, workload
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB
from acic.workloads import Operation, Phase


def hmmer(scale: str, *, ranks: int, parts: int, part: int, compute: float) -> Kernel:
    """A search for profiles: each process reads the whole database, part by part, and scores each part."""
    request = 128 * KIB
    writer = Writer(ranks)
    writer.open("db", "sequences.fa", write=False)
    for number in range(parts):
        writer.read("db", number * part, request, count=part // request)
        writer.compute(compute)
    writer.close("db")
    found = posix(
        Operation.READ,
        "sequences.fa",
        processes=ranks,
        iterations=parts,
        data_size=part,
        request_size=request,
        shared=True,
        pause=compute,
        over=ranks,
        contiguous=True,
    )
    return Kernel(
        name="hmmer",
        scale=scale,
        title="search for profiles: a database that all read whole, each in its own time",
        source="HMMER's hmmsearch started for many queries at once: each reads all sequences",
        changed=f"{parts} parts of {part // KIB} KiB; hits are left out.",
        processes=ranks,
        workload=workload("hmmer", ranks, found),
        run=writer.script,
        prepares=prepared(ranks, [("sequences.fa", parts * part)]),
        inputs=("sequences.fa",),
        compute=parts * compute,
        bytes_moved=found.bytes,
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

    def one(operation: Operation, example: str, *, writers: int, parts: int, size: int, request: int) -> Phase:
        return posix(
            operation,
            example,
            processes=ranks,
            io_processes=writers,
            iterations=parts,
            data_size=size,
            request_size=request,
            shared=example == "reads.bam",
            files=ranks if example.startswith("tmp") else 1,
            opens=2 * ranks if example.startswith("tmp") else 0,
            others=operation is Operation.READ and example.startswith("tmp"),
        )

    phases = [
        one(Operation.READ, "reads.bam", writers=ranks, parts=1, size=share, request=request),
        one(Operation.WRITE, "tmp.0.bam", writers=ranks, parts=1, size=share, request=share),
        one(Operation.READ, "tmp.0.bam", writers=1, parts=ranks, size=share, request=share),
        one(Operation.WRITE, "sorted.bam", writers=1, parts=1, size=ranks * share, request=request),
    ]
    return Kernel(
        name="samsort",
        scale=scale,
        title="sorting of alignments: sorted pieces of each process, merged by one",
        source="samtools sort with threads on many nodes: temporary files, one merge",
        changed=f"{share // KIB} KiB of each process; a merge reads piece after piece, and writes then.",
        processes=ranks,
        workload=workload("samsort", ranks, *phases),
        run=writer.script,
        prepares=prepared(ranks, [("reads.bam", ranks * share)]),
        inputs=("reads.bam",),
        results=("sorted.bam",),
        compute=compute,
        bytes_moved=sum(one.bytes for one in phases),
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
    own = [
        posix(
            operation,
            example,
            processes=ranks,
            iterations=units,
            data_size=size,
            request_size=size,
            shared=False,
            files=ranks * units,
            pause=compute,
            opens=2 * ranks * units if operation is Operation.WRITE else 0,
        )
        for operation, example, size in ((Operation.READ, "src.0.0", source), (Operation.WRITE, "obj.0.0", made))
    ]
    linking = [
        posix(
            operation,
            example,
            processes=ranks,
            io_processes=1,
            iterations=files,
            data_size=size,
            request_size=size,
            shared=False,
            files=files,
            opens=2 * files if operation is Operation.READ else 0,
            others=operation is Operation.READ,
        )
        for operation, example, files, size in (
            (Operation.READ, "obj.0.0", ranks * units, made),
            (Operation.WRITE, "program", 1, program),
        )
    ]
    return Kernel(
        name="build",
        scale=scale,
        title="building a program: sources read and objects written by all, linked by one",
        source="parallel make in a shared folder: a compiler for each source, one linker",
        changed=f"{ranks * units} sources of {source // 1000} kB, objects of {made // 1000} kB; headers are left out.",
        processes=ranks,
        workload=workload("build", ranks, *own, *linking),
        run=writer.script,
        prepares=before.script,
        inputs=tuple(f"src.{rank}.{unit}" for rank in range(ranks) for unit in range(units)),
        results=("program", *(f"obj.{rank}.{unit}" for rank in range(ranks) for unit in range(units))),
        compute=units * compute,
        bytes_moved=sum(one.bytes for one in (*own, *linking)),
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
    found = posix(
        Operation.WRITE,
        "step0.0.distcp",
        processes=ranks,
        iterations=saves,
        data_size=shard,
        request_size=MIB,
        shared=False,
        files=saves * ranks,
        pause=compute,
        syncs=saves * ranks,
    )
    return Kernel(
        name="fsdp",
        scale=scale,
        title="saving a sharded model: a file of each process, synced, save after save",
        source="PyTorch's distributed checkpoints (FSDP): a .distcp file for each rank, fsync, the older ones removed",
        changed=f"{saves} saves, shards of {shard // MIB} MiB; metadata are left out.",
        processes=ranks,
        workload=workload("fsdp", ranks, found),
        run=writer.script,
        results=tuple(f"step{saves - 1}.{rank}.distcp" for rank in range(ranks)),
        compute=saves * compute,
        bytes_moved=found.bytes,
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
    found = posix(
        Operation.READ,
        files[0],
        processes=ranks,
        iterations=domains,
        data_size=size,
        request_size=request,
        shared=False,
        files=ranks * domains,
        pause=compute,
    )
    return Kernel(
        name="visit",
        scale=scale,
        title="visualisation: engines that each read several domains' files, and draw in between",
        source="VisIt and ParaView on files of more domains than there are engines",
        changed=f"{ranks * domains} domains of {size // MIB} MiB; pictures are left out.",
        processes=ranks,
        workload=workload("visit", ranks, found),
        run=writer.script,
        prepares=prepared(ranks, [(file, size) for file in files]),
        inputs=tuple(files),
        compute=domains * compute,
        bytes_moved=found.bytes,
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
    phases = [
        posix(
            Operation.WRITE,
            example,
            processes=ranks,
            io_processes=1,
            iterations=iterations,
            data_size=size,
            request_size=each,
            shared=False,
            pause=pause,
            syncs=iterations,
        )
        for example, iterations, size, each, pause in (
            ("state.db-wal", transactions, entry, page, compute),
            ("state.db", 1, table, request, 0.0),
        )
    ]
    return Kernel(
        name="sqlite",
        scale=scale,
        title="a workflow's database: one process appends and syncs transactions, all wait",
        source="SQLite with a write-ahead log, as workflow managers (Parsl, FireWorks) keep their state",
        changed=f"{transactions} transactions of {pages} pages; the log is written back once, at the end.",
        processes=ranks,
        workload=workload("sqlite", ranks, *phases),
        run=writer.script,
        results=("state.db",),
        compute=transactions * compute,
        bytes_moved=sum(one.bytes for one in phases),
    )
