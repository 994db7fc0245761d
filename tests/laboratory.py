"""A lab for tests: one at a time on a machine, of its own name and network, taken down and checked for leftovers."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from acic.cluster.lab import Names, doctor
from acic.lab import Lab, LabFacts, clean_up
from acic.platforms import load_platform
from tests.cluster.services import SBIN
from tests.distribution import LAB, unit
from tests.needs import skip_or_fail

NAME, NETWORK, NIC = "t", "10.60.0.0/24", "lab.400m"
LOCK = Path("/tmp/acic-lab-tests.lock")  # all checkouts on a machine share it


def facts() -> LabFacts:
    return LabFacts.of(load_platform("lab").lab)


def need_lab(programs: Sequence[str] = (), packages: str = "") -> None:
    """A machine that cannot have a lab skips its tests; one that promised to (CI) fails."""
    troubles = [finding.problem for finding in doctor.findings() if not finding.well]
    if troubles:
        skip_or_fail(f"no lab here: {'; '.join(troubles)}")
    path = f"{os.environ['PATH']}:{SBIN}"
    absent = [program for program in programs if shutil.which(program, path=path) is None]
    if absent:
        skip_or_fail(f"no {', '.join(absent)} here: apt-get install {packages}")


@contextmanager
def alone() -> Iterator[None]:
    """Labs of several test processes would slow one another down: one after the other."""
    assert unit(os.environ["PYTEST_CURRENT_TEST"]) == LAB, "the file wants the lab: name it in tests/distribution.py"
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def remove_leftovers(state: Path) -> None:
    """Remove what tests that were killed left of their lab, wherever its record is; the caller is `alone`."""
    clean_up(Names(NAME).owner() or state, name=NAME)
    clean_up(state, name=NAME)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab that is up, with nothing deployed; a test leaves it as it likes."""
    need_lab()
    state = tmp_path_factory.mktemp("lab") / "state"
    with alone():
        remove_leftovers(state)
        made = Lab.up(facts(), nic=NIC, state=state, name=NAME, network=NETWORK)
        try:
            yield made
        finally:
            made.down()
            assert not list(state.parent.iterdir())
