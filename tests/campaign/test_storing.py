"""A store whose server restarts while a campaign measures."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from acic.campaign.budget import Budget
from acic.campaign.patience import NAPS
from acic.errors import StoreAway, StoreError, TransientError
from acic.store import Measurement
from acic.store.database import AddResult
from acic.store.engine import may_pass
from acic.store.location import locate
from tests.campaign.fakes import FakeStore, FakeTrials, controller, lab_platform


class Restarting(FakeStore):
    """A store that is away from its second measurement on, until a time."""

    def __init__(self, clock: Callable[[], float], back: float, error: type[StoreError] = StoreAway) -> None:
        super().__init__()
        self._clock, self._back, self._error = clock, back, error

    def add(self, measurements: list[Measurement]) -> AddResult:
        if self.added and self._clock() < self._back:
            raise self._error("the store cannot be reached: Connection refused", hint="see whether it runs")
        return super().add(measurements)


def test_a_restart_of_the_server_ends_no_campaign(tmp_path: Path) -> None:
    """A restart of a second ended a campaign of days, with status 5."""
    trials, said = FakeTrials(lab_platform()), list[str]()
    store = Restarting(trials.clock, back=60.0)
    made = controller(tmp_path / "c", trials, budget=Budget(points=3), store=store, announce=said.append, screen=False)
    assert "3 points" in made.run()
    assert len(store.added) == 3
    assert len(said) == 1, "told once in each outage, not at each try"
    assert "Connection refused; it is tried again for 5 min" in said[0]


@pytest.mark.parametrize(("error", "waits"), [(StoreAway, sum(NAPS)), (StoreError, 0.0)])
def test_a_store_that_stays_away_ends_it_and_one_that_refuses_does_at_once(
    tmp_path: Path, error: type[StoreError], waits: float
) -> None:
    trials = FakeTrials(lab_platform())
    store = Restarting(trials.clock, back=1e9, error=error)
    made = controller(tmp_path / "c", trials, budget=Budget(points=3), store=store, screen=False)
    with pytest.raises(error) as raised:
        made.run()
    assert raised.value.exit_status == 5
    assert trials.now == pytest.approx(len(trials.made) + waits)
    kept = FakeStore()
    controller(tmp_path / "c", FakeTrials(lab_platform()), budget=Budget(points=3), store=kept, screen=False).run()
    assert len(kept.added) == 3


def test_which_errors_of_a_server_may_pass() -> None:
    psycopg = pytest.importorskip("psycopg")
    server, file = locate("postgresql://me@host/db"), locate("store.sqlite")
    refused = psycopg.OperationalError("connection failed: Connection refused")
    starting = psycopg.OperationalError("connection failed: FATAL:  the database system is starting up")
    for error in (refused, starting, psycopg.errors.AdminShutdown("terminating"), psycopg.errors.CannotConnectNow("")):
        assert may_pass(server, error)
        assert not may_pass(file, error)
    password = psycopg.OperationalError('connection failed: FATAL:  password authentication failed for user "me"')
    for error in (password, psycopg.errors.DiskFull(""), psycopg.errors.InsufficientPrivilege("")):
        assert not may_pass(server, error)
    assert issubclass(StoreAway, TransientError)


def test_a_file_that_is_locked_for_long_is_waited_for(tmp_path: Path) -> None:
    """A group's import took longer than a minute, and ended a campaign of a night."""
    file = tmp_path / "store.sqlite"
    sqlite3.connect(file).close()
    holder, other = (sqlite3.connect(file, isolation_level=None, timeout=0.0) for _ in range(2))
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError) as locked:
        other.execute("BEGIN IMMEDIATE")
    assert may_pass(locate(str(file)), locked.value)
    with pytest.raises(sqlite3.OperationalError) as wrong:
        other.execute("SELECT nothing FROM nowhere")
    assert not may_pass(locate(str(file)), wrong.value)
    holder.close()
    other.close()
