"""Repair and candidates: valid, listed, and no more changed than is forced."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.search.candidates import Candidates, first
from acic.search.repair import drawn, drawn_values, neighbours, usual_values
from acic.space import AtMost, Configuration, Constraint, Parameter, Rule, Scale, Space, Value, repaired
from tests.search.made_up import spaces, valid

ORDER = Space(
    (
        Parameter(name="processes", values=(2, 8, 32), scale=Scale.LOG),
        Parameter(name="aggregators", values=(1, 4, 16, 64), scale=Scale.LOG),
    ),
    (AtMost(smaller="aggregators", larger="processes"),),
)


def by_hand(space: Space) -> set[Configuration]:
    """Every valid configuration, of all there could be."""
    choices = [(None, *p.values) for p in space.parameters]
    every = (
        Configuration({n: v for n, v in zip(space.names, values, strict=True) if v is not None})
        for values in itertools.product(*choices)
    )
    return {one for one in every if not space.problem(one)}


def unasked(space: Space, wanted: Mapping[str, Value], made: Configuration) -> set[str]:
    """The parameters that were changed though no constraint asked for it, of what was wanted or had to be changed."""
    changed = {name for name in space.names if made.get(name) != wanted[name]}

    def asks(constraint: Constraint, name: str) -> bool:
        if isinstance(constraint, AtMost):
            asked, about = constraint.mentions, constraint.mentions
            begins = wanted[constraint.smaller] > wanted[constraint.larger]  # type: ignore[operator]  # two numbers
        else:
            asked, about = {*constraint.then, *constraint.absent, *constraint.never}, set(constraint.when)
            begins = constraint.holds(wanted)
        return name in asked and (begins or bool(about & (changed - {name})))

    return {name for name in changed if not any(asks(one, name) for one in space.constraints)}


@settings(deadline=None)
@given(space=spaces(), seed=st.integers(0, 999))
def test_what_is_repaired_is_listed_and_changed_only_where_a_rule_asks(space: Space, seed: int) -> None:
    """It was only asked whether it is valid, which is what the repair itself asks before it gives anything."""
    wanted = drawn_values(space, np.random.default_rng(seed))
    made = repaired(space, wanted)
    if made is not None:
        space.point(made)
        assert not unasked(space, wanted, made)


@settings(deadline=None)
@given(space=spaces(constraints=1), seed=st.integers(0, 999))
def test_one_constraint_can_always_be_repaired(space: Space, seed: int) -> None:
    assert repaired(space, drawn_values(space, np.random.default_rng(seed))) is not None


@settings(deadline=None)
@given(space=spaces(), data=st.data())
def test_what_is_valid_stays_as_it_is(space: Space, data: st.DataObject) -> None:
    configuration = data.draw(st.sampled_from(valid(space)))
    fill = drawn_values(space, np.random.default_rng(data.draw(st.integers(0, 9))))
    wanted = {**fill, **configuration}
    made = repaired(space, wanted)
    if any(set(c.when) - set(configuration) for c in space.constraints if isinstance(c, Rule)):
        assert made is None or not unasked(space, wanted, made)  # what was filled in may rule something out
    else:
        assert made == configuration


@settings(deadline=None, max_examples=50)
@given(space=spaces(constraints=2), data=st.data())
def test_neighbours_have_each_other_value_that_the_rest_allows(space: Space, data: st.DataObject) -> None:
    around = data.draw(st.sampled_from(valid(space)))
    name = data.draw(st.sampled_from(space.names))
    found = neighbours(space, around, name, usual_values(space, around))
    values = [one[name] for one in found]
    assert len(set(values)) == len(values)
    assert around.get(name) not in values
    possible = by_hand(space)
    assert set(found) <= possible
    alone = {v for v in space[name].values if v != around.get(name) and Configuration({**around, name: v}) in possible}
    assert alone <= set(values)  # whatever needs no other change is there, and changes nothing else
    assert all(one == Configuration({**around, name: one[name]}) for one in found if one[name] in alone)


def test_numbers_in_the_wrong_order_become_listed_ones() -> None:
    assert repaired(ORDER, {"processes": 8, "aggregators": 64}) == Configuration({"processes": 8, "aggregators": 4})
    raised = repaired(ORDER, {"processes": 2, "aggregators": 16}, keep="aggregators")
    assert raised == Configuration({"processes": 32, "aggregators": 16})
    assert repaired(ORDER, {"processes": 2, "aggregators": 64}, keep="aggregators") is None


def test_a_value_that_the_others_rule_out_cannot_be_kept() -> None:
    a, b = (Parameter(name=name, values=("x", "y")) for name in "ab")
    forced = Space((a, b), (Rule(when={"a": "x"}, then={"b": "x"}),))
    assert repaired(forced, {"a": "x", "b": "y"}, keep="b") is None
    assert repaired(forced, {"a": "x", "b": "y"}, keep="a") == Configuration({"a": "x", "b": "x"})
    hidden = Space((a, b), (Rule(when={"a": "x"}, absent=("b",)),))
    assert repaired(hidden, {"a": "x", "b": "y"}, keep="b") is None
    assert repaired(hidden, {"a": "x", "b": "y"}) == Configuration({"a": "x"})


def test_a_rule_on_what_does_not_apply_does_not_hold() -> None:
    a, b, c = (Parameter(name=name, values=("x", "y")) for name in "abc")
    chain = Space((a, b, c), (Rule(when={"a": "x"}, absent=("b",)), Rule(when={"b": "x"}, absent=("c",))))
    assert repaired(chain, {"a": "x", "b": "x", "c": "y"}) == Configuration({"a": "x", "c": "y"})


@pytest.mark.parametrize("links", [1, 2, 3, 4])
def test_the_order_of_rules_changes_nothing_where_what_applies_is_told_by_a_chain(links: int) -> None:
    """A search never tried what a chain of two left to it, where the file had the inner rule first."""
    names = "abcde"[: links + 1]
    parameters = tuple(Parameter(name=name, values=("x", "y")) for name in names)
    chain = [Rule(when={one: "x"}, absent=(next_,)) for one, next_ in itertools.pairwise(names)]
    wanted = dict.fromkeys(names, "x")
    for rules in itertools.permutations(chain):
        assert repaired(Space(parameters, rules), wanted) == Configuration(dict.fromkeys(names[::2], "x"))


def test_a_neighbour_that_is_valid_is_not_left_for_what_rules_it_out() -> None:
    """The usual value of what did not apply ruled out what did: a walk ended at 5.0 beside a 1.0."""
    space = Space(
        (
            Parameter(name="layout", values=("on", "off")),
            Parameter(name="stripes", values=(1, 4, 16), scale=Scale.LOG),
            Parameter(name="buffer", values=("x", "y")),
        ),
        (Rule(when={"layout": "on"}, absent=("stripes",)), Rule(when={"stripes": 16}, absent=("layout",))),
    )
    around, other = (Configuration({"stripes": 16, "buffer": buffer}) for buffer in "xy")
    assert space.problem(around) == ""
    assert neighbours(space, around, "buffer", usual_values(space, around)) == [other]


@settings(deadline=None, max_examples=50)
@given(space=spaces())
def test_what_is_listed_is_all_that_is_valid(space: Space) -> None:
    assert set(valid(space)) == by_hand(space)


def test_a_rule_that_another_one_made_void_asks_for_nothing() -> None:
    """The second rule was obeyed too, as it held before the first one was: a search left c for no reason."""
    a, b, c = (Parameter(name=name, values=("x", "y")) for name in "abc")
    chain = Space((a, b, c), (Rule(when={"a": "x"}, then={"b": "x"}), Rule(when={"b": "y"}, then={"c": "y"})))
    assert repaired(chain, {"a": "x", "b": "y", "c": "x"}) == Configuration({"a": "x", "b": "x", "c": "x"})


def test_a_space_without_a_valid_configuration_gives_none() -> None:
    a, b = (Parameter(name=name, values=("x", "y")) for name in "ab")
    rules = tuple(Rule(when={"a": v}, then={"b": w}) for v in "xy" for w in "xy")
    assert drawn(Space((a, b), rules), np.random.default_rng(0)) is None


@settings(deadline=None)
@given(space=spaces(), data=st.data())
def test_candidates_know_which_are_known(space: Space, data: st.DataObject) -> None:
    candidates = Candidates(space)
    known = data.draw(st.lists(st.sampled_from(valid(space)), unique=True))
    unknown = candidates.configurations(np.flatnonzero(candidates.unknown(known)))
    assert set(unknown) | set(known) == set(valid(space))
    assert not set(unknown) & set(known)


@settings(deadline=None)
@given(values=st.lists(st.integers(0, 5), max_size=40), count=st.integers(0, 50), seed=st.integers(0, 9))
def test_the_first_are_the_least(values: list[int], count: int, seed: int) -> None:
    places = first(np.array(values, dtype=float), count, rng=np.random.default_rng(seed))
    assert len(set(places.tolist())) == len(places) == min(count, len(values))
    assert [values[i] for i in places] == sorted(values)[:count]


def test_ties_are_drawn() -> None:
    draws = {int(first(np.zeros(4), 1, rng=np.random.default_rng(seed))[0]) for seed in range(40)}
    assert draws == {0, 1, 2, 3}
