"""Applications for a test: a magnetized gas, a coast, an earthquake and a reservoir."""

from __future__ import annotations

import math
from itertools import product

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Box, Writer, prepared

_FLOAT, _DOUBLE = 4, 8  # B
_FILEBUF, _TEXT = 8_191, 8_192  # what a stream of the C++ library and one of Fortran moves at once, B


def athena(scale: str, *, ranks: int, own: int, side: int, dumps: int, steps: int, compute: float) -> Kernel:
    """A magnetized gas: a state read block by block together, dumps of variables, a state in one piece of each."""
    line, full, blocks = 170, side + 4, ranks * own
    state = _DOUBLE * (5 * full**3 + 3 * full**2 * (full + 1))  # of a block with its ghosts, B
    writer = Writer(ranks)
    writer.open("r", "start.rst", write=False, mpiio=True)
    for block in range(own):
        writer.read_all("r", [((rank * own + block) * state, state) for rank in range(ranks)])
    writer.close("r")
    for dump in range(dumps):
        for step in range(steps):
            writer.compute(compute)
            writer.barrier()
            writer.open("h", "gas.hst", ranks=0, write=True)
            writer.write("h", (dump * steps + step) * line, line, ranks=0)
            writer.close("h", ranks=0)
        base = 0
        writer.open("d", f"gas.{dump}.athdf", write=True, mpiio=True)
        for variables in (5, 3):  # prim and B
            whole, box = (variables, blocks, side**3), (variables, own, side**3)
            parts: list[list[Box]] = [[((0, rank * own, 0), box)] for rank in range(ranks)]
            writer.view("d", base, _FLOAT, whole, parts)
            writer.write_all("d", [(0, math.prod(box) * _FLOAT)] * ranks)
            base += math.prod(whole) * _FLOAT
        writer.close("d")
        writer.put(f"gas.{dump}.athdf.xdmf", 1, 2_900, ranks=0)
    writer.open("r", "end.rst", write=True, mpiio=True)
    writer.write_all("r", [(rank * own * state, own * state) for rank in range(ranks)])
    writer.close("r")
    kept = [name.format(dump) for dump in range(dumps) for name in ("gas.{}.athdf", "gas.{}.athdf.xdmf")]
    return Kernel(
        name="athena",
        scale=scale,
        title="a magnetized gas: states read and written together, variables of all blocks in dumps, lines of history",
        source="Athena++: Mesh from .rst by Read_at_all, restart.cpp's Write_at_all, athena_hdf5.cpp, history.cpp",
        changed=f"{blocks} blocks of {side}^3, {dumps} dumps; MPI-IO as HDF5 calls it; no headers, no lists of blocks.",
        run=writer.script,
        prepares=prepared(ranks, [("start.rst", blocks * state)]),
        results=("gas.hst", *kept, "end.rst"),
    )


def schism(scale: str, *, ranks: int, nodes: int, layers: int, stacks: int, steps: int, compute: float) -> Kernel:
    """A coast: a mesh read by all that compute, a variable's file of each scribe, states of each at the end."""
    scribes = {"out2d": 8, "temperature": layers, "salinity": layers, "verticalVelocity": layers}
    first, arrays, air, line = ranks - len(scribes), 12, 96_000, 74  # arrays: of a state
    some, part, plane, mesh = f"0-{first - 1}", nodes // first, nodes * _FLOAT, nodes * 118 // _TEXT
    writer = Writer(ranks)
    writer.read_file("g", "hgrid.gr3", _TEXT, count=mesh, ranks=some)
    for rank in range(first):
        writer.write_file(f"l{rank}", f"local_to_global_{rank}", _TEXT, count=part * 60 // _TEXT, ranks=rank)
    writer.open("m", "mirror.out", ranks=0, write=True)
    writer.open("a", "sflux_air_1.nc", ranks=0, write=False)
    for stack in range(stacks):
        for place, name in enumerate(scribes):
            writer.open(name, f"{name}_{stack + 1}.nc", ranks=first + place, write=True)
        for step in range(steps):
            writer.read("a", (stack * steps + step) * air, air, ranks=0)
            writer.compute(compute)  # scribes, too: they poll for what will come
            writer.barrier()
            writer.write("m", (stack * steps + step) * line, line, ranks=0)
            for place, (name, planes) in enumerate(scribes.items()):
                size, count = (plane, planes) if name == "out2d" else (planes * plane, 1)
                writer.write(name, step * planes * plane, size, count=count, ranks=first + place)
        for place, name in enumerate(scribes):
            writer.close(name, ranks=first + place)
    for rank in range(first):
        size = part * layers * _DOUBLE
        writer.write_file(f"h{rank}", f"hotstart_{rank}.nc", size, count=arrays, ranks=rank)
    for name in "ma":
        writer.close(name, ranks=0)
    made = [f"{name}_{stack + 1}.nc" for stack in range(stacks) for name in scribes]
    made += [name.format(rank) for rank in range(first) for name in ("local_to_global_{}", "hotstart_{}.nc")]
    return Kernel(
        name="schism",
        scale=scale,
        title="a coast: a text of the mesh read by all, a file of a variable by each scribe, states of each at the end",
        source="SCHISM: scribed I/O of OLDIO=OFF, hgrid.gr3, sflux, local_to_global_*, nhot=1 with hotstart_*.nc",
        changed=f"{nodes} nodes, {layers} layers, {arrays} arrays in a state; no headers, no folder.",
        run=writer.script,
        prepares=prepared(ranks, [("hgrid.gr3", mesh * _TEXT), ("sflux_air_1.nc", stacks * steps * air)]),
        results=("mirror.out", *made),
    )


def sw4(scale: str, *, ranks: int, grid: tuple[int, int, int], stations: int, cycles: int, compute: float) -> Kernel:
    """An earthquake: ground read by some, images, states by some of them, three seismograms of each station."""
    x, y, z = grid
    planes, trace, saves = {"z": x * y, "y": x * z, "x": y * z}, 632 + 3_000 * _FLOAT, 3  # 632: SAC's header, B
    every, group, points = cycles // saves, range(0, ranks, 2), x * y * z
    ground, properties = 3 * points * _FLOAT, 5  # ground: of three blocks, each property, B
    writer = Writer(ranks)
    _planes(writer, group, "ground.rfile", ground, pieces=properties, write=False)
    writer.barrier()
    for cycle in range(cycles):
        writer.compute(compute)
        writer.barrier()
        for plane, pixels in planes.items():
            _planes(writer, group[:2], f"image.{cycle}.{plane}.sw4img", pixels * _FLOAT, pieces=1, write=True)
        save, rest = divmod(cycle + 1, every)
        if rest:
            continue
        _planes(writer, group, f"state.{save}.sw4checkpoint", 3 * points * _DOUBLE, pieces=2, write=True)
        if save > 2:
            writer.unlink(f"state.{save - 2}.sw4checkpoint", ranks=0)
    for station, part in product(range(stations), "enu"):
        writer.put(f"sta{station}.{part}", 1, trace, ranks=station % ranks)
    return Kernel(
        name="sw4",
        scale=scale,
        title="an earthquake: ground, images and states by some processes for all, seismograms of many stations",
        source="SW4: Parallel_IO with nwriters, .rfile, image, sac of each station, checkpoint that keeps the last two",
        changed=f"A grid of {x}x{y}x{z}, {stations} stations, {cycles} images of each plane; elastic, no headers.",
        run=writer.script,
        prepares=prepared(ranks, [("ground.rfile", properties * ground)]),
        results=(
            *(f"image.{cycle}.{plane}.sw4img" for cycle, plane in product(range(cycles), planes)),
            *(f"sta{station}.{part}" for station, part in product(range(stations), "enu")),
            *(f"state.{save}.sw4checkpoint" for save in (saves - 1, saves)),
        ),
    )


def _planes(writer: Writer, group: range, path: str, size: int, *, pieces: int, write: bool) -> None:
    """Have the first of a group of processes open a file, and all of them move their shares of arrays of some size."""
    some, part = ",".join(map(str, group)), size // len(group)
    writer.open("p", path, ranks=group[0], write=write)
    writer.close("p", ranks=group[0])
    writer.barrier(some)
    writer.open("p", path, ranks=some, write=write)
    for piece, (place, rank) in product(range(pieces), enumerate(group)):
        (writer.write if write else writer.read)("p", piece * size + place * part, part, ranks=rank)
    writer.close("p", ranks=some)


def opm(scale: str, *, ranks: int, cells: int, fields: int, reports: int, steps: int, compute: float) -> Kernel:
    """A reservoir: a deck read by process 0, and its results, added to files that are opened anew in each report."""
    deck = {"ZCORN": 8 * 9, "COORD": 6, "PERMX": 9, "PERMZ": 9, "PORO": 7, "NTG": 5, "ACTNUM": 2}  # B of a cell
    once = {"CASE.EGRID": 9 * cells * _FLOAT // _FILEBUF, "CASE.INIT": 14 * cells * _FLOAT // _FILEBUF}
    state, vector, text = fields * cells * _FLOAT // _FILEBUF, 2_640, {"CASE.PRT": 3_100, "CASE.DBG": 700}
    writer = Writer(ranks)
    for name, size in deck.items():
        writer.read_file("d", f"{name}.grdecl", cells * size, ranks=0)
        writer.compute(round(compute * size / sum(deck.values()), 9))
    writer.barrier()
    for name, count in once.items():
        writer.write_file("e", name, _FILEBUF, count=count, ranks=0)
    writer.put("CASE.SMSPEC", 1, 9_400, ranks=0)
    for name in text:
        writer.open(name, name, ranks=0, write=True)
    for report in range(reports):
        for step in range(report * steps, (report + 1) * steps):
            writer.compute(compute)
            writer.barrier()
            for name, size in text.items():
                writer.write(name, step * size, size, ranks=0)
            writer.open("s", "CASE.UNSMRY", ranks=0, write=True)
            writer.write("s", step * vector, vector, ranks=0)
            writer.close("s", ranks=0)
        writer.open("u", "CASE.UNRST", ranks=0, write=True)
        writer.write("u", report * state * _FILEBUF, _FILEBUF, count=state, ranks=0)
        writer.close("u", ranks=0)
    for name in text:
        writer.close(name, ranks=0)
    return Kernel(
        name="opm",
        scale=scale,
        title="a reservoir: texts read by process 0, its results of all in small requests, added report by report",
        source="OPM Flow: the parser's includes in one fread, EclIO's EclOutput on std::ofstream, UNRST, UNSMRY, PRT",
        changed=f"{cells} cells, {fields} arrays, {reports} reports; process 0 writes before it goes on, not a thread.",
        run=writer.script,
        prepares=prepared(ranks, [(f"{name}.grdecl", cells * size) for name, size in deck.items()]),
        results=(*once, "CASE.SMSPEC", *text, "CASE.UNSMRY", "CASE.UNRST"),
    )
