"""How advice does on groups of applications: of those for a test the first 25, those that were held out, and all.

Reads what acic evaluate tells, and prints regrets of the first choice by fresh runs, and their mean as part of that of
others, each for its own choice among all applications.

    acic evaluate --applications test --method model:prior+extra-trees --method fixed-all --method fixed \
        --method rules --figure regret --json | python benchmarks/bench_lab_groups.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

LATER = (  # held out until version 15 of the prior had been judged by them
    *("gromacs", "scatter", "chombo", "macsio", "volume", "bwa", "montage", "tfrecord", "zarr"),
    *("io500-easy", "io500-hard"),
)
OURS, OTHERS = "model:prior+extra-trees", ("fixed-all", "fixed", "rules")
GROUPS: Mapping[str, Callable[[str], bool]] = {
    "the first": lambda name: name not in LATER,
    "the later": lambda name: name in LATER,
    "all": lambda _: True,
}


def regrets(score: Mapping[str, Any], member: Callable[[str], bool]) -> list[float]:
    """Return the regret of each application of a group."""
    return [each["value"] for application, each in score["regret"].items() if member(application.split()[0])]


def main() -> None:
    for told in json.load(sys.stdin)["goals"]:
        scores = {score["method"]: score for score in told["fresh"]}
        print(f"{told['goal']}; behind the baseline: {', '.join(scores[OURS]['worse']) or 'none'}")
        for title, member in GROUPS.items():
            mine = np.array(regrets(scores[OURS], member))
            if not mine.size:
                continue
            parts = ", ".join(f"{mine.mean() / np.mean(regrets(scores[one], member)):.2f} of {one}" for one in OTHERS)
            half, most = np.quantile(mine, [0.5, 0.9])
            print(f"  {title} ({len(mine)}): {half:.1%}, one in ten {most:.1%}, mean {mine.mean():.1%}: {parts}")


if __name__ == "__main__":
    main()
