"""Splits, and how good predictions are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from sklearn.metrics import mean_absolute_percentage_error, r2_score

from acic.errors import InvalidInput
from acic.models import cross_validate, learner
from acic.models.evaluate import score
from acic.models.validation import (
    coverage,
    grouped_folds,
    leave_out_each,
    mape,
    out_of_fold,
    r2,
    spearman,
    top1,
)
from tests.models.conftest import made_up

groups = arrays(np.int64, st.integers(2, 80), elements=st.integers(0, 30)).filter(lambda g: len(np.unique(g)) > 1)


@given(group=groups, data=st.data(), seed=st.integers(0, 1000))
def test_folds_are_whole_balanced_and_seeded(group: np.ndarray, data: st.DataObject, seed: int) -> None:
    sizes = np.unique(group, return_counts=True)[1]
    k = data.draw(st.integers(2, len(sizes)))
    fold = grouped_folds(group, k, np.random.default_rng(seed))
    rows = np.bincount(fold, minlength=k)
    assert len(rows) == k
    assert rows.min() >= 1
    assert rows.max() - rows.min() <= sizes.max()
    assert len(np.unique(np.column_stack([group, fold]), axis=0)) == len(sizes)  # twins never straddle
    assert_array_equal(fold, grouped_folds(group, k, np.random.default_rng(seed)))


def test_a_large_group_is_balanced_by_the_small_ones() -> None:
    fold = grouped_folds(np.array([7, 7, 7, 7, 7, 0, 1, 2, 3, 4]), 2, np.random.default_rng(0))
    assert_array_equal(np.bincount(fold), [5, 5])


def test_folds_differ_between_seeds() -> None:
    one, two = (grouped_folds(np.arange(50), 5, np.random.default_rng(seed)) for seed in (1, 2))
    assert (one != two).any()


@pytest.mark.parametrize("k", [0, 1, 4])
def test_folds_that_cannot_be_are_refused(k: int) -> None:
    with pytest.raises(InvalidInput, match="3 groups cannot be split"):
        grouped_folds(np.array([1, 1, 2, 3]), k, np.random.default_rng(0))


def test_each_label_is_left_out_once() -> None:
    assert_array_equal(leave_out_each(np.array(["b", "a", "b", "c"])), [1, 0, 1, 2])
    with pytest.raises(InvalidInput, match="only one label"):
        leave_out_each(np.array([3, 3]))


def test_a_workload_left_out_is_predicted_by_the_others() -> None:
    data = made_up(90)
    predicted = out_of_fold(learner("ridge"), data, leave_out_each(data.workload), rng=np.random.default_rng(0))
    only = data.workload == 0
    alone = learner("ridge").fit(data.rows(~only), rng=np.random.default_rng(0).spawn(1)[0]).predict(data.x[only])
    assert_allclose(predicted.mean[only], alone.mean)


numbers = arrays(float, st.integers(2, 40), elements=st.integers(1, 9).map(float)).filter(lambda v: np.ptp(v) > 0)


@given(actual=numbers, seed=st.integers(0, 1000))
def test_metrics_are_the_usual_ones(actual: np.ndarray, seed: int) -> None:
    predicted = actual + np.random.default_rng(seed).integers(-2, 3, len(actual)) + 0.5 * (np.arange(len(actual)) % 2)
    assert r2(actual, predicted) == pytest.approx(r2_score(actual, predicted))
    assert mape(actual, predicted) == pytest.approx(mean_absolute_percentage_error(actual, predicted))
    if np.ptp(predicted) > 0:
        assert spearman(actual, predicted) == pytest.approx(spearmanr(actual, predicted).statistic)


def test_metrics_that_the_data_cannot_tell_are_nan() -> None:
    assert np.isnan(r2(np.ones(3), np.arange(3.0)))
    assert np.isnan(r2(np.full(3, 0.1), np.arange(3.0)))  # whose mean is another number
    assert np.isnan(spearman(np.ones(3), np.arange(3.0)))


def test_the_pick_is_compared_with_the_best_of_its_fold_and_workload() -> None:
    y = np.log(np.array([1.0, 2.0, 4.0, 8.0, 5.0, 10.0, 7.0]))
    fold = np.array([0, 0, 0, 0, 1, 1, 1])
    workload = np.array([0, 0, 1, 1, 0, 0, 1])
    predicted = np.array([1.0, 0.0, 1.0, 2.0, 1.0, 1.0, 0.0])
    # 1 of 2; 8 of 8; two tie, so their median (of the logarithms) of 10; a single row is no contest
    assert_allclose(top1(y, predicted, fold, workload), [0.5, 1.0, np.sqrt(50) / 10])


def test_coverage_counts_the_ends() -> None:
    assert coverage(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0]), np.array([9.0, 2.0, 2.9])) == pytest.approx(
        2 / 3
    )


def test_what_has_no_interval_is_not_covered() -> None:
    """Of five to nine configurations all were told to lie within their interval, whatever the model."""
    ends = np.array([1.0, np.inf, np.inf])
    assert coverage(np.array([2.0, 0.0, 0.0]), -ends, ends) == 0.0
    few, enough = (cross_validate(learner("ridge"), made_up(rows)) for rows in (9, 10))
    assert np.isnan([few.coverage, few.width]).all()
    assert np.isfinite([enough.coverage, enough.width]).all()


def test_scores_tell_another_statistic_of_the_same_runs() -> None:
    data = made_up(100)
    fold = grouped_folds(data.group, 10, np.random.default_rng(0))
    predicted = out_of_fold(learner("ridge"), data, fold, rng=np.random.default_rng(0))
    own, other = (score("ridge", data, fold, predicted, actual=a) for a in (None, data.y - 0.1))
    assert own == score("ridge", data, fold, predicted, actual=data.y)
    assert other.spearman == pytest.approx(own.spearman)
    assert other.r2_log < own.r2_log
    assert own.folds == 10
    assert own.rows == 100
    assert 0.6 < own.coverage <= 1
    assert own.width > 1


def test_new_workloads_are_harder() -> None:
    data = made_up(150, workloads=5)
    seen, fold = cross_validate(learner("forest"), data), leave_out_each(data.workload)
    predicted = out_of_fold(learner("forest"), data, fold, rng=np.random.default_rng(0))
    new = score("forest", data, fold, predicted)
    assert (seen.folds, new.folds) == (10, 5)
    assert new.r2_log < seen.r2_log
    with pytest.raises(InvalidInput, match="1 groups cannot be split"):
        cross_validate(learner("ridge"), made_up(1))


def test_bandwidth_is_judged_in_its_own_unit() -> None:
    data = made_up(100)
    baseline = np.where(data.workload == 0, 1e9, 1e6)
    fold = grouped_folds(data.group, 10, np.random.default_rng(0))
    predicted = out_of_fold(learner("ridge"), data, fold, rng=np.random.default_rng(0))
    one, two = (score("ridge", data, fold, predicted, baseline=b) for b in (1.0, baseline))
    assert one.mape == pytest.approx(two.mape)
    assert one.r2 != pytest.approx(two.r2)
