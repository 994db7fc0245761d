"""How much of the lab's ground truth lies within the 80 % intervals that acic states, of applications it never saw.

Each application is asked about as `acic evaluate` does, and what it took on each configuration that can be advised to
it is held against the interval of its prediction; the baseline, which is known, is left out, and so is what failed. A
point is the median of one to three runs: its noise counts as an error too.

    python studies/intervals.py [--applications test] [--logs]
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from acic.advisor.advice import Goal
from acic.advisor.forecast import forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.known import Trust, known
from acic.benchmarks.kernels import Part
from acic.evaluation.advising import Asked, asked, candidates, foresee
from acic.evaluation.evaluate import bundled_truth
from acic.evaluation.field import Table, table_of
from acic.evaluation.logs import bundled_logs
from acic.platforms import load_platform

PARTS: tuple[Part, ...] = ("development", "test", "heldout")


def held(table: Table, questions: Sequence[Asked], knowledge: Knowledge) -> dict[str, list[bool]]:
    """Return, for all points together and for each file system, which of them lie within their intervals.

    Args:
        table: the truth, of time.
        questions: about its applications.
        knowledge: what was learned of the platform, never from these applications.
    """
    space, among = knowledge.platform.space, knowledge.among(table.configurations)
    column = {space.point(c).tobytes(): i for i, c in enumerate(table.configurations)}
    found: dict[str, list[bool]] = defaultdict(list)
    foresee(among, questions)
    for question in questions:
        safe = among.safe_for(question.workload)
        values = table.values[table.applications.index(question.application)]
        told = forecast(question.workload, safe.platform, safe, goal=Goal.TIME, results=question.results)
        for place, point in enumerate(safe.points):
            measured = values[column[point.tobytes()]]
            if place == told.baseline or not np.isfinite(measured):
                continue
            inside = bool(told.fastest[place] <= measured <= told.slowest[place])
            found["all"].append(inside)
            found[str(space.configuration(point)["file_system"])].append(inside)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--applications", choices=PARTS, default="development")
    parser.add_argument("--logs", action="store_true", help="ask by Darshan logs, rather than by descriptions")
    arguments = parser.parse_args()
    platform = load_platform("lab")
    runs = bundled_truth(platform.name, arguments.applications)
    table = candidates(table_of(runs, platform, "time"), platform)
    logs = bundled_logs(platform.name, table.applications) if arguments.logs else {}
    questions = [asked(one, runs, platform, logs.get(one)) for one in table.applications]
    knowledge = known(platform, "prior+extra-trees", store=None, trust=Trust(), now=datetime.now(UTC))
    for name, inside in held(table, questions, knowledge).items():
        print(f"{name:12} {np.mean(inside):4.0%} of {len(inside)} points within their 80 % interval")
    return 0


if __name__ == "__main__":
    sys.exit(main())
