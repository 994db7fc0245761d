"""Whether acic's verdicts on the lab hold: of applications told to change how many gained, and within the interval.

Each application is asked about by the Darshan log of its run on the baseline, as users do, or by its description. What
is recommended first, among what the ground truth has, is held against fresh runs of it and of the baseline, whose
sessions are levelled, or else against the truth itself. The lower end of the interval is what users are told to gain
*at least, in 9 of 10 cases*; what is predicted is more.

    python studies/verdicts.py [--applications test] [--descriptions]
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from acic.advisor.advice import Advice, Goal
from acic.advisor.knowledge import Knowledge
from acic.advisor.known import Trust, known
from acic.advisor.recommend import recommend
from acic.benchmarks.kernels import Part
from acic.evaluation.advising import asked, candidates
from acic.evaluation.evaluate import bundled_fresh, bundled_truth
from acic.evaluation.field import Application, table_of
from acic.evaluation.fresh import Fresh
from acic.evaluation.logs import bundled_logs
from acic.platforms import Platform, load_platform
from acic.space import Configuration

PARTS: tuple[Part, ...] = ("development", "test", "heldout")
MODEL = "prior+extra-trees"  # what the lab is advised by
NOISE = 0.03  # of a median of three runs: what is behind by less is as fast


@dataclass(frozen=True, slots=True)
class Judged:
    """What was told of an application, and the gain that was measured: baseline over what was recommended first."""

    application: Application
    advice: Advice
    gain: float


def judged(part: Part, platform: Platform, knowledge: Knowledge, goal: Goal, *, logs: bool) -> Iterator[Judged]:
    """Yield what comes of the advice for each application of a part that ran on the baseline."""
    runs = bundled_truth(platform.name, part)
    table = candidates(table_of(runs, platform, goal.value), platform)
    again = Fresh(bundled_fresh(platform.name, part), platform, goal.value)
    told = bundled_logs(platform.name, table.applications) if logs else {}
    among = knowledge.among(table.configurations)
    for application, row in zip(table.applications, table.values.tolist(), strict=True):
        question = asked(application, runs, platform, told.get(application))
        advice = recommend(question.workload, platform, among, goal=goal, results=question.results)
        chosen = advice.recommendations[0].configuration
        gain = measured(again.medians(application), platform, chosen)
        before = measured(dict(zip(table.configurations, row, strict=True)), platform, chosen)
        yield Judged(application, advice, before if np.isnan(gain) else gain)


def measured(medians: Mapping[Configuration, float], platform: Platform, chosen: Configuration) -> float:
    """Return the gain of `chosen` over the baseline; NaN where there are no runs of one of them."""
    values = {platform.space.point(one).tobytes(): value for one, value in medians.items()}
    before, after = (values.get(platform.space.point(one).tobytes(), np.nan) for one in (platform.baseline, chosen))
    return before / after if np.isfinite(before) else np.nan


def show(found: list[Judged]) -> None:
    """Print a line for each verdict, and who was told to change and lost by it."""
    by_verdict: dict[str, list[Judged]] = defaultdict(list)
    for one in found:
        by_verdict[one.advice.verdict.value].append(one)
    for verdict, those in sorted(by_verdict.items()):
        gain = np.array([one.gain for one in those])
        low, high = np.array([(i.low, i.high) for i in (one.advice.recommendations[0].improvement for one in those)]).T
        print(
            f"  {verdict:8} {len(those):4}   faster or cheaper {(gain > 1).mean():4.0%}   "
            f"behind by more than {NOISE:.0%} {(gain < 1 - NOISE).mean():4.0%}   "
            f"at least its lower end {(gain >= low).mean():4.0%}   at most its upper end {(gain <= high).mean():4.0%}"
        )
    behind = [one for one in by_verdict["change"] if one.gain < 1 - NOISE]
    print("  told to change, and behind:", ", ".join(f"{' '.join(a.application)} {a.gain:.2f}x" for a in behind) or "-")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--applications", choices=PARTS, action="append", help="[default: all]")
    parser.add_argument("--descriptions", action="store_true", help="ask by descriptions, rather than by logs")
    arguments = parser.parse_args()
    platform = load_platform("lab")
    knowledge = known(platform, MODEL, store=None, trust=Trust(), now=datetime.now(UTC))
    for goal in (Goal.TIME, Goal.COST):
        parts = arguments.applications or PARTS
        found = [
            one for part in parts for one in judged(part, platform, knowledge, goal, logs=not arguments.descriptions)
        ]
        print(f"{goal.value}: {len(found)} applications")
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
