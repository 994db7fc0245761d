"""FUSE file systems whose daemon is stuck or gone: what waits for them is given an error, so that it can end."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from acic.cluster.lab.tools import asked, read

_CONTROL = Path("/sys/fs/fuse/connections")


def cut_off(pid: int) -> None:
    """Abort the FUSE file systems that the process `pid` sees and this machine does not.

    Whoever waits for one of them cannot even be killed.

    Source: Linux, Documentation/filesystems/fuse.rst, "Aborting a filesystem connection".
    """
    found = _connections(pid) - _connections(os.getpid())
    if not found:
        return
    there = any(_CONTROL.glob("*"))
    if not there:
        asked(["mount", "-t", "fusectl", "none", str(_CONTROL)])
    for number in found:
        with contextlib.suppress(OSError):  # gone meanwhile
            (_CONTROL / number / "abort").write_text("1")
    if not there:
        asked(["umount", str(_CONTROL)])


def _connections(pid: int) -> set[str]:
    """Return the numbers of the connections: the minor numbers of the file systems' devices (proc(5), mountinfo)."""
    found = set()
    for line in read(Path(f"/proc/{pid}/mountinfo")).splitlines():
        before, _, after = line.partition(" - ")
        kind = after.partition(" ")[0]
        if kind == "fuse" or kind.startswith("fuse."):
            found.add(before.split()[2].partition(":")[2])
    return found
