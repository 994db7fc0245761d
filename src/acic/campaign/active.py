"""Active planning: measure where the model is least sure, or promises most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.campaign.points import Field, Rows
from acic.campaign.sampling import sampled
from acic.campaign.state import State
from acic.models.protocol import TrainingSet
from acic.models.registry import DEFAULT, learner
from acic.space import Encoder

POOL = 1500  # candidates that the model looks at
_OPTIMISM = 1.0  # spreads that a promise is taken above its prediction


def chosen(field: Field, state: State, count: int, *, rng: np.random.Generator) -> Rows:
    """Return up to `count` new points: half where the spread is largest, half that may improve most on the baseline.

    The model learns the logarithm of bandwidth, so that no baseline needs to be known; configurations that gave back
    wrong bytes, or keep failing, are left out.
    """
    pool = _candidates(field, state, rng)
    measured = [(p.row, np.log([r.bandwidth for r in p.repetitions if r.bandwidth])) for p in state.progress]
    measured = [(row, logs) for row, logs in measured if len(logs)]
    if len(pool) <= count or len(measured) < count:
        return pool[:count]
    encoder = Encoder(field.space.parameters)
    rows = np.array([row for row, _ in measured], dtype=np.int8)
    y = np.array([logs.mean() for _, logs in measured])
    best = np.array([logs.max() for _, logs in measured])
    data = TrainingSet(
        columns=encoder.columns,
        x=encoder.encode_points(field.space, rows),
        y=y,
        best=best,
        weight=np.ones(len(y)),
        group=np.arange(len(y)),
        workload=np.unique(rows[:, : len(field.workload_names)], axis=0, return_inverse=True)[1].ravel()
        if field.workload_names
        else np.zeros(len(y), dtype=np.int64),
        parameters=encoder.parameters,
    )
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        model = learner(DEFAULT).fit(data, rng=rng)
    predicted = model.predict(encoder.encode_points(field.space, pool))
    baseline = model.predict(encoder.encode_points(field.space, field.baseline_rows(pool)))
    promise = predicted.mean - baseline.mean + _OPTIMISM * predicted.spread
    return pool[_pick(predicted.spread, promise, count)]


def _candidates(field: Field, state: State, rng: np.random.Generator) -> Rows:
    names = list(field.space.names)
    pool = sampled(field.sampling_space, names, field.default, POOL, rng=rng, done=state.rows, fewest=len(names))
    pool = pool[rng.permutation(len(pool))]
    avoided = state.avoided
    good = [field.point(row).configuration not in avoided for row in pool] if avoided else [True] * len(pool)
    return np.asarray(pool[np.array(good, dtype=bool)])


def _pick(spread: NDArray[np.float64], promise: NDArray[np.float64], count: int) -> list[int]:
    """Return positions, taken in turn from the most uncertain and the most promising that are left."""
    picked: dict[int, None] = {}
    orders = [iter(np.argsort(-of, kind="stable").tolist()) for of in (spread, promise)]
    while len(picked) < min(count, len(spread)):
        picked.setdefault(next(position for position in orders[len(picked) % 2] if position not in picked))
    return list(picked)
