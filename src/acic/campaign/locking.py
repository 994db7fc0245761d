"""Locks of files of the user's state: who is at work has one, and its end gives it back at the latest."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path
from typing import IO

from acic.errors import InvalidInput

_ATTEMPTS, _NAP = 20, 0.02  # s, to get a lock


def lock(file: IO[str]) -> None:
    """Lock a file of the user's state for this process alone.

    Raises:
        BlockingIOError: another process has it.
        InvalidInput: the file system has no locks.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        raise InvalidInput(
            f"the file system of {file.name} has no locks: {error.strerror}",
            hint="set XDG_STATE_HOME to a folder on one that has (Lustre: mounted with flock)",
        ) from error


def lock_soon(file: IO[str]) -> bool:
    """Return whether a file was locked for this process alone, within a moment: who looks by `held` has it for one.

    Raises:
        InvalidInput: the file system has no locks.
    """
    for _ in range(_ATTEMPTS):
        try:
            lock(file)
        except BlockingIOError:
            time.sleep(_NAP)
        else:
            return True
    return False


def held(file: Path) -> bool:
    """Return whether a process has the lock of a file of the user's state; False where there is no such file."""
    try:
        with file.open("r") as opened:
            fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # there is no such file, or a file system without locks, on which none can be
    return False
