"""Where runs put their files: which directory, whether it is there and has room, and the page cache on top of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from acic.errors import InvalidInput
from acic.platforms import Platform
from acic.platforms.here import HERE, kept_name
from acic.platforms.mounts import STRIPING, describe, mount_table
from acic.space import Configuration
from acic.units import format_bytes

_SPARE = 1.05  # of a file system's free space that a run may need


def storage_directory(platform: Platform, configuration: Configuration, otherwise: Path) -> Path:
    """Return where files go: the storage that the configuration chooses, or else `otherwise`."""
    name = platform.roles.storage
    return Path(str(configuration[name])) if name and name in configuration else otherwise


def storage_directories(platform: Platform, otherwise: Path) -> Iterator[Path]:
    """Yield every directory that configurations of the platform may use."""
    if name := platform.roles.storage:
        yield from (Path(str(value)) for value in platform.space[name].values)
    else:
        yield otherwise


def check_directories(platform: Platform, otherwise: Path) -> None:
    """Refuse directories that runs cannot write to, or where nothing can be set that the platform's points differ by.

    Raises:
        InvalidInput: it is so.
    """
    directories = list(storage_directories(platform, otherwise))
    for directory in directories:
        if not directory.is_dir() or not os.access(directory, os.W_OK | os.X_OK):
            raise InvalidInput(f"{directory} is no directory that you can write to", hint=_elsewhere(platform))
    wanted = STRIPING & set(platform.apply)
    table = mount_table()
    found = [describe(directory, table) for directory in directories]
    if wanted and not any(storage.striping in wanted for storage in found):
        kind = " or ".join(sorted(wanted))
        first = found[0]
        raise InvalidInput(
            f"{first.directory} is on {first.file_system}: what {platform.name} chooses among are settings of {kind}",
            hint=f"give a --directory on {kind}, or measure what is here: --platform here",
        )


def _elsewhere(platform: Platform) -> str:
    """Return what to do where a directory cannot be written to; --directory does nothing where the platform chooses."""
    if not (name := platform.roles.storage):
        return "make it, or give another --directory"
    if platform.given in (HERE, kept_name()):
        return "make it, or describe this machine anew, with what is there: acic platform detect --storage DIR"
    return f"make it, or take it out of the values of {name} in the platform's file"


def found_on(directories: Iterable[Path]) -> dict[str, list[str]]:
    """Return the file system and the mount point that each directory is on now."""
    table = mount_table()
    found = ((directory, describe(directory, table)) for directory in directories)
    return {str(directory): [storage.file_system, storage.mount] for directory, storage in found}


def same_places(places: Mapping[str, list[str]]) -> dict[str, int]:
    """Return the device number of each directory, which stays the same until the machine is started anew.

    Args:
        places: what `found_on` told when the campaign began.

    Raises:
        InvalidInput: one is on another file system now.
    """
    now = found_on(Path(directory) for directory in places)
    for directory, (file_system, mount) in places.items():
        if now[directory] != [file_system, mount]:
            raise InvalidInput(
                f"{directory} was on {mount} ({file_system}) when the campaign began, and no longer is",
                hint="mount it again, then resume",
            )
    return {directory: Path(directory).stat().st_dev for directory in places if Path(directory).is_dir()}


def check_place(directory: Path, total_bytes: int, device: int | None, *, room: int | None = None) -> None:
    """Refuse a directory that is not the one it was (a mount that is gone), or that is full.

    Args:
        directory: where a run is to write.
        total_bytes: that it moves, B.
        device: the device number that the directory had, if that is known.
        room: B that it has, where its file system cannot tell (CephFS without a manager says 0).

    Raises:
        InvalidInput: it is so.
        OSError: the directory is gone.
    """
    if device is not None and directory.stat().st_dev != device:
        raise InvalidInput(f"{directory} is on another file system than before: is it mounted?")
    need, free = total_bytes * _SPARE, shutil.disk_usage(directory).free if room is None else room
    if need > free:
        raise InvalidInput(f"{directory} has {format_bytes(free)} left, and the run needs {format_bytes(need)}")


def forget(folder: Path) -> None:
    """Ask this machine's kernel to drop the files from its page cache, so that they are read from storage."""
    for path in folder.iterdir():
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)
