"""Bringing a store's schema up to date; imports Alembic only when that is needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from acic.store.revisions import HEAD, TABLE, VERSION_TABLE, readable

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection


def version(connection: Connection) -> str | None:
    """Return the schema's revision; None where there is no schema yet, "" where there is one that notes none."""
    from sqlalchemy import inspect

    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar()  # noqa: S608  # a constant
    if found is None:
        return "" if inspect(connection).has_table(TABLE) else None
    return str(found)


def migrate(connection: Connection, shown: str, *, to: str = HEAD) -> None:
    """Run the migrations up to `to` that `connection`'s store lacks, in its transaction.

    Call it with the write lock held: of two programs that open a new store at once, the second
    finds the work done.

    Raises:
        StoreError: the store was made by a newer acic.
    """
    if readable(version(connection), shown) == HEAD:
        return
    from alembic import command

    command.upgrade(alembic_config(connection), to)


def alembic_config(connection: Connection) -> Config:
    """Return what Alembic's commands need to work on `connection`."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
