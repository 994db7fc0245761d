"""How long the default model learns: fitted alone, and with the cross-validation that its intervals come from.

From the training that comes with acic for the lab, some of it twice where that is fewer rows than asked for.

Run it: python benchmarks/bench_learning.py [--rows 5000]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from acic.advisor.informed import default_model, informed
from acic.advisor.learning import learn, training_set
from acic.models.registry import learner
from acic.platforms import load_platform
from acic.store.baselines import Baselines
from acic.store.bundled import bundled
from acic.store.training import training_table

BAR = 10.0  # s for a fit on 5,000 points


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000, help="that it learns from")
    arguments = parser.parse_args()
    platform = load_platform("lab")
    all_rows = training_table(bundled(platform), platform)
    rows = all_rows.rows(np.arange(arguments.rows) % len(all_rows))
    chosen, weight = learner(default_model(platform)), np.ones(len(rows))
    improvements = Baselines.fit(rows, platform).improvements(rows)
    data = informed(training_set(rows, platform, improvements, weight), rows, platform, chosen)
    chosen.fit(data, rng=np.random.default_rng(0))  # what is imported first is not counted
    with threadpool_limits(limits=1):
        fit = seconds(lambda: chosen.fit(data, rng=np.random.default_rng(0)))
    whole = seconds(lambda: learn(rows, platform, chosen, weight=weight, seed=0))
    print(f"{chosen.name}, {len(rows)} points: fitted in {fit:.1f} s, learned with its intervals in {whole:.1f} s")
    print(f"bar: fitted in < {BAR:.0f} s: {'passed' if fit < BAR else 'MISSED'}")
    return 0 if fit < BAR else 1


if __name__ == "__main__":
    sys.exit(main())
