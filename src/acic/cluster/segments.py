"""Shared memory that MPI programs leave behind when they are killed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  # where shm_open puts it
PATTERNS = ("mpich_shm_*", "sm_segment.*", "vader_segment.*")  # MPICH, Open MPI 5, Open MPI 4


def remove_unused(folder: Path = _SHARED_MEMORY) -> list[Path]:
    """Remove this user's segments that no process holds open or mapped; return them."""
    uid = os.geteuid()
    left = set()
    for pattern in PATTERNS:
        for path in folder.glob(pattern):
            with contextlib.suppress(OSError):
                if path.stat().st_uid == uid:
                    left.add(str(path))
    used = {os.path.basename(path) for path in _used()} if left else set()  # a node of the lab shows another folder
    unused = [Path(path) for path in sorted(left) if os.path.basename(path) not in used]
    for path in unused:
        path.unlink(missing_ok=True)
    return unused


def _used() -> Iterator[str]:
    """Yield all files that this user's processes have open or mapped.

    Descriptors are looked at first: a program maps a segment before it closes the descriptor, so that
    one or the other shows it.
    """
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    yield str(descriptor.readlink())
        with contextlib.suppress(OSError):
            for line in (process / "maps").read_text(errors="replace").splitlines():
                yield line[line.find("/") :] if "/" in line else ""
