"""What an interval is made of: errors by points, of baselines that are known, for workloads that are known well."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from acic.advisor.advice import Goal, Verdict
from acic.advisor.cache import fetch, keep
from acic.advisor.explaining import explain
from acic.advisor.intervals import known_well
from acic.advisor.knowledge import Knowledge
from acic.advisor.learned import Learned
from acic.advisor.learning import learn
from acic.advisor.recommend import recommend
from acic.advisor.support import Limit
from acic.models.registry import learner
from acic.platforms import Platform
from acic.report.explanation import sentences
from acic.store import Measurement
from acic.store.training import training_table
from acic.units import MIB
from tests.advisor.conftest import WRITE, application, measured, measurement, true_bandwidth

OTHER = replace(WRITE, data_size=16 * MIB, request_size=MIB)


def of(cluster: Platform, them: list[Measurement]) -> Learned:
    rows = training_table(them, cluster)
    return learn(rows, cluster, learner("cart"), weight=np.ones(len(rows)), seed=1)


@pytest.fixture(scope="module")
def unknown(cluster: Platform) -> Learned:
    """Of some configurations, measured with two workloads; only one of these on the baseline."""
    some = {*list(cluster.space.configurations())[::3], cluster.baseline}
    them = [one for one in measured(cluster, [WRITE, OTHER], np.random.default_rng(2)) if one.configuration in some]
    return of(cluster, [one for one in them if (one.configuration, one.workload) != (cluster.baseline, OTHER)])


def test_a_baseline_that_nobody_measured_is_not_known_exactly(cluster: Platform, unknown: Learned) -> None:
    """Its error cannot be told, and was taken for none: a gain was told to half a percent that was 1.7x too much."""
    assert unknown.errors.baseline == math.inf
    knowledge = Knowledge(cluster, unknown)
    advice = recommend(application(WRITE), cluster, knowledge, goal=Goal.TIME)
    assert advice.verdict is not Verdict.CHANGE
    assert "too little was measured" in advice.reason
    assert any("as good as unknown" in note for note in advice.notes)


def test_an_explanation_says_that_the_baseline_is_unknown(cluster: Platform, unknown: Learned) -> None:
    found = explain(application(WRITE), cluster, Knowledge(cluster, unknown))
    assert found.precision is not None
    assert found.precision.limit is Limit.BASELINE
    told = " ".join(sentences.precision(found, cluster))
    assert "the baseline is known to any factor" in told
    assert "nan" not in told


def test_what_is_measured_again_and_again_counts_once(cluster: Platform, training: list[Measurement]) -> None:
    """A hundred runs of one point, which the model knows, made the intervals of everything its own."""
    again = next(m for m in training if m.configuration != cluster.baseline)
    often = [replace(again, seed=number) for number in range(300)]
    usual, found = (of(cluster, them).errors.seen for them in (training, [*training, *often]))
    assert len(found.errors) == len(usual.errors)


def test_one_point_does_not_make_a_workload_known(cluster: Platform, training: list[Measurement]) -> None:
    """After `acic verify` of one configuration all others were told as closely as those of a measured workload."""
    asked = replace(WRITE, request_size=2 * MIB)
    one = next(c for c in cluster.space.configurations() if c != cluster.baseline)
    tried = [measurement(cluster, asked, c, true_bandwidth(c, asked)) for c in (cluster.baseline, one)]
    learned = of(cluster, [*training, *tried])
    assert asked in learned.workloads
    assert learned.known_well == learned.workloads - {asked}
    low, high = (Knowledge(cluster, learned).effect(asked).mean + end for end in learned.errors.new)
    assert Knowledge(cluster, learned).effect(asked).low.min() <= low.max()
    assert Knowledge(cluster, learned).effect(asked).high.max() >= high.min()


def test_where_each_workload_has_few_points_few_are_usual() -> None:
    workload = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    group = np.array([0, 1, 1, 2, 3, 4, 5, 5, 5])
    assert known_well(workload, group).tolist() == [0, 1, 2]
    many = np.repeat([0, 1], [40, 5])
    assert known_well(many, np.arange(45)).tolist() == [0]
    assert known_well(many, np.repeat([0, 1, 2], [36, 4, 5])).tolist() == [0]
    assert known_well(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)).tolist() == []


def test_what_is_learned_comes_back_from_the_cache_as_it_was(
    cluster: Platform, training: list[Measurement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path))
    learned = of(cluster, training)
    assert keep("key", learned)
    again = fetch("key", learner("cart"))
    assert again is not None
    assert again.known_well == learned.known_well
    rows = training_table(training, cluster)
    before, after = (one.baselines.improvements(rows) for one in (learned, again))
    np.testing.assert_array_equal(after.mean, before.mean)
    np.testing.assert_array_equal(after.sigma, before.sigma)
