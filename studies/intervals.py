"""How much of the lab's ground truth lies within the 80 % intervals that acic states, of applications it never saw.

Each application is asked about as `acic evaluate` does, and each configuration's run is held against the interval of
its prediction; the baseline, which is known, is left out. A point is the median of one to three runs: its noise counts
as an error too.

    python studies/intervals.py [--applications test] [--logs]
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import as_file, files

import numpy as np

from acic.advisor.advice import Goal
from acic.advisor.forecast import forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.known import Trust, known
from acic.evaluation.advising import Asked, foresee
from acic.evaluation.logs import bundled_logs
from acic.evaluation.taught import Judge, judge_of
from acic.evaluation.truth import read_truth
from acic.platforms import load_platform

FILES = {"development": "lab-truth.parquet", "test": "lab-test.parquet", "heldout": "lab-heldout.parquet"}


def held(judge: Judge, questions: Sequence[Asked], knowledge: Knowledge) -> dict[str, list[bool]]:
    """Return, for all points together and for each file system, which of them lie within their intervals."""
    table, asked = judge.table, knowledge.among(judge.table.configurations)
    space = judge.platform.space
    column = {space.point(c).tobytes(): i for i, c in enumerate(table.configurations)}
    found: dict[str, list[bool]] = defaultdict(list)
    foresee(asked, questions)
    for question in questions:
        values = table.values[table.applications.index(question.application)]
        told = forecast(question.workload, judge.platform, asked, goal=Goal.TIME, results=question.results)
        for place, point in enumerate(asked.points):
            measured = values[column[point.tobytes()]]
            if place == told.baseline or not np.isfinite(measured):
                continue
            inside = bool(told.fastest[place] <= measured <= told.slowest[place])
            found["all"].append(inside)
            found[str(space.configuration(point)["file_system"])].append(inside)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--applications", choices=tuple(FILES), default="development")
    parser.add_argument("--logs", action="store_true", help="ask by Darshan logs, rather than by descriptions")
    arguments = parser.parse_args()
    platform = load_platform("lab")
    with as_file(files("acic.evaluation") / "data" / FILES[arguments.applications]) as path:
        judge = judge_of(read_truth(path), platform, "time")
    knowledge = known(platform, "prior+extra-trees", store=None, trust=Trust(), now=datetime.now(UTC))
    questions = judge.questions
    if arguments.logs:
        told = bundled_logs(platform.name, [one.application for one in questions])
        questions = tuple(replace(one, workload=told[one.application]) for one in questions)
    for name, inside in held(judge, questions, knowledge).items():
        print(f"{name:12} {np.mean(inside):4.0%} of {len(inside)} points within their 80 % interval")
    return 0


if __name__ == "__main__":
    sys.exit(main())
