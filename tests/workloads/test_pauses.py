"""Pauses, and whose time closing files is, where a log has neither trace nor heat map, as most logs have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.units import KIB, MIB
from acic.workloads import Operation, Phase, characterize
from acic.workloads.darshan import Log
from acic.workloads.pauses import _idle_of_many, idle
from acic.workloads.spells import Closing, Spells, counted_twice
from tests.workloads.simulator import Call, darshan_log, loop

BARE: Any = {"trace": False, "heatmap": False}


def only(log: Log, operation: Operation = Operation.WRITE) -> Phase:
    (phase,) = [one for one in characterize(log).phases if one.characteristics.operation is operation]
    return phase


def changed(log: Log, **columns: float) -> Log:
    """Return the log with other values in all records of POSIX."""
    for name, value in columns.items():
        log.modules["POSIX"].records[f"POSIX_{name}"] = value
    return log


@pytest.mark.parametrize("file_each", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_the_pause_between_iterations_is_what_is_left_of_the_time(shared: bool, file_each: bool) -> None:
    calls = loop(processes=4, iterations=6, pause=0.5, seconds=0.1, shared=shared, file_each=file_each)
    phase = only(darshan_log(calls, processes=4, **BARE))
    assert phase.characteristics.iterations == 6
    assert phase.details["pause_seconds"] == pytest.approx(0.5, abs=0.01)


def test_what_is_read_between_two_writes_is_no_pause() -> None:
    writes = loop(processes=4, iterations=6, pause=0.5, seconds=0.1)
    reads = loop(processes=4, iterations=6, pause=0.4, seconds=0.2, write=False, begin=0.25, file="/scratch/in")
    phase = only(darshan_log(writes + reads, processes=4, **BARE))
    assert phase.details["pause_seconds"] == pytest.approx(0.3, abs=0.05)  # the last read is not over before the writes


def test_who_is_away_from_a_file_that_he_writes_in_small_pieces_is_known_to_be_idle() -> None:
    calls = loop(processes=4, iterations=10, requests=8, size=4 * KIB, pause=0.3, shared=False)
    phase = only(darshan_log(calls, processes=4, **BARE))
    assert phase.characteristics.iterations == 1  # nothing tells bursts from single requests
    assert phase.details["idle_seconds"] == pytest.approx(9 * 0.3, rel=0.02)
    assert "pause_seconds" not in phase.details


@pytest.mark.parametrize("shared", [False, True])
def test_opening_and_closing_a_file_is_no_part_of_the_time_between_its_requests(shared: bool) -> None:
    """A file that is written, then read, and closed at the end, which takes as long as all pauses."""
    size: Any = {"processes": 4, "iterations": 6, "seconds": 0.01, "pause": 0.2, "shared": shared}
    calls = loop(**size) + loop(**size, write=False, begin=3.0)
    # a record of all processes has the time of all
    log = changed(
        darshan_log(calls, processes=4, **BARE),
        F_META_TIME=4.0 if shared else 1.0,
        F_CLOSE_END_TIMESTAMP=6.0,
        OPENS=4 if shared else 1,
    )
    if shared:
        log.modules["POSIX"].records["POSIX_F_SLOWEST_RANK_TIME"] = 1.12
    for operation in Operation:
        assert only(log, operation).details["pause_seconds"] == pytest.approx(0.2, rel=0.05)


def test_who_does_not_pause_is_not_idle() -> None:
    calls = loop(processes=4, requests=64, shared=False)
    details = only(darshan_log(calls, processes=4, **BARE)).details
    assert float(details.get("idle_seconds", 0.0)) < 2e-3


def test_each_sync_ends_an_iteration() -> None:
    calls = loop(processes=4, iterations=20, requests=2, size=4 * KIB, pause=0.05, shared=False)
    log = changed(darshan_log(calls, processes=4, **BARE), FSYNCS=20)
    phase = only(log)
    assert (phase.characteristics.iterations, phase.details["iterations_are"]) == (20, "syncs")
    assert phase.details["pause_seconds"] == pytest.approx(0.05, rel=0.05)


def test_each_pass_through_ones_own_input_is_an_iteration() -> None:
    once = loop(processes=4, iterations=1, requests=8, size=256 * KIB, shared=False, write=False)
    passes = [
        Call(rank=c.rank, offset=c.offset, length=c.length, start=c.start + i, end=c.end + i, write=False, file=c.file)
        for i in range(3)
        for c in once
    ]
    phase = only(darshan_log(passes, processes=4, **BARE), Operation.READ)
    assert (phase.characteristics.iterations, phase.characteristics.data_size) == (3, 2 * MIB)
    assert phase.details["iterations_are"] == "passes"


@pytest.mark.parametrize("opens", [1, 2, 3])
def test_each_time_that_a_file_is_opened_and_written_anew_is_an_iteration(opens: int) -> None:
    """SIESTA writes its density matrix over in each cycle, which was told as one file of 45 MiB."""
    once = loop(processes=1, requests=8, size=64 * KIB, shared=False)
    anew = [replace(one, start=one.start + i, end=one.end + i) for i in range(3) for one in once]
    phase = only(changed(darshan_log(anew, processes=2, **BARE), OPENS=opens, SEEKS=1))  # else it may append
    assert phase.details["times_over"] == 3.0
    assert phase.characteristics.iterations == (3 if opens == 3 else 1)
    if opens == 3:
        assert phase.details["iterations_are"] == "passes"
        assert phase.details["pause_seconds"] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("closing", [0.0, 0.5])
def test_metadata_that_cannot_be_closing_is_opening(closing: float) -> None:
    """Where all open a file of a busy server at the same time that takes long, and the last one closes it at once."""
    calls = loop(processes=4, iterations=16, size=4 * KIB, seconds=0.01, pause=0.05, write=False)
    log = changed(
        darshan_log(calls, processes=4, **BARE),
        F_META_TIME=4 * 0.75,
        F_CLOSE_END_TIMESTAMP=max(one.end for one in calls) + closing,
        F_SLOWEST_RANK_TIME=0.16 + 0.75,
    )
    found = only(log, Operation.READ).details.get("idle_seconds", 0.0)
    assert found == pytest.approx(closing, abs=0.01)  # closed behind the last request, it is no part of what is between


def test_processes_that_come_in_their_own_time_have_their_iterations_in_the_heat_map() -> None:
    calls = [
        Call(
            rank=c.rank,
            offset=c.offset,
            length=c.length,
            start=c.start + 0.4 * c.rank,
            end=c.end + 0.4 * c.rank,
            file=c.file,
        )
        for c in loop(processes=4, iterations=5, requests=8, size=64 * KIB, pause=0.7, shared=False)
    ]
    phase = only(darshan_log(calls, processes=4, trace=False))
    assert phase.characteristics.iterations == 5
    assert phase.details["pause_seconds"] == pytest.approx(0.7, rel=0.02)  # by the counters: bins are 0.1 s long


def test_ranks_that_lie_apart_are_known_by_the_heat_map_where_records_hide_them() -> None:
    calls = [
        Call(rank=rank, offset=rank * MIB, length=MIB if rank % 2 == 0 else 0, start=0.1, end=0.2) for rank in range(8)
    ]
    assert only(darshan_log(calls, processes=8, trace=False)).details["ranks_apart"] == 2.0


def test_closing_what_was_written_is_the_writes_time_and_not_the_reads() -> None:
    writes = loop(processes=4, requests=8, seconds=1e-4, shared=False)
    reads = loop(processes=4, requests=8, seconds=0.05, shared=False, write=False, begin=2.0)
    log = changed(darshan_log(writes + reads, processes=4, **BARE), F_META_TIME=1.0)
    assert only(log).seconds == pytest.approx(1.0 + 8e-4, rel=1e-3)
    assert only(log, Operation.READ).seconds == pytest.approx(0.4, rel=0.01)


def test_files_that_are_written_beside_one_another_take_no_longer_than_all_of_them() -> None:
    """Each has another slowest process, and a record that stands for all."""
    calls = [
        Call(
            rank=rank,
            offset=rank * MIB,
            length=MIB,
            start=0.1,
            end=1.1 if rank == file else 0.1 + 1e-6,
            file=f"/scratch/{file}",
        )
        for file in range(4)
        for rank in range(4)
    ]
    assert only(darshan_log(calls, processes=4, **BARE)).seconds == pytest.approx(1.0, rel=1e-3)


SPELLS = st.lists(st.tuples(st.integers(-1, 5), st.floats(0.0, 10.0)), min_size=1, max_size=20).map(
    lambda rows: Spells(
        [rank for rank, _ in rows],
        [0.0] * len(rows),
        [10.0] * len(rows),
        [busy for _, busy in rows],
        [],
    )
)


@given(every=st.lists(SPELLS, max_size=4))
def test_no_process_waits_for_the_slowest_ones_of_all_phases(every: list[Spells]) -> None:
    def busy(one: Spells, rank: int) -> float:
        return sum(busy for mine, busy in zip(one.rank, one.busy, strict=True) if mine == rank)

    slowest = [max(busy(one, rank) for rank in range(6)) for one in every]
    all_phases = max(sum(busy(one, rank) for one in every) for rank in range(6))
    assert sum(slowest) - counted_twice(every) == pytest.approx(all_phases, abs=1e-9)


WINDOWS = st.lists(
    st.tuples(st.integers(-1, 5), *[st.floats(0.0, 10.0)] * 5),
    min_size=1,
    max_size=20,
).map(
    lambda rows: Spells(
        [rank for rank, *_ in rows],
        [first for _, first, *_ in rows],
        [first + length for _, first, length, *_ in rows],
        [busy + closing for *_, busy, closing, _ in rows],
        [
            Closing(at, first + length, first + length + late, closing)
            for at, (_, first, length, _, closing, late) in enumerate(rows)
        ],
    )
)


@given(every=st.lists(WINDOWS, min_size=1, max_size=4))
def test_processes_are_idle_as_long_where_few_records_tell_it_as_where_many_do(every: list[Spells]) -> None:
    every = [one.apart() for one in every]
    assert idle(every[0], every, 6) == pytest.approx(_idle_of_many(every[0], every, 6), abs=1e-9)


@given(one=WINDOWS)
def test_closing_apart_is_as_much_as_it_was_together(one: Spells) -> None:
    apart = one.apart()
    assert sum(apart.busy) == pytest.approx(sum(one.busy), abs=1e-9)
    assert apart.alone() == pytest.approx(one.alone(), abs=1e-9)


@pytest.mark.parametrize(("begin", "waits"), [(0.5, 1.0), (1.2, 2.0)])
def test_the_share_of_io_is_the_slowest_processes(begin: float, waits: float) -> None:
    """One reads for a second; the other one writes beside it, or when that is over, for which it has waited."""
    reads = loop(processes=1, seconds=1.0, write=False, shared=False, file="/scratch/in")
    writes = [Call(rank=1, offset=0, length=MIB, start=begin, end=begin + 1.0, file="/scratch/out")]
    found = characterize(darshan_log(reads + writes, processes=2, **BARE))
    assert found.io_share is not None
    assert found.run_seconds is not None
    assert found.io_share * found.run_seconds == pytest.approx(waits, rel=0.01)


@pytest.mark.parametrize(("away", "waits"), [(0.0, 4.0), (0.5, 0.53)])
def test_who_writes_in_turn_waits_for_all_before_him(away: float, waits: float) -> None:
    """Baton passing: each opens a file when the one before has closed his; closing is what takes long.

    Where a process was away from its file before it closed it, nothing tells when it was busy.
    """
    calls = [Call(rank=rank, offset=0, length=MIB, start=rank, end=rank + 0.01, file=f"/f{rank}") for rank in range(4)]
    log = changed(darshan_log(calls, processes=4, run_seconds=5.0, **BARE), F_META_TIME=0.99 - away)
    log.modules["POSIX"].records["POSIX_F_CLOSE_END_TIMESTAMP"] = [rank + 1.0 for rank in range(4)]
    assert only(log).seconds == pytest.approx(waits, rel=0.01)
