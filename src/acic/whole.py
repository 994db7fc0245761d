"""Files that the user names: what a command reads as text, and what it makes, written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from acic.errors import AcicError, InvalidInput, UnreadableInput
from acic.paths import new_file, resolved

_SQLITE = b"SQLite format 3\0"  # how its files begin
_SYSTEM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)  # refusals that no other name in the folder changes


def text_of(path: Path, *, hint: str = "check the path", otherwise: str = "") -> str:
    """Return the text of a file.

    Args:
        path: the file.
        hint: what to do where it cannot be read.
        otherwise: what to do where it is no text, if that is something else.

    Raises:
        UnreadableInput: it is missing, not UTF-8, or no file: nobody knows when a pipe or device comes to its end.
    """
    try:
        if not stat.S_ISREG(mode := path.stat().st_mode) and not stat.S_ISDIR(mode):  # which the system tells of
            raise UnreadableInput(f"cannot read {path}: it is no file", hint="copy what it gives into a file")
        return path.read_text(encoding="utf-8-sig")  # editors of Windows begin a file with a mark
    except OSError as error:
        raise UnreadableInput(f"cannot read {path}: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"cannot read {path}: it is not text", hint=otherwise or hint) from error


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """Give a file beside `path` to write to; when the block ends well, it becomes `path`.

    It is written by what is open and never by its name, under which others that share its folder may put a link.
    A link stays, and what it leads to is replaced; who may read and write a file that was there stays as it was.
    What is there and no file (a folder, `/dev/stdout`), or a database, is left alone: root would lose the device.

    Raises:
        InvalidInput: the file cannot be written.
        AcicError: the disk is full, read-only or damaged, which is nobody's wrong input.
    """
    refuse_to_replace(path)
    place = resolved(path)
    unfinished = place.with_name(f".{place.stem}.{secrets.token_hex(4)}{place.suffix}")
    try:
        before = place.stat() if place.exists() else None
        # nobody else reads it before it has the older one's permissions
        with new_file(unfinished, 0o600 if before else 0o666) as file:
            try:
                yield file
                file.flush()
                if before:
                    _permit(file.fileno(), before)
                os.fsync(file.fileno())
                unfinished.replace(place)
            finally:
                unfinished.unlink(missing_ok=True)
    except OSError as error:
        kind = AcicError if error.errno in _SYSTEM else InvalidInput
        raise kind(
            f"cannot write {path}: {error.strerror or error}",
            hint="name a file in a folder that is there, that you can write to and that has space",
        ) from error


def refuse_to_replace(path: Path, *read: Path | None) -> None:
    """Raise InvalidInput where `path` cannot be written, or is not to be replaced, before anything takes long.

    Not to be replaced is what is no file, what the command reads, what it prints to, and a database.
    """
    if path.exists():
        _refuse_what_is_there(path, read)
    folder = resolved(path).parent
    if not folder.is_dir():
        raise InvalidInput(f"cannot write {path}: {folder} is no folder", hint=f"mkdir -p {shlex.quote(str(folder))}")
    if not os.access(folder, os.W_OK):
        raise InvalidInput(f"cannot write {path}: {folder} is not yours to write", hint="choose another folder")


def _refuse_what_is_there(path: Path, read: Sequence[Path | None]) -> None:
    if not path.is_file():
        raise InvalidInput(f"cannot write {path}: it is no file", hint="give the name of a file, new or to be replaced")
    if any(one is not None and one.exists() and one.samefile(path) for one in read):
        raise InvalidInput(f"cannot write {path}: it is what is read", hint="name another file")
    if any(_leads_to(descriptor, path) for descriptor in (1, 2)):
        raise InvalidInput(f"cannot write {path}: the rest is printed to it", hint="name another file")
    if _is_database(path):
        raise InvalidInput(f"cannot write {path}: it is a database", hint="name another file, or remove that one first")


def _leads_to(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:  # it is closed
        return False


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:  # it cannot be read, but perhaps be replaced
        return False


def _permit(file: int, like: os.stat_result) -> None:
    """Give an open file the owner, group and mode of another, as far as this user may; another group gets no rights."""
    for owner in (like.st_uid, -1):
        with suppress(PermissionError):
            os.fchown(file, owner, like.st_gid)
            break
    mode = stat.S_IMODE(like.st_mode)
    os.fchmod(file, mode if os.fstat(file).st_gid == like.st_gid else mode & ~stat.S_IRWXG)
