"""Measurements that cannot be as they are told: figures in wrong units, and times to come."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from acic.store.measurement import Measurement

_APART = 10.0  # times; what IOR and acic-bench tell, whatever IOR counts to its seconds, lies within 1.3
_AHEAD = timedelta(minutes=10)  # that another machine's clock may be


def contradictory(measurements: Iterable[Measurement]) -> int:
    """Return of how many bandwidth times seconds is far from the data that was moved, in any repetition with both.

    A run that was ended early (IOR's `-D`) moved less than it was to, and may be among them.
    """
    return sum(
        any(
            not 1.0 / _APART <= r.bandwidth * r.seconds / m.workload.total_bytes <= _APART
            for r in m.repetitions
            if r.bandwidth and r.seconds
        )
        for m in measurements
    )


def to_come(measurements: Iterable[Measurement], now: datetime) -> int:
    """Return how many have a time that is still to come."""
    latest = now + _AHEAD
    return sum(m.time > latest for m in measurements)
