"""Measurements to test with: one of each kind on demand, and Hypothesis's strategies for any."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from acic.space import Configuration
from acic.store import Basis, Measurement, Outcome, Repetition
from acic.store.measurement import MOST
from acic.workloads import Access, Characteristics, Interface, Operation
from acic.workloads.workload import MOST_PROCESSES

MIB = 2**20
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def workload(**changes: Any) -> Characteristics:
    given: dict[str, Any] = {
        "processes": 64,
        "io_processes": 64,
        "interface": Interface.MPIIO,
        "iterations": 1,
        "data_size": 100 * MIB,
        "request_size": 2 * MIB,
        "operation": Operation.WRITE,
        "collective": False,
        "shared": True,
        "access": Access.CONSECUTIVE,
    }
    return Characteristics(**given | changes)


def measurement(number: int = 0, **changes: Any) -> Measurement:
    """A good measurement; another `number` is another one."""
    given: dict[str, Any] = {
        "platform": "tianhe-lustre",
        "revision": "2023-05",
        "workload": workload(),
        "configuration": lustre(stripe_count=1 + number % 32),
        "outcome": Outcome.OK,
        "time": EPOCH + timedelta(seconds=number),
        "repetitions": (
            Repetition(bandwidth=1e9 + number, seconds=6.4, iops=500.0),
            Repetition(bandwidth=1.1e9 + number, seconds=6.1, iops=None),
        ),
        "tool": "ior",
        "tool_version": "4.1.0",
        "versions": {"MPIIO": "3.1"},
        "host_shape": {"nodes": 64, "tasks_per_node": 1, "machine": "Linux cn1"},
        "contributor": "a test",
    }
    return Measurement(**given | changes)


def failure(number: int = 0, **changes: Any) -> Measurement:
    return measurement(number, outcome=Outcome.FAILED, repetitions=(), note="No space left on device", **changes)


def lustre(**changes: Any) -> Configuration:
    values: Mapping[str, Any] = {
        "stripe_count": 1,
        "stripe_size": MIB,
        "romio_cb_read": "automatic",
        "romio_cb_write": "automatic",
        "romio_ds_read": "automatic",
        "romio_ds_write": "automatic",
    }
    return Configuration({**values, **changes})


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
figures = {name: st.none() | st.floats(0, most, allow_subnormal=False) for name, (most, _) in MOST.items()}
repetitions = st.builds(Repetition, **figures)
sizes = st.integers(1, 2**62)


@st.composite
def workloads(draw: st.DrawFn) -> Characteristics:
    processes, data = draw(st.integers(1, MOST_PROCESSES)), draw(sizes)
    return Characteristics(
        processes=processes,
        io_processes=draw(st.integers(1, processes)),
        interface=draw(st.sampled_from(Interface)),
        iterations=draw(sizes),
        data_size=data,
        request_size=draw(st.integers(1, data)),
        operation=draw(st.sampled_from(Operation)),
        collective=draw(st.booleans()),
        shared=draw(st.booleans()),
        access=draw(st.sampled_from(Access)),
    )


values = texts | st.integers(-(10**20), 10**20) | st.floats(-1e300, 1e300, allow_subnormal=False) | st.booleans()
zones = st.integers(-12 * 60, 12 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@st.composite
def measurements(draw: st.DrawFn) -> Measurement:
    taken = tuple(draw(st.lists(repetitions, max_size=4)))
    good = any(r.bandwidth is not None for r in taken)
    outcomes = [o for o in Outcome if good or o is not Outcome.OK]
    return Measurement(
        platform=draw(texts),
        revision=draw(texts),
        workload=draw(workloads()),
        configuration=Configuration(draw(st.dictionaries(texts, values, max_size=4))),
        outcome=draw(st.sampled_from(outcomes)),
        time=draw(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=zones)),
        repetitions=taken,
        basis=draw(st.sampled_from(Basis)),
        tool=draw(texts),
        tool_version=draw(texts),
        versions=draw(st.dictionaries(texts, texts, max_size=3)),
        host_shape=draw(st.dictionaries(texts, texts | st.integers(-(2**70), 2**70), max_size=3)),
        seed=draw(st.none() | st.integers(-(2**130), 2**130)),
        contributor=draw(texts),
        raw_sha256=draw(st.sampled_from(["", "ab" * 32])),
        note=draw(texts),
    )
