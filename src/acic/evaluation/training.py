"""Measurements that a part is to be learned from, with what orders of measuring look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.advisor.informed import hardware_of
from acic.campaign.points import Field
from acic.campaign.screening import ranking
from acic.errors import InvalidInput
from acic.evaluation.ranks import screening_of
from acic.platforms import Platform
from acic.space import Value
from acic.store.measurement import Measurement
from acic.store.training import TrainingRows, encoder_of, training_table
from acic.workloads.parameters import values_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Training:
    """Measurements that a part is to be learned from.

    Args:
        rows: one for each.
        seconds: of wall time that each took, all repetitions, s, shape (rows,); deploying and checking are not in it.
        x: encoded parameters, all of a like size, shape (rows, columns).
        levels: positions among each parameter's values that occur, 0 for the least, shape (rows, parameters).
        numeric: which parameters are numbers, shape (parameters,).
        baseline: the row of the same workload on the baseline, -1 where there is none, shape (rows,).
        ranks: parameters as the screening among the measurements ranks them, most important first.
        depth: how many of the first ranks tell a row from the default of a campaign, shape (rows,).
        screened: which rows the screening is made of, shape (rows,).
        hardware: what the prior knows of each row, shape (rows, columns); None where there is no prior.
    """

    rows: TrainingRows
    seconds: Floats
    x: Floats
    levels: Integers
    numeric: NDArray[np.bool_]
    baseline: Integers
    ranks: tuple[str, ...]
    depth: Integers
    screened: NDArray[np.bool_]
    hardware: Floats | None

    def __len__(self) -> int:
        return len(self.rows)


def training_of(measurements: Iterable[Measurement], platform: Platform) -> Training:
    """Return the measurements that teach, with all that orders look at.

    Raises:
        MissingData: the screening is not among them whole, so that nothing can be ranked.
    """
    kept = [m for m in measurements if len(training_table([m], platform))]
    rows = training_table(kept, platform)
    if len(rows) != len(kept):
        raise InvalidInput("a measurement is given twice", hint="give each once")
    first = {(rows.workload[i], rows.configurations[rows.configuration[i]]): i for i in reversed(range(len(rows)))}
    baseline = np.array([first.get((w, platform.baseline), -1) for w in rows.workload], dtype=np.int64)
    encoder = encoder_of(platform)
    told = [{**values_of(m.workload), **m.configuration} for m in kept]
    encoded = encoder.encode(told)
    ranks, depth, screened = _ranked(kept, platform)
    return Training(
        rows=rows,
        seconds=np.array([sum(r.seconds or 0.0 for r in m.repetitions) for m in kept]),
        x=(encoded - encoded.min(axis=0)) / np.maximum(np.ptp(encoded, axis=0), 1e-9),
        levels=np.array([_levels([one.get(p.name) for one in told]) for p in encoder.parameters]).T,
        numeric=np.array([p.is_numeric for p in encoder.parameters]),
        baseline=baseline,
        ranks=ranks,
        depth=depth,
        screened=screened,
        hardware=hardware_of(rows, platform),
    )


def _ranked(
    measurements: Sequence[Measurement], platform: Platform
) -> tuple[tuple[str, ...], Integers, NDArray[np.bool_]]:
    """Return ranks, depths and which measurements are the screening's."""
    found = screening_of(measurements, platform)
    ranks = ranking(found.field, found.effects["time"])
    screened = np.zeros(len(measurements), dtype=bool)
    screened[list(found.rows)] = True
    return tuple(ranks), np.array([_depth(m, ranks, found.field) for m in measurements], dtype=np.int64), screened


def _levels(values: Sequence[Value | None]) -> list[int]:
    """Return the position of each among the distinct ones; what does not apply comes first, numbers before labels."""
    distinct = sorted(set(values), key=lambda v: (v is not None, isinstance(v, str), v))
    places = {value: i for i, value in enumerate(distinct)}
    return [places[value] for value in values]


def _depth(measurement: Measurement, ranks: Sequence[str], field: Field) -> int:
    values = {**values_of(measurement.workload), **measurement.configuration}
    return max((i for i, n in enumerate(ranks, 1) if n in values and values[n] != field.default.get(n)), default=0)
