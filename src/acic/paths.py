"""Paths that the system finds: the user's own folders, what `~` stands for, and where links lead to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

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
