"""Disks: sparse files behind loop devices that do what a profile says and no more, with a file system over them.

Each disk is two loop devices. The lower one is throttled. The upper one is what the file system is on: like the
elevator of a real disk, its queue joins neighbouring pieces before they are counted as I/Os. Without it, a RAID-0 of
btrfs, which cuts everything into pieces of 64 KiB, would give 16 MB/s on a disk of 90 MB/s and 250 I/Os a second.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from acic.cluster.lab.facts import Disk
from acic.cluster.lab.groups import Groups
from acic.cluster.lab.nodes import STORE, Node
from acic.cluster.lab.tools import read, tool, write
from acic.errors import InvalidInput, TransientError

MOST_DEVICES = 8  # of one server
XFS, BTRFS = "xfs", "btrfs"

_READ_AHEAD = 4096  # KiB: what is read ahead must be far more than one I/O, or few I/Os a second slow a stream down
_UNLIMITED = {"strict_limit": "0", "max_ratio": "100", "read_ahead_kb": "128"}  # as the kernel makes a device
_LOOP_CTL_REMOVE = 0x4C81  # of linux/loop.h
_SLACK = 0.1  # of what may wait to be written
_PATIENCE = 10.0  # s for a device to be let go


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """What a server keeps its files on.

    Args:
        node: its name.
        profile: name of the disk's facts.
        loops: devices that the file system is on.
        spindles: throttled devices beneath, one for each.
        kind: file system over them.
        capacity: B of them all.
    """

    node: str
    profile: str
    loops: tuple[str, ...]
    spindles: tuple[str, ...]
    kind: str
    capacity: int

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Devices:
        """Return what `table` made."""
        return cls(**{**table, "loops": tuple(table["loops"]), "spindles": tuple(table["spindles"])})

    def table(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


def image_of(folder: Path, node: str, index: int) -> Path:
    """Return the file behind a disk of a node."""
    return folder / f"{node}.{index}.img"


def spindles_of(folder: Path) -> dict[str, str]:
    """Return the loop devices whose files are in `folder`, with the file of each."""
    return {loop: behind for loop, behind in _attached().items() if Path(behind).parent == folder}


def over(spindle: str) -> list[str]:
    """Return the loop devices that lie over another one."""
    return [loop for loop, behind in _attached().items() if behind == spindle]


def make(node: Node, profile: str, disk: Disk, count: int, folder: Path, groups: Groups) -> Devices:
    """Make `count` disks, a file system over them, and mount it on `node`; `folder` exists.

    Raises:
        InvalidInput: too many disks.
        TransientError: the machine refuses something.
    """
    if not 1 <= count <= MOST_DEVICES:
        raise InvalidInput(f"{count} devices for a server", hint=f"give 1 to {MOST_DEVICES}")
    files = [image_of(folder, node.name, index) for index in range(count)]
    for file in files:
        with file.open("wb") as made:
            made.truncate(disk.size)
    kind = XFS if count == 1 else BTRFS
    if kind == XFS:
        tool("mkfs.xfs", "-q", "-f", "-K", files[0])  # before it is a device: in the page cache, at once
    spindles = [_loop(file) for file in files]
    loops = [_loop(spindle) for spindle in spindles]
    if kind == BTRFS:
        tool("mkfs.btrfs", "-q", "-f", "-K", "-d", "raid0", "-m", "raid0", *loops)
    for spindle, loop in zip(spindles, loops, strict=True):
        groups.throttle(numbers(spindle), disk)
        _limit(bdi(loop), disk.dirty)
    # a disk of its kind knows no discards; a loop device on another one would write zeros in their place
    options = "noatime,nodiscard" if kind == BTRFS else "noatime"
    tool(*node.enter(["mount", "-t", kind, "-o", options, loops[0], STORE]))
    done = Devices(
        node=node.name,
        profile=profile,
        loops=tuple(loops),
        spindles=tuple(spindles),
        kind=kind,
        capacity=disk.size * count,
    )
    for shared in shared_bdi(done):
        _limit(shared, disk.dirty * count)
    return done


def remove(folder: Path, groups: Groups) -> None:
    """Take all disks with files in `folder` away, which nobody has mounted any more.

    Raises:
        TransientError: one is still in use.
    """
    for spindle, file in spindles_of(folder).items():
        for loop in over(spindle):
            _free(bdi(loop))
            _detach(loop, spindle)
        groups.throttle(numbers(spindle), None)
        _detach(spindle, file)
    for image in folder.glob("*.img"):
        image.unlink()


def unthrottle(folder: Path, groups: Groups) -> None:
    """Let all disks do what they can, so that they are soon done."""
    for spindle in spindles_of(folder):
        groups.throttle(numbers(spindle), None)


def numbers(loop: str) -> str:
    """Return the numbers of a block device, as "7:3"."""
    return read(_block(loop) / "dev")


def bdi(loop: str) -> Path:
    """Return where the kernel's writing back to a block device is set."""
    return Path("/sys/class/bdi") / numbers(loop)


def direct(loop: str) -> bool:
    """Return whether what a loop device reads and writes passes by the page cache below it."""
    return read(_block(loop) / "loop/dio") == "1"


def shared_bdi(devices: Devices) -> list[Path]:
    """Return where writing back to the file system itself is set, if it has that.

    Raises:
        TransientError: it is not mounted.
    """
    if devices.kind != BTRFS:
        return []
    for entry in Path("/sys/fs/btrfs").glob(f"*/devices/{Path(devices.loops[0]).name}"):
        return [(entry.parent.parent / "bdi").resolve()]
    raise TransientError(f"the store of {devices.node} is not found below /sys/fs/btrfs", hint="try again")


def limited(folder: Path, dirty: int) -> bool:
    """Return whether a bdi lets `dirty` B wait to be written, and no more; the kernel keeps a share of memory."""
    strict = read(folder / "strict_limit") == "1"
    found = int(read(folder / "max_bytes") or 0)
    return strict and abs(found - dirty) <= _SLACK * dirty and read(folder / "read_ahead_kb") == str(_READ_AHEAD)


def renew(folder: Path, dirty: int) -> None:
    """Set again how much a bdi lets wait: the kernel's share is one of the memory that is free, which changes."""
    with contextlib.suppress(TransientError):  # `limited` tells what is not so
        write(folder / "max_bytes", str(dirty))


def free(folder: Path) -> int:
    """Return how many B the disks with files in `folder` can hold together: what they do, and what is free there."""
    return shutil.disk_usage(folder).free + sum(image.stat().st_blocks * 512 for image in folder.glob("*.img"))


def _limit(folder: Path, dirty: int) -> None:
    write(folder / "strict_limit", "1")
    write(folder / "max_bytes", str(dirty))
    write(folder / "read_ahead_kb", str(_READ_AHEAD))


def _free(folder: Path) -> None:
    """Set a bdi as the kernel makes it."""
    for name, value in _UNLIMITED.items():
        write(folder / name, value)


def _loop(behind: str | Path) -> str:
    return tool("losetup", "--direct-io=on", "--find", "--show", behind).strip()


def _block(loop: str) -> Path:
    return Path("/sys/block") / Path(loop).name


def _attached() -> dict[str, str]:
    """Return what is behind each loop device of this machine."""
    found = {}
    for folder in Path("/sys/block").glob("loop*/loop"):
        if behind := _behind(folder.parent):
            found[f"/dev/{folder.parent.name}"] = behind
    return found


def _behind(block: Path) -> str:
    return read(block / "loop/backing_file").removesuffix(" (deleted)")


def _detach(loop: str, behind: str) -> None:
    """Return when the loop device stands for what is behind it no more."""
    limit = time.monotonic() + _PATIENCE
    while _behind(_block(loop)) == behind:
        with contextlib.suppress(TransientError):
            tool("losetup", "-d", loop)
        if _behind(_block(loop)) == behind:
            if time.monotonic() > limit:
                raise TransientError(f"the disk {loop} is still in use", hint="end what uses it, then: acic lab down")
            time.sleep(0.005)


def existing() -> list[str]:
    """Return the names of all loop devices of this machine, used or not."""
    return sorted(folder.name for folder in Path("/sys/block").glob("loop*"))


def forget(before: Sequence[str]) -> None:
    """Remove the unused loop devices that were not there `before`: the kernel made them when it ran out of them."""
    extra = [name for name in existing() if name not in before and not _behind(Path("/sys/block") / name)]
    if extra:
        with open("/dev/loop-control", "rb") as control:
            for name in extra:
                with contextlib.suppress(OSError):  # somebody has taken it meanwhile
                    fcntl.ioctl(control, _LOOP_CTL_REMOVE, int(name.removeprefix("loop")))


def discard_cache() -> None:
    """Drop what the kernel has read and does not need to keep."""
    write(Path("/proc/sys/vm/drop_caches"), "3")
