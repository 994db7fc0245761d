"""How long OrangeFS's daemons work for an application: seconds of a processor, node by node.

The first column is what the slowest process was in I/O for, s; behind it what each server's and each client's daemons
worked in a run, its input and its clearing away included (proc(5), utime and stime). A node whose share is half a core
does no more than that: a server that works for half of the I/O's time is the bottleneck.

With --threads: how many threads of each server's daemon are ready to run at once (and in how many moments some were),
of each file system, while processes on their nodes compute and read, each in its own time. A scheduler gives each of
them as much of a processor as each process that computes.

    sudo acic lab up && sudo python studies/processors.py [--placement dedicated] [--repetitions 4]
    sudo python studies/processors.py --threads
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import mean, median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks.kernels import kernel
from acic.evaluation.running import Runs
from acic.lab import Lab
from acic.space import Configuration, Value
from acic.units import KIB
from studies.lab_runs import HARDWARE, lab_runs

APPLICATIONS = ("madbench2", "flashio", "vpicio")
SERVERS = (1, 2, 4)
READERS = ("seismic", "deepcam", "specfem")  # of those that compute meanwhile
PART_TIME: dict[str, dict[str, Value]] = {
    "NFS": {"servers": 1, "consistency": "relaxed"},
    "GlusterFS": {"servers": 2, "stripe_size": 1 << 40},
    "CephFS": {"servers": 2, "stripe_size": 64 * KIB, "consistency": "strict"},
    "OrangeFS": {"servers": 2, "stripe_size": 64 * KIB, "metadata": "one"},
}
DAEMONS = ("ganesha.nfsd", "glusterfsd", "ceph-osd", "pvfs2-server")
MOMENT = 0.01  # s between looks at threads
TICKS = os.sysconf("SC_CLK_TCK")


def spread(application: str, runs: Runs) -> None:
    """Print how many threads of each server's daemon are ready to run at once, while one is."""
    for file_system, more in PART_TIME.items():
        configuration = Configuration({**HARDWARE, "file_system": file_system, "placement": "part-time", **more})
        runs.run(kernel(application), configuration, 0)  # it deploys, so that daemons are there
        seen: dict[str, list[int]] = defaultdict(list)
        with ThreadPoolExecutor(1) as pool:
            run = pool.submit(runs.run, kernel(application), configuration, 1)
            daemons = servers()
            while not run.done():
                for node, process in daemons.items():
                    if count := ready(process):
                        seen[node].append(count)
                time.sleep(MOMENT)
        shown = "  ".join(f"{node} {mean(counts):.1f} ({len(counts)})" for node, counts in sorted(seen.items()))
        print(f"{application:10} {file_system:10} {shown}", flush=True)


def servers() -> dict[str, Path]:
    """Return the tasks of each node's server daemon."""
    found = {}
    for name, node in Lab.open(control=False).nodes.items():
        for process in (node.groups[0] / "cgroup.procs").read_text().split():
            with suppress(OSError):  # it ended meanwhile
                if Path(f"/proc/{process}/comm").read_text().strip() in DAEMONS:
                    found[name] = Path(f"/proc/{process}/task")
    return found


def ready(tasks: Path) -> int:
    """Return how many threads run, or would."""
    count = 0
    for task in tasks.iterdir():
        with suppress(OSError):
            count += (task / "stat").read_text().rpartition(")")[2].split()[0] == "R"
    return count


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
    parser.add_argument("--threads", action="store_true", help="count the threads that work")
    arguments = parser.parse_args()
    with lab_runs() as (runs, _):
        if arguments.threads:
            for name in READERS:
                spread(name, runs)
            return 0
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
