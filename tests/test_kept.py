"""What is kept in the cache folder: few arrays of each kind, and programs that stay where others run them."""

from __future__ import annotations

import fcntl
import os
import shutil
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from acic.kept import arrays_path, fetch_arrays, keep_arrays, kept_program

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
