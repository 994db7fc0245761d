"""Measurements that a store has already, and those that it tells something else of, or has from another file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from acic.space import Configuration
from acic.store.content import fingerprint, time_text
from acic.store.measurement import Measurement
from acic.store.rows import COLUMNS, RUN, Decoder, run_of

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

    from acic.store.reading import Reader

VALUES = 500  # in one question: SQLite before 3.32 takes 999
_WIDE = 20_000 if sqlite3.sqlite_version_info >= (3, 32) else VALUES  # where no index answers, and all rows are read
_JUDGED = ("outcome", "revision", "contributor", "note")  # what a fingerprint leaves out
_QUARTER = timedelta(minutes=15)  # what timezones differ by, or a multiple


def known(connection: Connection, marks: Iterable[str]) -> set[str]:
    """Return which of these fingerprints the store has."""
    from sqlalchemy import select

    from acic.store.schema import measurement as table

    found, rest = set[str](), iter(marks)
    while batch := list(islice(rest, VALUES)):
        query = select(table.c.fingerprint).where(table.c.fingerprint.in_(batch))
        found.update(str(mark) for (mark,) in connection.execute(query))
    return found


def of_another_file(connection: Connection, measurements: Iterable[Measurement], reader: Reader) -> set[str]:
    """Return the fingerprints of those that the store, or an earlier one of these, has from a file that differs.

    A file that was copied with another line end, or put together with others, has other bytes, which stand for the
    moment in a fingerprint. The run is the same where the moment and all else that a fingerprint is made of are.

    Raises:
        StoreError: one that may be such is damaged.
    """
    from sqlalchemy import select

    from acic.store.schema import measurement as table

    asked = [m for m in measurements if m.raw_sha256 and m.bandwidths]
    times = iter(sorted({time_text(m.time) for m in asked}))
    decoder = Decoder()

    def decode(row: Row[Any]) -> tuple[tuple[Any, ...], str]:
        return _moment(decoder.measurement(row)), str(row.fingerprint)

    stored: dict[tuple[Any, ...], set[str]] = {}
    while batch := list(islice(times, _WIDE)):
        query = select(*(table.c[name] for name in COLUMNS)).where(table.c.time.in_(batch))
        for moment, mark in reader.decoded(connection.execute(query), decode):
            stored.setdefault(moment, set()).add(mark)
    first: dict[tuple[Any, ...], Measurement] = {}
    found = set()
    for one in asked:
        moment = _moment(one)
        if (marks := stored.get(moment)) is None:
            if (other := first.setdefault(moment, one)) is one:
                continue
            marks = {fingerprint(other)}
        if (mark := fingerprint(one)) not in marks:
            found.add(mark)
    return found


def judged_otherwise(connection: Connection, measurements: Iterable[Measurement], reader: Reader) -> int:
    """Return how many of these the store has with another outcome, revision, contributor, note or timezone.

    Raises:
        StoreError: one of them is damaged.
    """
    from sqlalchemy import select

    from acic.store.schema import measurement as table

    columns = [table.c[name] for name in ("fingerprint", "time", *_JUDGED)]
    told = {fingerprint(m): (m.time, [str(getattr(m, name)) for name in _JUDGED]) for m in measurements}
    marks, differ = iter(told), 0

    def differs(row: Sequence[Any]) -> bool:
        mark, time, *judged = row
        moment, said = told[mark]
        return _another_zone(moment, datetime.fromisoformat(time)) or judged != said

    while batch := list(islice(marks, VALUES)):
        query = select(*columns).where(table.c.fingerprint.in_(batch))
        differ += sum(reader.decoded(connection.execute(query), differs))
    return differ


def configured_otherwise(connection: Connection, measurements: Iterable[Measurement], reader: Reader) -> int:
    """Return how many of these the store has with another configuration too, by the raw output they are from.

    Raises:
        StoreError: one of the same output is damaged.
    """
    from sqlalchemy import select

    from acic.store.schema import measurement as table

    them = [m for m in measurements if m.raw_sha256]
    raws = iter(sorted({m.raw_sha256 for m in them}))
    columns = [table.c[name] for name in ("fingerprint", "configuration", "time", *RUN)]
    known: dict[tuple[Any, ...], list[tuple[Configuration, str]]] = {}
    decoder = Decoder()

    def decode(row: Sequence[Any]) -> tuple[tuple[Any, ...], Configuration, str]:
        _, configuration, time, *run = row
        return tuple(run), decoder.configuration(configuration), time

    while batch := list(islice(raws, _WIDE)):
        query = select(*columns).where(table.c.raw_sha256.in_(batch))
        for run, configuration, time in reader.decoded(connection.execute(query), decode):
            known.setdefault(run, []).append((configuration, time))
    return sum(
        any(
            # without figures outputs of many runs are alike, as of one error: then the moment tells them apart
            configuration != m.configuration and (m.bandwidths or time == time_text(m.time))
            for configuration, time in known.get(run_of(m), ())
        )
        for m in them
    )


def _moment(one: Measurement) -> tuple[Any, ...]:
    """Return all that a fingerprint is made of, with the time in place of the file: quicker to compare than to hash."""
    tables = (frozenset(one.versions.items()), frozenset(one.host_shape.items()))
    made = (one.basis, one.tool, one.tool_version, one.seed, *tables)
    return (one.platform, one.configuration, one.workload, one.time, one.repetitions, *made)


def _another_zone(one: datetime, other: datetime) -> bool:
    """Return whether two times of one run are told in two timezones; an output without one has its file's time."""
    return one != other and not (one - other) % _QUARTER and abs(one - other) <= timedelta(hours=26)
