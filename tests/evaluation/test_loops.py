"""Laws of measuring in the loop, on ground truth that is made up."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from acic.errors import InvalidInput
from acic.evaluation.loops import (
    FIGURE_9,
    STRATEGIES,
    WIDEST,
    WITHIN,
    Before,
    Floats,
    available,
    curve,
    curve_over,
    loops,
    needed,
    regrets,
)
from acic.evaluation.replay import Replay, replay_of
from tests.evaluation.made_up import LAB, truth

seeds = st.integers(0, 10_000)
AROUND = (0.0, WITHIN, float(np.nextafter(WITHIN, 1)), 0.2, 0.3, np.inf)  # regrets just within, and just not
QUICK = tuple(name for name in STRATEGIES if name != "optuna")


def made(seed: int = 0, **more: float) -> Replay:
    return replay_of(truth(seed=seed, **more), LAB, "time")  # type: ignore[arg-type]  # checked by the callee


def perfect(replay: Replay) -> Before:
    rows = zip(replay.table.applications, replay.table.values, strict=True)
    return Before(ranked={a: tuple(np.argsort(row).tolist()) for a, row in rows}, ranks=("device", "servers"))


def shuffled(replay: Replay, seed: int) -> Before:
    rng = np.random.default_rng(seed)
    return Before(ranked={a: tuple(rng.permutation(len(replay.table.configurations))) for a in replay.applications})


@given(seed=seeds)
@settings(max_examples=15, deadline=None)
def test_a_perfect_model_has_no_regret_from_the_run_after_the_baselines_on(seed: int) -> None:
    """That it was asked with, and did not pay for."""
    replay = made(seed, repetitions=1)
    baseline = [replay.regret(application, LAB.baseline) for application in replay.applications]
    for name in ("model", "halving"):
        found = regrets(replay, perfect(replay), name, runs=6, seeds=2)
        assert_array_equal(found[:, :, 0], [baseline] * 2)
        assert not found[:, :, 1:].any()
        assert curve(name, found).middle[1:] == (0.0,) * 5
        assert_array_equal(needed(found), 2.0 if sorted(baseline)[1] > 0.05 else 1.0)  # of the middle one of three


@given(seed=seeds, failing=st.sampled_from([0.0, 0.4]), name=st.sampled_from(QUICK))
@settings(max_examples=30, deadline=None)
def test_without_noise_regret_never_rises(seed: int, failing: float, name: str) -> None:
    replay = made(seed, repetitions=1, failing=failing)
    found = regrets(replay, shuffled(replay, seed), name, runs=15, seeds=2)
    assert (found[:, :, 1:] <= found[:, :, :-1]).all()
    assert (found >= 0).all()


def test_noise_does_cost() -> None:
    replay = made(repetitions=3, noise=0.5)
    found = regrets(replay, perfect(replay), "model", runs=24, seeds=10)
    assert found[:, :, -1].max() > 0.0  # the least of many noisy figures is not the best
    assert_array_equal(found[0, :, 0], [replay.regret(a, LAB.baseline) for a in replay.applications])


@pytest.mark.parametrize("name", available())
def test_a_seed_repeats_to_the_digit_in_any_number_of_processes(name: str) -> None:
    replay = made(applications=2)
    before = shuffled(replay, 1)
    once = regrets(replay, before, name, runs=8, seeds=2)
    assert_array_equal(once, regrets(replay, before, name, runs=8, seeds=2))
    assert_array_equal(once[:1], regrets(replay, before, name, runs=8, seeds=1))
    if name == "genetic":
        assert_array_equal(once, regrets(replay, before, name, runs=8, seeds=2, processes=2))


@pytest.mark.parametrize("name", available())
def test_a_search_begins_with_the_baseline(name: str) -> None:
    replay = made()
    found = regrets(replay, shuffled(replay, 1), name, runs=1, seeds=2)
    assert_array_equal(found[0, :, 0], [replay.regret(a, LAB.baseline) for a in replay.applications])


def test_chance_does_as_well_as_it_is_expected_to() -> None:
    replay = made(repetitions=1, applications=1, configurations=200)
    application = replay.applications[0]
    found = regrets(replay, Before(ranked={}), "random", runs=8, seeds=300)[:, 0, :]
    others = np.sort([replay.regret(application, c) for c in replay.configurations(application) if c != LAB.baseline])
    base = replay.regret(application, LAB.baseline)
    assert (found[:, 0] == base).all()
    for draws in range(1, 8):
        # of the draws, the k-th best of all is the best one if the others are among those after it
        chance = [comb(len(others) - 1 - k, draws - 1) / comb(len(others), draws) for k in range(len(others))]
        expected = float(np.minimum(others, base) @ chance)
        error = found[:, draws].std() / np.sqrt(len(found))
        assert found[:, draws].mean() == pytest.approx(expected, abs=4 * error + 1e-12)


def test_halving_runs_the_better_half_again() -> None:
    replay = made(repetitions=3, noise=0.3)
    found = regrets(replay, perfect(replay), "halving", runs=30, seeds=20)
    ended = WIDEST + WIDEST // 2 + WIDEST // 4 + WIDEST // 8
    assert_array_equal(found[:, :, ended - 1], found[:, :, -1])
    # repetitions tell the best from the lucky: more right answers than one run of each gives
    single = regrets(replay, perfect(replay), "model", runs=WIDEST, seeds=20)[:, :, -1]
    assert (found[:, :, -1] == 0).mean() > (single == 0).mean()


def test_a_run_that_fails_now_and_then_is_an_answer_like_any_other() -> None:
    replay = made(repetitions=3, failing=0.5, lost=0.4)
    for name in QUICK:
        found = regrets(replay, shuffled(replay, 1), name, runs=30, seeds=3)
        assert not np.isnan(found).any()
        assert np.isfinite(found[:, :, 0]).all()


def test_needed_counts_from_where_the_answer_stays() -> None:
    found = np.array([[[0.2, 0.01, 0.2, 0.04], [0.0, 0.0, 0.0, 0.0], [0.3, 0.3, 0.3, 0.3]]])
    assert_array_equal(needed(found), 4.0)  # of 4, 1 and never
    assert_array_equal(needed(found[:, 2:]), np.inf)
    assert_array_equal(needed(found[:, :2]), 4.0)


@given(
    arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 8)), elements=st.sampled_from(AROUND)),
    st.sampled_from([WITHIN, 0.2]),
)
@settings(deadline=None)
def test_needed_is_what_counting_gives(found: Floats, within: float) -> None:
    """Just `within` the best is within; of an even number of applications the later of the two in the middle counts."""

    def first(row: Floats) -> float:
        runs = range(1, len(row) + 1)
        return min((float(n) for n in runs if all(later <= within for later in row[n - 1 :])), default=np.inf)

    expected = [sorted(first(row) for row in seed)[len(seed) // 2] for seed in found]
    assert_array_equal(needed(found, within=within), expected)
    assert_array_equal(needed(found), needed(found, within=0.05))  # "runs to 5 %"


@given(st.integers(1, 6), st.integers(1, 5), seeds)
@settings(deadline=None)
def test_a_curve_holds_its_middle_between_its_ends(searches: int, applications: int, seed: int) -> None:
    found: Floats = np.random.default_rng(seed).exponential(size=(searches, applications, 4))
    found[found > 2.0] = np.inf
    made_of = curve("x", found)
    assert made_of.spent == (1.0, 2.0, 3.0, 4.0)
    assert not np.isnan([made_of.low, made_of.middle, made_of.high]).any()
    assert all(a <= b <= c for a, b, c in zip(made_of.low, made_of.middle, made_of.high, strict=True))


@pytest.mark.parametrize("seeds", [3, 10])
def test_the_band_of_up_to_ten_seeds_is_from_the_least_to_the_most(seeds: int) -> None:
    """Its lower edge was the median; then it was told as that of quantiles."""
    figures = np.random.default_rng(seeds).permutation(seeds)[:, None].astype(float)
    made_of = curve_over("x", [1.0], figures)
    assert (made_of.low, made_of.middle, made_of.high) == ((0.0,), (float(seeds // 2),), (seeds - 1.0,))


def test_figure_9_has_its_three_lines() -> None:
    replay = made(applications=2)
    found = loops(replay, perfect(replay), names=FIGURE_9, runs=3, seeds=2)
    assert tuple(line.name for line in found) == FIGURE_9
    assert loops(replay, perfect(replay), names=["model"], runs=3, seeds=2) == found[2:]


def test_wrong_input_is_refused() -> None:
    replay = made()
    with pytest.raises(InvalidInput, match="no strategy"):
        regrets(replay, perfect(replay), "luck")
    with pytest.raises(InvalidInput, match="0 runs"):
        regrets(replay, perfect(replay), "model", runs=0)
    with pytest.raises(InvalidInput, match="nothing is advised"):
        regrets(replay, Before(ranked={}), "model")
    with pytest.raises(InvalidInput, match="no application"):
        regrets(replay_of([], LAB, "time"), Before(ranked={}), "random")
