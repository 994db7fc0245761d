"""Nodes: processes that see a network, a process table, a host name and mounts of their own."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acic.cluster.lab.tools import DOCTOR, asked, environment, read
from acic.cluster.processes import Process, send, started, stat_of
from acic.errors import TransientError

STORE, STATE, MOUNT = "/acic/store", "/acic/state", "/acic/mnt"
MARK = "ACIC_LAB"  # the environment variable of everything that runs in a lab, with the lab's name

_PATIENCE = 15.0  # s for a node to come up
_UNSHARE = "unshare --net --uts --ipc --mount --pid --fork --kill-child --mount-proc --propagation private"
# Where daemons write unless told otherwise: a node has these to itself, empty, so that the machine stays as it is.
_PRIVATE = ("/var/lib/nfs", "/var/lib/ganesha", "/var/lib/glusterd", "/var/lib/ceph")
_PRIVATE_LOGS = ("/var/log/ganesha", "/var/log/glusterfs", "/var/log/ceph")

# A node's root is a tmpfs of its own in which the machine's folders are bound, so that /acic is nowhere else. The
# first process reaps children: a shell that waits does, in 2 MB.
_INIT = r"""
set -eu
mount -t tmpfs -o mode=755 acic /run
mkdir /run/root
mount -t tmpfs -o mode=755 acic /run/root
cd /run/root
for entry in /* /.[!.]*; do
  name=${entry#/}
  case $name in acic|run|lost+found) continue ;; esac
  if [ -L "$entry" ]; then cp -P "$entry" "$name"
  elif [ -d "$entry" ]; then mkdir "$name"; mount --rbind "$entry" "$name"
  elif [ -f "$entry" ]; then : >"$name"; mount --bind "$entry" "$name"
  fi
done
mkdir -p run acic/store acic/state acic/mnt old
mount -t tmpfs -o mode=755 acic run
mount -t tmpfs -o mode=1777 acic dev/shm
mkdir run/lock
printf '%s' "$2" >run/hosts
mount --bind run/hosts etc/hosts
for folder in $3; do
  if [ -d "./$folder" ]; then mount -t tmpfs -o mode=755 acic "./$folder"; fi
done
pivot_root . old
cd /
umount -l /old
rmdir /old
echo "$1" >/proc/sys/kernel/hostname
echo ready
exec </dev/null >/dev/null 2>&1 /bin/sh -c 'trap : HUP INT TERM; while :; do sleep infinity & wait; done' node "$1"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node that is up.

    Args:
        name: of it.
        address: IPv4.
        pid: its first process, as this machine counts.
        groups: control groups of all that runs in it.
    """

    name: str
    address: str
    pid: int
    groups: tuple[Path, ...]

    @property
    def root(self) -> Path:
        """Its files, as seen from outside: add a path without its first slash."""
        return Path(f"/proc/{self.pid}/root")

    def within(self, path: str) -> Path:
        """Return where `path` of the node is, as seen from outside."""
        return self.root / path.lstrip("/")

    def enter(self, command: Sequence[str]) -> list[str]:
        """Return what runs `command` in the node: in its namespaces and in its groups."""
        return ["/bin/sh", "-c", f'{self.entrance()} "$@"', "sh", *command]

    def entrance(self) -> str:
        """Return the beginning of a shell line whose rest is run in the node."""
        return f"{joining(self.groups)} exec nsenter -t {self.pid} -n -u -i -m -p --"

    def run(
        self, command: Sequence[str], *, seconds: float = 30.0, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in it to its end.

        Raises:
            TransientError: it took longer than `seconds`, and was killed.
        """
        try:
            return asked(self.enter(command), seconds=seconds, stdin=stdin)
        except TransientError as error:  # which tells how it is entered, too
            problem = f"{shlex.join(command)} on {self.name} did not end in {seconds:g} s"
            raise TransientError(problem, hint=error.hint) from error

    def mounts(self) -> list[tuple[str, str, str]]:
        """Return what is mounted in it: path, type and source of each, the topmost last."""
        found = []
        for line in read(Path(f"/proc/{self.pid}/mountinfo")).splitlines():
            left, _, right = line.partition(" - ")
            kind, source, *_ = right.split(" ")
            found.append((left.split(" ")[4], kind, source))
        return found

    def mounted(self, path: str) -> str:
        """Return the type of what is mounted at `path`; "" if nothing is."""
        return next((kind for where, kind, _ in reversed(self.mounts()) if where == path), "")


def joining(folders: Iterable[Path]) -> str:
    """Return the beginning of a shell line that puts the shell into control groups."""
    return " ".join(f"echo 0 >{shlex.quote(str(folder / 'cgroup.procs'))} &&" for folder in folders)


def hosts_file(addresses: Mapping[str, str]) -> str:
    """Return /etc/hosts for the nodes."""
    lines = ["127.0.0.1 localhost", "::1 localhost", *(f"{address} {name}" for name, address in addresses.items())]
    return "\n".join([*lines, ""])


@dataclass(frozen=True, slots=True)
class Coming:
    """A node that is coming up.

    Args:
        process: the one that made its namespaces, and ends with it; nobody's child, so that nobody has to wait for it.
        output: what it says until it is up, to be read.
    """

    process: Process
    output: int


def start(lab: str, name: str, hosts: str, groups: Iterable[Path]) -> Coming:
    """Start a node; it is up when `ready` says so.

    Args:
        lab: the lab's name.
        name: the node's.
        hosts: its /etc/hosts.
        groups: control groups that exist.

    Raises:
        TransientError: the machine refuses it.
    """
    private = " ".join(folder.lstrip("/") for folder in (*_PRIVATE, *_PRIVATE_LOGS))
    script = f'{joining(groups)} {{ setsid {_UNSHARE} /bin/sh -c "$@" & echo $!; }}'
    output, theirs = os.pipe()
    try:
        subprocess.run(  # noqa: S603  # a list
            ["/bin/sh", "-c", script, "sh", _INIT, "sh", name, hosts, private],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            cwd="/",
            env=environment() | {MARK: lab},
            check=False,
        )
    finally:
        os.close(theirs)
    line = b""
    while not line.endswith(b"\n") and (some := os.read(output, 1)):
        line += some
    if not line.strip().isdigit():
        os.close(output)
        raise TransientError(f"a node of the lab does not start: {line.decode(errors='replace').strip()}", hint=DOCTOR)
    pid = int(line)
    return Coming(Process(pid, started(pid)), output)


def ready(coming: Coming) -> Process:
    """Wait until a node is up; return its first process.

    Raises:
        TransientError: it does not come up.
    """
    told = b""
    limit = time.monotonic() + _PATIENCE
    with open(coming.output, "rb", buffering=0) as stream:
        while not told.endswith(b"ready\n"):
            left = limit - time.monotonic()
            some = stream.read(4096) if left > 0 and select.select([stream], [], [], left)[0] else b""
            if not some:
                why = told.decode(errors="replace").strip().replace("\n", "; ")
                raise TransientError(f"a node of the lab does not come up: {why or 'no answer'}", hint=DOCTOR)
            told += some
    for pid in children(coming.process.pid):
        return Process(pid, started(pid))
    raise TransientError("a node of the lab ended at once", hint=DOCTOR)


def children(parent: int) -> list[int]:
    """Return the processes that `parent` started and that are there still."""
    file = Path(f"/proc/{parent}/task/{parent}/children")
    if file.exists():
        return [int(word) for word in read(file).split()]
    found = []
    for entry in os.listdir("/proc"):
        fields = stat_of(int(entry)) if entry.isdigit() else []
        if len(fields) > 1 and fields[1] == str(parent):
            found.append(int(entry))
    return found


def parent(pid: int) -> int:
    """Return the process that `pid` is a child of: 0 if it has ended."""
    fields = stat_of(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def marked(lab: str) -> set[int]:
    """Return the processes that run in the lab `lab`, by their environment."""
    mark = f"{MARK}={lab}".encode()
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            with contextlib.suppress(OSError):
                if mark in Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                    found.add(int(entry))
    return found


def kill(processes: Iterable[Process]) -> None:
    """Kill processes, and none that got the number of one; return when they are gone.

    Raises:
        TransientError: one does not go.
    """
    left = [process for process in processes if process.alive]
    for process in left:
        send(process, signal.SIGKILL)
    limit = time.monotonic() + _PATIENCE
    while left := [process for process in left if process.alive]:
        if time.monotonic() > limit:
            pids = ", ".join(str(process.pid) for process in left)
            raise TransientError(f"processes of the lab do not end: {pids}", hint="they wait for a device; try again")
        time.sleep(0.002)
