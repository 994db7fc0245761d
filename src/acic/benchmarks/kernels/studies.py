"""Applications for a test: genomes, chunks of arrays, molecules, a language model and halos of galaxies."""

from __future__ import annotations

import random
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel, Told
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB


def minimap2(scale: str, *, ranks: int, index: int, chunks: int, reads: int, rounds: int, compute: float) -> Kernel:
    """Genomes: an index that all read, a part of the reads for each, sorted chunks, merged by who wrote them."""
    piece, given, block, load = 300_000, 32 * KIB, 64 * KIB, 24  # given, block: buffers of htslib
    chunk, sorted_ = reads * given, rounds * given
    merging = round(compute / load, 9)
    writer = Writer(ranks)
    writer.read_file("x", "genome.mmi", piece, count=index)
    writer.open("q", "reads.fastq.gz", write=False)
    for number, rank in product(range(chunks), range(ranks)):
        writer.read("q", (rank * chunks + number) * chunk, given, count=reads, ranks=rank)
        writer.compute(compute, ranks=rank)
        writer.write_file(f"t{rank}", f"tmp{rank}.{number}.bam", block, count=sorted_ // block, ranks=rank)
    writer.close("q")
    for rank in range(ranks):
        for number in range(chunks):
            writer.open(f"t{rank}.{number}", f"tmp{rank}.{number}.bam", ranks=rank, write=False)
        writer.open(f"o{rank}", f"sorted{rank}.bam", ranks=rank, write=True)
        for turn, number in product(range(rounds), range(chunks)):
            writer.read(f"t{rank}.{number}", turn * given, given, ranks=rank)
            writer.compute(merging, ranks=rank)
            if number == chunks - 1:
                writer.write(f"o{rank}", turn * chunks * given, block, count=chunks * given // block, ranks=rank)
        writer.close(f"o{rank}", ranks=rank)
        for number in range(chunks):
            writer.close(f"t{rank}.{number}", ranks=rank)
            writer.unlink(f"tmp{rank}.{number}.bam", ranks=rank)
    inputs = {"genome.mmi": index * piece, "reads.fastq.gz": ranks * chunks * chunk}
    results = [f"sorted{rank}.bam" for rank in range(ranks)]
    return Kernel(
        name="minimap2",
        scale=scale,
        title="genomes: an index that all read, a range of the reads for each, sorted chunks merged in turn by each",
        source="minimap2 behind bgzip -b and before samtools sort, as in parts of a lane: .mmi, tmp.NNNN.bam, a .bam",
        changed=f"An index of {index * piece / 1e6:g} MB, {chunks} chunks of {sorted_ / 1e3:.0f} kB; no .gzi, no .bai.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(results),
    )


def rechunker(scale: str, *, ranks: int, times: int, parts: int, piece: int, compute: float) -> Kernel:
    """Chunks of an array by time become chunks by place: an intermediate store, read by others, and the last one."""
    note, listed, joined = 410, 2_400, 4
    every = ranks * parts
    source, target, made = every * piece // times, joined * piece, ranks * parts // joined
    one, taken = round(compute / joined, 9), round(compute * source / target, 9)
    writer = Writer(ranks)
    for name in ("int", "out"):
        writer.put(f"{name}.zarray", 1, note, ranks=0)
    writer.barrier()
    for name in ("in", "int", "out"):
        writer.get(f"{name}.zarray", 1, note, ranks="*")
    for number, rank in product(range(times), range(ranks)):
        writer.get(f"in.{rank}.{number}", 1, source, ranks=rank)
        writer.compute(taken, ranks=rank)
    for number, rank in product(range(every), range(ranks)):
        writer.compute(one, ranks=rank)
        writer.put(f"int.{rank}.{number}", 1, piece, ranks=rank)
    writer.barrier()
    for part, group, rank in product(range(parts), range(ranks), range(ranks)):
        writer.get(f"int.{group}.{rank * parts + part}", 1, piece, ranks=rank)
        writer.compute(one, ranks=rank)
    for number, rank in product(range(made), range(ranks)):
        writer.compute(compute, ranks=rank)
        writer.put(f"out.{rank}.{number}", 1, target, ranks=rank)
    writer.barrier()
    writer.put("out.zmetadata", 1, listed, ranks=0)
    for group in range(ranks):
        writer.unlink(f"int.{group}.#", every, ranks=0)
    inputs = {"in.zarray": note, **{f"in.{rank}.{n}": source for rank, n in product(range(ranks), range(times))}}
    chunks = [f"out.{rank}.{number}" for rank, number in product(range(ranks), range(made))]
    results = ["int.zarray", "out.zarray", "out.zmetadata", *chunks]
    return Kernel(
        name="rechunker",
        scale=scale,
        title="chunks of an array by time, rewritten as chunks by place through a store between, which is then removed",
        source="Pangeo's rechunker on Zarr: source, intermediate and target store, files of one chunk, .zarray files",
        changed=(
            f"{ranks * times} chunks of {source // 1000} kB, {ranks * every} between, one task of each process and "
            "stage."
        ),
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(results),
        told=Told(example="int.zarray"),  # not in.zarray, which was there before
    )


def lammps(scale: str, *, ranks: int, frames: int, atoms: int, groups: int, compute: float) -> Kernel:
    """Molecules: frames by one process of each group, restarts by one into two files in turn, a log that is flushed."""
    buffer, line, thermo, kept = 4 * KIB, 120, 4, 3  # thermo: lines for a frame; kept: frames for a restart
    given = ranks * atoms * 100 // buffer  # requests
    text, state, group, steps, saves = atoms * 60, atoms * 94, ranks // groups, frames * thermo, frames // kept
    writer = Writer(ranks)
    writer.read_file("d", "data.lammps", buffer, count=given, ranks=0)
    writer.open("log", "log.lammps", ranks=0, write=True)
    for first in range(0, ranks, group):
        writer.open(f"d{first}", f"dump.{first // group}.lammpstrj", ranks=first, write=True)
    for step in range(steps):
        writer.compute(compute)
        writer.barrier()
        writer.write("log", step * line, line, ranks=0)
        frame, rest = divmod(step + 1, thermo)
        if rest:
            continue
        for first in range(0, ranks, group):
            writer.write(f"d{first}", (frame - 1) * group * text, text, count=group, ranks=first)
        save, rest = divmod(frame, kept)
        if rest == 0:
            writer.write_file("r", f"restart.{'ba'[save % 2]}", state, count=ranks, ranks=0)
    writer.close("log", ranks=0)
    for first in range(0, ranks, group):
        writer.close(f"d{first}", ranks=first)
    dumps = [f"dump.{number}.lammpstrj" for number in range(groups)]
    results = [*dumps, "restart.a", "restart.b", "log.lammps"]
    return Kernel(
        name="lammps",
        scale=scale,
        title="molecules: frames from one process of each group, restarts from one, into two files in turn, and a log",
        source="LAMMPS: read_data, dump custom with nfile, restart a b, thermo lines that are flushed",
        changed=f"{ranks * atoms} atoms, {frames} frames, {saves} restarts; gathering and headers are left out.",
        run=writer.script,
        prepares=prepared(ranks, [("data.lammps", given * buffer)]),
        results=tuple(results),
    )


def megatron(scale: str, *, ranks: int, saves: int, steps: int, tensors: int, tensor: int, compute: float) -> Kernel:
    """A language model: goes on from shards, reads samples anywhere in a file, saves synced shards and small files."""
    tokens, samples, index, ahead = 16 * KIB, 4, 5, 128 * KIB  # samples: of a process in a step
    common, listed, tracker, sample, total = 24_000, 60_000, 7, tokens + 2, 1_500  # total: samples of the file
    small, turns = {"common.pt": common, "metadata": listed}, saves * steps
    draw = random.Random(50)  # noqa: S311  # the same on every machine
    places = draw.sample(range(total), ranks * turns * samples)
    writer = Writer(ranks)
    writer.read_file("i", "text.idx", ahead, count=index)
    for file, size in small.items():
        writer.get(f"0.{file}", 1, size, ranks="*")
    for rank in range(ranks):
        writer.read_file(f"s{rank}", f"0.{rank}.distcp", tensor, count=tensors, ranks=rank)
    for turn in range(turns):
        for number in range(turn * ranks * samples, (turn + 1) * ranks * samples):
            rank = number % ranks
            writer.open(f"t{rank}", "text.bin", ranks=rank, write=False)
            writer.read(f"t{rank}", places[number] * tokens, sample, ranks=rank)
            writer.close(f"t{rank}", ranks=rank)
        writer.compute(compute)
        writer.barrier()
        save, rest = divmod(turn + 1, steps)
        if rest:
            continue
        writer.put(f"{save}.common.pt", 1, common, ranks=0)
        for rank in range(ranks):
            writer.write_file(f"s{rank}", f"{save}.{rank}.distcp", tensor, count=tensors, ranks=rank, sync=True)
        writer.barrier()
        writer.write_file("m", f"{save}.metadata", listed, ranks=0, sync=True)
        writer.write_file("l", "latest.txt", tracker, ranks=0)
        if save > 1:
            writer.unlink(f"{save - 1}.#.distcp", ranks, ranks=0)
            for file in small:
                writer.unlink(f"{save - 1}.{file}", ranks=0)
    shards = [f"{rank}.distcp" for rank in range(ranks)]
    inputs = {f"0.{file}": each for file, each in (dict.fromkeys(shards, tensors * tensor) | small).items()}
    inputs |= {"text.idx": index * ahead, "text.bin": (total - 1) * tokens + sample}
    results = [*(f"{saves}.{file}" for file in (*shards, *small)), "latest.txt"]
    return Kernel(
        name="megatron",
        scale=scale,
        title="a language model goes on: shards loaded, samples anywhere in a file, shards and small files saved",
        source="Megatron-LM: torch_dist with fsync and a tracker, IndexedDataset without mmap; NeMo removes old ones",
        changed=f"{saves} saves of {tensors} tensors by one writer of each; the index is read, not mapped.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(results),
    )


def rockstar(scale: str, *, ranks: int, snapshots: int, readers: int, particles: int, compute: float) -> Kernel:
    """Halos: some read blocks of particles for all, each finds halos beside those that it and neighbours left."""
    printed, lines, half, row, wide = 4 * KIB, 15, 40_000, 60_000, 4  # wide: chunks along the box, two high and deep
    touch = [[chunk for chunk in range(ranks) if (chunk - rank) % wide != wide // 2] for rank in range(ranks)]
    near = len(touch[0])
    vector, number = 12 * particles, 4 * particles
    writer = Writer(ranks)
    for snap in range(snapshots):
        for rank in range(readers):
            writer.open(f"b{rank}", f"snap{snap}.{rank}", ranks=rank, write=False)
            writer.read(f"b{rank}", 0, vector, count=2, ranks=rank)
            writer.read(f"b{rank}", 2 * vector, number, ranks=rank)
            writer.close(f"b{rank}", ranks=rank)
        writer.barrier()
        for step in range(near):
            writer.compute(compute)
            for rank in range(ranks if snap else 0):
                chunk = f"halos{snap - 1}.{touch[rank][step]}.bin"
                writer.read_file(f"l{rank}", chunk, half, count=2, ranks=rank)
        for rank in range(ranks):
            writer.write_file(f"a{rank}", f"halos{snap}.{rank}.ascii", printed, count=lines, ranks=rank)
            writer.write_file(f"h{rank}", f"halos{snap}.{rank}.bin", half, count=2, ranks=rank)
        if snap:
            writer.open("c", f"out{snap - 1}.list", ranks=0, write=True)
            writer.close("c", ranks=0)
            writer.barrier()
            writer.open("c", f"out{snap - 1}.list", write=True)
            for rank in range(ranks):
                writer.write("c", rank * row, row, ranks=rank)
            writer.close("c")
            for rank in range(ranks):
                writer.unlink(f"halos{snap - 1}.{rank}.bin", ranks=rank)
        writer.barrier()
    later, block = snapshots - 1, 2 * vector + number
    inputs = {f"snap{snap}.{rank}": block for snap, rank in product(range(snapshots), range(readers))}
    halos = [f"halos{snap}.{rank}.ascii" for snap, rank in product(range(snapshots), range(ranks))]
    last = [f"halos{later}.{rank}.bin" for rank in range(ranks)]
    results = [*halos, *last, *(f"out{snap}.list" for snap in range(later))]
    return Kernel(
        name="rockstar",
        scale=scale,
        title="halos: blocks read by some for all, halos of each and of neighbours read in the next step, one list",
        source="Rockstar and MPI-Rockstar: NUM_READERS, halos_N.M.ascii and .bin, out_N.list at places of each chunk",
        changed=f"{snapshots} snapshots, {readers} blocks; .bin files are read once, without headers; no last list.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(results),
    )
