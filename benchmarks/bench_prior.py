"""How fast the prior is: seconds of every configuration of the lab for one workload, as a recommendation needs them.

Run it: python benchmarks/bench_prior.py [--times 200]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

from acic.benchmarks.kernels import kernels
from acic.platforms import load_platform
from acic.prior import prior_of

BAR = 5e-3  # s for all configurations of one workload


def median_of(work: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=200, help="that each is repeated")
    arguments = parser.parse_args()
    platform = load_platform("lab")
    prior = prior_of(platform)
    if prior is None:
        raise SystemExit("the lab has no prior")
    configurations = list(platform.space.configurations())
    systems = prior.systems(configurations)
    phases = [phase.characteristics for one in kernels() for phase in one.workload.phases]
    prepared = median_of(lambda: prior.systems(configurations), 10)
    each = [median_of(lambda: prior.log_improvement(one, systems), arguments.times) for one in phases]  # noqa: B023 (called at once)
    print(f"{len(configurations)} configurations as numbers: {prepared * 1e3:.1f} ms, once")
    print(
        f"one workload on all of them: median {statistics.median(each) * 1e3:.2f} ms, slowest {max(each) * 1e3:.2f} ms"
    )
    print(f"bar: < {BAR * 1e3:.0f} ms: {'passed' if max(each) < BAR else 'MISSED'}")
    return 0 if max(each) < BAR else 1


if __name__ == "__main__":
    sys.exit(main())
