"""Trees as arrays: the same answers as scikit-learn, whichever way they are scored."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from acic.errors import InvalidInput
from acic.models import TrainingSet, learner
from acic.models.bitsets import Bitsets
from acic.models.ensemble import TreePredictor
from acic.models.forest import Forest
from acic.models.pruning import prices, pruned, values_at
from acic.models.trees import Trees
from tests.models.conftest import made_up


def grown(seed: int, trees: int, rows: int, columns: int, levels: int) -> tuple[Trees, np.ndarray]:
    """Trees on columns of few values, and rows to score, some of them on thresholds and out of range."""
    rng = np.random.default_rng(seed)
    x = rng.integers(levels, size=(rows, columns)).astype(float)
    fitted = RandomForestRegressor(trees, random_state=seed, min_samples_leaf=1 + seed % 3).fit(x, rng.random(rows))
    return Trees.of(fitted.estimators_), rng.integers(-1, 2 * levels, size=(300, columns)) / 2


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    trees=st.integers(1, 5),
    rows=st.integers(1, 400),  # up to some hundred leaves: several words per tree
    columns=st.integers(1, 6),
    levels=st.integers(1, 12),
    constant=st.integers(0, 6),
)
def test_bitsets_reach_the_leaves_that_walking_does(
    seed: int, trees: int, rows: int, columns: int, levels: int, constant: int
) -> None:
    forest, x = grown(seed, trees, rows, columns, levels)
    x[:, :constant] = x[:1, :constant]
    leaves = forest.leaves(x)
    values, deviations = forest.value[leaves], forest.std[leaves]
    nodes = (forest.roots, forest.feature, forest.threshold, forest.left, forest.right)
    by_sets = Bitsets(*nodes, forest.value, forest.std**2).moments(x)
    for total, square, variance in (by_sets, forest.moments(x)):
        assert_allclose(total, values.sum(axis=1), rtol=1e-12, atol=1e-12)
        assert_allclose(square, (values**2).sum(axis=1), rtol=1e-12, atol=1e-12)
        assert_allclose(variance, (deviations**2).sum(axis=1), rtol=1e-12, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 400), levels=st.integers(1, 12), asked=st.integers(0, 1100))
def test_rows_come_to_the_leaves_that_scikit_learn_sends_them_to(seed: int, rows: int, levels: int, asked: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(levels, size=(rows, 3)).astype(float)
    fitted = RandomForestRegressor(4, random_state=seed, min_samples_leaf=1).fit(x, rng.random(rows))
    forest = Trees.of(fitted.estimators_)
    questions = rng.integers(-1, 2 * levels, size=(asked, 3)) / 2 + rng.choice([0.0, 1e-8], size=(asked, 3))
    expected = fitted.apply(questions) + forest.roots if asked else np.empty((0, 4))
    assert_array_equal(forest.leaves(questions), expected)


@pytest.mark.parametrize("leaves", [2, 63, 64, 126, 127, None])
def test_trees_of_any_size_fill_whole_words(leaves: int | None) -> None:
    rng = np.random.default_rng(1)
    x = rng.random((1000, 3))
    fitted = RandomForestRegressor(3, max_leaf_nodes=leaves, random_state=1).fit(x, rng.random(1000))
    assert_allclose(Trees.of(fitted.estimators_).moments(x)[0] / 3, fitted.predict(x), atol=1e-12)


@pytest.mark.parametrize("name", ["forest", "extra-trees"])
def test_an_ensemble_predicts_what_scikit_learn_does(name: str, runs: TrainingSet) -> None:
    kind = {"forest": RandomForestRegressor, "extra-trees": ExtraTreesRegressor}[name]
    fitted = kind(50, random_state=3).fit(runs.x, runs.y, sample_weight=runs.weight)
    x = np.vstack([runs.x, made_up(300, 7).x, runs.x + 1e-7])
    predicted = TreePredictor(name, runs.columns, Trees.of(fitted.estimators_)).predict(x)
    each = np.array([tree.predict(x) for tree in fitted.estimators_])
    assert_allclose(predicted.mean, fitted.predict(x), atol=1e-9)
    assert (predicted.spread >= each.std(axis=0) - 1e-9).all()  # the leaves' own deviation comes on top


@pytest.mark.skipif(sklearn.__version__ < "1.9", reason="rows are drawn otherwise before 1.9")
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_a_forest_of_rows_that_weigh_alike_is_scikit_learns(weight: float, runs: TrainingSet) -> None:
    forest, data = Forest(trees=20), replace(runs, weight=np.full(len(runs), weight)).settled()
    seed = int(np.random.default_rng(5).integers(2**31))
    same = RandomForestRegressor(20, **forest.settings, random_state=seed)
    same.fit(data.x, data.y, sample_weight=np.ones(len(data)))
    expected, found = Trees.of(same.estimators_).arrays(), forest.fit(data, rng=np.random.default_rng(5)).trees.arrays()
    for name in expected:
        assert_array_equal(found[name], expected[name])


def test_a_forest_takes_a_weight_of_two_for_a_row_twice() -> None:
    data = made_up(60)
    twice = np.arange(60) % 3 == 0
    heavy = replace(data, weight=np.where(twice, 2.0, 1.0))
    doubled = replace(data.rows(np.repeat(np.arange(60), np.where(twice, 2, 1))), weight=np.ones(80))
    plain = replace(data, weight=np.ones(60))
    forest = Forest(trees=1000, min_leaf=1, max_leaves=6)
    one, two, other = (
        forest.fit(each, rng=np.random.default_rng(3)).predict(data.x).mean for each in (heavy, doubled, plain)
    )
    assert np.abs(one - two).mean() < 0.5 * np.abs(other - two).mean()


def test_thresholds_between_neighbouring_singles_part_them() -> None:
    """scikit-learn splits in the middle of two single-precision numbers, which is none itself."""
    x = np.array([2 + k * 2**-22 for k in range(40)])[:, None]
    y = np.random.default_rng(0).random(40)
    fitted = DecisionTreeRegressor(random_state=0).fit(x, y)
    assert fitted.get_n_leaves() == 40
    assert_array_equal(Trees.of([fitted]).moments(x)[0], y)


def test_boosting_predicts_what_scikit_learn_does(runs: TrainingSet) -> None:
    fitted = GradientBoostingRegressor(random_state=3, subsample=0.5).fit(runs.x, runs.y)
    trees = Trees.of(fitted.estimators_[:, 0], scale=fitted.learning_rate)
    start = float(np.ravel(fitted.init_.constant_)[0])
    x = made_up(300, 7).x
    assert_allclose(start + trees.moments(x)[0], fitted.predict(x), atol=1e-9)


def test_a_leaf_keeps_mean_deviation_and_count(runs: TrainingSet) -> None:
    predictor = learner("cart").fit(runs, rng=np.random.default_rng(0))
    assert isinstance(predictor, TreePredictor)
    leaf = predictor.trees.leaves(runs.x)[:, 0]
    predicted = predictor.predict(runs.x)
    for one in np.unique(leaf):
        held, weight = runs.y[leaf == one], runs.weight[leaf == one]
        mean = np.average(held, weights=weight)
        deviation = np.sqrt(np.average((held - mean) ** 2, weights=weight))
        assert predictor.trees.count[one] == len(held)
        assert_allclose(predicted.mean[leaf == one], mean, atol=1e-12)
        assert_allclose(predicted.spread[leaf == one], deviation, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_pruning_is_scikit_learns(seed: int) -> None:
    data = made_up(150, seed)
    full = DecisionTreeRegressor(random_state=seed).fit(data.x, data.y, sample_weight=data.weight)
    share = full.tree_.weighted_n_node_samples / data.weight.sum()
    tree = Trees.of([full])
    price = prices(tree, tree.std**2 * share)
    path = np.unique(full.cost_complexity_pruning_path(data.x, data.y, sample_weight=data.weight).ccp_alphas)
    tried = np.array([(low + high) / 2 for low, high in pairwise(path)])
    unmade = values_at(tree, price, tried, data.x)
    for at, values in list(zip(tried, unmade, strict=True))[::5]:
        same = DecisionTreeRegressor(random_state=seed, ccp_alpha=at).fit(data.x, data.y, sample_weight=data.weight)
        ours = pruned(tree, price, at)
        assert len(ours.left) == same.tree_.node_count
        assert_allclose(ours.value[ours.leaves(data.x)[:, 0]], same.predict(data.x), atol=1e-12)
        assert_array_equal(values, ours.value[ours.leaves(data.x)[:, 0]])
    assert len(pruned(tree, price, path[-1] * 1.001).left) == 1


def test_contributions_add_up_to_the_prediction(runs: TrainingSet) -> None:
    predictor = learner("forest").fit(runs, rng=np.random.default_rng(0))
    assert isinstance(predictor, TreePredictor)
    trees = predictor.trees
    for row in runs.x[:10]:
        total = trees.value[trees.roots].sum() + trees.contributions(row).sum()
        assert_allclose(total / len(trees), predictor.predict(row[None, :]).mean[0], atol=1e-9)


def test_arrays_that_are_no_trees_are_refused(runs: TrainingSet) -> None:
    fitted = DecisionTreeRegressor(max_depth=2).fit(runs.x, runs.y)
    arrays = Trees.of([fitted]).arrays()
    assert_array_equal(Trees.restore(arrays).left, arrays["left"])
    left = arrays["left"].copy()
    left[1] = 0  # a circle
    with pytest.raises(InvalidInput, match="no trees"):
        Trees.restore(arrays | {"left": left})
