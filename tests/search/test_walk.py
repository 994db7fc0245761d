"""Walks: the order of the parameters, what each step measures, and what that costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.search import Observation, PbWalk, RandomWalk, Search
from acic.space import Configuration, Parameter, Rule, Scale, Space
from tests.search.made_up import Bench, Objective, failing, separable, spaces, valid

DEPLOYMENT = Space(
    (
        Parameter(name="servers", values=(1, 2, 4), scale=Scale.LOG),
        Parameter(name="stripe_size", values=(1, 2, 4, 8), scale=Scale.LOG, unit="B"),
        Parameter(name="file_system", values=("NFS", "PVFS2")),
        Parameter(name="device", values=("disk", "flash")),
    ),
    (Rule(when={"file_system": "NFS"}, then={"servers": 1}, absent=("stripe_size",)),),
)
NFS = Configuration(servers=1, file_system="NFS", device="disk")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def walked(search: Search, space: Space, baseline: Configuration, objective: Objective) -> Bench:
    bench = Bench(objective)
    search.run(space, baseline, bench, rng=rng())
    return bench


@settings(deadline=None, max_examples=50)
@given(space=spaces(constraints=0), seed=st.integers(0, 99))
@pytest.mark.parametrize("search", [PbWalk(ranks=()), PbWalk(ranks="edcba"), RandomWalk()])
def test_a_separable_objective_is_minimised_in_one_run_for_each_other_value(
    search: Search, space: Space, seed: int
) -> None:
    objective = separable(space, seed)
    bench = Bench(objective)
    found = search.run(space, valid(space)[-1], bench, rng=rng(seed))
    assert found.best is not None
    assert found.best.objective == pytest.approx(min(objective(one) or 0.0 for one in valid(space)))
    assert len(found.observations) == sum(len(p.values) - 1 for p in space.parameters) + 1


@settings(deadline=None, max_examples=50)
@given(space=spaces(constraints=0), seed=st.integers(0, 99), data=st.data())
def test_the_parameters_have_their_turns_in_the_order_of_the_ranks(
    space: Space, seed: int, data: st.DataObject
) -> None:
    ranks = data.draw(st.permutations([*space.names, "processes"]))
    bench = walked(PbWalk(ranks=ranks), space, valid(space)[0], separable(space, seed))
    here = bench.batches[0][0]
    for name, batch in zip([n for n in ranks if n != "processes"], bench.batches[1:], strict=True):
        assert [{k for k in one if one[k] != here[k]} for one in batch] == [{name}] * (len(space[name].values) - 1)
        here = min([here, *batch], key=lambda one: separable(space, seed)(one) or 0.0)


def test_parameters_without_a_rank_come_last() -> None:
    space = DEPLOYMENT.only(["servers", "stripe_size", "device"])
    baseline = Configuration(servers=1, stripe_size=1, device="disk")
    bench = walked(PbWalk(ranks=("device",)), space, baseline, separable(space, 0))
    changed = [next(k for k in batch[0] if batch[0][k] != batch[1][k]) for batch in bench.batches[2:]]
    assert [one["device"] for one in bench.batches[1]] == ["flash"]
    assert changed == ["servers", "stripe_size"]


def test_the_random_walk_takes_every_order() -> None:
    space = DEPLOYMENT.only(["servers", "stripe_size", "device"])
    baseline = Configuration(servers=1, stripe_size=1, device="disk")
    orders = set()
    for seed in range(60):
        bench = Bench(separable(space, 0))
        RandomWalk().run(space, baseline, bench, rng=rng(seed))
        orders.add(tuple(len(batch) for batch in bench.batches[1:]))
    assert len(orders) == 6


@pytest.mark.parametrize("first", ["servers", "stripe_size"])
def test_a_parameter_that_cannot_change_yet_has_its_turn_when_it_can(first: str) -> None:
    """NFS has one server and no stripes: both wait until the walk has left NFS."""
    costs: dict[object, float] = {"NFS": 50.0, "PVFS2": 10.0, "disk": 5.0, "flash": 1.0}

    def objective(one: Configuration) -> float:
        at = costs[one["file_system"]] + costs[one["device"]]
        return at + 8.0 / float(one["servers"]) + abs(float(one.get("stripe_size", 4)) - 4.0)

    search = PbWalk(ranks=(first, "file_system"))
    found = search.run(DEPLOYMENT, NFS, Bench(objective), rng=rng())
    assert found.best is not None
    assert found.best.configuration == Configuration(servers=4, stripe_size=4, file_system="PVFS2", device="flash")
    assert len(found.observations) == 1 + 2 + 3 + 1 + 1


def test_a_walk_that_stays_with_nfs_never_tries_two_servers() -> None:
    bench = walked(RandomWalk(), DEPLOYMENT, NFS, lambda one: 1.0 if one["file_system"] == "NFS" else 9.0)
    assert {one["servers"] for one in bench.asked if one["file_system"] == "NFS"} == {1}
    assert len(bench.asked) == 3  # the baseline, PVFS2 and flash


def test_where_the_baseline_fails_the_walk_goes_on_from_what_runs() -> None:
    space = DEPLOYMENT.only(["servers", "device"])
    found = PbWalk(ranks=("device",)).run(
        space,
        Configuration(servers=1, device="disk"),
        Bench(lambda one: None if one["device"] == "disk" else 1.0 / float(one["servers"])),
        rng=rng(),
    )
    assert found.best == Observation(Configuration(servers=4, device="flash"), 0.25, 1.0)


def test_ranks_that_are_not_given_are_measured_with_a_folded_design() -> None:
    """Six parameters take 8 rows, mirrored; the walk then goes from the largest effect to the smallest."""
    space = Space(tuple(Parameter(name=name, values=(0, 1, 2), scale=Scale.LINEAR) for name in "abcdef"))
    weight = dict(zip("abcdef", (3.0, 11.0, 1.0, 25.0, 6.0, 2.0), strict=True))
    middle = Configuration(dict.fromkeys("abcdef", 1))

    def cost(one: Configuration) -> float:
        return 1.0 + sum(weight[name] * float(one[name]) for name in weight)

    bench = walked(PbWalk(), space, middle, cost)
    design, walk = bench.batches[1], bench.batches[2:]
    assert len(design) == 16
    assert all(set(one.values()) <= {0, 2} for one in design)
    here = min([middle, *design], key=cost)
    order = []
    for batch in walk:
        (changed,) = {k for one in batch for k in one if one[k] != here[k]}
        order.append(changed)
        here = min([here, *batch], key=cost)
    assert order == sorted("abcdef", key=lambda name: -weight[name])


def test_a_parameter_that_breaks_runs_ranks_first() -> None:
    space = Space(tuple(Parameter(name=name, values=(1, 2, 3), scale=Scale.LOG) for name in "abc"))
    start = Configuration(a=1, b=1, c=1)
    bench = walked(PbWalk(), space, start, lambda one: None if one["b"] == 3 else 10.0 + float(one["a"]))
    first = bench.batches[2]
    assert len({one["b"] for one in first}) == len(first)


@settings(deadline=None, max_examples=40)
@given(space=spaces(), seed=st.integers(0, 9))
def test_a_walk_never_costs_more_than_its_values_and_the_design(space: Space, seed: int) -> None:
    other = sum(len(p.values) - 1 for p in space.parameters)
    assert len(walked(RandomWalk(), space, valid(space)[0], failing(space, seed)).asked) <= other + 1
    rows = 2 * 4 * (len(space.parameters) // 4 + 1)
    assert len(walked(PbWalk(), space, valid(space)[0], failing(space, seed)).asked) <= other + 1 + rows
