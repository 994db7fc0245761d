"""Whole campaigns through a real Slurm and a real sshd, with a pretend benchmark."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from acic.cli.main import run
from acic.store.database import Store
from acic.store.measurement import Outcome
from tests.cli.test_searching import furnish
from tests.cluster.sshd import Sshd


def trained(folder: Path, *options: str) -> int:
    """Measure three points; return the exit status."""
    place = ["--platform", folder / "pretend.toml", "--benchmark", folder / "pretend_ior", "--directory", folder]
    limits = ["--budget", "10min", "--points", 3, "--repeats", "1:1", "--no-screen", "--store", folder / "store.sqlite"]
    return run([str(word) for word in ("train", *place, *limits, *options)])


def check(folder: Path) -> None:
    with Store.open(str(folder / "store.sqlite")) as store:
        found = store.measurements("pretend")
    assert [m.outcome for m in found] == [Outcome.OK] * 3
    assert not list(folder.glob("acic-*"))


@pytest.mark.usefixtures("mpi", "slurm")
def test_a_campaign_runs_through_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    furnish(tmp_path, monkeypatch)
    assert trained(tmp_path, "--runner", "slurm") == 0
    check(tmp_path)


@pytest.mark.usefixtures("mpi")
def test_a_campaign_does_not_begin_without_its_scheduler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("qstat"):
        pytest.skip("there is a PBS here")
    furnish(tmp_path, monkeypatch)
    assert trained(tmp_path, "--runner", "pbs") == 2
    assert "qstat cannot be run" in capsys.readouterr().err
    with Store.open(str(tmp_path / "store.sqlite")) as store:
        assert not store.measurements("pretend")


@pytest.mark.usefixtures("mpi")
def test_a_campaign_runs_over_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sshd: Sshd) -> None:
    furnish(tmp_path, monkeypatch)
    wrapper = tmp_path / "bin" / "ssh"
    wrapper.parent.mkdir()
    program, *options = sshd.client
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which(program)} {shlex.join(options)} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=":")
    assert trained(tmp_path, "--runner", "ssh", "--host", "node1", "--host", "node2:4", "--nodes", "1") == 0
    check(tmp_path)
