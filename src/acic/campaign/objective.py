"""What a reading of an application's replica comes to: seconds of I/O, or what a run with them costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acic.campaign.meter import Reading
from acic.platforms import Platform
from acic.workloads import Characteristics, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """Tells readings of an application's replica as what is to be small: s for the goal "time", USD for "cost".

    Args:
        platform: prices machines.
        goal: "time" or "cost".
        processes: of the application.
        computing: s of its run that are no I/O (`computing_of`): no configuration makes them fewer, but machines are
            paid for meanwhile.
        held: machines of each run that are asked for, as its processes may need fewer.
        price: USD per machine and hour, instead of the platform's.
    """

    platform: Platform
    goal: str
    processes: int
    computing: float = 0.0
    held: int = 1
    price: float | None = None

    def __call__(self, reading: Reading) -> float | None:
        """Return what searches take: s of I/O as measured, or USD, computing included; None if the reading failed.

        Computing makes no configuration faster than another, but what is cheapest hangs on it.

        Raises:
            MissingData: a cost is asked for where nobody knows the price.
        """
        return self.with_computing(reading) if self.goal == "cost" else self.measured(reading)

    def measured(self, reading: Reading) -> float | None:
        """Return the s of I/O as measured, or USD of them; errors are the same."""
        return self._figure(reading, 0.0)

    def with_computing(self, reading: Reading) -> float | None:
        """Return the same of the run with its computing; errors are the same."""
        return self._figure(reading, self.computing)

    def _figure(self, reading: Reading, rest: float) -> float | None:
        if reading.seconds is None:
            return None
        seconds = reading.seconds + rest
        if self.goal == "time":
            return seconds
        return self.platform.cost(reading.configuration, self.processes, seconds, price=self.price, held=self.held)


def computing_of(workload: Workload, phases: Sequence[Characteristics]) -> float:
    """Return the s of a run that are no I/O, by the log, as much of them as `phases` move of the bytes; 0.0 untold."""
    if workload.run_seconds is None or workload.io_share is None:
        return 0.0
    return workload.run_seconds * (1.0 - workload.io_share) * _part(workload, phases)


def io_of(workload: Workload, phases: Sequence[Characteristics]) -> float | None:
    """Return the s of I/O that the log tells, likewise; None where it does not."""
    if workload.run_seconds is None or workload.io_share is None:
        return None
    return workload.run_seconds * workload.io_share * _part(workload, phases)


def _part(workload: Workload, phases: Sequence[Characteristics]) -> float:
    """Return how much of the bytes the phases of a replica move."""
    return sum(p.total_bytes for p in phases) / sum(p.characteristics.total_bytes for p in workload.phases)
