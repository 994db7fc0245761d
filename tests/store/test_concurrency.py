"""Several writers at once, and writers that die: nothing lost, nothing doubled, nothing half-done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from acic.store.content import fingerprint
from acic.store.database import AddResult, Store
from tests.store.samples import measurement

WRITER = Path(__file__).with_name("writer.py")


def start(url: str, first: int, last: int, pause: float = 0.0) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), url, str(first), str(last), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_writers_at_once_lose_and_double_nothing(url: str) -> None:
    """They also open the new store at once: one of them makes it."""
    ranges = [(0, 1500), (1000, 2500), (500, 2000)]
    with ExitStack() as stack:
        writers = [stack.enter_context(start(url, *r)) for r in ranges]
        outputs = [writer.communicate(timeout=120)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    added = sum(int(output.split()[-1]) for output in outputs)
    with Store.open(url) as store:
        assert added == store.count() == 2500
        assert {fingerprint(m) for m in store.measurements()} == {fingerprint(measurement(i)) for i in range(2500)}


def test_readers_see_whole_imports_only(url: str) -> None:
    with Store.open(url) as store:
        store.add([measurement(0)])
        with start(url, 0, 3000, 0.05) as writer:
            seen = set()
            while writer.poll() is None:
                seen.add(store.count())
            writer.communicate()
        assert writer.returncode == 0
        seen.add(store.count())
    assert seen <= {1, 3000}


@pytest.mark.parametrize("after", ["500", "2500"])
def test_a_killed_import_leaves_nothing_and_can_be_repeated(url: str, after: str) -> None:
    with Store.open(url) as store:
        store.add([measurement(0)])
        with start(url, 0, 4000, 0.2) as writer:
            assert writer.stdout is not None
            for line in writer.stdout:
                if line.strip() == after:
                    break
            os.kill(writer.pid, signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
        assert store.measurements() == [measurement(0)]
        assert store.add(map(measurement, range(4000))) == AddResult(added=3999, duplicates=1)
