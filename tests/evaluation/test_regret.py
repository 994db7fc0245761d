"""Regret, gains and failures: laws, and figures counted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from acic.evaluation.field import Table
from acic.evaluation.picks import Picks
from acic.evaluation.regret import TOPS, quantile, score
from tests.evaluation.pretend import SLOW_NETWORK

APPLICATIONS = (("a", "small"), ("b", "small"), ("c", "large"))
COLUMNS = 8
VALUES = arrays(float, (3, COLUMNS), elements=st.one_of(st.floats(0.01, 1e4), st.just(math.inf))).filter(
    lambda v: bool(np.isfinite(v[:, 0]).all())
)  # the baseline is the first column


def table(values: object, goal: str = "time") -> Table:
    made = np.array(values, dtype=float)
    return Table(APPLICATIONS[: len(made)], SLOW_NETWORK[: made.shape[1]], made, goal)


def picks(*orders: tuple[int, ...], goal: str = "time") -> Picks:
    ranked = dict(zip(APPLICATIONS, orders, strict=False))
    return Picks(method="m", title="M", goal=goal, ranked=ranked)


def orders(seed: int) -> Picks:
    rng = np.random.default_rng(seed)
    return picks(*(tuple(rng.permutation(COLUMNS).tolist()) for _ in APPLICATIONS))


@given(values=VALUES, seed=st.integers(0, 99))
def test_regret_is_never_negative_nor_nan_and_trying_more_never_hurts(values: np.ndarray, seed: int) -> None:
    found = score([orders(seed)], table(values), 0, noise=0.1)
    before = None
    for tried in TOPS:
        figures = found.figures[tried]
        regret = list(figures.regret.values())
        assert all(one >= 0 for one in regret)  # which no NaN is
        assert figures.failed == sum(map(math.isinf, regret))
        assert not math.isnan(figures.median + figures.p90 + figures.mean + figures.gain)
        assert before is None or all(now <= then for now, then in zip(regret, before, strict=True))
        before = regret
    assert before == [0.0, 0.0, 0.0]  # all of them


@given(values=VALUES, seed=st.integers(0, 99), factor=st.floats(0.1, 10))
def test_units_do_not_matter(values: np.ndarray, seed: int, factor: float) -> None:
    one, other = (score([orders(seed)], table(v), 0, noise=0.1).figures[1] for v in (values, values * factor))
    assert list(one.regret.values()) == pytest.approx(list(other.regret.values()), rel=1e-6, abs=1e-9)
    assert one.gain == pytest.approx(other.gain)


def test_the_figures_are_those_counted_by_hand() -> None:
    truth = table([[10.0, 5.0, 20.0], [10.0, 8.0, 2.0]])
    found = score([picks((1, 0, 2), (0, 1, 2))], truth, 0, noise=0.1).figures
    first = found[1]
    assert list(first.regret.values()) == [0.0, 4.0]
    assert (first.median, first.mean) == (2.0, 2.0)
    assert first.p90 == pytest.approx(3.6)
    assert first.gain == pytest.approx((2.0 + 1.0) / 2)
    assert first.best_gain == pytest.approx((2.0 + 5.0) / 2)
    assert first.share == pytest.approx(0.5 / 2.5)
    assert (first.failed, first.worse) == (0, 0)
    assert list(found[3].regret.values()) == [0.0, 0.0]


def test_what_is_saved_is_part_of_the_baselines_cost() -> None:
    truth = table([[10.0, 5.0], [10.0, 2.0]], "cost")
    found = score([picks((1,), (0,), goal="cost")], truth, 0, noise=0.1).figures[1]
    assert (found.gain, found.best_gain) == pytest.approx((0.25, 0.65))
    assert found.share == pytest.approx(0.25 / 0.65)


def test_worse_than_the_baseline_counts_beyond_the_noise_only() -> None:
    truth = table([[10.0, 10.9, 12.0]])
    for column, noise, worse in ((1, 0.1, 0), (2, 0.1, 1), (1, 0.01, 1), (1, math.nan, 1), (0, math.nan, 0)):
        assert score([picks((column,))], truth, 0, noise=noise).figures[1].worse == worse


def test_a_choice_that_fails_is_infinitely_bad_and_counted() -> None:
    truth = table([[10.0, math.inf], [10.0, 5.0], [10.0, 5.0]])
    found = score([picks((1, 0), (1, 0), (1, 0))], truth, 0, noise=0.1).figures
    assert found[1].failed == found[1].worse == 1
    assert math.isinf(found[1].mean)
    assert math.isinf(found[1].p90)
    assert found[1].median == 0.0
    assert found[1].gain == pytest.approx((0.0 + 2.0 + 2.0) / 3)
    assert found[3].failed == 0
    lost = score([picks((1,), (1,), (1,), goal="cost")], table(truth.values, "cost"), 0, noise=0.1).figures[1]
    assert lost.gain == pytest.approx((-1.0 + 0.5 + 0.5) / 3)


def test_several_equally_likely_choices_are_a_mean_of_those_that_do_not_fail() -> None:
    truth = table([[10.0, 4.0, math.inf]])
    found = score([picks((c,)) for c in range(3)], truth, 0, noise=0.1).figures[1]
    assert list(found.regret.values()) == [pytest.approx(7.0 / 4.0 - 1.0)]
    assert found.failed == pytest.approx(1 / 3)
    assert found.worse == pytest.approx(1 / 3)
    assert found.gain == pytest.approx((1.0 + 10.0 / 4.0) / 2)  # of each choice, and not of their mean time
    lost = score([picks((2,)), picks((2,))], truth, 0, noise=0.1).figures[1]
    assert (lost.gain, lost.failed) == (0.0, 1.0)
    assert math.isinf(lost.mean)


def test_what_a_blind_choice_saves_is_of_the_choices_that_its_regret_is_of() -> None:
    """Its regret was that of choices that do not fail, and what it saved that of all, in one row."""
    truth = table([[10.0, 4.0, math.inf], [10.0, 20.0, 5.0]], "cost")
    found = score([picks((c,), (c,), goal="cost") for c in range(3)], truth, 0, noise=0.1).figures[1]
    assert found.gain == pytest.approx(((0.0 + 0.6) / 2 + (0.0 - 1.0 + 0.5) / 3) / 2)


@given(values=st.lists(st.floats(0, 1e6), min_size=1), part=st.floats(0, 1))
def test_quantiles_are_numpys_where_nothing_failed(values: list[float], part: float) -> None:
    assert quantile(values, part) == pytest.approx(float(np.quantile(values, part)), rel=1e-9, abs=1e-9)


def test_quantiles_next_to_a_failure_are_failures() -> None:
    assert math.isinf(quantile([0.0, math.inf], 0.5))
    assert math.isinf(quantile([math.inf, math.inf], 0.5))
    assert quantile([0.0, 1.0, math.inf], 0.5) == 1.0
