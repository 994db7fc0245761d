"""Where runs put their files: which directory, whether it is there and has room, and the page cache on top of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path

from acic.errors import InvalidInput
from acic.filesystems import kinds_that_set
from acic.platforms import Platform
from acic.platforms.here import HERE
from acic.platforms.mounts import STRIPING, describe, mount_table
from acic.platforms.own_file import kept_name
from acic.space import Configuration, Rule, Space, Value, repaired
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


def check_directories(platform: Platform, otherwise: Path, only: Mapping[str, Value] | None = None) -> None:
    """Refuse directories that runs cannot write to, or where nothing can be set that the platform's points differ by.

    Args:
        platform: that is to be measured.
        otherwise: where files go, unless configurations choose a storage.
        only: values that all configurations have.

    Raises:
        InvalidInput: it is so.
    """
    directories = list(storage_directories(platform, otherwise))
    for directory in directories:
        if not directory.is_dir() or not os.access(directory, os.W_OK | os.X_OK):
            hint = f"make it, or {_elsewhere(platform, 'give another --directory')}"
            raise InvalidInput(f"{directory} is no directory that you can write to", hint=hint)
    wanted = STRIPING & set(platform.apply)
    if not wanted:
        return
    table, kind = mount_table(), " or ".join(sorted(wanted))
    found = [describe(directory, table) for directory in directories]
    if not any(storage.striping in wanted for storage in found):
        first = found[0]
        remedy = _elsewhere(platform, f"give a --directory on {kind}")
        raise InvalidInput(
            f"{first.directory} is on {first.file_system}: what {platform.name} chooses among are settings of {kind}",
            hint=f"{remedy}, or measure what is here: --platform here",
        )
    if platform.roles.storage:
        plain = [storage.striping not in wanted for storage in found]
        _check_stripes(platform, wanted, plain, only or {})


def _check_stripes(platform: Platform, wanted: Set[str], plain: Sequence[bool], only: Mapping[str, Value]) -> None:
    """Refuse configurations with stripes on a storage that has none, `plain`: each of their runs would fail.

    Raises:
        InvalidInput: there are such.
    """
    name = platform.roles.storage
    values = [v for v, bare in zip(platform.space[name].values, plain, strict=True) if bare and only.get(name, v) == v]
    stripes = [one for one in platform.space.names if wanted & set(kinds_that_set(one))]
    if wrong := [value for value in values if any(_varies(platform, {**only, name: value}, one) for one in stripes)]:
        rules = (f"\n[[constraint]]\nwhen = {{ {name} = {_toml(one)} }}\nabsent = {_toml(stripes)}" for one in wrong)
        baseline = ", and leave both out of [baseline.values]" if platform.baseline.get(name) in wrong else ""
        raise InvalidInput(
            f"{' and '.join(map(str, wrong))} {'is' if len(wrong) == 1 else 'are'} not on "
            f"{' or '.join(sorted(wanted))}: no run there can set {' and '.join(stripes)}",
            hint=f"say so in the platform's file{baseline}:{''.join(rules)}",
        )


def _varies(platform: Platform, fixed: Mapping[str, Value], name: str) -> bool:
    """Return whether a configuration with the values `fixed` may have another value of `name` than the baseline's."""
    space, usual = platform.space, platform.baseline
    ruled = Space(space.parameters, (*space.constraints, Rule(when={}, then=fixed)))
    near = {p.name: p.low for p in space.parameters} | dict(usual) | dict(fixed)
    others = (value for value in space[name].values if value != usual.get(name))
    return any(repaired(ruled, {**near, name: value}, keep=name) for value in others)


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)  # of texts and lists of them: TOML's too


def _elsewhere(platform: Platform, otherwise: str) -> str:
    """Return what to do about a directory: `otherwise`, --directory, does nothing where the platform chooses."""
    if not (name := platform.roles.storage):
        return otherwise
    if platform.given in (HERE, kept_name()):
        return "describe this machine anew, with what is there: acic platform detect --storage DIR"
    return f"take it out of, or correct, the values of {name} in the platform's file"


def found_on(directories: Iterable[Path]) -> dict[str, list[str]]:
    """Return the file system and the mount point that each directory is on now."""
    directories = list(directories)
    for directory in directories:
        with suppress(OSError):  # to open it mounts what is mounted on demand, which asking for its state need not
            os.close(os.open(directory, os.O_RDONLY | os.O_DIRECTORY))
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
