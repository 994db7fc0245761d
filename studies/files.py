"""What small files and their names take on the file systems of the lab, beside what the prior reckons for it.

One process, one on each of four nodes, and four on each make files of 4 KiB in one folder; open and read such files
that were made before, with nothing in any cache; remove them; ask for their attributes; make and remove empty ones, as
locks; open one of their own again and again, to read it or to add 40 B to it; give files other names; write one under
another name each time, which then replaces the one before (`replaced`); make files, sync them and give them other
names, which a process of the next node reads then (`handed`); or open files together by MPI-IO, that are to be made
(`founded`) or that are there (`joined`): milliseconds of a process for each of
its files, or each time. An order of magnitude is what the prior's prices are meant for; who is dearer than whom is what
matters.

    sudo acic lab up && sudo python studies/files.py [--acts made opened] [--only REGEX] [--files 40] [--repetitions 3]
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Literal, get_args

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.benchmarks.kernels import Kernel, kernel
from acic.benchmarks.kernels.script import Writer, prepared
from acic.prior import Prior, Use
from acic.space import Configuration, Value
from acic.units import KIB, MIB, format_setting
from acic.workloads import Interface, Operation
from studies.lab_runs import HARDWARE, io_seconds, lab_runs

SIZE, NODES = 4 * KIB, 4
LINE = 40  # B
WHOLE = 1 << 40
STRIPS: dict[str, Value] = {"file_system": "OrangeFS", "stripe_size": 64 * KIB}
CASES: tuple[dict[str, Value], ...] = (
    {"file_system": "NFS", "servers": 1, "consistency": "relaxed"},
    {"file_system": "GlusterFS", "servers": 1},
    {"file_system": "GlusterFS", "servers": 2, "stripe_size": WHOLE},
    {"file_system": "GlusterFS", "servers": 4, "stripe_size": WHOLE},
    {"file_system": "GlusterFS", "servers": 4, "stripe_size": 4 * MIB},
    {"file_system": "OrangeFS", "servers": 1},
    {**STRIPS, "servers": 2, "metadata": "one"},
    {**STRIPS, "servers": 2, "metadata": "all"},
    {**STRIPS, "servers": 4, "metadata": "one"},
    {**STRIPS, "servers": 4, "metadata": "all"},
    {"file_system": "CephFS", "servers": 1, "consistency": "relaxed"},
    {"file_system": "CephFS", "servers": 4, "stripe_size": 64 * KIB, "consistency": "relaxed"},
)
RANKS = (1, 4, 16)
Act = Literal[
    "made",
    "opened",
    "removed",
    "asked",
    "locked",
    "folders",
    "reread",
    "added",
    "founded",
    "joined",
    "renamed",
    "replaced",
    "handed",
]
ACTS: tuple[Act, ...] = get_args(Act)
TOGETHER: tuple[Act, ...] = ("founded", "joined")


def application(act: Act, ranks: int, files: int) -> Kernel:
    """Return an application that does that to the names of files; its own name is another's."""
    writer, names = Writer(ranks), [f"file.{rank}.{number}" for rank in range(ranks) for number in range(files)]
    if act in TOGETHER:
        _together(writer, act, files)
    elif act == "handed":
        _hand(writer, ranks, files)
    else:
        for rank in range(ranks):
            _do(writer, act, rank, files)
    there = act in ("opened", "removed", "asked", "reread", "renamed", "joined")
    return replace(
        kernel("mdtest", "small"),
        scale=f"{ranks}-{act}",
        run=writer.script,
        prepares=prepared(ranks, [(name, SIZE) for name in names]) if there else None,
        results=(),
    )


def _together(writer: Writer, act: Act, files: int) -> None:
    for number in range(files):
        path = f"founded.{number}" if act == "founded" else f"file.0.{number}"
        writer.open("shared", path, write=act == "founded", mpiio=True)
        writer.close("shared")


def _do(writer: Writer, act: Act, rank: int, files: int) -> None:
    pattern, own = f"file.{rank}.#", [f"{act}.{rank}.{number}" for number in range(files)]
    if act == "locked":
        for path in own:
            writer.open("lock", path, ranks=rank, write=True)
            writer.close("lock", ranks=rank)
            writer.unlink(path, ranks=rank)
    elif act == "folders":
        for change in (writer.mkdir, writer.rmdir):
            for path in own:
                change(path, ranks=rank)
    elif act in ("reread", "added"):
        _again(writer, act, rank, files)
    elif act in ("renamed", "replaced"):
        _rename(writer, act, rank, files)
    elif act in ("made", "opened"):
        (writer.put if act == "made" else writer.get)(pattern, files, SIZE, ranks=rank)
    else:
        (writer.unlink if act == "removed" else writer.stat)(pattern, files, ranks=rank)


def _again(writer: Writer, act: Act, rank: int, files: int) -> None:
    for number in range(files):
        writer.open("own", f"file.{rank}.0", ranks=rank, write=act == "added")
        if act == "added":
            writer.write("own", number * LINE, LINE, ranks=rank)
        else:
            writer.read("own", 0, SIZE, ranks=rank)
        writer.close("own", ranks=rank)


def _rename(writer: Writer, act: Act, rank: int, files: int) -> None:
    if act == "renamed":
        writer.rename(f"file.{rank}.#", f"other.{rank}.#", files, ranks=rank)
        return
    for _ in range(files):
        writer.put(f"state.{rank}.tmp", 1, SIZE, ranks=rank)
        writer.rename(f"state.{rank}.tmp", f"state.{rank}", ranks=rank)


def _hand(writer: Writer, ranks: int, files: int) -> None:
    """Have each process write files, and then read those of the one that has its place on the node before."""
    for rank, number in product(range(ranks), range(files)):
        writer.write_file("own", f"own.{rank}.{number}", SIZE, ranks=rank, sync=True)
        writer.rename(f"own.{rank}.{number}", f"handed.{rank}.{number}", ranks=rank)
    writer.barrier()
    for rank in range(ranks):
        writer.get(f"handed.{rank}.#", files, SIZE, ranks=(rank + max(1, ranks // NODES)) % ranks)


def reckoned(prior: Prior, configuration: Configuration, act: Act, ranks: int, files: int) -> float:
    """Return the prior's seconds for each file of a process."""
    operation = Operation.READ if act in ("opened", "reread") else Operation.WRITE
    (write, *_) = kernel("mdtest", "small").workload.phases
    one = replace(write.characteristics, processes=ranks, io_processes=ranks, iterations=files, operation=operation)
    systems, use = prior.systems([configuration]), Use(files=ranks * files, syncs=0)
    if act in TOGETHER:
        reads = Operation.READ if act == "joined" else Operation.WRITE
        shared = replace(one, interface=Interface.MPIIO, shared=True, operation=reads, data_size=1, request_size=1)
        return float(prior.seconds(shared, systems, replace(use, files=files))[0]) / files
    if act in ("made", "opened"):
        return float(prior.seconds(one, systems, use)[0]) / files
    every = ranks * files
    if act == "handed":
        written = prior.seconds(one, systems, replace(use, syncs=every, renamed=every))
        read = replace(use, own=True, others=True, reopened=True, handed=every if ranks > 1 else 0)
        return float((written + prior.seconds(replace(one, operation=Operation.READ), systems, read))[0]) / files
    if act in ("reread", "added"):
        size = SIZE if act == "reread" else LINE
        again = Use(files=ranks, opens=every - ranks, syncs=0, over=files if act == "reread" else 1.0)
        return float(prior.seconds(replace(one, data_size=size, request_size=size), systems, again)[0]) / files
    if act == "replaced":
        return float(prior.seconds(one, systems, replace(use, renamed=every))[0]) / files
    made, asked = every if act in ("locked", "folders") else 0, every if act == "asked" else 0
    renamed = every if act == "renamed" else 0
    beside = replace(use, made=made, asked=asked, renamed=renamed, removed=every - asked - renamed)
    return float(prior.seconds(one, systems, beside)[0] - prior.seconds(one, systems, use)[0]) / files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--acts", nargs="+", default=ACTS, choices=ACTS)
    parser.add_argument("--only", default="", help="cases whose name it is found in")
    parser.add_argument("--placement", default="dedicated", choices=("part-time", "dedicated"))
    parser.add_argument("--files", type=int, default=40, help="of each process; a quarter where there are 16")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    columns = [(act, ranks) for act in arguments.acts for ranks in RANKS]
    print(f"{'ms for a file (prior)':50}" + "".join(f"{f'{act} by {ranks}':>15}" for act, ranks in columns))
    with lab_runs() as (runs, prior):
        for case in CASES:
            told = " ".join(format_setting(name, value) for name, value in case.items() if name != "consistency")
            if not re.search(arguments.only, told):
                continue
            configuration = Configuration({**HARDWARE, "placement": arguments.placement, **case})
            line = f"{told:50}"
            for act, ranks in columns:
                files = max(1, arguments.files // (4 if ranks > 4 else 1))
                took = io_seconds(runs, application(act, ranks, files), configuration, arguments.repetitions) / files
                predicted = reckoned(prior, configuration, act, ranks, files)
                line += f"{f'{took * 1e3:.1f} ({predicted * 1e3:.1f})':>15}"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
