"""Applications' logs, replayed: acic-bench moves exactly the bytes of the trace, and leaves files of its sizes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from acic.workloads.darshan import Log, read_log
from acic.workloads.replay import Replay, replay_trace, save_replay, write_trace
from tests.native.bench import Bench, Summary
from tests.workloads.darshan.logs import BUNDLED, DATA
from tests.workloads.simulator import Call, darshan_log

QUICK = [
    *("known/app_ckpt_coll", "known/app_mixrand", "known/app_strided", "known/app_subset1", "known/app_tile_indep"),
    *("known/ior_hdf5_coll", "known/ior_mpiio_coll_strided", "known/ior_posix_fpp", "known/ior_posix_unaligned"),
    *("apps/flash_io", "apps/mdtest", "apps/wrf_io"),
]
TRACED = [path for path in BUNDLED if "DXT_POSIX" in read_log(path).dxt]


def assert_replays(bench: Bench, made: Replay, trace: Path, *options: str) -> Summary:
    """The bytes of each direction, the files with their sizes, and that what was written is there."""
    folder = trace.parent / "files"
    folder.mkdir()
    command = f"replay {trace} --dir {folder} -k {' '.join(options)}"
    summary = bench.measure(command, ranks=made.ranks, cwd=trace.parent)
    told = {access: sum(r["bytes"] for r in summary.of(access)) for access in ("read", "write")}
    assert told == {"read": made.bytes_read, "write": made.bytes_written}
    assert {p.name: p.stat().st_size for p in folder.iterdir()} == {f.name: f.size_after for f in made.files}
    return summary


@pytest.mark.parametrize("name", QUICK)
def test_a_log_is_replayed(bench: Bench, tmp_path: Path, name: str) -> None:
    log = DATA / f"{name}.darshan"
    made = save_replay(log, tmp_path / "trace")
    summary = assert_replays(bench, made, tmp_path / "trace")
    assert summary.data["Replay"]["files"] == len(made.files)


@pytest.mark.slow  # all others, 2.6 GiB
@pytest.mark.parametrize("path", TRACED, ids=[path.stem for path in TRACED])
def test_any_log_is_replayed(bench: Bench, tmp_path: Path, path: Path) -> None:
    assert_replays(bench, save_replay(path, tmp_path / "trace"), tmp_path / "trace")


@pytest.mark.parametrize("seed", range(6))
def test_a_random_run_is_replayed(bench: Bench, tmp_path: Path, seed: int) -> None:
    """Reads of what other ranks wrote, before, just then or never; some of it collective, with ranks that come late."""
    made = replay_trace(random_run(random.Random(seed)))
    write_trace(made, tmp_path / "trace")
    assert_replays(bench, made, tmp_path / "trace")


def random_run(rng: random.Random) -> Log:
    """All ranks' requests on one file, or collective calls and what rank 0 alone does between them, as libraries do."""
    calls: list[Call] = []
    free = [0.0, 0.0, 0.0]
    collective = rng.random() < 0.5
    for k in range(40):
        write = k < 3 or rng.random() < 0.5
        together = collective and rng.random() < 0.6
        begins = max(free)
        wrote = [call for call in calls if call.write and call.collective == together]
        for rank in range(3) if together else [0 if collective else rng.randrange(3)]:
            start = (begins if collective and not together else free[rank]) + rng.random()
            # apart from one another in a collective call: MPI leaves open what comes of overlaps there
            offset, length = 300 * (3 * k + rank), rng.randrange(*((200, 300) if together else (1, 90)))
            if not write and wrote and rng.random() < 0.7:
                offset, length = wrote[-1 - rank % len(wrote)].offset, wrote[-1 - rank % len(wrote)].length
            end = begins + 2 if together else start + rng.random()
            calls.append(
                Call(rank=rank, offset=offset, length=length, start=start, end=end, write=write, collective=together)
            )
            free[rank] = end
    return darshan_log(calls, processes=3, interface="MPI-IO" if collective else "POSIX")


@pytest.mark.parametrize("interface", ["POSIX", "MPI-IO"])
def test_requests_of_no_bytes_are_replayed(bench: Bench, tmp_path: Path, interface: str) -> None:
    """A read at the end of a file, or of an empty one, and a write behind the end, which makes no file longer."""
    for name, write, length in (("alone", False, 0), ("behind", True, 100)):
        calls = [Call(rank=0, offset=0, length=length, start=0.0, end=0.1, write=write)]
        calls += [Call(rank=rank, offset=4096, length=0, start=0.2, end=0.3, write=write) for rank in range(2)]
        made = replay_trace(darshan_log(calls, processes=2, interface=interface))
        (tmp_path / name).mkdir()
        write_trace(made, tmp_path / name / "trace")
        assert [file.size_after for file in made.files] == [length]
        assert_replays(bench, made, tmp_path / name / "trace", "-W")
