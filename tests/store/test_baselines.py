"""Baselines: exact where measured, else interpolated, with an error that is honest."""

from __future__ import annotations

import math
from itertools import count, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from acic.errors import MissingData
from acic.platforms import Platform
from acic.store import Measurement, Repetition
from acic.store.baselines import Baselines
from acic.store.bundled import bundled
from acic.store.training import training_table
from acic.workloads import Access, Characteristics, Interface, Operation
from tests.store.samples import MIB, lustre, measurement, workload

_numbers = count()


def run(log_bandwidth: float, spread: float = 0.0, repetitions: int = 3, **changes: object) -> Measurement:
    """A baseline measurement whose repetitions lie evenly around `log_bandwidth`."""
    offsets = np.linspace(-1, 1, repetitions) if repetitions > 1 else np.zeros(1)
    taken = tuple(Repetition(bandwidth=math.exp(log_bandwidth + spread * o), seconds=None) for o in offsets)
    configuration = changes.pop("configuration", lustre())
    return measurement(next(_numbers), repetitions=taken, configuration=configuration, workload=workload(**changes))


def grid(function: object, **changes: object) -> list[Measurement]:
    """Baselines on a grid of sizes, their log bandwidth a function of the workload."""
    made = []
    for processes, data in product((16, 32, 64, 128), (32, 64, 128, 256)):
        w = workload(processes=processes, io_processes=processes, data_size=data * MIB, **changes)
        made.append(measurement(next(_numbers), workload=w, configuration=lustre(),
                                repetitions=(Repetition(bandwidth=math.exp(function(w)), seconds=None),) * 2))  # type: ignore[operator]  # fmt: skip
    return made


def test_a_measured_workload_is_exact(tianhe: Platform) -> None:
    found = Baselines.fit([run(20.0, 0.1, 10)], tianhe).estimate(workload())
    assert found.exact
    assert found.log_bandwidth == pytest.approx(20.0)
    assert 0 < found.sigma < 0.1
    assert found.neighbours == 1


def test_several_runs_of_a_workload_count_together(tianhe: Platform) -> None:
    agreeing = Baselines.fit([run(20.0, 0.1), run(20.01, 0.1), run(19.99, 0.1)], tianhe).estimate(workload())
    quarrel = Baselines.fit([run(20.0, 0.1), run(21.0, 0.1), run(19.0, 0.1)], tianhe).estimate(workload())
    assert agreeing.log_bandwidth == pytest.approx(quarrel.log_bandwidth) == pytest.approx(20.0)
    assert quarrel.sigma > 5 * agreeing.sigma


def test_other_configurations_are_no_baseline(tianhe: Platform) -> None:
    baselines = Baselines.fit([run(22.0, configuration=lustre(stripe_count=8))], tianhe)
    with pytest.raises(MissingData) as caught:
        baselines.estimate(workload())
    assert "baseline" in caught.value.hint


def test_the_other_direction_tells_nothing(tianhe: Platform) -> None:
    with pytest.raises(MissingData, match="read"):
        Baselines.fit([run(20.0)], tianhe).estimate(workload(operation=Operation.READ))


def test_a_single_neighbour_leaves_its_error_unknown(tianhe: Platform) -> None:
    found = Baselines.fit([run(20.0)], tianhe).estimate(workload(data_size=2**30))
    assert found.log_bandwidth == pytest.approx(20.0)
    assert found.sigma == math.inf
    assert not found.exact


def test_a_single_repetition_takes_the_usual_spread(tianhe: Platform) -> None:
    alone = Baselines.fit([run(20.0, repetitions=1)], tianhe).estimate(workload())
    assert alone.sigma == math.inf
    usual = Baselines.fit([run(20.0, repetitions=1), run(20.0, 0.2, 10, data_size=2**30)], tianhe)
    assert 0.1 < usual.estimate(workload()).sigma < 0.3


def test_single_repetitions_tell_their_spread_together(tianhe: Platform) -> None:
    """Of runs that nobody repeated within one nothing was known, and intervals were too narrow by all of it."""
    several = [run(log, repetitions=1) for log in (19.7, 20.0, 20.3)]
    assert Baselines.fit(several, tianhe).estimate(workload()).sigma == pytest.approx(0.3 / math.sqrt(3))


@settings(max_examples=50, deadline=None)
@given(
    processes=st.integers(1, 4096),
    data=st.integers(2, 2**16),
    access=st.sampled_from(Access),
    interface=st.sampled_from(Interface),
)
def test_an_estimate_lies_among_its_neighbours(
    tianhe: Platform, processes: int, data: int, access: Access, interface: Interface
) -> None:
    them = grid(lambda w: 18 + math.log2(w.processes) / 3 + math.log2(w.data_size) / 10)
    logs = [math.log(m.bandwidth or 0) for m in them]
    sizes = {"processes": processes, "io_processes": processes, "data_size": data * MIB}
    asked = workload(**sizes, access=access, interface=interface)
    found = Baselines.fit(them, tianhe).estimate(asked)
    assert min(logs) - 1e-9 <= found.log_bandwidth <= max(logs) + 1e-9
    assert found.sigma > 0
    assert math.isfinite(found.sigma)


def test_interpolation_follows_the_nearest(tianhe: Platform) -> None:
    def truth(w: Characteristics) -> float:
        return 18 + math.log2(w.processes) / 3

    baselines = Baselines.fit(grid(truth), tianhe)
    asked = workload(processes=60, io_processes=60, data_size=120 * MIB)
    assert baselines.estimate(asked).log_bandwidth == pytest.approx(truth(asked), abs=0.1)


def test_the_error_grows_with_the_distance(tianhe: Platform) -> None:
    baselines = Baselines.fit(grid(lambda w: 18 + math.log2(w.processes) / 3), tianhe)
    near = baselines.estimate(workload(processes=60, io_processes=60))
    far = baselines.estimate(workload(processes=10_000, io_processes=10_000))
    farther = baselines.estimate(workload(processes=1_000_000, io_processes=1_000_000))
    assert near.sigma < far.sigma < farther.sigma


def test_a_neighbour_alike_in_kind_goes_before_one_of_another_kind(tianhe: Platform) -> None:
    shared = [run(20.0, data_size=d * MIB) for d in (64, 128, 256, 512)]
    own = [run(23.0, data_size=d * MIB, shared=False) for d in (64, 128, 256, 512)]
    baselines = Baselines.fit([*shared, *own], tianhe)
    assert baselines.estimate(workload(data_size=150 * MIB)).log_bandwidth < 21
    assert baselines.estimate(workload(data_size=150 * MIB, shared=False)).log_bandwidth > 22


def test_improvements_are_over_the_baseline_of_the_same_workload(tianhe: Platform) -> None:
    them = [
        run(20.0, 0.1, 5),
        run(21.0, 0.1, 5, data_size=2**30),
        run(21.0, 0.5, 5, configuration=lustre(stripe_count=8)),
        run(20.0, 0.5, 5, data_size=2**30, configuration=lustre(stripe_count=8)),
    ]
    rows = training_table(them, tianhe)
    found = Baselines.fit(rows, tianhe).improvements(rows)
    assert_allclose(found.mean, [0, 0, 1, -1], atol=1e-9)
    assert_allclose(found.best, [0.1, 0.1, 1.5, -0.5], atol=1e-9)
    assert found.exact.all()
    assert found.sigma.shape == (4,)


def test_the_bandwidth_alone_is_that_of_the_estimate(tianhe: Platform) -> None:
    baselines = Baselines.fit(grid(lambda w: 20.0 + math.log(w.processes)), tianhe)
    for asked in (workload(processes=32, io_processes=32, data_size=64 * MIB), workload(processes=48, io_processes=6)):
        assert baselines.log_bandwidth_of(asked) == baselines.estimate(asked).log_bandwidth
    with pytest.raises(MissingData):
        baselines.log_bandwidth_of(workload(operation=Operation.READ))


def test_the_leave_one_out_error_covers_the_truth_on_real_data(tianhe: Platform) -> None:
    """Each bundled baseline, estimated from the others: two sigmas hold the truth nearly always."""
    them = [m for m in bundled(tianhe) if m.configuration == tianhe.baseline]
    rows = training_table(them, tianhe)
    inside = []
    for left in range(len(rows.workloads)):
        others = [m for m in them if m.workload != rows.workloads[left]]
        found = Baselines.fit(others, tianhe).estimate(rows.workloads[left])
        truth = float(np.median(rows.mean[rows.workload == left]))
        inside.append(abs(found.log_bandwidth - truth) < 2 * found.sigma)
    assert len(inside) > 50
    assert np.mean(inside) > 0.9
