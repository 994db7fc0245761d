"""How SQLAlchemy reaches a store; imported work is left until a connection is wanted."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from acic.errors import StoreAway, StoreError, with_extra
from acic.store.location import Location, without_password
from acic.store.locks import patiently
from acic.store.refusals import store_error
from acic.store.revisions import TABLE
from acic.store.rows import COLUMNS
from acic.store.sqlite_file import connect
from acic.units import KIB, MIB

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_CONNECT_SECONDS = 10  # how long a server may take to answer at all
_WRITES = "acic_writes"
_NAMES = ", ".join(COLUMNS)
_INCOMING = f"CREATE TEMPORARY TABLE incoming AS SELECT {_NAMES} FROM {TABLE} LIMIT 0"  # noqa: S608  # constants
_COPY = f"COPY incoming ({_NAMES}) FROM STDIN"
_TAKE_OVER = f"INSERT INTO {TABLE} ({_NAMES}) SELECT * FROM incoming ON CONFLICT (fingerprint) DO NOTHING"  # noqa: S608 (own names)
_VALUES = ", ".join(f":{name}" for name in COLUMNS)
_INSERT = f"INSERT INTO {TABLE} (id, {_NAMES}) VALUES (:id, {_VALUES}) ON CONFLICT (fingerprint) DO NOTHING"  # noqa: S608 (own names)
_PASSING_STATES = ("57P01", "57P02", "57P03", "53300")  # shut down, crashed, starting, full
_PASSING = re.compile("database system is |too many|connection slots")  # other refusals will come again
_CACHE = (
    64 * MIB
)  # B of a file's pages at most, for who writes: in 2 MiB, SQLite's own, those of a large import come and go
_LOCK = 0x61636963  # "acic": the name of PostgreSQL's advisory lock

End = tuple[str, int]  # of what was added at once: a fingerprint, and the number of its row


def create(place: Location, waits: Callable[[], None] = lambda: None) -> Engine:
    """Return an engine for `place`; nothing is connected yet.

    Args:
        place: where the store is.
        waits: is called where others have an SQLite file locked for long.

    Raises:
        StoreError: PostgreSQL's driver is not installed.
    """
    from sqlalchemy import create_engine, event
    from sqlalchemy.exc import ArgumentError
    from sqlalchemy.pool import NullPool

    if place.file is not None:
        made = create_engine("sqlite://", creator=partial(connect, place), poolclass=NullPool)
        event.listen(made, "begin", partial(_begin, waits=waits))
        return made
    try:
        # texts are UTF-8 in any database: else the driver takes its encoding, or gives bytes (SQL_ASCII)
        arguments = {"connect_timeout": _CONNECT_SECONDS, "client_encoding": "utf8"}
        return create_engine(place.url, connect_args=arguments, poolclass=NullPool)
    except (ArgumentError, ValueError) as error:
        reason = without_password(str(error))  # SQLAlchemy repeats what it cannot take
        raise StoreError(f"{place.shown} is no URL: {reason}", hint="write postgresql://USER@HOST/DATABASE") from error
    except ImportError as error:
        raise StoreError("PostgreSQL's driver is not installed", hint=with_extra("postgresql")) from error


@contextmanager
def transaction(engine: Engine, place: Location, *, write: bool) -> Iterator[Connection]:
    """A connection in a transaction, committed at the end or undone by any exception.

    Writers come one at a time, in SQLite by its own lock and in PostgreSQL by an advisory one: two
    that add overlapping sets in different orders would else wait for each other's rows for ever.

    Raises:
        StoreAway: the server does not answer now.
        StoreError: anything else that the store refuses.
    """
    from sqlalchemy import func, select
    from sqlalchemy.exc import DBAPIError

    try:
        with engine.connect().execution_options(**{_WRITES: write}) as connection, connection.begin():
            if write and place.file is None:
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
            yield connection
    except (DBAPIError, engine.dialect.loaded_dbapi.Error) as error:
        cause = getattr(error, "orig", None) or error
        told = store_error(place, cause)
        raise (StoreAway(told.problem, hint=told.hint) if may_pass(place, cause) else told) from error


def may_pass(place: Location, error: BaseException) -> bool:
    """Return whether a driver's error only tells that it does not answer now: a server restarts, a file is locked."""
    if place.file is not None:
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
    state, said = getattr(error, "sqlstate", None), str(error)
    if state:
        return state in _PASSING_STATES or state.startswith("08")
    return "FATAL" not in said or _PASSING.search(said) is not None


def insert_new(connection: Connection, batches: Iterable[Sequence[Mapping[str, Any]]]) -> tuple[int, tuple[End, ...]]:
    """Insert rows, passing over those whose fingerprint is there.

    They are counted before and after, which is exact while the write lock is held: drivers disagree on
    what they tell of many inserts at once, and having each returned takes three times as long.

    Returns:
        How many were new, and the first and the last of these.
    """
    from sqlalchemy import func, select

    from acic.store.schema import measurement

    number = select(func.count()).select_from(measurement)
    before, last = connection.execute(number).scalar_one(), _last_row(connection)
    if connection.dialect.name == "sqlite":
        numbers = count(last + 1)
        for rows in batches:  # SQLAlchemy's own way looks at each value of each row
            connection.exec_driver_sql(_INSERT, [{**row, "id": n} for row, n in zip(rows, numbers, strict=False)])
    else:
        for rows in batches:
            _copy(connection, rows)
    new = select(measurement.c.fingerprint, measurement.c.id).where(measurement.c.id > last).limit(1)
    ends = [connection.execute(new.order_by(order)).first() for order in (measurement.c.id, measurement.c.id.desc())]
    return connection.execute(number).scalar_one() - before, tuple((str(row[0]), int(row[1])) for row in ends if row)


def use_up_rows(connection: Connection) -> None:
    """Before rows are removed: see to it that no other one ever gets their numbers, by which imports are named.

    PostgreSQL's sequence does. SQLite would give the highest to the next row; it keeps a number for who uses the file.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {_last_row(connection)}")


def _last_row(connection: Connection) -> int:
    """Return the highest number of a row that there is, or in SQLite that there ever was."""
    from sqlalchemy import func, select

    from acic.store.schema import measurement

    last = int(connection.execute(select(func.coalesce(func.max(measurement.c.id), 0))).scalar_one())
    if connection.dialect.name == "sqlite":
        last = max(last, int(connection.exec_driver_sql("PRAGMA user_version").scalar_one()))
    return last


def _copy(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows into PostgreSQL by its COPY: row by row takes several times as long."""
    connection.exec_driver_sql(_INCOMING)
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy(_COPY) as copy:
        for row in rows:
            copy.write_row([row[name] for name in COLUMNS])
    connection.exec_driver_sql(_TAKE_OVER)
    connection.exec_driver_sql("DROP TABLE incoming")


def _begin(connection: Connection, *, waits: Callable[[], None]) -> None:
    # a writer that begins as a reader fails at once, without waiting, when another writer got in between
    kind = "IMMEDIATE" if connection.get_execution_options().get(_WRITES) else "DEFERRED"
    plain: Any = connection.connection.driver_connection
    patiently(plain, f"BEGIN {kind}", waits)
    if kind == "IMMEDIATE":
        plain.execute(f"PRAGMA cache_size = -{_CACHE // KIB}")
