"""A real PostgreSQL that goes away, and comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acic.errors import StoreAway, StoreError
from acic.store import Measurement
from acic.store.database import Store
from tests.store.conftest import execute


def test_a_server_that_went_away_is_told_from_one_that_refuses(
    postgresql: Path, new_database: Callable[..., str]
) -> None:
    with Store.open(new_database()) as store:

        def ended() -> Iterator[Measurement]:
            """End, as a restart does, the connection that waits for measurements."""
            execute(postgresql, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test%'")
            yield from ()

        with pytest.raises(StoreAway):
            store.add(ended())
        socket = postgresql / ".s.PGSQL.5432"
        away = socket.rename(postgresql / "away")
        try:
            with pytest.raises(StoreAway, match="cannot be reached"):
                store.check_writable()
        finally:
            away.rename(socket)
        store.check_writable()
    with pytest.raises(StoreError) as raised:
        Store.open(f"postgresql://acic@/nosuch?host={postgresql}")
    assert not isinstance(raised.value, StoreAway)
