"""Files that a job writes and then reads, which are no input."""

import pytest

from acic.workloads import Operation
from acic.workloads.characterize import characterize
from tests.workloads.simulator import Call, darshan_log

SIZE = 4096


def used(rank: int, of: int, turn: int, start: float, *, write: bool) -> Call:
    name = f"/scratch/part.{of}"
    return Call(rank=rank, offset=turn * SIZE, length=SIZE, start=start, end=start + 5e-5, write=write, file=name)


def before(calls: list[Call], *, merge: bool = False) -> list[bool]:
    """Return of the phases that read, whether a log tells that their files were written before."""
    log = darshan_log(calls, processes=4, merge=merge, trace=False, heatmap=False)
    reads = [one for one in characterize(log).phases if one.characteristics.operation is Operation.READ]
    return [one.details.get("written_before") is True for one in reads]


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("by", [0, 1])
def test_what_a_job_wrote_and_then_reads_is_told_whoever_does(by: int, *, merge: bool) -> None:
    writes = [used(rank, rank, 0, 1.0, write=True) for rank in range(4)]
    reads = [used((rank + by) % 4, rank, 0, 2.0, write=False) for rank in range(4)]
    inputs = [used(rank, 10 + rank, 0, 2.0, write=False) for rank in range(4)]
    assert before(writes + reads, merge=merge) == [True]
    assert sorted(before(writes + reads + inputs, merge=merge)) == [False, True]


def test_what_was_there_before_it_was_written_over_is_an_input() -> None:
    calls = [used(rank, rank, 0, 1.0 + 4 * write, write=write) for write in (False, True) for rank in range(4)]
    assert before(calls) == [False]


def test_what_was_there_beyond_what_was_written_is_an_input() -> None:
    writes = [used(rank, rank, 0, 1.0, write=True) for rank in range(4)]
    reads = [used(rank, rank, turn, 2.0 + turn, write=False) for turn in range(4) for rank in range(4)]
    assert before(writes + reads) == [False]
