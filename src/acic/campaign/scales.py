"""Smaller scales of an application, at which runs cost less: what they tell of configurations teaches a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from acic.campaign.meter import Meter, Reading
from acic.campaign.points import Field
from acic.campaign.sampling import sampled
from acic.workloads import Characteristics

PARTS = (4, 2)  # this part of the processes, or of the data

Phases = tuple[Characteristics, ...]


def scales_of(phases: Sequence[Characteristics]) -> list[Phases]:
    """Return the phases at each of the smaller scales, in the order of `PARTS`."""
    return [tuple(_smaller(phase, part) for phase in phases) for part in PARTS]


def _smaller(phase: Characteristics, part: int) -> Characteristics:
    """Return the phase at a `part`-th of its scale: of its processes, or where it has too few, of its data."""
    if phase.io_processes >= part:
        fewer = phase.io_processes // part
        return replace(phase, io_processes=fewer, processes=max(fewer, phase.processes // part))
    requests = max(1, phase.data_size // phase.request_size // part)
    return replace(phase, data_size=requests * phase.request_size)


def size_of(phases: Sequence[Characteristics]) -> dict[str, int]:
    """Return what tells one scale from another: I/O processes and data (B) of the largest phase."""
    largest = max(phases, key=lambda phase: phase.total_bytes)
    return {"io_processes": largest.io_processes, "data_size": largest.data_size}


def read_scales(
    meter: Meter,
    field: Field,
    scales: Sequence[Phases],
    count: int,
    *,
    seed: int,
    announce: Callable[[str], None],
) -> Iterator[tuple[Phases, list[Reading]]]:
    """Yield each of the `scales_of` an application with what was read there, the baseline first.

    Args:
        meter: measures.
        field: of its campaign.
        scales: all of them.
        count: configurations, which are shared out among the scales.
        seed: of which they are.
        announce: is told what is measured, and where the baseline failed: of that scale nothing is read.
    """
    space, baseline = field.system, field.platform.baseline
    rng = np.random.default_rng([seed, 1])
    done = space.point(baseline.only(space.names))[None, :]
    drawn = sampled(space, list(space.names), baseline.only(space.names), count, rng=rng, done=done)
    announce(f"learning at {len(scales)} smaller scales, from {len(drawn)} configurations")
    for place, (part, scale) in enumerate(zip(PARTS, scales, strict=True)):
        found = meter.read([baseline], scale)
        if found and found[0].seconds is None:
            why = found[0].note
            announce(f"note: the baseline failed at 1/{part} of the scale, so nothing is learned there: {why}")
            continue
        yield scale, found + meter.read([space.configuration(row) for row in drawn[place :: len(scales)]], scale)
