"""How few runs are enough, and what liars cost, on the lab's ground truth, fresh runs and the training acic carries.

Four tables, all of replayed measurements, for seeds that repeat to the digit: regret of the median application after
so many real runs of it, by advice as users get it, which learned from sketches too; regret over training runs, with the
machine time that they took; regret on another kind of instance over training runs there; and a simulated crowd, with
a forest beside the model, which has no prior to hold on to. These three learn from benchmarks alone.

Run it: python benchmarks/bench_replay.py [--only loops] [--goal cost] [--model forest] [--truth FILE] [--processes 2]
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from acic.advisor.informed import default_model
from acic.evaluation.crowd import LIES, SHARES, harm
from acic.evaluation.evaluate import bundled_fresh, bundled_transfer, bundled_truth
from acic.evaluation.learning_curves import figure_8, learning_curves
from acic.evaluation.levels import pooled
from acic.evaluation.loops import Before, available, curve, needed, regrets
from acic.evaluation.picks import Curve
from acic.evaluation.replay import replay_of
from acic.evaluation.taught import Judge, judge_of, taught
from acic.evaluation.training import Training, training_of
from acic.evaluation.transfer import other_kind, transfer
from acic.evaluation.truth import Run, read_truth
from acic.models.registry import learner
from acic.platforms import Platform, load_platform
from acic.store.bundled import bundled
from acic.store.lessons import bundled_lessons
from acic.store.training import TrainingRows, training_table

AFTER = (1, 2, 3, 5, 8, 12, 20, 30)


def loops(runs: list[Run], platform: Platform, training: Training, judge: Judge, given: argparse.Namespace) -> None:
    replay = replay_of(runs, platform, given.goal)
    rows = training.rows
    everything = np.ones(len(rows))
    lessons = bundled_lessons(platform.name)
    learned = taught(
        rows, platform, learner(given.model), weight=everything, believed=everything > 0, seed=0, lessons=lessons
    )
    places = [replay.table.configurations.index(c) for c in judge.table.configurations]
    ranked = {a: tuple(places[i] for i in order) for a, order in judge.orders(learned).items()}
    before = Before(ranked=ranked, ranks=training.ranks)
    most = max(len(one) for one in replay.single.values())
    print(
        f"\nreal runs: {len(replay.applications)} applications, {len(replay.table.configurations)} configurations, ",
        end="",
    )
    print(f"at most {most} runs of each; {given.seeds} seeds; model {given.model}; regret of the median application")
    print(f"{'':14}{'runs to 5 %':>22}" + "".join(f"{f'after {n}':>10}" for n in AFTER) + f"{'s':>7}")
    for name in available():
        begun = time.monotonic()
        found = regrets(replay, before, name, runs=max(AFTER), seeds=given.seeds, processes=given.processes)
        line = curve(name, found)
        low, middle, high = np.quantile(needed(found), [0.1, 0.5, 0.9], method="higher")
        shown = "".join(f"{line.middle[n - 1]:10.1%}" for n in AFTER)
        print(
            f"{name:14}{f'{middle:.0f} [{low:.0f}, {high:.0f}]':>22}{shown}{time.monotonic() - begun:7.1f}", flush=True
        )


def learning(training: Training, judge: Judge, given: argparse.Namespace) -> None:
    print(
        f"\ntraining: {len(training)} measurements, {training.seconds.sum() / 60:.1f} machine minutes; ",
        f"{given.seeds} seeds; regret of the median application",
        sep="",
    )
    models = tuple(dict.fromkeys(("cart", given.model)))
    shared = {"models": models, "seeds": given.seeds, "processes": given.processes}
    print("runs")
    show(learning_curves(training, judge, **shared))
    print("machine minutes")
    show(learning_curves(training, judge, minutes=True, **shared))
    print("figure 8: top-ranked parameters: " + ", ".join(training.ranks))
    show(figure_8(training, judge, **shared))


def show(curves: tuple[Curve, ...]) -> None:
    print(f"{'':32}" + "".join(f"{spent:8.4g}" for spent in curves[0].spent))
    for one in curves:
        plain = one.name in ("runs", "machine minutes", "USD")
        told = (f"{v:8.1f}" if plain else f"{v:8.1%}" for v in one.middle)
        shown = (f"{'-':>8}" if math.isnan(v) else text for v, text in zip(one.middle, told, strict=True))
        print(f"{one.name:32}" + "".join(shown), flush=True)  # figure 8 has none where nothing can be learned


def elsewhere(training: Training, platform: Platform, given: argparse.Namespace) -> None:
    judge = judge_of(bundled_transfer(platform.name), platform, given.goal)
    print(f"\ntraining runs on {other_kind(judge)}: {len(judge.table.configurations) - 1} configurations, ", end="")
    print(f"{len(judge.table.applications)} applications; {given.seeds} seeds; regret of the median application")
    models = tuple(dict.fromkeys(("cart", "forest", given.model, "prior")))
    show(transfer(training.rows, judge, models=models, seeds=given.seeds, processes=given.processes))


def crowd(platform: Platform, judge: Judge, given: argparse.Namespace) -> None:
    rows = training_table(bundled(platform), platform)
    for model in dict.fromkeys((given.model, "forest")):
        liars(rows, judge, model, given)


def liars(rows: TrainingRows, judge: Judge, model: str, given: argparse.Namespace) -> None:
    print(f"\ncrowd, simulated: regret of the median application; model {model}; {given.seeds} seeds")
    columns = ("honest", "undefended", "defended", "cost", "worst", "trust: liars", "others")
    print(f"{'lie':14}{'share':>6}" + "".join(f"{name:>14}" for name in columns))
    shared = {"model": model, "seeds": given.seeds, "processes": given.processes}
    for lie, share in product(LIES, given.shares):
        one = harm(rows, judge, lie, share, **shared)
        figures = (one.honest, one.undefended, one.defended, one.cost, one.worst)
        shown = "".join(f"{figure:14.1%}" for figure in figures) + f"{one.liars:14.2f}{one.others:14.2f}"
        print(f"{one.lie:14}{one.share:6.0%}{shown}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["loops", "training", "transfer", "crowd"], help="one of the tables")
    parser.add_argument("--goal", choices=["time", "cost"], default="time")
    parser.add_argument("--model", help="beside cart: of `acic model list` [default: what advises on the lab]")
    parser.add_argument("--truth", type=Path, help="a file of `acic survey export`, instead of those in the package")
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES, help="of contributors who lie")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    platform = load_platform("lab")
    given.model = given.model or default_model(platform)
    runs = read_truth(given.truth) if given.truth else pooled(bundled_truth("lab"), bundled_fresh("lab"))
    judge, training = judge_of(runs, platform, given.goal), training_of(bundled(platform), platform)
    untaught = float(np.median(judge.untaught()))
    print(f"{len(runs)} runs; goal {given.goal}; regret of the median application on the baseline: {untaught:.1%}")
    if given.only in (None, "loops"):
        loops(runs, platform, training, judge, given)
    if given.only in (None, "training"):
        learning(training, judge, given)
    if given.only in (None, "transfer"):
        elsewhere(training, platform, given)
    if given.only in (None, "crowd"):
        crowd(platform, judge, given)
    return 0


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        sys.exit(main())
