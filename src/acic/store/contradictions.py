"""Measurements that a store has already, and tells something else of: another verdict, or another configuration."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from acic.space import Configuration
from acic.store.content import fingerprint, time_text
from acic.store.measurement import Measurement
from acic.store.rows import RUN, Decoder, run_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

_BATCH = 500  # values in one question: SQLite before 3.32 takes 999
_WIDE = 20_000 if sqlite3.sqlite_version_info >= (3, 32) else _BATCH  # where no index answers, and all rows are read
_JUDGED = ("outcome", "revision", "contributor", "note")  # what a fingerprint leaves out
_QUARTER = timedelta(minutes=15)  # what timezones differ by, or a multiple


def judged_otherwise(connection: Connection, measurements: Iterable[Measurement]) -> int:
    """Return how many of these the store has with another outcome, revision, contributor, note or timezone."""
    from sqlalchemy import select

    from acic.store.schema import measurement as table

    columns = [table.c[name] for name in ("fingerprint", "time", *_JUDGED)]
    told = {fingerprint(m): (m.time, [str(getattr(m, name)) for name in _JUDGED]) for m in measurements}
    marks, differ = iter(told), 0
    while batch := list(islice(marks, _BATCH)):
        query = select(*columns).where(table.c.fingerprint.in_(batch))
        for mark, time, *judged in connection.execute(query):
            moment, said = told[mark]
            differ += judged != said or _another_zone(moment, datetime.fromisoformat(time))
    return differ


def configured_otherwise(connection: Connection, measurements: Iterable[Measurement]) -> int:
    """Return how many of these the store has with another configuration too, by the raw output they are from."""
    from sqlalchemy import select

    from acic.store.schema import measurement as table

    them = [m for m in measurements if m.raw_sha256]
    raws = iter(sorted({m.raw_sha256 for m in them}))
    columns = [table.c[name] for name in ("configuration", "time", *RUN)]
    known: dict[tuple[Any, ...], list[tuple[Configuration, str]]] = {}
    decode = Decoder().configuration
    while batch := list(islice(raws, _WIDE)):
        query = select(*columns).where(table.c.raw_sha256.in_(batch))
        for configuration, time, *run in connection.execute(query):
            known.setdefault(tuple(run), []).append((decode(configuration), time))
    return sum(
        any(
            # without figures outputs of many runs are alike, as of one error: then the moment tells them apart
            configuration != m.configuration and (m.bandwidths or time == time_text(m.time))
            for configuration, time in known.get(run_of(m), ())
        )
        for m in them
    )


def _another_zone(one: datetime, other: datetime) -> bool:
    """Return whether two times of one run are told in two timezones; an output without one has its file's time."""
    return one != other and not (one - other) % _QUARTER and abs(one - other) <= timedelta(hours=26)
