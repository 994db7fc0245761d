"""Applications for a test: solvers that keep scratch files, go back in time, or regrid."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def espresso(scale: str, *, ranks: int, steps: int, calls: int, density: int, compute: float) -> Kernel:
    """Quantum ESPRESSO: wave functions of each process, read and written again in each step; one writes the density."""
    request = 256 * KIB
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"w{rank}", f"scf.wfc{rank}", ranks=rank, write=True)
    writer.open("rho", "charge-density.dat", ranks=0, write=True)
    for step in range(steps):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"w{rank}", 0, request, count=calls, ranks=rank)
        writer.barrier()
        writer.write("rho", step * density, MIB, count=density // MIB, ranks=0)
        writer.barrier()
        for rank in range(ranks):
            writer.read(f"w{rank}", 0, request, count=calls, ranks=rank)
    writer.close("rho", ranks=0)
    for rank in range(ranks):
        writer.close(f"w{rank}", ranks=rank)
        writer.unlink(f"scf.wfc{rank}", ranks=rank)
    return Kernel(
        name="espresso",
        scale=scale,
        title="Quantum ESPRESSO: scratch files of wave functions, written and read in each step; a density by one",
        source="pw.x with disk_io='high': .wfc files of direct access for each process, kept open",
        changed=f"{steps} steps, {calls * request // KIB} KiB of each process; densities follow one another in a file.",
        run=writer.script,
        results=("charge-density.dat",),
    )


def rtm(scale: str, *, ranks: int, snapshots: int, calls: int, compute: float) -> Kernel:
    """Reverse-time migration: wave fields saved going forward, and read going back, the last one first."""
    request = 512 * KIB
    size = calls * request
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"s{rank}", f"snapshots.{rank}", ranks=rank, write=True)
    for snapshot in range(snapshots):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"s{rank}", snapshot * size, request, count=calls, ranks=rank)
    writer.barrier()
    for snapshot in reversed(range(snapshots)):
        for rank in range(ranks):
            writer.read(f"s{rank}", snapshot * size, request, count=calls, ranks=rank)
        writer.compute(compute)
    for rank in range(ranks):
        writer.close(f"s{rank}", ranks=rank)
        writer.unlink(f"snapshots.{rank}", ranks=rank)
    return Kernel(
        name="rtm",
        scale=scale,
        title="reverse-time migration: snapshots of each process, written forward and read backward",
        source="seismic imaging: the source's wave field saved every few time steps, used in reverse",
        changed=f"{snapshots} snapshots of {size // KIB} KiB; the image is left out.",
        run=writer.script,
    )


def regrid(scale: str, *, ranks: int, variables: int, coarse: int, fine: int, compute: float) -> Kernel:
    """Regridding: a variable read from a coarse grid, interpolated, and written to a fine one, collective both."""
    writer = Writer(ranks)
    writer.open("in", "coarse.nc", write=False, mpiio=True)
    writer.open("out", "fine.nc", write=True, mpiio=True)
    for variable in range(variables):
        writer.read_all("in", [((variable * ranks + rank) * coarse, coarse) for rank in range(ranks)])
        writer.compute(compute)
        writer.write_all("out", [((variable * ranks + rank) * fine, fine) for rank in range(ranks)])
    writer.close("in")
    writer.close("out")
    return Kernel(
        name="regrid",
        scale=scale,
        title="regridding: rows of a coarse grid read, rows of a fine one written, variable after variable, collective",
        source="ESMF_RegridWeightGen and NCO on PnetCDF: a band of latitudes for each process",
        changed=f"{variables} variables, {coarse // 1000} kB read and {fine // 1000} kB written by each process.",
        run=writer.script,
        prepares=prepared(ranks, [("coarse.nc", variables * ranks * coarse)]),
        results=("fine.nc",),
    )
