"""How Lustre stripes files where nobody says so, as it is found.

Source: lfs-getstripe(1), lfs-osts(1).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass

_PATIENCE = 2.0  # s that a file system has to answer
_KILLED = 0.5  # s for a killed process to be gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The stripes of new files in a directory.

    Args:
        count: objects that a file is spread over; 0 where no number tells, as of composite layouts.
        size: B on one object before the next; 0 likewise.
        targets: the OSTs there are: no file is spread over more; 0 where that is not known.
    """

    count: int
    size: int
    targets: int = 0

    @property
    def plain(self) -> bool:
        """Whether a stripe count and a stripe size tell all of it."""
        return bool(self.count and self.size)


def layout_of(directory: str, mount: str) -> Layout | None:
    """Return the default layout of a directory on Lustre, mounted at `mount`; None where Lustre does not tell."""
    said = told("lfs", "getstripe", "-d", directory)
    count, size = (re.search(rf"stripe_{what}:\s*(-?\d+)", said) for what in ("count", "size"))
    if not count or not size:
        return None
    targets = len(re.findall(r"_UUID\s+ACTIVE", told("lfs", "osts", mount)))
    if "lcm_entry_count" in said:
        return Layout(count=0, size=0, targets=targets)
    objects = int(count[1])
    return Layout(count=targets if objects < 0 else objects, size=max(0, int(size[1])), targets=targets)


def told(*words: str, patience: float | None = None) -> str:
    """Return what a command prints, "" where it is not there, fails, or takes longer than `patience` s (2 s)."""
    if shutil.which(words[0]) is None:
        return ""
    process = subprocess.Popen(  # noqa: S603  # a list, no shell
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        said, _ = process.communicate(timeout=_PATIENCE if patience is None else patience)
    except subprocess.TimeoutExpired:
        process.kill()
        with suppress(subprocess.TimeoutExpired):  # who waits for a file system cannot be killed, nor waited for
            process.wait(_KILLED)
        return ""
    finally:
        if process.stdout:
            process.stdout.close()
    return said.decode(errors="replace") if process.returncode == 0 else ""
