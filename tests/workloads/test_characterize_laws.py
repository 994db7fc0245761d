"""Laws of the characterisation, on any calls of any processes."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.workloads import Operation, Quality, Workload, characterize
from acic.workloads.darshan import Log
from tests.workloads.simulator import Call, darshan_log, loop

PROCESSES = 4

CALLS = st.lists(
    st.builds(
        lambda rank, file, length, offset, write, gap: (rank, file, length, offset, write, gap),
        rank=st.integers(0, PROCESSES - 1),
        file=st.sampled_from(["/scratch/a", "/scratch/b", "/scratch/c.h5"]),
        length=st.sampled_from([0, 1, 512, 4096, 65_536, 1 << 20]),
        offset=st.integers(0, 64).map(lambda i: i * 4096),
        write=st.booleans(),
        gap=st.sampled_from([0.0, 1e-5, 1e-3, 0.5]),
    ),
    max_size=40,
).map(
    lambda rows: [
        Call(rank=rank, file=file, length=length, offset=offset, write=write, start=start, end=start + 1e-4)
        for (rank, file, length, offset, write, _), start in zip(rows, _starts([row[5] for row in rows]), strict=True)
    ]
)
LOSSES = st.fixed_dictionaries(
    {
        "interface": st.sampled_from(["POSIX", "STDIO", "MPI-IO"]),
        "trace": st.booleans(),
        "heatmap": st.booleans(),
        "merge": st.booleans(),
        "limit": st.sampled_from([3, 65_532]),
    }
)


def _starts(gaps: Sequence[float]) -> list[float]:
    return [0.01 + sum(gaps[: i + 1]) + i * 1e-4 for i in range(len(gaps))]


def simulated(calls: Sequence[Call], losses: dict[str, bool | int | str]) -> Log:
    return darshan_log(calls, processes=PROCESSES, **losses)  # type: ignore[arg-type]  # checked by the callee


def moved(calls: Sequence[Call], operation: Operation) -> int:
    return sum(call.length for call in calls if call.write is (operation is Operation.WRITE))


@settings(max_examples=150, deadline=None)
@given(calls=CALLS, losses=LOSSES)
def test_every_byte_is_in_one_phase(calls: list[Call], losses: dict[str, bool | int | str]) -> None:
    found = characterize(simulated(calls, losses))
    for operation in Operation:
        phases = [phase for phase in found.phases if phase.characteristics.operation is operation]
        assert sum(phase.bytes for phase in phases) == moved(calls, operation)


@settings(max_examples=150, deadline=None)
@given(calls=CALLS, losses=LOSSES)
def test_phases_are_possible(calls: list[Call], losses: dict[str, bool | int | str]) -> None:
    found = characterize(simulated(calls, losses))
    assert found.processes == PROCESSES
    assert found.io_share is not None
    assert 0 <= found.io_share <= 1
    assert found.run_seconds is not None
    if not found.phases:
        assert any("no reads and no writes" in note for note in found.notes)
    for phase in found.phases:
        c = phase.characteristics
        assert 1 <= c.io_processes <= c.processes == PROCESSES
        assert 1 <= c.request_size <= c.data_size
        assert phase.seconds is not None
        assert 0 <= phase.seconds <= found.run_seconds
        assert phase.imbalance is None or phase.imbalance >= 1
        assert phase.quality.keys() == {field.name for field in dataclasses.fields(c)}
        assert phase.files >= 1


@settings(max_examples=150, deadline=None)
@given(calls=CALLS, losses=LOSSES)
def test_what_is_called_exact_is_true(calls: list[Call], losses: dict[str, bool | int | str]) -> None:
    """One file and one direction, so that a phase is all there is."""
    write = calls[0].write if calls else True
    mine = [dataclasses.replace(call, file="/scratch/a", write=write) for call in calls]
    found = characterize(simulated(mine, losses))
    if not found.phases:
        return
    (phase,) = found.phases
    c, quality = phase.characteristics, phase.quality
    each = {rank: sum(call.length for call in mine if call.rank == rank) for rank in range(PROCESSES)}
    used = {call.rank for call in mine if call.length}
    lengths = {call.length for call in mine if call.length}
    if quality["io_processes"] is Quality.EXACT:
        assert c.io_processes == len(used)
    if quality["request_size"] is Quality.EXACT:
        assert lengths == {c.request_size}
    if quality["data_size"] is Quality.EXACT:
        assert c.total_bytes == phase.bytes
        assert len({size for size in each.values() if size}) == 1
    if quality["shared"] is Quality.EXACT:
        assert c.shared is (len({call.rank for call in mine}) > 1)
    if times := phase.details.get("times_over"):
        least, most = (max(call.offset + call.length for call in mine if call.length >= size) for size in (1, 0))
        assert phase.bytes / most <= float(times) <= phase.bytes / least  # Darshan counts calls that move nothing, too
    if apart := phase.details.get("ranks_apart"):
        # who moves less than a thousandth of what the busiest does writes headers
        busiest = {rank for rank, size in each.items() if size > max(each.values()) / 1000}
        assert apart in [(max(some) - min(some)) / (len(some) - 1) for some in (used, busiest) if len(some) > 1]
        assert apart > 1.0
    assert float(phase.details.get("jumps", 0)) < len(mine)
    if phase.details.get("contiguous"):
        assert "jumps" not in phase.details
        for rank in used:
            own = sorted((call for call in mine if call.rank == rank), key=lambda call: call.start)
            assert all(b.offset == a.offset + a.length for a, b in pairwise(own))


@settings(max_examples=150, deadline=None)
@given(calls=CALLS, losses=LOSSES)
def test_exact_numbers_of_processes_are_those_of_a_file_whatever_others_do(
    calls: list[Call], losses: dict[str, bool | int | str]
) -> None:
    mine = [dataclasses.replace(call, write=True) for call in calls]
    for phase in characterize(simulated(mine, losses)).phases:
        if phase.files == 1 and phase.quality["io_processes"] is Quality.EXACT:
            used = {call.rank for call in mine if call.length and call.file == phase.example}
            assert phase.characteristics.io_processes == len(used)


@settings(max_examples=150, deadline=None)
@given(calls=CALLS, losses=LOSSES)
def test_what_is_said_to_be_read_of_others_others_wrote(calls: list[Call], losses: dict[str, bool | int | str]) -> None:
    """One file of one phase in each direction; where nothing is said a record of all ranks may hide who did what."""
    mine = [dataclasses.replace(call, file="/scratch/a") for call in calls if call.length]
    writers = {call.rank for call in mine if call.write}
    found = characterize(simulated(mine, losses))
    assert not any("written_by_others" in p.details for p in found.phases if p.characteristics.operation != "read")
    for phase in found.phases:
        if phase.details.get("written_by_others"):
            theirs = sum(call.length for call in mine if not call.write and call.rank not in writers)
            assert writers
            assert 2 * theirs > phase.bytes


@settings(max_examples=100, deadline=None)
@given(calls=CALLS, losses=LOSSES, seed=st.integers(0, 2**16))
def test_the_order_of_records_does_not_matter(
    calls: list[Call], losses: dict[str, bool | int | str], seed: int
) -> None:
    log = simulated(calls, losses)
    rng = np.random.default_rng(seed)
    shuffled = {
        name: dataclasses.replace(module, records=rng.permutation(module.records))
        for name, module in log.modules.items()
    }
    one, other = characterize(log), characterize(dataclasses.replace(log, modules=shuffled))
    assert _essence(one) == _essence(other)


def _essence(workload: Workload) -> list[tuple[object, ...]]:
    return sorted(
        ((phase.characteristics, tuple(phase.quality.items()), phase.bytes, phase.files) for phase in workload.phases),
        key=repr,
    )


def test_the_time_of_a_hundred_thousand_records_does_not_grow_by_their_square() -> None:
    """Half a second together on a machine that does nothing else; times of such machines mean little by themselves."""
    few = min(_seconds_of(2_048) for _ in range(3))
    assert _seconds_of(32_768) < 6 * 16 * few  # 16 times as many; what grows by their square takes 256 times as long


def test_the_time_of_renamed_files_does_not_grow_by_their_square() -> None:
    """Ranks were counted anew for each file: half a minute for a log that takes a second otherwise."""
    few = min(_seconds_of(512, renames=1) for _ in range(3))
    assert _seconds_of(4_096, renames=1) < 3 * 8 * few


def _seconds_of(processes: int, renames: int = 0) -> float:
    """Return the processor time that a log takes of which each process has four files, renamed so often, s."""
    files = 4
    small = darshan_log(loop(processes=4, shared=False), processes=4, trace=False, heatmap=False)
    records = np.tile(small.modules["POSIX"].records[:1], processes * files)
    records["id"] = np.arange(1, len(records) + 1)
    records["rank"] = np.arange(len(records)) % processes
    records["POSIX_RENAME_SOURCES"] = renames
    log = dataclasses.replace(
        small,
        job=small.job._replace(processes=processes),
        modules={"POSIX": dataclasses.replace(small.modules["POSIX"], records=records)},
    )
    before = time.process_time()
    (phase,) = characterize(log).phases
    seconds = time.process_time() - before
    c = phase.characteristics
    assert (phase.files, c.io_processes, c.iterations) == (len(records), processes, files)
    return seconds
