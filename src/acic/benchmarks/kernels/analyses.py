"""Applications that read: sequence search and assembly, and matrices that do not fit into memory."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB

DOUBLE = 8  # B


def madbench2(scale: str, *, ranks: int, pixels: int, compute: float, unique: bool = False) -> Kernel:
    """MADbench2: matrices written (S), read and written again (W), and read (C), each with its part of computing.

    Args:
        scale: of the kernel.
        ranks: how many processes.
        pixels: rows and columns of a matrix.
        compute: processor time of each rank for each matrix in each of S, W and C, s.
        unique: a file for each process and POSIX, for a shared one and MPI-IO.
    """
    matrices = 6
    mine = pixels**2 * DOUBLE // ranks
    paths = [f"data_{rank}" for rank in range(ranks)] if unique else ["data"]
    writer = Writer(ranks)
    if unique:
        for rank, path in enumerate(paths):
            writer.open(f"data{rank}", path, ranks=rank, write=True)
    else:
        writer.open("data", paths[0], write=True, mpiio=True)
    for function in ("S", "W", "C"):
        for matrix in range(matrices):
            for rank in range(ranks):
                name, start = (f"data{rank}", 0) if unique else ("data", rank * matrices * mine)
                place = start + matrix * mine
                if function != "S":
                    writer.read(name, place, mine, ranks=rank)
                writer.compute(compute, rank)
                if function != "C":
                    writer.write(name, place, mine, ranks=rank)
        writer.barrier()
    for rank in range(ranks if unique else 0):
        writer.close(f"data{rank}", ranks=rank)
        writer.unlink(paths[rank], ranks=rank)
    if not unique:
        writer.close("data")
        writer.unlink("data", ranks=0)
    name = "madbench2-unique" if unique else "madbench2"
    return Kernel(
        name=name,
        scale=scale,
        title=f"MADbench2: matrices written and read again, {'a file each' if unique else 'a shared file'}",
        source=(
            "ACIC (SC13, section 5.1: written and read, accessed four times) and the log madbench2_"
            + ("POSIX_UNIQUE" if unique else "MPI_SHARED")
        ),
        changed=(
            f"{matrices} matrices of {pixels}^2 numbers; the file is scratch, removed at the end"
            + ("; POSIX, where the log's program uses the C library." if unique else ".")
        ),
        run=writer.script,
    )


def mpiblast(scale: str, *, ranks: int, segment: int, compute: float) -> Kernel:
    """mpiBLAST: segments of a database, dealt to the processes, read and searched; process 0 writes what was found."""
    segments, request, found_bytes = 32, 128 * KIB, 256 * KIB
    each = segments // ranks
    writer = Writer(ranks)
    writer.open("db", "database", write=False)
    for number in range(each):
        for rank in range(ranks):
            place = (number * ranks + rank) * segment
            writer.read("db", place, request, count=segment // request, ranks=rank)
        writer.compute(compute)
    writer.close("db")
    writer.barrier()
    writer.write_file("out", "blast.out", 64 * KIB, count=found_bytes // (64 * KIB), ranks=0)
    return Kernel(
        name="mpiblast",
        scale=scale,
        title="mpiBLAST: segments of a database, read by all and searched",
        source="ACIC (SC13, section 5.1): a database in 32 segments, read by all processes (virtual fragments), POSIX",
        changed=f"Segments of {segment // MIB} MiB for 2.6 GB, read 128 KiB at a time; results of 256 KiB.",
        run=writer.script,
        prepares=prepared(ranks, [("database", segments * segment)]),
        results=("blast.out",),
    )


def abyss(scale: str, *, ranks: int, requests: int, compute: float) -> Kernel:
    """ABySS-P: processes 0 and 1 each read a file in small requests; then all assemble, and write two small files."""
    request, contigs = 8191, 96 * KIB
    inputs = ("reads1.fastq", "reads2.fastq")
    writer = Writer(ranks)
    for reader, path in enumerate(inputs):
        writer.open(f"reads{reader}", path, ranks=reader, write=False)
    for reader in range(2):
        writer.read(f"reads{reader}", 0, request, count=requests, ranks=reader)
        writer.close(f"reads{reader}", ranks=reader)
    writer.barrier()
    writer.compute(compute)
    for rank in range(ranks):
        for kind in ("contigs", "bubbles"):
            writer.put(f"{kind}-{rank}.fa", 1, contigs, ranks=rank)
    writer.barrier()
    writer.put("contigs.fa", 1, ranks * contigs, ranks=0)
    for rank in range(ranks):
        for kind in ("contigs", "bubbles"):
            writer.unlink(f"{kind}-{rank}.fa", ranks=rank)
    return Kernel(
        name="abyss",
        scale=scale,
        title="ABySS-P: two processes read in requests of 8 KiB, the others wait",
        source="The EC2 test bed (section 4.2, table 1): requests of 8191 B, a file for each of two processes",
        changed=(
            f"{requests} requests for 2,135,744 of each; POSIX, where ABySS reads through the C library; the two files "
            f"of each process have {contigs // KIB} KiB and go at the end."
        ),
        run=writer.script,
        prepares=prepared(ranks, [(path, requests * request) for path in inputs]),
        results=("contigs.fa",),
    )
