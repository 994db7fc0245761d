"""Axes: where numbers lie, and ticks that are few, round and in order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.report.axis import Axis, around_zero, from_zero, log_axis, of_counts, of_time
from acic.report.words import number_text, tick_text

positive = st.floats(1e-6, 1e12)


def check(axis: Axis) -> None:
    values = [v for v, _ in axis.ticks]
    assert 1 <= len(values) <= 7
    assert values == sorted(set(values))
    assert all(axis.low <= v <= axis.high * (1 + 1e-9) for v in values)
    assert len({said for _, said in axis.ticks}) == len(values)


@given(positive)
def test_linear_axes_hold_their_values(high: float) -> None:
    axis = from_zero(high, tick_text)
    check(axis)
    assert axis.place(0.0) == 0
    assert 0 < axis.place(high) <= 100 + 1e-9
    assert axis.high <= 2.5 * high


@given(st.floats(-1e9, -1e-6), st.floats(0, 1e9))
def test_axes_around_zero_hold_their_ends_and_zero(low: float, high: float) -> None:
    axis = around_zero(low, high, tick_text)
    assert 0.0 in [v for v, _ in axis.ticks]
    assert len(axis.ticks) <= 13
    slack = 1e-8 * (axis.high - axis.low)
    assert axis.low - slack <= min(v for v, _ in axis.ticks) <= low + slack
    assert axis.high >= high - slack


@given(st.integers(0, 10**7))
def test_counts_have_whole_ticks(high: int) -> None:
    axis = of_counts(high)
    check(axis)
    assert axis.high >= high
    assert all(float(v).is_integer() for v, _ in axis.ticks)


@given(st.floats(0, 1e8))
def test_time_axes_end_where_the_time_does_and_name_their_unit(seconds: float) -> None:
    axis = of_time(seconds)
    check(axis)
    assert axis.high == max(seconds, 1e-3)
    assert axis.ticks[-1][1].split()[-1] in ("s", "min", "h", "d")


@pytest.mark.parametrize(("seconds", "unit"), [(60, "s"), (600, "min"), (3 * 3600, "h"), (3 * 86400, "d")])
def test_time_is_told_in_units_of_its_size(seconds: float, unit: str) -> None:
    assert of_time(seconds).ticks[-1][1].endswith(f" {unit}")


@given(st.lists(positive, min_size=1, max_size=30))
def test_log_axes_hold_their_values_in_order(values: list[float]) -> None:
    axis = log_axis(values, tick_text)
    check(axis)
    places = [axis.place(v) for v in sorted(values)]
    assert places == sorted(places)
    assert places[0] > 0
    assert places[-1] < 100


@given(st.floats(1e-9, 1e12))
def test_numbers_keep_three_digits_and_sort_as_text_is_read(number: float) -> None:
    assert math.isclose(float(number_text(number)), number, rel_tol=0.0051)
    assert "e" not in number_text(number)
