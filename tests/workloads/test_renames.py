"""Renames: what is written under one name and used under another is one file."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.advisor.cautions import lost
from acic.errors import MissingData
from acic.units import KIB, MIB
from acic.workloads import Operation, Phase, Quality, Workload, characterize, characterize_file
from acic.workloads.darshan import Log, Module, read_log, renamed, within
from acic.workloads.darshan.counters import LAYOUTS
from acic.workloads.darshan.lustre import DTYPE
from acic.workloads.replay import replay_trace, save_replay
from tests.workloads.darshan.logs import DATA
from tests.workloads.simulator import Call, darshan_log, loop

REAL = DATA / "renamed"  # what each log is of stands in renames.c, which made them


def of(name: str) -> Workload:
    return characterize_file(REAL / f"{name}.darshan")


def only(workload: Workload, operation: Operation) -> Phase:
    (phase,) = [one for one in workload.phases if one.characteristics.operation is operation]
    return phase


def told(one: Phase) -> object:
    """Return what a log tells of a phase, but for its times, and for how often its files were renamed."""
    kept = ("requests", "opens", "syncs", "times_over", "written_by_others", "collective_buffering", "contiguous")
    details = {name: one.details.get(name) for name in kept}
    return one.characteristics, one.quality, one.files, one.bytes, Path(one.example).name, details


@pytest.mark.parametrize("name", ["next", "own", "all", "mpiio"])
def test_a_renamed_file_is_told_of_as_if_it_had_had_its_name_from_the_first(name: str) -> None:
    assert sorted(map(repr, map(told, of(name).phases))) == sorted(map(repr, map(told, of(f"{name}_plain").phases)))


def test_who_renames_a_file_that_another_reads_does_not_share_it() -> None:
    found = of("next")
    write, read = (only(found, one) for one in (Operation.WRITE, Operation.READ))
    assert (read.characteristics.shared, read.quality["shared"]) == (False, Quality.EXACT)
    assert (read.files, read.bytes, read.characteristics.io_processes) == (12, 12 * 64 * KIB, 4)
    assert read.details["written_by_others"] is True
    assert (write.details["renames"], "renames" in read.details) == (12, False)
    assert write.example == read.example


@pytest.mark.parametrize(("name", "by"), [("next", 4.0), ("own", 4.0), ("all", 1.0), ("mpiio", 1.0)])
def test_a_file_that_all_have_open_is_renamed_by_one(name: str, by: float) -> None:
    """Of files that all write together one record tells, and all of them were told to rename each."""
    assert only(of(name), Operation.WRITE).details["names_by"] == by


@pytest.mark.parametrize("name", ["next", "own", "all", "mpiio"])
def test_what_a_job_wrote_and_renamed_is_no_input_of_it(name: str) -> None:
    assert not any("did not write" in caution for caution in lost([1], of(name), results=True, counted=True))


def test_what_is_replaced_was_there_before() -> None:
    """Each process reads a file, and puts another in its place: what it read, it did not write."""
    found = of("update")
    assert only(found, Operation.WRITE).example.endswith(".tmp")
    assert any("did not write" in caution for caution in lost([1], found, results=True, counted=True))


def test_files_that_had_one_name_by_turns_stay_apart() -> None:
    found = of("turns")
    assert (only(found, Operation.WRITE).files, only(found, Operation.READ).files) == (4, 12)
    assert not only(found, Operation.READ).characteristics.shared


@pytest.mark.parametrize("name", ["ior_posix_fpp", "ior_hdf5_coll"])
def test_a_log_without_renames_is_left_alone(name: str) -> None:
    log = read_log(DATA / "known" / f"{name}.darshan")
    assert renamed(log) is log


def with_renames(log: Log, *renames: tuple[str, str, int]) -> Log:
    """Return a log in which a rank gives a file another name, for each of `renames`, as Darshan would tell it."""
    records = log.modules["POSIX"].records
    keys, names = {name: file for file, name in log.names.items()}, dict(log.names)
    for old, new, rank in renames:
        file = keys.setdefault(new, len(keys) + 1)
        names[file] = new
        records["POSIX_RENAME_SOURCES"][(records["id"] == keys[old]) & (records["rank"] == rank)] += 1
        here = (records["id"] == file) & (records["rank"] == rank)
        if not here.any():
            record = np.zeros(1, dtype=LAYOUTS["POSIX"].dtype())
            record["id"], record["rank"] = file, rank
            records, here = np.concatenate([records, record]), np.append(here, True)
        records["POSIX_RENAME_TARGETS"][here] += 1
        records["POSIX_RENAMED_FROM"][here] = np.uint64(keys[old]).astype(np.int64)
    posix: Module = replace(log.modules["POSIX"], records=records)
    return replace(log, names=names, modules={**log.modules, "POSIX": posix})


def call(rank: int, file: str, start: float, *, write: bool) -> Call:
    return Call(rank=rank, offset=0, length=MIB, start=start, end=start + 0.1, write=write, file=f"/scratch/{file}")


def pipe(*names: str, reads: str, interface: str = "POSIX", beside: bool = False) -> Log:
    """Return a log of a file that rank 0 writes and then renames, from name to name, before rank 1 reads one."""
    write = call(0, names[0], 0.0, write=True)
    read = replace(call(1, reads, 5.0, write=False), beside=beside)
    log = darshan_log([write, read], processes=4, interface=interface, heatmap=False)
    opened = log.modules["POSIX"].records["POSIX_F_OPEN_START_TIMESTAMP"]
    opened[:] = np.where(log.modules["POSIX"].records["rank"] == 0, 0.0, 5.0)
    pairs = pairwise(names)
    return with_renames(log, *((f"/scratch/{old}", f"/scratch/{new}", 0) for old, new in pairs))


def joined(log: Log) -> bool:
    """Return whether what is read is what was written."""
    found = characterize(log)
    write, read = (only(found, one) for one in (Operation.WRITE, Operation.READ))
    assert (write.bytes, read.bytes, read.characteristics.shared) == (MIB, MIB, False)
    assert (read.details.get("written_by_others") is True) is (write.example == read.example)
    return write.example == read.example


@pytest.mark.parametrize("names", [("a.tmp", "a"), ("a.tmp", "a", "a.done"), ("a.0", "a.1", "a.2", "a.3")])
def test_names_are_followed_to_the_last(names: tuple[str, ...]) -> None:
    log = pipe(*names, reads=names[-1])
    assert joined(log)
    assert only(characterize(log), Operation.WRITE).example == f"/scratch/{names[-1]}"


@pytest.mark.parametrize("reads", ["b", "a"])
def test_names_that_go_round_are_left(reads: str) -> None:
    """What two files exchanged, whoever reads which of them."""
    assert joined(pipe("a", "b", "a", reads=reads)) == (reads == "a")


@pytest.mark.parametrize("names", [("a",), ("a.tmp", "a"), ("a.tmp", "a", "a.done")])
def test_a_file_is_opened_as_often_whatever_its_names(names: tuple[str, ...]) -> None:
    """A process writes under each of its names, and reads under the last: nine times were told of three names."""
    calls = [call(0, name, float(at), write=True) for at, name in enumerate(names)]
    log = darshan_log([*calls, call(0, names[-1], 5.0, write=False)], processes=4, heatmap=False)
    log.modules["POSIX"].records["POSIX_F_OPEN_START_TIMESTAMP"] = range(len(names))
    log = with_renames(log, *((f"/scratch/{old}", f"/scratch/{new}", 0) for old, new in pairwise(names)))
    assert [one.details["opens"] for one in characterize(log).phases] == [len(names)] * 2


def test_who_renames_and_who_makes_empty_files_are_counted_together() -> None:
    """Each of four processes renames a file ten times, and one makes a lock: it alone was told to do all."""
    calls = [*loop(processes=4, shared=False, file="/scratch/part"), call(0, "lock", 1.0, write=True)]
    log = darshan_log(calls, processes=4, trace=False, heatmap=False)
    records = log.modules["POSIX"].records
    for column in ("POSIX_BYTES_WRITTEN", "POSIX_WRITES"):
        records[column][-1] = 0
    records["POSIX_MODE"][-1] = 0o664
    parts = [f"/scratch/part.{rank:08}" for rank in range(4)]
    details = only(
        characterize(with_renames(log, *((parts[at % 4], f"{parts[at % 4]}.done", at % 4) for at in range(40)))),
        Operation.WRITE,
    ).details
    assert (details["renames"], details["empty_files"], details["removed_files"]) == (40, 1, 1)
    assert details["names_by"] == pytest.approx((40 + 2) / (10 + 2))  # what the first one does


def staged() -> Log:
    """Return a log of a file that was written in one folder, renamed into another and read there, on Lustre."""
    log = pipe("stage/a", "run/a", reads="run/a")
    layouts = np.zeros(2, dtype=DTYPE)
    layouts["id"], layouts["LUSTRE_COMP_STRIPE_COUNT"] = list(log.names), 4
    return replace(log, modules={**log.modules, "LUSTRE": Module("LUSTRE", 2, False, layouts)})


def test_a_file_lies_where_its_last_name_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What had been written in another folder was left out, and then read as an input."""
    log = staged()
    for module in ("characterize", "replay"):
        monkeypatch.setattr(import_module(f"acic.workloads.{module}"), "read_log", lambda *_, **__: log)
    assert characterize_file("job.darshan", only="/scratch/run") == characterize(log)
    assert save_replay(Path("job.darshan"), tmp_path / "trace", only="/scratch/run") == replay_trace(log)
    with pytest.raises(MissingData, match="no file of"):
        characterize_file("job.darshan", only="/scratch/stage")


def test_datasets_lie_where_their_file_does() -> None:
    log = staged()
    file = next(key for key, name in log.names.items() if name == "/scratch/stage/a")
    datasets = np.zeros(1, dtype=LAYOUTS["H5D"].dtype())
    datasets["id"], datasets["file_id"] = 7, file
    modules = {**log.modules, "H5D": Module("H5D", LAYOUTS["H5D"].version, False, datasets)}
    found = renamed(replace(log, names={**log.names, 7: "/scratch/stage/a:x"}, modules=modules))
    (become,) = found.modules["H5D"].records["file_id"].tolist()
    assert (found.names[become], found.names[7]) == ("/scratch/run/a", "/scratch/run/a:x")
    assert within(found, "/scratch/run") is found


def test_a_replay_has_a_renamed_file_once() -> None:
    """What the job had written was filled before, and read beside writing it."""
    made = replay_trace(pipe("a.tmp", "a", reads="a"))
    (file,) = made.files
    assert (file.path, file.size_before, file.size_after) == ("/scratch/a", 0, MIB)
    assert any(line.startswith("barrier ") for line in made.lines)


def test_of_files_that_became_one_by_turns_none_is_it() -> None:
    calls = [call(0, "a", 0.0, write=True), call(0, "b", 1.0, write=True), call(1, "out", 5.0, write=False)]
    log = darshan_log(calls, processes=4, trace=False)
    log = with_renames(log, ("/scratch/a", "/scratch/out", 0))
    other = with_renames(log, ("/scratch/b", "/scratch/c", 0), ("/scratch/b", "/scratch/out", 0))
    assert renamed(other) is other


def test_a_file_of_a_library_that_is_read_below_it_stays_apart() -> None:
    """What POSIX reads of a file that MPI-IO writes counts as MPI-IO's, unless it is another file."""
    assert joined(pipe("a.tmp", "a", reads="a", interface="MPI-IO"))
    assert not joined(pipe("a.tmp", "a", reads="a", interface="MPI-IO", beside=True))


@pytest.mark.parametrize("early", [0.5, 2.0])
def test_clocks_of_processes_differ_but_not_by_much(early: float) -> None:
    log = pipe("a.tmp", "a", reads="a")
    records = log.modules["POSIX"].records
    records["POSIX_F_OPEN_START_TIMESTAMP"] = np.where(records["rank"] == 0, 3.0, 3.0 - early)
    assert joined(log) is (early < 1.0)


def foldered(was: str, now: str, *, read: float = 10.0, last: int = MIB, more: bool = False) -> Log:
    """Return a log of files that rank 0 writes in one folder and rank 1 reads in another; Darshan counts no folders."""
    writes = [call(0, f"{was}/part.{part}", 1.0 + part, write=True) for part in range(3)]
    reads = [call(1, f"{now}/part.{part}", read + part, write=False) for part in range(3)]
    reads[-1] = replace(reads[-1], length=last)
    return darshan_log(writes + reads + more * [call(1, f"{now}/more", 20.0, write=False)], processes=4, heatmap=False)


@pytest.mark.parametrize(("was", "now"), [("asm.ovlStore.BUILDING", "asm.ovlStore"), ("a/create0007", "a/bucket0007")])
def test_a_folder_that_gets_another_name_keeps_its_files(was: str, now: str) -> None:
    """Canu's stores are `.BUILDING` until they are whole; what is read of them was thought to be an input."""
    found = characterize(foldered(was, now))
    write, read = (only(found, one) for one in (Operation.WRITE, Operation.READ))
    assert Path(write.example).parent == Path(read.example).parent == Path("/scratch") / now
    assert (write.files, read.files, write.bytes, read.bytes) == (3, 3, 3 * MIB, 3 * MIB)
    assert read.details["written_by_others"] is read.details["written_before"] is True


@pytest.mark.parametrize("changes", [{"read": 0.1}, {"read": 2.05}, {"last": KIB}, {"more": True}])
def test_a_folder_that_may_be_another_one_is_left(changes: dict[str, Any]) -> None:
    """It was read before, has a file of another size, or one that was not written."""
    log = foldered("out.tmp", "out", **changes)
    assert renamed(log) is log


def test_a_folder_elsewhere_is_another_one() -> None:
    log = foldered("a/out", "b/out")
    assert renamed(log) is log


def test_of_folders_with_alike_files_that_is_it_whose_name_is_most_alike() -> None:
    calls = [call(0, f"make{number}/slice", 1.0 + number, write=True) for number in range(4)]
    calls += [call(1, f"done{number}/slice", 10.0 - number, write=False) for number in range(4)]
    log = renamed(darshan_log(calls, processes=4, heatmap=False))
    names = sorted({log.names[file] for file in log.modules["POSIX"].records["id"].tolist()})
    assert names == [f"/scratch/done{number}/slice" for number in range(4)]
    assert len(log.modules["POSIX"].records) == 8


@pytest.mark.parametrize("read", [0.05, 10.0])
def test_the_time_to_find_renamed_folders_does_not_grow_by_the_square_of_their_number(read: float) -> None:
    """Each of many tasks has a folder, in which a file has the name and the size of all others'."""
    few, many = (_seconds_in_folders(folders, read) for folders in (500, 4000))
    assert many < 8 * 4 * few


def _seconds_in_folders(folders: int, read: float) -> float:
    """Return the least of three: other programs run meanwhile."""
    calls = [call(0, f"out.{number}/part", 1.0, write=True) for number in range(folders)]
    calls += [call(1, f"in.{number}/part", read, write=False) for number in range(folders)]
    log = darshan_log(calls, processes=2, heatmap=False, trace=False)
    took = []
    for _ in range(3):
        begin = time.perf_counter()
        renamed(log)
        took.append(time.perf_counter() - begin)
    return min(took)


def merged(*names: str) -> Log:
    """Return a log of files that rank 0 writes under the last ones and renames, before all read them."""
    calls = [call(0, hidden, 0.1, write=True) for hidden in names[1::2]]
    calls += [call(rank, name, 5.0, write=False) for name in names[::2] for rank in range(4)]
    log = darshan_log(calls, processes=4, trace=False)
    records = log.modules["POSIX"].records
    records["POSIX_RENAME_SOURCES"] = records["rank"] == 0
    records["POSIX_RENAME_TARGETS"] = records["rank"] < 0
    records["POSIX_F_OPEN_START_TIMESTAMP"] = np.where(records["rank"] == 0, 0.1, 5.0)
    return log


@pytest.mark.parametrize(
    ("names", "same"),
    [
        (("a.1", "a.1.tmp", "a.10", "a.10.tmp"), True),
        (("a.1", "a.1_", "a.10", "a.10_"), True),
        (("a", ".a.x7Y2"), True),
        (("a", "tmp.Xy12"), False),
    ],
)
def test_where_all_have_one_record_names_tell_what_a_file_was(names: tuple[str, ...], same: bool) -> None:
    found = characterize(merged(*names))
    write, read = (only(found, one) for one in (Operation.WRITE, Operation.READ))
    assert (write.example == read.example) is same
    assert (read.details.get("written_by_others") is True) is same


def untold(names: list[str]) -> Log:
    """Return a log of files that all have open, and one process renamed: of each pair of names the other one."""
    records = np.zeros(len(names), dtype=LAYOUTS["POSIX"].dtype())
    records["id"] = np.arange(1, len(names) + 1)
    old, new = records[1::2], records[::2]
    old["POSIX_RENAME_SOURCES"] = old["POSIX_BYTES_WRITTEN"] = new["POSIX_RENAME_TARGETS"] = 1
    new["rank"] = -1
    log = darshan_log([], processes=4)
    modules = {"POSIX": Module("POSIX", LAYOUTS["POSIX"].version, False, records)}
    return replace(log, names=dict(enumerate(names, 1)), modules=modules)


def test_the_shortest_of_many_old_names_is_found() -> None:
    """Of those in the order of letters the first thousand were looked at."""
    others = [name for at in range(2000) for name in (f"/scratch/plot{at}", f"/scratch/out1{at:06}.tmp")]
    found = renamed(untold(["/scratch/out1", "/scratch/out1_tmp", *others]))
    assert found.modules["POSIX"].records["id"].tolist()[:2] == [1, 1]


def test_the_time_to_find_old_names_does_not_grow_by_the_square_of_their_number() -> None:
    few = min(_seconds_of(1_000) for _ in range(3))
    assert _seconds_of(32_000) < 6 * 32 * few


def _seconds_of(files: int) -> float:
    """Return the processor time that it takes to follow the names of so many files, s."""
    log = untold([name for at in range(files) for name in (f"/scratch/out{at:06}", f"/scratch/out{at:06}.tmp")])
    before = time.process_time()
    found = renamed(log)
    seconds = time.process_time() - before
    assert len(found.names) == files
    return seconds


@given(
    renames=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(-1, 3)), max_size=8),
    trace=st.booleans(),
)
def test_nothing_is_lost_whatever_is_renamed(renames: list[tuple[int, int, int]], trace: bool) -> None:
    calls = loop(processes=4, shared=False, file="/scratch/f", size=64 * KIB)
    calls += loop(processes=4, shared=False, file="/scratch/g", size=64 * KIB, write=False, begin=1.0)
    log = darshan_log(calls, processes=4, trace=trace, heatmap=False)
    names = [*log.names.values(), "/scratch/new"]
    log = with_renames(log, *((names[a], names[b], rank) for a, b, rank in renames if a < 4))
    found = renamed(log)
    for column in ("POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN", "POSIX_RENAME_SOURCES"):
        assert found.modules["POSIX"].records[column].sum() == log.modules["POSIX"].records[column].sum()
    assert sum(one.bytes for one in characterize(log).phases) == sum(one.length for one in calls)
