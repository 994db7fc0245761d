"""Applications for a test: I/O servers, models of elements, blocks with halos, checkpoints in place and read again."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Box, Writer, prepared
from acic.units import KIB, MIB

_DOUBLE = 8  # B


def xios(scale: str, *, ranks: int, servers: int, steps: int, calls: int, compute: float) -> Kernel:
    """A climate model with I/O servers: a few processes write a history while the others compute on."""
    request = 512 * KIB
    share = calls * request
    doing = [number * (ranks // servers) for number in range(servers)]
    those = ",".join(map(str, doing))
    writer = Writer(ranks)
    writer.open("nc", "history.nc", ranks=0, write=True)
    writer.close("nc", ranks=0)
    writer.barrier()
    writer.open("nc", "history.nc", ranks=those, write=True)
    for step in range(steps):
        writer.compute(compute)
        for place, rank in enumerate(doing):
            writer.write("nc", (step * servers + place) * share, request, count=calls, ranks=rank)
    writer.close("nc", ranks=those)
    return Kernel(
        name="xios",
        scale=scale,
        title="I/O servers of a climate model: two processes write while the others compute on",
        source="NEMO with XIOS in attached mode; E3SM's and FV3's I/O servers: one file, nobody waits for it",
        changed=f"{steps} steps of {share // KIB} KiB from each I/O server, which computes too.",
        run=writer.script,
        results=("history.nc",),
    )


def exodus(scale: str, *, ranks: int, steps: int, variables: int, size: int, compute: float) -> Kernel:
    """Finite elements: a file of each process, to which each step adds a small record of each variable."""
    writer = Writer(ranks)
    names = [f"out.e.{ranks}.{rank}" for rank in range(ranks)]
    for rank, name in enumerate(names):
        writer.open(f"e{rank}", name, ranks=rank, write=True)
    for step in range(steps):
        writer.compute(compute)
        writer.barrier()
        for rank in range(ranks):
            writer.write(f"e{rank}", step * variables * size, size, count=variables, ranks=rank)
    for rank in range(ranks):
        writer.close(f"e{rank}", ranks=rank)
    return Kernel(
        name="exodus",
        scale=scale,
        title="finite elements: results of each process in a file of its own, a small record of each variable",
        source="Exodus files of MOOSE and Sierra, one for each process (nemesis)",
        changed=f"{steps} steps of {variables} variables of {size // KIB} KiB; the mesh is left out.",
        run=writer.script,
        results=tuple(names),
    )


def stencil(scale: str, *, side: int, halo: int, compute: float) -> Kernel:
    """A start from a field: each of eight processes reads its block with a halo, collectively, and writes its block."""
    ranks, whole = 8, (side, side, side)
    half = side // 2
    places = [(z, y, x) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    inner: list[list[Box]] = [[((z * half, y * half, x * half), (half, half, half))] for z, y, x in places]
    outer: list[list[Box]] = [
        [((z * (half - halo), y * (half - halo), x * (half - halo)), (half + halo,) * 3)] for z, y, x in places
    ]
    mine, wider = half**3 * _DOUBLE, (half + halo) ** 3 * _DOUBLE
    writer = Writer(ranks)
    for name, path, parts, size in (("in", "field.in", outer, wider), ("out", "field.out", inner, mine)):
        writer.open(name, path, write=name == "out", mpiio=True)
        writer.view(name, 0, _DOUBLE, whole, parts)
        if name == "in":
            writer.read_all(name, [(0, size)] * ranks)
            writer.compute(compute)
        else:
            writer.write_all(name, [(0, size)] * ranks)
        writer.close(name)
    field = side**3 * _DOUBLE
    return Kernel(
        name="stencil",
        scale=scale,
        title="a start from a field: blocks with halos, read collectively, and blocks without, written",
        source="restarts of finite-difference codes through MPI-IO subarrays, ghost cells included",
        changed=f"{side}^3 numbers, halos of {halo}; one field.",
        run=writer.script,
        prepares=prepared(ranks, [("field.in", field)]),
        results=("field.out",),
    )


def inplace(scale: str, *, ranks: int, saves: int, calls: int, compute: float) -> Kernel:
    """A checkpoint written over the one before: each process its part of one file, and each waits until it lasts."""
    request = MIB
    share = calls * request
    writer = Writer(ranks)
    writer.open("c", "state.chk", ranks=0, write=True)
    writer.close("c", ranks=0)
    writer.barrier()
    writer.open("c", "state.chk", write=True)
    for _ in range(saves):
        writer.compute(compute)
        writer.barrier()
        for rank in range(ranks):
            writer.write("c", rank * share, request, count=calls, ranks=rank)
        writer.sync("c")
    writer.close("c")
    return Kernel(
        name="inplace",
        scale=scale,
        title="a checkpoint in one file, written over and synced each time",
        source="codes that keep a single restart file of fixed layout (direct access in Fortran)",
        changed=f"{saves} checkpoints, {share // MIB} MiB of each process.",
        run=writer.script,
        results=("state.chk",),
    )


def restore(scale: str, *, ranks: int, calls: int, compute: float) -> Kernel:
    """A job goes on: each process reads its own checkpoint, computes, and writes the next one."""
    request = MIB
    share = calls * request
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.read_file(f"r{rank}", f"old.{rank}", request, count=calls, ranks=rank)
    writer.barrier()
    writer.compute(compute)
    for rank in range(ranks):
        writer.write_file(f"w{rank}", f"new.{rank}", request, count=calls, ranks=rank)
    return Kernel(
        name="restore",
        scale=scale,
        title="a job that goes on: a checkpoint of each process read, and the next one written",
        source="chained jobs under a time limit; DMTCP and VELOC with a file for each process",
        changed=f"{share // MIB} MiB of each process.",
        run=writer.script,
        prepares=prepared(ranks, [(f"old.{rank}", share) for rank in range(ranks)]),
        results=tuple(f"new.{rank}" for rank in range(ranks)),
    )
