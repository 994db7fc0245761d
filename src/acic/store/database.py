"""The store: every measurement, kept in SQLite or PostgreSQL."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Self

from acic.paths import all_may_read, has_folder
from acic.store import contradictions, engine
from acic.store.connections import Connections
from acic.store.location import Location, locate
from acic.store.measurement import Basis, Measurement, Outcome
from acic.store.reading import Reader
from acic.store.revisions import TABLE
from acic.store.rows import COLUMNS, TRAINING_COLUMNS, Decoder, TrainingRecord, encode
from acic.workloads import Operation

_BATCH = 1000  # rows in one statement
_STATE = f"SELECT count(*), coalesce(sum(checksum), 0) FROM {TABLE} WHERE platform = "  # noqa: S608  # a constant


def state_fingerprint(platform: str, rows: int = 0, total: int = 0) -> str:
    """Return `Store.fingerprint` of that many rows, with that sum of checksums; of none, as without a store."""
    return hashlib.sha256(f"{platform} {rows} {total}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class AddResult:
    """How many of the measurements given were new, and how many the store had already.

    Args:
        ends: the first and the last that were new, by which `Store.between` finds them all.
    """

    added: int
    duplicates: int
    ends: tuple[engine.End, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Count:
    """How many measurements of a platform ended in one way."""

    platform: str
    outcome: Outcome
    measurements: int


class Store:
    """The training database.

    An SQLite file that needs no migration is opened, and its `fingerprint` read, without SQLAlchemy:
    its import alone would cost more than a recommendation from a cached model.
    """

    def __init__(self, place: Location, announce: Callable[[str], None] = lambda _: None) -> None:
        self._place = place
        self._connections = Connections(place, announce)
        self._reader = Reader(self._connections, place.shown)

    @classmethod
    def open(cls, url: str | None = None, *, announce: Callable[[str], None] = lambda _: None) -> Self:
        """Return the store at `url` (a path, or an SQLAlchemy URL; the user's own for None), up to date.

        A new store is created, with its folder; an older one is migrated. `announce` is told where it is in use, and
        waited for.

        Raises:
            InvalidInput: `url` is neither a path nor a URL of SQLite or PostgreSQL.
            StoreError: it cannot be reached or read, a newer acic made it, or it is a file of something else.
        """
        store = cls(locate(url), announce)
        store._connections.bring_up_to_date()
        return store

    @staticmethod
    def open_existing(
        url: str | None = None, *, announce: Callable[[str], None] = lambda _: None
    ) -> AbstractContextManager[Store | None]:
        """Return the store as it is, or None where there is none yet: asking is no reason to make or change one.

        Args:
            url: as `open` takes it.
            announce: is told that there is none, where it was named, and where it is in use, and waited for.

        Raises:
            AcicError: as `open` does, but who has no home has no store.
        """
        if url is None and not has_folder("data"):
            announce("note: this user has no home folder, so there is no training database")
            return nullcontext()
        store = Store(locate(url), announce)
        if store._connections.version():
            return store
        if store._connections.of_others():
            announce(f"note: there is no training database in {store.shown}, which is a file of something else")
        elif url is not None:
            announce(f"note: there is no training database at {store.shown} yet")
        return nullcontext()

    @property
    def shown(self) -> str:
        """Where the store is, without a password."""
        return self._place.shown

    @property
    def is_open_to_all(self) -> bool:
        """Whether all users of this machine can read it: so its file and the folders above must say."""
        return self._place.file is not None and all_may_read(self._place.file)

    @property
    def kept(self) -> str:
        """Where the store is, for `open` from any folder, without a password."""
        return self._place.kept

    def close(self) -> None:
        """Forget how to connect; no connection outlives the call that made it, so that none goes stale."""
        self._connections.forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, measurements: Iterable[Measurement], *, progress: Callable[[int], None] | None = None) -> AddResult:
        """Keep `measurements`, all or (if anything fails) none of them.

        One that the store has already, by its fingerprint, is counted and left as it is.

        Args:
            measurements: what to keep; read once, while the store is locked for other writers.
            progress: is told how many have been seen so far, now and then.

        Raises:
            InvalidInput: a measurement holds what no database can.
            StoreError: the store cannot be written.
        """
        seen = 0

        def batches() -> Iterator[list[dict[str, Any]]]:
            nonlocal seen
            rows = map(encode, measurements)
            while batch := list(islice(rows, _BATCH)):
                yield batch
                seen += len(batch)
                if progress:
                    progress(seen)

        with self._connections.connected(write=True) as connection:
            added, ends = engine.insert_new(connection, batches())
        return AddResult(added, seen - added, ends)

    def check_writable(self) -> None:
        """Make sure that measurements can be added, before any is made: not every file and role may be written by all.

        Raises:
            StoreError: they cannot.
        """
        with self._connections.connected(write=True) as connection:
            connection.exec_driver_sql(f"INSERT INTO {TABLE} SELECT * FROM {TABLE} WHERE 1 = 0")  # noqa: S608  # constants

    def remove(self, fingerprints: Iterable[str]) -> int:
        """Forget the measurements of these (whole) fingerprints; return how many there were."""
        table = self._reader.table
        removed = 0
        marks = iter(fingerprints)
        with self._connections.connected(write=True) as connection:
            engine.use_up_rows(connection)
            while batch := list(islice(marks, contradictions.VALUES)):
                removed += connection.execute(table.delete().where(table.c.fingerprint.in_(batch))).rowcount
        return removed

    def fingerprints(self, **wanted: str) -> list[str]:
        """Return the fingerprints of those whose columns (`platform`, `contributor`, ...) are as wanted, as added."""
        where = [self._reader.table.c[name] == value for name, value in wanted.items()]
        return [str(row[0]) for row in self._reader.select(("fingerprint",), where)]

    def between(self, first: engine.End, last: engine.End) -> list[str]:
        """Return the fingerprints of what was added from `first` to `last`; none where either was removed since.

        Writers come one at a time, so what a call of `add` kept stands together, and what came later behind it. What
        was removed and added again is in a row with another number, and others' rows may be before it.
        """
        among = [self._reader.table.c.id.between(first[1], last[1])]
        found = [(str(row.fingerprint), int(row.id)) for row in self._reader.select(("fingerprint", "id"), among)]
        return [mark for mark, _ in found] if found[:1] == [first] and found[-1:] == [last] else []

    def by_output(self) -> dict[str, list[str]]:
        """Return the fingerprints of what came from each raw output, by its sha256 in hex."""
        found: dict[str, list[str]] = {}
        for row in self._reader.select(("raw_sha256", "fingerprint"), [self._reader.table.c.raw_sha256 != ""]):
            found.setdefault(str(row.raw_sha256), []).append(str(row.fingerprint))
        return found

    def contributors(self, fingerprints: Collection[str]) -> dict[str, int]:
        """Return how many of these (whole) fingerprints are of each contributor, most first."""
        wanted = set(fingerprints)
        rows = self._reader.select(("fingerprint", "contributor"), [])
        return dict(Counter(str(row.contributor) for row in rows if row.fingerprint in wanted).most_common())

    def known(self, fingerprints: Iterable[str]) -> set[str]:
        """Return which of these (whole) fingerprints there are."""
        with self._connections.connected() as connection:
            return contradictions.known(connection, fingerprints)

    def of_another_file(self, measurements: Iterable[Measurement]) -> set[str]:
        """Return the fingerprints of those of a run that is known, here or among these, from a file that differs."""
        with self._connections.connected() as connection:
            return contradictions.of_another_file(connection, measurements, self._reader)

    def judged_otherwise(self, measurements: Iterable[Measurement]) -> int:
        """Return how many of these the store has with another outcome, revision, contributor, note or timezone."""
        with self._connections.connected() as connection:
            return contradictions.judged_otherwise(connection, measurements, self._reader)

    def configured_otherwise(self, measurements: Iterable[Measurement]) -> int:
        """Return how many of these the store has with another configuration too, by the raw output they are from."""
        with self._connections.connected() as connection:
            return contradictions.configured_otherwise(connection, measurements, self._reader)

    def measurements(
        self,
        platform: str | None = None,
        *,
        outcome: Outcome | None = None,
        basis: Basis | None = None,
        operation: Operation | None = None,
        limit: int | None = None,
    ) -> list[Measurement]:
        """Return the measurements that match, in the order they were added.

        A list, not a cursor: a reader that dawdles would keep SQLite's writers waiting.

        Raises:
            StoreError: one of them is damaged.
        """
        where = self._reader.where(platform, outcome, basis, operation)
        return self._reader.decoded(self._reader.select(COLUMNS, where, limit), Decoder().measurement)

    def training_records(self, platform: str) -> list[TrainingRecord]:
        """Return what training needs of the platform's measurements that are ok and measured.

        Raises:
            StoreError: one of them is damaged.
        """
        where = self._reader.where(platform, Outcome.OK, Basis.MEASURED, None)
        return self._reader.decoded(self._reader.select(TRAINING_COLUMNS, where), Decoder().training_record)

    def get(self, prefix: str) -> Measurement:
        """Return the one measurement whose fingerprint begins with `prefix`.

        Raises:
            InvalidInput: `prefix` is not hexadecimal, or several begin with it.
            MissingData: none does.
            StoreError: it is damaged.
        """
        (found,) = self._reader.decoded([self._reader.begins(prefix, COLUMNS)], Decoder().measurement)
        return found

    def named(self, prefix: str) -> str:
        """Return the fingerprint of the one measurement, damaged or not, whose fingerprint begins with `prefix`.

        Raises:
            InvalidInput: `prefix` is not hexadecimal, or several begin with it.
            MissingData: none does.
        """
        return str(self._reader.begins(prefix, ("fingerprint",))[0])

    def count(self, platform: str | None = None) -> int:
        """Return how many measurements there are, of a platform or in all."""
        return sum(c.measurements for c in self.counts() if platform in (None, c.platform))

    def counts(self) -> list[Count]:
        """Return how many measurements there are, by platform and outcome.

        Raises:
            StoreError: one has an outcome that there is not.
        """
        from sqlalchemy import func, select

        table = self._reader.table
        keys = (table.c.platform, table.c.outcome)
        with self._connections.connected() as connection:
            rows = connection.execute(select(*keys, func.count()).group_by(*keys).order_by(*keys)).all()
        for platform, outcome, _ in rows:
            if outcome not in set(Outcome):
                mark = self.fingerprints(platform=platform, outcome=outcome)[0]
                raise self._reader.damaged(mark, f"there is no outcome {outcome!r}")
        return [Count(platform, Outcome(outcome), number) for platform, outcome, number in rows]

    def fingerprint(self, platform: str) -> str:
        """Return a text that changes when the platform's data do, and depends on nothing else.

        It is made of the number of rows and the sum of their checksums, which an index holds: no row
        is read.
        """
        if self._place.file is not None:
            with self._connections.file() as plain:
                rows, total = plain.execute(f"{_STATE} ?", (platform,)).fetchone()
        else:
            with self._connections.connected() as connection:
                rows, total = connection.exec_driver_sql(f"{_STATE} %s", (platform,)).one()
        return state_fingerprint(platform, rows, int(total))
