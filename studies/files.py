"""What making and opening a small file takes on the file systems of the lab, beside what the prior reckons for it.

One process, one on each of four nodes, and four on each make files of 4 KiB in one folder; as many others open and read
such files that were made before, with nothing in any cache: milliseconds of a process for each of its files. An order
of magnitude is what the prior's prices are meant for; who is dearer than whom is what matters.

    sudo acic lab up && sudo python studies/files.py [--only REGEX] [--files 40] [--repetitions 3]
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks.kernels import Kernel, kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.prior import Prior, Use
from acic.space import Configuration, Value
from acic.units import KIB, format_setting
from acic.workloads import Operation
from studies.lab_runs import HARDWARE, io_seconds, lab_runs

SIZE = 4 * KIB
WHOLE = 1 << 40
STRIPS: dict[str, Value] = {"file_system": "OrangeFS", "stripe_size": 64 * KIB}
CASES: tuple[dict[str, Value], ...] = (
    {"file_system": "NFS", "servers": 1, "consistency": "relaxed"},
    {"file_system": "GlusterFS", "servers": 1},
    {"file_system": "GlusterFS", "servers": 4, "stripe_size": WHOLE},
    {"file_system": "OrangeFS", "servers": 1},
    {**STRIPS, "servers": 2, "metadata": "one"},
    {**STRIPS, "servers": 2, "metadata": "all"},
    {**STRIPS, "servers": 4, "metadata": "one"},
    {**STRIPS, "servers": 4, "metadata": "all"},
    {"file_system": "CephFS", "servers": 1, "consistency": "relaxed"},
    {"file_system": "CephFS", "servers": 4, "stripe_size": 64 * KIB, "consistency": "relaxed"},
)
RANKS = (1, 4, 16)


def application(ranks: int, files: int, operation: Operation) -> Kernel:
    """Return an application that makes files, or opens files that are there; its name is another's."""
    writer, names = Writer(ranks), [f"file.{rank}.{number}" for rank in range(ranks) for number in range(files)]
    write = operation is Operation.WRITE
    for rank in range(ranks):
        (writer.put if write else writer.get)(f"file.{rank}.#", files, SIZE, ranks=rank)
    return replace(
        kernel("mdtest", "small"),
        scale=f"{ranks}-{operation}",
        run=writer.script,
        prepares=None if write else prepared(ranks, [(name, SIZE) for name in names]),
    )


def reckoned(prior: Prior, configuration: Configuration, ranks: int, files: int, operation: Operation) -> float:
    """Return the prior's seconds for each file of a process."""
    (write, *_) = kernel("mdtest", "small").workload.phases
    one = replace(write.characteristics, processes=ranks, io_processes=ranks, iterations=files, operation=operation)
    return float(prior.seconds(one, prior.systems([configuration]), Use(files=ranks * files, syncs=0))[0]) / files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name it is found in")
    parser.add_argument("--placement", default="dedicated", choices=("part-time", "dedicated"))
    parser.add_argument("--files", type=int, default=40, help="of each process; a quarter where there are 16")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    columns = [(operation, ranks) for operation in (Operation.WRITE, Operation.READ) for ranks in RANKS]
    words = {Operation.WRITE: "made", Operation.READ: "opened"}
    print(f"{'ms for a file (prior)':50}" + "".join(f"{f'{words[what]} by {ranks}':>15}" for what, ranks in columns))
    with lab_runs() as (runs, prior):
        for case in CASES:
            told = " ".join(format_setting(name, value) for name, value in case.items() if name != "consistency")
            if not re.search(arguments.only, told):
                continue
            configuration = Configuration({**HARDWARE, "placement": arguments.placement, **case})
            line = f"{told:50}"
            for what, ranks in columns:
                files = max(1, arguments.files // (4 if ranks > 4 else 1))
                took = io_seconds(runs, application(ranks, files, what), configuration, arguments.repetitions) / files
                predicted = reckoned(prior, configuration, ranks, files, what)
                line += f"{f'{took * 1e3:.1f} ({predicted * 1e3:.1f})':>15}"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
