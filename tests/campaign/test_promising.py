"""What an active plan measures where deploying costs time: what advice would choose, for a few workloads at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.campaign.planning import Planner
from acic.campaign.points import Field, Point
from acic.campaign.promising import AROUND, SHORTEST, SYSTEMS, WORKLOADS, Advice, Expected, promising
from acic.campaign.state import Progress, Stage, State
from acic.platforms import load_platform
from acic.space import Configuration
from acic.units import MIB
from acic.workloads import Characteristics

ONLY = {"instance_type": "lab.400m"}
FIELD = Field(load_platform("lab"), (), ONLY)
ALL = [one for one in FIELD.platform.space.configurations() if one["instance_type"] == ONLY["instance_type"]]

orders = st.lists(st.permutations(ALL).map(lambda order: order[:12]), min_size=1, max_size=2)


def advice(kinds: Sequence[Sequence[Configuration]], around: Sequence[Sequence[Configuration]] = ()) -> Advice:
    """Return advice that is alike for every workload, which takes a second for each MiB of a process."""
    return lambda: lambda workload: Expected(workload.data_size / MIB, kinds, around or kinds)


def planned(rows: np.ndarray) -> list[Progress]:
    return [Progress(i, row, FIELD.point(row), Stage.ACTIVE) for i, row in enumerate(rows)]


def configurations(rows: np.ndarray) -> set[Configuration]:
    return {FIELD.point(row).configuration for row in rows}


@settings(deadline=None, max_examples=20)
@given(best=orders, seed=st.integers(0, 2**32 - 1))
def test_a_few_workloads_meet_a_few_configurations_and_nothing_twice(
    best: list[list[Configuration]], seed: int
) -> None:
    rows = promising(FIELD, State({}), advice(best), rng=np.random.default_rng(seed))
    points = [FIELD.point(row) for row in rows]
    workloads = {point.workload for point in points}
    assert len(workloads) <= WORKLOADS
    assert len(configurations(rows)) == SYSTEMS
    assert configurations(rows) <= {one for order in best for one in order}
    assert len(points) == len(set(points)) == SYSTEMS * len(workloads)
    again = promising(FIELD, State({}, planned(rows)), advice(best), rng=np.random.default_rng(seed))
    assert not len(again)


def test_of_a_kind_comes_first_what_is_best_most_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acic.campaign.promising.AROUND", 0.0)
    others = cycle(ALL[1:])

    def expect(_: Characteristics) -> Expected:
        return Expected(1.0, [[next(others), next(others), next(others), ALL[0]]], [])

    rows = promising(FIELD, State({}), lambda: expect, rng=np.random.default_rng(0))
    assert ALL[0] in configurations(rows)


def test_most_grids_are_of_one_leader_and_its_likes() -> None:
    kinds = [ALL[:SYSTEMS]]
    around = [ALL[SYSTEMS : 3 * SYSTEMS], ALL[3 * SYSTEMS : 5 * SYSTEMS]]
    found = [
        configurations(promising(FIELD, State({}), advice(kinds, around), rng=np.random.default_rng(seed)))
        for seed in range(80)
    ]
    assert all(one in (set(kinds[0]), *(set(goal[:SYSTEMS]) for goal in around)) for one in found)
    for goal in around:
        assert abs(np.mean([one == set(goal[:SYSTEMS]) for one in found]) - AROUND / 2) < 0.12
    assert abs(np.mean([one == set(kinds[0]) for one in found]) - (1 - AROUND)) < 0.12


def test_a_leader_meets_the_workloads_that_it_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acic.campaign.promising.AROUND", 1.0)
    own, shared = ALL[:SYSTEMS], ALL[SYSTEMS : 2 * SYSTEMS]

    def expect(workload: Characteristics) -> Expected:
        return Expected(1.0, [], [shared if workload.shared else own])

    for seed in range(10):
        rows = promising(FIELD, State({}), lambda: expect, rng=np.random.default_rng(seed))
        kinds = {FIELD.point(row).workload.shared for row in rows}
        assert len(kinds) == 1
        assert configurations(rows) == set(shared if kinds == {True} else own)


def test_workloads_are_those_that_take_a_while() -> None:
    rows = promising(FIELD, State({}), advice([ALL]), rng=np.random.default_rng(0))
    assert min(FIELD.point(row).workload.data_size for row in rows) >= SHORTEST * MIB


def test_what_failed_here_or_was_not_asked_for_is_no_promise() -> None:
    other = [one for one in FIELD.platform.space.configurations() if one["instance_type"] != ONLY["instance_type"]]
    rows = promising(FIELD, State({}, unsafe={ALL[0]}), advice([[*other[:4], *ALL[:4]]]), rng=np.random.default_rng(0))
    assert configurations(rows) == set(ALL[1:4])


def test_the_baseline_of_each_workload_is_measured_too() -> None:
    others = [one for one in ALL if one != FIELD.platform.baseline]
    planner = Planner(FIELD, 0, active=True, screen=False, advice=advice([others]))
    found = planner.next(State({}, stages=[Stage.BASELINE]))
    assert found
    stage, rows = found
    points = [FIELD.point(row) for row in rows]
    assert stage is Stage.ACTIVE
    baselines = {point.workload for point in points if point.configuration == FIELD.platform.baseline}
    assert baselines == {point.workload for point in points}
    assert {point.configuration for point in points} == {FIELD.platform.baseline, *others[:SYSTEMS]}


def test_a_plan_goes_on_where_all_that_is_promising_has_been_measured() -> None:
    """For one job advice has few configurations: a campaign ended with them, as if it had measured everything."""
    field = Field(FIELD.platform, (FIELD.point(FIELD.row(FIELD.default)).workload,), ONLY)
    planner = Planner(field, 0, active=True, screen=False, advice=advice([ALL[:SYSTEMS]]))
    state = State({}, stages=[Stage.BASELINE])
    seen: set[Point] = set()
    for _ in range(4):
        found = planner.next(state)
        assert found is not None
        stage, rows = found
        fresh = [field.point(row) for row in rows]
        assert stage is Stage.ACTIVE
        assert fresh
        assert not seen & set(fresh)
        seen |= set(fresh)
        state.stages.append(stage)
        first = len(state.progress)
        state.progress += [Progress(n, row, field.point(row), stage) for n, row in enumerate(rows, first)]


def test_where_no_workload_can_be_drawn_nothing_is_promising(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended in a traceback; the plan goes on otherwise."""
    none = np.zeros((0, len(FIELD.space.names)), dtype=np.int8)
    monkeypatch.setattr("acic.campaign.promising.sampled", lambda *_, **__: none)
    assert promising(FIELD, State({}), advice([ALL[:3]]), rng=np.random.default_rng(0)).shape == none.shape
