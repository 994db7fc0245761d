"""Shortlists for active training: the best of each kind of I/O system, as advice would rank them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from acic.advisor.knowledge import KIND, Knowledge
from acic.advisor.learning import unmeasured
from acic.advisor.shortlist import shortlists
from acic.advisor.staging import staging_of
from acic.campaign.session import Session
from acic.cli.active_advice import advice_of
from acic.platforms import load_platform
from acic.prior import Results
from acic.workloads import Operation
from tests.advisor.conftest import WRITE

LAB = load_platform("lab")


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return Knowledge(LAB, unmeasured(LAB))


@pytest.mark.parametrize("operation", list(Operation))
def test_of_each_kind_comes_the_best_for_time_and_for_cost(knowledge: Knowledge, operation: Operation) -> None:
    workload = replace(WRITE, operation=operation, processes=4, io_processes=4)
    seconds = knowledge.baseline_seconds(workload) * np.exp(-knowledge.effect(workload).mean)
    place = {LAB.space.configuration(point): i for i, point in enumerate(knowledge.points)}
    staged = staging_of(LAB, knowledge.points).seconds(
        Results(size=workload.total_bytes, files=4, own=not workload.shared, one=not workload.shared)
    )

    def time(i: int) -> float:
        return float(seconds[i] + (staged[i] if operation is Operation.WRITE else 0.0))

    def cost(i: int) -> float:
        return LAB.cost(LAB.space.configuration(knowledge.points[i]), workload.processes, time(i))

    found = shortlists(knowledge, workload)
    assert found.seconds == knowledge.baseline_seconds(workload)
    kinds = [(str(one[KIND]), str(one["placement"])) for one in map(LAB.space.configuration, knowledge.points)]
    for kind, pair in zip(sorted(set(kinds)), found.kinds, strict=True):
        mine = [i for i, one in enumerate(kinds) if one == kind]
        for one, goal in zip(pair, (time, cost), strict=True):
            assert (one[KIND], one["placement"]) == kind
            assert goal(place[one]) == pytest.approx(min(map(goal, mine)))
    for around, goal in zip(found.around, (time, cost), strict=True):
        expected = [goal(place[one]) for one in around]
        assert expected == sorted(expected)
        assert expected[0] == pytest.approx(min(map(goal, place.values())))
        assert all(sum(one[n] != around[0][n] for n in one.keys() & around[0].keys()) == 1 for one in around[1:])
        assert {n for one in around for n in one.keys() & around[0].keys() if one[n] != around[0][n]} == set(around[0])


def test_without_prices_there_is_one_goal() -> None:
    free = replace(LAB, instances={name: replace(one, price=None) for name, one in LAB.instances.items()})
    found = shortlists(Knowledge(free, unmeasured(free)), WRITE)
    assert {len(pair) for pair in found.kinds} == {len(found.around)} == {1}


def test_train_asks_for_advice_among_what_it_may_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path))
    monkeypatch.setattr("acic.advisor.informed.default_model", lambda _: "prior")
    only = {"instance_type": "lab.400m", "device": "EBS"}
    session = SimpleNamespace(platform=LAB, request=SimpleNamespace(only=only))
    expected = advice_of(cast(Session, session), f"sqlite:///{tmp_path}/store.db")()(WRITE)
    found = [one for some in (*expected.kinds, *expected.around) for one in some if one != LAB.baseline]
    assert len(found) >= 8
    assert all(one[name] == value for one in found for name, value in only.items())
    assert expected.seconds > 0
