"""Laws of sharing out: they add up, idle players get nothing, equals get the same, names do not matter."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from acic.advisor.shapley import shares, shares_along, united

Floats = NDArray[np.float64]

WORTH = st.floats(-1e3, 1e3)


@st.composite
def games(draw: st.DrawFn, most: int = 5) -> Floats:
    players = draw(st.integers(1, most))
    return np.array(draw(st.lists(WORTH, min_size=2**players, max_size=2**players)))


@st.composite
def restricted(draw: st.DrawFn) -> tuple[Floats, NDArray[np.bool_]]:
    values = draw(games())
    allowed = np.array(draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))))
    allowed[[0, -1]] = True
    return np.where(allowed, values, np.nan), allowed


def players(values: Floats) -> int:
    return len(values).bit_length() - 1


def renamed(mask: int, order: tuple[int, ...]) -> int:
    """The coalition with player i called order[i]."""
    return sum(1 << new for old, new in enumerate(order) if mask >> old & 1)


def by_every_order(values: Floats) -> Floats:
    """The definition: the mean over all orders of what a player adds when it joins."""
    count = players(values)
    found = np.zeros(count)
    for order in itertools.permutations(range(count)):
        mask = 0
        for player in order:
            found[player] += values[mask | 1 << player] - values[mask]
            mask |= 1 << player
    return found / math.factorial(count)


def ways(allowed: NDArray[np.bool_], mask: int = 0) -> list[list[int]]:
    """Every way from `mask` to all through allowed coalitions that leaves none out, by trying all."""
    everybody = len(allowed) - 1
    if mask == everybody:
        return [[mask]]
    above = [m for m in range(len(allowed)) if allowed[m] and m != mask and m & mask == mask]
    nearest = [m for m in above if not any(o not in (m,) and o & m == o for o in above)]
    return [[mask, *rest] for m in nearest for rest in ways(allowed, m)]


@given(values=games())
def test_shares_are_the_mean_over_every_order(values: Floats) -> None:
    assert_allclose(shares(values), by_every_order(values), atol=1e-8)


@given(values=games(most=8))
def test_shares_add_up(values: Floats) -> None:
    assert_allclose(shares(values).sum(), values[-1] - values[0], atol=1e-8)


@given(values=games(), player=st.integers(0, 4), worth=WORTH)
def test_a_player_that_adds_the_same_everywhere_gets_just_that(values: Floats, player: int, worth: float) -> None:
    player %= players(values)
    with_it = np.arange(len(values)) >> player & 1 == 1
    values = np.where(with_it, values[np.arange(len(values)) & ~(1 << player)] + worth, values)
    assert_allclose(shares(values)[player], worth, atol=1e-8)


@given(values=games(), data=st.data())
def test_names_do_not_matter(values: Floats, data: st.DataObject) -> None:
    order = tuple(data.draw(st.permutations(range(players(values)))))
    other = np.empty_like(values)
    other[[renamed(mask, order) for mask in range(len(values))]] = values
    assert_allclose(shares(other)[list(order)], shares(values), atol=1e-8)


@given(values=games(), other=st.data())
def test_several_games_are_shared_out_each_for_itself(values: Floats, other: st.DataObject) -> None:
    second = np.array(other.draw(st.lists(WORTH, min_size=len(values), max_size=len(values))))
    both = shares(np.column_stack([values, second]))
    assert_allclose(both[:, 0], shares(values), atol=1e-9)
    assert_allclose(both[:, 1], shares(second), atol=1e-9)


@given(game=restricted())
def test_what_cannot_be_is_never_looked_at_and_shares_add_up(game: tuple[Floats, NDArray[np.bool_]]) -> None:
    values, allowed = game
    found = shares_along(values, allowed)
    assert np.isfinite(found).all()
    assert_allclose(found.sum(), values[-1] - values[0], atol=1e-8)


@given(game=restricted())
def test_shares_along_are_the_mean_over_the_ways(game: tuple[Floats, NDArray[np.bool_]]) -> None:
    values, allowed = game
    every = ways(allowed)
    expected = np.zeros(players(values))
    for way in every:
        for mask, larger in itertools.pairwise(way):
            joined = [i for i in range(len(expected)) if (larger ^ mask) >> i & 1]
            expected[joined] += (values[larger] - values[mask]) / len(joined) / len(every)
    assert_allclose(shares_along(values, allowed), expected, atol=1e-8)


@given(values=games())
def test_where_everything_can_be_they_are_shapley_values(values: Floats) -> None:
    allowed = np.ones(len(values), dtype=bool)
    nearly = shares_along(np.append(values, values + 1), np.append(allowed, allowed))
    assert_allclose(nearly[:-1], shares(values), atol=1e-8)
    assert_allclose(nearly[-1], 1, atol=1e-8)


@given(game=restricted())
def test_united_players_are_always_together_and_others_are_not(game: tuple[Floats, NDArray[np.bool_]]) -> None:
    _, allowed = game
    groups = united(allowed)
    assert sorted(p for group in groups for p in group) == list(range(players(allowed.astype(float))))
    masks = np.flatnonzero(allowed)
    for i, j in itertools.combinations(range(players(allowed.astype(float))), 2):
        together = ((masks >> i & 1) == (masks >> j & 1)).all()
        assert together == any(i in group and j in group for group in groups)


def test_an_example_by_hand() -> None:
    """The second can only come after the first; so all ways are one, and each gets what it adds on it."""
    values = np.array([0.0, 3.0, np.nan, 10.0])
    assert shares_along(values, np.array([True, True, False, True])).tolist() == [3.0, 7.0]


@pytest.mark.parametrize("worth", [0.0, 5.0])
def test_two_that_only_work_together_share_alike(worth: float) -> None:
    values = np.array([0.0, np.nan, np.nan, worth])
    allowed = np.array([True, False, False, True])
    assert shares_along(values, allowed).tolist() == [worth / 2, worth / 2]
    assert united(allowed) == [(0, 1)]
