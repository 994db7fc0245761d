"""The verdict: what to do about a predicted gain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.advisor.advice import Estimate, Goal, Recommendation, Verdict
from acic.advisor.verdict import LEAST_GAIN, judge, worth
from acic.space import Configuration


def recommended(value: float, low: float) -> Recommendation:
    gain = Estimate(value, low, 2 * value)
    return Recommendation(
        rank=1,
        configuration=Configuration(file_system="NFS"),
        tied=1,
        free={},
        improvement=gain,
        io_improvement=gain,
        seconds=gain,
        cost=None,
        nodes=1,
        why=(),
        limits="",
        single_writer=False,
        stages_out=False,
    )


def verdict(value: float, low: float, *, noise: float = 0.0, extrapolated: bool = False) -> Verdict:
    return judge(recommended(value, low), noise=noise, extrapolated=extrapolated)[0]


@given(gain=st.floats(0.1, 10.0), noise=st.floats(0.0, 0.5))
def test_a_gain_is_worth_a_change_beyond_what_predictions_and_runs_differ_by(gain: float, noise: float) -> None:
    assert worth(gain, noise) == (gain > 1.0 + LEAST_GAIN and gain > 1.0 + noise)


@pytest.mark.parametrize(("value", "noise"), [(1.04, 0.0), (0.9, 0.0), (1.15, 0.2)])
def test_too_little_is_no_reason_to_change_however_sure(value: float, noise: float) -> None:
    assert verdict(value, value, noise=noise) is Verdict.NOTHING


def test_what_is_not_faster_may_still_be_cheaper_where_both_are_asked_for() -> None:
    told = {goal: judge(recommended(1.0, 1.0), noise=0.0, extrapolated=False, goal=goal)[1] for goal in Goal}
    assert told[Goal.TIME].endswith(": change nothing")
    assert told[Goal.PARETO].endswith(": change nothing for time")


def test_the_reason_tells_what_is_too_little() -> None:
    small, noisy = (judge(recommended(1.04, 1.04), noise=noise, extrapolated=False)[1] for noise in (0.0, 0.2))
    assert "1.040x is the best that is predicted, and less than 5% is within its error" in small
    assert "runs differ by 20.0%" in noisy
    large = judge(recommended(4.642, 4.6), noise=5.0, extrapolated=False)[1]
    assert large.startswith("4.64x is the best")  # as in the table below it


@pytest.mark.parametrize(
    ("gain", "noise", "most"), [(0.635, 0.0, "0.64x"), (0.98, 0.0, "0.980x"), (0.635, 0.5, "0.64x")]
)
def test_what_is_worse_than_the_baseline_is_said_to_be(gain: float, noise: float, most: str) -> None:
    """A run 57 % longer was less than 5 % better, and that within its error."""
    told = {goal: judge(recommended(gain, gain), noise=noise, extrapolated=False, goal=goal) for goal in Goal}
    assert {verdict for verdict, _ in told.values()} == {Verdict.NOTHING}
    worse = f"the baseline is predicted to be {{}} than all that may be chosen, which is {most} at best: change nothing"
    assert told[Goal.TIME][1] == worse.format("faster")
    assert told[Goal.COST][1] == worse.format("cheaper")
    assert told[Goal.PARETO][1] == worse.format("faster") + " for time"


def test_what_is_too_little_to_save_money_is_no_speed() -> None:
    small = judge(recommended(1.003, 1.0), noise=0.0, extrapolated=False, goal=Goal.COST)[1]
    assert small.startswith("1.003x cheaper is the best that is predicted, and less than 5%")


def test_what_nobody_can_tell_is_tried_first_whatever_a_run_or_two_differ_by() -> None:
    """Two runs of a baseline, one of them slow, were a platform's noise: 4.6x was said to be no reason to change."""
    assert verdict(4.6, 0.0, noise=5.5) is Verdict.VERIFY
    assert verdict(1.04, 0.0, noise=5.5) is Verdict.NOTHING


def test_a_gain_that_may_be_none_is_tried_first() -> None:
    assert verdict(1.5, 1.1) is Verdict.CHANGE
    assert verdict(1.5, 0.9) is Verdict.VERIFY
    assert verdict(1.5, 1.1, extrapolated=True) is Verdict.VERIFY
    assert verdict(1.5, 0.0) is Verdict.VERIFY


def test_a_gain_in_cost_is_said_to_be_one() -> None:
    assert "1.50x cheaper" in judge(recommended(1.5, 1.1), noise=0.0, extrapolated=False, goal=Goal.COST)[1]
