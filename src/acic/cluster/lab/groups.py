"""Control groups: what a node may use of the processor and of memory, and what a disk does.

Version 1 where the controllers are mounted so, else version 2. Under version 2 the root group throttles nothing, so
there the lab's own group does: it holds every process that uses its disks, and pages are written back in its name.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from acic.cluster.lab.facts import Disk, LabFacts
from acic.cluster.lab.tools import read, write
from acic.errors import InvalidInput, TransientError

_PERIOD = 50_000  # us in which a node gets its share: short, so that a server answers soon
_PATIENCE = 10.0  # s for killed processes to be gone
_IO_MAX = {  # what a disk does, as version 1 calls it, and version 2
    "read_bps": "rbps",
    "write_bps": "wbps",
    "read_iops": "riops",
    "write_iops": "wiops",
}


@dataclass(frozen=True, slots=True)
class Groups:
    """The lab's control groups.

    Args:
        name: of the lab's group, below which each node has one.
        folders: where each of the controllers cpu, memory and blkio (io) is; one for all under version 2.
        unified: whether that is version 2.
    """

    name: str
    folders: dict[str, Path]
    unified: bool

    def of(self, node: str) -> list[Path]:
        """Return the groups of a node."""
        return [folder / self.name / node for folder in self._own()]

    def _own(self) -> list[Path]:
        return [self.folders["cpu"]] if self.unified else [self.folders["cpu"], self.folders["memory"]]

    def make(self, node: str, facts: LabFacts) -> None:
        """Make the groups of `node` and set what it may use."""
        if self.unified:
            top = self.folders["cpu"]
            for folder in (top, top / self.name):
                folder.mkdir(exist_ok=True)
                write(folder / "cgroup.subtree_control", "+cpu +memory")
        for folder in self.of(node):
            folder.mkdir(parents=True, exist_ok=True)
        for path, value in self.limits(node, facts).items():
            write(path, value)

    def limits(self, node: str, facts: LabFacts) -> dict[Path, str]:
        """Return what limits a node: files of the kernel, and what they must say."""
        share = round(facts.cpu * _PERIOD)
        cpu, memory = (folder / self.name / node for folder in (self.folders["cpu"], self.folders["memory"]))
        if self.unified:
            return {cpu / "cpu.max": f"{share} {_PERIOD}", memory / "memory.max": str(_pages(facts.memory))}
        return {
            cpu / "cpu.cfs_period_us": str(_PERIOD),
            cpu / "cpu.cfs_quota_us": str(share),
            memory / "memory.limit_in_bytes": str(_pages(facts.memory)),
        }

    def processes(self, node: str = "") -> set[int]:
        """Return the processes in the groups of `node`, or of all nodes."""
        pids: set[int] = set()
        for folder in self._own():
            for file in (folder / self.name / node).glob("cgroup.procs" if node else "*/cgroup.procs"):
                with contextlib.suppress(OSError):
                    pids.update(int(word) for word in file.read_text().split())
        return pids - {0, os.getpid()}

    def remove(self) -> None:
        """Kill what is in the lab's groups, and remove them.

        Raises:
            TransientError: some processes do not end.
        """
        limit = time.monotonic() + _PATIENCE
        while True:
            for pid in self.processes():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if all(_removed(folder / self.name) for folder in self._own()):
                return
            if time.monotonic() > limit:
                left = ", ".join(map(str, sorted(self.processes()))) or "none that can be seen"
                raise TransientError(
                    f"processes of the lab do not end: {left}", hint="they wait for a device; try again"
                )
            time.sleep(0.005)

    def throttle(self, device: str, disk: Disk | None) -> None:
        """Let a device do what `disk` does; None: anything.

        Args:
            device: its numbers, as "7:3".
            disk: what it is to do.
        """
        if self.unified:
            words = [f"{key}={'max' if disk is None else wanted(disk)[name]}" for name, key in _IO_MAX.items()]
            if disk is not None:
                write(self.folders["cpu"] / "cgroup.subtree_control", "+io")
            elif not self._limits_file().exists():
                return
            write(self._limits_file(), f"{device} {' '.join(words)}")
            return
        for key in _IO_MAX:
            value = 0 if disk is None else wanted(disk)[key]
            write(self.folders["blkio"] / f"blkio.throttle.{key}_device", f"{device} {value}")

    def throttled(self, device: str) -> dict[str, int]:
        """Return what a device is let do, as far as it is limited: "read_bps", "write_iops" and so on."""
        found = {}
        if self.unified:
            for line in read(self._limits_file()).splitlines():
                number, *pairs = line.split()
                if number == device:
                    told = dict(pair.split("=") for pair in pairs)
                    found = {name: int(told[key]) for name, key in _IO_MAX.items() if told.get(key, "max") != "max"}
            return found
        for key in _IO_MAX:
            for line in read(self.folders["blkio"] / f"blkio.throttle.{key}_device").splitlines():
                number, value = line.split()
                if number == device:
                    found[key] = int(value)
        return found

    def _limits_file(self) -> Path:
        return self.folders["cpu"] / self.name / "io.max"


def groups(name: str, mounts: Path = Path("/proc/self/mounts")) -> Groups:
    """Return the control groups of the lab that uses the group `name`.

    Raises:
        InvalidInput: the controllers cpu, memory and blkio (io) are not to be had.
    """
    folders: dict[str, Path] = {}
    unified = None
    for line in read(mounts).splitlines():
        _, where, kind, options, *_ = line.split()
        if kind == "cgroup":
            for controller in {"cpu", "memory", "blkio"} & set(options.split(",")):
                folders[controller] = Path(where)
        elif kind == "cgroup2" and {"cpu", "memory", "io"} <= set(read(Path(where) / "cgroup.controllers").split()):
            unified = Path(where)
    if len(folders) == 3:
        return Groups(name, folders, unified=False)
    if unified is not None:
        return Groups(name, dict.fromkeys(("cpu", "memory", "blkio"), unified), unified=True)
    raise InvalidInput(
        "this machine lets nobody limit processors, memory and disks",
        hint="mount the control group controllers cpu, memory and blkio; a container may not have them",
    )


def wanted(disk: Disk) -> dict[str, int]:
    """Return what `Groups.throttled` says of a device that does what `disk` does."""
    return {
        "read_bps": disk.read,
        "write_bps": disk.write,
        "read_iops": disk.read_iops,
        "write_iops": disk.write_iops,
    }


def _pages(size: int) -> int:
    page = os.sysconf("SC_PAGE_SIZE")
    return size // page * page


def _removed(folder: Path) -> bool:
    try:
        for child in folder.iterdir():
            if child.is_dir():
                child.rmdir()
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
