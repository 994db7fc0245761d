"""How many I/Os a disk of the lab makes of inputs that many processes wrote, a part of each, as applications find them.

Sixteen processes on four nodes read files that they have made as inputs of the lab's applications are made
(`acic.benchmarks.kernels.script.prepared`), with nothing in any cache, from one server with one or two ephemeral disks.
`/proc/diskstats` of the disks tells the I/Os of the busiest one for each part; beside it stands what the prior has.
Of applications that are named it tells all I/Os in which disks are read.

    sudo acic lab up && sudo python studies/inputs.py [--only REGEX] [APPLICATION[:SCALE] ...]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks.kernels import Kernel, kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.prior import Prior, uses_of
from acic.prior.demand import demand_of
from acic.prior.disks import disk_requests
from acic.space import Configuration, Value
from acic.units import KIB, MIB
from studies.lab_runs import HARDWARE, lab_runs

TOTAL, CALL, RANKS, NODES = 48 * MIB, 128 * KIB, 16, 4
KIBS, WITHIN = (24, 48, 96, 192, 384, 768), (27_500, 50_000, 100_000, 200_000, 400_000)  # the latter in B
PARTS = (*(size * KIB for size in KIBS), *WITHIN)
CASES: tuple[dict[str, Value], ...] = (
    {"file_system": "NFS", "servers": 1, "consistency": "relaxed"},
    {"file_system": "NFS", "servers": 1, "consistency": "strict"},
    {"file_system": "GlusterFS", "servers": 1},
    {"file_system": "OrangeFS", "servers": 1},
)


def files_of(part: int) -> int:
    """Return how many files have about `TOTAL` B; as many for each process where there are enough."""
    count = TOTAL // (part * RANKS)
    return count // RANKS * RANKS if count > RANKS else count


def application(part: int) -> Kernel:
    """Return an application that reads such files; its own name is another's."""
    writer, size = Writer(RANKS), part * RANKS
    files = [f"input.{number}" for number in range(files_of(part))]
    for number, path in enumerate(files):
        writer.read_file("f", path, CALL, count=size // CALL, ranks=number % RANKS)
    made = prepared(RANKS, [(path, size) for path in files])
    return replace(kernel("mdtest", "small"), scale=f"parts-{part}", run=writer.script, prepares=made, results=())


def reads() -> Mapping[str, int]:
    """Return the reads of each loop device so far: the lab's disks are such."""
    lines = (line.split() for line in Path("/proc/diskstats").read_text().splitlines())
    return {name: int(count) for _, _, name, count, *_ in lines if name.startswith("loop")}


def cases(named: Sequence[str]) -> Iterator[tuple[str, Kernel, int]]:
    """Yield the heading of each column, what runs, and what its I/Os are told for each of: its parts, or all."""
    for one in named:
        name, _, scale = one.partition(":")
        yield one, kernel(name, scale or "only"), 1
    for part in () if named else PARTS:
        yield f"{part:,} B", application(part), files_of(part) * RANKS


def reckoned(prior: Prior, configuration: Configuration, made: Kernel) -> float:
    """Return the prior's I/Os of a disk for all that is read."""
    systems = prior.systems([configuration])
    phases = zip(made.workload.phases, uses_of(made.workload), strict=True)
    demands = [demand_of(phase.characteristics, NODES, use) for phase, use in phases]
    seconds = sum(disk_requests(demand, systems, np.ones(1))[0] for demand in demands if demand.reads)
    return float(seconds * systems.read_iops[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name it is found in")
    parser.add_argument("applications", nargs="*", metavar="APPLICATION[:SCALE]")
    arguments = parser.parse_args()
    columns = list(cases(arguments.applications))
    print(f"{'I/Os (prior)':30}" + "".join(f"{heading:>14}" for heading, _, _ in columns))
    with lab_runs() as (runs, prior):
        for case in CASES:
            for disks in (1, 2):
                setting = " ".join((str(case["file_system"]), str(case.get("consistency", "")))).strip()
                setting += f", {disks} x ephemeral"
                if not re.search(arguments.only, setting):
                    continue
                hardware = {**HARDWARE, "placement": "dedicated", "device": "ephemeral", "raid_devices": disks}
                configuration, line = Configuration({**hardware, **case}), f"{setting:30}"
                for _, made, parts in columns:
                    before = reads()
                    runs.run(made, configuration, 0)
                    most = max(count - before.get(name, 0) for name, count in reads().items())
                    thought = reckoned(prior, configuration, made)
                    told = f"{most} ({thought:.0f})" if parts == 1 else f"{most / parts:.2f} ({thought / parts:.2f})"
                    line += f"{told:>14}"
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
