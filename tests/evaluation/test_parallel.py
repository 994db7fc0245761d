"""Several processes of this machine: what they return, and that Ctrl-C ends them at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acic.evaluation.parallel import spread
from tests.cluster.services import until

ROOT = Path(__file__).parents[2]


def wait(marker: Path) -> None:
    marker.touch()
    time.sleep(60)


def touch(marker: Path) -> None:
    marker.touch()
    time.sleep(0.1)


@pytest.mark.parametrize("processes", [1, 2])
def test_answers_come_in_the_order_of_the_arguments(processes: int) -> None:
    assert spread(abs, [-3, 2, -1], processes=processes) == [3, 2, 1]


@contextmanager
def two_at_work(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Give a command two of whose four calls have begun, and which shares a session with its processes alone."""
    markers = [folder / str(i) for i in range(4)]
    program = (
        "from pathlib import Path; from acic.evaluation.parallel import spread; "
        "from tests.evaluation.test_parallel import wait; "
        f"spread(wait, [Path(one) for one in {[str(one) for one in markers]}], processes=2)"
    )
    command = [sys.executable, "-c", program]
    child = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until(lambda: all(one.exists() for one in markers[:2]), "two have begun")
        yield child
    finally:
        child.kill()


def test_an_interrupt_waits_for_nothing(tmp_path: Path) -> None:
    """A terminal's Ctrl-C reaches every process of the group; those that wait in a queue must not begin."""
    with two_at_work(tmp_path) as child:
        os.killpg(child.pid, signal.SIGINT)
        assert child.wait(20) != 0


def test_an_interrupt_between_calls_is_told_once(tmp_path: Path) -> None:
    """The pool's own thread complained of calls that had been cancelled."""
    program = (
        "from pathlib import Path; from acic.evaluation.parallel import spread; "
        "from tests.evaluation.test_parallel import touch; "
        f"spread(touch, [Path({str(tmp_path)!r}) / str(i) for i in range(400)], processes=2)"
    )
    child = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: (tmp_path / "20").exists(), "some calls have ended")
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=20)
    finally:
        child.kill()
    assert errors.count("Traceback") == 1
    assert "KeyboardInterrupt" in errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_who_is_made_to_end_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    """A batch system's signals reach the command alone; its processes went on, and waited for more for ever."""
    with two_at_work(tmp_path) as child:
        child.send_signal(number)
        assert child.wait(20) == -number
        until(lambda: not group_lives(child.pid), "all have ended")


def group_lives(number: int) -> bool:
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_interrupt_while_processes_load_is_told_by_nobody_else(tmp_path: Path) -> None:
    """`acic evaluate`, interrupted early, ended in a traceback of the process that others are forked from."""
    (tmp_path / "slow.py").write_text(
        f"import pathlib, time\npathlib.Path({str(tmp_path / 'loads')!r}).touch()\ntime.sleep(2)\n"
    )
    program = (
        "from acic.evaluation import parallel\n"
        "parallel._LOADED = ('slow',)\n"
        "try:\n    parallel.spread(abs, [1, -2], processes=2)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until((tmp_path / "loads").exists, "they load")
    os.killpg(child.pid, signal.SIGINT)
    told, errors = child.communicate(timeout=30)
    assert told == "interrupted\n"
    assert errors == ""
