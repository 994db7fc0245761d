"""Pairs, neighbours and processes: what each promises beyond the contract of all learners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from acic.models import Learner, TrainingSet
from acic.models.gaussian import Gaussian, kernel
from acic.models.nearest import Nearest
from acic.models.ranking import Ranking, centred
from acic.models.residual import Residual, with_prior
from acic.models.twins import beside
from tests.models.conftest import made_up


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_a_baseline_measured_badly_does_not_change_the_order() -> None:
    """What all runs of a workload share cancels out of pairs; a regression of the runs themselves would learn it."""
    data = made_up(150)
    shift = np.array([0.0, 3.0, -2.0])[data.workload]
    one, other = (Ranking().fit(d, rng=rng()).predict(data.x).mean for d in (data, replace(data, y=data.y + shift)))
    assert_allclose(other - other.mean(), one - one.mean(), atol=0.05)  # but for splits that tie within rounding


def test_the_level_of_pairs_is_that_of_the_runs() -> None:
    data = made_up(150)
    mean = Ranking().fit(data, rng=rng()).predict(data.x).mean
    assert np.average(mean, weights=data.weight) == pytest.approx(np.average(data.y, weights=data.weight))


@pytest.mark.parametrize("learner", [Ranking(), Residual(Ranking())], ids=lambda one: one.name)
def test_improvements_are_over_the_workload_s_own_baseline(learner: Learner) -> None:
    """Pairs leave a constant free for each workload: one mean for all told what was 2x as fast to be 4x, or as fast."""
    data = made_up(300, noise=0.0)
    servers, slope = data.x[:, 0], np.array([0.2, 0.6, 1.2])[data.workload]
    data, usual = with_prior(replace(data, y=slope * servers), 0.1 * servers), data.x.copy()
    usual[:, 0] = 0.0
    usual = np.column_stack([usual, np.zeros(len(usual))])
    predicted = beside(learner.fit(data, rng=rng()), data.x, usual)
    assert np.sqrt(np.mean((predicted.mean - data.y) ** 2)) < 0.1


def test_workloads_with_one_configuration_teach_no_difference() -> None:
    """In every round their pairs, of which there are none, were as the model said: steps became ever shorter."""
    data, lone = made_up(80), made_up(60, 1)
    alone = replace(lone, group=1000 + np.arange(60), workload=1000 + np.arange(60))
    both = TrainingSet(
        columns=data.columns,
        parameters=data.parameters,
        **{
            name: np.concatenate([getattr(data, name), getattr(alone, name)])
            for name in ("x", "y", "best", "weight", "group", "workload")
        },
    )
    one, two = (Ranking().fit(d, rng=rng()).predict(lone.x) for d in (data, both))
    assert_array_equal(one.mean, two.mean)
    assert_array_equal(one.spread, two.spread)


def test_centred_has_no_mean_within_any_workload() -> None:
    data = made_up(50)
    left = centred(data.y, data.weight, data.workload)
    for workload in np.unique(data.workload):
        mine = data.workload == workload
        assert np.average(left[mine], weights=data.weight[mine]) == pytest.approx(0.0, abs=1e-12)
    assert_allclose(centred(left, data.weight, np.arange(50)), np.zeros(50), atol=1e-12)


def test_a_run_just_like_the_question_nearly_answers_it() -> None:
    data = made_up(60, noise=0.0)
    alone = replace(data, y=np.arange(60.0), group=np.arange(60))
    distinct, first = np.unique(alone.x, axis=0, return_index=True)
    predicted = Nearest().fit(alone.rows(first), rng=rng()).predict(distinct).mean
    assert np.corrcoef(predicted, alone.y[first])[0, 1] > 0.99


def test_a_column_that_never_varies_tells_no_runs_apart() -> None:
    data = made_up(60)
    x = data.x.copy()
    x[:, 0] = 5.0
    predictor = Nearest().fit(replace(data, x=x), rng=rng())
    other = x.copy()
    other[:, 0] = -100.0
    assert_array_equal(predictor.predict(other).mean, predictor.predict(x).mean)


def test_of_runs_as_near_as_one_another_the_first_answer() -> None:
    """As by sorting all of them, which took most of the time: whatever rows are asked for together."""
    data = made_up(300)
    x = np.round(data.x)
    x[200:] = x[:100]
    asked = np.vstack([x, made_up(400, 1).x])
    asked[:, data.columns.index("data_size")] = x[0, data.columns.index("data_size")]
    predictor = Nearest().fit(replace(data, x=x), rng=rng())
    distance = np.zeros((len(asked), len(x)))
    for column, scale in enumerate(predictor.scale):
        distance += ((asked[:, column, None] - x[:, column]) * scale) ** 2
    nearest = np.argsort(distance, axis=1, kind="stable")[:, : predictor.neighbours]
    near = np.take_along_axis(distance, nearest, axis=1)
    assert (near[:, :-1] == near[:, 1:]).any(axis=1).mean() > 0.5  # ties
    share = predictor.weight[nearest] / (near + 1e-3)
    share /= share.sum(axis=1, keepdims=True)
    predicted = predictor.predict(asked)
    assert_array_equal(predicted.mean, (share * predictor.y[nearest]).sum(axis=1))
    one_by_one = [predictor.predict(row[None, :]).mean[0] for row in asked[::50]]
    assert_array_equal(one_by_one, predicted.mean[::50])


def test_neighbours_are_told() -> None:
    data = made_up(60)
    reasons = Nearest().fit(data, rng=rng()).explain(data.x[0])
    assert len(reasons) == 3
    assert all("the baseline" in reason for reason in reasons)


def test_a_process_is_unsure_far_from_what_was_measured() -> None:
    data = made_up(80)
    predictor = Gaussian().fit(data, rng=rng())
    far = data.x + 40.0
    assert (predictor.predict(far).spread > predictor.predict(data.x).spread).all()
    assert_allclose(predictor.predict(far + 1e4).mean, predictor.start, atol=1e-6)


def test_a_process_without_noise_goes_through_its_runs() -> None:
    data = made_up(60, noise=0.0)
    _, first = np.unique(data.x, axis=0, return_index=True)
    predictor = Gaussian().fit(data.rows(first), rng=rng())
    assert predictor.noise == 1e-3
    assert_allclose(predictor.predict(data.x[first]).mean, data.y[first], atol=0.1)


def test_a_process_learns_from_as_many_runs_as_it_can() -> None:
    data = made_up(90)
    predictor = Gaussian(rows=40).fit(data, rng=rng())
    assert len(predictor.x) == 40
    assert_array_equal(Gaussian(rows=40).fit(data, rng=rng()).x, predictor.x)


def test_a_process_gives_no_reasons_that_are_none() -> None:
    data = made_up(60)
    x = data.x.copy()
    x[:, data.columns.index("servers")] = 2.0
    predictor = Gaussian().fit(replace(data, x=x), rng=rng())
    for row in x[:10]:
        names = [reason.partition(" ")[0] for reason in predictor.explain(row)]
        assert "servers" not in names
        assert len(set(names)) == len(names)  # a parameter of several columns is one
    assert predictor.explain(predictor.centre) == ["no parameter makes a difference of half a percent here"]


def test_the_kernel_is_one_at_home_and_falls_with_distance() -> None:
    a = np.linspace(0, 5, 20)[:, None]
    found = kernel(a, a[:1], 1.0)[:, 0]
    assert found[0] == pytest.approx(1.0)
    assert (np.diff(found) < 0).all()
    assert (np.linalg.eigvalsh(kernel(a, a, 2.0)) > -1e-9).all()
