"""`whole`: what a user named is written whole or not at all."""

import os
from pathlib import Path

import pytest

from acic.errors import InvalidInput
from acic.whole import whole


def _write_half(path: Path, failure: BaseException) -> None:
    with whole(path) as unfinished:
        unfinished.write_text("half")
        raise failure


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "made.txt"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        _write_half(path, KeyboardInterrupt())
    assert path.read_text() == "before"
    with whole(path) as unfinished:
        unfinished.write_text("all")
        assert path.read_text() == "before"
    assert path.read_text() == "all"
    assert os.listdir(tmp_path) == ["made.txt"]


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No space left"):
        _write_half(tmp_path / "made", OSError(28, "No space left on device"))
    assert os.listdir(tmp_path) == []


def test_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("made")
    with whole(tmp_path / "link") as unfinished:
        unfinished.write_text("all")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "made").read_text() == "all"


def test_what_is_no_file_is_never_replaced(tmp_path: Path) -> None:
    """Root once lost /dev/full so."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link", "."):
        with pytest.raises(InvalidInput, match="no file"), whole(tmp_path / name):
            pytest.fail("nothing may be written")
    assert (tmp_path / "pipe").is_fifo()


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot write"), whole(tmp_path / "no" / "made") as unfinished:
        unfinished.write_text("all")
