"""What a command in the lab leaves comes back whole, or it is told why not and where it stays."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from acic.cli.lab_shown import run_command
from acic.errors import InvalidInput, TransientError
from acic.lab.results import ResultsStay, check_results
from tests.lab.test_trial import Jammed, syncing

LEAVING = "cd {directory}; mkdir -m 750 logs; echo a >logs/job.darshan; ln -s logs last; touch .x"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The file system of a lab that is none."""
    made = tmp_path / "files"
    made.mkdir()
    return made


def leave(files: Path, results: Path, script: str, *, seconds: float = 20, as_json: bool = False) -> None:
    lab: Any = Jammed(files, status=0)
    outputs = files.parent / "outputs"
    outputs.mkdir()
    run_command(lab, lab.site, ["sh", "-c", script], 0, outputs, seconds, as_json, results=results)
    assert lab.room.recall("running") is None


@pytest.mark.parametrize("there", [False, True])
def test_all_that_a_command_leaves_is_copied(files: Path, tmp_path: Path, there: bool) -> None:
    results = tmp_path / "results"
    if there:
        results.mkdir()
    check_results(results, ["{directory}"])
    assert results.exists() == there
    leave(files, results, LEAVING)
    assert sorted(os.listdir(results)) == [".x", "last", "logs"]
    assert (results / "logs" / "job.darshan").read_text() == "a\n"
    assert (results / "last").readlink() == Path("logs")
    assert (results / "logs").stat().st_mode & 0o777 == 0o750
    assert list(files.iterdir()) == []


@pytest.mark.parametrize(("end", "seconds", "why"), [("exit 3", 20, "exit status 3"), ("sleep 100", 3, "time limit")])
def test_what_a_command_leaves_that_fails_is_copied_too(
    files: Path, tmp_path: Path, end: str, seconds: float, why: str
) -> None:
    with pytest.raises(TransientError, match=f"the command failed: {why}"):
        leave(files, tmp_path / "results", f"{LEAVING}; {end}", seconds=seconds)
    assert (tmp_path / "results" / "logs" / "job.darshan").exists()


def test_a_command_that_leaves_nothing_is_told_of(
    files: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    leave(files, tmp_path / "results", "true {directory}")
    assert caplog.messages == ["the command left nothing in {directory}"]
    assert list((tmp_path / "results").iterdir()) == []


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("status", [0, 3])
def test_nothing_is_replaced_by_what_a_command_leaves(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: bool, status: int
) -> None:
    """Its own files stay where they are, and what it did is told first."""
    results = tmp_path / "results"
    results.mkdir()
    script = f"echo so far so good; {LEAVING}; echo mine >{results}/.x; exit {status}"
    with pytest.raises(TransientError) as caught:
        leave(files, results, script, as_json=as_json)
    assert isinstance(caught.value, ResultsStay) == (status == 0)
    told = f"{caught.value.problem}; {caught.value.hint}" if status == 0 else caught.value.__notes__[0]
    (left,) = files.iterdir()
    assert told.startswith(f"what the command left could not be copied to {results}: .x is there meanwhile; ")
    assert f"it stays in {left} until the file system is taken down" in told
    assert caught.value.exit_status == (status or 6)
    assert os.listdir(results) == [".x"]
    assert (results / ".x").read_text() == "mine\n"
    assert (left / "logs" / "job.darshan").exists()
    out = capsys.readouterr().out
    assert (json.loads(out)["stdout"] if as_json else out) == "so far so good\n"


@pytest.mark.parametrize(
    ("copying", "why"),
    [
        ('echo half >"$5/x"; echo "cp: error writing $5/x: no room" >&2; exit 1', "error writing x: no room"),
        ("kill -9 $$", "exit status -9 of cp"),
        ("sleep 100", "copying did not end in 2 s"),
    ],
)
def test_a_copy_that_is_not_whole_is_none(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copying: str, why: str
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "cp").write_text(f"#!/bin/sh\n{copying}\n")
    (programs / "cp").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(ResultsStay, match=why):
        leave(files, tmp_path / "results", LEAVING, seconds=2)
    assert list((tmp_path / "results").iterdir()) == []
    (left,) = files.iterdir()
    assert (left / "logs" / "job.darshan").exists()


@pytest.mark.parametrize(
    ("name", "command", "why"),
    [
        ("full", ["{directory}"], "full is not empty"),
        ("full/x", ["{directory}"], "cannot write to .*: Not a directory"),
        ("no/where", ["{directory}"], "cannot write to .*: No such file or directory"),
        ("new", ["true"], "the command does not say where its files go"),
    ],
)
def test_a_folder_that_can_take_nothing_is_refused(tmp_path: Path, name: str, command: list[str], why: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(InvalidInput, match=why):
        check_results(tmp_path / name, command)
    assert sorted(os.listdir(tmp_path)) == ["full"]
    assert os.listdir(tmp_path / "full") == ["x"]


@pytest.mark.parametrize("end", ["exit 0", "exit 3"])
def test_what_other_nodes_hold_is_copied_too(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Zeros were, and what had them removed: on CephFS nodes may hold what they wrote after files are closed."""
    held = syncing(tmp_path / "bin", monkeypatch, 'cat held >>"$1"')
    lab: Any = Jammed(files, status=0, holds_back=True)
    script = f"printf 'one ' >{{directory}}/x; echo other >{held}; {end}"
    how = {"results": tmp_path / "results"}
    with suppress(TransientError):
        run_command(lab, lab.site, ["sh", "-c", script], 0, tmp_path, 20, as_json=False, **how)
    assert (tmp_path / "results" / "x").read_text() == "one other\n"


@pytest.mark.parametrize("end", ["exit 0", "exit 3"])
def test_what_other_nodes_do_not_send_is_not_copied(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    syncing(tmp_path / "bin", monkeypatch, "exit 1")
    lab: Any = Jammed(files, status=0, holds_back=True)
    script = f"echo >{{directory}}/x; {end}"
    how = {"results": tmp_path / "results"}
    with pytest.raises(TransientError) as caught:
        run_command(lab, lab.site, ["sh", "-c", script], 0, tmp_path, 20, as_json=False, **how)
    assert isinstance(caught.value.__cause__, ResultsStay)  # so that what has them is not taken down
    assert "not all that it wrote was sent to the servers" in caught.value.__notes__[0]
    assert list((tmp_path / "results").iterdir()) == []
    (left,) = files.iterdir()
    assert (left / "x").exists()
