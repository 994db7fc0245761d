"""What making and opening a small file takes on the file systems of the lab, beside what the prior reckons for it.

One process, then one on each of four nodes, makes files of 4 KiB in one folder, and another process opens and reads
them: milliseconds of a process for each of its files. An order of magnitude is what the prior's prices are meant for;
who is dearer than whom is what matters.

    sudo acic lab up && sudo python benchmarks/bench_lab_files.py [--files 50] [--repetitions 3]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks.kernels import Kernel, kernel
from acic.benchmarks.kernels.script import Writer
from acic.prior import Prior, Resource, Use
from acic.space import Configuration, Value
from acic.units import KIB, MIB, format_setting
from acic.workloads import Operation
from benchmarks.lab_runs import HARDWARE, io_seconds, lab_runs

SIZE = 4 * KIB
WHOLE = 1 << 40
CASES: tuple[dict[str, Value], ...] = (
    {"file_system": "NFS", "servers": 1, "consistency": "relaxed"},
    {"file_system": "GlusterFS", "servers": 1},
    {"file_system": "GlusterFS", "servers": 2, "stripe_size": WHOLE},
    {"file_system": "GlusterFS", "servers": 4, "stripe_size": WHOLE},
    {"file_system": "OrangeFS", "servers": 1},
    {"file_system": "OrangeFS", "servers": 4, "stripe_size": 64 * KIB, "metadata": "one"},
    {"file_system": "OrangeFS", "servers": 4, "stripe_size": 64 * KIB, "metadata": "all"},
    {"file_system": "CephFS", "servers": 1, "consistency": "relaxed"},
    {"file_system": "CephFS", "servers": 4, "stripe_size": 4 * MIB, "consistency": "relaxed"},
)


def making(ranks: int, files: int, *, opened: bool = False) -> Kernel:
    """Return an application that makes files, and has them opened too; what it is said to be is another's."""
    writer = Writer(ranks)
    writer.mkdir("tree", ranks=0)
    writer.barrier()
    for rank in range(ranks):
        writer.put(f"tree/file.{rank}.#", files, SIZE, ranks=rank)
    writer.barrier()
    for rank in range(ranks if opened else 0):
        writer.get(f"tree/file.{(rank + 1) % ranks}.#", files, SIZE, ranks=rank)
    return replace(
        kernel("mdtest", "small"), scale=f"{ranks}-opened" if opened else str(ranks), processes=ranks, run=writer.script
    )


def reckoned(prior: Prior, configuration: Configuration, ranks: int, files: int, operation: Operation) -> float:
    """Return the prior's seconds for making or opening, and closing, for each file of a process."""
    (write, *_) = kernel("mdtest", "small").workload.phases
    one = replace(write.characteristics, processes=ranks, io_processes=ranks, iterations=files, operation=operation)
    parts = prior.parts(one, prior.systems([configuration]), Use(files=ranks * files, syncs=0))
    return float(parts[0, Resource.METADATA]) / files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=50, help="of each process")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    columns = [(operation, ranks) for operation in (Operation.WRITE, Operation.READ) for ranks in (1, 4)]
    words = {Operation.WRITE: "made", Operation.READ: "opened"}
    print(f"{'ms for a file (prior)':34}" + "".join(f"{f'{words[what]} by {ranks}':>16}" for what, ranks in columns))
    with lab_runs() as (runs, prior):
        for case in CASES:
            configuration = Configuration({**HARDWARE, "placement": "dedicated", **case})
            told = " ".join(format_setting(name, value) for name, value in case.items() if name != "consistency")
            took: dict[int, float] = {}
            line = f"{told:34}"
            for what, ranks in columns:
                application = making(ranks, arguments.files, opened=what is Operation.READ)
                seconds = io_seconds(runs, application, configuration, arguments.repetitions) / arguments.files
                own, took[ranks] = seconds - took.get(ranks, 0.0), seconds
                predicted = reckoned(prior, configuration, ranks, arguments.files, what)
                line += f"{f'{own * 1e3:.1f} ({predicted * 1e3:.1f})':>16}"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
