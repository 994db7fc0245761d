"""Bandwidth of acic-bench as a ratio of IOR's, on the same command lines.

Both must be built with one MPI. In each round IOR runs, then acic-bench, then IOR again; the ratio is acic-bench's
bandwidth over the geometric mean of IOR's two, so that a machine that grows slower or faster favours neither. The
median of the rounds is what counts: 0.95 to 1.05 passes. IOR's second run over its first tells the noise: a machine on
which that is not near 1 cannot tell anything.

    python benchmarks/bench_native.py --acic-bench native/bench/build/acic-bench [--disk DIR] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import median

LOW, HIGH = 0.95, 1.05
INTERFACES = {"POSIX": "-a POSIX", "MPI-IO": "-a MPIIO", "MPI-IO collective": "-a MPIIO -c"}


@dataclass(frozen=True, slots=True)
class Case:
    """One command line in one place."""

    storage: str
    folder: Path
    interface: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ratio:
    """acic-bench's bandwidth over IOR's, and IOR's over its own, a value for each round."""

    case: Case
    access: str
    values: tuple[float, ...]
    noise: tuple[float, ...]
    ior: float  # MiB/s, median

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def passed(self) -> bool:
        return LOW <= self.median <= HIGH


def cases(memory: Path, disk: Path, size: str, transfer: str, repetitions: int) -> Iterator[Case]:
    for storage, folder in (("tmpfs", memory), ("disk", disk)):
        for interface, letters in INTERFACES.items():
            options = f"{letters} -b {size} -t {transfer} -i {repetitions} -G 7".split()
            yield Case(storage, folder, interface, (*options, *(("-e",) if storage == "disk" else ())))


def run(program: str, case: Case, launch: list[str]) -> dict[str, float]:
    """Bandwidth in MiB/s of each access: of the best repetition, as what else the machine does only ever slows one."""
    with tempfile.TemporaryDirectory(dir=case.folder, prefix="acic-bench-") as folder:
        summary = Path(folder) / "summary.json"
        files = ["-o", f"{folder}/data", "-O", f"summaryFormat=JSON,summaryFile={summary}"]
        command = [*launch, program, *case.options, *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        results = json.loads(summary.read_text())["tests"][0]["Results"]
    return {a: max(r["bwMiB"] for r in results if r["access"] == a) for a in ("write", "read")}


def compare(case: Case, acic_bench: str, ior: str, launch: list[str], rounds: int) -> list[Ratio]:
    for program in (ior, acic_bench):  # not counted: both find warm caches afterwards
        run(program, case, launch)
    found = [[run(program, case, launch) for program in (ior, acic_bench, ior)] for _ in range(rounds)]
    ratios = []
    for access in ("write", "read"):
        threes = [tuple(result[access] for result in three) for three in found]
        values = tuple(ours / sqrt(before * after) for before, ours, after in threes)
        noise = tuple(after / before for before, _, after in threes)
        ratios.append(Ratio(case, access, values, noise, median(before for before, _, _ in threes)))
    return ratios


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--acic-bench", default=shutil.which("acic-bench"), help="default: on PATH")
    parser.add_argument("--ior", default=shutil.which("ior"), help="default: on PATH")
    parser.add_argument("--mpiexec", default=shutil.which("mpiexec"), help="default: on PATH")
    parser.add_argument("--memory", type=Path, default=Path("/dev/shm"), help="a folder on tmpfs")  # noqa: S108
    parser.add_argument("--disk", type=Path, default=Path.cwd(), help="a folder on a disk")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=15, help="-i of each run, whose best counts")
    parser.add_argument("--size", default="16m", help="-b")
    parser.add_argument("--transfer", default="1m", help="-t")
    parser.add_argument("--json", type=Path, help="write the ratios there too")
    given = parser.parse_args()
    missing = [n for n in ("acic_bench", "ior", "mpiexec") if getattr(given, n) is None]
    if missing:
        print(f"skipped: not on PATH: {', '.join(missing)}")
        return 0
    os.environ.setdefault("MPIR_CVAR_NOLOCAL", "1")  # MPICH's shared memory spins where ranks outnumber cores
    launch = [given.mpiexec, "-n", str(given.ranks)]
    ratios: list[Ratio] = []
    for case in cases(given.memory, given.disk, given.size, given.transfer, given.repetitions):
        for ratio in compare(case, given.acic_bench, given.ior, launch, given.rounds):
            ratios.append(ratio)
            spread = " ".join(f"{v:.2f}" for v in sorted(ratio.values))
            name = f"{case.storage:5} {case.interface:17} {ratio.access:5}"
            verdict = "" if ratio.passed else "  outside"
            against = f"IOR {ratio.ior:.0f} MiB/s, over itself {median(ratio.noise):.3f}"
            print(f"{name} ratio {ratio.median:.3f}  ({spread})  {against}{verdict}", flush=True)
    if given.json:
        rows = [(r.case.storage, r.case.interface, r.access, r.median, median(r.noise), *r.values) for r in ratios]
        given.json.write_text(json.dumps(rows, indent=1))
    return 0 if all(r.passed for r in ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
