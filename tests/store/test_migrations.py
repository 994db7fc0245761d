"""The schema: made and brought up to date by migrations alone, with the data kept."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest
import sqlalchemy
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from acic.errors import StoreError
from acic.store import engine
from acic.store.database import Store
from acic.store.location import locate
from acic.store.migrate import alembic_config, migrate, version
from acic.store.revisions import HEAD, REVISIONS, TABLE, VERSION_TABLE
from acic.store.rows import encode
from acic.store.schema import metadata
from tests.store.samples import failure, measurement


def connected(url: str) -> AbstractContextManager[Connection]:
    place = locate(url)
    return engine.transaction(engine.create(place), place, write=True)


def test_the_revisions_are_those_of_the_scripts(tmp_path: Path) -> None:
    with connected(str(tmp_path / "x.sqlite")) as connection:
        scripts = ScriptDirectory.from_config(alembic_config(connection))
    assert tuple(s.revision for s in reversed(list(scripts.walk_revisions()))) == REVISIONS
    assert scripts.get_current_head() == HEAD


@pytest.mark.usefixtures("store")
def test_the_migrated_schema_is_the_model(url: str) -> None:
    with connected(url) as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
        assert version(connection) == HEAD


@pytest.mark.parametrize("start", REVISIONS)
def test_an_older_store_is_upgraded_with_its_data(url: str, start: str) -> None:
    if "/" in url and "://" not in url:
        Path(url).parent.mkdir()
    with connected(url) as connection:
        migrate(connection, url, to=start)
        engine.insert_new(connection, [[encode(measurement(1)), encode(failure(2))]])
        assert version(connection) == start
    with Store.open(url) as store:
        assert store.measurements() == [measurement(1), failure(2)]
        assert store.fingerprint("tianhe-lustre")
    with connected(url) as connection:
        assert version(connection) == HEAD


def test_every_migration_can_be_undone(store: Store, url: str) -> None:
    store.add([measurement(1)])
    with connected(url) as connection:
        command.downgrade(alembic_config(connection), "0001")
    with Store.open(url) as again:
        assert again.measurements() == [measurement(1)]
    with connected(url) as connection:
        command.downgrade(alembic_config(connection), "base")
        assert not inspect(connection).has_table(TABLE)
    with Store.open(url) as anew:
        assert anew.measurements() == []


@pytest.mark.usefixtures("store")
def test_a_store_of_a_newer_acic_is_refused(url: str) -> None:
    with connected(url) as connection:
        connection.execute(sqlalchemy.text("UPDATE acic_schema SET version_num = '9999'"))
    with pytest.raises(StoreError, match="9999") as caught:
        Store.open(url)
    assert "upgrade acic" in caught.value.hint


def test_a_migration_that_is_interrupted_leaves_the_store_as_it_was(url: str) -> None:
    if "://" not in url:
        Path(url).parent.mkdir()

    def interrupted() -> None:
        with connected(url) as connection:
            migrate(connection, url)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with connected(url) as connection:
        assert version(connection) is None
        assert not inspect(connection).has_table(TABLE)
    with Store.open(url) as store:
        assert store.add([measurement(1)]).added == 1


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x INTEGER)")
        other.execute("INSERT INTO theirs VALUES (7)")
        other.commit()
    with Store.open(str(path)) as store:
        store.add([measurement(1)])
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT x FROM theirs").fetchall() == [(7,)]
