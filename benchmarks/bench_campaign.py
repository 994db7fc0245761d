"""What a campaign adds to its benchmark runs, and how long plans of 100,000 points take.

Runs: each point is measured by the whole controller (plan, journal, runner, parsing, cleaning up, store), and before or
after it, in turn, the very same mpiexec command line runs bare, by `subprocess`, with its output to files. The
difference is what the campaign costs; the median of the pairs counts: less than 50 ms passes.

Plans: sampling, ordering, writing to the journal and reading back a plan: less than 5 s together.

    python benchmarks/bench_campaign.py [--pairs 40] [--points 100000] [--directory DIR]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np

from acic.benchmarks import find_benchmark
from acic.campaign.budget import Budget
from acic.campaign.controller import Controller
from acic.campaign.journal import Journal
from acic.campaign.planning import Planner
from acic.campaign.points import Field
from acic.campaign.repeats import Repeats
from acic.campaign.rules import Rules
from acic.campaign.sampling import ordered
from acic.campaign.state import Stage, numbers, replay
from acic.campaign.storing import Storing
from acic.campaign.system import Standing
from acic.campaign.trial import Trials
from acic.cluster import Job, LocalRunner
from acic.platforms import Platform, load_platform
from acic.store.database import Store
from acic.workloads import Access, Characteristics, Interface, Operation

MOST_ADDED = 0.050  # s to a run
MOST_PLANNING = 5.0  # s for a plan
PLATFORM = """
name = "bench"
title = "This machine"
revision = "1"
source = "made for a benchmark"
date = "2026-11-21"
default_instance = "node"
apply = ["romio"]
[baseline]
source = "made for a benchmark"
date = "2026-11-21"
[baseline.values]
romio_ds_write = "automatic"
romio_cb_write = "automatic"
cb_buffer_size = 16777216
[[parameter]]
name = "romio_ds_write"
values = ["automatic", "enable", "disable"]
[[parameter]]
name = "romio_cb_write"
values = ["automatic", "enable", "disable"]
[[parameter]]
name = "cb_buffer_size"
values = [1048576, 4194304, 16777216, 67108864]
scale = "log"
[[instance]]
name = "node"
cores = 2
source = "made for a benchmark"
date = "2026-11-21"
"""


class Recording(LocalRunner):
    """A runner that remembers what it was told to start."""

    last: Job | None = None

    def submit(self, job: Job) -> None:
        self.last = job
        super().submit(job)


@dataclass(frozen=True, slots=True)
class Pair:
    """One command line: s bare, and s through the controller."""

    bare: float
    campaign: float

    @property
    def added(self) -> float:
        return self.campaign - self.bare


def write(request_size: int) -> Characteristics:
    return Characteristics(
        processes=2,
        io_processes=2,
        interface=Interface.MPIIO,
        iterations=1,
        data_size=2**20,
        request_size=request_size,
        operation=Operation.WRITE,
        collective=False,
        shared=True,
        access=Access.CONSECUTIVE,
    )


def pairs(folder: Path, count: int) -> Iterator[Pair]:
    (folder / "platform.toml").write_text(PLATFORM)
    platform = load_platform(str(folder / "platform.toml"))
    benchmark = find_benchmark()
    runner = Recording(mpiexec=benchmark.mpiexec)
    field = Field(platform, [write(2**power) for power in range(12, 21)])
    journal = Journal.create(folder / "campaign", {})
    data = folder / "data"
    data.mkdir()
    trials = Trials(platform, runner, benchmark, Standing(platform, data), journal.raw)
    rules = Rules(Budget(seconds=36000), Repeats(1, 1), verify=0.0)
    planner = Planner(field, 0, screen=False)
    with Store.open(str(folder / "store.sqlite")) as store:
        storing = Storing(store, platform, tool=benchmark.name)
        controller = Controller(journal, field, planner, rules, trials, storing)
        with controller.at_work():
            for number in range(-3, count):  # the first three find cold caches
                # the command line of the point before stands for the next one's where bare comes first
                first = bare(folder, runner) if number % 2 and runner.last else None
                campaign = through(controller)
                pair = Pair(first if first is not None else bare(folder, runner), campaign)
                if number >= 0:
                    yield pair


def through(controller: Controller) -> float:
    """Measure one more point; return s."""
    begin = time.perf_counter()
    while True:
        waiting = len(controller.state.order)
        controller._step()
        if len(controller.state.order) > waiting:
            return time.perf_counter() - begin


def bare(folder: Path, runner: Recording) -> float:
    """Run the runner's last command line by itself, with the hints that it had; return s."""
    assert runner.last is not None
    place = folder / "bare"
    place.mkdir()
    hints = place / "hints"
    hints.write_text("")
    words = []
    for word in runner.last.command:
        name, equals, value = word.partition("=")
        if name == "summaryFile":
            word = f"{name}{equals}{place / 'summary.json'}"
        elif name == "--mpiio.hintsFileName":
            word = f"{name}{equals}{hints}"
        elif value == "" and word.endswith("/data.0"):
            word = str(place / "data.0")
        words.append(word)
    plan = runner.plan(runner.last)
    launcher = plan.command.words[: len(plan.command.words) - len(words)]
    with (place / "out").open("wb") as out, (place / "err").open("wb") as err:
        begin = time.perf_counter()
        subprocess.run([*launcher, *words], cwd=place, env=plan.environment, stdout=out, stderr=err, check=True)
        seconds = time.perf_counter() - begin
    shutil.rmtree(place)
    return seconds


@contextmanager
def timed(parts: dict[str, float], name: str) -> Iterator[None]:
    begin = time.perf_counter()
    yield
    parts[name] = time.perf_counter() - begin


def planning(folder: Path, platform: Platform, points: int) -> dict[str, float]:
    """Return s of each part of a plan of so many points."""
    parts: dict[str, float] = {}
    with timed(parts, "space"):
        field = Field(platform)
        planner = Planner(field, 0)
    with timed(parts, "sampling"):
        rng, names = np.random.default_rng(0), list(field.space.names)
        rows = planner.sample(names, points, rng=rng)
        if len(rows) < points:  # those that share a workload may have come to the same
            rows = np.vstack([rows, planner.sample(names, points - len(rows), rng=rng, done=rows)])
    with timed(parts, "ordering"):
        rows = rows[ordered(rows, field.space, platform.deployment, rng=np.random.default_rng(0))]
    journal = Journal.create(folder / f"plan-{platform.name}", {})
    with timed(parts, "journal"):
        journal.append("planned", stage=str(Stage.SAMPLING), rows=numbers(rows))
    with timed(parts, "replay"):
        state = replay(journal.events(), field)
    assert len({row.tobytes() for row in rows}) == len(rows) == len(state.progress)
    print(f"{platform.name}: {len(rows)} points of {points} asked for")
    return parts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--directory", type=Path, help="where runs write [default: a temporary folder]")
    given = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    good = True
    with tempfile.TemporaryDirectory(dir=given.directory, prefix="acic-bench-campaign-") as place:
        folder = Path(place)
        for name in ("here", "tianhe-lustre"):
            parts = planning(folder, load_platform(name), given.points)
            total = sum(parts.values())
            print(" ".join(f"{part} {seconds:.2f} s," for part, seconds in parts.items()), f"together {total:.2f} s")
            good &= total < MOST_PLANNING
        found = list(pairs(folder, given.pairs))
    added = sorted(pair.added * 1e3 for pair in found)
    ratio = median(pair.campaign / pair.bare for pair in found)
    low, high = added[len(added) // 4], added[-len(added) // 4]
    bare_ms = median(p.bare for p in found) * 1e3
    print(f"runs: {len(found)} pairs, bare {bare_ms:.0f} ms, through the campaign {ratio:.2f} of it")
    print(f"the campaign adds {median(added):.1f} ms to a run (quartiles {low:.1f} to {high:.1f})")
    good &= median(added) < MOST_ADDED * 1e3
    print("passed" if good else "MISSED", f"(bars: {MOST_ADDED * 1e3:.0f} ms, {MOST_PLANNING:.0f} s)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
