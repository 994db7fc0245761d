"""Locks of an SQLite file: waited for while others have them, and whether there are any where it is."""

from __future__ import annotations

import errno
import fcntl
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from tempfile import TemporaryFile

from acic.store.location import Location

BUSY_SECONDS = 60.0  # how long a writer waits for another one
NO_LOCKS = "locking protocol"  # what SQLite says of a file system that has none, where it sees it
TOLD_SECONDS = 2.0  # after which it is told that one waits
_NONE = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


def patiently(plain: sqlite3.Connection, statement: str, waits: Callable[[], None]) -> None:
    """Run a statement that takes a lock of an SQLite file; `waits` is called where others have it for long.

    Raises:
        sqlite3.Error: they have it for BUSY_SECONDS, or what else SQLite refuses.
    """
    plain.execute(f"PRAGMA busy_timeout = {1000 * min(TOLD_SECONDS, BUSY_SECONDS):.0f}")
    try:
        plain.execute(statement).close()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        waits()
        plain.execute(f"PRAGMA busy_timeout = {1000 * BUSY_SECONDS:.0f}")
        plain.execute(statement).close()
    else:
        plain.execute(f"PRAGMA busy_timeout = {1000 * BUSY_SECONDS:.0f}")


def locks_work(place: Location) -> bool:
    """Return whether files beside an SQLite file can be locked as SQLite locks it.

    SQLite itself takes most refusals of a file system for another's lock. A new file is asked, as to close the store's
    own would drop SQLite's locks. True where nobody can tell, as in a folder that is closed to this user, and where
    SQLite is told to lock otherwise.
    """
    if place.file is None or "vfs=" in place.options:
        return True
    with suppress(OSError), TemporaryFile(dir=place.file.resolve().parent) as beside:
        try:
            fcntl.lockf(beside, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in _NONE
    return True
