"""What the store costs: storing many measurements, reading them back, and the start of a command that asks its state.

Run it: python benchmarks/bench_store.py [--rows 100000] [--pairs 5] [--url postgresql://USER@HOST/EMPTY_DATABASE]

Then the command that a user runs, `acic data import` of an exchange file of them into an empty SQLite file, in
processor time, which other work on the machine changes least: the bar is held against it. With --pairs, it is timed by
turns with `Store.add` alone into a file of the same kind.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from acic.space import Configuration
from acic.store import Measurement, Outcome, Repetition
from acic.store.database import Store
from acic.store.exchange import export
from acic.store.training import training_table
from acic.workloads import Access, Characteristics, Interface, Operation

PLATFORM = "tianhe-lustre"
REPETITIONS = 10
BAR = 20.0  # s of processor time of a command that imports 100,000 measurements into SQLite
COLD = """
import time
begun = time.perf_counter()
from acic.store.database import Store
imported = time.perf_counter()
Store.open({url!r}).fingerprint({platform!r})
print(imported - begun, time.perf_counter() - imported)
"""


def measurement(number: int, rng: random.Random) -> Measurement:
    """A measurement as large as the real ones: ten repetitions, each figure of full precision."""
    workload = Characteristics(
        processes=64,
        io_processes=64,
        interface=Interface.MPIIO,
        iterations=1,
        data_size=(1 + number % 97) * 2**20,
        request_size=2**20,
        operation=Operation.WRITE,
        collective=False,
        shared=True,
        access=Access.CONSECUTIVE,
    )
    hints = ("automatic", "enable", "disable")
    configuration = Configuration(
        stripe_count=1 + number % 32,
        stripe_size=2**20 * (1 + number % 512),
        romio_cb_read=hints[number % 3],
        romio_cb_write=hints[number % 2],
        romio_ds_read="automatic",
        romio_ds_write="automatic",
    )
    return Measurement(
        platform=PLATFORM,
        revision="2023-05",
        workload=workload,
        configuration=configuration,
        outcome=Outcome.OK,
        time=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number),
        repetitions=tuple(
            Repetition(bandwidth=1e9 * rng.random(), seconds=10 * rng.random(), iops=1e3 * rng.random())
            for _ in range(REPETITIONS)
        ),
        tool="ior",
        tool_version="4.1.0",
        versions={"MPIIO": "3.1"},
        host_shape={"nodes": 64, "tasks_per_node": 1, "machine": "Linux cn1"},
        contributor="bench",
        raw_sha256=f"{number:064x}",
    )


def timed(what: str, work: Callable[[], object]) -> float:
    """Print how long that takes, and return it, s."""
    begun = time.perf_counter()
    work()
    took = time.perf_counter() - begun
    print(f"{what:58} {took:8.3f} s")
    return took


def imported(path: Path, store: Path) -> float:
    """Return the processor time of `acic data import` of an exchange file into an empty store, s."""
    begun = _of_children()
    command = [sys.executable, "-m", "acic", "data", "import", str(path), "--store", str(store)]
    subprocess.run(command, capture_output=True, check=True)
    return _of_children() - begun


def paired(them: list[Measurement], path: Path, folder: Path, pairs: int) -> None:
    """Print how long `acic data import` of `them`, in `path`, takes, and how many times as long as to store them."""
    alone, whole = [], []
    for number in range(pairs):
        begun = time.process_time()
        with Store.open(str(folder / f"alone{number}.sqlite")) as store:
            store.add(them)
        alone.append(time.process_time() - begun)
        whole.append(imported(path, folder / f"whole{number}.sqlite"))
    ratios = sorted(b / a for a, b in zip(alone, whole, strict=True))
    print(f"{f'processor time: stored, median of {pairs}':58} {statistics.median(alone):8.3f} s")
    print(f"{'processor time: acic data import FILE.jsonl':58} {statistics.median(whole):8.3f} s")
    spread = f"{ratios[0]:.2f}x to {ratios[-1]:.2f}x"
    print(f"{'the command over storing alone, in pairs':58} {statistics.median(ratios):8.2f} x ({spread})")


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=0, help="how often the command is timed beside storing alone")
    parser.add_argument("--url", help="an empty store; a temporary SQLite file without it")
    arguments = parser.parse_args()
    rng = random.Random(1)  # noqa: S311  # figures to store, not secrets
    them = [measurement(i, rng) for i in range(arguments.rows)]
    with tempfile.TemporaryDirectory() as folder:
        url = arguments.url or str(Path(folder) / "bench.sqlite")
        with Store.open(url) as store:
            timed(f"store {len(them)} measurements", lambda: store.add(them))
            timed("store 1000 of them again", lambda: store.add(them[:1000]))
            timed("state of the platform", lambda: store.fingerprint(PLATFORM))
            timed("counts by platform and outcome", store.counts)
            timed("training records of all", lambda: store.training_records(PLATFORM))
            timed("whole measurements of all", store.measurements)
            records = store.training_records(PLATFORM)
        from acic.platforms import load_platform

        platform = load_platform(PLATFORM)
        timed("training table of all", lambda: training_table((), platform, stored=records))
        script = COLD.format(url=url, platform=PLATFORM)
        runs = [
            subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in range(7)
        ]
        for what, column in (("cold: import acic.store.database", 0), ("cold: open it and tell the state", 1)):
            figures = [float(run.stdout.split()[column]) for run in runs]
            print(f"{what:58} {statistics.median(figures):8.3f} s (median of {len(figures)})")
        export(them, path := Path(folder, "bench.jsonl"))
        took = imported(path, Path(folder, "imported.sqlite"))
        print(f"{f'acic data import of {len(them)}, processor time':58} {took:8.3f} s")
        if arguments.pairs:
            paired(them, path, Path(folder), arguments.pairs)
    most = BAR * len(them) / 100_000
    verdict = "passed" if took < most else "MISSED"
    print(f"bar: acic data import of {len(them)} in < {most:g} s of processor time: {verdict}")
    return 0 if took < most else 1


if __name__ == "__main__":
    sys.exit(main())
