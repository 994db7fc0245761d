"""A replay makes the segments of a trace, all and no others, in its order and with its pauses."""

from __future__ import annotations

import random
import re
import resource
from pathlib import Path

import pytest

from tests.native.bench import FAILED, WRONG_DATA, Bench, Summary
from tests.native.model import replayed
from tests.native.traces import Segment, number_calls, write_trace


def checkpoint(ranks: int = 3, size: int = 10_000) -> list[Segment]:
    """Each rank reads its input, all write a shared file collectively, and one its own log; then all read it back."""

    def segment(rank: int, kind: str, file: str, offset: int, length: int, start: float, end: float) -> Segment:
        interface, operation = kind.split()
        return Segment(
            rank=rank,
            interface=interface,
            operation=operation,
            file=file,
            offset=offset,
            length=length,
            start=start,
            end=end,
        )

    own, together = [], []
    for r in range(ranks):
        own.append(segment(r, "posix read", "in", r * size, size, 0, 0.01))
        together.append(segment(r, "mpiio write", "ckpt", r * size, size, 0.2, 0.25))
        own.append(segment(r, "posix write", f"log{r}", 3, 7, 0.3, 0.3))
        together.append(segment(r, "mpiio read", "ckpt", (r + 1) % ranks * size, size, 0.5, 0.6))
    return own + number_calls(together)


def replay(
    bench: Bench, folder: Path, options: str = "", *, ranks: int = 3, status: int = 0, trace: str = "trace"
) -> Summary:
    (folder / "files").mkdir(exist_ok=True)
    return bench.measure(f"replay {trace} --dir files {options}", ranks=ranks, cwd=folder, status=status)


def test_files_are_those_of_the_trace(bench: Bench, tmp_path: Path) -> None:
    write_trace(tmp_path / "trace", checkpoint(), barriers=[0.4])
    summary = replay(bench, tmp_path, "-W -k")
    files = {p.name: p.read_bytes() for p in (tmp_path / "files").iterdir()}
    assert files == {
        "f0": replayed(0, 0, 30_000, prepared=True),
        "f1": replayed(1, 0, 30_000),
        **{f"f{r + 2}": bytes(3) + replayed(r + 2, 3, 7) for r in range(3)},
    }
    told = {r["access"]: (r["bytes"], r["transfers"]) for r in summary.results}
    assert told == {"write": (30_021, 6), "read": (60_000, 6)}
    assert summary.data["Replay"]["segments"] == 12
    assert summary.data["Replay"]["files"] == 5


def test_files_go_at_the_end(bench: Bench, tmp_path: Path) -> None:
    write_trace(tmp_path / "trace", checkpoint(), barriers=[0.4])
    replay(bench, tmp_path)
    assert not list((tmp_path / "files").iterdir())


@pytest.mark.parametrize("seed", range(6))
def test_any_trace_is_made_whole(bench: Bench, tmp_path: Path, seed: int) -> None:
    """Overlaps, both interfaces on a file, collective calls that some ranks are not part of, a rank with one byte."""
    segments = random_segments(random.Random(seed))
    files = write_trace(tmp_path / "trace", segments)
    text = re.sub(r"^(file \d+) \d+", r"\1 8192", (tmp_path / "trace").read_text(), flags=re.MULTILINE)
    (tmp_path / "trace").write_text(text)  # a read may come before the write, so all is there beforehand
    summary = replay(bench, tmp_path, "-W -k", ranks=4)
    for number, name in enumerate(files):
        expected = bytearray(replayed(number, 0, 8192, prepared=True))
        for s in (s for s in segments if s.file == name and s.operation == "write"):
            expected[s.offset : s.offset + s.length] = replayed(number, s.offset, s.length)
        assert (tmp_path / "files" / f"f{number}").read_bytes() == expected
    for access in ("write", "read"):
        of = [s for s in segments if s.operation == access]
        assert sum(r["bytes"] for r in summary.of(access)) == sum(s.length for s in of)


def random_segments(rng: random.Random) -> list[Segment]:
    """Up to 8 KiB of three files by three ranks, and one byte of another by a fourth.

    Within a collective call the ranks keep apart: MPI leaves open what comes of overlaps there, and Open MPI crashes.
    """
    segments, call = [], 0
    for k in range(40):
        file, operation = f"file{rng.randrange(3)}", rng.choice(["write", "read"])
        collective = rng.random() < 0.4
        call += collective
        for rank in [r for r in range(3) if rng.random() < 0.7] if collective else [rng.randrange(3)]:
            start = 0.001 * (k + rng.randrange(4))
            segments.append(
                Segment(
                    rank=rank,
                    interface="mpiio" if collective else rng.choice(["posix", "mpiio"]),
                    operation=operation,
                    file=file,
                    offset=2500 * rank + rng.randrange(1000) if collective else rng.randrange(5000),
                    length=rng.randrange(1, 1500 if collective else 3000),
                    start=start if not collective else 0.001 * k,
                    end=start + 0.004,
                    call=call if collective else 0,
                )
            )
    last = Segment(rank=3, interface="posix", operation="write", file="last", offset=0, length=1, start=1, end=1)
    return [*segments, last]


@pytest.mark.parametrize(("think", "least", "most"), [("0", 0.0, 0.4), ("1", 0.49, 1.2), ("2", 0.98, 2.0)])
def test_pauses_are_kept_as_told(bench: Bench, tmp_path: Path, think: str, least: float, most: float) -> None:
    """0.19 s, 0.05 s, 0.1 s and 0.1 s of the trace's 0.6 s are not I/O; the rest is the machine's own."""
    segments = [s for s in checkpoint() if s.file != "log1"]
    write_trace(tmp_path / "trace", segments, barriers=[0.4])
    totals: list[float] = []
    while not totals or (min(totals) > most and len(totals) < 5):  # a busy machine adds to it, but not always
        told = replay(bench, tmp_path, f"--think {think}").data["Replay"]
        assert told["ioTime"] <= told["totalTime"]
        totals.append(told["totalTime"])
    assert least * 0.44 / 0.49 <= min(totals) <= most


def test_a_pause_is_no_io(bench: Bench, tmp_path: Path) -> None:
    segments = [
        Segment(rank=0, interface="posix", operation="write", file="a", offset=0, length=9, start=t, end=t)
        for t in (0.0, 0.5)
    ]
    write_trace(tmp_path / "trace", segments)
    summary = replay(bench, tmp_path, "--think 1", ranks=1)
    (write,) = summary.results
    assert summary.data["Replay"]["totalTime"] >= 0.5
    assert summary.data["Elapsed"]["write"] >= 0.5
    assert write["totalTime"] < 0.4
    assert write["bwMiB"] == pytest.approx(18 / 2**20 / write["totalTime"], rel=1e-5)


def test_preparing_and_replaying_can_be_two_runs(bench: Bench, tmp_path: Path) -> None:
    """So that caches can be dropped in between."""
    write_trace(tmp_path / "trace", checkpoint(), barriers=[0.4])
    replay(bench, tmp_path, "-E", status=FAILED)
    replay(bench, tmp_path, "--prepare")
    assert [p.name for p in (tmp_path / "files").iterdir()] == ["f0"]
    assert len(replay(bench, tmp_path, "-E").results) == 2
    assert not list((tmp_path / "files").iterdir())


def test_files_that_were_not_prepared_are_left_alone(bench: Bench, tmp_path: Path) -> None:
    write_trace(tmp_path / "trace", checkpoint(), barriers=[0.4])
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "f0").write_text("mine")
    assert "has 4 bytes" in replay(bench, tmp_path, "-E", status=FAILED).data["Error"]
    assert (tmp_path / "files" / "f0").read_text() == "mine"


def test_joining_a_collective_call_is_no_transfer(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(
        "acic-replay 1\nranks 2\nfile 0 0 a\n"
        "0 mpiio write 1 0 0 8 0 0\n1 mpiio write 1 0 8 8 0 0\n0 mpiio write 2 0 16 8 1 1\n"
    )
    (write,) = replay(bench, tmp_path, ranks=2).results
    assert (write["bytes"], write["transfers"]) == (24, 3)


def processor_time() -> float:
    """Seconds that programs have used that we started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_pause_before_a_file_is_opened_is_burnt_once(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(
        "acic-replay 1\nranks 1\nfile 0 0 f\nfile 1 0 g\n0 posix write 0 0 0 8 0 0\n0 posix write 0 1 0 8 1.5 1.5\n"
    )
    before = processor_time()
    told = replay(bench, tmp_path, "--think 1 --burn", ranks=1).data["Replay"]
    assert told["computeTime"] >= 1.5
    assert 1.5 <= processor_time() - before < 2.7  # with all it takes to start


def test_extra_ranks_are_idle_and_missing_ones_an_error(bench: Bench, tmp_path: Path) -> None:
    write_trace(tmp_path / "trace", checkpoint(), barriers=[0.4])
    assert replay(bench, tmp_path, ranks=4).data["Replay"]["ranks"] == 3
    assert "mpiexec -n 3" in replay(bench, tmp_path, ranks=2, status=FAILED).stderr


def test_hints_are_used_and_told(bench: Bench, tmp_path: Path) -> None:
    write_trace(tmp_path / "trace", checkpoint(), barriers=[0.4])
    (tmp_path / "hints").write_text("IOR_HINT__MPI__romio_ds_write=disable\n")
    hints = replay(bench, tmp_path, "-U hints").data["Hints"]
    assert hints["asked"] == {"romio_ds_write": "disable"}
    usual = bench.measure("-a MPIIO -c -b 64k -t 4k", cwd=tmp_path).test["Hints"]["in force"]
    assert hints["in force"].get("romio_ds_write") == ("disable" if "romio_ds_write" in usual else None)


@pytest.mark.parametrize("interface", ["posix", "mpiio", "collective"])
def test_a_full_file_system_fails_without_a_hang(bench: Bench, tmp_path: Path, tiny: Path, interface: str) -> None:
    segments = [
        Segment(
            rank=r,
            interface="posix" if interface == "posix" else "mpiio",
            operation="write",
            file="a",
            offset=(k * 3 + r) * 200_000,
            length=200_000,
            start=k,
            end=k,
            call=k + 1 if interface == "collective" else 0,
        )
        for r in range(3)
        for k in range(4)
    ]
    write_trace(tmp_path / "trace", segments)
    summary = bench.measure(f"replay trace --dir {tiny}", ranks=3, cwd=tmp_path, status=FAILED)
    assert summary.data["Status"] == "failed"
    assert summary.results == []
    assert not list(tiny.iterdir())


def test_lost_writes_are_found(bench: Bench, tmp_path: Path) -> None:
    """A write through one file is lost when another name of the same file is written after it."""
    segments = [
        Segment(rank=0, interface="posix", operation="write", file=f, offset=0, length=100, start=t, end=t)
        for t, f in enumerate(["a", "b"])
    ]
    write_trace(tmp_path / "trace", segments)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "f0").touch()
    (tmp_path / "files" / "f1").symlink_to("f0")
    summary = replay(bench, tmp_path, "-W -E", ranks=1, status=WRONG_DATA)
    assert summary.data["Status"] == "wrong data"
    assert "files/f0 at byte 0" in summary.data["Error"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no segments"),
        ("acic-replay 2\n", ":1:"),
        ("acic-replay 1\nranks 1\nfile 0 0 ../x\n", ":3:"),
        ("acic-replay 1\nranks 1\nfile 0 0 a\n0 posix write 0 0 0 -1 0 0\n", ":4:"),
    ],
)
def test_a_trace_that_is_wrong_is_refused(bench: Bench, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "trace").write_text(text)
    assert words in replay(bench, tmp_path, status=FAILED).data["Error"]


def test_reading_beyond_the_end_is_a_failure(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("acic-replay 1\nranks 1\nfile 0 10 a\n0 posix read 0 0 5 10 0 0\n")
    assert "too early" in replay(bench, tmp_path, ranks=1, status=FAILED).data["Error"]


@pytest.mark.parametrize("interface", ["posix", "mpiio"])
def test_an_empty_file_can_be_read(bench: Bench, tmp_path: Path, interface: str) -> None:
    """A program that reads until there is no more asks for no bytes at the end; of an empty file for nothing else."""
    lines = [f"{rank} {interface} read 0 0 0 0 0 0" for rank in range(2)]
    (tmp_path / "trace").write_text("\n".join(["acic-replay 1", "ranks 2", "file 0 0 empty", *lines, ""]))
    replay(bench, tmp_path, ranks=2)
    assert "run with --prepare first" in replay(bench, tmp_path, "-E", ranks=2, status=FAILED).data["Error"]
    replay(bench, tmp_path, "--prepare", ranks=2)
    assert [(p.name, p.stat().st_size) for p in (tmp_path / "files").iterdir()] == [("empty", 0)]
    replay(bench, tmp_path, "-E -W", ranks=2)


def test_a_write_of_no_bytes_makes_no_file_longer(bench: Bench, tmp_path: Path) -> None:
    """Ranks without data join a collective write at their place behind the end."""
    (tmp_path / "trace").write_text(
        "acic-replay 1\nranks 2\nfile 0 0 a\nfile 1 0 b\n0 mpiio write 1 0 0 100 0 0\n1 mpiio write 1 0 4096 0 0 0\n"
        "0 posix write 0 1 4096 0 0 0\n0 posix write 0 1 0 10 0 0\n"
    )
    replay(bench, tmp_path, "-W -k", ranks=2)
    assert [(tmp_path / "files" / name).stat().st_size for name in "ab"] == [100, 10]


def test_files_of_the_same_ranks_share_a_communicator(bench: Bench, tmp_path: Path) -> None:
    """Each file had one of its own: MPICH has 2,048."""
    files = 2100
    lines = [f"file {i} 0 f{i}" for i in range(files)]
    lines += [f"{rank} mpiio write {i + 1} {i} {rank} 1 {i} {i}" for i in range(files) for rank in range(2)]
    (tmp_path / "trace").write_text("\n".join(["acic-replay 1", "ranks 2", *lines, ""]))
    summary = replay(bench, tmp_path, "-W", ranks=2)
    assert {r["access"]: r["bytes"] for r in summary.results} == {"write": 2 * files}
