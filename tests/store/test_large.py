"""A large store: 100,000 measurements of ten repetitions each."""

from __future__ import annotations

import time

import pytest

from acic.store import Measurement, Repetition
from acic.store.database import Store
from tests.store.samples import measurement

ROWS = 100_000


def large(number: int) -> Measurement:
    figures = tuple(
        Repetition(bandwidth=1e9 / (1 + number + i), seconds=0.1 * i + number, iops=7.0 / (1 + i)) for i in range(10)
    )
    return measurement(number, repetitions=figures)


@pytest.mark.slow
def test_a_hundred_thousand_measurements(store: Store) -> None:
    """Generous limits: other work may share the machine; benchmarks/bench_store.py tells the figures."""
    begun = time.perf_counter()
    assert store.add(map(large, range(ROWS))).added == ROWS
    assert time.perf_counter() - begun < 120
    begun = time.perf_counter()
    state = store.fingerprint("tianhe-lustre")
    assert time.perf_counter() - begun < 2
    assert len(store.training_records("tianhe-lustre")) == ROWS
    assert store.count("tianhe-lustre") == ROWS
    assert store.add(map(large, range(1000))).added == 0
    assert store.fingerprint("tianhe-lustre") == state
