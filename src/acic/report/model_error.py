"""How well the default model predicts what this campaign measured: cross-validated on its own points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.advisor.known import SEED
from acic.advisor.learning import check, training_set
from acic.campaign.points import Field
from acic.campaign.searched import pooled
from acic.campaign.state import Progress, State
from acic.errors import MissingData
from acic.models.evaluate import Scores, score
from acic.models.protocol import Prediction, TrainingSet
from acic.models.registry import DEFAULT, learner
from acic.models.validation import grouped_folds, out_of_fold
from acic.platforms import Platform
from acic.report.results import Results, positive, training_rows_of
from acic.store.baselines import Baselines
from acic.store.training import TrainingRows

FOLDS = 5  # each model learns from most of the points, and a reader does not wait for ten of them
_MOST = 400  # points; more take longer than a reader waits
_CHECKPOINTS = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """A point's improvement over its baseline: measured, and predicted by a model that did not see the point."""

    number: int
    measured: float
    predicted: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The model's error when so many points had been measured: `mape` is relative to the measured bandwidth."""

    seconds: float
    dollars: float
    points: int
    mape: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelError:
    """The model's error on points it had not seen, or why it cannot be told.

    Args:
        model: its name.
        why_not: "" if there are scores.
        scores: cross-validated; the baselines themselves are learned from, but not scored.
        pairs: each scored point.
        learned_from: points that took part, the baselines among them.
        without_baseline: points that could not, because the baseline was not measured with their workload.
        left_out: points left out because there are many.
        course: the same error, of the first points only.
    """

    model: str
    why_not: str = ""
    scores: Scores | None = None
    pairs: tuple[Pair, ...] = ()
    learned_from: int = 0
    without_baseline: int = 0
    left_out: int = 0
    course: tuple[Checkpoint, ...] = ()


def model_error(state: State, field: Field, results: Results) -> ModelError:
    """Return the cross-validated error of the default model on the campaign's own points."""
    platform = field.platform
    good = [p for p in pooled(state.progress) if positive(p)]
    based = [p for p in good if p.point.workload in results.bases]
    without = len(good) - len(based)
    chosen = _some(based, platform)
    rows, numbers = training_rows_of(chosen, platform)
    try:
        _check(rows, platform)
    except MissingData as error:
        return ModelError(model=DEFAULT, why_not=error.problem, without_baseline=without)
    scores, pairs = _cross_validated(rows, field, numbers)
    return ModelError(
        model=DEFAULT,
        scores=scores,
        pairs=pairs,
        learned_from=len(chosen),
        without_baseline=without,
        left_out=len(based) - len(chosen),
        course=_course(state, field, results, based, scores.mape) if len(based) <= _MOST else (),
    )


def _check(rows: TrainingRows, platform: Platform) -> None:
    """Raise MissingData if nothing can be learned, or too few points are there to leave a part of them out."""
    check(rows, platform)
    if (points := len(np.unique(rows.group))) < FOLDS:
        raise MissingData(f"{points} different points are fewer than the {FOLDS} that it takes", hint="measure more")


def _some(points: list[Progress], platform: Platform) -> list[Progress]:
    """Return at most `_MOST` points, workload after workload at random, each with its baseline."""
    if len(points) <= _MOST:
        return points
    rng = np.random.default_rng(SEED)
    workloads = list(dict.fromkeys(p.point.workload for p in points))
    turn = {workloads[i]: place for place, i in enumerate(rng.permutation(len(workloads)))}
    dealt = sorted(points, key=lambda p: (turn[p.point.workload], p.point.configuration != platform.baseline, p.number))
    return sorted(dealt[:_MOST], key=lambda p: p.number)


def _cross_validated(rows: TrainingRows, field: Field, numbers: Sequence[int]) -> tuple[Scores, tuple[Pair, ...]]:
    """Return the scores and the pairs, of all rows but the baselines."""
    from threadpoolctl import threadpool_limits

    data, bandwidth, scored = _data(rows, field)
    rng = np.random.default_rng(SEED)
    fold = grouped_folds(data.group, FOLDS, rng)
    with threadpool_limits(limits=1):
        predicted = out_of_fold(learner(DEFAULT), data, fold, rng=rng)
    seen = Prediction(predicted.mean[scored], predicted.spread[scored])
    scores = score(DEFAULT, data.rows(scored), fold[scored], seen, baseline=bandwidth[scored])
    measured, foretold = np.exp(data.y[scored]).tolist(), np.exp(seen.mean).tolist()
    names = np.array(numbers)[scored].tolist()
    return scores, tuple(Pair(*three) for three in zip(names, measured, foretold, strict=True))


def _data(rows: TrainingRows, field: Field) -> tuple[TrainingSet, NDArray[np.float64], NDArray[np.bool_]]:
    """Return what a model learns, the baseline's bandwidth of each row in B/s, and which rows are no baselines."""
    platform = field.platform
    improvements = Baselines.fit(rows, platform).improvements(rows)
    data = training_set(rows, platform, improvements, np.ones(len(rows)))
    return data, np.exp(rows.mean - improvements.mean), ~rows.on(platform.baseline)


def _course(
    state: State, field: Field, results: Results, based: Sequence[Progress], mape: float
) -> tuple[Checkpoint, ...]:
    """Return the error of models of the first points, each time with a fifth more of them; of all it is `mape`."""
    platform = field.platform
    done = {r.number: r.last_run for r in results.pooled}
    known = {p.number: max(done[p.number], results.bases[p.point.workload].last_run) for p in based}
    ordered = sorted(based, key=lambda p: (known[p.number], p.point.configuration != platform.baseline, p.number))
    made = []
    for part in range(1, _CHECKPOINTS):
        some = ordered[: len(ordered) * part // _CHECKPOINTS]
        rows, numbers = training_rows_of(some, platform)
        try:
            _check(rows, platform)
        except MissingData:
            continue
        scores, _ = _cross_validated(rows, field, numbers)
        made.append(Checkpoint(*_spent(state, known[some[-1].number]), len(some), scores.mape))
    return (*made, Checkpoint(*_spent(state, known[ordered[-1].number]), len(ordered), mape))


def _spent(state: State, run: int) -> tuple[float, float]:
    before = [a for p in state.progress for a in p.attempts if a.number <= run]
    return sum(a.elapsed for a in before), sum(a.dollars for a in before)
