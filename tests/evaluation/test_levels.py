"""Levels of sessions: what slowed one down throughout is gone, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from acic.evaluation.field import table_of
from acic.evaluation.levels import levelled, pooled, sessions_of
from acic.evaluation.noise import totals
from acic.store.measurement import Outcome
from tests.evaluation.pretend import LAB, SIX, SOME, truth

NAN = np.nan
TIMES = np.array([4.0, 2.0, 3.0, 2.5])
THERE = np.array(
    [
        [1, 1, 1, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1, 1],
        [0, 0, 0, 1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 1, 1, 1],
    ],
    dtype=bool,
)
PASSES = THERE.shape[1]
factors = st.floats(0.5, 3.0)


def runs(level: np.ndarray) -> np.ndarray:
    return np.where(THERE, TIMES[:, None] * level, NAN)


@given(first=factors, second=factors, third=factors)
def test_sessions_that_share_one_configuration_compare_all_of_them(first: float, second: float, third: float) -> None:
    found = levelled(runs(np.repeat([first, second, third], [3, 2, 3])))
    medians = np.nanmedian(found, axis=1)
    assert_allclose(medians / medians[1], TIMES / TIMES[1], rtol=1e-6)


def test_what_is_new_in_a_session_has_no_voice() -> None:
    """More configurations were added than were run again."""
    old, new = np.full((5, 4), NAN), np.full((5, 4), NAN)
    old[:2], new[1:] = 1.0, 1.5
    assert_allclose(np.nanmedian(levelled(np.hstack([old, new])), axis=1) / np.ones(5), np.ones(5) * 1.5**0.5)


@given(seed=st.integers(0, 1000), factor=factors)
def test_another_unit_changes_no_ratio(seed: int, factor: float) -> None:
    noisy = runs(np.ones(PASSES)) * np.random.default_rng(seed).lognormal(0, 0.1, THERE.shape)
    one, other = (np.nanmedian(levelled(values), axis=1) for values in (noisy, noisy * factor))
    assert_allclose(one / one[0], other / other[0], rtol=1e-6)


def test_one_session_stays_as_it_was() -> None:
    values = np.random.default_rng(0).lognormal(0, 0.3, (3, 5))
    assert_allclose(levelled(values), values)


def test_an_odd_run_moves_no_level() -> None:
    values = runs(np.ones(PASSES))
    values[1, 0] *= 10
    values[3, 7] = np.inf  # it failed
    found = levelled(values)
    assert_allclose(found[THERE], values[THERE])


def test_what_was_run_alone_keeps_its_time() -> None:
    values = np.array([[1.0, 1.0, NAN], [NAN, NAN, 5.0]])
    assert_allclose(levelled(values), values)


def test_what_always_failed_stays_failed() -> None:
    values = np.array([[1.0, 1.2], [np.inf, np.inf]])
    found = levelled(values)
    assert_array_equal(np.isinf(found), np.isinf(values))
    assert_allclose(found[0], values[0])


@pytest.mark.parametrize(("rows", "wanted"), [([[1, 1, 1]], [0, 0, 0]), ([[1, NAN, 1], [1, 1, 1]], [0, 1, 2])])
def test_passes_with_the_same_configurations_are_a_session(rows: list[list[float]], wanted: list[int]) -> None:
    assert sessions_of(np.array(rows)).tolist() == wanted


def test_the_truth_and_fresh_runs_of_slow_days_are_pooled_as_of_one_day() -> None:
    """The best few were pooled with slow days, and all others were not."""
    runs = truth(repetitions=3)
    slow = [
        replace(run, repetition=run.repetition + first)
        for first, some, factor in ((0, SOME[:3], 1.3), (2, (SOME[0], SOME[5]), 2.0))
        for run in truth(repetitions=2, configurations=some)
        for run in [replace(run, seconds=factor * (run.seconds or 0.0), staged=factor * run.staged)]
    ]
    together = pooled(runs, slow)
    assert len(together) == len(runs) + len(slow)
    assert all(len(those) in (3, 5, 7) for those in totals(together).values())
    for goal in ("time", "cost"):
        once, both = (table_of(those, LAB, goal).values for those in (runs, together))
        assert_allclose(both / both[:, :1], once / once[:, :1])
    assert pooled(runs, []) == runs


def test_what_failed_when_it_was_run_again_has_failed_in_what_is_pooled() -> None:
    """Passes of fresh runs are others than those of the truth, though both are counted from 0."""
    runs = truth(applications=SIX[:1], configurations=SOME[:3])
    again = [
        replace(run, outcome=Outcome.FAILED, seconds=None, io=None, compute=None)
        if run.configuration == SOME[1]
        else run
        for run in runs
    ]
    table = table_of(pooled(runs, again), LAB, "time")
    assert np.isinf(table.values[0]).tolist() == [one == SOME[1] for one in table.configurations]


def test_sessions_in_a_chain_are_compared_to_the_end() -> None:
    """It stopped after 50 rounds: levels of the lab's applications were off by up to 1.3 %, and figures with them."""
    count = 14
    times, level = np.linspace(1.0, 4.0, count + 1), np.linspace(1.0, 3.0, count)
    chain = np.full((count + 1, count), NAN)
    for session in range(count):
        chain[session : session + 2, session] = times[session : session + 2] * level[session]
    medians = np.nanmedian(levelled(chain), axis=1)
    assert_allclose(medians / medians[0], times / times[0], rtol=1e-5)
