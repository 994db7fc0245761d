"""What is made once and kept in the user's cache folder: arrays, and programs from C sources of acic's own."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from acic.paths import has_folder, user_folder

_ROOM = 4 * 2**20  # B; what is learned of some thousand measurements takes 3 MB
_NEWEST = 8  # of a kind are kept: a few stores, half-lives or versions of acic, each used again and again
_TEMPORARY = "tmp????????.npz"  # as tempfile names them
_UNFINISHED = 24 * 3600.0  # s, after which nobody finishes what was begun
_SOURCES = (".c", ".h", ".def")


def cache_folder() -> Path:
    """Return where things are kept: $ACIC_CACHE, or the user's cache folder.

    Raises:
        InvalidInput: this user has no home.
    """
    if folder := os.environ.get("ACIC_CACHE"):
        return Path(folder)
    return user_folder("cache")


def can_hold() -> bool:
    """Return whether there is a folder to keep things in: a user without a home has none."""
    return bool(os.environ.get("ACIC_CACHE")) or has_folder("cache")


def can_keep() -> bool:
    """Return whether things can be kept, as far as that can be told before."""
    if not can_hold():
        return False
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, _ROOM)  # a quota that is used up is seen by nothing less
    except OSError:
        return False
    return True


def fetch_arrays(key: str) -> dict[str, Any] | None:
    """Return the numpy arrays that were kept under `key`; None if none were, or what is there cannot be read."""
    import numpy as np

    try:
        with arrays_path(key).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception:  # a foreign, cut or outdated file, which zlib, NumPy and Python's tokenizer tell each in its way
        return None  # it is made anew


def keep_arrays(key: str, arrays: Mapping[str, Any]) -> bool:
    """Keep arrays under `key`, and return whether that was possible; a cache that cannot be written is no error.

    The file appears when it is whole, so that runs beside one another never read half of it. Of keys that differ behind
    their last dash alone, the newest few are kept.
    """
    import numpy as np

    if not can_hold():
        return False
    path = arrays_path(key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npz", delete=False) as file:
            unfinished = Path(file.name)
            try:
                np.savez(file, **arrays)
                file.close()
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
    """Return where arrays are kept under `key`; InvalidInput as `cache_folder`."""
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
        OSError: the folder above `home` cannot be written to.
    """
    if not (home / program).exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with _alone(home.parent / f"{program}.lock"):
            if not (home / program).exists():
                with tempfile.TemporaryDirectory(dir=home.parent, prefix=f"{program}-unfinished-") as unfinished:
                    build(Path(unfinished) / "whole")
                    _put(Path(unfinished) / "whole", home, program)
    return home / program


def _put(whole: Path, home: Path, program: str) -> None:
    """Make `whole` the folder `home`, unless that has the program by now."""
    if (home / program).exists():
        return
    shutil.rmtree(home, ignore_errors=True)
    try:
        whole.rename(home)
    except OSError:
        if not (home / program).exists():
            raise


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock; a file system without locks does without, as the result appears at once in any case."""
    with lock.open("w") as file:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
