"""Applications for a test: terrain, a fibre that listens, a sequencer, X-rays and a workflow, each in its own way."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import ALL, Box, Writer, prepared
from acic.units import KIB


def taudem(scale: str, *, ranks: int, request: int, calls: int, compute: float) -> Kernel:
    """Terrain: tools one after the other, each reads a raster in stripes, and processes write theirs one by one."""
    parts = {"dem.tif": 3, "fel.tif": 4, "p.tif": 2, "sd8.tif": 4, "ad8.tif": 4}
    share = {raster: part * calls * request for raster, part in parts.items()}
    tools = (("dem.tif", ("fel.tif",)), ("fel.tif", ("p.tif", "sd8.tif")), ("p.tif", ("ad8.tif",)))
    writer = Writer(ranks)
    for source, rasters in tools:
        writer.open("i", source, write=False)
        for rank in range(ranks):
            writer.read("i", rank * share[source], request, count=parts[source] * calls, ranks=rank)
        writer.close("i")
        writer.compute(compute)
        for raster in rasters:
            for rank in range(ranks):
                writer.open("o", raster, ranks=rank, write=True)
                writer.write("o", rank * share[raster], request, count=parts[raster] * calls, ranks=rank)
                writer.close("o", ranks=rank)
                writer.barrier()
    return Kernel(
        name="taudem",
        scale=scale,
        title="terrain: tools that read a raster in stripes and write others, one process after the other",
        source="TauDEM on MPI: PitRemove, D8FlowDir and AreaD8 on GeoTIFF files, which no two processes write at once",
        changed=f"Stripes of {share['fel.tif'] / 1e6:.3g} MB, in requests of {request // 1000} kB; tags are left out.",
        run=writer.script,
        prepares=prepared(ranks, [("dem.tif", ranks * share["dem.tif"])]),
        results=tuple(raster for _, rasters in tools for raster in rasters),
    )


def dassa(scale: str, *, ranks: int, files: int, samples: int, channels: int, result: int, compute: float) -> Kernel:
    """A fibre that listens: of each minute's file all read their channels, collectively; one result of all at last."""
    element, share, whole = 4, 4 * samples * channels, (1, samples, ranks * channels)
    parts: list[list[Box]] = [[((0, 0, rank * channels), (1, samples, channels))] for rank in range(ranks)]
    names = [f"das.{number}.h5" for number in range(files)]
    writer = Writer(ranks)
    for name in names:
        writer.open("d", name, write=False, mpiio=True)
        writer.view("d", 0, element, whole, parts)
        writer.read_all("d", [(0, share)] * ranks)
        writer.close("d")
        writer.compute(compute)
    writer.open("r", "correlation.h5", write=True, mpiio=True)
    writer.write_all("r", [(rank * result, result) for rank in range(ranks)])
    writer.close("r")
    return Kernel(
        name="dassa",
        scale=scale,
        title="a fibre that listens: channels of many files, short pieces, read collectively; a result written so",
        source="DASSA and ArrayUDF on acoustic sensing: an HDF5 file a minute, samples by channels, parts of channels",
        changed=f"{files} files of {samples} samples, {channels} channels for a process; parts of {result // KIB} KiB.",
        run=writer.script,
        prepares=prepared(ranks, [(name, ranks * share) for name in names]),
        results=("correlation.h5",),
    )


def bcl(scale: str, *, ranks: int, cycles: int, tile: int, samples: int, calls: int, compute: float) -> Kernel:
    """A sequencer's run: each process reads its tile of every cycle's file, then writes a file for each sample."""
    request = 64 * KIB
    names = [f"cycle.{cycle}" for cycle in range(cycles)]
    results = [f"sample{sample}.{rank}.fastq.gz" for sample in range(samples) for rank in range(ranks)]
    writer = Writer(ranks)
    writer.stat("cycle.#", cycles, ranks=ALL)
    for name in names:
        writer.open("c", name, write=False)
        for rank in range(ranks):
            writer.read("c", rank * tile, tile, ranks=rank)
        writer.close("c")
    for sample in range(samples):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write_file(f"s{rank}", results[sample * ranks + rank], request, count=calls, ranks=rank)
    return Kernel(
        name="bcl",
        scale=scale,
        title="a sequencer's run: a part of every cycle's file for each process, then a file for each sample",
        source="Illumina's bcl2fastq and BCL Convert: a tile of each cycle's .cbcl file, FASTQ files of each sample",
        changed=f"{cycles} cycles, tiles of {tile // 1000} kB; {samples} samples; headers and filters are left out.",
        run=writer.script,
        prepares=prepared(ranks, [(name, ranks * tile) for name in names]),
        results=tuple(results),
    )


def tomopy(scale: str, *, ranks: int, scans: int, angles: int, rows: int, width: int, compute: float) -> Kernel:
    """X-rays, scan after scan: each process reads its rows of every projection, and saves a picture of each slice."""
    piece, picture = rows * width * 2, width * width
    names = [f"scan{scan}.h5" for scan in range(scans)]
    results = [f"slice.{scan}.{row}.{rank}" for scan in range(scans) for row in range(rows) for rank in range(ranks)]
    writer = Writer(ranks)
    for scan, name in enumerate(names):
        writer.open("x", name, write=False, mpiio=True)
        for rank in range(ranks):
            writer.read("x", rank * piece, piece, count=angles, stride=ranks * piece, ranks=rank)
        writer.close("x")
        for row in range(rows):
            writer.compute(compute)
            for rank in range(ranks):
                writer.put(f"slice.{scan}.{row}.{rank}", 1, picture, ranks=rank)
    return Kernel(
        name="tomopy",
        scale=scale,
        title="X-rays, scan after scan: rows of every projection read, independent, a picture of each slice written",
        source="TomoPy on MPI with h5py at synchrotrons: sinograms of a Data Exchange file, a stack of TIFF files",
        changed=f"{scans} scans of {angles} projections, {rows} rows of {width} pixels each; pictures of 8 bits.",
        run=writer.script,
        prepares=prepared(ranks, [(name, angles * ranks * piece) for name in names]),
        results=tuple(results),
    )


def pegasus(scale: str, *, ranks: int, tasks: int, sizes: tuple[int, int, int], compute: float) -> Kernel:
    """A workflow: tasks read what others made and leave a record; one process logs each event, synced, all wait."""
    event, record, levels, stems = 600, 6_000, 2, ("raw", "run/mid", "out")
    every = [(task, rank) for task in range(tasks) for rank in range(ranks)]
    logged = 2 * len(every)  # events of a level: each task begins and ends
    writer = Writer(ranks)
    writer.mkdir("run", ranks=0)
    writer.open("log", "dag.log", ranks=0, write=True)
    writer.barrier()
    for level in range(levels):
        for task in range(tasks):
            for rank in range(ranks):
                writer.get(f"{stems[level]}.{(rank + level * ranks // 2) % ranks}.{task}", 1, sizes[level], ranks=rank)
            writer.compute(compute)
            for rank in range(ranks):
                made = f"{stems[level + 1]}.{rank}.{task}"
                writer.put(made, 1, sizes[level + 1], ranks=rank)
                writer.stat(made, ranks=rank)
                writer.put(f"kickstart.{level}.{rank}.{task}", 1, record, ranks=rank)
        writer.barrier()
        for number in range(logged):
            writer.write("log", (level * logged + number) * event, event, ranks=0)
            writer.sync("log", ranks=0)
        writer.barrier()
    writer.close("log", ranks=0)
    for task, rank in every:
        writer.unlink(f"run/mid.{rank}.{task}", ranks=0)
    writer.rmdir("run", ranks=0)
    records = [f"kickstart.{level}.{rank}.{task}" for level in range(levels) for task, rank in every]
    for name in records:
        writer.get(name, 1, record, ranks=0)
    return Kernel(
        name="pegasus",
        scale=scale,
        title="a workflow: tasks hand files over by a scratch folder, one process syncs each event to a log",
        source="Pegasus and HTCondor's DAGMan on a shared folder: kickstart's records, a log synced for each event",
        changed=f"{levels} levels of {len(every)} tasks; files of {', '.join(f'{s // 1000}' for s in sizes)} kB.",
        run=writer.script,
        prepares=prepared(ranks, [(f"raw.{rank}.{task}", sizes[0]) for task, rank in every]),
        results=(*(f"out.{rank}.{task}" for task, rank in every), *records, "dag.log"),
    )
