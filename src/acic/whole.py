"""Files that the user names for what a command makes: written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acic.errors import InvalidInput


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a place beside `path` to write to; when the block ends well, what is there becomes `path`.

    A link stays, and what it leads to is replaced. What is there and no file (a folder, `/dev/stdout`) is left alone:
    root would lose the device.

    Raises:
        InvalidInput: the file cannot be written.
    """
    if path.exists() and not path.is_file():
        raise InvalidInput(f"cannot write {path}: it is no file", hint="give the name of a file, new or to be replaced")
    place = path.resolve()
    unfinished = place.with_name(f".{place.stem}.{os.getpid()}{place.suffix}")
    try:
        try:
            yield unfinished
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
