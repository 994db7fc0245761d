"""Applications for a test that read what was there before."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB


def h5read(scale: str, *, ranks: int, steps: int, size: int, compute: float) -> Kernel:
    """h5bench: datasets of particles read collectively, step by step."""
    datasets = 8
    array = ranks * size
    writer = Writer(ranks)
    writer.open("h5", "particles.h5", write=False, mpiio=True)
    for step in range(steps):
        for dataset in range(datasets):
            first = (step * datasets + dataset) * array
            writer.read_all("h5", [(first + rank * size, size) for rank in range(ranks)])
        writer.compute(compute)
        writer.barrier()
    writer.close("h5")
    return Kernel(
        name="h5read",
        scale=scale,
        title="h5bench: time steps of particles read by all, collective",
        source="the log h5bench_read_1d_full: five steps, eight datasets, each process a contiguous part",
        changed=f"MPI-IO calls as HDF5 makes them; {steps} steps, {size // KIB} KiB of each dataset for a process.",
        run=writer.script,
        prepares=prepared(ranks, [("particles.h5", steps * datasets * array)]),
    )


def samples(scale: str, *, ranks: int, each: int, size: int, compute: float) -> Kernel:
    """Training of a network: samples, a file each, read whole in any order, with computing behind each."""
    order = [(rank, number) for rank in range(ranks) for number in range(each)]
    random.Random(22).shuffle(order)  # noqa: S311  # the same on every machine
    writer, made = Writer(ranks), Writer(ranks)
    made.mkdir("samples", ranks=0)
    made.barrier()
    for rank in range(ranks):
        made.put(f"samples/{rank}.#", each, size, ranks=rank)
    for number in range(each):
        for rank in range(ranks):
            owner, own = order[number * ranks + rank]
            writer.get(f"samples/{owner}.{own}", 1, size, ranks=rank)
        writer.compute(compute)
    return Kernel(
        name="samples",
        scale=scale,
        title="training of a network: samples read whole, in any order",
        source="DLIO and MLPerf Storage: a file for each sample, shuffled, computing behind each",
        changed=f"{ranks * each} samples of {size // KIB} KiB, one epoch.",
        run=writer.script,
        prepares=made.script,
    )


def slices(scale: str, *, ranks: int, steps: int, count: int, request: int, compute: float) -> Kernel:
    """Post-processing: every second process reads its columns of a file, row after row, and renders them."""
    readers = ranks // 2
    mine = count * request
    writer = Writer(ranks)
    writer.open("grid", "grid", write=False)
    for step in range(steps):
        for one in range(readers):
            place = step * readers * mine + one * request
            writer.read("grid", place, request, count=count, stride=readers * request, ranks=2 * one)
        writer.compute(compute)
    writer.close("grid")
    return Kernel(
        name="slices",
        scale=scale,
        title="post-processing: columns of a grid read by half of the processes",
        source="visualisation of simulations: slabs of an array that was stored row by row",
        changed=f"{steps} time steps, {count} rows of {request // KIB} KiB for each reader.",
        run=writer.script,
        prepares=prepared(ranks, [("grid", steps * readers * mine)]),
    )


def seismic(scale: str, *, ranks: int, shots: int, traces: int, trace: int, compute: float) -> Kernel:
    """Migration: each process reads its traces of every shot, spread over the file, and adds them to an image."""
    image, line = 4_194_000, 699_000
    writer = Writer(ranks)
    writer.open("segy", "shots.segy", write=False)
    for shot in range(shots):
        for rank in range(ranks):
            place = (shot * traces * ranks + rank) * trace
            writer.read("segy", place, trace, count=traces, stride=ranks * trace, ranks=rank)
        writer.compute(compute)
    writer.close("segy")
    writer.barrier()
    writer.write_file("image", "image", line, count=image // line, ranks=0)
    return Kernel(
        name="seismic",
        scale=scale,
        title="seismic migration: traces dealt to the processes, an image written by one",
        source="the log app_strided: strided reads of a shared file; SEG-Y traces, dealt in turn",
        changed=f"{shots} shots of {ranks * traces} traces of {trace // KIB} KiB.",
        run=writer.script,
        prepares=prepared(ranks, [("shots.segy", shots * traces * ranks * trace)]),
        results=("image",),
    )
