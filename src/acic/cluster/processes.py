"""Processes of this machine: told apart and signalled; those of a job are found by the tag in their environment."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from acic.cluster.job import TAG
from acic.errors import TransientError

_ROOT = Path("/")
_PROC = _ROOT / "proc"
_START_TIME = 19  # field 22 of /proc/PID/stat, counted from the state, which follows the name
_KILL_SECONDS = 10.0
_FIRST_NAP, _LONGEST_NAP = 0.002, 0.05  # s


@dataclass(frozen=True, slots=True)
class Process:
    """A process, told apart from a later one with the same number.

    Args:
        pid: its number.
        started: clock ticks from boot to its start.
    """

    pid: int
    started: int

    @property
    def alive(self) -> bool:
        """Whether it is there still, and no zombie."""
        return self.started != 0 and started(self.pid) == self.started  # 0: it had ended when it was noted


def started(pid: int, root: Path = _ROOT) -> int:
    """Return when the process `pid` of a node with the root `root` started: ticks from boot; 0 if it has ended."""
    fields = stat_of(pid, root)
    return int(fields[_START_TIME]) if len(fields) > _START_TIME and fields[0] not in "ZX" else 0


def stat_of(pid: int, root: Path = _ROOT) -> list[str]:
    """Return what proc(5) tells of the process `pid` in `stat`, from its state on; nothing if it has ended."""
    try:
        text = (root / f"proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()  # the name, in parentheses, may hold anything, even parentheses


def tagged(name: str) -> list[Process]:
    """Return this user's processes whose environment has the tag of the job `name`."""
    mark = f"{TAG}={name}".encode()
    uid = os.geteuid()
    found = []
    for entry in os.listdir(_PROC):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        with contextlib.suppress(OSError):  # it ended meanwhile, or is none of ours
            folder = _PROC / entry
            if folder.stat().st_uid == uid and mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(Process(int(entry), started(int(entry))))
    return [process for process in found if process.started]


def end(name: str, *, grace: float) -> bool:
    """End the processes of the job `name`: asked by TERM, after `grace` seconds killed.

    Returns:
        Whether there were any.

    Raises:
        TransientError: some are left 10 s after they were killed: they wait for a device, uninterruptibly.
    """
    asked: set[Process] = set()
    begin = time.monotonic()
    nap = _FIRST_NAP
    seen_none = False
    while True:
        left = tagged(name)
        if not left and seen_none:  # twice, because a process within exec shows no environment
            return bool(asked)
        seen_none = not left
        waited = time.monotonic() - begin
        if left and waited > grace + _KILL_SECONDS:
            pids = ", ".join(str(process.pid) for process in left)
            raise TransientError(
                f"processes of the job {name} do not end: {pids}", hint="they wait for a file system; see to that first"
            )
        for process in left:
            if waited > grace:
                send(process, signal.SIGKILL)
            elif process not in asked:
                send(process, signal.SIGTERM)
        asked.update(left)
        time.sleep(nap)
        nap = min(2 * nap, _LONGEST_NAP)


def send(process: Process, number: signal.Signals) -> None:
    """Signal `process`, and never another one that got its number."""
    with contextlib.suppress(OSError):
        try:
            handle = os.pidfd_open(process.pid)  # from here on its number stands for nobody else
        except OSError:  # Linux before 5.3, or it has ended
            handle = None
        try:
            if not process.alive:
                return
            if handle is None:
                os.kill(process.pid, number)
            else:
                signal.pidfd_send_signal(handle, number)
        finally:
            if handle is not None:
                os.close(handle)
