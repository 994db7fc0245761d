"""The whole application's time: computing stays, I/O shrinks or grows (Amdahl)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from acic.workloads import Operation, Phase, Workload

Floats = NDArray[np.float64]

_LEAST = 1e-5  # s of a phase that a log tells nothing of
_MOST = 0.8  # of a phase's time, for which another one is under way by turns with it
_LITTLE = 0.05  # of it, for which processes may be away that do not pause


@dataclass(frozen=True, slots=True)
class Effect:
    """Predicted log improvement of one phase for every candidate, and its interval, each of shape (candidates,)."""

    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class TimeModel:
    """Where an application's time goes under the baseline.

    Args:
        fixed: seconds that no configuration changes: computing, and I/O that nothing measured speaks about.
        phases: seconds of each phase that a prediction exists for.
    """

    fixed: float
    phases: tuple[float, ...]

    @property
    def total(self) -> float:
        """Seconds of the whole run under the baseline."""
        return self.fixed + sum(self.phases)

    def seconds(self, log_improvements: Sequence[Floats]) -> Floats:
        """Return the run's seconds for every candidate, from each phase's log improvement."""
        return np.asarray(self.fixed + self.io_seconds(log_improvements))

    def io_seconds(self, log_improvements: Sequence[Floats]) -> Floats:
        """Return the covered I/O's seconds for every candidate."""
        pairs = zip(self.phases, log_improvements, strict=True)
        parts = [s * np.exp(-y) if s else np.zeros_like(y) for s, y in pairs]  # none stays none, whatever is known
        return np.asarray(np.sum(parts, axis=0))


def tells_io(workload: Workload) -> bool:
    """Return whether the seconds in I/O are told: each phase's, or all as a share of the run, whose seconds are told.

    They are not where nothing takes any time, which no clock can have seen. Without the run's, the I/O is all there is.
    """
    own = [phase.seconds for phase in workload.phases]
    if None in own and (workload.run_seconds is None or workload.io_share is None):
        return False
    return bool(workload.run_seconds) or any(own)


def time_model(
    workload: Workload,
    covered: Sequence[Phase],
    *,
    predicted_seconds: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
) -> TimeModel:
    """Return where the time of `workload` goes, of which `covered` phases can be predicted.

    Args:
        workload: the application.
        covered: its phases that the model speaks about.
        predicted_seconds: baseline seconds of each covered phase on the platform, where the log comes
            from elsewhere or does not tell them (`tells_io`): what they leave of the run is then computing. None takes
            the log's own.
        weights: of all phases, > 0, to share the run's I/O time by, where the log tells no phase's own; None for bytes.
    """
    if predicted_seconds is not None and not tells_io(workload):
        return TimeModel(max(0.0, (workload.run_seconds or 0.0) - sum(predicted_seconds)), tuple(predicted_seconds))
    parts = weights if weights is not None else [float(phase.bytes) for phase in workload.phases]
    io_seconds = _io_seconds(workload, parts)
    told = [phase.seconds for phase in workload.phases if phase.seconds is not None]
    if weights is not None and told and len(told) == len(workload.phases):
        io_seconds = [*_between(workload, np.array(told), np.array(parts))]
    known = {id(p): float(s) for p, s in zip(workload.phases, io_seconds, strict=True)}
    run = max(workload.run_seconds or 0.0, sum(known.values()))
    compute = run - sum(known.values())
    rest = sum(s for p, s in known.items() if p not in {id(c) for c in covered})
    own = predicted_seconds if predicted_seconds is not None else [known[id(p)] for p in covered]
    return TimeModel(compute + rest, tuple(own))


def _between(workload: Workload, told: Floats, predicted: Floats) -> Floats:
    """Return the seconds of each phase, half-way (by logarithms) between a log's and those predicted of the baseline.

    What a phase took says as much of the baseline, where caches hid one and others waited behind it, as of the phase.
    Where reads and writes go by turns it says nothing: who reads waits for what was written before.
    All of them together are what the log has of the job, whose slowest process need not be that of each phase.
    """
    told, predicted = told.copy(), np.maximum(predicted, _LEAST)
    for one, other in _by_turns(workload.phases):
        both = [one, other]
        told[both] = told[both].sum() * predicted[both] / predicted[both].sum()
    whole = told.sum()
    if known := (workload.run_seconds or 0.0) * (workload.io_share or 0.0):  # no time is none that a clock saw
        whole = min(whole, known)
    mixed = np.sqrt(np.maximum(told, _LEAST) * predicted)
    return np.asarray(mixed * whole / mixed.sum())


def _by_turns(phases: Sequence[Phase]) -> Iterator[tuple[int, int]]:
    """Yield the positions of phases that read and phases that write at the same time, none of which pauses."""
    steady = [
        (at, one) for at, one in enumerate(phases) if {"began", "ended"} <= one.details.keys() and not _pauses(one)
    ]
    reads, writes = ([(at, one) for at, one in steady if one.characteristics.operation is way] for way in Operation)
    for (at, read), (other, write) in product(reads, writes):
        (a, b), (c, d) = ((float(one.details["began"]), float(one.details["ended"])) for one in (read, write))
        if min(b, d) - max(a, c) >= _MOST * min(b - a, d - c) > 0.0:
            yield at, other


def _pauses(phase: Phase) -> bool:
    """Return whether a phase's processes are away for more than a moment of the time in which it is under way."""
    told = phase.details
    away = float(told.get("idle_seconds", 0.0))
    away += float(told.get("pause_seconds", 0.0)) * (phase.characteristics.iterations - 1)
    return away > _LITTLE * (float(told["ended"]) - float(told["began"]))


def _io_seconds(workload: Workload, parts: Sequence[float]) -> list[float]:
    """Return the seconds of each phase: the log's, or by `parts` its share of what those leave of the I/O time."""
    told = sum(phase.seconds or 0.0 for phase in workload.phases)
    left = max(0.0, (workload.run_seconds or 0.0) * (workload.io_share or 0.0) - told)
    sharing = [part for phase, part in zip(workload.phases, parts, strict=True) if phase.seconds is None]
    whole = sum(sharing)
    return [
        phase.seconds if phase.seconds is not None else left * (part / whole if whole else 1 / len(sharing))
        for phase, part in zip(workload.phases, parts, strict=True)
    ]
