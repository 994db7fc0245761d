"""How much more than processes ask for a server of the baseline sends, because their nodes read ahead.

For each application: the B that the server's network interface sent in a run for each B that was read, by several runs;
what the prior thinks that somebody waits for; and the seconds in I/O. The last windows, which are asked for after all
that a process wants, are sent but not waited for.

    sudo acic lab up && sudo python studies/ahead.py [APPLICATION[:SCALE] ...]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks import find_benchmark
from acic.benchmarks.kernels import Kernel, Step, kernel
from acic.evaluation.running import Runs
from acic.lab import Lab
from acic.platforms import load_platform
from acic.prior import Prior, prior_of, uses_of
from acic.prior.calls import moved
from acic.prior.demand import demand_of
from acic.workloads import Operation
from studies.lab_runs import open_lab

APPLICATIONS = ("weights", "graph", "mpiblast:small", "mpiblast:large", "scan", "compare", "volume", "h5read:large")
SERVER = "s0"
REPETITIONS = 3


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


def waited_for(prior: Prior, application: Kernel) -> tuple[float, float]:
    """Return the B that an application reads, and what the prior has the server send that somebody waits for, B."""
    asked = predicted = 0.0
    for phase, use in zip(application.workload.phases, uses_of(application.workload), strict=True):
        if phase.characteristics.operation is Operation.READ:
            asked += phase.bytes
            predicted += moved(demand_of(phase.characteristics, prior.facts.nodes, use), prior.baseline)[0]
    return asked, predicted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("applications", nargs="*", default=APPLICATIONS, metavar="APPLICATION[:SCALE]")
    arguments = parser.parse_args()
    platform = load_platform("lab")
    prior = prior_of(platform)
    assert prior is not None
    with tempfile.TemporaryDirectory() as folder:
        runs = Counted(platform, open_lab(), find_benchmark("acic-bench"), Path(folder))
        for named in arguments.applications:
            name, _, scale = named.partition(":")
            application = kernel(name, scale or "only")
            asked, predicted = waited_for(prior, application)
            seconds, more = [], []
            for repetition in range(REPETITIONS):
                seconds.append(runs.run(application, platform.baseline, repetition).io or 0.0)
                more.append(runs.sent / asked)
            shown = ", ".join(f"{one:.2f}" for one in sorted(more))
            print(f"{named:16} sent {shown}; the prior {predicted / asked:.2f}; {median(seconds):.2f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
