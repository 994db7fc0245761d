"""Every counter, segment and heat map bin is the one that PyDarshan reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from acic.workloads.darshan.counters import LAYOUTS
from tests.workloads.darshan.comparing import assert_same_log
from tests.workloads.darshan.logs import EACH_BUNDLED, OTHERS, public
from tests.workloads.darshan.oracle import library

# PyDarshan 3.5.0 crashes on it: DXT_POSIX format 2, DXT_MPIIO format 3
_NOT_THEIRS = ("dxt_v3_unsupported",)
_NO_TRACE = ("filled_traced",)  # of these formats it returns none, and says so on stderr alone


@EACH_BUNDLED
def test_our_own_logs_are_read_as_pydarshan_reads_them(path: Path) -> None:
    if path.stem in _NO_TRACE:
        pytest.skip("PyDarshan 3.5.0 reads no trace of DXT_POSIX format 2 and DXT_MPIIO format 3")
    assert_same_log(path)


@pytest.mark.shared
@pytest.mark.parametrize("name", [path.stem for path in OTHERS if path.stem not in _NOT_THEIRS] or ["empty"])
def test_logs_of_others_are_read_as_pydarshan_reads_them(name: str) -> None:
    assert_same_log(public(name))


@pytest.mark.parametrize("module", [name for name in LAYOUTS if name != "BG/Q"])
def test_counters_have_the_names_and_order_of_libdarshan(module: str) -> None:
    layout, backend = LAYOUTS[module], library()
    for ours, theirs in ((layout.integers, backend.counter_names), (layout.floats, backend.fcounter_names)):
        assert [f"{layout.prefix}_{name}" for name in ours] == theirs(module)
