"""Stores to test on: SQLite files, and a real PostgreSQL of the tests' own (no network, a Unix socket)."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from acic.platforms import Platform, load_platform
from acic.store.database import Store
from tests.needs import skip_or_fail

_names = count()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Path]:
    """The folder of the socket of a running server, whose superuser is `acic`."""
    initdb, pg_ctl = find("initdb"), find("pg_ctl")
    if not initdb or not pg_ctl:
        skip_or_fail("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="acic-pg-", dir="/tmp"))  # a socket's path has to be short
    try:
        as_user(folder, [str(initdb), "-D", f"{folder}/data", "-U", "acic", "-A", "trust", "-E", "UTF8", "--no-sync"])
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        as_user(folder, [str(pg_ctl), "-D", f"{folder}/data", "-o", options, "-w", "-l", f"{folder}/log", "start"])
        try:
            yield folder
        finally:
            as_user(folder, [str(pg_ctl), "-D", f"{folder}/data", "-m", "immediate", "-w", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def new_database(postgresql: Path) -> Callable[..., str]:
    """Make an empty database on the server, in UTF-8 or the encoding that is named; returns its URL."""

    def make(encoding: str = "UTF8") -> str:
        name = f"test{next(_names)}"
        execute(postgresql, f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
        return f"postgresql://acic@/{name}?host={postgresql}"

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store may be, on each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "folder with ünusual % name" / "store.sqlite")
    made: str = request.getfixturevalue("new_database")()
    return made


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened


@pytest.fixture(scope="session")
def tianhe() -> Platform:
    return load_platform("tianhe-lustre")


def execute(folder: Path, command: str, database: str = "postgres") -> None:
    with psycopg.connect(f"host={folder} user=acic dbname={database}", autocommit=True) as connection:
        connection.execute(command.encode())


def find(program: str) -> str | None:
    """Where PostgreSQL's `program` is: where Debian hides it, or in PATH."""
    known = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), reverse=True)
    return str(known[0]) if known else shutil.which(program)


def as_user(folder: Path, command: list[str]) -> None:
    """Run `command`; PostgreSQL refuses root, so root becomes an ordinary user first."""
    user: str | None = None
    if os.geteuid() == 0:
        user = "postgres" if any(entry.pw_name == "postgres" for entry in pwd.getpwall()) else "nobody"
        shutil.chown(folder, user)
    subprocess.run(
        command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120
    )
