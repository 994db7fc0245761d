"""Whether files can be locked where a store is: SQLite takes most refusals of a file system for another's lock."""

from __future__ import annotations

import errno
import fcntl
from contextlib import suppress
from tempfile import TemporaryFile

from acic.store.location import Location

_NONE = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


def locks_work(place: Location) -> bool:
    """Return whether files beside an SQLite file can be locked as SQLite locks it.

    It asks of a new file, as to close the store's own would drop SQLite's locks. True where nobody can tell, as in a
    folder that is closed to this user, and where SQLite is told to lock otherwise.
    """
    if place.file is None or "vfs=" in place.options:
        return True
    with suppress(OSError), TemporaryFile(dir=place.file.resolve().parent) as beside:
        try:
            fcntl.lockf(beside, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in _NONE
    return True
