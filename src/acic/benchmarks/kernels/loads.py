"""Applications for a test: programs and models loaded, data shuffled, and drawn at random."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def imports(scale: str, *, ranks: int, modules: int, size: int, compute: float) -> Kernel:
    """A start of Python: each process opens and reads the same modules, one after the other, then computes."""
    writer, before = Writer(ranks), Writer(ranks)
    for rank in range(ranks):
        before.put(f"site.{rank}.#.py", modules // ranks, size, ranks=rank)
    for rank in range(ranks):
        writer.get(f"site.{rank}.#.py", modules // ranks, size, ranks="*")
    writer.compute(compute)
    return Kernel(
        name="imports",
        scale=scale,
        title="a start of Python on all nodes: the same small files read by every process",
        source="mpi4py programs that import packages from a shared folder (Pynamic; Frings et al., SC13)",
        changed=f"{modules} modules of {size // 1000} kB; searches along the path are left out.",
        run=writer.script,
        prepares=before.script,
    )


def inference(scale: str, *, ranks: int, weights: int, compute: float) -> Kernel:
    """A service starts: each process reads all weights of a model, and answers what it is asked first."""
    writer = Writer(ranks)
    writer.read_file("m", "model.safetensors", MIB, count=weights // MIB)
    writer.compute(compute)
    return Kernel(
        name="inference",
        scale=scale,
        title="a model is loaded: a file that every process reads whole, then some computing",
        source="servers of language models (vLLM, Triton) that start on several nodes at once",
        changed=f"{weights // MIB} MiB of weights; they are read, not mapped.",
        run=writer.script,
        prepares=prepared(ranks, [("model.safetensors", weights)]),
    )


def shuffle(scale: str, *, ranks: int, part: int, compute: float) -> Kernel:
    """A shuffle: each process writes a part for each other one, and reads those that are for it."""
    writer = Writer(ranks)
    writer.compute(compute)
    for rank in range(ranks):
        writer.put(f"shuffle.{rank}.#", ranks, part, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        for other in range(ranks):
            writer.get(f"shuffle.{other}.{rank}", 1, part, ranks=rank)
    writer.compute(compute)
    for rank in range(ranks):
        writer.put(f"part-{rank:05}", 1, ranks * part, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.unlink(f"shuffle.{rank}.#", ranks, ranks=rank)
    return Kernel(
        name="shuffle",
        scale=scale,
        title="a shuffle: a file from each process for each other one, written, then read by those",
        source="Spark's and Dask's shuffles through a shared file system, without consolidation",
        changed=f"Parts of {part // 1000} kB; sorting is computing.",
        run=writer.script,
        results=tuple(f"part-{rank:05}" for rank in range(ranks)),
    )


def deepcam(scale: str, *, ranks: int, batches: int, samples: int, size: int, file_size: int, compute: float) -> Kernel:
    """Training on one large file: samples anywhere in it, batch after batch, computing behind each; one saves."""
    model = 8 * MIB
    draw = random.Random(7)  # noqa: S311  # the same on every machine
    places = draw.sample(range(file_size // size), ranks * batches * samples)
    writer = Writer(ranks)
    writer.open("h5", "train.h5", write=False)
    for batch in range(batches):
        for rank in range(ranks):
            first = (rank * batches + batch) * samples
            for place in places[first : first + samples]:
                writer.read("h5", place * size, size, ranks=rank)
        writer.compute(compute)
        writer.barrier()
    writer.close("h5")
    writer.write_file("pt", "model.pt", MIB, count=model // MIB, ranks=0)
    return Kernel(
        name="deepcam",
        scale=scale,
        title="training from one HDF5 file: samples anywhere in it, all wait for one another at each batch",
        source="MLPerf HPC's DeepCAM and CosmoFlow with samples in one file; gradients are summed behind each batch",
        changed=f"{batches} batches of {samples} samples of {size // KIB} KiB for a process, one epoch.",
        run=writer.script,
        prepares=prepared(ranks, [("train.h5", file_size)]),
        results=("model.pt",),
    )
