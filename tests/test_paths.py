"""The user's own folders, where there is a home and where there is none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import platformdirs
import pytest

from acic.cli.main import run
from acic.errors import InvalidInput
from acic.paths import Kind, resolved, user_folder

VARIABLES = {"cache": "XDG_CACHE_HOME", "config": "XDG_CONFIG_HOME", "data": "XDG_DATA_HOME", "state": "XDG_STATE_HOME"}


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A process without HOME, of a user that no list of users has."""
    for name in ("HOME", "ACIC_STORE", "ACIC_CACHE", *VARIABLES.values()):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987_654)
    return monkeypatch


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_user_without_a_home_is_told_to_set_one(homeless: pytest.MonkeyPatch, kind: Kind) -> None:
    with pytest.raises(InvalidInput, match="no home") as caught:
        user_folder(kind)
    assert "HOME" in caught.value.hint
    homeless.setenv(VARIABLES[kind], "/somewhere")
    assert user_folder(kind) == Path("/somewhere/acic")


@pytest.mark.usefixtures("homeless")
def test_who_has_no_home_is_answered_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """A container without HOME, and a number that no list of users has, was refused what it only asked."""
    log = Path(__file__).parent / "data" / "darshan" / "apps" / "s3d_io_blocking.darshan"
    there = ["--platform", "tianhe-lustre", "--elsewhere"]
    commands = [["platform", "show", "here"], ["data", "list"], ["recommend", str(log), *there]]
    for words in commands:
        assert run(words) == 0, capsys.readouterr().err
    assert "nothing can be kept, so the next answer learns anew; set ACIC_CACHE" in capsys.readouterr().err
    assert run(["platform", "detect"]) == 2
    assert "hint: set HOME" in capsys.readouterr().err


@pytest.mark.parametrize("kind", get_args(Kind))
def test_what_an_older_platformdirs_leaves_open_is_no_folder_here(monkeypatch: pytest.MonkeyPatch, kind: Kind) -> None:
    monkeypatch.setattr(platformdirs, f"user_{kind}_path", lambda name: Path("~/.local") / name)
    with pytest.raises(InvalidInput, match="no home"):
        user_folder(kind)


def test_links_lead_to_their_place_and_circles_nowhere(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("there")
    assert resolved(tmp_path / "link") == (tmp_path / "there").resolve()
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(InvalidInput, match="circle") as caught:
        resolved(tmp_path / "circle")
    assert caught.value.hint
