"""How a store is reached and brought up to date: a file by SQLite alone where that will do, else by SQLAlchemy."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from acic.errors import StoreError
from acic.store import engine
from acic.store.location import Location
from acic.store.locks import NO_LOCKS, locks_work, patiently
from acic.store.refusals import store_error
from acic.store.revisions import HEAD, TABLE, VERSION_TABLE, readable
from acic.store.sqlite_file import connect, exists

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class Connections:
    """Reaches the store at a place; no connection outlives the block that asked for it, so that none goes stale.

    Args:
        place: where it is.
        announce: is told where others have an SQLite file locked for long.
    """

    def __init__(self, place: Location, announce: Callable[[str], None]) -> None:
        self._place = place
        self._announce = announce

    def forget(self) -> None:
        """Forget how to connect."""
        self.__dict__.pop("engine", None)

    def bring_up_to_date(self) -> None:
        """Make the store, or migrate it, where it is not of this acic's schema.

        Raises:
            StoreError: it cannot be reached or written, a newer acic made it, or it is a file of something else.
        """
        if (found := self.version()) == HEAD:
            return
        from acic.store.migrate import migrate

        if self._place.file is not None:
            try:
                self._place.file.parent.mkdir(parents=True, exist_ok=True)
                self._make_empty(self._place.file)
            except OSError as error:
                raise store_error(self._place, OSError(f"unable to open: {error.strerror}")) from error
            self._refuse_others()
        try:
            with self.connected(write=True) as connection:
                migrate(connection, self._place.shown)
        except StoreError as error:
            if found is None or "must be owner" not in error.problem:
                raise
            raise StoreError(
                f"the store {self._place.shown} has the schema {found}, and this acic writes {HEAD}",
                hint="its owner brings it up to date, by any command of this acic that writes (acic data import)",
            ) from error

    def version(self) -> str | None:
        """Return the schema's revision; None where there is no schema, or nothing at all, yet."""
        if self._place.file is None:
            from acic.store.migrate import version

            with self.connected() as connection:
                return readable(version(connection), self._place.shown)
        if not exists(self._place):
            return None
        with self.file() as plain:
            tables = _tables(plain)
            if VERSION_TABLE not in tables:
                return None
            row = plain.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()  # noqa: S608  # a constant
        if row is None and TABLE not in tables:  # all migrations were undone
            return None
        return readable(str(row[0]) if row else "", self._place.shown)

    @contextmanager
    def file(self) -> Iterator[sqlite3.Connection]:
        """A connection to the SQLite file, for reading, without SQLAlchemy."""
        try:
            with closing(connect(self._place, read_only=True)) as plain:
                patiently(plain, "SELECT 1 FROM sqlite_master", self._waits)
                yield plain
        except sqlite3.Error as error:
            raise store_error(self._place, error) from error

    @cached_property
    def engine(self) -> Engine:
        """SQLAlchemy's; nothing is connected by it alone."""
        return engine.create(self._place, self._waits)

    @contextmanager
    def connected(self, *, write: bool = False) -> Iterator[Connection]:
        """A connection in a transaction; for `write`, with the lock that lets one writer in at a time."""
        with engine.transaction(self.engine, self._place, write=write) as connection:
            yield connection

    def _waits(self) -> None:
        if not locks_work(self._place):
            raise store_error(self._place, OSError(NO_LOCKS))
        self._announce(f"note: the store {self._place.shown} is in use by another acic: waiting for it to end")

    def _make_empty(self, file: Path) -> None:
        """Make the file as the umask says: SQLite itself would never let a group write, which may share the file."""
        if "mode=" not in self._place.options:  # else SQLite is to make none, or not for writing
            with suppress(FileExistsError):
                Path(os.path.realpath(file)).touch(mode=0o666, exist_ok=False)

    def of_others(self) -> bool:
        """Return whether there is a file of another program: a server may hold several, a file is somebody's."""
        if self._place.file is None or not exists(self._place):
            return False
        with self.file() as plain:
            tables = _tables(plain)
        return bool(tables) and VERSION_TABLE not in tables

    def _refuse_others(self) -> None:
        if self.of_others():
            raise StoreError(f"the file {self._place.shown} holds tables of something else", hint="give another path")


def _tables(plain: sqlite3.Connection) -> set[str]:
    return {name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
