"""Applications for a test: tasks that hand over, pick out, note and gather by files of their own."""

from __future__ import annotations

from acic.benchmarks.kernels.kernel import Kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.units import KIB, MIB


def skim(scale: str, *, ranks: int, clusters: int, cluster: int, kept: int, compute: float) -> Kernel:
    """Events picked out: of a file of its own each process reads every second cluster, and writes what it keeps."""
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"i{rank}", f"events.{rank}.root", ranks=rank, write=False)
        writer.open(f"o{rank}", f"skim.{rank}.root", ranks=rank, write=True)
    for number in range(clusters):
        for rank in range(ranks):
            writer.read(f"i{rank}", 2 * number * cluster, cluster, ranks=rank)
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"o{rank}", number * kept, kept, ranks=rank)
    for rank in range(ranks):
        writer.close(f"i{rank}", ranks=rank)
        writer.close(f"o{rank}", ranks=rank)
    return Kernel(
        name="skim",
        scale=scale,
        title="events picked out: every second cluster of a file read, a smaller file written, by each process",
        source="skims of ROOT files in high-energy physics: some branches of a tree, read cluster by cluster",
        changed=f"{clusters} clusters of {cluster // KIB} KiB, of which {kept // KIB} KiB are kept.",
        run=writer.script,
        prepares=prepared(ranks, [(f"events.{rank}.root", 2 * clusters * cluster) for rank in range(ranks)]),
        results=tuple(f"skim.{rank}.root" for rank in range(ranks)),
    )


def untar(scale: str, *, ranks: int, files: int, size: int) -> Kernel:
    """An archive unpacked by one process into many files, while the others of the job wait."""
    writer = Writer(ranks)
    writer.open("a", "case.tar", ranks=0, write=False)
    for number in range(files):
        writer.read("a", number * size, size, ranks=0)
        writer.put(f"case.{number}.#", 1, size, ranks=0)
    writer.close("a", ranks=0)
    writer.barrier()
    return Kernel(
        name="untar",
        scale=scale,
        title="an archive unpacked by one process into many files",
        source="tar -xf at the beginning of a job script",
        changed=f"{files} files of {size // 1000} kB; headers are left out.",
        run=writer.script,
        prepares=prepared(ranks, [("case.tar", files * size)]),
        results=tuple(f"case.{number}.0" for number in range(files)),
    )


def logs(scale: str, *, ranks: int, lines: int, size: int, compute: float) -> Kernel:
    """What tasks print: each process adds a small piece to a file of its own whenever it has computed a little."""
    writer = Writer(ranks)
    for rank in range(ranks):
        writer.open(f"l{rank}", f"task.{rank}.out", ranks=rank, write=True)
    for line in range(lines):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write(f"l{rank}", line * size, size, ranks=rank)
    for rank in range(ranks):
        writer.close(f"l{rank}", ranks=rank)
    return Kernel(
        name="logs",
        scale=scale,
        title="what tasks print: small pieces added to a file of each process, between little computing",
        source="verbose output of ensembles of tasks, a buffer of the C library at a time",
        changed=f"{lines} pieces of {size // KIB} KiB of each process.",
        run=writer.script,
        results=tuple(f"task.{rank}.out" for rank in range(ranks)),
    )


def harvest(scale: str, *, ranks: int, each: int, size: int, table: int, compute: float) -> Kernel:
    """A study's results: each process writes one file for each of its cases, then one process reads all of them."""
    writer = Writer(ranks)
    for case in range(each):
        writer.compute(compute)
        for rank in range(ranks):
            writer.put(f"case.{rank}.{case}.#", 1, size, ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        for case in range(each):
            writer.get(f"case.{rank}.{case}.#", 1, size, ranks=0)
    writer.put("table.csv", 1, table, ranks=0)
    cases = [f"case.{rank}.{case}.0" for rank in range(ranks) for case in range(each)]
    return Kernel(
        name="harvest",
        scale=scale,
        title="a study's results: a file for each case, gathered by one process at the end",
        source="parameter studies (Dakota, nextflow's publishing) whose last step reads all results",
        changed=f"{each} cases of each process, {size // KIB} KiB each; a table of {table / 1e6:.2g} MB.",
        run=writer.script,
        results=(*cases, "table.csv"),
    )


def exchange(scale: str, *, ranks: int, rounds: int, calls: int, compute: float) -> Kernel:
    """Replicas that change places: each process writes its state, and goes on from what its partner wrote."""
    request = 256 * KIB
    share = calls * request
    writer = Writer(ranks)
    for turn in range(rounds):
        writer.compute(compute)
        for rank in range(ranks):
            writer.write_file(f"w{rank}", f"replica.{turn}.{rank}", request, count=calls, ranks=rank)
        writer.barrier()
        for rank in range(ranks):
            other = (rank + ranks // 2) % ranks
            writer.read_file(f"r{rank}", f"replica.{turn}.{other}", request, count=calls, ranks=rank)
    return Kernel(
        name="exchange",
        scale=scale,
        title="replicas that change places: a state of each process, read by its partner, round by round",
        source="replica exchange by files (RepEx, Amber's multi-replica runs)",
        changed=f"{rounds} rounds of {share / MIB:.3g} MiB; all states are kept.",
        run=writer.script,
        results=tuple(f"replica.{turn}.{rank}" for turn in range(rounds) for rank in range(ranks)),
    )
