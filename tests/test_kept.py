"""What is kept in the cache folder: few arrays of each kind, and programs that stay where others run them."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from acic.errors import InvalidInput
from acic.kept import arrays_path, can_keep, fetch_arrays, has_arrays, keep_arrays, kept_at, kept_program

DAY = 24 * 3600


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ACIC_CACHE", str(folder))
    return folder


def keep(key: str, age: float = 0.0) -> Path:
    assert keep_arrays(key, {"a": np.arange(3)})
    path = arrays_path(key)
    then = path.stat().st_mtime - age
    os.utime(path, (then, then))
    return path


def test_the_newest_few_of_a_kind_are_kept(cache: Path) -> None:
    """Every answer after a new measurement left another one of some MB."""
    others = {keep(key, age=99 * DAY) for key in ("lab-prior-points-0", "lab-rows-0", "other-prior-0", "alone")}
    for number in range(20):
        keep(f"lab-prior-{number}", age=(20 - number) * 60)
    kept = set(cache.iterdir()) - others
    assert others < set(cache.iterdir())
    assert kept == {arrays_path(f"lab-prior-{number}") for number in range(12, 20)}
    for number in range(12, 20):
        keep(f"lab-prior-{number}", age=-DAY)  # by the clock of another node
    assert keep("lab-prior-last").exists()
    assert len(set(cache.iterdir()) - others) == 8


def test_what_was_never_finished_is_removed_after_a_day(cache: Path) -> None:
    keep("lab-rows-0", age=2 * DAY)
    old, new = cache / "tmpabcd1234.npz", cache / "tmp_bcd123x.npz"
    for path in (old, new, cache / "mine.npz"):
        path.write_text("")
    os.utime(old, (0, 0))
    os.utime(cache / "mine.npz", (0, 0))
    keep("lab-rows-1")
    assert {path.name for path in cache.iterdir()} == {"lab-rows-0.npz", "lab-rows-1.npz", "mine.npz", new.name}


def test_another_process_that_removes_them_too_is_no_matter(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        keep(f"lab-prior-{number}", age=60)
    unlink = Path.unlink

    def twice(path: Path, missing_ok: bool = False) -> None:
        unlink(path)
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", twice)
    assert keep_arrays("lab-prior-9", {"a": np.arange(3)})
    assert len(list(cache.iterdir())) == 8


def test_who_reads_what_is_removed_meanwhile_reads_it_to_its_end(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, load = keep("lab-prior-0"), np.load

    def removed(file: IO[bytes], *, allow_pickle: bool) -> object:
        path.unlink()
        return load(file, allow_pickle=allow_pickle)

    monkeypatch.setattr(np, "load", removed)
    found = fetch_arrays("lab-prior-0")
    assert found is not None
    assert found["a"].tolist() == [0, 1, 2]
    assert not list(cache.iterdir())


def test_foreign_files_are_none(cache: Path) -> None:
    cache.mkdir()
    path = arrays_path("some")
    with path.open("wb") as file:
        np.save(file, np.arange(3))
    assert fetch_arrays("some") is None
    with path.open("wb") as file:
        np.savez_compressed(file, a=np.arange(1000))
    whole = path.read_bytes()
    for place in range(len(whole)):  # headers of arrays are Python, which is damaged in many ways
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        fetch_arrays("some")


def write(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "program").write_text(text)


def test_a_program_is_built_once_and_what_somebody_left_is_replaced(tmp_path: Path) -> None:
    home = tmp_path / "kept" / "program-1"
    home.mkdir(parents=True)
    (home / "left").write_text("over")
    for text in ("A", "B"):
        assert kept_program(home, "program", partial(write, text=text)).read_text() == "A"
    assert {path.name for path in home.iterdir()} == {"program"}
    assert {path.name for path in home.parent.iterdir()} == {"program-1", "program.lock"}


@pytest.mark.parametrize("late", [False, True])
def test_a_program_that_others_run_stays_where_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """Without flock (Lustre, NFS) two built at once, and the second took the program away under who ran the first."""

    def none(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", none)
    home = tmp_path / "program-1"

    def by_two(whole: Path) -> None:
        write(whole, "B")
        if not late:
            write(home, "A")

    if late:  # it appears just before the other's would
        monkeypatch.setattr(shutil, "rmtree", lambda path, **_: write(home, "A") if path == home else None)
    assert kept_program(home, "program", by_two).read_text() == "A"


def test_a_home_that_cannot_be_replaced_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "program-1"
    home.mkdir()
    (home / "busy").write_text("")
    with monkeypatch.context() as stuck:
        stuck.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(OSError, match="not empty"):
            kept_program(home, "program", partial(write, text="B"))


@pytest.fixture
def group_writes() -> Iterator[None]:
    """A umask that lets a group write."""
    before = os.umask(0o002)
    yield
    os.umask(before)


@pytest.mark.parametrize("what", ["folder", "program", "beside", "link", "owner"])
def test_a_program_that_another_user_may_have_put_there_is_not_run(tmp_path: Path, what: str) -> None:
    """Its name follows from what acic is, so that in a cache of several users anybody could be there first."""
    home = tmp_path / "program-1"
    write(home, "A")
    (home / "facts").touch()
    if what == "link":
        home.rename(tmp_path / "theirs")
        home.symlink_to("theirs")
    elif what == "owner":
        if os.getuid() != 0:
            pytest.skip("only root can give a file to somebody else")
        os.chown(home / "program", 65534, 65534)
    else:
        path = {"folder": home, "program": home / "program", "beside": home / "facts"}[what]
        path.chmod(0o777)
    with pytest.raises(InvalidInput, match="is not run") as caught:
        kept_program(home, "program", partial(write, text="B"))
    assert "ACIC_CACHE" in caught.value.hint


def test_a_program_of_root_or_of_who_installed_acic_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "program-1", "A")
    monkeypatch.setattr(os, "geteuid", lambda: 65534)
    assert kept_program(tmp_path / "program-1", "program", partial(write, text="B")).read_text() == "A"


@pytest.mark.usefixtures("group_writes")
def test_a_program_that_is_built_is_nobody_elses_to_change(tmp_path: Path) -> None:
    home = tmp_path / "kept" / "program-1"
    for _ in range(2):
        kept_program(home, "program", partial(write, text="A"))
    assert not any(path.stat().st_mode & 0o022 for path in (home, home.parent, home / "program"))


def test_a_lock_that_another_user_made_a_link_empties_no_file(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "program.lock").symlink_to("precious")
    with pytest.raises(OSError, match="symbolic links"):
        kept_program(tmp_path / "program-1", "program", partial(write, text="A"))
    assert (tmp_path / "precious").read_text() == "precious"


def test_only_what_is_for_all_is_read_by_others(cache: Path) -> None:
    before = os.umask(0o022)
    try:
        for key, for_all in (("a", True), ("b", False)):
            keep_arrays(key, {"a": np.arange(3)}, for_all=for_all)
    finally:
        os.umask(before)
    assert [arrays_path(key).stat().st_mode & 0o777 for key in "ab"] == [0o644, 0o600]
    assert cache.stat().st_mode & 0o777 == 0o755


def test_what_others_may_have_learned_is_none(cache: Path) -> None:
    keep("some")
    assert fetch_arrays("some") is not None
    (cache / "some.npz").chmod(0o666)
    assert fetch_arrays("some") is None


def test_what_is_another_users_in_a_folder_as_tmp_cannot_be_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next answer was said to come at once, and then that nothing can be kept."""
    keep("some")
    cache.chmod(0o1777)
    assert can_keep("some")
    monkeypatch.setattr(os, "geteuid", lambda: 65534)
    assert not can_keep("some")
    assert can_keep("other")
    cache.chmod(0o777)
    assert can_keep("some")


def test_a_cache_that_a_site_prepared_is_read_and_what_is_new_is_the_users_own(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep("theirs")
    write(cache / "program-1", "A")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != cache and access(path, mode))
    before = sorted(cache.rglob("*"))
    assert keep_arrays("mine", {"a": np.arange(2)})
    assert arrays_path("mine") == tmp_path / "own" / "acic" / "mine.npz"
    for key, size in (("theirs", 3), ("mine", 2)):
        assert has_arrays(key)
        assert (fetch_arrays(key) or {})["a"].size == size
    keep_arrays("theirs", {"a": np.arange(4)})  # one's own goes first
    assert (fetch_arrays("theirs") or {})["a"].size == 4
    assert kept_program(kept_at("program-1"), "program", partial(write, text="B")).read_text() == "A"
    assert kept_program(kept_at("program-2"), "program", partial(write, text="B")).read_text() == "B"
    assert sorted(cache.rglob("*")) == before
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: Path("~"))  # no home
    assert fetch_arrays("theirs") is not None
    assert not keep_arrays("mine", {"a": np.arange(2)})
    assert not can_keep("mine")
