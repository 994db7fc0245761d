"""What is made once and kept in the user's cache folder: arrays, and programs from C sources of acic's own."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from acic.errors import InvalidInput
from acic.paths import is_trusted, new_file, user_folder

_ROOM = 4 * 2**20  # B; what is learned of some thousand measurements takes 3 MB
_NEWEST = 8  # of a kind are kept: a few stores, half-lives or versions of acic, each used again and again
_TEMPORARY = "tmp????????.npz"
_UNFINISHED = 24 * 3600.0  # s, after which nobody finishes what was begun
_SOURCES = (".c", ".h", ".def")


def cache_folder() -> Path:
    """Return where things are kept: $ACIC_CACHE, or the user's cache folder, also beside an $ACIC_CACHE to read alone.

    Raises:
        InvalidInput: this user has no home.
    """
    named = os.environ.get("ACIC_CACHE")
    return Path(named) if named and not _prepared() else user_folder("cache")


def _prepared() -> Path | None:
    """Return $ACIC_CACHE where this user can only read it, as one that a site prepared for all."""
    named = os.environ.get("ACIC_CACHE")
    return Path(named) if named and os.path.isdir(named) and not os.access(named, os.W_OK) else None


def cache_folders() -> list[Path]:
    """Return where things are looked for, in order: the folder that they are kept in, and one that a site prepared."""
    prepared = _prepared()
    return ([cache_folder()] if can_hold() else []) + ([prepared] if prepared else [])


def kept_at(name: str) -> Path:
    """Return where what is called `name` is kept, or else is to be; InvalidInput as `cache_folder`."""
    for folder in cache_folders():
        if os.path.lexists(folder / name):
            return folder / name
    return cache_folder() / name


def can_hold() -> bool:
    """Return whether there is a folder to keep things in: a user without a home has none."""
    try:
        cache_folder()
    except InvalidInput:
        return False
    return True


def can_keep(key: str) -> bool:
    """Return whether arrays can be kept under `key`, as far as that can be told before."""
    if not can_hold():
        return False
    folder = cache_folder()
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        if not _can_replace(arrays_path(key)):
            return False
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, _ROOM)  # a quota that is used up is seen by nothing less
    except OSError:
        return False
    return True


def _can_replace(path: Path) -> bool:
    """Return whether a new file can take the place of `path`: not that of another user in a folder as /tmp."""
    if not os.path.lexists(path):
        return True
    folder = path.parent.stat()
    return not folder.st_mode & stat.S_ISVTX or os.geteuid() in {0, folder.st_uid, path.lstat().st_uid}


def has_arrays(key: str) -> bool:
    """Return whether something was kept under `key`."""
    return any((folder / f"{key}.npz").is_file() for folder in cache_folders())


def fetch_arrays(key: str) -> dict[str, Any] | None:
    """Return the numpy arrays that were kept under `key`; None if none were, or what is there cannot be read."""
    import numpy as np

    try:
        path = kept_at(f"{key}.npz")
        if not is_trusted(path):
            return None  # another user may have us answer what he likes
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception:  # a foreign, cut or outdated file, which zlib, NumPy and Python's tokenizer tell each in its way
        return None  # it is made anew


def keep_arrays(key: str, arrays: Mapping[str, Any], *, for_all: bool = False) -> bool:
    """Keep arrays under `key`, and return whether that was possible; a cache that cannot be written is no error.

    The file appears when it is whole, so that runs beside one another never read half of it. Of keys that differ behind
    their last dash alone, the newest few are kept.

    Args:
        key: their name.
        arrays: what to keep.
        for_all: let others read it, as far as the umask does; else it is this user's alone.
    """
    import numpy as np

    if not can_hold():
        return False
    path = arrays_path(key)
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        unfinished = path.with_name(f"tmp{secrets.token_hex(4)}.npz")
        with new_file(unfinished, 0o644 if for_all else 0o600) as file:
            try:
                np.savez(file, **arrays)
                file.flush()
                unfinished.replace(path)
            except BaseException:
                unfinished.unlink()
                raise
    except OSError:
        return False
    _tidy(path)
    return True


def _tidy(kept: Path) -> None:
    """Remove older files of the kind of one just `kept`, and what processes that were killed never finished.

    Who reads one of them has it open, and goes on reading; or else, on a network file system, finds none.
    """
    times: dict[Path, float] = {}
    for path in kept.parent.glob("*.npz"):
        with suppress(OSError):  # another process was quicker
            times[path] = path.stat().st_mtime
    now, kind = times.pop(kept, 0.0), kept.stem.rpartition("-")[0]
    alike = sorted((path for path in times if kind and path.stem.rpartition("-")[0] == kind), key=times.__getitem__)
    unfinished = [path for path, time in times.items() if path.match(_TEMPORARY) and now - time > _UNFINISHED]
    for path in (*alike[: 1 - _NEWEST], *unfinished):
        with suppress(OSError):
            path.unlink()


def arrays_path(key: str) -> Path:
    """Return where arrays are put under `key`; InvalidInput as `cache_folder`."""
    return cache_folder() / f"{key}.npz"


@cache
def source_digest(folder: Path) -> str:
    """Return what names the C sources in a folder, and their Makefile."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in _SOURCES or path.name == "Makefile":
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def kept_program(home: Path, program: str, build: Callable[[Path], None]) -> Path:
    """Return a program in the folder `home`, which is built if it is not there yet.

    The folder appears when it is whole; of several processes at once one builds, and the others wait. Where the file
    system has no locks several may build; the program of the first stays, as others run it by then.

    Args:
        home: the folder; what somebody left of it is replaced.
        program: its name.
        build: makes the folder that it is given, with the program in it; beside it is room for its own files.

    Raises:
        InvalidInput: another user may have put it there.
        OSError: the folder above `home` cannot be written to.
    """
    if not is_kept(home, program):
        home.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with _alone(home.parent / f"{program}.lock"):
            if not is_kept(home, program):
                with tempfile.TemporaryDirectory(dir=home.parent, prefix=f"{program}-unfinished-") as unfinished:
                    build(Path(unfinished) / "whole")
                    _put(Path(unfinished) / "whole", home, program)
    return home / program


def is_kept(home: Path, program: str) -> bool:
    """Return whether a program is in the folder `home`.

    Raises:
        InvalidInput: another user may have put it there, or what is beside it, and would have us run what he likes.
    """
    if not os.path.lexists(home):
        return False
    if not is_trusted(home) or not all(map(is_trusted, home.iterdir())):
        raise InvalidInput(
            f"{home / program} is not run: other users made it, or can change what is in its folder",
            hint="name a cache folder in ACIC_CACHE that is yours alone, or remove that folder to have it built anew",
        )
    return (home / program).exists()


def _put(whole: Path, home: Path, program: str) -> None:
    """Make `whole`, for nobody else to change, the folder `home`, unless that has the program by now."""
    if is_kept(home, program):
        return
    for path in (whole, *whole.iterdir()):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~(stat.S_IWGRP | stat.S_IWOTH))
    shutil.rmtree(home, ignore_errors=True)
    try:
        whole.rename(home)
    except OSError:
        if not is_kept(home, program):
            raise


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock; a file system without locks does without, as the result appears at once in any case."""
    with open(lock, "a", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o666)) as file:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
