"""What making a small file takes on the file systems of the lab, beside what the prior reckons for it.

One process, then one on each of four nodes, makes files of 4 KiB in one folder: milliseconds of a process for each of
its files. An order of magnitude is what the prior's prices are meant for; who is dearer than whom is what matters.

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


def making(ranks: int, files: int) -> Kernel:
    """Return an application that does nothing else; what it is said to be is another's."""
    writer = Writer(ranks)
    writer.mkdir("tree", ranks=0)
    writer.barrier()
    for rank in range(ranks):
        writer.put(f"tree/file.{rank}.#", files, SIZE, ranks=rank)
    return replace(kernel("mdtest", "small"), scale=str(ranks), processes=ranks, run=writer.script)


def reckoned(prior: Prior, configuration: Configuration, ranks: int, files: int) -> float:
    """Return the prior's seconds for opening, making and closing, for each file of a process."""
    (write, *_) = kernel("mdtest", "small").workload.phases
    assert write.characteristics.operation is Operation.WRITE
    one = replace(write.characteristics, processes=ranks, io_processes=ranks, iterations=files)
    parts = prior.parts(one, prior.systems([configuration]), Use(files=ranks * files, syncs=0))
    return float(parts[0, Resource.METADATA]) / files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=50, help="of each process")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{'ms for a file':34}{'1 process':>12}{'prior':>8}{'4 processes':>14}{'prior':>8}")
    with lab_runs() as (runs, prior):
        for case in CASES:
            configuration = Configuration({**HARDWARE, "placement": "dedicated", **case})
            told = " ".join(format_setting(name, value) for name, value in case.items() if name != "consistency")
            line = f"{told:34}"
            for ranks, width in ((1, 12), (4, 14)):
                application = making(ranks, arguments.files)
                took = io_seconds(runs, application, configuration, arguments.repetitions) / arguments.files
                line += f"{took * 1e3:{width}.1f}"
                line += f"{reckoned(prior, configuration, ranks, arguments.files) * 1e3:8.1f}"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
