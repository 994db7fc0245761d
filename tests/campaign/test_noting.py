"""What commands note before they run something, when it is damaged, or gone before it was read."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict
from pathlib import Path

import pytest

from acic.campaign.journal import Journal
from acic.campaign.killed import clear_up, commands_folder, noted
from acic.campaign.request import Where
from acic.cluster import StillRunning

HEAD = {"machine": socket.gethostname(), "where": asdict(Where()), "outputs": "/nowhere/acic-verify-x"}
DAMAGED = {
    "no JSON": b'{"machine": broken}\n',
    "zeros": bytes(100) + b"\n",
    "no UTF-8": b"\xff\xfe\n",
    "no object": b"[]\n",
    "null": b"null\n",
    "nothing in it": b"{}\n",
    "no way to make runs": json.dumps(HEAD | {"where": {}}).encode() + b"\n",
    "an unknown way": json.dumps(HEAD | {"where": asdict(Where()) | {"moon": 1}}).encode() + b"\n",
    "a number for a folder": json.dumps(HEAD | {"outputs": 5}).encode() + b"\n",
    "a run of nothing": json.dumps(HEAD).encode() + b"\n{}\n",
    "nested too deep": b"[" * 100_000 + b"\n",
}


@pytest.fixture(autouse=True)
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    folder = commands_folder()
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_note_is_told_once_and_hides_no_other(notes: Path, tmp_path: Path, damage: str) -> None:
    file = notes / "acic-verify-a.jsonl"
    file.write_bytes(DAMAGED[damage])
    left = tmp_path / "acic-verify-b"
    left.mkdir()
    (notes / "acic-verify-b.jsonl").write_text(json.dumps(HEAD | {"outputs": str(left)}) + "\n")
    first, second = clear_up()
    assert first == f"{file} was damaged and is removed: a folder acic-verify-a of a killed command may be left"
    assert str(left) in second
    assert not left.exists()
    assert clear_up() == []
    assert list(notes.iterdir()) == []


def test_a_note_that_is_gone_before_it_is_read_is_nobodys(notes: Path) -> None:
    (notes / "gone.jsonl").symlink_to(notes / "removed")  # is found, and cannot be opened
    assert clear_up() == []


def test_what_is_just_beginning_or_of_another_machine_or_at_work_is_left_alone(notes: Path, tmp_path: Path) -> None:
    for name, content in (("begins", ""), ("cut", '{"machine": "x'), ("other", json.dumps(HEAD | {"machine": "m"}))):
        (notes / f"{name}.jsonl").write_text(content + "\n" * (name == "other"))
    with noted(Where(), tmp_path / "acic-verify-c") as note_run:
        note_run("job", tmp_path / "place")
        with (notes / "acic-verify-c.jsonl").open("a") as file:
            file.write("damaged\n")
        assert clear_up() == []
        assert (tmp_path / "acic-verify-c").is_dir()
    assert sorted(path.stem for path in notes.iterdir()) == ["begins", "cut", "other"]


def test_what_could_not_be_ended_is_kept_until_the_next_command_ends_it(notes: Path, tmp_path: Path) -> None:
    outputs, place = tmp_path / "acic-verify-d", tmp_path / "place"
    place.mkdir()

    def interrupted() -> None:
        with noted(Where(), outputs) as note_run:
            note_run("job", place)
            raise StillRunning

    with pytest.raises(StillRunning):
        interrupted()
    assert outputs.is_dir()
    (told,) = clear_up()
    assert str(outputs) in told
    assert not outputs.exists()
    assert not place.exists()
    assert list(notes.iterdir()) == []


@pytest.mark.parametrize("how", ["writable", "link", "owner"])
def test_what_another_user_may_have_noted_is_not_removed(notes: Path, tmp_path: Path, how: str) -> None:
    """Where XDG_STATE_HOME is a folder of several users, a note would name what is to be removed of whom it likes."""
    left, file = tmp_path / "precious", notes / "acic-verify-e.jsonl"
    left.mkdir()
    place = tmp_path / "elsewhere" if how == "link" else file
    place.write_text(json.dumps(HEAD | {"outputs": str(left)}) + "\n")
    if how == "link":
        file.symlink_to(place)
    elif how == "writable":
        file.chmod(0o666)
    elif os.getuid() == 0:
        os.chown(file, 65534, 65534)
    else:
        pytest.skip("only root can give a file to somebody else")
    assert clear_up() == []
    assert left.is_dir()


def test_nobody_else_writes_what_runs_and_those_who_resume_read(notes: Path, tmp_path: Path) -> None:
    """With a umask of 002 any of the group could put a link or another command there."""
    before = os.umask(0o002)
    try:
        journal = Journal.create(tmp_path / "campaigns" / "c", {})
        with noted(Where(), tmp_path / "acic-verify-f"):
            made = [tmp_path / "acic-verify-f", *notes.iterdir(), *journal.folder.rglob("*"), journal.folder]
            assert len(made) == 5
            assert not any(path.stat().st_mode & 0o022 for path in made)
    finally:
        os.umask(before)
