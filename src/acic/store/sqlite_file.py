"""The SQLite file of a store: whether it is there, and a connection to it."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from acic.store.location import Location
from acic.store.locks import BUSY_SECONDS
from acic.store.refusals import store_error

_ROLL_BACK_SECONDS = 0.1  # for others that do it at the same time: who has the file for longer is alive, and waited for


def exists(place: Location) -> bool:
    """Return whether something is there already; a server is taken to have it.

    Raises:
        StoreError: nobody can tell, as in a folder that is closed to this user.
    """
    if place.file is None:
        return True
    try:
        status = place.file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise store_error(place, OSError(f"unable to open: {error.strerror}")) from error
    return stat.S_ISREG(status.st_mode) and status.st_size > 0


def connect(place: Location, *, read_only: bool = False) -> sqlite3.Connection:
    """Return a connection to the SQLite file at `place`, in autocommit mode.

    It keeps SQLite's rollback journal: a write-ahead log needs memory shared by all its users,
    which network file systems (a home directory on NFS) do not give.
    """
    # SQLite's journal lies beside the file itself, not beside a link that leads to it
    if read_only and place.file and Path(f"{os.path.realpath(place.file)}-journal").exists():
        # a writer that was killed leaves a journal, which only a connection that may write can roll back
        with suppress(sqlite3.Error), closing(connect(place)) as plain:
            plain.execute(f"PRAGMA busy_timeout = {1000 * _ROLL_BACK_SECONDS:.0f}")
            plain.execute("SELECT 1 FROM sqlite_master").fetchone()
    options = "&".join(filter(None, ("mode=ro" if read_only else "", place.options)))
    uri = f"file:{quote(os.fsencode(str(place.file)))}?{options}"  # its name may be any bytes
    return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
