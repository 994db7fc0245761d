"""What a hypervisor took, and what others on the machine got, is told from the kernel's own counts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.cluster.others import TAKEN, ProcessorTime, processor_time, processor_time_beside

TICKS = st.integers(0, 2**40)


@given(TICKS, TICKS, TICKS, TICKS)
def test_what_is_stolen_is_a_share_of_what_was_wanted(worked: int, stolen: int, more: int, taken: int) -> None:
    share = ProcessorTime(worked + more, stolen + taken).taken_since(ProcessorTime(worked, stolen))
    assert 0.0 <= share <= 1.0
    assert share * (more + taken) == pytest.approx(taken)


def test_counters_that_went_back_tell_nothing() -> None:
    assert ProcessorTime(10, 5).taken_since(ProcessorTime(20, 8)) == 0.0


def test_the_kernel_counts_it(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  100 20 30 4000 500 6 7 80 90 11\ncpu0 1 2 3 4 5 6 7 8 9 10\nctxt 5\n")
    assert processor_time(tmp_path) == ProcessorTime(
        worked=163, stolen=80, idle=4500
    )  # a guest's (90, 11) is in user's already


@pytest.mark.parametrize("text", ["cpu  100 20 30 4000 500 6 7\n", "cpu  1 2 x\n", "", None])
def test_a_kernel_that_does_not_tell_has_nothing_stolen(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "stat").write_text(text)
    assert processor_time(tmp_path).stolen == 0


def test_this_machine_works() -> None:
    before = processor_time()
    sum(range(3_000_000))
    now = processor_time()
    assert now.worked > before.worked
    assert 0.0 <= now.taken_since(before) <= 1.0


def told(proc: Path, process: int, parent: int, user: int, system: int, name: str = "sleep") -> None:
    (proc / str(process)).mkdir(exist_ok=True)
    text = f"{process} ({name}) S {parent} 0 0 0 -1 0 1 2 3 4 {user} {system} 7 8 20 0 1 0 99\n"
    (proc / str(process) / "stat").write_text(text)


def test_others_are_those_that_neither_it_nor_the_kernel_began(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  100 20 30 4000 500 6 7 80\n")
    (tmp_path / "self").mkdir()
    told(tmp_path, 1, 0, 10, 1)
    told(tmp_path, 2, 0, 20, 2)
    told(tmp_path, 30, 2, 5, 5, name="kworker/0:1")
    told(tmp_path, os.getpid(), 1, 40, 4)
    told(tmp_path, 3_000_001, os.getpid(), 5, 50)
    told(tmp_path, 3_000_002, 3_000_001, 5, 50)
    told(tmp_path, 3_000_003, 1, 6, 60, name="a name) of (two")
    told(tmp_path, 3_000_004, 1, 7, 70)
    now = processor_time_beside({3_000_004}, tmp_path)
    assert now == ProcessorTime(worked=163, stolen=80, idle=4500, others={1: 11, 3_000_003: 66})


def test_what_others_worked_is_taken_as_what_was_stolen() -> None:
    before = ProcessorTime(1000, 10, 500, {7: 100, 8: 50}, processors=2)
    now = ProcessorTime(1090, 20, 600, {7: 105, 9: 15}, processors=2)  # one ended, one began
    assert now.taken_since(before) == pytest.approx(10 / 100 + (5 + 15) / 200)


def test_a_little_in_the_background_of_a_run_that_waits_is_no_disturbance() -> None:
    """Process 1 reaped the lab's processes: 7 % of what a run wanted that waited for disks, 0.6 % of the machine."""
    before, now = ProcessorTime(0, 0, 0, {1: 0}), ProcessorTime(90, 0, 910, {1: 6})
    assert now.taken_since(before) < TAKEN


def test_a_little_that_is_stolen_of_a_run_that_waits_is_no_disturbance() -> None:
    """In 20 s of waiting for disks 0.2 s were stolen, 13 % of the little that was wanted: nobody waited longer."""
    before, now = ProcessorTime(0, 0, 0, processors=2), ProcessorTime(130, 20, 3850, processors=2)
    assert now.taken_since(before) == pytest.approx(20 / 2000)
    busy = ProcessorTime(3800, 200, 0, processors=2)
    assert busy.taken_since(before) == pytest.approx(0.05)


def test_work_beside_at_the_lowest_priority_is_seen() -> None:
    """Analyses that ran idle beside a survey made 16 % of its runs take longer: idle counts only within a group."""
    begin = "subprocess.Popen([sys.executable, '-c', sys.argv[1]], stdout=subprocess.DEVNULL)"
    parent = [sys.executable, "-c", f"import subprocess, sys; print({begin}.pid)"]
    spin = "import os, time; os.nice(19); end = time.monotonic() + 6\nwhile time.monotonic() < end: pass"
    before = processor_time_beside(set())
    begun = subprocess.run(
        [*parent, spin], check=True, capture_output=True, text=True
    )  # it goes on, as somebody else's
    time.sleep(1.0)
    end = time.monotonic() + 4.5
    while not (after := processor_time_beside(set())).others.get(int(begun.stdout)) and time.monotonic() < end:
        time.sleep(0.1)  # its first hundredth of a second comes late where others leave it little
    assert after.others[int(begun.stdout)] > 0  # whatever else the machine does
    assert after.taken_since(before) > TAKEN
