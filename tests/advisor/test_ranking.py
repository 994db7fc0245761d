"""Laws of ranking: direction, ties, fronts, and what stays the baseline's."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from acic.advisor.ranking import TIE, free_values, pareto_front, rates, representative, tied_groups
from acic.errors import MissingData
from acic.platforms import load_platform
from acic.space import Parameter, Rule, Scale, Space

positive = arrays(float, st.integers(1, 60), elements=st.floats(1e-3, 1e6))


@given(objective=positive)
def test_groups_hold_every_candidate_once_and_the_smallest_comes_first(
    objective: "np.ndarray[tuple[int], np.dtype[np.float64]]",
) -> None:
    groups = list(tied_groups(objective))
    assert sorted(np.concatenate(groups).tolist()) == list(range(len(objective)))
    assert objective[groups[0][0]] == objective.min()
    for group in groups:
        assert objective[group].max() <= objective[group].min() * (1 + TIE)
    firsts = [objective[group].min() for group in groups]
    assert firsts == sorted(firsts)


@given(time=positive, data=st.data())
def test_nothing_on_the_front_is_beaten_and_everything_else_is(
    time: "np.ndarray[tuple[int], np.dtype[np.float64]]", data: st.DataObject
) -> None:
    cost = data.draw(arrays(float, len(time), elements=st.floats(1e-3, 1e6)))
    front = set(pareto_front(time, cost).tolist())
    for i in range(len(time)):
        beaten = ((time <= time[i]) & (cost <= cost[i]) & ((time < time[i]) | (cost < cost[i]))).any()
        if i in front:
            assert not beaten
        else:
            assert beaten or any(time[j] == time[i] and cost[j] == cost[i] for j in front)


def test_the_front_runs_from_fastest_to_cheapest() -> None:
    assert pareto_front(np.array([3.0, 1.0, 2.0, 4.0]), np.array([1.0, 9.0, 5.0, 2.0])).tolist() == [1, 2, 0]


SPACE = Space(
    (
        Parameter(name="size", values=(1, 2, 4, 8, 16), scale=Scale.LOG),
        Parameter(name="hint", values=("automatic", "enable", "disable")),
    )
)


def test_of_those_that_tie_labels_stay_and_numbers_are_taken_from_the_middle() -> None:
    points = SPACE.enumerate()
    group = np.flatnonzero(points[:, 0] >= 2)
    baseline = SPACE.point({"size": 1, "hint": "automatic"})
    chosen = representative(points, group, baseline, np.array([True, False]), np.zeros(len(points)))
    assert dict(SPACE.configuration(points[chosen])) == {"size": 8, "hint": "automatic"}
    assert free_values(SPACE, points, group) == {"size": (4, 8, 16), "hint": ("automatic", "enable", "disable")}
    assert free_values(SPACE, points, group[:1]) == {}


def test_not_to_apply_is_one_of_the_values_that_are_free() -> None:
    space = Space(SPACE.parameters, (Rule(when={"hint": "disable"}, absent=("size",)),))
    points = space.enumerate()
    group = np.flatnonzero((points[:, 0] >= 3) | (points[:, 1] == 2))
    free = free_values(space, points, group)
    assert free == {"size": (None, 8, 16), "hint": ("automatic", "enable", "disable")}


def test_numbers_that_make_no_difference_stay_the_baseline_s() -> None:
    points = SPACE.enumerate()
    baseline = SPACE.point({"size": 1, "hint": "automatic"})
    same = np.zeros(len(points))
    chosen = representative(points, np.arange(len(points)), baseline, np.array([True, False]), same)
    assert dict(SPACE.configuration(points[chosen])) == {"size": 1, "hint": "automatic"}


def test_of_those_that_tie_the_other_goal_decides_unless_a_label_would_change() -> None:
    points = SPACE.enumerate()
    baseline = SPACE.point({"size": 16, "hint": "automatic"})
    price = points[:, 0] + 10.0 * (points[:, 1] == baseline[1])
    chosen = representative(points, np.arange(len(points)), baseline, np.array([True, False]), price)
    assert dict(SPACE.configuration(points[chosen])) == {"size": 1, "hint": "automatic"}


@pytest.mark.parametrize("turned", [False, True])
def test_labels_that_tie_are_those_that_the_platform_names_first(turned: bool) -> None:
    """Predictions that differ in their fifth digit decide nothing, whichever stands first."""
    points = SPACE.enumerate()
    others = np.flatnonzero((points[:, 1] != SPACE.point({"size": 1, "hint": "automatic"})[1]) & (points[:, 0] == 2))
    group = others[::-1] if turned else others
    baseline = SPACE.point({"size": 1, "hint": "automatic"})
    chosen = representative(points, group, baseline, np.array([True, False]), np.zeros(len(points)))
    assert dict(SPACE.configuration(points[chosen])) == {"size": 4, "hint": "enable"}


def test_rates_are_those_of_the_platform_one_by_one() -> None:
    ec2 = load_platform("ec2-2013")
    points = ec2.space.enumerate()
    one_by_one = [ec2.cost(ec2.space.configuration(p), 100, 1.0) for p in points]
    np.testing.assert_allclose(rates(ec2, points, 100, None), one_by_one)


def test_machines_that_cost_nothing_have_no_cost_to_compare() -> None:
    """Every improvement in cost was no number: nothing over nothing."""
    ec2 = load_platform("ec2-2013")
    free = replace(ec2, instances={name: replace(one, price=0.0) for name, one in ec2.instances.items()})
    with pytest.raises(MissingData, match="cost nothing") as caught:
        rates(free, free.space.enumerate(), 100, None)
    assert "--price" in caught.value.hint
    assert (rates(free, free.space.enumerate(), 100, 1.0) > 0).all()
