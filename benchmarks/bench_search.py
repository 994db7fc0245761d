"""How many runs each search needs, on what was measured on a real Lustre system and on a made-up one.

A run on the real system is one of the ten writes that were measured, drawn; what a search holds to be best is judged by
the mean of all ten. Runs until that stays within 5 % of the best known: median [quartiles] over the seeds; "-" where
that many of the searches did not get there. Then answer / best known after 20 and 40 runs, and when the search ended by
itself: medians. Ranks that are known are those of a screening of the real system, by means, or of a smaller job on the
made-up one: its runs are not counted. Then what a proposal of `model` costs on the made-up system.

Run it: python benchmarks/bench_search.py [--seeds 60] [--runs 100] [--only fig19]
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from acic.design import effects, screening_plan
from acic.models import LEARNERS, learner
from acic.search import Genetic, ModelDriven, PbWalk, RandomSearch, RandomWalk, Search, Tpe
from acic.search.candidates import Candidates
from acic.search.model import propose
from acic.search.repair import usual_values
from acic.search.teaching import Teacher
from acic.space import Configuration, repaired
from tests.search.measured import System, fig19
from tests.search.simulated import bottleneck

WITHIN = 1.05


def strategies(system: System, ranks: list[str], *, lessons: bool) -> dict[str, Search]:
    found: dict[str, Search] = {
        "pb-walk, ranks known": PbWalk(ranks=ranks),
        "pb-walk": PbWalk(),
        "random-walk": RandomWalk(),
        "model": ModelDriven(),
        "model, forest": ModelDriven(learner=learner("forest")),
        "genetic": Genetic(),
        "optuna": Tpe(),
        "random": RandomSearch(),
    }
    if lessons:
        found["model, lessons"] = ModelDriven(lessons=system.lessons)
        found["model, forest, lessons"] = ModelDriven(lessons=system.lessons, learner=learner("forest"))
    return found


def screened(system: System) -> list[str]:
    """Return the parameters as a folded-over design ranks them."""
    design, runs = screening_plan(system.space)
    usual = usual_values(system.space, system.baseline)
    configurations = [repaired(system.space, {**usual, **run.values}) for run in runs]
    measure = system.measure()
    results = [measure([one])[0].objective or np.nan for one in configurations if one is not None]
    return [system.space.names[i] for i in np.argsort(-effects(design, results), kind="stable")]


def progress(search: Search, system: System, start: Configuration, seed: int, runs: int) -> NDArray[np.float64]:
    """Return what the fastest run so far is of, by its mean over the best known one's, after each run."""
    measure = system.measure(rng=np.random.default_rng([seed, 1]))
    found = search.run(system.space, start, measure, rng=np.random.default_rng(seed), max_runs=runs)
    least, held, answers = np.inf, start, []
    for one in found.observations:
        if one.objective is not None and one.objective < least:
            least, held = one.objective, one.configuration
        answers.append(system.value(held) / system.best)
    return np.array(answers)


def needed(answers: NDArray[np.float64]) -> float:
    """Return after how many runs the answer stays within 5 % of the best known; inf where it does not."""
    first = max(np.flatnonzero(answers > WITHIN), default=-1) + 2
    return float(first) if first <= len(answers) else np.inf


def compare(system: System, ranks: list[str], arguments: argparse.Namespace, *, random_start: bool) -> None:
    print(f"{arguments.seeds} searches of at most {arguments.runs} runs")
    print(
        f"{'':24}{'runs to 5 %':>14}{'quartiles':>14}{'after 20':>10}{'after 40':>10}{'runs':>6}{'at end':>8}{'s':>7}"
    )
    for name, search in strategies(system, ranks, lessons=not random_start).items():
        begun = time.process_time()
        curves = []
        for seed in range(arguments.seeds):
            row = int(np.random.default_rng(1000 + seed).integers(len(system.points)))
            start = system.space.configuration(system.points[row]) if random_start else system.baseline
            curves.append(progress(search, system, start, seed, arguments.runs))
        seconds = (time.process_time() - begun) / arguments.seeds
        spent = _quartiles([needed(curve) for curve in curves])
        low, middle, high = (f"{q:.0f}" if np.isfinite(q) else "-" for q in spent)
        after = [np.median([curve[min(runs, len(curve)) - 1] for curve in curves]) for runs in (20, 40)]
        length = np.median([len(curve) for curve in curves])
        end = np.median([curve[-1] for curve in curves])
        print(
            f"{name:24}{middle:>14}{f'[{low}, {high}]':>14}{after[0]:10.3f}{after[1]:10.3f}{length:6.0f}{end:8.3f}"
            f"{seconds:7.2f}",
            flush=True,
        )


def _quartiles(spent: list[float]) -> list[float]:
    """Return them as values that occur: between a number and never there is nothing."""
    return [float(q) for q in np.quantile(spent, [0.25, 0.5, 0.75], method="higher")]


def proposals(system: System) -> None:
    lessons = len(system.lessons.rows)
    print(f"\nproposals: the top 20 of {len(system.points):,} configurations, from {lessons} lessons; processor time")
    print(f"{'model':14}{'fit, s':>8}{'top 20, s':>11}")
    begun = time.process_time()
    candidates = Candidates(system.space)
    listing = time.process_time() - begun
    teacher = Teacher(system.space, system.baseline, system.lessons)
    data = teacher.training_set([])
    assert data is not None
    for one in LEARNERS:
        begun = time.process_time()
        predictor = one.fit(data, rng=np.random.default_rng(0))
        fitted = time.process_time()
        propose(candidates, predictor, teacher, 20, rng=np.random.default_rng(0))
        print(f"{one.name:14}{fitted - begun:8.2f}{time.process_time() - fitted:11.2f}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"listing the configurations: {listing:.2f} s; memory of the process at most: {peak:.0f} MiB")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=60, help="searches of each strategy")
    parser.add_argument("--runs", type=int, default=100, help="of one search at most")
    parser.add_argument("--only", choices=["fig19", "made-up"], help="one of the systems")
    arguments = parser.parse_args()
    if arguments.only != "made-up":
        system = fig19()
        ranks = screened(system)
        for start in ("baseline", "random"):
            print(f"\nmeasured: {len(system.points):,} configurations of tianhe-lustre, start: {start}", end="; ")
            compare(system, ranks, arguments, random_start=start == "random")
    if arguments.only != "fig19":
        system = bottleneck()
        arguments.seeds = min(arguments.seeds, 20)  # a search takes seconds here
        print(f"\nmade up: {len(system.points):,} configurations, start: NFS on one disk", end="; ")
        compare(system, screened(bottleneck(gigabytes=4.0)), arguments, random_start=False)
        proposals(system)
    return 0


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        sys.exit(main())
