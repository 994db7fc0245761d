"""A replay has the application's requests, each once, and all that they need to be right."""

from __future__ import annotations

import os
import stat
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.errors import InvalidInput, MissingData, UnreadableInput
from acic.workloads.darshan import Log, read_log
from acic.workloads.darshan.dxt import read_segments
from acic.workloads.darshan.regions import Region
from acic.workloads.dependencies import dependencies
from acic.workloads.replay import Replay, replay_trace, save_replay
from acic.workloads.requests import Requests
from tests.workloads.darshan.logs import BUNDLED, DATA, public
from tests.workloads.simulator import Call, darshan_log, loop

TRACED = [path for path in BUNDLED if "DXT_POSIX" in read_log(path).dxt]
APPS, KNOWN = DATA / "apps", DATA / "known"


@dataclass(frozen=True, slots=True)
class Segment:
    """A line of a trace, read without the code that wrote it."""

    rank: int
    interface: str
    operation: str
    call: int
    file: int
    offset: int
    length: int
    start: float
    end: float


def segments(made: Replay) -> list[Segment]:
    found = []
    for line in made.lines[1:]:
        words = line.split(" ")
        if len(words) == 9:
            rank, interface, operation, *numbers, start, end = words
            call, file, offset, length = map(int, numbers)
            found.append(Segment(int(rank), interface, operation, call, file, offset, length, float(start), float(end)))
    return found


def barriers(made: Replay) -> list[float]:
    return [float(line.split()[1]) for line in made.lines if line.startswith("barrier ")]


def moved(made: Replay, **wanted: object) -> int:
    return sum(s.length for s in segments(made) if all(getattr(s, k) == v for k, v in wanted.items()))


def known(name: str) -> Replay:
    return replay_trace(read_log(KNOWN / f"{name}.darshan"))


@pytest.mark.parametrize("path", TRACED, ids=[path.stem for path in TRACED])
def test_bytes_are_those_of_the_counters(path: Path) -> None:
    """Of the file at the level that the application called, in each direction, and of each rank that has a record."""
    log = read_log(path)
    made = replay_trace(log)
    found: Counter[tuple[int, int, str]] = Counter()
    for s in segments(made):
        found[s.file, -1, s.operation] += s.length
        found[s.file, s.rank, s.operation] += s.length
    through_mpi = set(log.modules["MPI-IO"].records["id"].tolist()) if "MPI-IO" in log.modules else set()
    checked = 0
    ids = {name: key for key, name in log.names.items()}
    numbers = {ids[file.path]: index for index, file in enumerate(made.files)}
    for name, prefix in (("MPI-IO", "MPIIO"), ("POSIX", "POSIX")):
        for record in log.modules[name].records if name in log.modules else ():
            key = int(record["id"])
            if (key in through_mpi) == (name == "MPI-IO"):
                for operation, counter in (("read", "BYTES_READ"), ("write", "BYTES_WRITTEN")):
                    asked = int(record[f"{prefix}_{counter}"])
                    assert found[numbers.get(key, -1), int(record["rank"]), operation] == asked
                    checked += asked > 0
    assert checked
    assert made.bytes_read == moved(made, operation="read")
    assert made.bytes_written == moved(made, operation="write")


@pytest.mark.parametrize("path", TRACED, ids=[path.stem for path in TRACED])
def test_files_end_where_the_applications_did(path: Path) -> None:
    """POSIX saw where, whatever was called above it, and through whatever file view."""
    log = read_log(path)
    made = replay_trace(log)
    ids = {name: key for key, name in log.names.items()}
    posix = log.modules["POSIX"].records
    for index, file in enumerate(made.files):
        record = posix[posix["id"] == ids[file.path]]
        last = max(int(record[f"POSIX_MAX_BYTE_{kind}"].max()) for kind in ("READ", "WRITTEN"))
        assert file.size_after == last + 1
        assert made.lines[2 + index] == f"file {index} {file.size_before} {file.name}"


@pytest.mark.parametrize("path", TRACED, ids=[path.stem for path in TRACED])
def test_the_trace_keeps_its_format(path: Path) -> None:
    """As docs/acic-bench.md tells it."""
    made = replay_trace(read_log(path))
    assert made.lines[:2] == ("acic-replay 1", f"ranks {made.ranks}")
    assert len({file.name for file in made.files}) == len(made.files)
    assert not any(set(file.name) & set("/ \t\n") for file in made.files)
    found = segments(made)
    assert len(found) == len(made.lines) - 2 - len(made.files) - len(barriers(made))
    assert barriers(made) == sorted(barriers(made))
    calls: dict[int, list[Segment]] = defaultdict(list)
    last: Counter[int] = Counter()
    for s in found:
        assert s.rank < made.ranks
        assert 0 <= s.start <= s.end
        if s.call:
            assert s.interface == "mpiio"
            assert s.call > last[s.rank]
            last[s.rank] = s.call
            calls[s.call].append(s)
    assert sorted(calls) == list(range(1, len(calls) + 1))
    for members in calls.values():
        assert len({(s.file, s.operation) for s in members}) == 1
        assert len({s.rank for s in members}) == len(members)
    by_rank: dict[int, list[float]] = defaultdict(list)
    for s in found:
        by_rank[s.rank].append(s.start)
    assert all(starts == sorted(starts) for starts in by_rank.values())


@pytest.mark.parametrize(
    ("name", "calls", "size"),
    [
        ("ior_mpiio_coll", 16, 1 << 20),
        ("ior_mpiio_coll_strided", 64, 65536),
        ("ior_hdf5_coll", 16, 1 << 20),
        ("app_ckpt_coll", 6, 8 << 20),
        ("ior_mpiio_indep", 0, 0),
        ("app_tile_indep", 0, 0),
        ("ior_posix_shared_seq", 0, 0),
    ],
)
def test_collective_calls_are_those_that_the_program_made(name: str, calls: int, size: int) -> None:
    """Its command lines are told in the data's README; 4 ranks each."""
    made = known(name)
    found = [s for s in segments(made) if s.call]
    assert Counter(s.call for s in found) == dict.fromkeys(range(1, calls + 1), 4)
    assert all(s.length == size for s in found)
    assert not any("collective" in difference for difference in made.differences)


@pytest.mark.parametrize(
    ("name", "calls"),
    [("btio_A_mpi_io_full", 80), ("flash_io", 50), ("s3d_io_blocking", 20), ("h5bench_read_1d_full", 40)],
)
def test_collective_calls_of_applications(name: str, calls: int) -> None:
    made = replay_trace(read_log(APPS / f"{name}.darshan"))
    assert Counter(s.call for s in segments(made) if s.call) == dict.fromkeys(range(1, calls + 1), 4)


def test_posix_requests_are_where_the_program_put_them() -> None:
    """`ior -a POSIX -b 256k -t 256k -s 16`, 4 ranks: 4 MiB each, interleaved."""
    found = segments(known("ior_posix_shared_strided"))
    for rank in range(4):
        for operation in ("write", "read"):
            mine = [(s.offset, s.length) for s in found if (s.rank, s.operation) == (rank, operation)]
            assert mine == [((i * 4 + rank) << 18, 1 << 18) for i in range(16)]


def test_files_that_are_read_first_are_there_before() -> None:
    assert [f.size_before for f in known("ior_posix_readonly").files] == [16 << 20]
    assert [f.size_before for f in known("ior_posix_shared_seq").files] == [0]
    strided = known("app_strided")  # rank 0 writes what all read
    assert [f.size_before for f in strided.files] == [0]
    (wait,) = barriers(strided)
    assert max(s.end for s in segments(strided) if s.operation == "write") <= wait


def test_ranks_without_io_stay_ranks() -> None:
    made = known("app_subset1")
    assert made.ranks == 4
    assert {s.rank for s in segments(made)} == {0}
    assert not any("segments" in difference for difference in made.differences)


def call(rank: int, offset: int, length: int, start: float, end: float, **more: object) -> Call:
    return replace(Call(rank=rank, offset=offset, length=length, start=start, end=end), **more)  # type: ignore[arg-type]  # checked by the callee


def with_open_times(log: Log, first: float, last: float) -> Log:
    records = log.modules["MPI-IO"].records
    records["MPIIO_F_OPEN_START_TIMESTAMP"], records["MPIIO_F_CLOSE_END_TIMESTAMP"] = first, last
    return log


def test_posix_beneath_mpi_io_is_left_out_and_beside_it_is_not() -> None:
    calls = loop(processes=2, requests=4, begin=1.0)
    both = darshan_log([*calls, call(0, 0, 512, 9.0, 9.1)], processes=2)
    mpiio = darshan_log(calls, processes=2, interface="MPI-IO")
    whole = replace(mpiio, modules={**mpiio.modules, **both.modules}, dxt={**mpiio.dxt, **both.dxt})
    log = with_open_times(whole, 0.5, 5.0)
    made = replay_trace(log)
    assert moved(made, interface="posix") == 512
    assert moved(made, interface="mpiio") == sum(c.length for c in calls)
    assert any("8 POSIX ones" in difference for difference in made.differences)


def test_a_trace_of_mpi_io_that_has_no_records_is_no_trace() -> None:
    """As of a job that opened a file through MPI-IO, and did nothing with it."""
    log = darshan_log(loop(processes=2), processes=2)
    empty = read_segments(b"", Region("DXT_MPIIO", 3, False, 0, 8), "<", 2)()
    made = replay_trace(replace(log, dxt={**log.dxt, "DXT_MPIIO": empty}))
    assert made == replay_trace(log)


def test_without_dxt_the_error_says_how_to_get_it() -> None:
    for log in (
        read_log(APPS / "madbench2_POSIX_UNIQUE.darshan"),
        darshan_log(loop(processes=2), processes=2, trace=False),
    ):
        with pytest.raises(MissingData, match="no DXT segments") as caught:
            replay_trace(log)
        assert "DXT_ENABLE_IO_TRACE=1" in caught.value.hint


def test_requests_without_offsets_are_replaced_by_those_beneath() -> None:
    """DXT_MPIIO had none in its first format."""
    log = darshan_log(loop(processes=2, requests=4), processes=2, interface="MPI-IO")
    blind = replace(log.dxt["DXT_MPIIO"], offset=np.full_like(log.dxt["DXT_MPIIO"].offset, -1))
    made = replay_trace(replace(log, dxt={**log.dxt, "DXT_MPIIO": blind}))
    assert {s.interface for s in segments(made)} == {"posix"}
    assert made.bytes_written == 8 << 20
    assert any("does not tell where" in difference for difference in made.differences)
    with pytest.raises(MissingData, match="without offsets"):
        replay_trace(replace(log, dxt={"DXT_MPIIO": blind}))


@pytest.mark.parametrize(
    ("column", "value"), [("start", np.nan), ("end", np.inf), ("length", -1), ("offset", -5), ("length", 1 << 60)]
)
def test_impossible_segments_are_refused(column: str, value: float) -> None:
    log = darshan_log(loop(processes=2), processes=2)
    posix = log.dxt["DXT_POSIX"]
    wrong = getattr(posix, column).copy()
    wrong[1] = value
    with pytest.raises(UnreadableInput, match="impossible"):
        replay_trace(replace(log, dxt={"DXT_POSIX": replace(posix, **{column: wrong})}))


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("interface", ["POSIX", "MPI-IO"])
def test_more_bytes_than_the_counters_know_of_are_refused(interface: str, write: bool) -> None:
    """2^55 B through MPI-IO were millions of pieces."""
    whole = darshan_log(loop(processes=2, write=write), processes=2, interface=interface)
    traced = f"DXT_{interface.replace('-', '')}"
    lengths = whole.dxt[traced].length.copy()
    lengths[1] = 1 << 55
    log = replace(whole, dxt={**whole.dxt, traced: replace(whole.dxt[traced], length=lengths)})
    with pytest.raises(UnreadableInput, match="impossible") as caught:
        replay_trace(log)
    assert "damaged" in caught.value.hint


def test_a_trace_is_whole_where_counters_of_some_files_are_not() -> None:
    calls = loop(processes=2)
    some = darshan_log([c for c in calls if c.rank == 0], processes=2, partial=["POSIX"])
    made = replay_trace(replace(darshan_log(calls, processes=2), modules=some.modules))
    assert made.bytes_written == sum(c.length for c in calls)


def test_a_clock_set_back_is_forgiven() -> None:
    made = replay_trace(darshan_log([call(0, 0, 8, -1e-6, 1.0), call(0, 8, 8, 2.0, 2.0 - 1e-6)], processes=1))
    assert [(s.start, s.end) for s in segments(made)] == [(0.0, 1.0), (2.0, 2.0)]


def test_what_the_trace_lacks_is_told() -> None:
    made = replay_trace(darshan_log(loop(processes=2, requests=9), processes=2, limit=4))
    assert made.bytes_written == 8 << 20
    assert any("Of 18 MiB written through POSIX, the trace has 8 MiB" in d for d in made.differences)
    partial = replay_trace(read_log(public("partial_dxt")))
    assert any("the trace has" in difference for difference in partial.differences)


def test_ranks_without_segments_are_told() -> None:
    calls = loop(processes=3, shared=False)
    log = darshan_log(calls, processes=3)
    some = darshan_log([c for c in calls if c.rank != 1], processes=3)
    made = replay_trace(replace(log, dxt=some.dxt))
    assert any("1 ranks that did I/O have no segments, and do nothing here: 1." in d for d in made.differences)


def test_collective_calls_that_cannot_be_told_are_independent() -> None:
    calls = [c for k in range(3) for c in loop(processes=2, begin=1.0 + k, collective=True)]
    extra = [call(0, 0, 1 << 20, 7.0 + k, 7.1 + k) for k in range(2)] + [call(1, 0, 1 << 20, 7.0, 7.1)]
    made = replay_trace(darshan_log([*calls, *extra], processes=2, interface="MPI-IO"))
    assert not any(s.call for s in segments(made))
    assert any("cannot be told" in difference for difference in made.differences)


@pytest.mark.parametrize(("start", "length", "told"), [(2.95, 10, True), (4.0, 3, True), (4.0, 10, False)])
def test_requests_beside_collective_calls_are_told_by_time_and_size(start: float, length: int, told: bool) -> None:
    """Rank 1 comes late to each call. What it does while rank 0 waits is independent if it is far smaller."""
    calls = [
        call(rank, (k * 2 + rank) * 10, 10, begin + k * 3, k * 3 + 2.9, collective=True)
        for k in range(4)
        for rank, begin in ((0, 0.0), (1, 2.5))
    ]
    calls.append(call(1, 500, length, start, start + 0.01))
    made = replay_trace(darshan_log(calls, processes=2, interface="MPI-IO"))
    expected = [(rank, number) for number in (1, 2, 3, 4) for rank in (0, 1)] if told else []
    assert sorted((s.rank, s.call) for s in segments(made) if s.call) == sorted(expected)
    assert any("cannot be told" in difference for difference in made.differences) != told


def test_requests_too_long_for_mpi_are_cut() -> None:
    gib = 1 << 30
    calls = [call(0, 0, 5 * gib // 2, 0.0, 1.0, collective=True), call(1, 3 * gib, 100, 0.0, 1.0, collective=True)]
    calls += [call(r, 4 * gib + r, 1, 2.0, 3.0, collective=True) for r in (0, 1)]
    made = replay_trace(darshan_log(calls, processes=2, interface="MPI-IO"))
    assert [(s.rank, s.call, s.offset, s.length) for s in segments(made)] == [
        (0, 1, 0, gib),
        (0, 2, gib, gib),
        (0, 3, 2 * gib, gib // 2),
        (1, 1, 3 * gib, 100),
        (0, 4, 4 * gib, 1),
        (1, 4, 4 * gib + 1, 1),
    ]
    assert any("1 MPI-IO requests of more than 1 GiB" in difference for difference in made.differences)


def test_views_with_holes_are_laid_one_behind_the_other() -> None:
    """Each rank's half of a 200 B row, column by column; the POSIX file ends at 400."""
    calls = [call(r, k * 200 + r * 10, 100, k, k + 0.5, collective=True) for k in (0, 1) for r in (0, 1)]
    log = darshan_log(calls, processes=2, interface="MPI-IO")
    plain = replay_trace(log)
    assert max(s.offset + s.length for s in segments(plain)) == 310
    log.modules["MPI-IO"].records["MPIIO_VIEWS"] = 2
    made = replay_trace(log)
    assert [(s.offset, s.length) for s in segments(made)] == [(0, 100), (100, 100), (200, 100), (300, 100)]
    assert any("file view" in difference for difference in made.differences)


def test_views_of_requests_that_do_not_overlap_are_told() -> None:
    """A rank writes every second byte of 200 by one request: nothing said that the replay's file is half as long."""
    log = darshan_log([call(0, 0, 100, 0.0, 0.5)], processes=1, interface="MPI-IO")
    assert not any("view" in difference for difference in replay_trace(log).differences)
    log.modules["MPI-IO"].records["MPIIO_VIEWS"] = 1
    log.modules["POSIX"].records["POSIX_WRITES"] = 100
    told = [one for one in replay_trace(log).differences if "view" in one]
    assert len(told) == 1
    assert told[0].endswith("whether it has holes DXT does not tell; here each request is one piece.")


@pytest.mark.parametrize("path", [APPS / "btio_S_mpi_io_simple.darshan", KNOWN / "ior_hdf5_coll.darshan"])
def test_views_without_holes_and_those_of_libraries_are_not_told(path: Path) -> None:
    """POSIX saw the first one's requests as they are; HDF5 sets views in any case."""
    log = read_log(path)
    assert log.modules["MPI-IO"].records["MPIIO_VIEWS"].any()
    assert not any("view" in difference for difference in replay_trace(log).differences)


def test_all_ranks_reading_one_header_is_no_view_with_holes() -> None:
    calls = [call(r, 0, 100, 0.0, 0.5, write=False, collective=True) for r in (0, 1)]
    log = darshan_log(calls, processes=2, interface="MPI-IO")
    log.modules["MPI-IO"].records["MPIIO_VIEWS"] = 2
    assert {s.offset for s in segments(replay_trace(log))} == {0}


@st.composite
def runs(draw: st.DrawFn) -> Log:
    """A few ranks that write and read 60 bytes of one file, partly together, partly overlapping in time."""
    calls: list[Call] = []
    free = [0.0, 0.0, 0.0]
    count = draw(st.integers(1, 12))
    collective = draw(st.booleans())
    for _ in range(count):
        together = collective and draw(st.booleans())
        write = draw(st.booleans())
        leave = max(free) + 1
        for rank in range(3) if together else [draw(st.integers(0, 2))]:
            start = free[rank] + draw(st.integers(0, 2))
            end = max(leave, start) + 2 if together else start + draw(st.integers(0, 3))
            offset, length = draw(st.integers(0, 40)), draw(st.integers(1, 20))
            calls.append(call(rank, offset, length, float(start), float(end), write=write, collective=together))
            free[rank] = end
    return darshan_log(calls, processes=3, interface="MPI-IO" if collective else "POSIX")


@settings(deadline=None, max_examples=300)
@given(runs())
def test_every_read_finds_its_bytes(log: Log) -> None:
    """They are there beforehand, or their rank wrote them, or another did and a barrier is in between."""
    made = replay_trace(log)
    found, waits, sizes = segments(made), barriers(made), [f.size_before for f in made.files]
    when = moments(found)
    for at, read in enumerate(found):
        for byte in range(read.offset, read.offset + read.length) if read.operation == "read" else ():
            wrote = [
                k
                for k, w in enumerate(found)
                if w.operation == "write" and w.file == read.file and w.offset <= byte < w.offset + w.length
            ]
            own = any(found[k].rank == read.rank and k < at for k in wrote)
            others = any(when[k] < wait <= when[at] for k in wrote for wait in waits)
            assert byte < sizes[read.file] or own or others


def test_what_a_rank_writes_behind_its_read_is_not_what_that_finds() -> None:
    """The read waits in a collective call until the write is over by the clock, though it goes before it."""
    told = Requests(
        file=np.zeros(3, dtype=np.int64),
        rank=np.array([2, 2, 0]),
        mpiio=np.ones(3, dtype=bool),
        write=np.array([False, True, False]),
        offset=np.zeros(3, dtype=np.int64),
        length=np.array([4, 4, 1]),
        start=np.array([0.0, 3.0, 6.0]),
        end=np.array([3.0, 6.0, 6.0]),
        ids=(1,),
        call=np.array([1, 0, 1]),
    )
    assert dependencies(told) == ([4], [])


@settings(deadline=None, max_examples=100)
@given(runs())
def test_no_barrier_is_superfluous(log: Log) -> None:
    """Between two of them something was written that is read after the second."""
    made = replay_trace(log)
    found = segments(made)
    when = moments(found)
    edges = [-1.0, *barriers(made)]
    for before, wait in pairwise(edges):
        assert any(s.operation == "write" and before <= when[k] < wait for k, s in enumerate(found))
        assert any(s.operation == "read" and when[k] >= wait for k, s in enumerate(found))


def moments(found: Sequence[Segment]) -> list[float]:
    """When each segment is made at the earliest: a call when all have come, and whatever is behind it after it."""
    came: dict[int, float] = {}
    for s in found:
        came[s.call] = max(came.get(s.call, 0.0), s.start)
    ready: dict[int, float] = {}
    made = []
    for s in found:
        ready[s.rank] = max(ready.get(s.rank, 0.0), s.start, came[s.call] if s.call else 0.0)
        made.append(ready[s.rank])
    return made


def test_a_trace_appears_when_it_is_whole(tmp_path: Path) -> None:
    log, trace = KNOWN / "app_strided.darshan", tmp_path / "run.trace"
    made = save_replay(log, trace)
    assert trace.read_text().splitlines() == list(made.lines)
    assert stat.S_IMODE(trace.stat().st_mode) == 0o666 & ~current_umask()
    before = trace.read_bytes()
    with pytest.raises(MissingData):
        save_replay(APPS / "madbench2_POSIX_UNIQUE.darshan", trace)
    assert trace.read_bytes() == before
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInput, match="cannot write"):
        save_replay(log, tmp_path / "folder")
    with pytest.raises(InvalidInput, match="cannot write"):
        save_replay(log, tmp_path / "missing" / "trace")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "run.trace"]


def current_umask() -> int:
    mask = os.umask(0o22)
    os.umask(mask)
    return mask
