"""Smaller scales of an application, at which runs cost less: what they tell of configurations teaches a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from acic.campaign.meter import Meter, Reading
from acic.campaign.points import Field
from acic.campaign.sampling import sampled
from acic.space import Configuration
from acic.workloads import Characteristics

PARTS = (4, 2)  # this part of the processes, or of the data, or of the iterations

Phases = tuple[Characteristics, ...]


@dataclass(frozen=True, slots=True)
class ScaleRead:
    """What was read at one scale.

    Args:
        phases: of the application there.
        readings: of the baseline, and then of others; fewer where the campaign stopped, none where the baseline failed.
        wanted: how many readings it would have taken.
    """

    phases: Phases
    readings: list[Reading]
    wanted: int


def scales_of(phases: Sequence[Characteristics]) -> dict[int, Phases]:
    """Return the phases at each of the smaller scales, by the part of the whole that it is, in the order of `PARTS`.

    One of the same size as the whole, or as another one, is left out: it costs as much, or tells nothing else.
    """
    found: dict[int, Phases] = {}
    sizes = [size_of(phases)]
    for part in PARTS:
        scale = tuple(_smaller(phase, part) for phase in phases)
        if (size := size_of(scale)) not in sizes:
            found[part] = scale
            sizes.append(size)
    return found


def _smaller(phase: Characteristics, part: int) -> Characteristics:
    """Return the phase at a `part`-th of its scale: of its processes, or of its data, or of its iterations.

    The first of which there are as many as parts; where there are of none, its data in one request.
    """
    if phase.io_processes >= part:
        fewer = phase.io_processes // part
        return replace(phase, io_processes=fewer, processes=max(fewer, phase.processes // part))
    requests = phase.data_size // phase.request_size
    if requests < part <= phase.iterations:
        return replace(phase, iterations=phase.iterations // part)
    return replace(phase, data_size=max(1, requests // part) * phase.request_size)


def size_of(phases: Sequence[Characteristics]) -> dict[str, float]:
    """Return what tells one scale from another: I/O processes of all phases, and what each moves by the mean, B.

    Of all of them: the largest one may be the one that cannot be made smaller.
    """
    processes = sum(phase.io_processes for phase in phases)
    return {"io_processes": processes, "data_size": sum(phase.total_bytes for phase in phases) / processes}


def drawn(field: Field, count: int, *, seed: int) -> list[Configuration]:
    """Return up to `count` configurations to learn from, beside the baseline: fewer only if there are no more.

    All parameters are varied at once, as nobody has said which of them matter.
    """
    space = field.system
    usual = field.platform.baseline.only(space.names)
    rows = sampled(
        space,
        space.names,
        usual,
        count,
        rng=np.random.default_rng([seed, 1]),
        done=space.point(usual)[None, :],
        fewest=len(space.names),
    )
    return [space.configuration(row) for row in rows]


def read_scales(
    meter: Meter,
    baseline: Configuration,
    scales: Mapping[int, Phases],
    configurations: Sequence[Configuration],
    *,
    announce: Callable[[str], None],
) -> Iterator[ScaleRead]:
    """Yield what is read at each of the `scales_of` an application, the baseline first.

    Args:
        meter: measures.
        baseline: of its campaign's platform.
        scales: all of them.
        configurations: to read beside it, which are shared out among the scales.
        announce: is told what is measured, and where the baseline failed: of that scale nothing is read.
    """
    if not scales:
        announce("note: the job cannot be made smaller, so nothing is learned at smaller scales")
        return
    where = f"{len(scales)} smaller scales" if len(scales) > 1 else "one smaller scale"
    announce(f"learning at {where}, from {len(configurations)} configurations")
    for place, (part, phases) in enumerate(scales.items()):
        found = meter.read([baseline], phases)
        if found and found[0].seconds is None:
            why = found[0].note
            announce(f"note: the baseline failed at 1/{part} of the scale, so nothing is learned there: {why}")
            yield ScaleRead(phases, [], wanted=1)
            continue
        mine = configurations[place :: len(scales)]
        yield ScaleRead(phases, found + meter.read(mine, phases), wanted=1 + len(mine))
