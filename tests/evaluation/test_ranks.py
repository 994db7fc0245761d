"""What a screening among measurements tells of each parameter, and how that goes with the paper's Table 1."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from acic.errors import MissingData
from acic.evaluation.ranks import PAPER, Rank, agreement, screening_of, table_1
from acic.store import Measurement, Outcome
from acic.store.bundled import bundled
from acic.workloads import Operation
from tests.evaluation.made_up import LAB


def _as_fast_as(measurement: Measurement, bandwidth: float) -> Measurement:
    return replace(measurement, repetitions=tuple(replace(r, bandwidth=bandwidth) for r in measurement.repetitions[:1]))


def _ranks(places: dict[str, int]) -> list[Rank]:
    return [Rank(parameter=n, rank={"time": i}, factor={"time": 1.0}, paper=PAPER[n]) for n, i in places.items()]


def test_a_parameter_that_alone_matters_is_first_and_told_by_its_factor() -> None:
    made = [_as_fast_as(m, 1e6 * (8 if m.workload.operation is Operation.READ else 1)) for m in bundled(LAB)]
    first, *others = table_1(made, LAB)
    assert "instance_type" not in {one.parameter for one in others}  # one in all runs: its column only holds noise
    assert (first.parameter, first.rank["time"], first.paper) == ("operation", 1, 2)
    assert first.factor["time"] == pytest.approx(8.0)
    assert [one.factor["time"] for one in others] == pytest.approx([1.0] * len(others))
    assert sorted(one.rank["time"] for one in others) == [*range(2, 2 + len(others))]


def test_runs_that_failed_at_random_leave_a_factor_as_it_is() -> None:
    """They counted as runs that showed no difference."""
    made = [_as_fast_as(m, 1e6 * (8 if m.workload.operation is Operation.READ else 1)) for m in bundled(LAB)]
    rows = screening_of(made, LAB).rows
    for row in np.random.default_rng(1).permutation(rows)[: len(rows) // 4]:
        made[row] = replace(made[row], outcome=Outcome.FAILED, repetitions=())
    assert table_1(made, LAB)[0].factor["time"] == pytest.approx(8.0, rel=0.05)


def test_what_machines_cost_decides_only_ranks_by_cost() -> None:
    found = {one.parameter: one for one in table_1([_as_fast_as(m, 1e6) for m in bundled(LAB)], LAB)}
    assert all(one.factor["time"] == pytest.approx(1.0) for one in found.values())
    assert found["placement"].factor["cost"] > 1.1  # dedicated servers are paid for
    assert found["operation"].factor["cost"] == pytest.approx(1.0, abs=0.1)


def test_nothing_is_ranked_by_a_cost_that_some_runs_do_not_have() -> None:
    free = replace(LAB, instances={name: replace(one, price=0.0) for name, one in LAB.instances.items()})
    assert {goal for one in table_1(bundled(LAB), free) for goal in one.rank} == {"time"}


def test_a_screening_that_lacks_a_run_ranks_nothing() -> None:
    with pytest.raises(MissingData, match="of a screening of lab were not measured"):
        table_1(bundled(LAB)[::2], LAB)


def test_agreement_is_spearmans_correlation_over_what_both_have() -> None:
    assert agreement(_ranks(dict(PAPER)), "time") == pytest.approx(1.0)
    assert agreement(_ranks({n: 16 - i for n, i in PAPER.items()}), "time") == pytest.approx(-1.0)
    own = Rank(parameter="raid_devices", rank={"time": 99}, factor={"time": 1.0}, paper=None)
    assert agreement([*_ranks({"data_size": 7, "device": 9}), own], "time") == pytest.approx(1.0)
    assert math.isnan(agreement([own], "time"))
