"""How much more than processes ask for a server sends, because their nodes read ahead.

For each application: the B that the server's network interface sent in a run for each B that was read, by several runs;
what the prior thinks that somebody waits for; and the seconds in I/O. The last windows, which are asked for after all
that a process wants, are sent but not waited for. The server is the baseline's, or one of GlusterFS.

In place of applications there are four processes, each on a node: with `--turns` they read one file in turns, by so
many B at a time; with `--skips` each reads every second piece of so many B, in two requests, of a file of its own; with
`--own` each writes a file of its own by so many B at a time, closes it, opens it again and reads it.

    sudo acic lab up && sudo python studies/ahead.py [--gluster] [--turns|--skips|--own B ...] [APPLICATION[:SCALE] ...]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks import find_benchmark
from acic.benchmarks.kernels import Kernel, Step, kernel
from acic.benchmarks.kernels.script import Script, Writer, prepared
from acic.evaluation.running import Runs
from acic.lab import Lab
from acic.platforms import load_platform
from acic.prior import Prior, prior_of, uses_of
from acic.prior.calls import holes, moved
from acic.prior.demand import demand_of
from acic.space import Configuration
from acic.units import MIB
from acic.workloads import Operation
from studies.lab_runs import HARDWARE, open_lab

APPLICATIONS = ("weights", "graph", "mpiblast:small", "mpiblast:large", "scan", "compare", "volume", "h5read:large")
SERVER = "s0"
REPETITIONS = 3
NODES, FILE = 4, 24 * MIB
GLUSTER = Configuration({**HARDWARE, "file_system": "GlusterFS", "servers": 1, "placement": "dedicated"})


class Counted(Runs):
    """Counts what the server sends while applications run, not while their input is made."""

    sent = 0

    def _job(self, kernel: Kernel, step: Step, *rest: Any, **more: Any) -> Any:
        before = sent()
        took = super()._job(kernel, step, *rest, **more)
        if step == "run":
            self.sent = sent() - before
        return took


def sent() -> int:
    """Return the B that the server's network interface sent so far."""
    told = Lab.open(control=False).nodes[SERVER].root / "proc" / "1" / "net" / "dev"
    lines = (line.split() for line in told.read_text().splitlines()[2:])
    return sum(int(words[9]) for words in lines if words[0] != "lo:")


def turns(size: int) -> Kernel:
    """Return an application whose processes read a file in turns, `size` B at a time; its name is another's."""
    writer, each = Writer(NODES), FILE // (NODES * size)
    writer.open("file", "file", write=False)
    for turn, rank in product(range(each), range(NODES)):
        writer.read("file", (turn * NODES + rank) * size, size, ranks=rank)
    writer.close("file")
    prepares = prepared(NODES, [("file", each * NODES * size)])
    return _named(size, writer, prepares)


def skips(size: int) -> Kernel:
    """Return an application whose processes read every second piece of `size` B of their files, by two requests."""
    writer, each = Writer(NODES), FILE // (NODES * 2 * size)
    for rank in range(NODES):
        writer.open("file", f"file{rank}", ranks=rank, write=False)
        for piece in range(each):
            writer.read("file", 2 * piece * size, size // 2, count=2, ranks=rank)
        writer.close("file", ranks=rank)
    return _named(size, writer, prepared(NODES, [(f"file{rank}", 2 * each * size) for rank in range(NODES)]))


def own(size: int) -> Kernel:
    """Return an application whose processes read what they wrote by `size` B at a time, and closed."""
    writer, each = Writer(NODES), FILE // (NODES * size)
    for rank in range(NODES):
        writer.open("file", f"file{rank}", ranks=rank, write=True)
        writer.write("file", 0, size, count=each, ranks=rank)
        writer.close("file", ranks=rank)
    writer.barrier()
    for rank in range(NODES):
        writer.open("file", f"file{rank}", ranks=rank, write=False)
        writer.read("file", 0, size, count=each, ranks=rank)
        writer.close("file", ranks=rank)
    writer.barrier()
    for rank in range(NODES):
        writer.unlink(f"file{rank}", ranks=rank)
    return _named(size, writer, None)


def _named(size: int, writer: Writer, prepares: Script | None) -> Kernel:
    return replace(kernel("mdtest", "small"), scale=f"{size}", run=writer.script, prepares=prepares, results=())


PATTERNS: Mapping[str, Callable[[int], Kernel]] = {"turns": turns, "skips": skips, "own": own}


def waited_for(prior: Prior, application: Kernel, where: Configuration) -> tuple[float, float]:
    """Return the B that an application reads, and what the prior has the server send that somebody waits for, B."""
    systems = prior.systems([where])
    asked = predicted = 0.0
    for phase, use in zip(application.workload.phases, uses_of(application.workload), strict=True):
        if phase.characteristics.operation is Operation.READ:
            asked += phase.bytes
            demand = demand_of(phase.characteristics, prior.facts.nodes, use)
            kept = use.own and not use.others and not demand.shared and bool(systems.reuses[0])
            predicted += (moved(demand, systems) * (holes(demand, systems) / demand.again if kept else 1.0))[0]
    return asked, predicted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("applications", nargs="*", default=APPLICATIONS, metavar="APPLICATION[:SCALE]")
    parser.add_argument("--gluster", action="store_true", help="on GlusterFS, in place of the baseline")
    patterns = parser.add_mutually_exclusive_group()
    patterns.add_argument("--turns", nargs="+", type=int, metavar="B", help="of a file that processes read in turns")
    patterns.add_argument("--skips", nargs="+", type=int, metavar="B", help="of files of which they skip every second")
    patterns.add_argument("--own", nargs="+", type=int, metavar="B", help="of files that they wrote themselves")
    arguments = parser.parse_args()
    pattern, sizes = next(((name, found) for name in PATTERNS if (found := vars(arguments)[name])), ("", []))
    platform = load_platform("lab")
    prior = prior_of(platform)
    assert prior is not None
    with tempfile.TemporaryDirectory() as folder:
        runs = Counted(platform, open_lab(), find_benchmark("acic-bench"), Path(folder))
        where = GLUSTER if arguments.gluster else platform.baseline
        for named in sizes or arguments.applications:
            name, _, scale = str(named).partition(":")
            application = PATTERNS[pattern](named) if pattern else kernel(name, scale or "only")
            asked, predicted = waited_for(prior, application, where)
            seconds, more = [], []
            for repetition in range(REPETITIONS):
                seconds.append(runs.run(application, where, repetition).io or 0.0)
                more.append(runs.sent / asked)
            shown = ", ".join(f"{one:.2f}" for one in sorted(more))
            print(f"{named:16} sent {shown}; the prior {predicted / asked:.2f}; {median(seconds):.2f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
