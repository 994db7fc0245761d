"""acic-nfsmount, found or built."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.cluster.lab import tools
from acic.errors import AcicError
from acic.lab import bridge
from tests.cluster.services import need


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACIC_CACHE", str(tmp_path / "cache"))


def program(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return folder / name


def test_one_on_the_path_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = program(tmp_path / "bin", bridge.NAME, "true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert bridge.bridge() == mine
    assert bridge.lacking() == ""


def test_it_is_built_once_from_the_sources() -> None:
    need(["cc", "make", "pkg-config"], "gcc make pkg-config libnfs-dev libfuse3-dev")
    if tools.which(bridge.NAME):
        pytest.skip("there is one on PATH")
    assert bridge.lacking() == ""
    made = bridge.bridge()
    when = made.stat().st_mtime_ns
    assert bridge.bridge() == made
    assert made.stat().st_mtime_ns == when
    assert tools.asked([str(made), "--help"]).returncode in (0, 1)
    assert [path.name for path in made.parent.parent.iterdir() if "unfinished" in path.name] == []


def test_what_the_compiler_says_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "make", "echo no libnfs.h here >&2; exit 2")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    if tools.which(bridge.NAME):
        pytest.skip("there is one on PATH")
    with pytest.raises(AcicError, match=r"no libnfs\.h here") as caught:
        bridge.bridge()
    assert "doctor" in caught.value.hint
    assert not list((tmp_path / "cache").glob("nfsmount-*"))


def test_missing_headers_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "pkg-config", '[ "$2" != libnfs ]')
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    if tools.which(bridge.NAME):
        pytest.skip("there is one on PATH")
    assert bridge.lacking() == "the headers of libnfs are missing, for NFS"
