"""How well a model predicts a platform: cross-validation within the workload that was measured most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from acic.advisor.informed import informed
from acic.advisor.learning import check, training_set
from acic.errors import MissingData
from acic.models.evaluate import Scores, cross_validate
from acic.models.protocol import Learner
from acic.platforms import Platform
from acic.store.baselines import Baselines
from acic.store.training import TrainingRows
from acic.workloads import Characteristics

FEWEST = 5  # configurations of one workload, below which nothing can be told of a model that has not seen some of them


@dataclass(frozen=True, slots=True)
class Validation:
    """Scores of one model, one entry per seed of the split."""

    model: str
    scores: tuple[Scores, ...]

    def spread(self, figure: str) -> tuple[float, float, float]:
        """Return the mean, the least and the most of a figure over the seeds."""
        values = [float(getattr(score, figure)) for score in self.scores]
        return float(np.mean(values)), min(values), max(values)


def best_covered(rows: TrainingRows) -> tuple[Characteristics, int]:
    """Return the workload that most configurations were measured with, and how many those are."""
    pairs = np.unique(np.column_stack([rows.workload, rows.configuration]), axis=0)
    count = np.bincount(pairs[:, 0])
    return rows.workloads[int(count.argmax())], int(count.max())


def validate(
    rows: TrainingRows,
    platform: Platform,
    learners: list[Learner],
    *,
    folds: int,
    seeds: int,
    progress: Callable[[int], None],
) -> list[Validation]:
    """Return the scores of each learner on the best-covered workload, by grouped cross-validation.

    Args:
        rows: the measurements.
        platform: where they were made.
        learners: which to compare.
        folds: of the cross-validation; twins never straddle them.
        seeds: how many random splits, so that no lucky one is quoted.
        progress: is told how many cross-validations are done.

    Raises:
        MissingData: too few configurations were measured, or too few with one workload.
    """
    from threadpoolctl import threadpool_limits

    check(rows, platform)
    workload, configurations = best_covered(rows)
    if configurations < FEWEST:
        raise MissingData(
            f"the workload measured most was on {configurations} configurations, and it takes {FEWEST} to validate",
            hint="ask what models say of workloads that they have not seen: --leave workload",
        )
    data = training_set(rows, platform, Baselines.fit(rows, platform).improvements(rows), np.ones(len(rows)))
    mine = rows.workload == rows.workloads.index(workload)
    found = []
    with threadpool_limits(limits=1):
        for done, learner in enumerate(learners):
            within, scores = informed(data, rows, platform, learner).rows(mine), []
            for seed in range(seeds):
                scores.append(cross_validate(learner, within, k=folds, seed=seed))
                progress(done * seeds + seed + 1)
            found.append(Validation(learner.name, tuple(scores)))
    return found
