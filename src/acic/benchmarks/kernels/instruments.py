"""Applications for a test: a fluid of particles, electrons, antennas, collisions and molecules that are docked."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB

_COMPLEX = 8  # B
_DOUBLE = 8  # B


def mp2c(scale: str, *, ranks: int, particles: int, dumps: int, compute: float) -> Kernel:
    """A fluid of particles: all read and write chunks of their own in the few files that stand for one of each."""
    parts = 2  # physical files of a dump
    group = ranks // parts
    vector, number = 24 * particles, 4 * particles
    share = 2 * vector + number
    names = [[f"{stem}.sion.{part:06d}" for part in range(parts)] for stem in ("start", *map(str, range(dumps)))]
    writer = Writer(ranks)
    for turn, files in enumerate(names):
        if turn:
            writer.compute(compute)
        for part, name in enumerate(files):
            first = part * group
            members = f"{first}-{first + group - 1}"
            if turn:
                writer.open(f"f{part}", name, ranks=first, write=True)
                writer.close(f"f{part}", ranks=first)
                writer.barrier(members)
            writer.open(f"f{part}", name, ranks=members, write=turn > 0)
            move = writer.write if turn else writer.read
            for place in range(group):
                move(f"f{part}", place * share, vector, count=2, ranks=first + place)
                move(f"f{part}", place * share + 2 * vector, number, ranks=first + place)
            writer.close(f"f{part}", ranks=members)
        writer.barrier()
    return Kernel(
        name="mp2c",
        scale=scale,
        title="a fluid of particles: two files with a chunk for each process, read at the start, written in dumps",
        source="MP2C on SIONlib: task-local restart data of 52 B for each particle in few physical files",
        changed=f"{particles} particles on each process, {dumps} dumps; metablocks and gaps to whole blocks left out.",
        run=writer.script,
        prepares=prepared(ranks, [(name, group * share) for name in names[0]]),
        results=tuple(name for files in names[1:] for name in files),
    )


def qmcpack(scale: str, *, ranks: int, orbitals: int, waves: int, walkers: int, blocks: int, compute: float) -> Kernel:
    """Electrons by chance: one process reads orbitals for all and adds to estimates, all leave their walkers."""
    sections, electrons = 3, 300
    orbital, share = 2 * _DOUBLE * waves, walkers * electrons * 3 * _DOUBLE
    estimates = {"scalar.dat": 260, "stat.h5": 90_000}
    writer = Writer(ranks)
    writer.read_file("o", "orbitals.h5", orbital, count=orbitals, ranks=0)
    writer.barrier()
    for section in range(sections):
        for name in estimates:
            writer.open(name, f"s{section:03d}.{name}", ranks=0, write=True)
        for block in range(blocks):
            writer.compute(compute)
            writer.barrier()
            for name, size in estimates.items():
                writer.write(name, block * size, size, ranks=0)
        for name in estimates:
            writer.close(name, ranks=0)
        writer.open("c", f"s{section:03d}.config.h5", write=True, mpiio=True)
        writer.write_all("c", [(rank * share, share) for rank in range(ranks)])
        writer.close("c")
    return Kernel(
        name="qmcpack",
        scale=scale,
        title="electrons by chance: orbitals read and estimates added to by one process, walkers of all, collective",
        source="QMCPACK: an ESHDF file read for all by process 0, scalar.dat and stat.h5, config.h5 by parallel HDF5",
        changed=f"{orbitals} orbitals of {orbital // 1000} kB, {walkers} walkers of {electrons} electrons on each.",
        run=writer.script,
        prepares=prepared(ranks, [("orbitals.h5", orbitals * orbital)]),
        results=tuple(f"s{section:03d}.{name}" for section in range(sections) for name in (*estimates, "config.h5")),
    )


def dp3(scale: str, *, ranks: int, tiles: int, rows: int, compute: float) -> Kernel:
    """Antennas: each process averages a subband, column by column and tile by tile, after copies of small tables."""
    correlations, channels, averaged, copies, table = 4, 64, 4, 36, 6_000
    tile = rows * channels * correlations * _COMPLEX
    sizes = {"DATA": tile, "WEIGHT_SPECTRUM": tile // 2}
    columns = [(rank, f"SB{rank:03d}.{column}", size) for rank in range(ranks) for column, size in sizes.items()]
    results = [f"SB{rank:03d}.out.{name}" for rank in range(ranks) for name in (*sizes, *range(copies))]
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.put(f"SB{rank:03d}.out.#", copies, table, ranks=rank)
    for rank, name, _ in columns:
        writer.open(f"i.{name}", name, ranks=rank, write=False)
        writer.open(f"o.{name}", name.replace(".", ".out."), ranks=rank, write=True)
    for number in range(tiles):
        for rank, name, size in columns:
            writer.read(f"i.{name}", number * size, size, ranks=rank)
        writer.compute(compute)
        made, rest = divmod(number + 1, averaged)
        for rank, name, size in columns if rest == 0 else ():
            writer.write(f"o.{name}", (made - 1) * size, size, ranks=rank)
    for rank, name, _ in columns:
        writer.close(f"i.{name}", ranks=rank)
        writer.close(f"o.{name}", ranks=rank)
    return Kernel(
        name="dp3",
        scale=scale,
        title="antennas: a subband for each process, columns read and averaged in tiles behind copies of small tables",
        source="LOFAR's DP3 on casacore: MeasurementSets whose columns are files of tiles, subtables copied",
        changed=f"{tiles} tiles of {rows} rows; subtables are alike and only written, flags and others left out.",
        run=writer.script,
        prepares=prepared(ranks, [(name, tiles * size) for _, name, size in columns]),
        results=tuple(results),
    )


def cms(scale: str, *, ranks: int, sections: int, calls: int, compute: float) -> Kernel:
    """Collisions: events of all go to one file in each section of time, a note of each to one that merges."""
    request, note, merged = 16 * KIB, 420, 640
    share = calls * request
    writer = Writer(ranks)
    for section in range(sections):
        writer.open("e", f"ls{section:04d}.dat", ranks=0, write=True)
        writer.close("e", ranks=0)
        writer.compute(compute)
        writer.open("e", f"ls{section:04d}.dat", write=True)
        for rank in range(ranks):
            writer.write("e", rank * share, request, count=calls, ranks=rank)
        writer.close("e")
        for rank in range(ranks):
            writer.put(f"ls{section:04d}.bu{rank}.jsn", 1, note, ranks=rank)
        writer.barrier()
        writer.stat(f"ls{section:04d}.bu#.jsn", ranks, ranks=0)
        writer.stat(f"ls{section:04d}.dat", ranks=0)
        writer.put(f"ls{section:04d}.jsn", 1, merged, ranks=0)
        writer.unlink(f"ls{section:04d}.bu#.jsn", ranks, ranks=0)
    return Kernel(
        name="cms",
        scale=scale,
        title="collisions: a file for each section of time, a part of each process, and notes that one removes",
        source="CMS's file-based DAQ: mergers of builder units copy to one file of a lumisection at reserved places",
        changed=f"{sections} sections, {calls} pieces of {request // KIB} KiB; places are fixed, without a lock.",
        run=writer.script,
        results=tuple(f"ls{section:04d}.{kind}" for section in range(sections) for kind in ("dat", "jsn")),
    )


def autodock(scale: str, *, ranks: int, ligands: int, maps: int, calls: int, compute: float) -> Kernel:
    """Molecules that are docked: for each one a process reads the receptor's maps anew and prints a long log."""
    buffer, ligand = 8 * KIB, 3_100  # buffer: of the C library
    cases = [f"{rank}.{number}" for number in range(ligands) for rank in range(ranks)]
    writer = Writer(ranks)
    for number in range(ligands):
        for rank in range(ranks):
            writer.get(f"ligand{rank}.{number}.pdbqt", 1, ligand, ranks=rank)
        writer.read_file("m", "receptor.maps", buffer, count=maps)
        writer.compute(compute)
        for rank in range(ranks):
            writer.write_file(f"l{rank}", f"docked{rank}.{number}.dlg", buffer, count=calls, ranks=rank)
    inputs = {"receptor.maps": maps * buffer, **{f"ligand{case}.pdbqt": ligand for case in cases}}
    return Kernel(
        name="autodock",
        scale=scale,
        title="molecules that are docked: maps that all read anew for each one, a log of each by the C library",
        source="AutoDock 4 in virtual screening: a run for each ligand, its .pdbqt, the receptor's .map files, a .dlg",
        changed=f"{ligands} ligands for each process; {maps * buffer // 1000} kB of maps in one file, logs alike.",
        run=writer.script,
        prepares=prepared(ranks, inputs.items()),
        results=tuple(f"docked{case}.dlg" for case in cases),
    )
