"""The user's own platform file of this machine: where it is kept, what it is called, and how it is replaced."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import socket
import tomllib
from pathlib import Path

from acic.paths import has_folder, user_folder
from acic.platforms.here import HERE, name_of
from acic.whole import whole


def kept_file() -> Path:
    """Return the path of the user's own platform file of this machine."""
    return user_folder("config") / "platforms" / f"{HERE}-{socket.gethostname()}.toml"


def is_described() -> bool:
    """Return whether the user keeps a platform file of this machine; who has no home keeps none."""
    return has_folder("config") and kept_file().exists()


def kept_name() -> str | None:
    """Return the platform's name in that file; None where there is no file, or where it tells none."""
    if not is_described():
        return None
    try:
        return str(tomllib.loads(kept_file().read_text(encoding="utf-8"))["name"])
    except (OSError, ValueError, KeyError):
        return None


def remedy_of(name: str) -> str:
    """Return what to do where a machine's own name is not known; "" where no machine is called so by acic."""
    if not re.fullmatch(rf"{HERE}-[A-Za-z0-9._-]+", name):
        return ""
    if name == name_of(socket.gethostname()):
        return "" if is_described() else "this machine is not described yet: acic platform detect"
    return (
        f"that is another machine, so give the file that describes it: --platform FILE (there it is {name}.toml in "
        "~/.config/acic/platforms, which acic platform detect writes)"
    )


def keep(text: str) -> Path | None:
    """Write the user's own platform file of this machine; it appears when it is whole.

    Returns:
        The copy of the one whose place it took; None where there was none, or it told the same.
    """
    path = kept_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    copy = _copied(path, text)
    with whole(path) as unfinished:
        unfinished.write(text.encode())
    return copy


def _copied(path: Path, text: str) -> Path | None:
    """Return a new copy of a platform file that `text` takes the place of, where that tells more than another date."""
    if not path.exists() or _undated(path.read_text(encoding="utf-8", errors="replace")) == _undated(text):
        return None
    names = (path.with_name(f"{path.name}.{number}") for number in itertools.count(1))
    copy = next(name for name in names if not os.path.lexists(name))
    shutil.copyfile(path, copy)
    return copy


def _undated(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("date = ")]
