"""Applications for a test: trajectories, speech, maps in tiles, a store of keys and tasks in containers."""

from __future__ import annotations

import random

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared


def cpptraj(scale: str, *, ranks: int, frames: int, atoms: int, kept: int, sections: int, compute: float) -> Kernel:
    """Trajectories: frames read one by one, stripped of water and written, independent; a topology that all read."""
    section, size, whole, dry, total = 100_000, sections * 100_000, atoms * 12, kept * 12, ranks * frames
    writer = Writer(ranks)
    writer.read_file("p", "parm7", section, count=sections)
    writer.open("r", "md.nc", write=False, mpiio=True)
    writer.open("w", "dry.nc", write=True, mpiio=True)
    for frame in range(frames):
        for rank in range(ranks):
            writer.read("r", (rank * frames + frame) * whole, whole, ranks=rank)
        writer.compute(compute)
        for rank in range(ranks):
            writer.write("w", (rank * frames + frame) * dry, dry, ranks=rank)
    writer.close("r")
    writer.close("w")
    writer.barrier()
    writer.put("rmsd.dat", 1, 16 * total, ranks=0)
    return Kernel(
        name="cpptraj",
        scale=scale,
        title="trajectories: frames read one by one and written without water, a part of each process, independent",
        source="Amber's cpptraj.MPI on NetCDF: ncmpi_get_vara, ncmpi_put_vara for a frame; the prmtop is read by all",
        changed=f"{total} frames of {atoms} atoms, {kept} kept; headers and boxes are left out.",
        run=writer.script,
        prepares=prepared(ranks, [("parm7", size), ("md.nc", total * whole)]),
        results=("dry.nc", "rmsd.dat"),
    )


def kaldi(scale: str, *, ranks: int, rounds: int, batches: int, reads: int, layers: int, compute: float) -> Kernel:
    """Speech: jobs that train copies of a model on archives of their own, and one that averages what they wrote."""
    buffer, layer = 8_191, 60_000
    jobs, members, each = range(1, ranks), f"1-{ranks - 1}", ranks - 1
    batch, model = reads * buffer, (layers + 1) * layer
    averaged = round(batches * compute / each, 9)
    writer = Writer(ranks)
    for turn in range(rounds):
        writer.read_file("m", f"{turn}.mdl", layer, count=layers + 1, ranks=members)
        for rank in jobs:
            writer.open(f"e{rank}", f"egs.{turn}.{rank}.ark", ranks=rank, write=False)
        for number in range(batches):
            for rank in jobs:
                writer.read(f"e{rank}", number * batch, buffer, count=reads, ranks=rank)
            writer.compute(compute, ranks=members)
        for rank in jobs:
            writer.close(f"e{rank}", ranks=rank)
            writer.write_file(f"r{rank}", f"{turn + 1}.{rank}.raw", layer, count=layers, ranks=rank)
        writer.barrier()
        for rank in jobs:
            writer.read_file("a", f"{turn + 1}.{rank}.raw", layer, count=layers, ranks=0)
            writer.compute(averaged, ranks=0)
        writer.write_file("a", f"{turn + 1}.mdl", layer, count=layers + 1, ranks=0)
        for rank in jobs:
            writer.unlink(f"{turn + 1}.{rank}.raw", ranks=0)
        writer.barrier()
    inputs = {"0.mdl": model, **{f"egs.{turn}.{rank}.ark": batches * batch for turn in range(rounds) for rank in jobs}}
    return Kernel(
        name="kaldi",
        scale=scale,
        title="speech: a model that all but one train on archives of their own, averaged by that one, round by round",
        source="Kaldi's nnet3 training: egs.ark read as a stream, a .raw of each job, nnet3-average into the next .mdl",
        changed=f"{rounds} rounds, archives of {batches * batch / 1e6:.3g} MB, models of {model // 1000} kB; no logs.",
        run=writer.script,
        prepares=prepared(ranks, list(inputs.items())),
        results=tuple(f"{turn + 1}.mdl" for turn in range(rounds)),
    )


def gdal2tiles(scale: str, *, ranks: int, tops: int, block: int, sizes: tuple[int, ...], compute: float) -> Kernel:
    """A map: blocks of a raster become pictures, and four pictures that others made one of the next level."""
    decode, levels = round(compute / 9, 9), len(sizes)
    counts = [tops * 4 ** (levels - 1 - level) for level in range(levels)]
    writer = Writer(ranks)
    writer.open("g", "mosaic.tif", write=False)
    for tile in range(counts[0]):
        for rank in range(ranks):
            writer.read("g", (rank * counts[0] + tile) * block, block, ranks=rank)
        writer.compute(compute)
        for rank in range(ranks):
            writer.put(f"0.{rank}.{tile}.png", 1, sizes[0], ranks=rank)
    writer.close("g")
    for level in range(1, levels):
        writer.barrier()
        for number in range(4 * counts[level]):
            for rank in range(ranks):
                made = f"{level - 1}.{(rank + ranks // 2) % ranks}.{number}.png"
                writer.get(made, 1, sizes[level - 1], ranks=rank)
            writer.compute(decode)
            for rank in range(ranks if number % 4 == 3 else 0):
                writer.put(f"{level}.{rank}.{number // 4}.png", 1, sizes[level], ranks=rank)
    tiles = [(level, rank, tile) for level in range(levels) for rank in range(ranks) for tile in range(counts[level])]
    return Kernel(
        name="gdal2tiles",
        scale=scale,
        title="a map: blocks of a raster become small pictures, four of them one of the next level, by other processes",
        source="GDAL's gdal2tiles --mpi: blocks of a tiled GeoTIFF, a PNG for each tile, overviews made from PNGs",
        changed=f"{ranks * counts[0]} tiles, {levels - 1} levels above, in one folder; who deals them out works, too.",
        run=writer.script,
        prepares=prepared(ranks, [("mosaic.tif", ranks * counts[0] * block)]),
        results=tuple(f"{level}.{rank}.{tile}.png" for level, rank, tile in tiles),
    )


def rocksdb(scale: str, *, ranks: int, fills: int, batches: int, batch: int, table: int, compute: float) -> Kernel:
    """A store of keys: logs that are not synced, tables and manifests that are, tables merged into larger ones."""
    edit, part, ahead, merged = 180, table // 5, table // 2, fills * table * 9 // 20
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"m{rank}", f"manifest.{rank}", ranks=rank, write=True)
    for fill in range(fills):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write_file(f"o{rank}", f"log{fill}.{rank}", batch, count=batches, ranks=rank)
            writer.write_file(f"o{rank}", f"flushed{fill}.{rank}", part, count=5, ranks=rank, sync=True)
            writer.write(f"m{rank}", fill * edit, edit, ranks=rank)
            writer.sync(f"m{rank}", ranks=rank)
            writer.unlink(f"log{fill}.{rank}", ranks=rank)
    writer.compute(compute)
    for rank in range(ranks):
        for fill in range(fills):
            writer.open(f"f{fill}.{rank}", f"flushed{fill}.{rank}", ranks=rank, write=False)
        for half in range(2):
            for fill in range(fills):
                writer.read(f"f{fill}.{rank}", half * ahead, ahead, ranks=rank)
            writer.write_file(f"o{rank}", f"merged{half}.{rank}", part, count=merged // part, ranks=rank, sync=True)
        writer.write(f"m{rank}", fills * edit, edit, ranks=rank)
        writer.sync(f"m{rank}", ranks=rank)
        writer.close(f"m{rank}", ranks=rank)
        for fill in range(fills):
            writer.close(f"f{fill}.{rank}", ranks=rank)
            writer.unlink(f"flushed{fill}.{rank}", ranks=rank)
    return Kernel(
        name="rocksdb",
        scale=scale,
        title="a store of keys on each process: logs, tables that are synced, read again and merged into larger ones",
        source="MDHIM's range servers on RocksDB: logs without sync, each SST and MANIFEST edit synced, compactions",
        changed=f"{fills} tables of {table / 1e6:g} MB, one compaction, which waits for them; no look-ups.",
        run=writer.script,
        results=tuple(f"{name}.{rank}" for name in ("merged0", "merged1", "manifest") for rank in range(ranks)),
    )


def apptainer(scale: str, *, ranks: int, blocks: int, given: int, made: int, compute: float) -> Kernel:
    """Tasks of an array: a container's image, the same blocks by all, an archive unpacked, results packed."""
    block, record, few, many, lines, image = 52_000, 10_240, 5, 7, 3_000, 480
    places = random.Random(53).sample(range(image), blocks)  # noqa: S311  # the same on every machine
    size, result = few * record, many * record
    writer = Writer(ranks)
    writer.open("i", "image.sif", write=False)
    for place in places:
        writer.read("i", place * block, block)
    writer.close("i")
    for rank in range(ranks):
        writer.open(f"a{rank}", f"case.{rank}.tar", ranks=rank, write=False)
        for number in range(given):
            writer.read(f"a{rank}", number * size, record, count=few, ranks=rank)
            writer.write_file(f"f{rank}", f"in.{rank}.{number}", record, count=few, ranks=rank)
        writer.close(f"a{rank}", ranks=rank)
        writer.get(f"in.{rank}.#", given, size, ranks=rank)
        writer.open(f"l{rank}", f"slurm.{rank}.out", ranks=rank, write=True)
    for number in range(made):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"l{rank}", number * lines, lines, ranks=rank)
            writer.put(f"out.{rank}.{number}", 1, result, ranks=rank)
    for rank in range(ranks):
        writer.open(f"a{rank}", f"results.{rank}.tar", ranks=rank, write=True)
        for number in range(made):
            writer.read_file(f"f{rank}", f"out.{rank}.{number}", record, count=many, ranks=rank)
            writer.write(f"a{rank}", number * result, record, count=many, ranks=rank)
        writer.close(f"a{rank}", ranks=rank)
        writer.unlink(f"in.{rank}.#", given, ranks=rank)
        writer.unlink(f"out.{rank}.#", made, ranks=rank)
        writer.close(f"l{rank}", ranks=rank)
    inputs = {"image.sif": image * block, **{f"case.{rank}.tar": given * size for rank in range(ranks)}}
    return Kernel(
        name="apptainer",
        scale=scale,
        title="tasks in containers: the same blocks of an image by all, an archive unpacked, results packed, by each",
        source="Slurm's job arrays with Apptainer: squashfuse reads compressed blocks of a .sif, tar records of 10 KiB",
        changed=f"{blocks} blocks of {block // 1000} kB; {given} files in, {made} out; tar's headers are left out.",
        run=writer.script,
        prepares=prepared(ranks, list(inputs.items())),
        results=tuple(name for rank in range(ranks) for name in (f"slurm.{rank}.out", f"results.{rank}.tar")),
    )
