"""Files that are opened again: Darshan tells places from 0 on each time, whether they are appended to or not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from acic.units import KIB, MIB
from acic.workloads import Access, Quality, Workload, characterize
from acic.workloads.darshan import Log
from acic.workloads.replay import replay_trace
from acic.workloads.replica import ior_commands
from tests.workloads.simulator import Call, darshan_log

TIMES = 10
LEFT: tuple[Mapping[str, bool], ...] = ({}, {"trace": False}, {"trace": False, "heatmap": False})
APPENDED = "what it appends is written over here"


def call(rank: int, offset: int, length: int, start: float, file: str) -> Call:
    return Call(rank=rank, offset=offset, length=length, start=start, end=start + 1e-3, file=file)


def written(requests: int = 1, interface: str = "POSIX", seeks: int = 0, opens: int = TIMES, **left: bool) -> Log:
    """Return the log of 4 processes that open a file of their own again and again, and write 4 MiB each time."""
    size = 4 * MIB // requests
    calls = [
        call(rank, i * size, size, at + i * 1e-3, f"/scratch/out.{rank}")
        for rank in range(4)
        for at in range(1, TIMES + 1)
        for i in range(requests)
    ]
    log = darshan_log(calls, processes=4, interface=interface, **left)  # type: ignore[arg-type]  # checked by the callee
    records = log.modules[interface].records
    records[f"{interface}_OPENS"], records[f"{interface}_SEEKS"] = opens, seeks
    return log


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("requests", [1, 4])
@pytest.mark.parametrize("interface", ["POSIX", "STDIO"])
def test_what_may_be_appended_is_neither_random_nor_written_over(
    interface: str, requests: int, left: Mapping[str, bool]
) -> None:
    """What was appended a thousand times was at random places, and each byte was written a thousand times over."""
    (phase,) = characterize(written(requests, interface, **left)).phases
    assert phase.characteristics.access is Access.CONSECUTIVE
    assert "times_over" not in phase.details
    assert phase.details["iterations_are"] != "again"


def test_where_each_opening_writes_once_the_log_does_not_tell_how_requests_lie() -> None:
    (phase,) = characterize(written(trace=False)).phases
    assert phase.quality["access"] is Quality.UNKNOWN


def test_what_is_sought_tells_that_it_is_written_over() -> None:
    log = written(seeks=TIMES)
    (phase,) = characterize(log).phases
    assert phase.details["times_over"] == pytest.approx(TIMES)
    assert phase.details["iterations_are"] == "again"
    assert not [one for one in replay_trace(log).differences if APPENDED in one]


def test_a_process_that_goes_back_in_one_opening_is_still_random() -> None:
    places = [(27 * i) % 64 * KIB for i in range(64)]
    calls = [call(0, at, KIB, i * 1e-3, "/scratch/a") for i, at in enumerate(places)]
    log = darshan_log(calls, processes=2, trace=False)
    log.modules["POSIX"].records["POSIX_STRIDE1_COUNT"] = 0  # all leaps are others
    log.modules["POSIX"].records["POSIX_OPENS"] = 4
    (phase,) = characterize(log).phases
    assert phase.characteristics.access is Access.RANDOM


def test_replicas_and_replays_tell_of_what_may_be_appended() -> None:
    log = written()
    found = characterize(log)
    assert found.phases[0].details["iterations_are"] == "opens"
    (replica,) = ior_commands(Workload(name="x", processes=4, phases=found.phases))
    assert any("Whether each opening writes over" in one for one in replica.differences)
    assert any(APPENDED in one for one in replay_trace(log).differences)
    once = written(opens=1)
    assert not [one for one in replay_trace(once).differences if APPENDED in one]
