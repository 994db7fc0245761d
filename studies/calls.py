"""What OrangeFS's clients, which wait for each call, get from one, two and four servers, beside what the prior reckons.

One process, then one on each of four nodes, writes and reads 8 MiB of its own in a shared file, 1 MiB at a time: MiB/s
of all. With one call of 128 KiB under way for each node, servers are idle while others have several to serve.

    sudo acic lab up && sudo python studies/calls.py [--repetitions 3]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks.kernels import Kernel, kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.prior import Prior, Use
from acic.space import Configuration, Value
from acic.units import KIB, MIB, format_setting
from acic.workloads import Access, Interface, Operation
from studies.lab_runs import HARDWARE, io_seconds, lab_runs

SIZE, REQUEST = 8 * MIB, MIB
LAYOUTS: tuple[dict[str, Value], ...] = (
    {"servers": 1},
    {"servers": 2, "stripe_size": 64 * KIB, "metadata": "all"},
    {"servers": 2, "stripe_size": 4 * MIB, "metadata": "all"},
    {"servers": 4, "stripe_size": 64 * KIB, "metadata": "all"},
    {"servers": 4, "stripe_size": 4 * MIB, "metadata": "all"},
)


def moving(ranks: int, operation: Operation) -> Kernel:
    """Return an application that does nothing else; its name is another's."""
    writes = operation is Operation.WRITE
    writer = Writer(ranks)
    writer.open("data", "data", write=writes)
    for rank in range(ranks):
        (writer.write if writes else writer.read)("data", rank * SIZE, REQUEST, count=SIZE // REQUEST, ranks=rank)
    writer.close("data")
    made = replace(
        kernel("vpicio", "small"),
        scale=f"{operation}-{ranks}",
        run=writer.script,
        results=(),
    )
    return made if writes else replace(made, prepares=prepared(ranks, [("data", ranks * SIZE)]))


def reckoned(prior: Prior, configuration: Configuration, ranks: int, operation: Operation) -> float:
    """Return the prior's seconds."""
    (write, *_) = kernel("vpicio", "small").workload.phases
    one = replace(
        write.characteristics,
        processes=ranks,
        io_processes=ranks,
        iterations=1,
        data_size=SIZE,
        request_size=REQUEST,
        interface=Interface.POSIX,
        operation=operation,
        collective=False,
        access=Access.CONSECUTIVE,
    )
    return float(prior.seconds(one, prior.systems([configuration]), Use(syncs=0))[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    kinds = [(operation, ranks) for operation in (Operation.WRITE, Operation.READ) for ranks in (1, 4)]
    print(f"{'MiB/s, measured (prior)':38}" + "".join(f"{f'{operation} of {ranks}':>16}" for operation, ranks in kinds))
    with lab_runs() as (runs, prior):
        for placement in ("dedicated", "part-time"):
            for layout in LAYOUTS:
                configuration = Configuration({**HARDWARE, "file_system": "OrangeFS", "placement": placement, **layout})
                told = " ".join(format_setting(name, value) for name, value in layout.items() if name != "metadata")
                line = f"{placement + ' ' + told:38}"
                for operation, ranks in kinds:
                    application = moving(ranks, operation)
                    took = io_seconds(runs, application, configuration, arguments.repetitions)
                    other = reckoned(prior, configuration, ranks, operation)
                    figures = f"{ranks * SIZE / MIB / took:.0f} ({ranks * SIZE / MIB / other:.0f})"
                    line += f"{figures:>16}"
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
