"""Whole campaigns through a real Slurm and a real sshd, with a pretend benchmark."""

from __future__ import annotations

import shlex
import shutil
import threading
import time
from pathlib import Path

import pytest

from acic.campaign.journal import campaigns_folder, journals
from acic.cli.main import run
from acic.store.database import Store
from acic.store.measurement import Outcome
from tests.cli.test_searching import furnish
from tests.cluster.slurm import Slurm
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
def test_a_queue_that_is_refused_spoils_no_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], slurm: Slurm
) -> None:
    """Eight runs were made of it, charged and stored as failed, and configurations left alone for good."""
    furnish(tmp_path, monkeypatch)
    slurm.command("scontrol", "delete", "PartitionName=other")
    try:
        assert trained(tmp_path, "--runner", "slurm", "--queue", "other") == 6
        assert "slurm does not take the job" in (said := capsys.readouterr().err), said
        assert "--resume" in said
        with Store.open(str(tmp_path / "store.sqlite")) as store:
            assert not store.measurements("pretend")
        assert not list(tmp_path.glob("acic-*"))
    finally:
        slurm.command("scontrol", "create", "PartitionName=other", f"Nodes={slurm.host}", "State=UP")
    assert run(["train", "--resume"]) == 0
    check(tmp_path)


@pytest.mark.usefixtures("mpi")
def test_a_campaign_whose_partition_is_down_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], slurm: Slurm
) -> None:
    """It said that it was begun, and then nothing for as long as the partition was down; its status never did."""
    furnish(tmp_path, monkeypatch)
    monkeypatch.setattr("acic.campaign.waiting.PATIENCE", 0.0)
    change = ("scontrol", "update", "PartitionName=work")
    seen: list[str] = []

    def look() -> None:  # as `acic campaign status` does, from elsewhere
        for _ in range(300):
            seen.extend(journal.waiting for journal in journals())
            if seen and "PartitionDown" in seen[-1]:
                break
            time.sleep(0.2)
        slurm.command(*change, "State=UP")

    up = threading.Thread(target=look)
    slurm.command(*change, "State=DOWN")
    up.start()
    try:
        assert trained(tmp_path, "--runner", "slurm") == 0
    finally:
        up.join()
    assert "waits in slurm's queue: PartitionDown" in capsys.readouterr().err
    assert "waits in slurm's queue: PartitionDown" in seen[-1]
    assert [journal.waiting for journal in journals()] == [""]
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
@pytest.mark.parametrize(
    ("program", "said", "status", "options", "told"),
    [
        (
            "squeue",
            "squeue: error: fetch_config: DNS SRV lookup failed",
            1,
            ("slurm",),
            "slurm does not answer: squeue",
        ),
        (
            "ssh",
            "ssh: Could not resolve hostname nowhere",
            255,
            ("ssh", "--host", "nowhere"),
            "no answer by ssh from nowhere",
        ),
    ],
)
def test_a_campaign_does_not_begin_where_nobody_answers(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    program: str,
    said: str,
    status: int,
    options: tuple[str, ...],
    told: str,
) -> None:
    pytest.importorskip("psij")
    furnish(tmp_path, monkeypatch)
    fake = tmp_path / "fake" / program
    fake.parent.mkdir()
    fake.write_text(
        f"#!/bin/sh\n# not {program}: what it says where nobody answers\necho '{said}' >&2\nexit {status}\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent), prepend=":")
    assert trained(tmp_path, "--runner", *options) == 6
    assert told in (said_of_it := capsys.readouterr().err), said_of_it
    assert "campaign " not in said_of_it
    assert list(campaigns_folder().iterdir() if campaigns_folder().exists() else ()) == []


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
