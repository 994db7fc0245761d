"""Where stores are, and what is said when one cannot be used: always the problem and its remedy."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from alembic import command
from sqlalchemy import event

from acic.errors import AcicError, InvalidInput, StoreError, TransientError, with_extra
from acic.store import engine, locks
from acic.store.content import fingerprint
from acic.store.database import Store
from acic.store.location import Location, default_url, locate
from acic.store.locks import locks_work
from acic.store.migrate import alembic_config
from acic.store.refusals import store_error
from acic.store.revisions import HEAD, REVISIONS
from acic.store.sqlite_file import exists
from tests.store.conftest import execute
from tests.store.samples import measurement

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("url", ["{0}/a.sqlite", "sqlite:///{0}/a.sqlite", "sqlite+pysqlite:///{0}/a.sqlite"])
def test_paths_and_urls_name_the_same_file(tmp_path: Path, url: str) -> None:
    place = locate(url.format(tmp_path))
    assert place.file == tmp_path / "a.sqlite"
    assert not exists(place)
    with Store.open(url.format(tmp_path)):
        assert exists(place)


def test_a_tilde_and_the_current_folder_are_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert locate("~/a.sqlite").file == locate("a.sqlite").file == tmp_path / "a.sqlite"


def test_the_home_of_nobody_is_said() -> None:
    with pytest.raises(InvalidInput, match="~nosuchuser") as caught:
        locate("~nosuchuser/x.sqlite")
    assert "./~nosuchuser/x.sqlite" in caught.value.hint


def test_the_default_is_a_file_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_url() == str(tmp_path / "acic" / "acic.sqlite")
    assert locate().file == tmp_path / "acic" / "acic.sqlite"


@pytest.mark.parametrize("url", ["postgres://u@h/d", "postgresql://u@h/d", "postgresql+psycopg://u@h/d"])
def test_every_spelling_of_postgresql_takes_psycopg(url: str) -> None:
    assert locate(url).url == "postgresql+psycopg://u@h/d"


@pytest.mark.parametrize(
    "url",
    [
        *("mysql://u@h/d", "http://example.org", ":memory:", "sqlite://", "sqlite:///:memory:"),
        *("postgresql:/u@h/d", "postgres:u@h/d", "sqlite:a.sqlite"),
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        locate(url)
    assert caught.value.hint


def test_a_password_is_never_shown() -> None:
    assert locate("postgresql://me:secret@host/db").shown == "postgresql+psycopg://me:***@host/db"
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql://me:secret@127.0.0.1:1/db")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me@127.0.0.1:1/db?password=SECRET",
        "postgresql://me@127.0.0.1:1/db?connect_timeout=1&password=SECRET&sslpassword=SECRET",
        "postgresql://me:SE/SECRET@127.0.0.1:1/db",
        "postgresql://me:SE?SECRET@127.0.0.1:1/db",
        "postgresql://me:SE@SECRET@127.0.0.1:1/db",
        "postgresql://me:SE@SEC/SECRET@127.0.0.1:1/db",
        "postgresql://me:SECRET@[half/db",
        *(
            f"postgresql://127.0.0.1:1/db?user=me&{name}=SECRET"
            for name in ("pass", "passwd", "Password", "PGPASSWORD")
        ),
        "postgresql://127.0.0.1:1/db?user=me;password=SECRET",
        "postgresql://me%3ASECRET@127.0.0.1:1/db",
        "postgresql://me%3aSEC/RET@127.0.0.1:1/db",
        "host=127.0.0.1 port=1 password=SECRET",  # as libpq has it: a file of this name would have been made
        "connect_timeout=1 password = SECRET",
        "password='SECRET'",
        "me:SECRET@127.0.0.1:1/db",
        "//me:SEC/RET@127.0.0.1/db",
        "me:SECRET@/db",
    ],
)
def test_a_password_is_never_shown_wherever_it_is(url: str) -> None:
    with pytest.raises(AcicError) as caught:
        Store.open(url)
    assert "SEC" not in f"{caught.value.problem} {caught.value.hint}"


def test_what_is_no_password_is_shown() -> None:
    plain = ("a@b@host:5/db?host=/tmp/x", "host:5/db", "me@host/db?passfile=/home/me/pass&sslmode=require")
    for url in (f"postgresql+psycopg://{one}" for one in plain):
        assert locate(url).shown == url
        assert locate(url).kept == url
    for path in ("./host=a password=b", "./me:x@h/db", "/tmp/user=me/a.sqlite", "a@b.sqlite", "my passwords.sqlite"):
        assert locate(path).file == Path.cwd() / path


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("postgresql://me:se%40cr:et@host:1/db?sslmode=require&password=secret", "me@host:1/db?sslmode=require"),
        ("postgresql://me:secret@host/db", "me@host/db"),
        ("postgresql://host:1/db", "host:1/db"),
        ("postgresql://me:se?cret@host/db?sslmode=require", "me@host/db?sslmode=require"),
        ("postgresql://me@host/db?PGPASSWORD=secret&Password=secret", "me@host/db"),
    ],
)
def test_what_a_journal_keeps_of_a_server_has_no_password_and_leads_to_it(url: str, kept: str) -> None:
    assert locate(url).kept == f"postgresql+psycopg://{kept}"
    assert locate(locate(url).kept) == Location(f"postgresql+psycopg://{kept}")


@pytest.mark.parametrize("url", ["a b.sqlite", "sqlite:///a.sqlite", "sqlite:///a.sqlite?vfs=unix-dotfile"])
def test_what_a_journal_keeps_of_a_file_leads_to_it_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    place = locate(url)
    monkeypatch.chdir(tmp_path)
    assert locate(place.kept) == place


def refused(url: str, *, problem: str, hint: str) -> None:
    with pytest.raises(StoreError, match=problem) as caught:
        Store.open(url).add([measurement(1)])
    assert hint in caught.value.hint


def test_a_server_that_refuses() -> None:
    refused("postgresql://me@127.0.0.1:1/db", problem="cannot be reached.*refused", hint="check that the server runs")
    # a module may have set it for all, and what comes with acic needs none
    refused("postgresql://me@127.0.0.1:1/db", problem="cannot be reached", hint="without it: ACIC_STORE= acic ...")


def test_a_database_that_does_not_exist(postgresql: Path) -> None:
    refused(f"postgresql://acic@/nowhere?host={postgresql}", problem="does not exist", hint="createdb")


def test_a_user_that_does_not_exist(postgresql: Path) -> None:
    refused(f"postgresql://nobody@/postgres?host={postgresql}", problem="refused the user", hint="in the URL")


@pytest.mark.parametrize(
    ("said", "problem", "hint"),
    [
        ("the database system is starting up", "cannot be used now", "try again"),
        ("the database system is shutting down", "cannot be used now", "try again"),
        ("the database system is in recovery mode", "cannot be used now", "try again"),
        ("the database system is not yet accepting connections", "cannot be used now", "try again"),
        ("sorry, too many clients already", "has no connection left", "try again"),
        ('too many connections for database "db"', "has no connection left", "try again"),
        (
            "remaining connection slots are reserved for roles with the SUPERUSER attribute",
            "has no connect",
            "try again",
        ),
        (
            'no pg_hba.conf entry for host "::1", user "me", database "db", no encryption',
            "let this user in",
            "pg_hba.conf",
        ),
        ('password authentication failed for user "me"', "refused the password", "PGPASSWORD"),
        ('Peer authentication failed for user "me"', "refused the user", "in the URL"),
    ],
)
def test_a_server_that_lets_nobody_in_is_not_taken_for_one_without_the_database(
    said: str, problem: str, hint: str
) -> None:
    """Whatever had the word database in it was told to be answered by createdb."""
    error = psycopg.OperationalError(
        f'connection failed: connection to server at "::1", port 5432 failed: FATAL:  {said}'
    )
    told = store_error(locate("postgresql://me@h/db"), error)
    assert problem in told.problem
    assert hint in told.hint


def test_a_limit_of_connections_is_no_matter_of_the_user_or_the_name(
    postgresql: Path, new_database: Callable[[], str]
) -> None:
    url = new_database()
    name = url.split("/")[3].split("?")[0]
    execute(postgresql, f"CREATE ROLE none_{name} LOGIN CONNECTION LIMIT 0")
    refused(url.replace("acic@", f"none_{name}@"), problem="too many connections for role", hint="try again")
    execute(postgresql, f"CREATE ROLE shut_{name} NOLOGIN")
    refused(url.replace("acic@", f"shut_{name}@"), problem="refused the user", hint="in the URL")
    execute(postgresql, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    refused(url, problem="accepts no connections", hint="ask its owner")


def test_a_url_that_is_none() -> None:
    refused("postgresql://host:port/db", problem="no URL", hint="postgresql://USER")


GRANTS = re.search(r"^```sql\n(.*?)^```$", (ROOT / "docs" / "data.md").read_text(), re.MULTILINE | re.DOTALL)


def test_a_right_that_is_missing_is_named_and_those_that_the_document_gives_are_enough(
    postgresql: Path, new_database: Callable[[], str]
) -> None:
    url = new_database()
    name = url.split("/")[3].split("?")[0]
    Store.open(url).close()
    user, database = f"w_{name}", f'"{name}"'
    theirs = url.replace("acic@", f"{user}@")
    execute(postgresql, f"CREATE ROLE {user} LOGIN")
    execute(postgresql, f"REVOKE TEMP ON DATABASE {database} FROM PUBLIC")
    refused(theirs, problem="permission denied for table acic_schema", hint="docs/data.md")
    assert GRANTS
    for statement in GRANTS.group(1).replace("DATABASE acic", f"DATABASE {database}").split(";"):
        told = " ".join(statement.split())
        if not told:
            continue
        with pytest.raises(StoreError, match="permission denied"):
            _add_and_remove(theirs)
        execute(postgresql, re.sub(r"\bTO [a-z_]+", f"TO {user}", told), database=name)
    _add_and_remove(theirs)


def _add_and_remove(url: str) -> None:
    with Store.open(url) as store:
        store.add([measurement(1)])
        assert store.measurements() == [measurement(1)]
        assert store.remove([fingerprint(measurement(1))]) == 1


def test_who_may_only_read_is_told_before_there_is_anything_to_add(
    postgresql: Path, new_database: Callable[[], str]
) -> None:
    url = new_database()
    name = url.split("/")[3].split("?")[0]
    with Store.open(url) as store:
        store.check_writable()
        store.add([measurement(1)])
        store.check_writable()
        assert store.measurements() == [measurement(1)]
    execute(postgresql, f"CREATE ROLE r_{name} LOGIN; GRANT SELECT ON acic_schema, acic_measurement TO r_{name}", name)
    with Store.open(url.replace("acic@", f"r_{name}@")) as store, pytest.raises(StoreError, match="permission denied"):
        store.check_writable()


def test_a_server_that_is_a_read_only_copy(postgresql: Path, new_database: Callable[[], str]) -> None:
    url = new_database()
    Store.open(url).close()
    name = url.split("/")[3].split("?")[0]
    execute(postgresql, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    refused(url, problem="may not be written", hint="primary")


def test_an_older_schema_of_somebody_else_is_for_its_owner_to_bring_up_to_date(
    postgresql: Path, new_database: Callable[[], str]
) -> None:
    """It said to ask for the right, which nobody can give: who alters a table is its owner."""
    url = new_database()
    Store.open(url).close()
    name = url.split("/")[3].split("?")[0]
    place = locate(url)
    with engine.transaction(engine.create(place), place, write=True) as connection:
        command.downgrade(alembic_config(connection), REVISIONS[0])
    execute(postgresql, f"CREATE ROLE o_{name} LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO o_{name}", name)
    theirs = url.replace("acic@", f"o_{name}@")
    refused(
        theirs, problem=f"has the schema {REVISIONS[0]}, and this acic writes {HEAD}", hint="its owner brings it up"
    )
    with Store.open_existing(theirs) as store:
        assert store is not None


def test_a_password_that_is_asked_for_and_kept_nowhere_is_told() -> None:
    """Going on with a campaign, whose journal rightly has none, it said to check the host, the port and the name."""
    error = psycopg.OperationalError(
        'connection failed: connection to server at "127.0.0.1", port 5432 failed: fe_sendauth: no password supplied'
    )
    told = store_error(locate("postgresql://me@h/db"), error)
    assert told.problem.endswith("asks for a password, and none was given")
    assert "~/.pgpass" in told.hint


def test_tables_of_somebody_else(postgresql: Path, new_database: Callable[[], str]) -> None:
    url = new_database()
    Store.open(url).close()
    name = url.split("/")[3].split("?")[0]
    execute(postgresql, "CREATE ROLE guest LOGIN; GRANT SELECT ON acic_schema TO guest", name)
    refused(url.replace("acic@", "guest@"), problem="refused the right", hint="ask its owner")


def test_a_driver_that_is_missing() -> None:
    """In a process that cannot import psycopg, as without the optional dependency."""
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from acic.store.database import Store\n"
        "from acic.errors import StoreError\n"
        "try: Store.open('postgresql://u@h/d')\n"
        "except StoreError as error: print(error.problem, '|', error.hint)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "driver is not installed" in done.stdout
    assert with_extra("postgresql") in done.stdout


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all, but long enough to have a header\n" * 40)
    before = path.read_bytes()
    refused(str(path), problem="is not a database", hint="another path")
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused(str(tmp_path / "file" / "a.sqlite"), problem="cannot be opened", hint="folder")


@pytest.mark.parametrize("umask", [0o002, 0o022, 0o077])
def test_the_umask_says_who_may_use_a_new_store(tmp_path: Path, umask: int) -> None:
    """With 002 a group shares what its members make in its folder; SQLite itself made this file 0644 at most."""
    path, link = tmp_path / "a.sqlite", tmp_path / "link.sqlite"
    link.symlink_to(path)
    before = os.umask(umask)
    try:
        with Store.open(str(link)) as store:
            store.add([measurement(0)])
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_store_that_is_not_to_be_made_is_not_made(tmp_path: Path) -> None:
    refused(f"sqlite:///{tmp_path}/a.sqlite?mode=rw", problem="cannot be opened", hint="folder")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("closed", "problem"), [("a.sqlite", "may not be read"), ("", "cannot be opened")])
def test_a_store_that_is_closed_to_this_user(tmp_path: Path, closed: str, problem: str) -> None:
    """A file was said to lack its folder, and a folder ended in what the system said, with another status."""
    shared = tmp_path / "shared"
    Store.open(str(shared / "a.sqlite")).close()
    (shared / closed).chmod(0)
    command = [sys.executable, "-m", "acic", "data", "list", "--store", str(shared / "a.sqlite")]
    if os.geteuid() == 0:  # who may read everything
        if not shutil.which("setpriv"):
            pytest.skip("root without setpriv cannot give up its rights")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    shared.chmod(0o700)
    assert (done.returncode, problem in done.stderr) == (5, True), done.stderr


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a folder") as caught:
        Store.open(str(tmp_path))
    assert str(tmp_path / "acic.sqlite") in caught.value.hint


@pytest.mark.parametrize("what", ["pipe", "/dev/null"])
def test_what_is_no_file_is_no_store(tmp_path: Path, what: str) -> None:
    """A pipe was waited for without end."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="is no file"):
        Store.open(str(tmp_path / what))


def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store.open(str(path)) as store:
        store.add([measurement(0)])
    refused(f"sqlite:///{path}?mode=ro", problem="may not be written", hint="a store of your own")
    with Store.open(f"sqlite:///{path}?mode=ro") as store:
        assert store.measurements() == [measurement(0)]  # a shared store is read all the same


def test_a_full_disk(tmp_path: Path) -> None:
    """SQLite's own limit on a file's pages gives the error that a full disk gives."""
    with Store.open(str(tmp_path / "a.sqlite")) as store:
        store.add([measurement(0)])
        event.listen(store._connections.engine, "connect", lambda plain, _: plain.execute("PRAGMA max_page_count = 60"))
        with pytest.raises(StoreError, match="no space left") as caught:
            store.add(map(measurement, range(5000)))
        assert "free some space" in caught.value.hint
        assert store.measurements() == [measurement(0)]


def test_a_store_that_another_holds_for_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sqlite"
    Store.open(str(path)).close()
    monkeypatch.setattr(locks, "BUSY_SECONDS", 0.2)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="busy") as caught:
            Store.open(str(path))
        assert "NFS" in caught.value.hint
        other.execute("ROLLBACK")
        other.execute("BEGIN IMMEDIATE")
        store = Store.open(str(path))  # a reader is not kept out
        with pytest.raises(StoreError, match="busy"):
            store.add([measurement(1)])


def test_a_store_that_is_waited_for_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command was silent for up to a minute, and for two where the other had begun to write."""
    path, said = tmp_path / "a.sqlite", list[str]()
    Store.open(str(path), announce=said.append).close()
    monkeypatch.setattr(locks, "TOLD_SECONDS", 0.1)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        for kind in ("EXCLUSIVE", "IMMEDIATE"):
            assert said == []
            other.execute(f"BEGIN {kind}")
            other.execute("CREATE TABLE x (y)")  # so that there is a journal
            ending = threading.Timer(0.7, other.execute, ["ROLLBACK"])
            ending.start()
            with Store.open(str(path), announce=said.append) as store:
                store.add([measurement(1)])
            ending.join()
            assert said == [f"note: the store {path} is in use by another acic: waiting for it to end"]
            said.clear()


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store.open(str(path)) as store:
        store.add(map(measurement, range(300)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError) as caught, Store.open(str(path)) as store:
        store.measurements()
    assert caught.value.hint


def test_lock_files_can_replace_locks_that_hang(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.sqlite?vfs=unix-dotfile"
    with Store.open(url) as store:
        store.add([measurement(1)])
        assert store.get(fingerprint(measurement(1))) == measurement(1)
    refused(f"sqlite:///{tmp_path}/a.sqlite?vfs=none-such", problem="vfs", hint="unix-dotfile")


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS])
def test_a_file_system_without_locks_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """SQLite takes ENOLCK for another's lock: another acic was said to run, and waited for, for a minute."""
    path, said = tmp_path / "a.sqlite", list[str]()
    Store.open(str(path)).close()

    def no_locks(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(locks, "TOLD_SECONDS", 0.1)
    monkeypatch.setattr(fcntl, "lockf", no_locks)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:  # what SQLite sees of such a file system
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        for _ in range(2):
            with pytest.raises(StoreError, match="its file system has no working locks") as caught:
                Store.open(str(path), announce=said.append)
            assert "vfs=unix-dotfile" in caught.value.hint
        assert time.monotonic() - began < 10
        assert not isinstance(caught.value, TransientError)  # a campaign would try again and again
    assert said == []


def test_locks_that_sqlite_itself_sees_to_be_missing_are_told_of() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_LOCK  # of ENOTSUP, as Lustre without -o flock has it
    told = store_error(locate("a.sqlite"), error)
    assert "its file system has no working locks" in told.problem


def test_whether_locks_work_is_asked_of_a_file_that_is_gone_then(tmp_path: Path) -> None:
    assert locks_work(locate(str(tmp_path / "a.sqlite")))
    assert list(tmp_path.iterdir()) == []
    assert locks_work(locate(str(tmp_path / "nowhere" / "a.sqlite")))  # nobody can tell


def test_a_lock_file_that_a_killed_process_left_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url, lock = f"sqlite:///{tmp_path}/a.sqlite?vfs=unix-dotfile", tmp_path / "a.sqlite.lock"
    Store.open(url).close()
    monkeypatch.setattr(locks, "BUSY_SECONDS", 0.2)
    lock.mkdir()
    refused(url, problem="busy", hint=f"remove the folder {lock}")
    lock.rmdir()
    with Store.open(url) as store:
        assert store.add([measurement(1)]).added == 1


def test_the_journal_is_not_a_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store.open(str(path)) as store:
        store.add([measurement(1)])
    assert [f.name for f in tmp_path.iterdir()] == ["a.sqlite"]
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("delete",)
