"""A deadline stops writing and reading; wearing out evens the tasks out. 8-byte transfers write little."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.native.bench import Bench


@pytest.mark.parametrize("interface", ["-a POSIX", "-a MPIIO -c"])
def test_a_deadline_stops_all(bench: Bench, tmp_path: Path, interface: str) -> None:
    summary = bench.measure(f"{interface} -b 1g -t 8 -D 1 -F -C -k -o d", cwd=tmp_path)
    write, read = summary.results
    assert 1 <= write["totalTime"] < 10
    assert 0 < write["bytes"] < 2**31
    assert write["bytes"] == sum(p.stat().st_size for p in tmp_path.glob("d.*"))
    assert read["bytes"] <= write["bytes"]
    assert write["stonewallTime"] >= 1
    assert write["stonewallBytes"] == write["bytes"]
    assert summary.data["summary"][0]["xsizeMiB"] == pytest.approx(write["bytes"] / 2**20)


@pytest.mark.parametrize("interface", ["-a POSIX -F", "-a MPIIO -c"])
def test_wearing_out_evens_the_tasks_out(bench: Bench, tmp_path: Path, interface: str) -> None:
    options = f"{interface} -b 1g -t 8 -D 1 -O stoneWallingWearOut=1 -w -W -k -o d"
    (write,) = bench.measure(options, cwd=tmp_path).results
    assert write["bytes"] >= write["stonewallBytes"] > 0
    if "-F" in interface:
        assert [p.stat().st_size for p in tmp_path.glob("d.*")] == [write["bytes"] // 2] * 2


def test_a_deadline_that_is_not_reached_changes_nothing(bench: Bench, tmp_path: Path) -> None:
    write, read = bench.measure("-b 64k -t 4k -D 30", cwd=tmp_path).results
    assert write["bytes"] == read["bytes"] == 128 * 1024
    assert "stonewallTime" not in write


def test_the_delay_comes_before_each_phase(bench: Bench, tmp_path: Path) -> None:
    begin = time.monotonic()
    summary = bench.measure("-b 64k -t 4k -d 1", cwd=tmp_path)
    assert time.monotonic() - begin >= 2  # before writing, and before reading
    assert all(r["totalTime"] < 1 for r in summary.results)  # and is not measured
