"""Processes that do I/O at different times: all wait for turns, and nobody for one of a farm of tasks."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.units import MIB
from acic.workloads import Workload, characterize
from acic.workloads.timing import merged
from acic.workloads.turns import turns
from tests.workloads.simulator import Call, darshan_log

OWN = "each at its own time"


def written(starts: Iterable[float], *, seconds: float = 1.0, trace: bool = False, run: float = 700.0) -> Workload:
    """Return the job of processes that each write 10 MiB to a file of their own, from an instant on."""
    calls = [
        Call(
            rank=rank,
            offset=i * MIB,
            length=MIB,
            start=start + i * seconds / 10,
            end=start + (i + 1) * seconds / 10,
            file=f"/scratch/out.{rank}",
        )
        for rank, start in enumerate(starts)
        for i in range(10)
    ]
    processes = len({call.rank for call in calls})
    return characterize(darshan_log(calls, processes=processes, trace=trace, heatmap=False, run_seconds=run))


@pytest.mark.parametrize("trace", [False, True])
def test_nobody_waits_for_what_each_process_does_at_its_own_time(trace: bool) -> None:
    """64 processes of a farm that each wrote for 1 s of 700 s waited for 64 s, as if nobody could go on meanwhile."""
    found = written([10.0 * rank + 1 for rank in range(64)], trace=trace)
    assert found.phases[0].seconds == pytest.approx(1.0)
    assert found.io_share == pytest.approx(1 / 700)
    (note,) = [note for note in found.notes if OWN in note]
    assert "64 s in all" in note


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("gap", [0.0, 0.01, 0.04])
def test_all_wait_for_each_where_one_begins_when_another_ends(gap: float, trace: bool) -> None:
    found = written([(1.0 + gap) * rank + 1 for rank in range(16)], trace=trace)
    assert found.phases[0].seconds == pytest.approx(16.0)
    assert not [note for note in found.notes if OWN in note]


@pytest.mark.parametrize("trace", [False, True])
def test_turns_in_several_groups_and_with_a_gap_are_turns(trace: bool) -> None:
    """Four write at once, and hand on to the next four; in the midst of it all compute for a while."""
    found = written([1.02 * turn + 1 + 50 * (turn > 1) for turn in range(4) for _ in range(4)], trace=trace)
    assert found.phases[0].seconds == pytest.approx(4.0)


@pytest.mark.parametrize("trace", [False, True])
def test_all_wait_where_most_come_together_again_and_again(trace: bool) -> None:
    """Some begin late in each of four steps, so that some process is in I/O for three times as long as each."""
    calls = [
        Call(
            rank=rank,
            offset=step * MIB,
            length=MIB,
            start=100.0 * step + 1 + 0.4 * (rank % 6),
            end=100.0 * step + 2 + 0.4 * (rank % 6),
            file=f"/scratch/out.{rank}",
        )
        for step in range(4)
        for rank in range(8)
    ]
    (phase,) = characterize(darshan_log(calls, processes=8, trace=trace, run_seconds=500.0)).phases
    assert phase.seconds == pytest.approx(12.0 if trace else 4.0)  # without a trace no record tells when


@pytest.mark.parametrize("trace", [False, True])
def test_a_farm_whose_tasks_overlap_by_chance_waits_little(trace: bool) -> None:
    """Of 100 processes with 1 % of I/O each some process is in I/O for 63 % of the run."""
    starts = np.random.default_rng(7).uniform(0.0, 99.0, 100)
    found = written(starts, trace=trace, run=100.0)
    assert found.io_share is not None
    assert 0.01 <= found.io_share < 0.1


SPANS = st.lists(st.tuples(st.integers(0, 5), st.floats(0, 100), st.floats(0, 5)), min_size=1, max_size=40)


@given(SPANS)
def test_no_less_is_waited_than_by_the_busiest_and_no_more_than_by_all_in_turn(
    spans: list[tuple[int, float, float]],
) -> None:
    ranks, starts, spent = map(list, zip(*spans, strict=True))
    ends = [start + seconds for start, seconds in zip(starts, spent, strict=True)]
    every, found = merged(starts, ends), turns(ranks, starts, ends)
    assert list(found.begins) == sorted(found.begins)
    at = np.searchsorted(found.begins, every.starts, side="right") - 1
    assert at.min() == 0
    length = np.array(every.ends) - np.array(every.starts)
    together = float(length[found.waited[at]].sum())
    busiest = max(
        merged(
            [start for rank, start in zip(ranks, starts, strict=True) if rank == one],
            [end for rank, end in zip(ranks, ends, strict=True) if rank == one],
        ).seconds
        for one in set(ranks)
    )
    assert busiest <= together + found.apart + 1e-6
    assert together + found.apart <= every.seconds + 1e-6


def test_what_stands_for_all_ranks_all_wait_for() -> None:
    found = turns([-1, 0, 1], [0.0, 10.0, 20.0], [1.0, 11.0, 21.0])
    assert found.waited.tolist() == [True, False, False]
    assert found.apart == 1.0


def test_damaged_times_are_no_error() -> None:
    found = turns([0, 1], [0.0, -1e300], [1e308, 1e308])
    assert np.isfinite(found.apart)
