"""Platform files that a computing centre gives to all its users: one folder, each file called as its platform."""

from __future__ import annotations

import os
from pathlib import Path

from acic.errors import InvalidInput, UnreadableInput
from acic.paths import expanded, is_trusted, resolved, system_folders
from acic.platforms.here import HERE
from acic.whole import text_of

_SUFFIX = ".toml"


def site_folder() -> Path:
    """Return the folder, whether it is there or not: $ACIC_PLATFORMS, or the first beside the system's settings.

    Raises:
        InvalidInput: the variable names a folder of a user whom nobody knows.
    """
    named = os.environ.get("ACIC_PLATFORMS")
    if named:
        return expanded(Path(named))
    folders = [folder / "platforms" for folder in system_folders()]
    return next((folder for folder in folders if os.path.isdir(folder)), folders[0])


def lacks_folder() -> bool:
    """Return whether a folder is named that is not there, or that this user may not look into."""
    return bool(os.environ.get("ACIC_PLATFORMS")) and not os.access(f"{site_folder()}/.", os.R_OK | os.X_OK)


def site_names() -> list[str]:
    """Return the names of the site's platforms; none where it has no folder of them."""
    try:
        files = [file.name for file in site_folder().iterdir()]
    except OSError:
        return []
    names = (file.removesuffix(_SUFFIX) for file in files if file.endswith(_SUFFIX) and not file.startswith("."))
    return sorted(name for name in names if name != HERE)


def site_file(name: str) -> Path:
    """Return the file of the site's platform called `name`."""
    return site_folder() / f"{name}{_SUFFIX}"


def site_text(name: str) -> str:
    """Return the text of that file.

    Raises:
        InvalidInput: another user than those who are trusted can change it, and so what is typed and run.
        UnreadableInput: it cannot be read.
    """
    file = site_file(name)
    try:
        trusted = all(is_trusted(resolved(path)) for path in (file.parent, file))
    except OSError as error:
        raise UnreadableInput(f"cannot read {file}: {error.strerror}", hint="ask who keeps it") from error
    if not trusted:
        raise InvalidInput(
            f"{file} is not read: others than root, you and who installed acic own it or its folder, or can change it",
            hint=f"ask who keeps it (chown root, chmod go-w), or if you trust it all the same: --platform {file}",
        )
    return text_of(file, hint="ask who keeps it")
