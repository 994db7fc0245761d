"""What making files adds to a run whose processes compute between, with what each process waits for one.

Eight processes on four nodes, two on each, compute and make a file of 4 KiB, twenty times: all in step (a barrier
before and after each file), or each in its own time. Milliseconds for each of a process's files: what the run takes
longer than without files, and in brackets what the slowest process waits. Where those that compute have used up their
node's share of the processor, its clients and servers wait for the next period. Others compute meanwhile, so that a
run gets back most of what its processes wait.

    sudo acic lab up && sudo python studies/computing.py [--only REGEX] [--repetitions 3]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks.kernels import Kernel, kernel
from acic.benchmarks.kernels.script import Writer
from acic.evaluation.running import Runs
from acic.space import Configuration, Value
from acic.units import KIB, format_setting
from studies.lab_runs import HARDWARE, lab_runs

SIZE = 4 * KIB
RANKS, FILES = 8, 20
SECONDS = 0.02  # of a processor, before each file
CASES: tuple[Mapping[str, Value], ...] = (
    {"file_system": "NFS", "servers": 1, "consistency": "relaxed"},
    {"file_system": "GlusterFS", "servers": 4, "stripe_size": 1 << 40},
    {"file_system": "OrangeFS", "servers": 4, "stripe_size": 64 * KIB, "metadata": "one"},
    {"file_system": "CephFS", "servers": 4, "stripe_size": 64 * KIB, "consistency": "relaxed"},
)
COLUMNS = {  # of each: whether processes make files, compute, and wait for one another
    "no computing": (True, False, False),
    "in step": (True, True, True),
    "in their own time": (True, True, False),
}


def application(*, makes: bool, computes: bool, in_step: bool) -> Kernel:
    """Return an application that computes and makes files; its name is another's."""
    writer = Writer(RANKS)
    for number in range(FILES):
        if computes:
            writer.compute(SECONDS)
        if in_step:
            writer.barrier()
        for rank in range(RANKS) if makes else ():
            writer.put(f"file.{rank}.{number}", 1, SIZE, ranks=rank)
        if in_step:
            writer.barrier()
    return replace(
        kernel("mdtest", "small"),
        scale=f"{makes}-{computes}-{in_step}".lower(),
        run=writer.script,
        prepares=None,
    )


def medians(runs: Runs, application: Kernel, configuration: Configuration, repetitions: int) -> tuple[float, float]:
    """Return the seconds of a run, and those of its slowest process in I/O: medians of runs that went well."""
    made = [runs.run(application, configuration, number) for number in range(repetitions)]
    good = [(one.seconds, one.io) for one in made if one.seconds is not None and one.io is not None]
    if not good:
        raise SystemExit(f"no run went well: {made[-1].note if made else 'none was asked for'}")
    seconds, waited = zip(*good, strict=True)
    return median(seconds), median(waited)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name it is found in")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{'ms for a file: the run (the process)':60}" + "".join(f"{title:>20}" for title in COLUMNS))
    with lab_runs() as (runs, _):
        for case in ({**one, "placement": place} for one in CASES for place in ("dedicated", "part-time")):
            told = " ".join(format_setting(name, value) for name, value in case.items() if name != "consistency")
            if not re.search(arguments.only, told):
                continue
            configuration = Configuration({**HARDWARE, **case})
            alone = application(makes=False, computes=True, in_step=False)
            computing, _ = medians(runs, alone, configuration, arguments.repetitions)
            line = f"{told:60}"
            for makes, computes, in_step in COLUMNS.values():
                one = application(makes=makes, computes=computes, in_step=in_step)
                seconds, waited = medians(runs, one, configuration, arguments.repetitions)
                more = (seconds - computing * computes) / FILES * 1e3
                line += f"{f'{more:.0f} ({waited / FILES * 1e3:.0f})':>20}"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
