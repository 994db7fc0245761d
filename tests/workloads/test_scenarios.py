"""Runs that no log here is of, simulated: what Darshan loses makes a value an estimate, not wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from acic.advisor.application import tells_io
from acic.advisor.safety import several_writers
from acic.units import KIB, MIB
from acic.workloads import Access, Interface, Operation, Phase, Quality, Workload, characterize
from acic.workloads.darshan import Log, Module, read_log
from acic.workloads.darshan.counters import LAYOUTS
from acic.workloads.darshan.lustre import DTYPE
from acic.workloads.files import dump_workload, load_workload
from tests.workloads.darshan.logs import DATA
from tests.workloads.simulator import Call, darshan_log, loop

# what is left of a log: all, no trace, and neither trace nor heat map
LEFT: tuple[Mapping[str, bool], ...] = ({}, {"trace": False}, {"trace": False, "heatmap": False})


def only(workload: Workload, operation: Operation = Operation.WRITE) -> Phase:
    (phase,) = [phase for phase in workload.phases if phase.characteristics.operation is operation]
    return phase


def test_a_trace_used_up_by_writes_tells_the_reads_too() -> None:
    """BT-IO with small requests: DXT ends in the writes, so that it shows no reads at all."""
    writes = loop(processes=4, iterations=40, requests=20, size=1280, pause=0.5, interleaved=True, seconds=1e-5)
    reads = loop(
        processes=4, iterations=40, requests=20, size=1280, interleaved=True, seconds=1e-5, write=False, begin=30
    )
    found = characterize(darshan_log(writes + reads, processes=4, interface="MPI-IO", limit=640))
    assert len(found.phases) == 2
    for phase in found.phases:
        c = phase.characteristics
        assert (c.iterations, c.data_size, c.request_size, c.access) == (40, 20 * 1280, 1280, Access.STRIDED)
        assert (c.io_processes, c.collective, c.shared) == (4, False, True)
        assert phase.quality["iterations"] is Quality.ESTIMATED
        assert phase.quality["access"] is Quality.ESTIMATED
    assert any("DXT" in note for note in found.notes)


@pytest.mark.parametrize("left", LEFT)
def test_collective_calls_with_pauses_are_iterations(left: Mapping[str, bool]) -> None:
    calls = loop(processes=8, iterations=10, pause=1, collective=True)
    found = characterize(darshan_log(calls, processes=8, interface="MPI-IO", **left))  # type: ignore[arg-type]  # checked by the callee
    phase = only(found)
    c = phase.characteristics
    assert (c.interface, c.iterations, c.data_size, c.collective) == (Interface.MPIIO, 10, MIB, True)
    assert phase.quality["iterations"] is (Quality.EXACT if not left else Quality.ESTIMATED)
    assert found.phases == (phase,)  # and not once more at POSIX


@pytest.mark.parametrize("left", LEFT)
def test_requests_without_a_pause_are_one_iteration(left: Mapping[str, bool]) -> None:
    calls = loop(processes=8, requests=16, size=256 * KIB, interleaved=True)
    c = only(characterize(darshan_log(calls, processes=8, **left))).characteristics  # type: ignore[arg-type]  # checked by the callee
    assert (c.iterations, c.data_size, c.request_size, c.access) == (1, 4 * MIB, 256 * KIB, Access.STRIDED)


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("shared", [False, True])
def test_a_file_for_each_iteration(shared: bool, left: Mapping[str, bool]) -> None:
    calls = loop(processes=8, iterations=6, requests=4, pause=1, shared=shared, file_each=True)
    phase = only(characterize(darshan_log(calls, processes=8, **left)))  # type: ignore[arg-type]  # checked by the callee
    c = phase.characteristics
    assert (c.iterations, c.data_size, c.shared, phase.files) == (6, 4 * MIB, shared, 6 if shared else 48)


def test_a_second_file_of_one_process_is_no_iteration_of_all() -> None:
    """Its process is none of those whose requests are looked at, and these have one file each."""
    calls = loop(processes=8, requests=4, shared=False)
    more = [
        dataclasses.replace(call, file=call.file.replace("01", "21"), start=call.start + 1, end=call.end + 1)
        for call in calls
        if call.rank == 1
    ]
    phase = only(characterize(darshan_log(calls + more, processes=8)))
    assert (phase.characteristics.iterations, phase.characteristics.io_processes, phase.files) == (1, 8, 9)


@pytest.mark.parametrize("left", LEFT[:2])
def test_private_files_that_grow(left: Mapping[str, bool]) -> None:
    calls = loop(processes=8, iterations=6, requests=4, pause=1, shared=False)
    phase = only(characterize(darshan_log(calls, processes=8, **left)))  # type: ignore[arg-type]  # checked by the callee
    c = phase.characteristics
    assert (c.iterations, c.data_size, c.shared, c.access) == (6, 4 * MIB, False, Access.CONSECUTIVE)


def test_without_a_trace_and_a_heat_map_iterations_are_not_known_and_that_is_said() -> None:
    calls = loop(processes=8, iterations=6, requests=4, pause=1, shared=False)
    found = characterize(darshan_log(calls, processes=8, trace=False, heatmap=False))
    phase = only(found)
    assert phase.quality["iterations"] is Quality.UNKNOWN
    assert phase.quality["data_size"] is Quality.UNKNOWN
    assert phase.characteristics.total_bytes == phase.bytes
    assert any("does not tell where one iteration" in note for note in found.notes)


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("active", [1, 2, 8])
def test_some_of_the_processes_write_a_file_that_all_have_open(active: int, left: Mapping[str, bool]) -> None:
    """Darshan merges the records of such a file, and so hides who wrote."""
    opens = [Call(rank=rank, offset=0, length=0, start=0.01, end=0.01) for rank in range(8)]
    calls = loop(processes=8, requests=4, io_processes=active)
    phase = only(characterize(darshan_log(opens + calls, processes=8, **left)))  # type: ignore[arg-type]  # checked by the callee
    assert phase.characteristics.io_processes == active
    assert phase.characteristics.shared
    if not left:
        assert phase.quality["io_processes"] is Quality.EXACT


@pytest.mark.parametrize("left", LEFT)
def test_who_writes_headers_alone_is_a_writer_of_the_file(left: Mapping[str, bool]) -> None:
    """One process was said to write it, without a doubt: then it may lie where several spoil it."""
    bulk = loop(processes=4, requests=1000, io_processes=1)
    headers = [Call(rank=rank, offset=rank * 512, length=512, start=9.0, end=9.01) for rank in (1, 2, 3)]
    found = characterize(darshan_log(bulk + headers, processes=4, **left))  # type: ignore[arg-type]  # checked by the callee
    assert only(found).quality["io_processes"] is not Quality.EXACT
    assert several_writers(found)
    if left != LEFT[2]:
        assert only(found).characteristics.io_processes == 1


@pytest.mark.parametrize("own", [1, 50])
def test_what_processes_write_to_files_of_their_own_makes_none_a_writer_of_another(own: int) -> None:
    """All eight were said to write it, without a doubt: its heat map is that of all files."""
    calls = loop(processes=8, requests=100, io_processes=2)
    logs = loop(processes=8, size=own * MIB, shared=False, begin=3.0, file="/scratch/log")
    found = characterize(darshan_log(calls + logs, processes=8, trace=False, opened=["/scratch/out"]))
    (phase,) = [one for one in found.phases if one.characteristics.shared]
    assert (phase.characteristics.io_processes, phase.quality["io_processes"]) == (2, Quality.EXACT)


@pytest.mark.parametrize(("more", "quality"), [(1, Quality.EXACT), (100 * KIB, Quality.ESTIMATED)])
def test_what_darshan_rounds_in_a_heat_map_leaves_no_doubt_and_others_bytes_do(more: int, quality: Quality) -> None:
    log = darshan_log(loop(processes=8, requests=4, io_processes=2), processes=8, trace=False, opened=["/scratch/out"])
    log.heatmaps["POSIX"].write_bytes[0, 1] += more
    phase = only(characterize(log))
    assert (phase.characteristics.io_processes, phase.quality["io_processes"]) == (2, quality)


def test_what_all_write_to_another_file_together_makes_none_a_writer_of_a_file() -> None:
    calls = loop(processes=8, requests=100, io_processes=2)
    journal = loop(processes=8, size=MIB, begin=3.0, file="/scratch/log")
    found = characterize(darshan_log(calls + journal, processes=8, trace=False, opened=["/scratch/out"]))
    phase = found.phases[0]
    assert (phase.characteristics.io_processes, phase.quality["io_processes"]) == (2, Quality.ESTIMATED)


def scattered(ranks: int, requests: int, *, write: bool) -> list[Call]:
    """Return requests of 4 KiB of some ranks at random places of one file."""
    rng = np.random.default_rng(1)
    return [
        Call(rank=rank, offset=int(place) * 4 * KIB, length=4 * KIB, start=start, end=start + 1e-4, write=write)
        for rank in range(ranks)
        for start, place in zip(0.1 + np.arange(requests) * 1.1e-4, rng.integers(100_000, size=requests), strict=True)
    ]


@pytest.mark.parametrize(("processes", "ranks", "requests"), [(64, 1, 60), (1024, 16, 50)])
def test_who_only_opens_a_file_makes_no_request_of_it_the_first(processes: int, ranks: int, requests: int) -> None:
    """Fewer requests than processes that opened the file were taken for one of each, consecutive without a doubt."""
    calls = scattered(ranks, requests, write=False)
    phase = only(characterize(darshan_log(calls, processes=processes, opened=["/scratch/out"])), Operation.READ)
    c = phase.characteristics
    assert (c.access, c.io_processes, c.iterations) == (Access.RANDOM, ranks, 1)
    assert phase.quality["access"] is Quality.EXACT


def test_steps_are_counted_of_who_moves_something() -> None:
    """Of 99 steps 35 were said to be all, half as many of which go forward: strided."""
    log = darshan_log(scattered(1, 100, write=True), processes=64, trace=False, heatmap=False, opened=["/scratch/out"])
    phase = only(characterize(log))
    assert (phase.characteristics.access, phase.characteristics.io_processes) == (Access.RANDOM, 1)
    assert phase.quality["access"] is Quality.ESTIMATED


def test_one_late_process_makes_no_iteration() -> None:
    calls = loop(processes=4, requests=16, shared=False)
    late = [
        Call(rank=c.rank, offset=c.offset, length=c.length, start=c.start + 0.1, end=c.end + 0.1, file=c.file)
        if c.rank == 1 and c.offset >= 8 * MIB
        else c
        for c in calls
    ]
    assert only(characterize(darshan_log(late, processes=4))).characteristics.iterations == 1


@pytest.mark.parametrize("left", LEFT)
def test_reads_and_writes_at_random_places_are_one_iteration_each(left: Mapping[str, bool]) -> None:
    rng = np.random.default_rng(1)
    calls = [
        Call(
            rank=rank,
            offset=int(rng.integers(10_000)) * 4 * KIB,
            length=4 * KIB,
            start=(start := 0.1 + i * 1.1e-4 + rank * 1e-6),
            end=start + 1e-4,
            write=bool(rng.random() < 0.3),
        )
        for rank in range(8)
        for i in range(500)
    ]
    found = characterize(darshan_log(calls, processes=8, **left))  # type: ignore[arg-type]  # checked by the callee
    for operation in Operation:
        c = only(found, operation).characteristics
        assert (c.iterations, c.request_size, c.access, c.io_processes) == (1, 4 * KIB, Access.RANDOM, 8)
    assert found.io_share is not None
    assert found.io_share <= 1


def test_rewriting_a_file_is_an_iteration_each_time() -> None:
    once = loop(processes=4, requests=4)
    again = [
        Call(rank=c.rank, offset=c.offset, length=c.length, start=c.start + i * 0.01, end=c.end + i * 0.01)
        for i in range(3)
        for c in once
    ]
    phase = only(characterize(darshan_log(again, processes=4)))
    assert (phase.characteristics.iterations, phase.characteristics.data_size) == (3, 4 * MIB)
    assert phase.details["iterations_are"] == "again"


def test_a_trace_alone_stands_in_for_counters_that_are_lost() -> None:
    calls = loop(processes=8, iterations=10, pause=1)
    found = characterize(darshan_log(calls, processes=8, interface="MPI-IO", counters=False))
    (phase,) = found.phases
    c = phase.characteristics
    assert (c.interface, c.iterations, c.data_size, c.request_size, c.io_processes) == (
        Interface.MPIIO,
        10,
        MIB,
        MIB,
        8,
    )
    assert Quality.EXACT not in (phase.quality["iterations"], phase.quality["data_size"], phase.quality["collective"])
    assert any("left no counters" in note for note in found.notes)


def test_a_heat_map_alone_tells_bytes_processes_and_iterations() -> None:
    calls = loop(processes=8, iterations=10, pause=1)
    found = characterize(darshan_log(calls, processes=8, counters=False, trace=False))
    (phase,) = found.phases
    c = phase.characteristics
    assert (phase.bytes, c.io_processes, c.iterations) == (80 * MIB, 8, 10)
    for name in ("request_size", "access", "shared", "collective"):
        assert phase.quality[name] is Quality.UNKNOWN


def test_a_partial_module_makes_no_value_exact_that_missing_files_could_change() -> None:
    calls = loop(processes=4, requests=4, shared=False)
    found = characterize(darshan_log(calls, processes=4, partial=["POSIX"]))
    quality = only(found).quality
    assert all(quality[name] is not Quality.EXACT for name in ("io_processes", "iterations", "data_size", "shared"))
    assert any("ran out of memory" in note for note in found.notes)
    assert not found.complete
    assert characterize(darshan_log(calls, processes=4)).complete


@pytest.mark.parametrize("left", LEFT[1:])
def test_streams_go_on_where_they_stopped(left: Mapping[str, bool]) -> None:
    calls = loop(processes=8, requests=40, size=4 * KIB, shared=False)
    phase = only(characterize(darshan_log(calls, processes=8, interface="STDIO", **left)))  # type: ignore[arg-type]  # checked by the callee
    c = phase.characteristics
    assert (c.interface, c.request_size, c.access) == (Interface.STDIO, 4 * KIB, Access.CONSECUTIVE)
    assert phase.quality["request_size"] is Quality.ESTIMATED  # STDIO keeps no sizes


def test_files_of_different_sizes_are_different_phases_and_crumbs_come_last() -> None:
    calls = [
        *loop(processes=4, size=64 * MIB, file="/scratch/dump"),
        *loop(processes=4, size=MIB, file="/scratch/plot", begin=1),
        *loop(processes=4, size=100, file="/scratch/a.cfg", begin=2),
        *loop(processes=4, size=4000, file="/scratch/b.cfg", begin=3),
    ]
    found = characterize(darshan_log(calls, processes=4))
    assert [phase.characteristics.request_size for phase in found.phases[:2]] == [64 * MIB, MIB]
    assert [phase.files for phase in found.phases] == [1, 1, 2]


def hdf5_log(datasets: Sequence[tuple[int, float, float]]) -> Log:
    """Return the log of 4 processes that write datasets of 1 MiB in so many calls, from a first to a last instant."""
    empty = darshan_log([], processes=4, run_seconds=100.0)
    records = np.zeros(len(datasets), dtype=LAYOUTS["H5D"].dtype())
    for i, (calls, first, last) in enumerate(datasets):
        records[i]["id"], records[i]["rank"], records[i]["file_id"] = i + 1, -1, 7
        for name, value in (
            ("WRITES", 4 * calls),
            ("BYTES_WRITTEN", 4 * MIB),
            ("ACCESS1_ACCESS", MIB // calls),
            ("ACCESS1_COUNT", 4 * calls),
            ("F_WRITE_START_TIMESTAMP", first),
            ("F_WRITE_END_TIMESTAMP", last),
            ("F_WRITE_TIME", 0.04),
        ):
            records[i][f"H5D_{name}"] = value
    module = Module("H5D", LAYOUTS["H5D"].version, False, records)
    return dataclasses.replace(empty, modules={"H5D": module}, names={7: "/scratch/out.h5"})


@pytest.mark.parametrize(
    ("datasets", "iterations"),
    [
        ([(1, 1.00, 1.01), (1, 1.011, 1.02), (1, 5.0, 5.01), (1, 5.011, 5.02)], 2),  # a dataset for each step
        ([(4, 1.0, 9.0), (4, 1.1, 9.1), (4, 1.2, 9.2)], 4),  # each dataset again in each step
        ([(4, 1.00, 1.01), (4, 1.011, 1.02), (4, 1.021, 1.03)], 1),  # each dataset in pieces, one after the other
    ],
)
def test_datasets_tell_iterations_by_when_they_are_written(
    datasets: Sequence[tuple[int, float, float]], iterations: int
) -> None:
    phase = only(characterize(hdf5_log(datasets)))
    c = phase.characteristics
    assert (c.interface, c.iterations, c.io_processes) == (Interface.HDF5, iterations, 4)
    assert c.data_size == len(datasets) * MIB // iterations
    assert phase.details["iterations_told_by"] == "records"


def with_dataset(log: Log, *, written: int, read: int = 0) -> Log:
    """Return the log of a job that moves so much of a dataset by H5Dwrite and H5Dread, and the rest by other calls."""
    (file,) = log.names
    records = np.zeros(1, dtype=LAYOUTS["H5D"].dtype())
    records["id"], records["rank"], records["file_id"], records["H5D_OPENS"] = 1, -1, file, 4
    records["H5D_WRITES"], records["H5D_BYTES_WRITTEN"] = 4 * (written > 0), written
    records["H5D_READS"], records["H5D_BYTES_READ"] = 4 * (read > 0), read
    module = Module("H5D", LAYOUTS["H5D"].version, False, records)
    return dataclasses.replace(log, modules={**log.modules, "H5D": module})


@pytest.mark.parametrize("interface", ["POSIX", "MPI-IO"])
def test_data_that_darshan_does_not_count_at_hdf5_are_counted_below(interface: str) -> None:
    """H5Dwrite_multi and H5Dwrite_chunk: the log was said to record no writes of files."""
    log = darshan_log(loop(processes=4, requests=16), processes=4, interface=interface)
    found = characterize(with_dataset(log, written=0))
    phase = only(found)
    assert (phase.bytes, phase.characteristics.interface) == (64 * MIB, Interface.HDF5)
    assert phase.details["counted_at"] == interface
    assert phase.characteristics.io_processes == 4
    assert found.complete


@pytest.mark.parametrize(
    ("written", "read", "complete"), [(MIB, 0, False), (0, MIB, False), (32 * MIB, 0, True), (64 * MIB, MIB, True)]
)
def test_where_darshan_counts_but_a_little_of_what_hdf5_writes_not_all_is_told(
    written: int, read: int, *, complete: bool
) -> None:
    """A job's 63 MiB were left out of it, and nothing said that they may be more than what fills datasets."""
    log = darshan_log(loop(processes=4, requests=16), processes=4, interface="MPI-IO")
    found = characterize(with_dataset(log, written=written, read=read))
    assert found.complete is complete
    assert any("H5Dwrite_multi" in note for note in found.notes) is not complete


def test_metadata_of_many_small_datasets_are_no_data_that_is_not_counted() -> None:
    log = darshan_log(loop(processes=4, size=256 * KIB), processes=4)
    assert characterize(with_dataset(log, written=800)).complete


def test_views_tell_aggregators_where_every_process_is_one() -> None:
    """POSIX sees as many requests as MPI-IO then, whether data were exchanged or not."""
    calls = loop(processes=4, requests=3, interleaved=True, collective=True)
    log = darshan_log(calls, processes=4, interface="MPI-IO")
    assert only(characterize(log)).details["collective_buffering"] is False
    log.modules["MPI-IO"].records["MPIIO_VIEWS"] = 4
    assert only(characterize(log)).details["collective_buffering"] is True
    alone = darshan_log(loop(processes=4, requests=3), processes=4, interface="MPI-IO")
    assert "collective_buffering" not in only(characterize(alone)).details


def striped(log: Log, *components: tuple[int, int, int, int, int]) -> Log:
    """Return the log with a layout of its one file: stripe size, count, begin and end of each part, and its mirror."""
    (file,) = log.names
    rows = [(file, -1, size, count, 0, 0, start, end, mirror) for size, count, start, end, mirror in components]
    records = np.array(rows, dtype=DTYPE)
    return dataclasses.replace(log, modules={**log.modules, "LUSTRE": Module("LUSTRE", 2, False, records)})


PFL = ((MIB, 1, 0, 4 * MIB, 0), (2 * MIB, 4, 4 * MIB, 64 * MIB, 0), (4 * MIB, 16, 64 * MIB, -1, 0))


@pytest.mark.parametrize(
    ("requests", "told"), [(1, (MIB, 1, 0)), (8, (2 * MIB, 4, 4 * MIB)), (99, (4 * MIB, 16, 64 * MIB))]
)
def test_of_a_progressive_layout_the_part_counts_that_holds_most(requests: int, told: tuple[int, int, int]) -> None:
    """The first component was told, of a file that lay on sixteen targets, and nothing said that there were more."""
    found = characterize(striped(darshan_log(loop(processes=4, requests=requests), processes=4), *PFL))
    details = only(found).details
    assert (details["stripe_size"], details["stripe_count"], details.get("layout_from", 0)) == told
    assert details["layout_components"] == 3
    assert len([note for note in found.notes if "in 3 components" in note and "not looked at" in note]) == 1


def test_a_plain_layout_and_mirrors_are_no_progressive_one() -> None:
    log = darshan_log(loop(processes=4), processes=4)
    for layout in ([(MIB, 4, 0, -1, 0)], [(MIB, 4, 0, -1, 0), (2 * MIB, 8, 0, -1, 1)], [(MIB, 4, -1, -1, -1)]):
        found = characterize(striped(log, *layout))
        assert (only(found).details["stripe_size"], only(found).details["stripe_count"]) == (MIB, 4)
        assert "layout_components" not in only(found).details
        assert not any("components" in note for note in found.notes)


def test_where_a_log_does_not_tell_how_far_bytes_reach_the_first_part_is_told() -> None:
    log = darshan_log(loop(processes=4, requests=99), processes=4)
    log.modules["POSIX"].records["POSIX_MAX_BYTE_WRITTEN"] = -1
    found = characterize(striped(log, *PFL))
    assert only(found).details["stripe_count"] == 1
    assert any("those of the first; the others are not looked at" in note for note in found.notes)


def test_interleaved_phases_share_the_time() -> None:
    reads = loop(processes=2, requests=50, write=False, seconds=1e-2)
    writes = loop(processes=2, requests=50, write=True, seconds=1e-2, begin=0.105)
    found = characterize(darshan_log(reads + writes, processes=2, run_seconds=1.0))
    assert found.io_share == pytest.approx(0.51, abs=0.02)


@pytest.mark.parametrize("run_seconds", [-3.5, 0.0])
def test_a_clock_that_was_set_back_tells_no_run_time(run_seconds: float, tmp_path: Path) -> None:
    log = darshan_log(loop(processes=2, requests=50), processes=2)
    whole = characterize(log)
    found = characterize(dataclasses.replace(log, job=log.job._replace(run_seconds=run_seconds)))
    assert (found.run_seconds, found.io_share) == (None, None)
    assert found.phases == whole.phases
    assert any("a clock was set back" in note for note in found.notes)
    (tmp_path / "mine.toml").write_text(dump_workload(found))
    assert load_workload(tmp_path / "mine.toml") == found


@pytest.mark.parametrize("run_seconds", [-1.7e9, 1.0 - 1.7e9])
def test_a_log_without_an_end_is_of_a_job_that_may_have_been_killed(run_seconds: float) -> None:
    """A clock was said to have been set back."""
    log = darshan_log(loop(processes=2, requests=50), processes=2)
    found = characterize(dataclasses.replace(log, job=log.job._replace(run_seconds=run_seconds, end=0.0)))
    assert (found.run_seconds, found.io_share) == (None, None)
    assert any("tells no end of the job" in note for note in found.notes)
    assert not any("clock" in note for note in found.notes)


def test_times_that_no_workload_file_can_have_are_left_out_of_it(tmp_path: Path) -> None:
    """`acic characterize --toml` printed of a damaged log what acic refused to read."""
    log = darshan_log(loop(processes=2, requests=50), processes=2, trace=False, heatmap=False)
    for name, time in {"START": 1e40, "END": 2e40}.items():
        log.modules["POSIX"].records[f"POSIX_F_WRITE_{name}_TIMESTAMP"] = time
    found = characterize(log)
    assert not {"began", "ended"} & set(only(found).details)
    (tmp_path / "mine.toml").write_text(dump_workload(found))
    assert load_workload(tmp_path / "mine.toml") == found


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("time", [-3.0, float("nan")])
def test_times_that_are_none_are_told_to_count_as_nothing(time: float, *, write: bool) -> None:
    """The job was said to wait no time at all for its I/O, without a word."""
    log = darshan_log(loop(processes=2, requests=50, write=write), processes=2, trace=False)
    assert not any("below zero" in note for note in characterize(log).notes)
    records = log.modules["POSIX"].records
    records[f"POSIX_F_{'READ' if write else 'WRITE'}_TIME"] = time  # of the other direction
    assert not any("below zero" in note for note in characterize(log).notes)
    records[f"POSIX_F_{'WRITE' if write else 'READ'}_TIME"] = time
    (note,) = [note for note in characterize(log).notes if "below zero" in note]
    assert f"Some times of POSIX {'writes' if write else 'reads'} in the log" in note


@pytest.mark.parametrize("lost", ["counters", "times"])
def test_seconds_that_nobody_measured_are_not_known(lost: str) -> None:
    """The job was said to wait no time at all for what it wrote, and no I/O to be worth a change."""
    log = darshan_log(loop(processes=8, iterations=10, pause=1), processes=8, trace=False, counters=lost == "times")
    if lost == "times":
        log.modules["POSIX"].records["POSIX_F_WRITE_TIME"] = -3.0
        log.modules["POSIX"].records["POSIX_F_SLOWEST_RANK_TIME"] = 0.0
    found = characterize(log)
    assert (only(found).seconds, found.io_share, found.run_seconds) == (None, None, log.job.run_seconds)
    assert not tells_io(found)
    assert any("how long they take is not known" in note for note in found.notes)
    assert not any("longer than is told" in note for note in found.notes)
    assert ("began" in only(found).details) is (lost == "times")


@pytest.mark.parametrize(("files", "told"), [(0, ""), (1, "1 file was"), (3, "3 files were")])
def test_files_that_were_mapped_into_memory_are_told(files: int, told: str) -> None:
    log = darshan_log(loop(processes=4, shared=False), processes=4)
    log.modules["POSIX"].records["POSIX_MMAPS"] = [2 * (at < files) - 1 for at in range(4)]  # -1 is "not recorded"
    notes = [note for note in characterize(log).notes if "mapped" in note]
    assert notes == ([f"{told} mapped into memory, whose I/O Darshan does not see."] if told else [])


@pytest.mark.parametrize("users", [2, 4])
def test_who_wrote_what_several_may_have_mapped_is_not_known(users: int) -> None:
    """All was said to be told of a file that processes wrote in memory, and each file to have one writer."""
    state = loop(processes=4, size=512, io_processes=users, write=False, file="/scratch/state")
    log = darshan_log(state + loop(processes=4, shared=False, begin=1.0), processes=4)
    assert characterize(log).complete
    records = log.modules["POSIX"].records
    mapped = next(file for file, name in log.names.items() if name == "/scratch/state")
    records["POSIX_MMAPS"] = records["id"] == np.uint64(mapped)
    found = characterize(log)
    assert not found.complete
    assert several_writers(found)


def test_what_each_file_s_one_process_maps_has_one_writer() -> None:
    log = darshan_log(loop(processes=4, shared=False), processes=4)
    log.modules["POSIX"].records["POSIX_MMAPS"] = 1
    assert characterize(log).complete
    reads = darshan_log(loop(processes=4, io_processes=3, write=False), processes=4)
    reads.modules["POSIX"].records["POSIX_MMAPS"] = [1, 0, 0]  # it may write what the others read
    assert characterize(reads).complete
    assert not several_writers(characterize(reads))


def test_io_that_is_longer_than_its_run_is_told_to_be_cut() -> None:
    """The run was said to be all I/O, without a word."""
    for seconds, said in ((1.0, False), (50.0, True)):
        found = characterize(darshan_log(loop(processes=2, seconds=seconds), processes=2, run_seconds=10.0))
        assert sum("longer than the run" in note for note in found.notes) == said
        assert only(found).seconds == pytest.approx(min(seconds, 10.0), rel=0.1)


@pytest.mark.parametrize("merge", [True, False])
def test_parts_that_go_on_over_all_iterations_are_told_from_segments(*, merge: bool) -> None:
    """A part of a log for each process, block by block with computing between; and a benchmark's segments."""
    segments = loop(processes=4, iterations=5, requests=3, pause=0.5, write=False)
    blocks = [
        dataclasses.replace(call, offset=(call.rank * 15 + number % 15) * MIB)
        for rank in range(4)
        for number, call in enumerate(sorted((c for c in segments if c.rank == rank), key=lambda one: one.start))
    ]
    told = []
    for calls in (blocks, segments):
        phase = only(characterize(darshan_log(calls, processes=4, merge=merge)), Operation.READ)
        assert (phase.characteristics.iterations, phase.characteristics.access) == (5, Access.CONSECUTIVE)
        told.append((phase.details.get("contiguous"), phase.details.get("jumps")))
    assert told == [(True, None), (None, 16)]  # each process goes on elsewhere four times


@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("left", LEFT)
def test_a_file_that_one_process_writes_and_another_reads_is_shared_by_nobody(
    left: Mapping[str, bool], shift: int
) -> None:
    """IOR -F, and -C: each reads its own file, or its neighbour's."""
    writes = loop(processes=4, requests=3, shared=False)
    reads = [
        dataclasses.replace(call, rank=(call.rank + shift) % 4)
        for call in loop(processes=4, requests=3, shared=False, write=False, begin=5.0)
    ]
    found = characterize(darshan_log(writes + reads, processes=4, merge=False, **left))  # type: ignore[arg-type]  # checked by the callee
    for operation in (Operation.WRITE, Operation.READ):
        phase = only(found, operation)
        assert (phase.characteristics.shared, phase.characteristics.io_processes, phase.files) == (False, 4, 4)
        others = phase.details.get("written_by_others", False)
        assert others == (operation is Operation.READ and shift == 1)


def test_of_a_file_that_all_write_nobody_reads_what_others_alone_wrote() -> None:
    writes = loop(processes=4, requests=3)
    reads = loop(processes=2, requests=6, write=False, begin=5.0)
    phase = only(characterize(darshan_log(writes + reads, processes=4, merge=False)), Operation.READ)
    assert phase.characteristics.shared
    assert "written_by_others" not in phase.details
    gathered = [dataclasses.replace(call, rank=3) for call in reads]
    three = loop(processes=4, io_processes=3, requests=3)
    phase = only(characterize(darshan_log(three + gathered, processes=4, merge=False)), Operation.READ)
    assert not phase.characteristics.shared
    assert phase.details["written_by_others"] is True


@pytest.mark.parametrize("left", LEFT)
def test_what_a_run_wrote_itself_is_no_input(left: Mapping[str, bool]) -> None:
    """A workflow: tasks read input and write what others read, who write results; sizes differ by less than four."""
    steps = [("raw", 900, False), ("mid", 700, True), ("mid", 700, False), ("out", 400, True)]
    calls = [
        call
        for at, (name, size, write) in enumerate(steps)
        for call in loop(
            processes=4,
            iterations=3,
            size=size * KIB,
            write=write,
            shared=False,
            file_each=True,
            begin=0.1 + 3.0 * at,
            file=f"/scratch/{name}",
        )
    ]
    found = characterize(darshan_log(calls, processes=4, merge=False, **left))  # type: ignore[arg-type]  # checked by the callee
    told = {(one.characteristics.operation is Operation.WRITE, one.bytes // (12 * KIB)) for one in found.phases}
    assert told == {(write, size) for _, size, write in steps}
    assert all(one.files == 12 and one.characteristics.iterations == 3 for one in found.phases)


def test_a_run_that_reads_one_of_its_checkpoints_wrote_all_of_them_alike() -> None:
    writes = loop(processes=4, iterations=5, pause=0.5, file_each=True)
    reads = loop(processes=4, write=False, begin=5.0, file="/scratch/out.4")
    found = characterize(darshan_log(writes + reads, processes=4))
    assert (only(found).files, only(found, Operation.READ).files) == (5, 1)
    assert only(found).characteristics.iterations == 5


def test_a_little_that_a_library_reads_of_what_it_writes_sets_no_file_apart() -> None:
    writes = loop(processes=4, iterations=5, pause=0.5, file_each=True)
    header = [Call(rank=0, offset=0, length=512, start=4.0, end=4.01, write=False, file="/scratch/out.0")]
    large = loop(processes=4, size=2 * MIB, file="/scratch/out.5", begin=5.0)
    assert only(characterize(darshan_log(writes + header + large, processes=4))).files == 6


def without_files_of_datasets(log: Log) -> Log:
    """Return a log as Darshan 3.2.0 would have left it: its records of datasets do not tell their file."""
    module = log.modules["H5D"]
    records = module.records.copy()
    records["file_id"] = 0
    return dataclasses.replace(log, modules={**log.modules, "H5D": dataclasses.replace(module, records=records)})


def test_a_dataset_whose_record_lacks_its_file_is_of_the_one_that_its_name_begins_with() -> None:
    """Each byte counted twice: at HDF5, of a file that is none, and at MPI-IO, of its own."""
    log = read_log(DATA / "known/ior_hdf5_coll.darshan")
    assert characterize(without_files_of_datasets(log)).phases == characterize(log).phases


def test_where_no_name_tells_a_datasets_file_its_bytes_are_counted_below() -> None:
    log = without_files_of_datasets(read_log(DATA / "known/ior_hdf5_coll.darshan"))
    datasets = set(log.modules["H5D"].records["id"].tolist())
    nameless = dataclasses.replace(log, names={file: name for file, name in log.names.items() if file not in datasets})
    found = characterize(nameless).phases
    assert {(phase.characteristics.interface, phase.details["counted_at"]) for phase in found} == {
        (Interface.HDF5, "MPI-IO")
    }
    whole = characterize(read_log(DATA / "known/ior_hdf5_coll.darshan")).phases
    assert sum(phase.bytes for phase in found) == pytest.approx(sum(phase.bytes for phase in whole), rel=0.01)


def test_a_clock_that_was_set_back_is_no_beginning_before_the_job() -> None:
    log = darshan_log(loop(processes=2, size=MIB), processes=2)
    trace = log.dxt["DXT_POSIX"]
    back = dataclasses.replace(trace, start=trace.start - 10.0, end=trace.end - 9.0)
    left = {name: module for name, module in log.modules.items() if name != "POSIX"}
    (phase,) = characterize(dataclasses.replace(log, modules=left, dxt={"DXT_POSIX": back})).phases
    assert float(phase.details.get("began", 0.0)) >= 0.0


def beside(begin: float) -> list[Call]:
    """Return writes by MPI-IO, and reads of the same file by POSIX from an instant on."""
    reads = loop(processes=4, requests=8, write=False, begin=begin)
    return [*loop(processes=4, requests=8), *(dataclasses.replace(call, beside=True) for call in reads)]


@pytest.mark.parametrize("left", LEFT)
def test_what_posix_reads_when_mpi_io_has_written_is_the_applications(left: Mapping[str, bool]) -> None:
    """Half of the job's bytes were taken for data sieving."""
    found = characterize(darshan_log(beside(5.0), processes=4, interface="MPI-IO", **left))  # type: ignore[arg-type]  # checked by the callee
    told = {one.characteristics.operation: (one.characteristics.interface, one.bytes) for one in found.phases}
    assert told == {Operation.WRITE: (Interface.MPIIO, 32 * MIB), Operation.READ: (Interface.POSIX, 32 * MIB)}


@pytest.mark.parametrize("column", ["", "MPIIO_NB_WRITES", "MPIIO_SPLIT_WRITES"])
def test_what_posix_reads_while_mpi_io_writes_is_nobodys_request(column: str) -> None:
    """What was begun by one call is over at another, which nothing tells."""
    log = darshan_log(beside(5.0 if column else 0.102), processes=4, interface="MPI-IO", trace=False)
    if column:
        records = log.modules["MPI-IO"].records
        records[column], records["MPIIO_INDEP_WRITES"] = records["MPIIO_INDEP_WRITES"].copy(), 0
    assert [one.characteristics.operation for one in characterize(log).phases] == [Operation.WRITE]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_log_of_one_process_may_be_one_of_many_of_the_job(processes: int) -> None:
    """Of srun -n 64 without MPI one of 64 logs was given, and the answer was for it alone, which nothing said."""
    found = characterize(darshan_log(loop(processes=processes), processes=processes))
    assert any("a log of its own" in note for note in found.notes) is (processes == 1)


def test_a_log_without_io_says_what_darshan_leaves_out() -> None:
    found = characterize(darshan_log([], processes=4))
    assert any("/var and their like" in note for note in found.notes)
