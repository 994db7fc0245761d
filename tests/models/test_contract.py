"""What every learner promises, whatever it does inside."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal

from acic.errors import InvalidInput
from acic.models import (
    DEFAULT,
    LEARNERS,
    NAMES,
    Learner,
    Prediction,
    Predictor,
    TrainingSet,
    cross_validate,
    in_units,
    learner,
)
from acic.models.twins import beside
from acic.models.validation import grouped_folds, out_of_fold
from acic.space import Encoder
from acic.units import MIB
from tests.models.conftest import PARAMETERS, made_up

each = pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
LEARNING = [one for one in LEARNERS if one.name != "prior"]  # which is what it is, whatever was measured
MOST = ("forest", "cart", "extra-trees", "boosting", "ranking", "nearest", "gaussian", "ridge")
each_that_learns = pytest.mark.parametrize("learner", LEARNING, ids=[one.name for one in LEARNING])


@pytest.fixture(scope="module", params=LEARNERS, ids=NAMES)
def fitted(request: pytest.FixtureRequest, runs: TrainingSet) -> tuple[Learner, Predictor]:
    """A learner, and what it made of `runs`: fitted once for all tests that only look at it."""
    return request.param, request.param.fit(runs, rng=rng(5))


@pytest.fixture(scope="module", params=LEARNERS, ids=NAMES)
def narrow(request: pytest.FixtureRequest, runs: TrainingSet) -> Predictor:
    """What a learner made of runs with one number of servers and one kind of device only."""
    x = runs.x.copy()
    x[:, [runs.columns.index(name) for name in ("servers", "device")]] = 1.0
    predictor: Predictor = request.param.fit(replace(runs, x=x), rng=rng(5))
    return predictor


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def check(predicted: Prediction, rows: int) -> None:
    assert predicted.mean.shape == predicted.spread.shape == (rows,)
    assert np.isfinite(predicted.mean).all()
    assert np.isfinite(predicted.spread).all()
    assert (predicted.spread >= 0).all()


@each
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 12])
def test_few_rows_are_enough(learner: Learner, rows: int) -> None:
    data = made_up(rows)
    predictor = learner.fit(data, rng=rng())
    check(predictor.predict(made_up(40, 1).x), 40)
    assert predictor.predict(data.x[:0]).mean.shape == (0,)
    reasons = predictor.explain(data.x[0])
    assert reasons
    assert all(reasons)


@each_that_learns
def test_what_never_varies_is_predicted(learner: Learner) -> None:
    data = made_up(30)
    data = replace(data, y=np.full(30, 0.7), best=np.full(30, 0.7))
    predicted = learner.fit(data, rng=rng()).predict(data.x)
    assert_allclose(predicted.mean, 0.7, atol=1e-6)
    assert_allclose(predicted.spread, 0.0, atol=1e-6)


@each
def test_columns_that_are_constant_do_no_harm(learner: Learner) -> None:
    data = made_up(60)
    x = data.x.copy()
    x[:, data.columns.index("servers")] = 2.0
    predictor = learner.fit(replace(data, x=x), rng=rng())
    check(predictor.predict(data.x), 60)


@each_that_learns
def test_something_is_learned(learner: Learner) -> None:
    """What is promised is that it is more than chance; those that came with 0.6 keep it."""
    scores = cross_validate(learner, made_up(200), k=2)
    assert scores.r2_log > (0.6 if learner.name.removeprefix("prior+") in MOST else 0.3)  # who sees no labels has less
    assert scores.spearman > 0.5


def test_the_same_seed_gives_the_same_model_also_in_threads(
    fitted: tuple[Learner, Predictor], runs: TrainingSet
) -> None:
    learner, predictor = fitted
    one, again = predictor.arrays(), learner.fit(runs, rng=rng(5)).arrays()
    with parallel_config(backend="threading", n_jobs=3):
        threaded = learner.fit(runs, rng=rng(5)).arrays()
    for two in (again, threaded):
        assert one.keys() == two.keys()
        for name in one:
            assert_array_equal(one[name], two[name])


TREES = ("forest", "extra-trees", "cart", "boosting", "ranking")


@pytest.mark.parametrize(
    "base", [one for one in LEARNERS if one.name.removeprefix("prior+") in TREES], ids=lambda one: one.name
)
def test_the_last_digits_of_a_logarithm_change_no_tree(base: Learner, runs: TrainingSet) -> None:
    """They hang on the processor: with and without AVX-512 numpy's logarithms differ there, and trees' splits did."""
    last = 1 + 4e-16 * rng(9).choice([-1, 0, 1], len(runs))
    other = replace(runs, y=runs.y * last, best=runs.best * last, weight=runs.weight * last)
    one, two = (base.fit(data, rng=rng(5)).predict(runs.x).mean for data in (runs, other))
    assert_array_equal(one, two)


@each_that_learns
def test_weights_matter(learner: Learner, runs: TrainingSet) -> None:
    heavy = np.where(runs.y > np.median(runs.y), 50.0, 0.1)
    plain, tilted = (
        learner.fit(replace(runs, weight=w), rng=rng()).predict(runs.x).mean.mean() for w in (np.ones(len(runs)), heavy)
    )
    assert tilted > plain + 0.01


@each_that_learns
@pytest.mark.parametrize("scale", [2.0**-24, 2.0**20])  # others change last digits, by which trees choose
def test_what_weights_are_parts_of_does_not_matter(learner: Learner, scale: float) -> None:
    data = made_up(60)
    one, two = (
        learner.fit(replace(data, weight=weight), rng=rng()).predict(data.x)
        for weight in (data.weight, scale * data.weight)
    )
    assert_allclose(two.mean, one.mean, rtol=1e-6, atol=1e-9)
    assert_allclose(two.spread, one.spread, rtol=1e-6, atol=1e-9)


@each_that_learns
def test_what_only_old_rows_tell_is_still_heard(learner: Learner) -> None:
    """The baseline was measured every month, which tells nothing: forests and Gaussian processes said 1.0x of all."""
    encoder = Encoder(PARAMETERS)
    choices = {"servers": (1, 2, 8), "stripe_size": (MIB, 8 * MIB, 64 * MIB), "delay": (0, 1, 2)}
    configurations = [dict(zip(choices, one, strict=True)) for one in product(*choices.values())]
    shared: dict[str, int | str | float] = {"raid": "none", "device": "EBS", "file_system": "Lustre", "data_size": MIB}
    x = encoder.encode([{**one, **shared} for one in configurations])
    gain = 0.6 * np.log2([float(one["servers"]) for one in configurations])
    gain += 0.05 * np.log2([one["stripe_size"] / MIB for one in configurations]) - 0.02 * x[:, 2]
    rows = np.concatenate([np.repeat(np.arange(27), 2), np.zeros(36, dtype=np.int64)])  # the first is the baseline
    data = TrainingSet(
        columns=encoder.columns,
        x=x[rows],
        y=gain[rows],
        best=gain[rows],
        weight=np.repeat([1e-3, 1.0], [54, 36]),
        group=rows,
        workload=np.zeros(len(rows), dtype=np.int64),
        parameters=PARAMETERS,
    )
    told = beside(learner.fit(data, rng=rng()), x, x[0]).mean
    assert configurations[int(told.argmax())]["servers"] == 8
    assert told.max() > np.log(4.0)  # it is 8x


def test_arrays_bring_the_predictor_back(fitted: tuple[Learner, Predictor]) -> None:
    learner, predictor = fitted
    file = io.BytesIO()
    arrays: dict[str, Any] = {**predictor.arrays()}
    np.savez(file, **arrays)
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        again = learner.restore(dict(stored))
    x = made_up(50, 3).x
    assert again.name == predictor.name == learner.name
    assert_array_equal(again.predict(x).mean, predictor.predict(x).mean)
    assert_array_equal(again.predict(x).spread, predictor.predict(x).spread)
    assert again.explain(x[0]) == predictor.explain(x[0])


def test_rows_do_not_know_one_another(fitted: tuple[Learner, Predictor]) -> None:
    _, predictor = fitted
    x = made_up(700, 4).x
    order = rng(1).permutation(len(x))
    whole = predictor.predict(x)
    check(whole, len(x))
    shuffled = predictor.predict(x[order])
    assert_allclose(shuffled.mean, whole.mean[order], rtol=1e-12, atol=1e-12)
    assert_allclose(shuffled.spread, whole.spread[order], rtol=1e-9, atol=1e-9)
    alone = [predictor.predict(row[None, :]) for row in x[:5]]
    assert_allclose([p.mean[0] for p in alone], whole.mean[:5], rtol=1e-12, atol=1e-12)
    assert_allclose([p.spread[0] for p in alone], whole.spread[:5], rtol=1e-9, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_baselines_twins_are_no_better_or_worse_than_it(narrow: Predictor, seed: int) -> None:
    """Who differed from the baseline only in what a model is blind to got the credit of what it made of the baseline.

    The baseline itself is 0 by definition, so `nonlinear` told labels, which it does not see, to be 1.7x as fast.
    """
    baseline = made_up(1, seed).x[0]
    others = made_up(20, seed + 1).x
    twins = others.copy()
    twins[:, narrow.looks_at] = baseline[narrow.looks_at]
    assert_array_equal(beside(narrow, twins, baseline).mean, 0.0)
    apart = (others[:, narrow.looks_at] != baseline[narrow.looks_at]).any(axis=1)
    one, plain = beside(narrow, others, baseline), narrow.predict(others)
    level = narrow.predict(baseline[None, :]).mean if narrow.is_relative else 0.0
    assert_array_equal(one.mean, np.where(apart, plain.mean - level, 0.0))
    assert_array_equal(one.spread, plain.spread)
    together = beside(narrow, np.vstack([twins, others]), np.tile(baseline, (40, 1)))  # a baseline for each row
    assert_array_equal(together.mean[:20], 0.0)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_a_model_tells_what_it_looks_at(narrow: Predictor, runs: TrainingSet, seed: int) -> None:
    blind = {"servers", "device"} | ({"file_system=NFS"} if narrow.name == "nonlinear" else set())
    assert blind.isdisjoint(runs.columns[at] for at in narrow.looks_at)
    assert (np.diff(narrow.looks_at) > 0).all()
    x, other = made_up(20, seed).x, made_up(20, seed + 1).x
    other[:, narrow.looks_at] = x[:, narrow.looks_at]
    one, two = narrow.predict(x), narrow.predict(other)
    assert_allclose(one.mean, two.mean, rtol=1e-9, atol=1e-12)
    assert_allclose(one.spread, two.spread, rtol=1e-9, atol=1e-9)


def test_equal_rows_tie_exactly(fitted: tuple[Learner, Predictor]) -> None:
    learner, predictor = fitted
    x = np.tile(made_up(3, 4).x, (300, 1))
    mean = predictor.predict(x).mean.reshape(300, 3)
    if learner.name in ("ridge", "nonlinear", "gaussian"):  # matrix products may differ in the last bit
        assert_allclose(mean, np.tile(mean[:1], (300, 1)), rtol=1e-12)
    else:
        assert_array_equal(mean, np.tile(mean[:1], (300, 1)))


def test_predicting_changes_nothing(fitted: tuple[Learner, Predictor], runs: TrainingSet) -> None:
    _, predictor = fitted
    x = runs.x.copy()
    first = predictor.predict(x)
    kept = first.mean.copy()
    first.mean[:] = 0.0  # the caller may do as he likes with the answer
    assert_array_equal(x, runs.x)
    assert_array_equal(predictor.predict(x).mean, kept)


def test_twins_never_straddle(runs: TrainingSet) -> None:
    ridge = learner("ridge")
    seen: list[set[int]] = []

    class Watching:
        name, version, about, restore = ridge.name, ridge.version, ridge.about, ridge.restore

        def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> Predictor:
            seen.append(set(data.group.tolist()))
            return ridge.fit(data, rng=rng)

    fold = grouped_folds(runs.group, 5, rng())
    out_of_fold(Watching(), runs, fold, rng=rng())
    assert len(seen) == 5
    for part, taught in enumerate(seen):
        assert not taught & set(runs.group[fold == part].tolist())
    with pytest.raises(InvalidInput, match="several folds"):
        out_of_fold(Watching(), runs, np.arange(len(runs)) % 5, rng=rng())


def test_explanations_speak_of_parameters(fitted: tuple[Learner, Predictor], runs: TrainingSet) -> None:
    learner, predictor = fitted
    for row in runs.x[:20]:
        reasons = predictor.explain(row, in_units(PARAMETERS))
        assert reasons
        assert all(reason.strip() and "\n" not in reason for reason in reasons)
        assert learner not in LEARNING or any(parameter.name in " ".join(reasons) for parameter in PARAMETERS)


def test_predicting_needs_no_scikit_learn(fitted: tuple[Learner, Predictor], runs: TrainingSet, tmp_path: Path) -> None:
    learner, predictor = fitted
    arrays: dict[str, Any] = {**predictor.arrays()}
    np.savez(tmp_path / "model.npz", **arrays)
    np.save(tmp_path / "x.npy", runs.x)
    script = f"""
import sys, numpy as np
import acic.models
with np.load("model.npz") as file:
    predictor = acic.models.learner({learner.name!r}).restore(dict(file))
x = np.load("x.npy")
np.save("mean.npy", predictor.predict(x).mean)
assert predictor.explain(x[0])
slow = {{"sklearn", "scipy", "pandas", "joblib"}} & set(sys.modules)
assert not slow, slow
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], cwd=tmp_path, check=True)
    assert_allclose(np.load(tmp_path / "mean.npy"), predictor.predict(runs.x).mean, rtol=1e-12)


def test_names_are_what_the_command_line_takes() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert learner() is learner(DEFAULT)
    assert all(one.about and "\n" not in one.about for one in LEARNERS)
    with pytest.raises(InvalidInput, match="no model 'tarot'") as caught:
        learner("tarot")
    assert all(name in caught.value.hint for name in NAMES)


def test_settings_show_in_the_repr() -> None:
    """The cache tells settings apart by it."""
    assert len({repr(one) for one in LEARNERS}) == len(LEARNERS)
    assert "min_leaf=5" in repr(learner("cart"))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"y": np.zeros(3)}, "x has the shape"),
        ({"best": np.zeros(3)}, "best has the shape"),
        ({"weight": np.zeros(5)}, "a weight is not positive"),
        ({"y": np.full(5, np.nan)}, "y has a value that is not finite"),
        ({"columns": ("one",)}, "x has the shape"),
    ],
)
def test_a_training_set_that_exists_is_valid(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        replace(made_up(5), **change)
    with pytest.raises(InvalidInput, match="no rows"):
        made_up(5).rows(np.zeros(5, dtype=bool))
