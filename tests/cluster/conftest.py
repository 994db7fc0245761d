"""A private Slurm and a private sshd, started when the first test wants them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acic.lab import Lab
from tests.cluster import slurm as slurm_service
from tests.cluster import sshd as sshd_service
from tests.cluster.places import Place
from tests.cluster.services import need, need_mpi


@pytest.fixture(scope="session")
def slurm_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[slurm_service.Slurm]:
    pytest.importorskip("psij")
    need(slurm_service.PROGRAMS, slurm_service.PACKAGES)
    cluster = slurm_service.Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def slurm(slurm_cluster: slurm_service.Slurm, monkeypatch: pytest.MonkeyPatch) -> slurm_service.Slurm:
    for name, value in slurm_cluster.environment.items():
        monkeypatch.setenv(name, value)
    slurm_cluster.recover()
    return slurm_cluster


@pytest.fixture
def several_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[slurm_service.Slurm]:
    pytest.importorskip("psij")
    need(slurm_service.PROGRAMS, slurm_service.PACKAGES)
    folder = tmp_path / "slurm"
    folder.mkdir()
    cluster = slurm_service.Slurm(folder, nodes=4)
    try:
        cluster.start()
        for name, value in cluster.environment.items():
            monkeypatch.setenv(name, value)
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sshd_service.Sshd]:
    need(sshd_service.PROGRAMS, sshd_service.PACKAGES)
    server = sshd_service.Sshd(tmp_path_factory.mktemp("sshd"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def mpi() -> None:
    need_mpi()


@pytest.fixture(params=["local", "ssh", "slurm", "lab"])
def place(request: pytest.FixtureRequest) -> Place:
    need_mpi()
    if request.param == "ssh":
        server: sshd_service.Sshd = request.getfixturevalue("sshd")
        return Place("ssh", {"hosts": ["node1", "node2:4"], "ssh": server.client})
    if request.param == "slurm":
        request.getfixturevalue("slurm")
        return Place("slurm", {"interval": 0.1, "settle": 1.0, "patience": 10.0})
    if request.param == "lab":
        made: Lab = request.getfixturevalue("lab")
        return Place("lab", {"state": str(made.room.state)})
    return Place("local")
