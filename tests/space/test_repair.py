"""Repairing combinations: what comes out is what `Space.problem` and `Space.enumerate` call valid."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from acic.campaign.points import Field
from acic.platforms import load_platform, platform_names
from acic.space import (
    ABSENT,
    AtMost,
    Constraint,
    Parameter,
    Rule,
    Scale,
    Space,
    made_valid,
    never_valid,
    obeying_rows,
    valid_rows,
    valid_together,
)
from tests.campaign.fakes import lab_platform

NUMBERS = (1, 2, 4, 8)


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """Small spaces as platforms have them.

    What a rule asks for is about a later parameter than its conditions, and no rule asks for a value of a parameter
    that another one says does not apply.
    """
    count = draw(st.integers(2, 5))
    parameters = []
    for i in range(count):
        numeric = draw(st.booleans())
        values = NUMBERS[: draw(st.integers(2, 4))] if numeric else ("a", "b", "c")[: draw(st.integers(2, 3))]
        scale = Scale.LOG if numeric else Scale.CATEGORICAL
        parameters.append(Parameter(name=f"p{i}", values=values, scale=scale))
    constraints: list[Constraint] = []
    may_be_absent = draw(st.sets(st.integers(0, count - 1)))
    for _ in range(draw(st.integers(0, 4))):
        i, j = sorted(draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True)))
        kind = draw(st.sampled_from(["absent" if j in may_be_absent else "then", "never", "at most"]))
        when = {f"p{i}": draw(st.sampled_from(parameters[i].values))}
        if kind == "then":
            constraints.append(Rule(when=when, then={f"p{j}": draw(st.sampled_from(parameters[j].values))}))
        elif kind == "never":
            ruled_out = draw(st.lists(st.sampled_from(parameters[j].values), min_size=1, unique=True))
            constraints.append(Rule(when=when, never={f"p{j}": tuple(ruled_out)}))
        elif kind == "absent":
            constraints.append(Rule(when=when, absent=(f"p{j}",)))
        elif parameters[i].is_numeric and parameters[j].is_numeric:
            constraints.append(AtMost(smaller=f"p{j}", larger=f"p{i}"))
    return Space(tuple(parameters), tuple(constraints))


def product(space: Space) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    return np.array(list(itertools.product(*(range(len(p.values)) for p in space.parameters))), dtype=np.int8)


def valid(space: Space) -> set[bytes]:
    """All valid rows, by the definition."""
    options = [(*range(len(p.values)), ABSENT) for p in space.parameters]
    rows = np.array(list(itertools.product(*options)), dtype=np.int8)
    return {row.tobytes() for row in rows if not space.problem(space.configuration(row))}


@settings(deadline=None)
@given(space=spaces())
def test_valid_rows_of_all_combinations_are_all_that_is_valid(space: Space) -> None:
    rows = {row.tobytes() for row in valid_rows(space, product(space))}
    assert rows == valid(space) == {row.tobytes() for row in space.enumerate()}


@settings(deadline=None)
@given(space=spaces())
def test_what_is_valid_stays_as_it_is(space: Space) -> None:
    listed = [np.frombuffer(row, dtype=np.int8) for row in sorted(valid(space))]
    rows = np.array(listed, dtype=np.int8).reshape(-1, len(space.parameters))
    assert np.array_equal(valid_rows(space, rows), rows)
    assert np.array_equal(obeying_rows(space, rows, space.names), rows)
    for row in rows:
        configuration = space.configuration(row)
        assert made_valid(space, configuration) == dict(configuration)


@settings(deadline=None)
@given(space=spaces(), data=st.data())
def test_what_may_change_obeys_a_rule_and_the_rest_stays(space: Space, data: st.DataObject) -> None:
    rows, names = product(space), data.draw(st.sets(st.sampled_from(space.names)))
    made = obeying_rows(space, rows, names)
    held = [i for i, name in enumerate(space.names) if name not in names]
    assert np.array_equal(made[:, held], rows[:, held])
    rules = [one for one in space.constraints if isinstance(one, Rule)]
    for rule in rules if len(rules) == 1 else []:
        for row in made:
            values = dict(space.configuration(row))
            if rule.holds(values):
                assert all(values[name] == value for name, value in rule.then.items() if name in names)
                left = {n: never for n, never in rule.never.items() if set(never) < set(space[n].values)}
                assert not any(values[name] in never for name, never in left.items() if name in names)


@settings(deadline=None)
@given(space=spaces(), data=st.data())
def test_anything_is_made_valid(space: Space, data: st.DataObject) -> None:
    assume(valid(space))
    wanted = {p.name: data.draw(st.sampled_from(p.values)) for p in space.parameters if data.draw(st.booleans())}
    made = made_valid(space, wanted)
    assert space.problem(made) == ""
    space.point(made)


@pytest.mark.parametrize("name", [*platform_names(), "lab"])
@settings(deadline=None)
@given(data=st.data())
def test_the_spaces_of_campaigns_are_made_valid(name: str, data: st.DataObject) -> None:
    field = Field(lab_platform() if name == "lab" else load_platform(name))
    for space in (field.space, field.sampling_space):
        wanted = {p.name: data.draw(st.sampled_from(p.values)) for p in space.parameters}
        made = made_valid(space, wanted)
        assert space.problem(made) == ""
        row = space.point(made)
        assert np.array_equal(valid_rows(space, row[None, :]), row[None, :])
        if not space.problem(wanted):
            assert made == wanted


@settings(max_examples=200, deadline=None)
@given(space=spaces())
def test_values_that_no_valid_combination_has_are_told(space: Space) -> None:
    rows = [np.frombuffer(row, dtype=np.int8) for row in valid(space)]
    assume(rows)
    had = [{int(row[column]) for row in rows} for column in range(len(space.parameters))]
    lost = {
        p.name: tuple(v for i, v in enumerate(p.values) if i not in h)
        for p, h in zip(space.parameters, had, strict=True)
    }
    assert never_valid(space) == {name: values for name, values in lost.items() if values}


@given(spaces())
def test_values_are_valid_together_that_some_valid_combination_has(space: Space) -> None:
    configurations = list(space.configurations())
    assume(configurations)
    for first, second in itertools.permutations(space.names, 2):
        both = [c for c in configurations if {first, second} <= c.keys()]
        assert valid_together(space, (first, second)) == {(c[first], c[second]) for c in both}


def test_only_what_is_tied_together_is_gone_through() -> None:
    """Of 4 ** 43 combinations; the contradiction is by way of a third parameter."""
    parameters = tuple(Parameter(name=f"p{i}", values=NUMBERS, scale=Scale.LOG) for i in range(43))
    rules = (
        Rule(when={"p0": 2}, then={"p20": 4}),
        Rule(when={"p20": 4}, then={"p42": 1}),
        Rule(when={"p0": 2}, then={"p42": 8}),
        AtMost(smaller="p7", larger="p8"),
    )
    assert never_valid(Space(parameters, rules)) == {"p0": (2,)}
    long = (AtMost(smaller=f"p{i}", larger=f"p{i + 1}") for i in range(20))  # too many to be gone through
    pinned = Rule(when={}, then={"p5": 1, "p42": 8})  # of each by itself
    assert never_valid(Space(parameters, (*long, pinned))) == {"p42": (1, 2, 4)}
