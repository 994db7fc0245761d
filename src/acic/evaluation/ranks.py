"""Which parameters matter, as the screening among measurements tells: the counterpart of SC13's Table 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acic.campaign.points import Field
from acic.campaign.screening import log_results, parameter_effects, screening_rows
from acic.errors import AcicError, MissingData
from acic.platforms import Platform
from acic.store.measurement import Measurement
from acic.workloads.parameters import values_of

# Source: Liu et al., SC13, Table 1, column "Rank", by the names that acic has for its rows.
PAPER: Mapping[str, int] = {
    "device": 10,
    "file_system": 5,
    "instance_type": 12,
    "servers": 3,
    "placement": 7,
    "stripe_size": 6,
    "processes": 14,
    "io_processes": 4,
    "interface": 9,
    "iterations": 13,
    "data_size": 1,
    "request_size": 8,
    "operation": 2,
    "collective": 11,
    "shared": 15,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """A screening that is found among measurements.

    Args:
        field: what was screened.
        rows: the measurement of each of its runs, by position.
        effects: size of each parameter's effect, largest first, by goal: "time", and "cost" where machines have prices.
    """

    field: Field
    rows: tuple[int, ...]
    effects: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """How much a parameter matters.

    Args:
        parameter: its name.
        rank: by goal, 1 for the largest effect.
        factor: by goal, how many times more a byte takes, or costs, at the worse of the two values screened, in the
            geometric mean over the runs of the design that gave a figure.
        paper: its rank in SC13's Table 1; None where that has no such row.
    """

    parameter: str
    rank: Mapping[str, int]
    factor: Mapping[str, float]
    paper: int | None


def screening_of(measurements: Sequence[Measurement], platform: Platform) -> Screening:
    """Return the screening among `measurements`.

    Raises:
        MissingData: it is not there whole, so that nothing can be ranked.
    """
    places = {(m.workload, m.configuration): i for i, m in reversed(list(enumerate(measurements)))}
    missing, total = 0, 0
    for field in _fields(measurements, platform):
        points = [field.point(row) for row in screening_rows(field)]
        rows = [places.get((p.workload, p.configuration)) for p in points]
        known = tuple(row for row in rows if row is not None)
        if len(known) == len(rows):
            return Screening(field=field, rows=known, effects=_effects(field, [measurements[i] for i in known]))
        missing, total = len(rows) - len(known), len(rows)
    raise MissingData(
        f"{missing} of the {total} runs of a screening of {platform.name} were not measured",
        hint=f"acic train --platform {platform.argument}",
    )


def table_1(measurements: Sequence[Measurement], platform: Platform) -> list[Rank]:
    """Return every parameter that was screened, by its rank for time; none that had the same value in all runs.

    Raises:
        MissingData: no screening is there whole.
    """
    found = screening_of(measurements, platform)
    told = [{**values_of(m.workload), **m.configuration} for m in (measurements[i] for i in found.rows)]
    varied = {name for name in found.field.space.names if len({one.get(name) for one in told}) > 1}
    kept = {goal: [name for name in sizes if name in varied] for goal, sizes in found.effects.items()}
    places = {goal: {name: i for i, name in enumerate(names, 1)} for goal, names in kept.items()}
    known = sum(bool(measurements[i].bandwidth) for i in found.rows) or 1
    return [
        Rank(
            parameter=name,
            rank={goal: those[name] for goal, those in places.items()},
            # half of the runs are at either value, so that the means differ by twice the sum over all; those that
            # failed took the mean, and add nothing to it
            factor={g: math.exp(2.0 * sizes[name] / known) for g, sizes in found.effects.items()},
            paper=PAPER.get(name),
        )
        for name in kept["time"]
    ]


def agreement(ranks: Sequence[Rank], goal: str) -> float:
    """Return Spearman's rank correlation with the paper's ranks, over the parameters that both have; NaN below two."""
    both = [(r.rank[goal], r.paper) for r in ranks if r.paper is not None and goal in r.rank]
    if len(both) < 2:
        return math.nan
    ours, theirs = (np.argsort(np.argsort(column)) for column in zip(*both, strict=True))
    return float(np.corrcoef(ours, theirs)[0, 1])


def _effects(field: Field, runs: Sequence[Measurement]) -> dict[str, dict[str, float]]:
    bandwidths = [run.bandwidth for run in runs]
    made = {"time": parameter_effects(field, log_results(bandwidths))}
    try:
        prices = [field.platform.cost(run.configuration, run.workload.processes, 1.0) for run in runs]
    except AcicError:
        return made  # nobody is billed here
    if 0.0 in prices:
        return made  # what is free has no logarithm
    return made | {"cost": parameter_effects(field, log_results(bandwidths, lambda i: prices[i]))}


def _fields(measurements: Sequence[Measurement], platform: Platform) -> list[Field]:
    """Return what a campaign may have screened: what varies in the measurements, or one kind of machine alone.

    Each also as campaigns of earlier versions screened it, of which measurements do not tell.
    """
    configurations = {m.configuration for m in measurements}
    shared = {}
    for name in platform.space.names:
        values = {c.get(name) for c in configurations}
        if len(values) == 1 and None not in values:
            shared[name] = next(iter(configurations))[name]
    role = platform.roles.instance
    alone = [{role: platform.baseline[role]}] if role else []
    return [Field(platform, only=only, earlier=earlier) for only in (shared, *alone) for earlier in (False, True)]
