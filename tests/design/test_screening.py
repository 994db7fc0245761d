"""Screening plans: every run is valid, and what was altered is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.design import screening_plan
from acic.platforms import load_platform, platform_names
from acic.space import AtMost, Parameter, Rule, Scale, Space


@pytest.mark.parametrize("name", platform_names())
@pytest.mark.parametrize("fold", [True, False])
def test_every_run_of_a_platforms_plan_is_valid(name: str, fold: bool) -> None:
    space = load_platform(name).space
    design, runs = screening_plan(space, fold=fold)
    assert len(design) == len(runs)
    for run in runs:
        assert space.problem(run.values) == ""


def test_the_papers_15_parameters_take_32_runs() -> None:
    parameters = tuple(Parameter(name=f"p{i}", values=(0, 1)) for i in range(15))
    design, runs = screening_plan(Space(parameters))
    assert design.shape == (32, 15)
    np.testing.assert_array_equal(design[:16], -design[16:])
    assert len({tuple(run.values.values()) for run in runs}) == 32


def test_levels_are_the_two_ends_of_each_range() -> None:
    space = Space((Parameter(name="a", values=(1, 2, 4)), Parameter(name="b", values=("x", "y", "z"))))
    design, runs = screening_plan(space)
    for row, run in zip(design, runs, strict=True):
        assert run.values == {"a": 4 if row[0] > 0 else 1, "b": "z" if row[1] > 0 else "x"}
        assert run.altered == ()


@given(st.lists(st.sampled_from(["then", "absent", "at most"]), max_size=2, unique=True))
def test_what_was_altered_is_named(kinds: list[str]) -> None:
    parameters = tuple(Parameter(name=n, values=(1, 2), scale=Scale.LINEAR) for n in "abcd")
    constraints: dict[str, Rule | AtMost] = {
        "then": Rule(when={"a": 1}, then={"b": 1}),
        "absent": Rule(when={"a": 1}, absent=("c",)),
        "at most": AtMost(smaller="d", larger="a"),
    }
    space = Space(parameters, tuple(constraints[kind] for kind in kinds))
    design, runs = screening_plan(space)
    for row, run in zip(design, runs, strict=True):
        wanted = {n: 2 if level > 0 else 1 for n, level in zip("abcd", row, strict=True)}
        assert set(run.altered) == {n for n in wanted if run.values.get(n) != wanted[n]}
        assert space.problem(run.values) == ""
