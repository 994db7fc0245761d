"""`acic replicate --replay`: a log's own requests as a file for `acic-bench replay`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acic.cluster.launcher import open_launcher
from acic.workloads.darshan import read_log
from acic.workloads.replay import Replay, replay_trace
from tests.cli.conftest import LOGS, Result
from tests.cli.documented import check_fields

Acic = Callable[..., Result]
CHECKPOINT = LOGS / "known/app_ckpt_coll.darshan"


@pytest.fixture(autouse=True)
def programs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an acic-bench and its launcher, which are named: nothing is built."""
    folder = tmp_path_factory.mktemp("programs")
    for variable, name in (("ACIC_BENCH", "acic-bench"), ("ACIC_MPIEXEC", "mpiexec")):
        (folder / name).write_text("#!/bin/sh\necho HYDRA\n")
        (folder / name).chmod(0o755)
        monkeypatch.setenv(variable, str(folder / name))
    return folder


def test_the_trace_is_written_and_its_command_printed(acic: Acic, tmp_path: Path, programs: Path) -> None:
    trace = tmp_path / "run.trace"
    result = acic("replicate", CHECKPOINT, "--replay", trace)
    made = replay_trace(read_log(CHECKPOINT))
    assert result.status == 0
    assert trace.read_text().splitlines() == list(made.lines)
    *comments, command = result.out.splitlines()
    assert command == f"{programs / 'mpiexec'} -n 4 {programs / 'acic-bench'} replay {trace}"
    assert comments == [f"# {difference}" for difference in made.differences]


def test_the_trace_is_written_where_there_is_nothing_to_replay_it_with(
    acic: Acic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACIC_BENCH", str(tmp_path / "missing"))
    result = acic("replicate", CHECKPOINT, "--replay", tmp_path / "t")
    assert result.status == 0
    assert result.out.splitlines()[-1] == f"mpiexec -n 4 acic-bench replay {tmp_path / 't'}"
    assert "missing: there is no such file" in result.err


def test_a_file_with_a_blank_is_quoted(acic: Acic, tmp_path: Path) -> None:
    result = acic("replicate", CHECKPOINT, "--replay", tmp_path / "a trace")
    assert result.out.splitlines()[-1].endswith(f"/acic-bench replay '{tmp_path}/a trace'")


def test_an_open_mpi_takes_the_command_though_it_has_fewer_cores(acic: Acic, tmp_path: Path, programs: Path) -> None:
    """It said that there were not enough slots, and as root that it is not run by root."""
    (programs / "mpiexec").write_text("#!/bin/sh\necho 'mpiexec (Open MPI) 4.1.4'\n")
    open_launcher.cache_clear()
    command = acic("replicate", CHECKPOINT, "--replay", tmp_path / "t").out.splitlines()[-1]
    assert f" --map-by slot:OVERSUBSCRIBE -n 4 {programs / 'acic-bench'} replay " in command
    assert ("--allow-run-as-root" in command) == (os.geteuid() == 0)


def test_json_tells_files_and_bytes(acic: Acic, tmp_path: Path, programs: Path) -> None:
    found = acic("replicate", CHECKPOINT, "--replay", tmp_path / "t", "--json").json
    check_fields("replicate", found, acic("replicate", CHECKPOINT, "--json").json)
    started = [str(programs / "mpiexec"), "-n", "4", str(programs / "acic-bench")]
    assert found["command"] == [*started, "replay", str(tmp_path / "t")]
    assert (found["ranks"], found["bytes_read"], found["bytes_written"]) == (4, 33562632, 167779640)
    assert [file["path"].rpartition("/")[2] for file in found["files"]] == [f"ckpt_{i}.h5" for i in range(5)]
    assert found["differences"]


def test_a_log_without_dxt_says_how_to_get_it(acic: Acic, tmp_path: Path) -> None:
    result = acic("replicate", LOGS / "apps/madbench2_POSIX_UNIQUE.darshan", "--replay", tmp_path / "t")
    assert result.status == 4
    assert "DXT_ENABLE_IO_TRACE=1" in result.err
    assert not list(tmp_path.glob("t*"))


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["workload.toml"],
        ["WORKLOAD.TOML"],
        [str(CHECKPOINT), "--processes", "4"],
        ["--processes", "4", "--interface", "POSIX", "--operation", "write", "--data-size", "1m"],
    ],
)
def test_only_a_log_can_be_replayed(acic: Acic, tmp_path: Path, words: list[str]) -> None:
    result = acic("replicate", *words, "--replay", tmp_path / "t")
    assert result.status == 2
    assert "needs a Darshan log" in result.err
    assert not (tmp_path / "t").exists()


def test_a_damaged_log_needs_partial(acic: Acic, tmp_path: Path) -> None:
    """Cut behind the DXT modules, whose regions come before that of HEATMAP."""
    (tmp_path / "cut.darshan").write_bytes(CHECKPOINT.read_bytes()[:-10])
    assert acic("replicate", tmp_path / "cut.darshan", "--replay", tmp_path / "t").status == 3
    whole = acic("replicate", tmp_path / "cut.darshan", "--partial", "--replay", tmp_path / "t")
    assert whole.status == 0
    assert "# Module HEATMAP was left out: the data end early.\n" in whole.out
    assert (tmp_path / "t").read_text().splitlines() == list(replay_trace(read_log(CHECKPOINT)).lines)


def test_a_file_that_cannot_be_written_is_told(acic: Acic, tmp_path: Path) -> None:
    result = acic("replicate", CHECKPOINT, "--replay", tmp_path / "missing" / "t")
    assert result.status == 2
    assert "cannot write" in result.err


def test_a_line_break_in_the_name_of_a_file_ends_no_comment(
    acic: Acic, tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines may be given to a shell."""
    made = Replay(lines=(), ranks=1, files=(), bytes_read=0, bytes_written=0, differences=("Requests on a\nb went.",))
    monkeypatch.setattr("acic.workloads.replay.save_replay", lambda *_, **__: made)
    shown = acic("replicate", CHECKPOINT, "--replay", tmp_path / "t").out
    assert [line.partition(" ")[0] for line in shown.splitlines()] == ["#", str(programs / "mpiexec")]
