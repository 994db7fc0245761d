"""A measurement: what one benchmark run gave, with everything needed to trust it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import inf
from statistics import median

from acic.errors import InvalidInput
from acic.space import Configuration
from acic.workloads import Characteristics

# What a figure can be at most. The fastest storage moves some 3e13 B/s, and all memory of the largest machines some
# 1e17 B/s: no cache of theirs answers faster. An operation moves a byte or more; a run does not last for centuries.
MOST = {"bandwidth": (1e18, "B/s"), "seconds": (1e10, "s"), "iops": (1e18, "operations/s")}


class Outcome(StrEnum):
    """How a run ended; anything but OK teaches no model."""

    OK = "ok"
    FAILED = "failed"  # the benchmark or the file system gave up
    TIMEOUT = "timeout"
    CORRUPT = "corrupt"  # data read back were not the data written
    SUSPECT = "suspect"  # ran to its end, but the figure is not the storage's (a cache answered)
    UNKNOWN = "unknown"  # nobody saw how it ended


class Basis(StrEnum):
    """Where a number comes from; never mixed."""

    MEASURED = "measured"
    PREDICTED = "predicted"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """One repetition of a run: bandwidth in B/s, seconds of wall time, operations per second.

    None where the tool did not report the figure.

    Raises:
        InvalidInput: a figure that is negative, infinite or not a number.
    """

    bandwidth: float | None
    seconds: float | None
    iops: float | None = None

    def __post_init__(self) -> None:
        for figure in (self.bandwidth, self.seconds, self.iops):
            if figure is not None and not 0 <= figure < inf:
                raise InvalidInput(f"a repetition holds {figure}", hint="leave out a figure that was not measured")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One workload on one configuration of a platform, all repetitions.

    Args:
        platform: the platform's name.
        revision: its revision when this was measured.
        workload: what was run: one phase.
        configuration: the system parameters it ran with.
        outcome: how it ended.
        repetitions: each of them; empty for most failures.
        basis: measured, or simulated by a model that says so.
        tool: what ran ("ior", "acic-bench", the application).
        tool_version: its version.
        versions: versions of what else ran (MPI, file system, kernel).
        host_shape: nodes, tasks per node, machine name: what the run ran on.
        seed: of whatever was random; None if nothing was or it is not known.
        time: when the run began, timezone-aware.
        contributor: who measured.
        raw_sha256: hash of the raw output, "" if there is none.
        note: one sentence about anything odd; the error of a failed run.
    """

    platform: str
    revision: str
    workload: Characteristics
    configuration: Configuration
    outcome: Outcome
    time: datetime
    repetitions: tuple[Repetition, ...] = ()
    basis: Basis = Basis.MEASURED
    tool: str = ""
    tool_version: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    host_shape: Mapping[str, str | int] = field(default_factory=dict)
    seed: int | None = None
    contributor: str = ""
    raw_sha256: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.time.tzinfo is None:
            raise InvalidInput("a measurement's time has no timezone", hint="give UTC")
        if self.outcome is Outcome.OK and not self.bandwidths:
            raise InvalidInput("a measurement without any bandwidth cannot be ok", hint="record it as failed")

    @property
    def bandwidths(self) -> tuple[float, ...]:
        """Bandwidth of every repetition that reported one, B/s."""
        return tuple(r.bandwidth for r in self.repetitions if r.bandwidth is not None)

    @property
    def bandwidth(self) -> float | None:
        """Median bandwidth, B/s; None if no repetition reported one."""
        return median(self.bandwidths) if self.bandwidths else None


def check_figures(measurement: Measurement) -> None:
    """Raise InvalidInput where a repetition has a figure that no machine gives.

    Asked of what comes in, and not of every `Repetition`: a store that took such a figure earlier can still be read.
    """
    limits = [(name, most, unit) for name, (most, unit) in MOST.items()]
    for number, one in enumerate(measurement.repetitions, 1):
        for figure, (name, most, unit) in zip((one.bandwidth, one.seconds, one.iops), limits, strict=True):
            if figure is not None and figure > most:
                raise InvalidInput(
                    f"repetition {number} has {figure:g} {unit}, which no machine gives",
                    hint=f"correct its {name}, or leave the measurement out",
                )
