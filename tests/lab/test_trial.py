"""Running a command in the lab: what it did is told, whatever its file system does afterwards."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acic.cli.lab_shown import run_command
from acic.cluster import Job, LocalRunner, State
from acic.errors import TransientError
from acic.lab.directories import reclaim
from acic.lab.trial import run
from tests.cluster.services import until


class Stuck(LocalRunner):
    """Its jobs have processes that wait for a device."""

    def end(self, job: Job) -> bool:
        super().end(job)
        raise TransientError(f"processes of the job {job.name} do not end: 17", hint="see to the device first")


class Jammed:
    """As much of a lab as runs a command: what is deployed makes folders, and does not let go of them."""

    def __init__(
        self,
        folder: Path,
        *,
        stuck: bool = False,
        status: int | None = None,
        deaf: str = "",
        holds_back: bool = False,
    ) -> None:
        self.facts = SimpleNamespace(compute_nodes=1)
        self.nodes = {"c0": SimpleNamespace(within=Path)}
        deployment = SimpleNamespace(directory=str(folder), hints={}, holds_back=holds_back)
        self.site: Any = SimpleNamespace(deployment=deployment, mounted=("c0",), configuration={})
        notes: dict[str, Any] = {}
        self.room = SimpleNamespace(remember=notes.__setitem__, recall=notes.get)
        self._stuck = stuck
        self._status = status
        self._deaf = deaf  # a program that gets no answer

    def run(self, node: str, command: Sequence[str], *, seconds: float = 30.0) -> subprocess.CompletedProcess[str]:
        if command[0] == self._deaf:
            raise TransientError(f"{self._deaf} on {node} did not end in {seconds:g} s", hint="try again")
        if command[0] != "rm" or self._status == 0:
            return subprocess.run(command, capture_output=True, text=True, check=False)
        if self._status is None:
            raise TransientError(f"rm on {node} did not end in {seconds:g} s", hint="try again")
        return subprocess.CompletedProcess(command, self._status, "", "Device or resource busy")

    def runner(self, *, mpiexec: Path | None = None) -> LocalRunner:
        return Stuck(mpiexec=mpiexec) if self._stuck else LocalRunner(mpiexec=mpiexec)

    def fresh(self) -> None:
        """Empty no caches: it has none."""

    def undeploy(self) -> None:
        self.site = None
        self._stuck = False  # what waited for it ends


@pytest.mark.parametrize("status", [None, 1])
def test_what_a_run_did_is_told_though_its_files_cannot_be_removed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, status: int | None
) -> None:
    """On a file system that gave no answer any more, all that was told was how `rm` had been called."""
    lab: Any = Jammed(tmp_path, status=status)
    words = ["sh", "-c", "echo so far so good; exit 3"]
    with caplog.at_level(logging.WARNING):
        job, ending = run(lab, words, processes=0, folder=tmp_path, seconds=20)
    assert (ending.state, ending.exit_status) == (State.FAILED, 3)
    assert job.stdout.read_text() == "so far so good\n"
    assert lab.site is None
    assert "a run's files cannot be removed, so the file system is taken down: " in caplog.text


@pytest.mark.parametrize(
    ("script", "why"), [("exit 0", "failed: processes"), ("sleep 100", r"time limit of 0\.5 s; processes")]
)
def test_the_remedy_for_processes_that_do_not_end_is_told(tmp_path: Path, script: str, why: str) -> None:
    """It was lost, in place of "what it said stands above", where nothing stood."""
    lab: Any = Jammed(tmp_path, stuck=True, status=0)
    with pytest.raises(TransientError, match=f"{why} .* do not end: 17") as caught:
        run_command(lab, lab.site, ["sh", "-c", script], 0, tmp_path, 0.5, as_json=False)
    assert caught.value.hint == "see to the device first"


def test_a_run_ends_what_a_killed_one_left(tmp_path: Path) -> None:
    """A command without MPI went on beside the next runs, and its files filled the disks until the lab went down."""
    files, outputs = tmp_path / "files", tmp_path / "outputs"
    files.mkdir()
    lab: Any = Jammed(files, status=0)
    left = files / "run-before"
    left.mkdir()
    outputs.mkdir()
    sleeper = subprocess.Popen(["sleep", "100"], env=os.environ | {"ACIC_JOB": "lab-before"})
    try:
        lab.room.remember("running", {"directory": str(left), "job": "lab-before", "folder": str(outputs)})
        _, ending = run(lab, ["true"], processes=0, folder=tmp_path, seconds=20)
        assert ending.state is State.DONE
        assert sleeper.wait(5) < 0
        assert not outputs.exists()
        assert list(files.iterdir()) == []
        assert lab.room.recall("running") is None
    finally:
        sleeper.kill()
        sleeper.wait()


def test_a_run_whose_directory_cannot_be_made_is_not_taken_for_a_killed_one(tmp_path: Path) -> None:
    lab: Any = Jammed(tmp_path, status=0, deaf="mkdir")
    with pytest.raises(TransientError, match="mkdir on c0 did not end"):
        run(lab, ["true"], processes=0, folder=tmp_path, seconds=20)
    assert lab.room.recall("running") is None


def test_what_waits_for_a_dead_file_system_ends_with_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """After kill -9 every later run failed of the processes that did not end, until the lab was taken down."""
    lab: Any = Jammed(tmp_path, stuck=True, status=0)
    (tmp_path / "outputs").mkdir()
    note = {"directory": str(tmp_path / "run-before"), "job": "lab-before", "folder": str(tmp_path / "outputs")}
    lab.room.remember("running", note)
    reclaim(lab)
    assert "so the file system is taken down: processes of the job lab-before do not end: 17" in caplog.text
    assert (lab.site, lab.room.recall("running")) == (None, None)
    assert list(tmp_path.iterdir()) == []


def test_what_a_run_says_is_passed_on_as_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was seen of a run of ten minutes before it had ended. This one ends when its first line was seen."""
    lab: Any = Jammed(tmp_path, status=0)
    heard: list[bytes | str] = []

    def echo(message: bytes | str, *, nl: bool = True, err: bool = False) -> None:  # noqa: ARG001  # as click's
        heard.append(message)
        (tmp_path / "heard").touch()

    monkeypatch.setattr("click.echo", echo)
    script = f"echo begun; until test -e {tmp_path}/heard; do sleep 0.01; done; printf 'ended \\377'"
    run_command(lab, lab.site, ["sh", "-c", script], 0, tmp_path, 20, as_json=False)
    assert heard[:2] == [b"begun\n", b"ended \377"]


@pytest.mark.parametrize("as_json", [False, True])
def test_what_a_run_said_is_told_where_it_is_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    """It was lost, while a time limit told it."""
    lab: Any = Jammed(tmp_path, status=0)
    job = "echo half of it; echo oh >&2; sleep 100"

    def interrupt() -> None:
        until(lambda: any(file.stat().st_size for file in tmp_path.glob("*.err")), "it has said something")
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run_command(lab, lab.site, ["sh", "-c", job], 0, tmp_path, 20, as_json=as_json)
    told = capsys.readouterr()
    if as_json:
        found = json.loads(told.out)
        assert (found["state"], found["stdout"], found["stderr"]) == ("cancelled", "half of it\n", "oh\n")
    else:
        assert (told.out, told.err) == ("half of it\n", "oh\n")


def test_what_a_run_said_and_nobody_takes_leaves_the_run_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that has gone, as `head`, ends what is told, but not the job."""
    lab: Any = Jammed(tmp_path, status=0)

    def echo(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("click.echo", echo)
    script = f"echo begun; sleep 0.5; touch {tmp_path}/ended"
    with pytest.raises(BrokenPipeError):
        run_command(lab, lab.site, ["sh", "-c", script], 0, tmp_path, 20, as_json=False)
    assert (tmp_path / "ended").exists()


def syncing(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """Have a script for `sync`, with the file `held` beside it; return that file."""
    folder.mkdir()
    (folder / "sync").write_text(f"#!/bin/sh\ncd {folder}\n{script}\n")
    (folder / "sync").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder / "held"


@pytest.mark.parametrize("holds_back", [True, False])
def test_a_run_is_over_when_its_clients_have_sent_what_they_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds_back: bool
) -> None:
    """CephFS's may keep 32 MiB each: it was fast for not having written yet."""
    files, asked = tmp_path / "files", tmp_path / "bin" / "asked"
    files.mkdir()
    syncing(tmp_path / "bin", monkeypatch, 'sleep 0.5; echo "$@" >>asked')
    lab: Any = Jammed(files, status=0, holds_back=holds_back)
    before: list[bool] = []
    script = "mkdir {directory}/a; echo 1 >{directory}/a/x; echo 2 >'{directory}/y y'; ln -s /etc/passwd {directory}/z"
    _, ending = run(
        lab,
        ["sh", "-c", script],
        processes=0,
        folder=tmp_path,
        seconds=20,
        ended=lambda _: before.append(asked.exists()),
        done=lambda _: before.append(asked.exists()),
    )
    assert ending.state is State.DONE
    assert ending.seconds is not None
    assert ending.seconds >= (0.5 if holds_back else 0.0)
    assert before == 2 * [holds_back]
    if holds_back:
        told = asked.read_text()
        assert "/a/x" in told
        assert "/y y" in told
        assert "/z" not in told


def test_what_is_not_sent_is_a_run_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab: Any = Jammed(tmp_path / "files", status=0, holds_back=True)
    (tmp_path / "files").mkdir()
    syncing(tmp_path / "bin", monkeypatch, "echo sync: Input/output error >&2; exit 1")
    _, ending = run(lab, ["sh", "-c", "touch {directory}/x"], processes=0, folder=tmp_path, seconds=20)
    assert (ending.state, ending.exit_status) == (State.FAILED, None)
    assert ending.reason == "not all that it wrote was sent to the servers: exit status 1: sync: Input/output error"
    syncing(tmp_path / "other", monkeypatch, "sleep 100")
    _, ending = run(lab, ["sh", "-c", "touch {directory}/x"], processes=0, folder=tmp_path, seconds=4)
    assert ending.state is State.FAILED
    assert ending.reason.startswith("not all that it wrote was sent to the servers: time limit of ")


def test_a_run_that_leaves_no_directory_holds_nothing_back(tmp_path: Path) -> None:
    lab: Any = Jammed(tmp_path, status=0, holds_back=True)
    _, ending = run(lab, ["rm", "-r", "{directory}"], processes=0, folder=tmp_path, seconds=20)
    assert ending.state is State.DONE


def test_input_that_is_not_read_anew_is_sent_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other nodes may not see it else, where caches are not emptied."""
    files = tmp_path / "files"
    files.mkdir()
    syncing(tmp_path / "bin", monkeypatch, 'echo all >"$1"')
    lab: Any = Jammed(files, status=0, holds_back=True)
    script = ["sh", "-c", "grep all {directory}/input"]
    how: dict[str, Any] = {"processes": 0, "folder": tmp_path, "seconds": 20, "prepare": "echo >{directory}/input"}
    _, ending = run(lab, script, **how, fresh=False)
    assert ending.state is State.DONE
