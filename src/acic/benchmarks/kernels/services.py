"""Applications for a test: data that programs start from, look up, log, and hand over to others."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def lookup(scale: str, *, ranks: int, queries: int, size: int, index: int) -> Kernel:
    """A search in an index on disk: lists anywhere in one file, one after the other, nothing computed in between."""
    draw = random.Random(11)  # noqa: S311  # the same on every machine
    places = draw.sample(range(index // size), ranks * queries)
    writer = Writer(ranks)
    writer.open("index", "vectors.ivf", write=False)
    for number, place in enumerate(places):
        writer.read("index", place * size, size, ranks=number // queries)
    writer.close("index")
    return Kernel(
        name="lookup",
        scale=scale,
        title="a search in an index on disk: lists anywhere in one file",
        source="vector search on disk (FAISS's on-disk inverted lists, DiskANN) by several servers",
        changed=f"{queries} lists of {size // KIB} KiB for a process, of an index of {index // MIB} MiB.",
        run=writer.script,
        prepares=prepared(ranks, [("vectors.ivf", index)]),
    )


def weights(scale: str, *, ranks: int, calls: int, compute: float) -> Kernel:
    """A sharded model is loaded: each process reads its own part of one file, then computes."""
    request = 2 * MIB
    share = calls * request
    writer = Writer(ranks)
    writer.open("w", "model.safetensors", write=False)
    for rank in range(ranks):
        writer.read("w", rank * share, request, count=calls, ranks=rank)
    writer.close("w")
    writer.compute(compute)
    return Kernel(
        name="weights",
        scale=scale,
        title="a sharded model is loaded: each process its part of one file",
        source="tensor-parallel servers of language models that read slices of a safetensors file",
        changed=f"{share // MIB} MiB for each process.",
        run=writer.script,
        prepares=prepared(ranks, [("model.safetensors", ranks * share)]),
    )


def journal(scale: str, *, ranks: int, entries: int, size: int, compute: float) -> Kernel:
    """A log of each process: an entry behind each piece of work, which has to last before the next one is begun."""
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"j{rank}", f"journal.{rank}", ranks=rank, write=True)
    for entry in range(entries):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"j{rank}", entry * size, size, ranks=rank)
            writer.sync(f"j{rank}", ranks=rank)
    for rank in range(ranks):
        writer.close(f"j{rank}", ranks=rank)
    return Kernel(
        name="journal",
        scale=scale,
        title="a log of each process: entries that have to last before the work goes on",
        source="tasks that note what they have done (checkpointed parameter studies, message brokers, RocksDB's log)",
        changed=f"{entries} entries of {size // KIB} KiB of each process; nobody waits for another.",
        run=writer.script,
        results=tuple(f"journal.{rank}" for rank in range(ranks)),
    )


def spool(scale: str, *, ranks: int, rounds: int, calls: int, compute: float) -> Kernel:
    """Hand-over by files: half of the processes compute and write files, the others read them in the next round."""
    half, request = ranks // 2, 512 * KIB
    share = calls * request
    makers, takers = ",".join(map(str, range(half))), ",".join(map(str, range(half, ranks)))
    writer = Writer(ranks)
    for turn in range(rounds):
        writer.compute(compute, ranks=makers)
        for rank in range(half):
            writer.write_file(f"m{rank}", f"spool.{turn}.{rank}", request, count=calls, ranks=rank)
        writer.barrier()
        for rank in range(half):
            writer.read_file(f"t{rank}", f"spool.{turn}.{rank}", request, count=calls, ranks=half + rank)
        writer.compute(compute, ranks=takers)
    return Kernel(
        name="spool",
        scale=scale,
        title="a simulation hands its files over to an analysis that runs beside it",
        source="coupled workflows through files: a simulation's processes and those of its analysis, step by step",
        changed=f"{rounds} rounds of {share // MIB} MiB from each of {half} processes.",
        run=writer.script,
        results=tuple(f"spool.{turn}.{rank}" for turn in range(rounds) for rank in range(half)),
    )


def initial(scale: str, *, ranks: int, case: int, state: int, compute: float) -> Kernel:
    """A case is set up: one process reads the input for all, and each writes its state to a file of its own."""
    writer = Writer(ranks)
    writer.read_file("case", "case.in", 512 * KIB, count=case // (512 * KIB), ranks=0)
    writer.barrier()
    writer.compute(compute)
    for rank in range(ranks):
        writer.write_file(f"s{rank}", f"state.{rank}", 256 * KIB, count=state // (256 * KIB), ranks=rank)
    return Kernel(
        name="initial",
        scale=scale,
        title="a case is set up: read by one process, written by all, a file each",
        source="decomposition steps of solvers (OpenFOAM's decomposePar in parallel, CESM's initial files)",
        changed=f"An input of {case // MIB} MiB, states of {state // MIB} MiB; what is sent between them is left out.",
        run=writer.script,
        prepares=prepared(ranks, [("case.in", case)]),
        results=tuple(f"state.{rank}" for rank in range(ranks)),
    )
