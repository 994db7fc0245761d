"""Where a store is: an SQLite file or a PostgreSQL server, told by a path or an SQLAlchemy URL."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from acic.errors import InvalidInput, StoreError
from acic.paths import expanded, user_folder

BUSY_SECONDS = 60.0  # how long a writer waits for another one
NO_LOCKS = "locking protocol"  # what SQLite says of a file system that has none, where it sees it
TOLD_SECONDS = 2.0  # after which it is told that one waits
CONNECT_SECONDS = 10  # how long a server may take to answer at all
_POSTGRESQL = re.compile(r"postgres(?:ql)?(?:\+psycopg)?://")
_HALF_A_URL = re.compile(r"(?:postgres(?:ql)?|sqlite)(?:\+\w+)?:")  # else the name of a new file
_PASSWORD = re.compile(  # also by names that drivers have not, as they are meant for it: ?pass=, ?PGPASSWORD=
    r"(?<=://)([^:/]*?(?::|%3a)).*@|(?<=[?&;])([^=&;?\s]*(?:pass(?!file)|pwd)[^=&;?\s]*=)[^&]*", re.IGNORECASE
)
_CODED_COLON = re.compile(r"://[^:/?]*%3a.*@", re.IGNORECASE)
_CONNECTION = re.compile(  # libpq's own form, or no scheme: else the name of a new file, with a password in it
    r"(?![.~]|/[^/])"  # which is plainly a file's
    r"(?:\s*(?:host|hostaddr|port|dbname|user|service)\s*=|(?:.*\s)?\w*(?:pass|pwd)\w*\s*=|(?://)?[^/:@\s]+:.*@)",
    re.IGNORECASE | re.DOTALL,
)
_USER = re.compile(r"([^:/]*)(?::[^@]*)?@")  # as SQLAlchemy divides it from its password
_HALF_A_PASSWORD = re.compile(r"://[^:/]*:[^@]*@[^?]*@")  # drivers end it at the first @, and take the rest for a host


@dataclass(frozen=True, slots=True)
class Location:
    """A store's place.

    Args:
        url: what SQLAlchemy takes.
        file: the SQLite file; None for a server.
        options: SQLite's URI options ("vfs=unix-dotfile"), "" for none.
    """

    url: str
    file: Path | None = None
    options: str = ""

    @property
    def shown(self) -> str:
        """The place as it may be printed: without a password."""
        return str(self.file) if self.file else without_password(self.url)

    @property
    def kept(self) -> str:
        """The place as a file may keep it, for `locate` from any folder: without a password, which `~/.pgpass` has."""
        if self.file:
            return f"sqlite:///{self.file}?{self.options}" if self.options else str(self.file)
        scheme, _, rest = self.url.partition("://")
        user = _USER.match(rest)
        server, _, query = rest[user.end() if user else 0 :].partition("?")
        options = "&".join(one for one in query.split("&") if one and not _PASSWORD.search(f"?{one}"))
        return f"{scheme}://{user[1] + '@' if user else ''}{server}{'?' * bool(options)}{options}"

    @property
    def exists(self) -> bool:
        """Whether something is there already; a server is taken to have it.

        Raises:
            StoreError: nobody can tell, as in a folder that is closed to this user.
        """
        if self.file is None:
            return True
        try:
            status = self.file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise store_error(self, OSError(f"unable to open: {error.strerror}")) from error
        return stat.S_ISREG(status.st_mode) and status.st_size > 0

    def connect_file(self, *, read_only: bool = False) -> sqlite3.Connection:
        """Return a connection to the SQLite file, in autocommit mode.

        It keeps SQLite's rollback journal: a write-ahead log needs memory shared by all its users,
        which network file systems (a home directory on NFS) do not give.
        """
        # SQLite's journal lies beside the file itself, not beside a link that leads to it
        if read_only and self.file and Path(f"{os.path.realpath(self.file)}-journal").exists():
            # a writer that was killed leaves a journal, which only a connection that may write can roll back
            with suppress(sqlite3.Error), closing(self.connect_file()) as plain:
                plain.execute("SELECT 1 FROM sqlite_master").fetchone()
        options = "&".join(filter(None, ("mode=ro" if read_only else "", self.options)))
        uri = f"file:{quote(os.fsencode(str(self.file)))}?{options}"  # its name may be any bytes
        return sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


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


def default_url() -> str:
    """Return the path of the user's own store.

    Raises:
        InvalidInput: this user has no home.
    """
    return str(user_folder("data") / "acic.sqlite")


def without_password(text: str) -> str:
    """Return `text`, which may hold the URL of a server, as it may be printed."""
    return _PASSWORD.sub(lambda found: f"{found[1]}***@" if found[1] else f"{found[2]}***", text)


def locate(url: str | None = None) -> Location:
    """Return the place that a path or URL names; the user's own store for None.

    Raises:
        InvalidInput: neither a path nor a URL of SQLite or PostgreSQL, an @ in a password, a user with a colon that is
            written as %3A, or no such home.
    """
    text = url or default_url()
    if _POSTGRESQL.match(text):
        if _HALF_A_PASSWORD.search(text):
            raise InvalidInput(
                "the password in the store's URL holds an @",
                hint="write it as %40, or put the password into ~/.pgpass",
            )
        if _CODED_COLON.search(text):
            raise InvalidInput(
                "the user in the store's URL holds a colon, as %3A",
                hint="write the one before a password as it is, or put the password into ~/.pgpass",
            )
        return Location(_POSTGRESQL.sub("postgresql+psycopg://", text, count=1))
    if "://" not in text:
        if _HALF_A_URL.match(text):
            hint = "write postgresql://USER@HOST/DATABASE or sqlite:///PATH"
            raise InvalidInput("the URL of the store has no //", hint=hint)
        if _CONNECTION.match(text):
            raise InvalidInput(
                "the store looks like what connects to a server, and is no URL",
                hint="write postgresql://USER@HOST/DATABASE (./NAME if it is the name of a file)",
            )
        return _file(text, "")
    scheme, _, rest = text.partition("://")
    if scheme not in ("sqlite", "sqlite+pysqlite"):
        raise InvalidInput(
            f"acic keeps no store in {scheme!r}",
            hint="give the path of an SQLite file, or postgresql://USER@HOST/DATABASE",
        )
    path, _, options = rest.removeprefix("/").partition("?")
    return _file(path, options)


def _file(path: str, options: str) -> Location:
    if path in ("", ":memory:"):
        raise InvalidInput("a store in memory would be lost", hint="give the path of a file")
    if path == "-":
        raise InvalidInput("a store is no stream", hint="give the path of a file (./- if that is its name)")
    file = expanded(Path(path))
    if os.path.isdir(file):  # a Path's raises in a folder that is closed to this user
        raise InvalidInput(f"the store {file} is a folder", hint=f"give the path of a file: {file / 'acic.sqlite'}")
    if os.path.exists(file) and not os.path.isfile(file):  # SQLite would wait for a pipe, or write into a device
        raise InvalidInput(f"the store {file} is no file", hint="give the path of a file, new or a store")
    return Location(f"sqlite:///{file}", file, options)


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
