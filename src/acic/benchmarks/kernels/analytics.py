"""Applications for a test: data grouped, asked, joined, copied, and a sweep over parameters."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def kmeans(scale: str, *, ranks: int, passes: int, calls: int, compute: float) -> Kernel:
    """Grouping: each process reads its part of the points anew in each pass; one writes the centres."""
    request = 256 * KIB
    share = calls * request
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"p{rank}", f"points.{rank}", ranks=rank, write=False)
    for _ in range(passes):
        for rank in range(ranks):
            writer.read(f"p{rank}", 0, request, count=calls, ranks=rank)
        writer.compute(compute)
        writer.barrier()
    for rank in range(ranks):
        writer.close(f"p{rank}", ranks=rank)
    writer.put("centres", 1, request, ranks=0)
    return Kernel(
        name="kmeans",
        scale=scale,
        title="grouping: points that are read anew in each pass, a sum of all behind it",
        source="k-means and gradient boosting out of memory (Mahout, XGBoost's external memory), an epoch of training",
        changed=f"{passes} passes over {share // MIB} MiB of each process.",
        run=writer.script,
        prepares=prepared(ranks, [(f"points.{rank}", share) for rank in range(ranks)]),
        results=("centres",),
    )


def parquet(scale: str, *, ranks: int, files: int, wanted: int, chunk: int, compute: float) -> Kernel:
    """A query: each process reads the end of each of its files, then some columns of it, and computes."""
    footer, columns = 16_000, 2 * wanted
    size = columns * chunk + footer
    writer = Writer(ranks)
    names = [[f"part-{rank}-{number}.parquet" for number in range(files)] for rank in range(ranks)]
    for number in range(files):
        for rank in range(ranks):
            name = f"q{rank}"
            writer.open(name, names[rank][number], ranks=rank, write=False)
            writer.read(name, columns * chunk, footer, ranks=rank)
            writer.read(name, 0, chunk, count=wanted, stride=2 * chunk, ranks=rank)
            writer.close(name, ranks=rank)
        writer.compute(compute)
    every = [name for mine in names for name in mine]
    return Kernel(
        name="parquet",
        scale=scale,
        title="a query of columns: the end of each file first, then every second column",
        source="Parquet and ORC files read by Dask, Spark or DuckDB from a shared file system",
        changed=f"{files} files of each process, {wanted} of {columns} columns of {chunk // 1000} kB.",
        run=writer.script,
        prepares=prepared(ranks, [(name, size) for name in every]),
    )


def concat(scale: str, *, ranks: int, files: int, calls: int) -> Kernel:
    """Files of records joined by one process into one, while the others of the job wait."""
    request = MIB
    share = calls * request
    writer = Writer(ranks)
    writer.open("all", "all.nc", ranks=0, write=True)
    for number in range(files):
        writer.read_file("one", f"day.{number}.nc", request, count=calls, ranks=0)
        writer.write("all", number * share, request, count=calls, ranks=0)
    writer.close("all", ranks=0)
    writer.barrier()
    names = [f"day.{number}.nc" for number in range(files)]
    return Kernel(
        name="concat",
        scale=scale,
        title="files joined into one by one process",
        source="ncrcat, cdo mergetime, cat: post-processing at the end of a job",
        changed=f"{files} files of {share // MIB} MiB.",
        run=writer.script,
        prepares=prepared(ranks, [(name, share) for name in names]),
        results=("all.nc",),
    )


def dcp(scale: str, *, ranks: int, turns: int, chunk: int) -> Kernel:
    """A large file copied by all processes: chunk after chunk, each the next one that is left."""
    size = turns * ranks * chunk
    writer = Writer(ranks)
    writer.open("to", "copy.tar", ranks=0, write=True)
    writer.close("to", ranks=0)
    writer.barrier()
    writer.open("from", "archive.tar", write=False)
    writer.open("to", "copy.tar", write=True)
    for turn in range(turns):
        for rank in range(ranks):
            place = (turn * ranks + rank) * chunk
            writer.read("from", place, chunk, ranks=rank)
            writer.write("to", place, chunk, ranks=rank)
    writer.close("to")
    writer.close("from")
    return Kernel(
        name="dcp",
        scale=scale,
        title="a large file copied by all processes, chunk by chunk",
        source="mpiFileUtils' dcp within one file system",
        changed=f"{turns * ranks} chunks of {chunk // KIB} KiB, dealt out in turn.",
        run=writer.script,
        prepares=prepared(ranks, [("archive.tar", size)]),
        results=("copy.tar",),
    )


def sweep(scale: str, *, ranks: int, table: int, result: int, compute: float) -> Kernel:
    """Tasks side by side: each reads the same table whole, computes, and writes a result of its own."""
    request = 512 * KIB
    writer = Writer(ranks)
    writer.read_file("t", "cross-sections.dat", request, count=table // request)
    writer.compute(compute)
    for rank in range(ranks):
        writer.put(f"run.{rank}.out", 1, result, ranks=rank)
    return Kernel(
        name="sweep",
        scale=scale,
        title="tasks side by side: a table that each reads whole, a result of each",
        source="arrays of Monte Carlo runs (OpenMC, Geant4) with one library of data",
        changed=f"A table of {table // MIB} MiB, results of {result // 1000} kB.",
        run=writer.script,
        prepares=prepared(ranks, [("cross-sections.dat", table)]),
        results=tuple(f"run.{rank}.out" for rank in range(ranks)),
    )
