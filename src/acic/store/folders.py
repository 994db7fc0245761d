"""What lies below a folder that is given for its files: each of them, and where nobody looked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Skipped:
    """A folder, a file, or a part of it, that gave no measurement, and why."""

    path: Path
    reason: str


def files_below(folder: Path) -> tuple[list[Path], list[Skipped]]:
    """Return all below `folder` that is no folder, in order of the names, and the folders that were not looked into.

    A link to a folder is told, not followed: it may lead in a circle, or to what is not meant.
    """
    files: list[Path] = []
    skipped: list[Skipped] = []

    def closed(error: OSError) -> None:
        skipped.append(Skipped(Path(error.filename), f"cannot be looked into: {error.strerror}"))

    for place, folders, names in os.walk(folder, onerror=closed):
        files += (Path(place, name) for name in names)
        links = (one for name in folders if (one := Path(place, name)).is_symlink())
        skipped += (Skipped(link, "is a link to a folder, and not followed: give that folder itself") for link in links)
    return sorted(files), skipped
