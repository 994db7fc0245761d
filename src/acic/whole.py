"""Files that the user names for what a command makes: written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from acic.errors import InvalidInput
from acic.paths import resolved


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a place beside `path` to write to; when the block ends well, what is there becomes `path`.

    A link stays, and what it leads to is replaced; who may read and write a file that was there stays as it was.
    What is there and no file (a folder, `/dev/stdout`) is left alone: root would lose the device.

    Raises:
        InvalidInput: the file cannot be written.
    """
    refuse_what_is_no_file(path)
    place = resolved(path)
    unfinished = place.with_name(f".{place.stem}.{os.getpid()}{place.suffix}")
    try:
        try:
            before = place.stat() if place.exists() else None
            if before:
                unfinished.touch(mode=0o600)  # nobody else reads it before it has the older one's permissions
            yield unfinished
            if before:
                _permit(unfinished, before)
            with unfinished.open("rb") as file:
                os.fsync(file.fileno())
            unfinished.replace(place)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"cannot write {path}: {error.strerror or error}",
            hint="name a file in a folder that is there, that you can write to and that has space",
        ) from error


def refuse_what_is_no_file(path: Path) -> None:
    """Raise InvalidInput where `path` is there and no file, before anything takes long."""
    if path.exists() and not path.is_file():
        raise InvalidInput(f"cannot write {path}: it is no file", hint="give the name of a file, new or to be replaced")


def _permit(path: Path, like: os.stat_result) -> None:
    """Give a file the owner, group and mode of another, as far as this user may; another group gets no rights."""
    for owner in (like.st_uid, -1):
        with suppress(PermissionError):
            os.chown(path, owner, like.st_gid)
            break
    mode = stat.S_IMODE(like.st_mode)
    path.chmod(mode if path.stat().st_gid == like.st_gid else mode & ~stat.S_IRWXG)
