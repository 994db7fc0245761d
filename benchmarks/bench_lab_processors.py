"""How long OrangeFS's daemons work for an application: seconds of a processor, node by node.

The first column is what the slowest process was in I/O for, s; behind it what each server's and each client's daemons
worked in a run, its input and its clearing away included (proc(5), utime and stime). A node whose share is half a core
does no more than that: a server that works for half of the I/O's time is the bottleneck.

    sudo acic lab up && sudo python benchmarks/bench_lab_processors.py [--placement dedicated] [--repetitions 4]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks.kernels import kernel
from acic.lab import Lab
from acic.space import Configuration, Value
from acic.units import KIB
from benchmarks.lab_runs import HARDWARE, lab_runs

APPLICATIONS = ("madbench2", "flashio", "vpicio")
SERVERS = (1, 2, 4)
TICKS = os.sysconf("SC_CLK_TCK")


def worked() -> dict[tuple[str, str], float]:
    """Return the seconds that each daemon worked since it began, by node and name."""
    found: dict[tuple[str, str], float] = defaultdict(float)
    for name, node in Lab.open(control=False).nodes.items():
        for process in (node.groups[0] / "cgroup.procs").read_text().split():
            try:
                told = Path(f"/proc/{process}/stat").read_text()
            except OSError:  # it ended meanwhile
                continue
            fields = told[told.rindex(")") + 2 :].split()
            daemon = told[told.index("(") + 1 : told.rindex(")")]
            found[name, daemon] += (int(fields[11]) + int(fields[12])) / TICKS
    return found


def configuration_of(placement: str, servers: int) -> Configuration:
    more: dict[str, Value] = {"stripe_size": 64 * KIB, "metadata": "one"} if servers > 1 else {}
    return Configuration({**HARDWARE, "file_system": "OrangeFS", "placement": placement, "servers": servers, **more})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--placement", default="part-time", choices=("part-time", "dedicated"))
    parser.add_argument("--repetitions", type=int, default=4)
    arguments = parser.parse_args()
    with lab_runs() as (runs, _):
        for servers in SERVERS:
            configuration = configuration_of(arguments.placement, servers)
            for name in APPLICATIONS:
                application = kernel(name, "large")
                runs.run(application, configuration, 0)  # it deploys, so that daemons are there
                before, again = worked(), runs.thrown_away
                made = [runs.run(application, configuration, n).io for n in range(1, arguments.repetitions + 1)]
                count = len(made) + runs.thrown_away - again
                each = {key: (now - before[key]) / count for key, now in sorted(worked().items())}
                shown = "  ".join(f"{node} {daemon} {s:.2f}" for (node, daemon), s in each.items() if s >= 0.02)
                seconds = median(s for s in made if s is not None)
                print(f"{name:10} {servers} server{'s' * (servers > 1):1} {seconds:6.2f} s   {shown}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
