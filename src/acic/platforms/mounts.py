"""Where on this machine a job could write: the user's directories, one for each mounted file system."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from acic.errors import CONTROL, InvalidInput
from acic.units import GIB

_PSEUDO_NAMES = """
    autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl hugetlbfs mqueue nsfs proc
    pstore ramfs rpc_pipefs securityfs squashfs sysfs tmpfs tracefs"""
_PSEUDO = frozenset(_PSEUDO_NAMES.split())  # nothing there outlives the machine, or nothing can be written
_VARIABLES = ("SCRATCH", "WORK", "PROJECT", "DATA", "HOME", "TMPDIR")  # what sites set for their users
_USUAL = ("/scratch", "/work", "/lustre", "/gpfs", "/beegfs", "/ceph", "/data", "/tmp")  # noqa: S108 (looked at, not used)
LUSTRE = "lustre"  # as the kernel calls it, and what stripes files there
_STRIPED = {
    LUSTRE: LUSTRE,
    **dict.fromkeys(("ceph", "fuse.ceph", "fuse.ceph-fuse"), "ceph"),
    **dict.fromkeys(("pvfs2", "fuse.pvfs2fuse"), "orangefs"),
}
STRIPING = frozenset(_STRIPED.values())
_SPACE = GIB  # less is left alone


@dataclass(frozen=True, slots=True)
class Storage:
    """A directory that the user may write to, and the file system it is on."""

    directory: str
    file_system: str  # as the kernel calls it: ext4, lustre, nfs4
    mount: str

    @property
    def striping(self) -> str:
        """The kind of setting (`filesystems.KINDS`) that stripes files here, "" if there is none."""
        return _STRIPED.get(self.file_system, "")


def mount_table() -> str:
    """Return the text of /proc/self/mounts, whatever bytes names are made of."""
    return os.fsdecode(Path("/proc/self/mounts").read_bytes())


def mounted(table: str) -> dict[str, str]:
    """Return the file system of each mount point in the text of /proc/self/mounts; the last mounted counts."""
    found = {}
    for line in table.split("\n"):  # other ends of lines may stand in a name
        fields = line.split(" ")
        if len(fields) >= 3:
            found[_unescaped(fields[1])] = fields[2]
    return found


def find_storage(table: str, environment: Mapping[str, str], cwd: Path) -> list[Storage]:
    """Return one directory for each file system that the user may write to, the current directory's first.

    Memory, pseudo file systems and those with less than 1 GiB left are left out.
    """
    user = environment.get("USER", "")
    named = [Path(environment[name]) for name in _VARIABLES if environment.get(name)]
    usual = [Path(place) / part for place in _USUAL for part in (user, "")]
    candidates = [cwd, *named, *usual, *(Path(mount) for mount in mounted(table))]
    found: dict[int, Storage] = {}
    for directory in candidates:
        device = _device(directory)
        if device is None or device in found or not _is_text(directory):
            continue
        storage = describe(directory, table)
        if storage.file_system not in _PSEUDO and _writable(directory):
            found[device] = storage
    return list(found.values())


def given_storage(directories: Iterable[Path], table: str) -> list[Storage]:
    """Return the directories that the user names, memory or not.

    Raises:
        InvalidInput: one does not exist, cannot be written to, or is named twice.
    """
    made: list[Storage] = []
    for directory in directories:
        if not directory.is_dir() or not os.access(directory, os.W_OK | os.X_OK):
            raise InvalidInput(f"{directory} is no directory that you can write to", hint="make it first")
        if not _is_text(directory):
            problem = f"the name of {str(directory)!r} is not UTF-8, or has control characters"
            raise InvalidInput(problem, hint="give it another name")
        storage = describe(directory, table)
        if storage.directory in [one.directory for one in made]:
            raise InvalidInput(f"{storage.directory} is named twice", hint="name each directory once")
        made.append(storage)
    return made


def describe(directory: Path, table: str) -> Storage:
    """Return what file system `directory` is on."""
    mounts = mounted(table)
    real = directory.resolve()
    mount = next((str(place) for place in (real, *real.parents) if str(place) in mounts), "/")
    kind = CONTROL.sub("", mounts.get(mount, "unknown"))  # who mounts by FUSE calls it as he likes
    return Storage(str(real), kind, mount)


def _device(directory: Path) -> int | None:
    try:
        return directory.stat().st_dev if directory.is_dir() else None
    except OSError:
        return None


def _writable(directory: Path) -> bool:
    try:
        return os.access(directory, os.W_OK | os.X_OK) and shutil.disk_usage(directory).free > _SPACE
    except OSError:
        return False


def _is_text(directory: Path) -> bool:
    """Return whether the name is one line of UTF-8, so that a platform file and a measurement can hold it."""
    try:
        return not CONTROL.search(os.fsencode(directory.resolve()).decode())
    except UnicodeDecodeError:
        return False


def _unescaped(text: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
