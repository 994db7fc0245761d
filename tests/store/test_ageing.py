"""Laws of ageing."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from acic.errors import InvalidInput
from acic.store.ageing import ageing_weights, revisions_behind
from acic.store.training import Floats

NOW = datetime(2026, 11, 21, tzinfo=UTC)
DAY = 86_400.0
ages = st.lists(st.floats(0, 1e9), min_size=1, max_size=8).map(np.array)
half_lives = st.floats(1.0, 1e9)


def weights(age: Floats, behind: object = 0, **options: float | None) -> Floats:
    counts = np.broadcast_to(np.asarray(behind, dtype=np.int64), age.shape)
    return ageing_weights(NOW.timestamp() - age, counts, now=NOW, **options)  # type: ignore[arg-type]  # checked by the callee


@given(age=ages, half_life=half_lives, factor=st.floats(0.01, 1.0), behind=st.integers(0, 30))
def test_weights_are_above_zero_and_up_to_one(age: Floats, half_life: float, factor: float, behind: int) -> None:
    found = weights(age, behind, half_life=half_life, revision_factor=factor)
    assert found.shape == age.shape
    assert (found > 0).all()
    assert (found <= 1).all()


@given(age=ages, half_life=half_lives)
def test_older_never_weighs_more(age: Floats, half_life: float) -> None:
    found = weights(np.sort(age), half_life=half_life)
    assert (np.diff(found) <= 0).all()


def test_a_half_life_halves() -> None:
    assert_allclose(weights(np.array([0, 1, 2, 3]) * 30 * DAY, half_life=30 * DAY), [1, 0.5, 0.25, 0.125])


@given(age=ages)
def test_without_a_half_life_nothing_ages(age: Floats) -> None:
    assert_array_equal(weights(age), 1.0)


def test_every_revision_takes_its_part() -> None:
    assert_allclose(weights(np.zeros(3), [0, 1, 2], revision_factor=0.5), [1, 0.5, 0.25])


def test_age_and_revision_multiply() -> None:
    assert_allclose(weights(np.full(1, 10.0), [1], half_life=10.0, revision_factor=0.1), 0.05)


def test_the_future_counts_as_new() -> None:
    assert_array_equal(weights(np.array([-100.0]), half_life=1.0), 1.0)


@pytest.mark.parametrize(
    ("name", "value"), [("half_life", 0), ("half_life", -1), ("revision_factor", 0), ("revision_factor", 2)]
)
def test_impossible_parameters_are_refused(name: str, value: float) -> None:
    with pytest.raises(InvalidInput) as caught:
        weights(np.zeros(1), **{name: value})
    assert caught.value.hint


def test_revisions_are_counted_from_the_current_one() -> None:
    assert_array_equal(revisions_behind(["2023-05", "2021-01", "2022-03", "2021-01"], "2023-05"), [0, 2, 1, 2])
    assert_array_equal(revisions_behind(["2022-01"], "2023-05"), [1])
    assert_array_equal(revisions_behind(["2024-01", "2023-05"], "2023-05"), [0, 0])  # newer than this acic knows
    assert revisions_behind([], "2023-05").shape == (0,)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("v9", "v10"),
        ("6.9.3", "6.10.0"),
        ("5.15.0-91-generic", "5.15.0-100-generic"),
        ("2023-05", "2023-11-02"),
        ("9", "9" * 5000),
        ("", "1"),
    ],
    ids=lambda text: text[:20],
)
def test_numbers_in_revisions_count_as_numbers(older: str, newer: str) -> None:
    assert_array_equal(revisions_behind([older, newer], newer), [1, 0])
    assert_array_equal(revisions_behind([older, newer], older), [0, 0])


@given(texts=st.lists(st.text("01v.-", max_size=5), min_size=1))
def test_revisions_are_counted_alike_in_any_order(texts: list[str]) -> None:
    behind = dict(zip(texts, revisions_behind(texts, texts[0]).tolist(), strict=True))
    turned = texts[::-1]
    assert behind == dict(zip(turned, revisions_behind(turned, texts[0]).tolist(), strict=True))
