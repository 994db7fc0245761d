"""What lessons are worth for a sketch that no model has seen: regret of the first choice among what it was run on.

Sketches are left out in eight parts, each as a whole. Chosen is what is predicted best of the configurations that the
sketch was run on, the baseline among them; each was run once, so noise makes regret look larger for all.

    python studies/sketches.py
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from acic.advisor.knowledge import Knowledge
from acic.advisor.known import unsafe_configurations
from acic.advisor.learned import Learned
from acic.advisor.learning import unmeasured
from acic.advisor.level import corrections
from acic.advisor.ranking import rates
from acic.evaluation.taught import taught
from acic.models.registry import BESIDE_PRIOR, learner
from acic.platforms import Platform, load_platform
from acic.store.bundled import bundled
from acic.store.lessons import Lesson, bundled_lessons
from acic.store.training import training_table

FOLDS = 8
SHORTEST = 0.1  # s in I/O on the baseline
FEWEST = 4  # configurations, of which to choose

Floats = NDArray[np.float64]


def regrets(knowledge: Knowledge, mine: Sequence[Lesson], platform: Platform) -> tuple[float, float]:
    """Return the regret of the first choice for one sketch, in time and in cost."""
    some = knowledge.among([one.configuration for one in mine])
    taken = {platform.space.point(one.configuration).tobytes(): one.seconds for one in mine}
    seconds = np.array([taken.get(point.tobytes(), np.inf) for point in some.points])
    (usual,) = [one for one in mine if one.configuration == platform.baseline]
    assert some.prior is not None
    shares = np.array([some.prior.seconds(w, some.prior.baseline, use)[0] for w, use in usual.phases])
    thought = sum(some.baseline_seconds(w, use) for w, use in usual.phases)
    (added,) = corrections([usual.io], [thought], some.other_file_system)
    parts = [
        share * np.exp(-some.effect(w, use).mean - added)
        for (w, use), share in zip(usual.phases, shares / shares.sum(), strict=True)
    ]
    predicted = usual.seconds - usual.io + usual.io * np.sum(parts, axis=0)
    paid = rates(platform, some.points, 1, None)
    time, cost = (float((seconds * by)[(predicted * by).argmin()] / (seconds * by).min() - 1.0) for by in (1.0, paid))
    return time, cost


def said(name: str, found: Sequence[tuple[float, float]]) -> str:
    words = [
        f"{goal}: median {np.median(of):.1%}, one in ten {np.quantile(of, 0.9):.0%}, mean {np.mean(of):.1%}"
        for goal, of in zip(("time", "cost"), np.array(found).T, strict=True)
    ]
    return f"{name:26} " + "; ".join(words)


def main() -> int:
    platform = load_platform("lab")
    rows = training_table(bundled(platform), platform)
    unsafe = unsafe_configurations(platform, None)
    by: dict[str, list[Lesson]] = defaultdict(list)
    for one in bundled_lessons(platform.name):
        by[one.application].append(one)
    usual = {name: median(o.io for o in mine if o.configuration == platform.baseline) for name, mine in by.items()}
    judged = [name for name in sorted(by) if usual[name] >= SHORTEST and len(by[name]) >= FEWEST]
    every = np.ones(len(rows))

    def knowing(lessons: Sequence[Lesson]) -> Knowledge:
        learned = taught(
            rows, platform, learner(BESIDE_PRIOR), weight=every, believed=every > 0, seed=0, lessons=lessons
        )
        return of(learned)

    def of(learned: Learned) -> Knowledge:
        return Knowledge(platform, replace(learned, unsafe=unsafe))

    print(f"{len(judged)} sketches, {sum(len(by[name]) for name in judged)} runs")
    prior = of(unmeasured(platform))
    print(said("the prior", [regrets(prior, by[name], platform) for name in judged]))
    benchmarks = knowing(())
    print(said("benchmarks", [regrets(benchmarks, by[name], platform) for name in judged]))
    found = []
    for fold in range(FOLDS):
        out = set(judged[fold::FOLDS])
        without = knowing([one for name, mine in by.items() if name not in out for one in mine])
        found += [regrets(without, by[name], platform) for name in sorted(out)]
    print(said("benchmarks and lessons", found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
