"""Intervals hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from acic.errors import InvalidInput
from acic.models import Calibration, Prediction
from acic.models.validation import coverage


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(20, 60),
    level=st.sampled_from([0.5, 0.8, 0.9]),
    softening=st.sampled_from([None, np.inf, 0.01]),
    seed=st.integers(0, 10**6),
)
def test_intervals_cover_exchangeable_rows(n: int, level: float, softening: float | None, seed: int) -> None:
    """On average over calibrations; errors skewed, growing with spread, the model biased."""
    rng = np.random.default_rng(seed)
    shares = []
    for _ in range(120):
        spread = rng.gamma(2.0, 0.1, n + 50)
        y = 0.3 + spread * rng.exponential(1.0, n + 50)
        predicted = Prediction(np.zeros(n + 50), spread)
        seen, new = (Prediction(predicted.mean[part], spread[part]) for part in (slice(n), slice(n, None)))
        low, high = Calibration.of(y[:n], seen, softening=softening).interval(new, level)
        shares.append(coverage(y[n:], low, high))
    tolerance = 4 * np.std(shares) / np.sqrt(len(shares))
    assert np.mean(shares) >= level - tolerance
    assert np.mean(shares) <= level + 2 / (n + 1) + tolerance


@given(st.lists(st.floats(-5, 5), min_size=9, max_size=60))
def test_a_higher_level_is_wider(errors: list[float]) -> None:
    calibration = Calibration(np.sort(errors), np.inf)
    ends = [calibration.quantiles(level) for level in (0.2, 0.5, 0.8, 0.95)]
    lows, highs = zip(*ends, strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)


def test_too_few_errors_tell_nothing() -> None:
    assert Calibration(np.zeros(8), np.inf).quantiles(0.8) == (-np.inf, np.inf)
    assert Calibration(np.zeros(9), np.inf).quantiles(0.8) == (0.0, 0.0)
    assert Calibration(np.empty(0), np.inf).quantiles(0.5) == (-np.inf, np.inf)
    low, high = Calibration(np.empty(0), np.inf).interval(Prediction(np.ones(2), np.zeros(2)))
    assert_array_equal(low, [-np.inf] * 2)
    assert_array_equal(high, [np.inf] * 2)


def test_a_surer_prediction_has_a_narrower_interval() -> None:
    rng = np.random.default_rng(0)
    predicted = Prediction(np.zeros(200), np.repeat([0.1, 1.0], 100))
    low, high = Calibration.of(predicted.spread * rng.standard_normal(200), predicted).interval(predicted)
    assert high[0] - low[0] < 0.7 * (high[-1] - low[-1])


def test_a_model_without_spread_has_intervals_all_alike() -> None:
    predicted = Prediction(np.arange(50.0), np.zeros(50))
    low, high = Calibration.of(np.arange(50.0) + np.linspace(-1, 1, 50), predicted).interval(predicted)
    assert np.ptp(high - low) < 1e-12


def test_spreads_that_are_rounding_blow_no_interval_up() -> None:
    """Leaves of equal runs leave some 1e-10: a row of spread 0.3 got an interval of 1e8 either way."""
    predicted = Prediction(np.zeros(100), np.repeat([1e-10, 0.3], [60, 40]))
    low, high = Calibration.of(np.tile([-0.1, 0.1], 50), predicted).interval(predicted)
    assert np.ptp(high - low) < 1e-12
    assert (high - low < 1.0).all()


def test_calibration_is_restored() -> None:
    calibration = Calibration.of(np.array([1.0, 0.5]), Prediction(np.zeros(2), np.ones(2)))
    again = Calibration.restore(calibration.arrays("x."), "x.")
    assert_array_equal(again.errors, calibration.errors)
    assert again.softening == calibration.softening == 1.0


def test_nonsense_is_refused() -> None:
    with pytest.raises(InvalidInput, match="level"):
        Calibration(np.empty(0), np.inf).quantiles(80)
    with pytest.raises(InvalidInput, match="softening"):
        Calibration.of(np.zeros(1), Prediction(np.zeros(1), np.zeros(1)), softening=0.0)
