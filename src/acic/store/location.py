"""Where a store is: an SQLite file or a PostgreSQL server, told by a path or an SQLAlchemy URL."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from acic.errors import InvalidInput
from acic.paths import expanded, user_folder

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
