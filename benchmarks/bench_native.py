"""Bandwidth of acic-bench as a ratio of IOR's, on the same command lines.

Both must be built with one MPI. A round is the eight runs I A A I I A A I of IOR and acic-bench, so that a machine that
grows slower or faster favours neither; its ratio is that of the mean times of all their repetitions. The median of the
rounds is what counts: 0.95 to 1.05 passes. Beside it stands the ratio of IOR's inner runs to its outer ones, which is 1
but for noise: where the rounds of that one are spread wider than the bar, the machine is too busy to tell anything. So
does the ratio of the processor time of whole runs, launch included, which other load hardly touches.

Why mean times, and not the best or the median repetition: of 24 runs of IOR alone on two busy cores, cut into rounds,
the ratio that should be 1 was off by up to 44 % with the median (where a rank loses its core there are two usual times,
and the median jumps from one to the other), 37 % with the best (luck), and 16 % with the mean. One long stall is what
a mean does not stand, and what the median of the rounds takes out.

On a machine with other load, --ranks 1 still tells: two ranks on two cores wait for whichever loses its core.

With --keep FILE each round is written down as it ends, and a run that is started again goes on where it was stopped.

    PATH=IOR_FOLDER:$PATH python benchmarks/bench_native.py --keep rounds.jsonl [--disk DIR] [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import harmonic_mean, median

LOW, HIGH = 0.95, 1.05
INTERFACES = {"POSIX": "-a POSIX", "MPI-IO": "-a MPIIO", "MPI-IO collective": "-a MPIIO -c"}
ORDER = ("ior", "bench", "bench", "ior", "ior", "bench", "bench", "ior")
INNER = (3, 4)  # of ORDER, IOR's runs that stand between acic-bench's
ACCESSES = ("write", "read")


@dataclass(frozen=True, slots=True)
class Case:
    """One command line in one place."""

    storage: str
    folder: Path
    interface: str
    ranks: int
    options: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.storage} {self.interface} -n {self.ranks} {' '.join(self.options)}"


@dataclass(frozen=True, slots=True)
class Run:
    """Bandwidth in MiB/s of each repetition, by access, and the processor time of the whole run, s."""

    bandwidth: dict[str, list[float]]
    seconds: float


@dataclass(slots=True)
class Round:
    """What one round gave: by access the ratio to IOR, IOR's ratio to itself and IOR's MiB/s; the ratio of CPU time."""

    case: str
    ratio: dict[str, float] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    ior: dict[str, float] = field(default_factory=dict)
    processor: float = 1.0


def cases(given: argparse.Namespace) -> Iterator[Case]:
    for storage, folder in (("tmpfs", given.memory), ("disk", given.disk)):
        for interface, letters in INTERFACES.items():
            options = f"{letters} -b {given.size} -t {given.transfer} -i {given.repetitions} -G 7".split()
            yield Case(storage, folder, interface, given.ranks, (*options, *(("-e",) if storage == "disk" else ())))


def run(program: str, case: Case, launch: list[str]) -> Run:
    with tempfile.TemporaryDirectory(dir=case.folder, prefix="acic-bench-") as folder:
        summary = Path(folder) / "summary.json"
        files = ["-o", f"{folder}/data", "-O", f"summaryFormat=JSON,summaryFile={summary}"]
        command = [*launch, program, *case.options, *files]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        results = json.loads(summary.read_text())["tests"][0]["Results"]
    bandwidth = {a: [r["bwMiB"] for r in results if r["access"] == a] for a in ACCESSES}
    return Run(bandwidth, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def compare(case: Case, programs: dict[str, str], launch: list[str]) -> Round:
    runs = [run(programs[name], case, launch) for name in ORDER]
    made = Round(case.name)

    def mean(access: str, places: list[int]) -> float:  # bytes over time: each repetition moves as many
        return harmonic_mean([value for place in places for value in runs[place].bandwidth[access]])

    of_ior = [i for i, name in enumerate(ORDER) if name == "ior"]
    of_bench = [i for i, name in enumerate(ORDER) if name == "bench"]
    for access in ACCESSES:
        made.ior[access] = mean(access, of_ior)
        made.ratio[access] = mean(access, of_bench) / made.ior[access]
        made.noise[access] = mean(access, list(INNER)) / mean(access, [i for i in of_ior if i not in INNER])
    made.processor = sum(runs[i].seconds for i in of_bench) / sum(runs[i].seconds for i in of_ior)
    return made


def kept(path: Path | None) -> dict[str, list[Round]]:
    """The rounds that an earlier run wrote down."""
    found: dict[str, list[Round]] = defaultdict(list)
    for line in path.read_text().splitlines() if path and path.exists() else ():
        made = Round(**json.loads(line))
        found[made.case].append(made)
    return found


def show(case: Case, rounds: list[Round]) -> bool:
    """Print a line for each access; return whether both pass."""
    passed = True
    for access in ACCESSES:
        ratios, noises = ([getattr(made, what)[access] for made in rounds] for what in ("ratio", "noise"))
        middle = median(ratios)
        good = LOW <= middle <= HIGH
        passed &= good
        spread = " ".join(f"{value:.2f}" for value in sorted(ratios))
        against = f"IOR {median(made.ior[access] for made in rounds):.0f} MiB/s"
        noise = f"over itself {median(noises):.3f} ({min(noises):.2f} to {max(noises):.2f})"
        processor = f"processor time {median(made.processor for made in rounds):.3f}"
        name = f"{case.storage:5} {case.interface:17} {access:5}"
        print(f"{name} ratio {middle:.3f} ({spread})  {against}, {noise}; {processor}{'' if good else '  outside'}")
    sys.stdout.flush()
    return passed


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--acic-bench", help="default: the one that acic builds")
    parser.add_argument("--ior", default=shutil.which("ior"), help="default: on PATH")
    parser.add_argument("--mpiexec", help="default: that of the MPI which acic built acic-bench with")
    parser.add_argument("--memory", type=Path, default=Path("/dev/shm"), help="a folder on tmpfs")  # noqa: S108 (tmpfs is the point)
    parser.add_argument("--disk", type=Path, default=Path.cwd(), help="a folder on a disk")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=5, help="-i of each run")
    parser.add_argument("--size", default="32m", help="-b")
    parser.add_argument("--transfer", default="1m", help="-t")
    parser.add_argument("--only", default="", help="cases whose names hold this text, as `tmpfs MPI-IO`")
    parser.add_argument("--keep", type=Path, help="write the rounds there, and go on with those that are there")
    return parser.parse_args()


def main() -> int:
    given = read_arguments()
    if given.ior is None:
        print("skipped: no ior on PATH")
        return 0
    if given.acic_bench is None or given.mpiexec is None:
        from acic.benchmarks import find_benchmark

        ours = find_benchmark(given.acic_bench or "acic-bench")
        given.acic_bench, given.mpiexec = str(ours.program), given.mpiexec or str(ours.mpiexec or "mpiexec")
    os.environ.setdefault("MPIR_CVAR_NOLOCAL", "1")  # MPICH's shared memory spins where ranks outnumber cores
    launch = [given.mpiexec, "-n", str(given.ranks)]
    programs = {"ior": given.ior, "bench": given.acic_bench}
    before = kept(given.keep)
    passed = True
    for case in cases(given):
        if given.only not in case.name:
            continue
        rounds = before[case.name][: given.rounds]
        if len(rounds) < given.rounds:
            for program in programs.values():  # not counted: both find warm caches afterwards
                run(program, case, launch)
        while len(rounds) < given.rounds:
            rounds.append(compare(case, programs, launch))
            if given.keep:
                with given.keep.open("a") as file:
                    file.write(json.dumps(asdict(rounds[-1])) + "\n")
        passed &= show(case, rounds)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
