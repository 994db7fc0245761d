"""`whole`: what a user named is written whole or not at all."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from acic.errors import AcicError, InvalidInput
from acic.whole import refuse_to_replace, whole

WRITE = (*("--processes", "4", "--operation", "write"), *("--interface", "POSIX", "--data-size", "1MiB"))


def _write_half(path: Path, failure: BaseException) -> None:
    with whole(path) as unfinished:
        unfinished.write(b"half")
        raise failure


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "made.txt"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        _write_half(path, KeyboardInterrupt())
    assert path.read_text() == "before"
    with whole(path) as unfinished:
        unfinished.write(b"all")
        assert path.read_text() == "before"
    assert path.read_text() == "all"
    assert os.listdir(tmp_path) == ["made.txt"]


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    with pytest.raises(AcicError, match="No space left") as caught:
        _write_half(tmp_path / "made", OSError(28, "No space left on device"))
    assert caught.value.exit_status == 1, "the system refused it: a file's name is no wrong input"
    with pytest.raises(InvalidInput, match="too long"):
        _write_half(tmp_path / "made", OSError(36, "File name too long"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("what", ["pipe", "/dev/zero"])
def test_what_may_have_no_end_is_not_read(tmp_path: Path, what: str) -> None:
    """A command waited for ever, or filled the memory."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "x.toml").symlink_to(what)
    command = [sys.executable, "-m", "acic"]
    for words in (("platform", "show"), ("design", "effects"), ("replicate",)):
        done = subprocess.run([*command, *words, tmp_path / "x.toml"], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr.splitlines()[0]) == (
            3,
            f"acic: cannot read {tmp_path / 'x.toml'}: it is no file",
        )


def test_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("made")
    with whole(tmp_path / "link") as unfinished:
        unfinished.write(b"all")
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


def test_links_in_a_circle_are_said(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for name in ("a", "a/made"):
        with pytest.raises(InvalidInput) as caught, whole(tmp_path / name) as unfinished:
            unfinished.write(b"all")
        assert caught.value.hint
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert (tmp_path / "a").is_symlink()


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot write"), whole(tmp_path / "no" / "made") as unfinished:
        unfinished.write(b"all")


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o640])
def test_a_file_that_is_written_anew_keeps_who_may_read_and_write_it(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "made"
    path.write_text("before")
    path.chmod(mode)
    with whole(path) as unfinished:
        unfinished.write(b"all")
        assert not os.fstat(unfinished.fileno()).st_mode & ~mode & 0o777  # nobody else reads it meanwhile either
    assert path.stat().st_mode & 0o777 == mode
    assert path.read_text() == "all"


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give a file to any group")
def test_a_file_that_is_written_anew_stays_its_groups(tmp_path: Path) -> None:
    path = tmp_path / "made"
    path.write_text("before")
    os.chown(path, -1, 12345)
    with whole(path) as unfinished:
        unfinished.write(b"all")
    assert path.stat().st_gid == 12345


def test_a_new_file_has_the_mode_that_any_file_would_have(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    with whole(tmp_path / "made") as unfinished:
        unfinished.write(b"all")
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_that_another_user_planted_is_never_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder of a group any of it may link a name that can be guessed to a file of whoever writes there."""
    precious = tmp_path / "precious"
    precious.write_text("precious")
    precious.chmod(0o600)
    shared = tmp_path / "shared"
    shared.mkdir()
    for name in (f".made.{os.getpid()}.txt", f".made.{7:08x}.txt"):
        (shared / name).symlink_to(precious)
    with whole(shared / "made.txt") as unfinished:
        (new,) = {path for path in shared.iterdir() if not path.is_symlink()}
        new.unlink()
        new.symlink_to(precious)  # while it is written
        unfinished.write(b"all")
    assert (precious.read_text(), precious.stat().st_mode & 0o777) == ("precious", 0o600)
    (shared / "made.txt").unlink()
    with whole(shared / "made.txt") as unfinished:
        unfinished.write(b"all")
    assert not (shared / "made.txt").is_symlink()
    monkeypatch.setattr("secrets.token_hex", lambda count: f"{7:0{2 * count}x}")
    with pytest.raises(InvalidInput, match="File exists"), whole(shared / "made.txt") as unfinished:
        pytest.fail("nothing may be written")
    assert (precious.read_text(), precious.stat().st_mode & 0o777) == ("precious", 0o600)


@pytest.mark.parametrize("link", [False, True])
def test_what_is_read_is_never_replaced(tmp_path: Path, link: bool) -> None:
    """--hints-file and --replay made text of the log that they were given for, and said nothing."""
    log, other = tmp_path / "run.darshan", tmp_path / "hints"
    log.write_bytes(b"log")
    name = log
    if link:
        name = tmp_path / "link"
        name.symlink_to(log)
    with pytest.raises(InvalidInput, match="it is what is read"):
        refuse_to_replace(name, None, tmp_path / "missing", log)
    refuse_to_replace(other, log)
    other.touch()
    refuse_to_replace(other, log)


def test_a_database_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("create table t (x)")
    made.close()
    with pytest.raises(InvalidInput, match="it is a database"), whole(path) as unfinished:
        unfinished.write(b"hints")
    assert path.read_bytes().startswith(b"SQLite format 3")


def test_what_is_printed_to_is_never_replaced(tmp_path: Path) -> None:
    """The hints took the place of the answer, which went to a file that nobody could find any more."""
    words = [sys.executable, "-m", "acic", "recommend", *WRITE, "--platform", "lab", "--hints-file", "/dev/stdout"]
    with (tmp_path / "answer").open("w") as answer:
        done = subprocess.run(words, stdout=answer, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "the rest is printed to it" in done.stderr
