"""What a hypervisor took is told from the kernel's own count."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acic.cluster.stolen import ProcessorTime, processor_time

TICKS = st.integers(0, 2**40)


@given(TICKS, TICKS, TICKS, TICKS)
def test_what_is_stolen_is_a_share_of_what_was_wanted(worked: int, stolen: int, more: int, taken: int) -> None:
    share = ProcessorTime(worked + more, stolen + taken).stolen_since(ProcessorTime(worked, stolen))
    assert 0.0 <= share <= 1.0
    assert share * (more + taken) == pytest.approx(taken)


def test_counters_that_went_back_tell_nothing() -> None:
    assert ProcessorTime(10, 5).stolen_since(ProcessorTime(20, 8)) == 0.0


def test_the_kernel_counts_it(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 20 30 4000 500 6 7 80 90 11\ncpu0 1 2 3 4 5 6 7 8 9 10\nctxt 5\n")
    assert processor_time(stat) == ProcessorTime(worked=163, stolen=80)  # a guest's time (90, 11) is in user's already


@pytest.mark.parametrize("text", ["cpu  100 20 30 4000 500 6 7\n", "cpu  1 2 x\n", "", None])
def test_a_kernel_that_does_not_tell_has_nothing_stolen(tmp_path: Path, text: str | None) -> None:
    stat = tmp_path / "stat"
    if text is not None:
        stat.write_text(text)
    assert processor_time(stat).stolen == 0


def test_this_machine_works() -> None:
    before = processor_time()
    sum(range(3_000_000))
    now = processor_time()
    assert now.worked > before.worked
    assert 0.0 <= now.stolen_since(before) <= 1.0
