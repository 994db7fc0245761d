"""What it is worth to do as acic says on the lab: change, try it first, or stay; by fresh runs.

Told to *change*, a user takes the first choice; told to *verify*, he runs the baseline and the first choices once each
and keeps the best; told *nothing*, he stays with the baseline. The runs that choose are drawn from the fresh ones, and
what was chosen is judged by the others: the best of a few single runs flatters itself. Regret is over the least median
of all that was run again.

    python studies/followed.py [--applications test] [--descriptions]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Goal, Verdict
from acic.advisor.knowledge import Knowledge
from acic.advisor.known import Trust, known
from acic.advisor.recommend import recommend
from acic.benchmarks.kernels import Part
from acic.evaluation.advising import asked, candidates
from acic.evaluation.evaluate import bundled_fresh, bundled_truth
from acic.evaluation.field import Application, table_of
from acic.evaluation.fresh import Fresh
from acic.evaluation.logs import bundled_logs
from acic.evaluation.regret import mean_gain, quantile, share_of
from acic.platforms import Platform, load_platform
from acic.space import Configuration

Floats = NDArray[np.float64]

PARTS: tuple[Part, ...] = ("development", "test", "heldout")
MODEL = "prior+extra-trees"  # what the lab is advised by
NOISE = 0.03  # of a median of three runs: what is behind by less is as fast
DRAWS = 200


@dataclass(frozen=True, slots=True)
class Told:
    """What one application was told, and its levelled fresh runs of the baseline and of the first choices, s or USD."""

    application: Application
    verdict: Verdict
    runs: tuple[Floats, ...]  # the baseline's first
    least: float


@dataclass(frozen=True, slots=True)
class Followed:
    """What came of a way to follow advice for one application, means over draws.

    Args:
        value: s or USD of what was kept, by runs that did not choose it.
        behind: how often it was behind the baseline by more than the noise.
        ran: real runs that it took.
    """

    value: float
    behind: float
    ran: int


def told(part: Part, platform: Platform, knowledge: Knowledge, goal: Goal, *, top: int, logs: bool) -> list[Told]:
    """Return what each application of a part is told whose baseline and first choices were all run again, twice."""
    runs = bundled_truth(platform.name, part)
    table = candidates(table_of(runs, platform, goal.value), platform)
    fresh = Fresh(bundled_fresh(platform.name, part), platform, goal.value)
    asked_by = bundled_logs(platform.name, table.applications) if logs else {}
    among = knowledge.among(table.configurations)
    found = []
    for application in table.applications:
        question = asked(application, runs, platform, asked_by.get(application))
        advice = recommend(question.workload, platform, among, goal=goal, results=question.results)
        firsts = [one.configuration for one in advice.recommendations[:top]]
        again = _by_point(fresh.runs(application), platform)
        mine = [again.get(platform.space.point(one).tobytes(), np.empty(0)) for one in (platform.baseline, *firsts)]
        if min(map(len, mine)) >= 2 and np.isfinite(mine[0]).all():
            least = min(fresh.medians(application).values())
            found.append(Told(application, advice.verdict, tuple(mine), least))
    return found


def _by_point(runs: Mapping[Configuration, Floats], platform: Platform) -> Mapping[bytes, Floats]:
    return {platform.space.point(one).tobytes(): values for one, values in runs.items()}


def followed(one: Told, tried: int, rng: np.random.Generator) -> Followed:
    """Return what comes of following one advice, with the first `tried` choices run beside the baseline on *verify*.

    With none tried, the first choice is taken whatever the verdict is.
    """
    before, first = one.runs[0], one.runs[1]
    if tried == 0 or one.verdict is Verdict.CHANGE:
        value = float(np.median(first))
        return Followed(value, float(value > (1 + NOISE) * np.median(before)), 0)
    if one.verdict is Verdict.NOTHING:
        return Followed(float(np.median(before)), 0.0, 0)
    kept, behind = np.empty(DRAWS), np.empty(DRAWS)
    for draw in range(DRAWS):
        shuffled = [rng.permutation(values) for values in one.runs[: tried + 1]]
        chosen = int(np.argmin([values[0] for values in shuffled]))
        kept[draw] = np.median(shuffled[chosen][1:])
        behind[draw] = chosen != 0 and kept[draw] > (1 + NOISE) * np.median(before)
    return Followed(float(kept.mean()), float(behind.mean()), tried + 1)


def line(those: Sequence[Told], tried: int, goal: Goal) -> str:
    """Return the figures of one way to follow advice."""
    rng = np.random.default_rng(0)
    found = [followed(one, tried, rng) for one in those]
    value = np.array([one.value for one in found])
    least, before = np.array([(one.least, np.median(one.runs[0])) for one in those]).T
    regret = np.maximum(value / least - 1.0, 0.0).tolist()
    gain, best = (mean_gain(figures, before, goal.value) for figures in (value, least))
    return (
        f"{np.mean([f.ran for f in found]):4.1f} runs   median {quantile(regret, 0.5):5.1%}   "
        f"90 % {quantile(regret, 0.9):5.1%}   mean {np.mean(regret):5.1%}   "
        f"of the best gain {share_of(gain, best, goal.value):4.0%}   behind {sum(f.behind for f in found):4.1f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--applications", choices=PARTS, default="test", help="[default: %(default)s]")
    parser.add_argument("--descriptions", action="store_true", help="ask by descriptions, rather than by logs")
    parser.add_argument("--top", type=int, default=3, help="first choices to try [default: %(default)s]")
    arguments = parser.parse_args()
    platform = load_platform("lab")
    knowledge = known(platform, MODEL, store=None, trust=Trust(), now=datetime.now(UTC))
    for goal in (Goal.TIME, Goal.COST):
        those = told(
            arguments.applications, platform, knowledge, goal, top=arguments.top, logs=not arguments.descriptions
        )
        counts = ", ".join(f"{sum(one.verdict is each for one in those)} {each.value}" for each in Verdict)
        print(f"{goal.value}: {len(those)} applications ({counts})")
        print("  the first choice, whatever is told      ", line(those, 0, goal))
        for tried in dict.fromkeys((1, arguments.top)):
            print(f"  as told, {tried} tried where it is 'verify'  ", line(those, tried, goal))
    return 0


if __name__ == "__main__":
    sys.exit(main())
