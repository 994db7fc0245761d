"""Where an application's time goes, of which its log or its workload file tells a part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.advisor.application import TimeModel, tells_io, time_model
from acic.workloads import Operation, Workload
from tests.advisor.conftest import WRITE, application

seconds_ = st.one_of(st.none(), st.floats(0.0, 100.0))


@given(told=st.lists(seconds_, min_size=1, max_size=5), share=st.floats(0.0, 1.0), weighted=st.booleans())
def test_phases_that_tell_nothing_share_what_the_others_leave(
    told: list[float | None], share: float, weighted: bool
) -> None:
    """They shared the whole I/O time: a run told as 100 s became a baseline of 140 s."""
    sizes = [replace(WRITE, iterations=i) for i in range(1, len(told) + 1)]
    workload = replace(application(*sizes, io=tuple(told)), io_share=share)
    weights = [1.0] * len(told) if weighted and None in told else None
    found = time_model(workload, workload.phases, weights=weights)
    known = sum(one or 0.0 for one in told)
    assert found.total == pytest.approx(max(100.0, known))
    assert sum(found.phases) == pytest.approx(max(100.0 * share, known) if None in told else known)
    assert all(took == one for took, one in zip(found.phases, told, strict=True) if one is not None)
    parts = weights or [float(phase.bytes) for phase in workload.phases]
    rates = [took / part for took, part, one in zip(found.phases, parts, told, strict=True) if one is None]
    assert rates == pytest.approx([rates[0]] * len(rates) if rates else [])


@pytest.mark.parametrize("weights", [None, [1.0, 5.0]])
def test_where_every_phase_tells_its_seconds_the_run_need_not(weights: list[float] | None) -> None:
    """Three minutes of I/O in a workload file were dropped without a word, and 153 ms predicted in their place."""
    workload = application(WRITE, replace(WRITE, iterations=2), run=None, io=(100.0, 80.0))
    assert tells_io(workload)
    found = time_model(workload, workload.phases, weights=weights)
    assert [found.fixed, found.total] == pytest.approx([0.0, 180.0])
    assert not tells_io(application(WRITE, WRITE, run=None, io=(100.0, None)))
    assert not tells_io(application(WRITE, run=None, io=(0.0,)))
    assert not tells_io(replace(workload, phases=()))


def phases_at(*times: tuple[Operation, float, float, float, float]) -> Workload:
    """Return an application of phases: direction, s, when it began and ended, and how long it paused in all."""
    workload = application(*[replace(WRITE, operation=way) for way, *_ in times], io=tuple(one[1] for one in times))
    phases = [
        replace(phase, details={"began": begin, "ended": end, "idle_seconds": away})
        for phase, (_, _, begin, end, away) in zip(workload.phases, times, strict=True)
    ]
    return replace(workload, phases=tuple(phases))


READS, WRITES = Operation.READ, Operation.WRITE


@pytest.mark.parametrize(
    ("other", "parts"),
    [
        ((WRITES, 1.0, 0.1, 10.0, 0.0), [5.0, 5.0]),  # by turns: who reads waits for what was written
        ((WRITES, 1.0, 9.0, 18.0, 0.0), [7.5, 2.5]),  # one after the other: half-way between 9 to 1 and 1 to 1
        ((WRITES, 1.0, 0.1, 10.0, 3.0), [7.5, 2.5]),  # it pauses
        ((READS, 1.0, 0.1, 10.0, 0.0), [7.5, 2.5]),  # both read
    ],
)
def test_seconds_of_phases_that_go_by_turns_are_shared_as_is_predicted(
    other: tuple[Operation, float, float, float, float], parts: list[float]
) -> None:
    workload = phases_at((READS, 9.0, 0.0, 10.0, 0.0), other)
    found = time_model(workload, workload.phases, weights=[1.0, 1.0])
    assert found.phases == pytest.approx(parts)


def test_a_phase_of_no_time_takes_none_however_little_is_known_of_it() -> None:
    """0 s times infinity was no number, and that no number the verdict *change*, at least infinitely faster."""
    found = TimeModel(0.0, (10.0, 0.0)).seconds([np.array([0.0]), np.array([-np.inf])])
    assert found.tolist() == [10.0]
