"""Applications for a test: plants, water in soil, electrons in time, a car's crash and a laser's plasma."""

from __future__ import annotations

from itertools import product
from math import prod

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import ALL, Writer, blocks_of, prepared
from acic.units import KIB

_SINGLE, _DOUBLE, _BUFFER, _DIST, _HEADER = 4, 8, 4 * KIB, 96, 64  # B; buffer: of the C library; header: of an .obf
_CLIMATE = {"temp": 730, "prec": 1_460, "lwnet": 48, "wet": 24, "landuse": 128, "fertilizer": 64}  # B a cell and year
_MONTHLY = {"npp": 1, "swc": 5, "soiltemp": 6}  # bands
_ANNUAL = {"pft_npp": 41, "cftfrac": 32, "sdate": 24, "fpc": 10, "soilc_layer": 5, "vegc": 1}
_LINES = {"energy": 190, "multipoles": 114, "laser": 76}  # B of a step


def _parts(writer: Writer, path: str, ranks: int, count: int, *, write: bool) -> None:
    """Have each move its part of a shared file through the C library."""
    writer.open("f", path, write=write)
    for rank in range(ranks):
        (writer.write if write else writer.read)("f", rank * count * _BUFFER, _BUFFER, count=count, ranks=rank)
    writer.close("f")


def _year(writer: Writer, year: int, ranks: int, cells: int, compute: float) -> None:
    """Read the climate of a year, and write maps of each month and of the year, band by band."""
    row = ranks * cells * _SINGLE
    for (name, each), rank in product(_CLIMATE.items(), range(ranks)):
        writer.read(name, (year * ranks + rank) * cells * each, cells * each, ranks=rank)
    for month in range(12):
        writer.compute(compute)
        for name, bands in (_MONTHLY if month < 11 else _MONTHLY | _ANNUAL).items():
            time = year if name in _ANNUAL else 12 * year + month
            writer.write(name, time * bands * row, row, count=bands, ranks=0)
            writer.barrier()


def lpjml(scale: str, *, ranks: int, cells: int, years: int, saved: int, compute: float) -> Kernel:
    """Plants of the earth: a year's climate of its cells for each, maps by process 0, a restart written in turns."""
    share, maps = saved * _BUFFER, (*_MONTHLY, *_ANNUAL)
    writer = Writer(ranks)
    for name in maps:
        writer.open(name, f"{name}.bin", ranks=0, write=True)
    _parts(writer, "restart.start.lpj", ranks, saved, write=False)
    for name in _CLIMATE:
        writer.open(name, f"{name}.clm", write=False)
    for year in range(years):
        _year(writer, year, ranks, cells, compute)
    for rank in range(ranks):
        if rank:
            writer.barrier(f"{rank - 1}-{rank}")
        writer.open("w", "restart.lpj", ranks=rank, write=True)
        writer.write("w", rank * share, _BUFFER, count=saved, ranks=rank)
        writer.sync("w", ranks=rank)
        writer.close("w", ranks=rank)
    for name in (*_CLIMATE, *maps):
        writer.close(name, ranks=ALL if name in _CLIMATE else 0)
    climate = {f"{name}.clm": years * ranks * cells * each for name, each in _CLIMATE.items()}
    return Kernel(
        name="lpjml",
        scale=scale,
        title="plants of the earth: a year of each one's cells read by all, maps by process 0, a restart in turns",
        source="LPJmL: .clm files by fseek and fread, mpi_write's MPI_Gatherv and fwrite, fwriterestart with fsync",
        changed=f"{ranks * cells} cells, {years} years, {len(maps)} maps; {share // 1000} kB of state each; no index.",
        run=writer.script,
        prepares=prepared(ranks, [*climate.items(), ("restart.start.lpj", ranks * share)]),
        results=(*(f"{name}.bin" for name in maps), "restart.lpj"),
    )


def parflow(scale: str, *, ranks: int, columns: int, levels: int, outputs: int, compute: float) -> Kernel:
    """Water in soil: all read and write their columns of shared files in small requests, one file a field and time."""
    made = {"press": (levels, 96), "clm_output": (13, 99), "overlandsum": (1, 78)}  # levels, B of .dist
    forcing, hours, fields = ("DSWR", "DLWR", "APCP", "Temp", "UGRD", "VGRD", "Press", "SPFH"), 24, 70
    given = {"press.init": levels, "indicator": levels, "slope_x": 1, "slope_y": 1} | dict.fromkeys(forcing, hours)
    requests = {deep: -(-columns * deep * _DOUBLE // _BUFFER) for deep in (1, 13, hours, levels)}
    writer = Writer(ranks)
    for name, deep in given.items():
        writer.read_file("d", f"{name}.pfb.dist", _DIST)
        _parts(writer, f"{name}.pfb", ranks, requests[deep], write=False)
    for output in range(outputs):
        writer.compute(compute)
        writer.barrier()
        for name, (deep, dist) in made.items():
            path = f"{name}.{output}.pfb"
            writer.open("f", path, ranks=0, write=True)
            writer.close("f", ranks=0)
            writer.barrier()
            _parts(writer, path, ranks, requests[deep], write=True)
            writer.barrier()
            writer.put(f"{path}.dist", 1, dist, ranks=0)
    for rank in range(ranks):
        writer.write_file(f"c{rank}", f"clm.rst.{rank}", columns * _DOUBLE, count=fields, ranks=rank)
    inputs = {f"{name}.pfb": ranks * requests[deep] * _BUFFER for name, deep in given.items()}
    files = [f"{name}.{output}.pfb" for name in made for output in range(outputs)]
    return Kernel(
        name="parflow",
        scale=scale,
        title="water in soil: parts of shared files read and written by all in small requests, a file a field and time",
        source="ParFlow with CLM: WritePFBinary, amps_FFopen and .dist files, forcing of 24 hours, clm.rst of each",
        changed=f"{columns} columns of {levels} levels on each, {outputs} outputs, a day; headers fill requests.",
        run=writer.script,
        prepares=prepared(ranks, [*inputs.items(), *((f"{path}.dist", _DIST) for path in inputs)]),
        results=(*files, *(f"{path}.dist" for path in files), *(f"clm.rst.{rank}" for rank in range(ranks))),
    )


def _state(writer: Writer, path: str, values: int, rank: int, *, write: bool) -> None:
    """Move a state's header, then its values, opening its file for each."""
    for start, size in ((0, _HEADER), (_HEADER, values)):
        writer.open(f"s{rank}", path, ranks=rank, write=write)
        (writer.write if write else writer.read)(f"s{rank}", start, size, ranks=rank)
        writer.close(f"s{rank}", ranks=rank)


def _propagate(writer: Writer, outputs: int, steps: int, points: int, compute: float) -> None:
    """Compute step by step; process 0 writes lines of each, and a density as text."""
    for name in _LINES:
        writer.open(name, f"td.general.{name}", ranks=0, write=True)
    for output in range(outputs):
        for step in range(output * steps, (output + 1) * steps):
            writer.compute(compute)
            writer.barrier()
            for name, size in _LINES.items():
                writer.write(name, step * size, size, ranks=0)
        writer.put(f"td.{output}.density.dx", 1, 18 * points, ranks=0)
    for name in _LINES:
        writer.close(name, ranks=0)


def octopus(scale: str, *, ranks: int, states: int, points: int, outputs: int, steps: int, compute: float) -> Kernel:
    """Electrons in time: a file of each state, opened for its header and anew for its values, lines by process 0."""
    values, many = 2 * _DOUBLE * points, ranks * states
    others = {"wfns": 74 * many, "occs": 92 * many, "states": 71}
    others |= {"density": _HEADER + _DOUBLE * points, "vhxc": 2 * _HEADER + _DOUBLE * points}
    writer = Writer(ranks)
    for name, size in others.items():
        writer.read_file("t", f"start.{name}", size, ranks=0)
    writer.barrier()
    for number, rank in product(range(states), range(ranks)):
        writer.stat(f"start.{rank * states + number}.obf", ranks=rank)
        _state(writer, f"start.{rank * states + number}.obf", values, rank, write=False)
    _propagate(writer, outputs, steps, points, compute)
    for name, size in others.items():
        writer.put(f"td.{name}", 1, size, ranks=0)
    for number, rank in product(range(states), range(ranks)):
        _state(writer, f"td.{rank * states + number}.obf", values, rank, write=True)
    saved = others | {f"{state}.obf": _HEADER + values for state in range(many)}
    pictures = [f"td.{output}.density.dx" for output in range(outputs)]
    return Kernel(
        name="octopus",
        scale=scale,
        title="electrons in time: a file of each state, opened for its header and anew for its values, lines by one",
        source="Octopus: restart/td by io_binary, an .obf of each state, parallel in states, td.general, output_iter",
        changed=f"{many} states of {points} points, {outputs * steps} steps; no folders, saved under other names.",
        run=writer.script,
        prepares=prepared(ranks, [(f"start.{name}", size) for name, size in saved.items()]),
        results=(*pictures, *(f"td.general.{name}" for name in _LINES), *(f"td.{name}" for name in saved)),
    )


def lsdyna(scale: str, *, ranks: int, nodes: int, shells: int, states: int, steps: int, compute: float) -> Kernel:
    """A car's crash: a deck read and states written by process 0, histories and a dump of memory by each process."""
    block, deck, dump, history, message = 64 * KIB, 90, 96, 18_000, 420  # blocks of a deck and of a dump
    plot = -(-(3 * 3 * nodes + 33 * shells) * _SINGLE // block)  # blocks of a state
    writer = Writer(ranks)
    writer.read_file("k", "main.k", block, count=deck, ranks=0)
    writer.barrier()
    for rank, kind in product(range(ranks), ("mes", "binout")):
        writer.open(f"{kind}{rank}", f"{kind}{rank:04}", ranks=rank, write=True)
    for state in range(states):
        for step in range(steps):
            writer.compute(compute)
            writer.barrier()
            for rank, (kind, size) in product(range(ranks), (("mes", message), ("binout", history))):
                writer.write(f"{kind}{rank}", (state * steps + step) * size, size, ranks=rank)
        writer.write_file("p", f"d3plot{state + 1:02}", block, count=plot, ranks=0)
    for rank in range(ranks):
        writer.write_file(f"d{rank}", f"d3dump01.{rank:04}", block, count=dump, ranks=rank)
        for kind in ("mes", "binout"):
            writer.close(f"{kind}{rank}", ranks=rank)
    own = [f"{kind}{rank:04}" for kind in ("mes", "binout", "d3dump01.") for rank in range(ranks)]
    return Kernel(
        name="lsdyna",
        scale=scale,
        title="a car's crash: a deck read and states written by process 0, histories and a dump of memory by each",
        source="LS-DYNA's MPP: keywords, d3plot as a family of files, mes and binout of each process, d3dump",
        changed=f"{nodes} nodes, {states} states, {steps} histories for each; 64 KiB are a guess; no scratch.",
        run=writer.script,
        prepares=prepared(ranks, [("main.k", deck * block)]),
        results=(*own, *(f"d3plot{state + 1:02}" for state in range(states))),
    )


def epoch(scale: str, *, split: tuple[int, int, int], side: int, particles: int, dumps: int, compute: float) -> Kernel:
    """A laser's plasma: a restart read and dumps written by all, fields and properties of particles, collective."""
    fields, species, properties, line = 12, 2, 7, 13  # line: of the list of dumps, opened anew for each
    ranks, block = prod(split), (side, side, side)
    whole = (side * split[0], side * split[1], side * split[2])
    mine, array, part = prod(block) * _DOUBLE, prod(whole) * _DOUBLE, particles * _DOUBLE
    moved = species * properties * ranks * part  # before the fields
    writer = Writer(ranks)
    for dump, move in enumerate((writer.read_all, *[writer.write_all] * dumps)):
        name = f"{dump:04}.sdf"
        if dump:
            writer.compute(compute)
            writer.barrier()
            writer.open("v", "normal.visit", ranks=0, write=True)
            writer.write("v", (dump - 1) * line, line, ranks=0)
            writer.close("v", ranks=0)
        writer.open(name, name, write=dump > 0, mpiio=True)
        for number in range(species * properties):
            move(name, [((number * ranks + rank) * part, part) for rank in range(ranks)])
        for field in range(fields):
            writer.view(name, moved + field * array, _DOUBLE, whole, blocks_of(split, block))
            move(name, [(0, mine)] * ranks)
        writer.close(name)
    return Kernel(
        name="epoch",
        scale=scale,
        title="a laser's plasma: a restart read and dumps written by all, fields and particles' properties, collective",
        source="EPOCH and its SDF library: MPI_FILE_WRITE_ALL with subarrays for fields and particles, normal.visit",
        changed=f"{side}^3 cells and {species * particles} particles on each, {dumps} dumps; these first, no headers.",
        run=writer.script,
        prepares=prepared(ranks, [("0000.sdf", moved + fields * array)]),
        results=(*(f"{dump:04}.sdf" for dump in range(1, dumps + 1)), "normal.visit"),
    )
