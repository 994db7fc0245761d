"""Files that some processes read while others append to them."""

import pytest

from acic.workloads import Operation, Phase
from acic.workloads.characterize import characterize
from tests.workloads.simulator import Call, darshan_log

SIZE = 4096
TURNS = 12


def call(rank: int, of: int, turn: int, start: float, *, write: bool) -> Call:
    name = f"/scratch/HILLS.{of}"
    return Call(rank=rank, offset=turn * SIZE, length=SIZE, start=start, end=start + 5e-5, write=write, file=name)


def walkers(processes: int, *, behind: float = 0.5, own: bool = False, turns: int = TURNS) -> list[Call]:
    """Return what is done by processes of which each appends to its file, and reads what the others did.

    Args:
        processes: the walkers.
        behind: s, after which what was appended is read.
        own: whether each reads its own file, rather than those of all others.
        turns: how often each appends.
    """
    calls = []
    for turn in range(turns):
        for rank in range(processes):
            begin = turn + 0.001 * rank
            calls.append(call(rank, rank, turn, begin, write=True))
            others = [rank] if own else [one for one in range(processes) if one != rank]
            calls += [call(rank, one, turn, begin + behind + 1e-4 * one, write=False) for one in others]
    return sorted(calls, key=lambda one: one.start)


def told(calls: list[Call], processes: int, *, merge: bool = True, interface: str = "POSIX") -> bool:
    log = darshan_log(calls, processes=processes, merge=merge, interface=interface, trace=False, heatmap=False)
    reads = [p for p in characterize(log).phases if p.characteristics.operation is Operation.READ]
    return any(phase.details.get("read_while_written", False) for phase in reads)


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("interface", ["POSIX", "STDIO"])
@pytest.mark.parametrize("processes", [2, 4, 16])
def test_who_follows_a_file_that_grows_is_told(processes: int, interface: str, *, merge: bool) -> None:
    """GlusterFS was advised to such a job, where each of its runs failed, and nothing was said."""
    assert told(walkers(processes), processes, merge=merge, interface=interface)


@pytest.mark.parametrize("merge", [False, True])
def test_what_is_read_when_all_is_written_does_not_grow(*, merge: bool) -> None:
    assert not told(walkers(4, behind=float(TURNS)), 4, merge=merge)


def test_who_reads_what_it_wrote_itself_follows_nobody() -> None:
    assert not told(walkers(4, own=True), 4, merge=False)


def test_a_file_that_is_opened_anew_for_each_read_is_not_kept_open() -> None:
    assert not told(walkers(4, turns=1), 4)


def test_what_mpi_io_reads_is_not_told() -> None:
    assert not told(walkers(4), 4, interface="MPI-IO")


def test_it_is_a_flag_of_reads_alone() -> None:
    log = darshan_log(walkers(4), processes=4, trace=False)
    flagged: list[Phase] = [p for p in characterize(log).phases if "read_while_written" in p.details]
    assert [phase.characteristics.operation for phase in flagged] == [Operation.READ]
    assert flagged[0].details["read_while_written"] is True


def test_who_reads_here_and_there_follows_nobody() -> None:
    """A database's pages, which all read and write as they need them."""
    begins = {True: 0.0, False: 0.5}
    calls = [
        Call(rank=r, offset=(7 * t + 3 * r) % TURNS * SIZE, length=SIZE, start=t + b, end=t + b + 0.1, write=write)
        for write, b in begins.items()
        for t in range(TURNS)
        for r in range(4)
    ]
    assert not told(sorted(calls, key=lambda one: one.start), 4)
