"""What SQLite or a server refuses, as an error that tells what it means, with its remedy."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

from acic.errors import StoreError
from acic.store.location import Location
from acic.store.locks import BUSY_SECONDS, NO_LOCKS

_SQLITE = (
    ("not a database", "is not a database", "give another path, or move that file away"),
    ("database or disk is full", "has no space left", "free some space; nothing of this change was kept"),
    ("readonly", "may not be written", "check who owns the file and its folder, or give a store of your own"),
    ("unable to open", "cannot be opened", "check that its folder exists and that you may write there"),
    (
        "locked",
        f"was busy for more than {BUSY_SECONDS:.0f} s",
        "wait for the other acic to end; on NFS or Lustre with locks that hang, keep the store on a local disk, "
        "in PostgreSQL, or give sqlite:///PATH?vfs=unix-dotfile (to everyone who uses it)",
    ),
    (
        NO_LOCKS,
        "cannot be locked: its file system has no working locks",
        "keep the store on a local disk or in PostgreSQL, or give sqlite:///PATH?vfs=unix-dotfile (to all who use it)",
    ),
    ("malformed", "is damaged", "restore a copy of the file, or import the raw data into a new one"),
    ("no such vfs", "asks for an unknown vfs", "use vfs=unix-dotfile or none"),
    (
        "no such ",
        "is damaged, or of something else: it lacks a table or column",
        "restore a copy of the file, or give another path",
    ),
)
_NO_LOCK = (sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_IOERR_RDLOCK, sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK)
_SERVER = (  # its states; where a driver tells none (as one that does not connect), a pattern of what it says
    ("53100", "No space left", "has no space left", "free space on the server; nothing of this change was kept"),
    ("25006", "read-only", "may not be written", "the server is a read-only copy: give the address of the primary"),
    (
        "42501",
        "permission denied",
        "refused the right to do that: {reason}",
        "ask its owner for the right (docs/data.md lists them all), or use another database",
    ),
    (
        "22P05",
        "no equivalent in encoding",
        "cannot hold a letter, for its encoding has none: {reason}",
        "copy it into a database in UTF-8 (`acic data export`; createdb -E UTF8 -T template0 NAME)",
    ),
    (
        "57P01 57P02 57P03",
        "database system is ",
        "cannot be used now: {reason}",
        "the server is starting or stopping: try again in a minute",
    ),
    (
        "53300",
        "too many (?:clients|connections)|connection slots",
        "has no connection left: {reason}",
        "try again when others have ended, or ask its owner for more connections",
    ),
    (
        "",
        "not currently accepting connections",
        "accepts no connections",
        "ask its owner to open it (ALTER DATABASE NAME ALLOW_CONNECTIONS true)",
    ),
    (
        "",
        "pg_hba.conf",
        "does not let this user in from here: {reason}",
        "correct the user, the host and sslmode in the URL, or ask the server's owner for a line in pg_hba.conf",
    ),
    (
        "",
        "no password supplied",
        "asks for a password, and none was given",
        "put it into ~/.pgpass or PGPASSWORD, or give the store's URL with it again: it is kept nowhere",
    ),
    (
        "28P01",
        "password authentication failed",
        "refused the password",
        "correct it in the URL, in PGPASSWORD or in ~/.pgpass",
    ),
    (
        "28000",
        'role ".*" (?:does not exist|is not permitted)|authentication failed',
        "refused the user",
        "correct the user in the URL",
    ),
    (
        "3D000",
        'database ".*" does not exist',
        "does not exist",
        "create the database (createdb NAME), or correct its name in the URL",
    ),
)
_REFUSAL = re.compile("FATAL|fe_sendauth")  # of a server, or of the driver that it asks for more


def store_error(place: Location, error: BaseException) -> StoreError:
    """Return what a driver's error means, with its remedy."""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if place.file is not None:
        if "unable to open" in reason and os.path.isfile(place.file) and not os.access(place.file, os.R_OK):
            hint = "ask who owns the file to let you (chmod), or give a store of your own"
            return StoreError(f"the store {place.shown} may not be read", hint=hint)
        lock = Path(f"{os.path.realpath(place.file)}.lock")  # of vfs=unix-dotfile
        if getattr(error, "sqlite_errorcode", None) in _NO_LOCK:
            reason = NO_LOCKS
        for part, problem, hint in _SQLITE:
            if part in reason:
                if part == "locked" and lock.is_dir():
                    hint = f"wait for the other acic to end; if none runs, one was killed: remove the folder {lock}"
                return StoreError(f"the store {place.shown} {problem}", hint=hint)
        return StoreError(f"the store {place.shown} failed: {reason}", hint="check the disk, or give another path")
    state = getattr(error, "sqlstate", None)
    for states, pattern, problem, hint in _SERVER:
        if state in states.split() or (not state and _REFUSAL.search(reason) and re.search(pattern, reason)):
            return StoreError(f"the store {place.shown} {problem.format(reason=reason)}", hint=hint)
    if state:
        return StoreError(f"the store {place.shown} failed: {reason}", hint="look into the server's log")
    return StoreError(
        f"the store {place.shown} cannot be reached: {reason}",
        hint="check that the server runs and that host, port and database in the URL are right, or ask "
        "without it: ACIC_STORE= acic ...",
    )
