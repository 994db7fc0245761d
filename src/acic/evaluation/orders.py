"""Orders in which the same training runs could have been measured; each chooses among the measurements there are.

The first run of a workload brings the run of the baseline on it that its improvement is told over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from acic.campaign.planning import BATCH
from acic.evaluation.training import Floats, Integers, Training
from acic.models.protocol import TrainingSet
from acic.models.registry import learner

_OPTIMISM = 1.0  # spreads that a promise is taken above its prediction, as campaigns do
_CHOOSER = "forest"  # its spread tells where it is unsure
_GROWTH = 0.1  # share of the rows taken that is chosen next, before the model is asked again: less teaches it little

Order = Callable[[Training, np.random.Generator], Integers]
"""Returns rows in the order in which they would be measured; the baseline's may be among them, or left out."""


def in_order(training: Training, order: Integers) -> Integers:
    """Return all rows, each once, in this order, but the baseline of a workload before its first row."""
    taken: dict[int, None] = {}
    for row in (*order.tolist(), *range(len(training))):
        if training.baseline[row] >= 0:
            taken.setdefault(int(training.baseline[row]))
        taken.setdefault(row)
    return np.array(list(taken), dtype=np.int64)


def _paper(training: Training, rng: np.random.Generator) -> Integers:
    """Screen first, then vary the top-ranked parameters, then lower and lower ones."""
    return np.asarray(np.lexsort((rng.random(len(training)), training.depth, ~training.screened)))


def _random(training: Training, rng: np.random.Generator) -> Integers:
    return rng.permutation(len(training))


def _sobol(training: Training, rng: np.random.Generator) -> Integers:
    """Take the row nearest to each point of a scrambled Sobol sequence: any beginning of it fills the space evenly."""
    from scipy.stats.qmc import Sobol

    count = 1 << max(1, (len(training) - 1).bit_length())
    return _nearest(training, Sobol(training.levels.shape[1], seed=rng).random(count))


def _latin(training: Training, rng: np.random.Generator) -> Integers:
    """Take the row nearest to each point of a Latin hypercube of as many points as there are rows."""
    count, columns = training.levels.shape
    points = (np.array([rng.permutation(count) for _ in range(columns)]).T + rng.random((count, columns))) / count
    return _nearest(training, points)


def _nearest(training: Training, points: Floats) -> Integers:
    """Return the row nearest to each point that no earlier one took; a point falls on one value of each parameter."""
    highest = training.levels.max(axis=0)
    several = np.maximum(highest, 1)[:, None]
    numeric, label = np.flatnonzero(training.numeric), np.flatnonzero(~training.numeric)
    left, levels = np.arange(len(training)), training.levels.T.astype(float, order="C")
    far, open_ = np.empty_like(levels), np.ones(len(left), dtype=bool)
    taken = []
    for point in points[: len(training)]:
        wanted = np.floor(point * (highest + 1))[:, None]
        far[numeric] = np.abs(levels[numeric] - wanted[numeric]) / several[numeric]
        far[label] = levels[label] != wanted[label]
        place = int(np.where(open_, far.sum(axis=0), np.inf).argmin())
        open_[place] = False
        taken.append(int(left[place]))
        if 2 * np.count_nonzero(open_) < len(open_):  # those that are taken cost as much time as the others
            left, levels = left[open_], np.compress(open_, levels, axis=1)
            far, open_ = np.empty_like(levels), np.ones(len(left), dtype=bool)
    return np.array(taken, dtype=np.int64)


def _active(training: Training, rng: np.random.Generator) -> Integers:
    """Let a model choose, a few at a time: where it is least sure, and where it promises most over the baseline.

    As campaigns do (`acic train --plan active`), but for their screening, in whose place the first few are drawn at
    random, and in batches that grow.
    """
    drawn = in_order(training, rng.permutation(len(training))[:BATCH])
    taken = dict.fromkeys(drawn[: 2 * BATCH].tolist())
    while len(taken) < len(training):
        left = np.array([row for row in range(len(training)) if row not in taken])
        model = learner(_CHOOSER).fit(_seen(training, np.array(list(taken))), rng=rng)
        predicted = model.predict(training.x)
        base = np.where(training.baseline >= 0, predicted.mean[training.baseline], predicted.mean.mean())
        promise = predicted.mean - base + _OPTIMISM * predicted.spread
        both = np.stack([left[np.argsort(-predicted.spread[left])], left[np.argsort(-promise[left])]], axis=1)
        for row in list(dict.fromkeys(both.ravel().tolist()))[: max(BATCH, round(_GROWTH * len(taken)))]:
            if training.baseline[row] >= 0:
                taken.setdefault(int(training.baseline[row]))
            taken.setdefault(row)
    return np.array(list(taken), dtype=np.int64)


def _seen(training: Training, rows: Integers) -> TrainingSet:
    """Return rows as what predicts the logarithm of bandwidth, so that no baseline has to be known."""
    some = training.rows.rows(rows)
    return TrainingSet(
        columns=tuple(map(str, range(training.x.shape[1]))),
        x=training.x[rows],
        y=some.mean,
        best=some.best,
        weight=np.ones(len(rows)),
        group=some.group,
        workload=some.workload,
    )


ORDERS: Mapping[str, Order] = MappingProxyType(
    {"paper": _paper, "random": _random, "latin hypercube": _latin, "sobol": _sobol, "active": _active}
)
"""By name; a new one is a function and a line here."""
