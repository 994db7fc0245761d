"""Intervals are learned from a part of very many measurements, and from all of as many as acic carries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from acic.advisor import intervals
from acic.advisor.intervals import ENOUGH, HELD_OUT, drawn
from acic.advisor.knowledge import Knowledge
from acic.advisor.learning import learn
from acic.advisor.leaving import leave_workloads_out
from acic.models.protocol import Prediction, TrainingSet
from acic.models.registry import learner
from acic.platforms import Platform, load_platform, platform_names
from acic.store import Measurement
from acic.store.baselines import Baselines
from acic.store.bundled import bundled
from acic.store.training import training_table


@given(
    sizes=st.lists(st.integers(1, 40), min_size=ENOUGH + 1, max_size=200),
    seed=st.integers(0, 9),
    most=st.integers(1, 900),
)
def test_whole_groups_are_drawn_and_always_the_same(sizes: list[int], seed: int, most: int) -> None:
    group = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intervals, "HELD_OUT", most)
        chosen, again = (drawn(group, np.random.default_rng(seed)) for _ in range(2))
    assert (chosen == again).all()
    assert not set(group[chosen]) & set(group[~chosen])
    if len(group) <= most:
        assert chosen.all()
    else:
        assert len(set(group[chosen])) >= ENOUGH
        assert chosen.sum() <= max(most, 40 * ENOUGH)


def test_what_comes_with_acic_is_held_out_whole() -> None:
    for name in platform_names():
        platform = load_platform(name)
        assert drawn(training_table(bundled(platform), platform).group, np.random.default_rng(0)).all()


def test_very_many_measurements_teach_and_a_part_of_them_tells_the_interval(
    cluster: Platform, training: list[Measurement], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = training_table(training, cluster)
    weight = np.ones(len(rows))
    whole = learn(rows, cluster, learner("cart"), weight=weight, seed=1)
    monkeypatch.setattr(intervals, "HELD_OUT", len(rows) // 3)
    part = learn(rows, cluster, learner("cart"), weight=weight, seed=1)
    assert part.measurements == len(rows) < HELD_OUT
    assert len(part.errors.seen.errors) <= len(rows) // 3 < len(whole.errors.seen.errors)
    np.testing.assert_array_equal(part.predictor.arrays()["value"], whole.predictor.arrays()["value"])
    (low, high), (whole_low, whole_high) = (one.errors.seen.quantiles() for one in (part, whole))
    assert high - low == pytest.approx(whole_high - whole_low, rel=0.6)  # and not the errors of what it has seen


class Blind:
    """A model that looks at one column, and credits whatever stands there with a factor e^3."""

    def __init__(self, column: str) -> None:
        self._column = column

    name, version, about, is_relative = "blind", 1, "for a test", False

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> Blind:  # noqa: ARG002 (the signature of learners)
        self._at = data.columns.index(self._column)
        return self

    def restore(self, arrays: Any) -> Blind:  # noqa: ARG002 (the same)
        return self

    @property
    def looks_at(self) -> NDArray[np.int64]:
        return np.array([self._at])

    def predict(self, x: NDArray[np.float64]) -> Prediction:
        return Prediction(np.full(len(x), 3.0), np.zeros(len(x)))

    def explain(self, x: NDArray[np.float64], describe: Any = None) -> list[str]:  # noqa: ARG002 (the same)
        return []

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {}


def test_errors_are_those_of_what_is_told_of_the_baselines_twins(
    cluster: Platform, training: list[Measurement]
) -> None:
    """Users are told that they gain nothing, and intervals were those of what the model credits them with."""
    rows = training_table(training, cluster)
    blind = Blind("processes")  # which is the same on the baseline, whatever the configuration
    known = learn(rows, cluster, blind, weight=np.ones(len(rows)), seed=1)
    told = Knowledge(cluster, known).effect(
        replace(rows.workloads[0], request_size=rows.workloads[0].request_size // 2)
    )
    np.testing.assert_array_equal(told.mean, 0.0)
    y = np.sort(Baselines.fit(rows, cluster).improvements(rows).mean[~rows.on(cluster.baseline)])
    np.testing.assert_allclose(known.errors.seen.errors, y, rtol=1e-9)
    assert known.errors.new[0] < 0.0 < known.errors.new[1]
    (left,) = leave_workloads_out(rows, cluster, [blind], seed=0, progress=lambda _: None)
    assert left.error == pytest.approx(np.median(np.abs(y)))
