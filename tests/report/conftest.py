"""Campaigns to report on, in a state folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acic.campaign.session import Session
from acic.report.contents import Contents, contents_of
from acic.report.page import page_of
from acic.store.measurement import Outcome
from tests.report.browser import Browser, chromium
from tests.report.journals import Made, make

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
TROUBLE = {Outcome.FAILED: 0.05, Outcome.TIMEOUT: 0.03, Outcome.UNKNOWN: 0.02, Outcome.SUSPECT: 0.02}
Open = Callable[[Made], Session]


def reported(session: Session) -> tuple[Contents, str]:
    """What the report says, and its page."""
    contents = contents_of(Session.open(session.journal.name), now=NOW)
    return contents, page_of(contents)


@pytest.fixture
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "acic" / "campaigns"


@pytest.fixture
def campaign(state_folder: Path) -> Open:
    """Makes a campaign called `made`."""
    state_folder.mkdir(parents=True)
    return lambda made: make("made", made)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, Contents, str]:
    """A priced campaign with all kinds of trouble, and its report."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        session = make("usual", Made(sampled=90, trouble=TROUBLE, unsafe=True))
        return session, *reported(session)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    chromium()
    profile = tmp_path_factory.mktemp("browser") / "profile"
    profile.mkdir()
    with Browser(profile) as opened:
        yield opened
