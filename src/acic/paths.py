"""Paths that the system finds: the user's own folders, what `~` stands for, where links lead to, and whose they are."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal

from acic.errors import InvalidInput

Kind = Literal["cache", "config", "data", "state"]


def user_folder(kind: Kind) -> Path:
    """Return the user's folder for what acic keeps of that kind, whether it is there or not.

    Raises:
        InvalidInput: this user has no home.
    """
    import platformdirs

    try:
        folder: Path = getattr(platformdirs, f"user_{kind}_path")("acic")
    except RuntimeError:
        folder = Path("~")
    if folder.parts[:1] == ("~",):  # older releases of platformdirs leave it so, as the name of a folder here
        raise InvalidInput("this user has no home folder", hint="set HOME to a folder that you can write to")
    return folder


def system_folders() -> list[Path]:
    """Return the folders of the system's settings for acic, whether they are there or not: the first goes before.

    They are `/etc/xdg/acic`, or in each folder of $XDG_CONFIG_DIRS, of which desktops set several.

    Source: XDG Base Directory Specification 0.8, which has paths that are not absolute ignored.
    """
    named = map(Path, os.environ.get("XDG_CONFIG_DIRS", "").split(os.pathsep))
    return [folder / "acic" for folder in named if folder.is_absolute()] or [Path("/etc/xdg/acic")]


def has_folder(kind: Kind) -> bool:
    """Return whether `user_folder` has one: a container may know neither HOME nor the user."""
    try:
        user_folder(kind)
    except InvalidInput:
        return False
    return True


def expanded(path: Path) -> Path:
    """Return a path from the root on, without `~`.

    Raises:
        InvalidInput: there is no such user, or one without a home.
    """
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:
        raise InvalidInput(
            f"nobody knows which folder {path.parts[0]} is", hint=f"write the folder itself, or ./{path} for one here"
        ) from error


def resolved(path: Path) -> Path:
    """Return where a path leads to, whether anything is there or not.

    Raises:
        InvalidInput: its links lead in a circle.
    """
    try:
        place = path.resolve()
    except RuntimeError:  # Python 3.13 leaves the link as it is
        place = path.absolute()
    if os.path.islink(place):
        raise InvalidInput(f"the links of {path} lead in a circle", hint="remove the link, or give another path")
    return place


def new_file(path: Path, mode: int = 0o666) -> BinaryIO:
    """Make a file, and return it to write to and read; what is there already, a link too, is never followed.

    Args:
        path: of the file.
        mode: what the umask may take rights from.

    Raises:
        FileExistsError: something is there: in a folder of several users, perhaps another's link to a file of this one.
    """
    return open(path, "x+b", opener=partial(os.open, mode=mode))


def is_own(path: Path, *others: int) -> bool:
    """Return whether what is at `path`, no link, belongs to this user, or to one of `others`, who alone can change it.

    Raises:
        OSError: nothing is there, or nobody can tell.
    """
    found = path.lstat()
    writable = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return not stat.S_ISLNK(found.st_mode) and found.st_uid in {os.geteuid(), *others} and not writable


def is_trusted(path: Path) -> bool:
    """Return whether this user alone, root, or who installed acic (and whose code runs anyway) can have made `path`.

    Raises:
        OSError: nothing is there, or nobody can tell.
    """
    return is_own(path, 0, Path(__file__).stat().st_uid)


def all_may_read(path: Path) -> bool:
    """Return whether all users of this machine can read a file: so it and the folders above must say.

    Raises:
        OSError: nothing is there, or nobody can tell.
    """
    file = path.resolve()
    closed = (not folder.stat().st_mode & stat.S_IXOTH for folder in file.parents)
    return bool(file.stat().st_mode & stat.S_IROTH) and not any(closed)
