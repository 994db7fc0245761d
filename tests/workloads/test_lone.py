"""Files that one process wrote and all read: Darshan has one record of each, and phases have to be two."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.units import KIB, MIB
from acic.workloads import Operation, Phase, characterize
from acic.workloads.columns import BYTES, CALLS, META_SECONDS, OPENS, READ, SECONDS, SYNCS, WRITE
from acic.workloads.lone import unmerged
from acic.workloads.tables import tables
from tests.workloads.simulator import Call, darshan_log

BARE: Any = {"trace": False, "heatmap": False}


def exchange(processes: int, files: int, *, requests: int = 4, slow: bool = True) -> list[Call]:
    """Return the calls of processes that write files in turn, each of which all read.

    Args:
        processes: of the job.
        files: written by one process each, the next one by the next.
        requests: with which each is written.
        slow: whether writing takes longer than reading, so that the writer is a record's slowest rank.
    """
    size, took = 256 * KIB, 0.05 if slow else 1e-4
    writes = [
        Call(
            rank=file % processes,
            offset=i * size,
            length=size,
            start=file // processes + 0.1 * i,
            end=file // processes + 0.1 * i + took,
            file=f"/scratch/part.{file}",
        )
        for file in range(files)
        for i in range(requests)
    ]
    reads = [
        Call(
            rank=rank,
            offset=0,
            length=requests * size,
            start=10.0 + file + 0.001 * rank,
            end=10.01 + file + 0.002 * rank,
            write=False,
            file=f"/scratch/part.{file}",
        )
        for file in range(files)
        for rank in range(processes)
    ]
    return writes + reads


def phases(calls: list[Call], processes: int) -> dict[Operation, Phase]:
    found = characterize(darshan_log(calls, processes=processes, **BARE)).phases
    assert len(found) == 2
    return {one.characteristics.operation: one for one in found}


@pytest.mark.parametrize("slow", [False, True])
def test_what_one_writes_and_all_read_is_written_by_one_each(slow: bool) -> None:
    found = phases(exchange(4, 12, slow=slow), 4)
    write, read = found[Operation.WRITE].characteristics, found[Operation.READ]
    assert (write.shared, write.io_processes, write.iterations, write.data_size) == (False, 4, 3, MIB)
    assert (read.characteristics.shared, read.characteristics.io_processes) == (True, 4)
    assert (read.bytes, read.details["written_by_others"]) == (48 * MIB, True)


def test_who_wrote_all_files_is_one_process() -> None:
    calls = [dataclasses.replace(call, rank=0) if call.write else call for call in exchange(4, 3)]
    write = phases(calls, 4)[Operation.WRITE].characteristics
    assert (write.io_processes, write.iterations, write.data_size) == (1, 3, MIB)


def test_a_rank_that_there_cannot_be_is_nobody() -> None:
    log = darshan_log(exchange(4, 8), processes=4, **BARE)
    log.modules["POSIX"].records["POSIX_SLOWEST_RANK"] = 10**9
    assert set(unmerged(tables(log), 4)["POSIX"].rank_list) == {-1, 0, 1, 2, 3}


def test_what_all_write_and_all_read_is_shared() -> None:
    calls = [
        Call(rank=rank, offset=rank * MIB, length=MIB, start=start, end=start + 0.1, write=write, file="/scratch/all")
        for start, write in ((0.0, True), (1.0, False))
        for rank in range(4)
    ]
    write = phases(calls, 4)[Operation.WRITE].characteristics
    assert (write.shared, write.io_processes) == (True, 4)


def test_a_file_that_one_writes_and_all_read_makes_no_others_requests_smaller() -> None:
    """Blocks of 8 MiB among small headers were told to be 400 KiB where all read a file of settings."""
    sizes = [8 * MIB + at * KIB for at in range(5)] + [96, 272, 544, 1072] * 25
    calls = [
        Call(
            rank=rank, offset=at * 9 * MIB, length=size, start=at * 0.1, end=at * 0.1 + 0.05, file=f"/scratch/f.{rank}"
        )
        for rank in range(4)
        for at, size in enumerate(sizes)
    ]
    settings = exchange(4, 1, requests=1)
    largest = [characterize(darshan_log(some, processes=4, **BARE)).phases[0] for some in (calls, calls + settings)]
    assert {one.files for one in largest} == {4}
    requests = [one.characteristics.request_size for one in largest]
    assert requests == [pytest.approx(8 * MIB, rel=0.01)] * 2


@pytest.mark.parametrize("lone", [Operation.READ, Operation.WRITE])
def test_where_it_may_be_either_nothing_is_made_of_it(lone: Operation) -> None:
    """All write a part, and one reads all, or the other way round: the same bytes, and requests as many as ranks."""
    calls = []
    for start, write in ((0.0, True), (1.0, False)):
        one = write is (lone is Operation.WRITE)
        calls += [
            Call(rank=0 if one else i, offset=i * MIB, length=MIB, start=start, end=start + 0.1, write=write, file="/f")
            for i in range(4)
        ]
    assert phases(calls, 4)[Operation.WRITE].characteristics.shared


@given(
    processes=st.integers(2, 6),
    files=st.integers(1, 9),
    requests=st.integers(1, 7),
    slow=st.booleans(),
    meta=st.floats(0, 9),
)
def test_nothing_is_lost_when_records_are_taken_apart(
    processes: int, files: int, requests: int, slow: bool, meta: float
) -> None:
    log = darshan_log(exchange(processes, files, requests=requests, slow=slow), processes=processes, **BARE)
    records = log.modules["POSIX"].records
    records["POSIX_F_META_TIME"], records["POSIX_F_SLOWEST_RANK_TIME"] = meta, meta / 2
    before = tables(log)
    after = unmerged(before, processes)["POSIX"]
    assert len(after.file_list) == 2 * files
    for column in (BYTES, BYTES + 1, CALLS, CALLS + 1, OPENS, SYNCS):
        assert after.integers[:, column].sum() == before["POSIX"].integers[:, column].sum()
    for column in (SECONDS, SECONDS + 1, META_SECONDS):
        assert after.floats[:, column].sum() == pytest.approx(before["POSIX"].floats[:, column].sum())
    for moved, other in ((READ, WRITE), (WRITE, READ)):
        rows = after.integers[:, BYTES + moved] > 0
        assert (after.integers[rows, BYTES + other] == 0).all()
        assert (after.floats >= 0.0).all()
