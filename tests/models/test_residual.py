"""Learning beside a prior: it adds what it is told, learns the rest, and is its base where it is told nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from acic.models import Learner, TrainingSet, learner
from acic.models.cart import Cart
from acic.models.ranking import Ranking
from acic.models.registry import INFORMED
from acic.models.residual import ALIKE, PRIOR, PriorAlone, Residual, parted, takes_prior, with_prior
from acic.models.ridge import Ridge
from tests.models.conftest import made_up

BASES: tuple[Learner, ...] = (Cart(), Ridge(), Ranking(rounds=10), learner("nearest"))
each_base = pytest.mark.parametrize("base", BASES, ids=[one.name for one in BASES])


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def told(data: TrainingSet, seed: int = 1) -> tuple[TrainingSet, np.ndarray[Any, np.dtype[np.float64]]]:
    """Return data with a made-up prior, and the prior."""
    prior = np.random.default_rng(seed).normal(size=len(data))
    return with_prior(data, prior), prior


@each_base
def test_a_prior_of_nothing_leaves_the_base_as_it_is(base: Learner) -> None:
    data, new = made_up(80), made_up(30, 5).x
    plain = base.fit(data, rng=rng())
    for other in (data, with_prior(data, np.zeros(len(data)))):
        beside = Residual(base).fit(other, rng=rng())
        rows = new if other is data else np.column_stack([new, np.zeros(len(new))])
        assert_array_equal(beside.predict(rows).mean, plain.predict(new).mean)
        assert_array_equal(beside.predict(rows).spread, plain.predict(new).spread)


@each_base
def test_a_prior_that_is_right_leaves_nothing_to_learn(base: Learner) -> None:
    data = made_up(80)
    predictor = Residual(base).fit(with_prior(data, data.y), rng=rng())
    new = made_up(30, 5)
    predicted = predictor.predict(np.column_stack([new.x, new.y]))
    assert_allclose(predicted.mean, new.y, atol=1e-9)
    assert_allclose(predicted.spread, 0.0, atol=1e-6)


@each_base
def test_what_the_prior_tells_is_looked_at(base: Learner) -> None:
    data = with_prior(made_up(80), np.ones((80, 2)), (ALIKE, PRIOR))
    mixed = replace(data, columns=(PRIOR, *data.columns[:-1]), x=np.roll(data.x, 1, axis=1))  # wherever it stands
    for one in (data, mixed):
        columns = [one.columns[at] for at in Residual(base).fit(one, rng=rng()).looks_at]
        plain = base.fit(made_up(80), rng=rng())
        assert set(columns) == {PRIOR, ALIKE, *(made_up(80).columns[at] for at in plain.looks_at)}
    assert [data.columns[at] for at in PriorAlone().fit(data, rng=rng()).looks_at] == [PRIOR]


@settings(max_examples=15, deadline=None)
@given(shift=st.floats(-3, 3), seed=st.integers(0, 10**6))
def test_what_the_prior_adds_is_added(shift: float, seed: int) -> None:
    """The same question with another prior: the answer moves by just as much."""
    data, prior = told(made_up(40), seed)
    predictor = Residual(Ridge()).fit(data, rng=rng())
    moved = data.x.copy()
    moved[:, data.columns.index(PRIOR)] = prior + shift
    assert_allclose(predictor.predict(moved).mean, predictor.predict(data.x).mean + shift, atol=1e-9)


@each_base
def test_arrays_bring_it_back_to_the_bit(base: Learner) -> None:
    data, _ = told(made_up(60))
    predictor = Residual(base).fit(data, rng=rng())
    again = Residual(base).restore(predictor.arrays())
    assert_array_equal(again.predict(data.x).mean, predictor.predict(data.x).mean)
    assert_array_equal(again.predict(data.x).spread, predictor.predict(data.x).spread)
    assert again.explain(data.x[0]) == predictor.explain(data.x[0])


def test_it_says_what_the_hardware_says_first() -> None:
    data, _ = told(made_up(60))
    row = data.x[0].copy()
    row[data.columns.index(PRIOR)] = np.log(2.0)
    first, *rest = Residual(Cart()).fit(data, rng=rng()).explain(row)
    assert first == "by its hardware alone 2x faster than the baseline"
    assert rest
    assert all(reason.startswith("beside that, ") for reason in rest)
    row[data.columns.index(PRIOR)] = -np.log(4.0)
    assert PriorAlone().fit(data, rng=rng()).explain(row) == ["by its hardware alone 4x slower than the baseline"]


def test_it_says_which_part_of_what_was_learned_counts() -> None:
    data, _ = told(made_up(60))
    some = with_prior(data, np.full(len(data), 0.25), (ALIKE,))
    _, *rest = Residual(Cart()).fit(some, rng=rng()).explain(some.x[0])
    assert rest
    assert all(reason.startswith("beside that, of which 25% counts, ") for reason in rest)


def test_the_prior_alone_is_the_prior_whatever_was_measured() -> None:
    data, prior = told(made_up(30))
    predictor = PriorAlone().fit(data, rng=rng())
    assert_array_equal(predictor.predict(data.x).mean, prior)
    again = PriorAlone().restore(predictor.arrays())
    assert_array_equal(again.predict(data.x).mean, prior)
    nothing = PriorAlone().fit(made_up(30), rng=rng())
    assert not nothing.predict(made_up(5).x).mean.any()
    assert "nothing is known" in nothing.explain(made_up(5).x[0])[0]


def test_the_column_is_found_wherever_it_is() -> None:
    x = np.arange(12.0).reshape(4, 3)
    rest, prior, all_of_it = parted(("a", PRIOR, "b"), x)
    assert_array_equal(rest, x[:, [0, 2]])
    assert_array_equal(prior, x[:, 1])
    assert (all_of_it == 1).all()
    rest, none, part = parted(("a", "b", ALIKE), x)
    assert_array_equal(rest, x[:, [0, 1]])
    assert_array_equal(part, x[:, 2])
    same, zeros, ones = parted(("a", "b", "c"), x)
    assert same is x
    assert not zeros.any()
    assert not none.any()
    assert (ones == 1).all()


def test_where_nothing_is_alike_nothing_learned_counts_and_half_of_it_half() -> None:
    data, prior = told(made_up(200))
    predictor = Residual(Cart()).fit(replace(data, y=data.y + 1.0), rng=rng())
    alike = [with_prior(data, np.full(len(data), part), (ALIKE,)) for part in (0.0, 0.5, 1.0)]
    none, half, whole = (replace(predictor, columns=one.columns).predict(one.x).mean for one in alike)
    assert_allclose(none, prior, atol=1e-12)
    assert_allclose(half, (prior + whole) / 2, atol=1e-12)
    assert not np.allclose(whole, prior)


def test_those_that_take_it_are_known_by_name() -> None:
    assert "prior" in INFORMED
    assert "prior+forest" in INFORMED
    assert not takes_prior(Cart())
    assert (
        Residual(Cart()).version
        != Residual(
            Cart(),
        ).base.version
    )
    assert repr(Residual(Cart())) != repr(Residual(Ridge()))
