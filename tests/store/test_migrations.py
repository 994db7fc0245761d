"""The schema: made and brought up to date by migrations alone, with the data kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
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
from acic.store.content import fingerprint
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
    for ask in (Store.open, Store.open_existing):
        with pytest.raises(StoreError, match="9999") as caught:
            ask(url)
        assert "newer acic" in caught.value.hint


@pytest.mark.parametrize("noted", [None, "", "zz\x01", b"\x00\xff"])
def test_a_store_without_a_revision_that_any_acic_has_is_damaged_not_newer(
    noted: str | bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite"
    with Store.open(str(path)) as store:
        store.add([measurement(1)])
    with closing(sqlite3.connect(path)) as plain:
        plain.executescript("DROP TABLE acic_schema; CREATE TABLE acic_schema (version_num)")
        plain.execute("INSERT INTO acic_schema VALUES (?)", (noted,))
        plain.commit()
    with pytest.raises(StoreError, match="is damaged") as caught:
        Store.open(str(path))
    assert "restore a copy" in caught.value.hint


def test_a_store_that_notes_no_revision_is_damaged_not_missing(store: Store, url: str) -> None:
    """`acic data list` told that there is no training database yet, beside all its measurements."""
    store.add([measurement(1)])
    with connected(url) as connection:
        connection.execute(sqlalchemy.text("DELETE FROM acic_schema"))
    for ask in (Store.open, Store.open_existing):
        with pytest.raises(StoreError, match="is damaged: it notes no revision"):
            ask(url)


def test_a_store_whose_schema_has_another_column_is_no_matter_of_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE acic_schema (version TEXT)")
    with pytest.raises(StoreError, match="it lacks a table or column") as caught:
        Store.open_existing(str(path))
    assert "disk" not in caught.value.hint


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


def somebody_elses(path: Path) -> bytes:
    """Make an SQLite database of another program; return what is in its file."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x INTEGER)")
        other.commit()
    return path.read_bytes()


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    before = somebody_elses(path)
    with pytest.raises(StoreError, match="holds tables of something else") as caught:
        Store.open(str(path))
    assert caught.value.hint
    assert path.read_bytes() == before


def test_a_server_may_hold_tables_of_others(new_database: Callable[[], str]) -> None:
    url = new_database()
    with connected(url) as connection:
        connection.exec_driver_sql("CREATE TABLE theirs (x INTEGER)")
    with Store.open(url) as store:
        assert store.add([measurement(1)]).added == 1


def test_who_only_looks_finds_nothing_in_a_database_of_others_and_makes_nothing(
    tmp_path: Path, new_database: Callable[[], str]
) -> None:
    path, server, said = tmp_path / "other.sqlite", new_database(), list[str]()
    before = somebody_elses(path)
    for url in (str(path), server):
        with Store.open_existing(url, announce=said.append) as store:
            assert store is None
    assert len(said) == 2
    assert "a file of something else" in said[0], "it is not told that one may come to be there"
    assert path.read_bytes() == before
    with connected(server) as connection:
        assert inspect(connection).get_table_names() == []


@pytest.mark.parametrize("start", REVISIONS)
def test_who_only_looks_reads_an_older_store_as_it_is(url: str, start: str) -> None:
    if "://" not in url:
        Path(url).parent.mkdir()
    with connected(url) as connection:
        migrate(connection, url, to=start)
        engine.insert_new(connection, [[encode(measurement(1)), encode(failure(2))]])
    with Store.open_existing(url) as store:
        assert store is not None
        assert store.measurements() == [measurement(1), failure(2)]
        assert store.get(fingerprint(failure(2))) == failure(2)
        assert store.count("tianhe-lustre") == 2
        assert store.fingerprint("tianhe-lustre")
        assert len(store.training_records("tianhe-lustre")) == 1
    with connected(url) as connection:
        assert version(connection) == start
