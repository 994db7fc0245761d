"""Measurements as arrays: what models are fitted to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform
from acic.space import Configuration, Encoder
from acic.store.ageing import revisions_behind
from acic.store.measurement import Measurement
from acic.store.rows import TrainingRecord, training_record
from acic.workloads import Characteristics
from acic.workloads.parameters import WORKLOAD_PARAMETERS, values_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


PER_ROW = (
    *("workload", "configuration", "group", "mean", "best", "spread"),
    *("repetitions", "time", "behind", "contributor"),
)
"""Fields of `TrainingRows` that are arrays, one value a row."""


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """One row per measurement that is ok and measured, as positions in the distinct values and as numbers.

    Args:
        workloads: the distinct workloads; configurations: the distinct configurations.
        workload: position in `workloads`, shape (rows,).
        configuration: position in `configurations`, shape (rows,).
        group: one number for rows of the same workload and configuration (twins), shape (rows,).
        mean: mean over the repetitions of the natural logarithm of bandwidth in B/s, shape (rows,). Its noise is
            lower than that of a median of ten (docs/decisions/0006-mean-of-logarithms.md).
        best: as `mean`, of the fastest repetition.
        spread: standard deviation of the logarithm among repetitions; NaN where there is one only.
        repetitions: how many there were.
        time: when measured, s since 1970.
        behind: how many revisions of the platform came after it.
        contributors: the distinct contributors; contributor: position in them, shape (rows,).
        left_out: why measurements gave no row, and how many each; those aside whose configuration does not fit.
        unfit: what of configurations the platform does not have (any more), and how many gave no row for it.
    """

    workloads: tuple[Characteristics, ...]
    configurations: tuple[Configuration, ...]
    workload: Integers
    configuration: Integers
    group: Integers
    mean: Floats
    best: Floats
    spread: Floats
    repetitions: Integers
    time: Floats
    behind: Integers
    contributors: tuple[str, ...]
    contributor: Integers
    left_out: Mapping[str, int] = field(default_factory=dict)
    unfit: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.mean)

    def on(self, configuration: Configuration) -> NDArray[np.bool_]:
        """Return which rows were measured on `configuration`, shape (rows,)."""
        mine = np.array([one == configuration for one in self.configurations], dtype=bool)
        return np.asarray(mine[self.configuration])

    def all_on(self, configuration: Configuration) -> TrainingRows:
        """Return the rows as if all had been measured on `configuration`: not what was measured, but what is asked."""
        places = np.full(len(self), len(self.configurations))
        return replace(self, configurations=(*self.configurations, configuration), configuration=places)

    def rows(self, chosen: NDArray[Any]) -> TrainingRows:
        """Return the rows chosen (a mask or positions); positions in the distinct values stay as they are."""
        kept = {name: getattr(self, name)[chosen] for name in PER_ROW}
        return replace(self, **kept)


def training_table(
    measurements: Iterable[Measurement], platform: Platform, *, stored: Iterable[TrainingRecord] = ()
) -> TrainingRows:
    """Return the rows that `measurements` and `stored` of `platform` teach.

    Failures, suspect and simulated figures, other platforms and configurations that the platform does
    not have (any more) are left out; a measurement given twice counts once.

    Args:
        measurements: of any platform and outcome.
        platform: the one to learn.
        stored: what `Store.training_records` gave for this platform: quicker than whole measurements.
    """
    left_out, unfit = Counter[str](), Counter[str]()
    records = list(_distinct(chain(_records(measurements, platform, left_out), stored), left_out))
    problem_of = cache(platform.space.problem)
    kept: list[TrainingRecord] = []
    for record in records:
        if problem := problem_of(record.configuration):
            unfit[problem] += 1
        elif not any(bandwidth > 0 for bandwidth in record.bandwidths):
            left_out["no bandwidth above zero"] += 1
        else:
            kept.append(record)
    return replace(_table(kept, platform), left_out=dict(left_out), unfit=dict(unfit))


def encoder_of(platform: Platform) -> Encoder:
    """Return the encoder of the platform's parameters together with the workload's."""
    return Encoder((*platform.space.parameters, *WORKLOAD_PARAMETERS))


def encoded(rows: TrainingRows, encoder: Encoder) -> Floats:
    """Return the configuration and the workload of each row as numbers, shape (rows, columns of `encoder_of`)."""
    x = encoder.encode(rows.configurations)[rows.configuration]
    _fill(x, encoder.encode([values_of(w) for w in rows.workloads])[rows.workload], encoder)
    return x


def with_workload(encoder: Encoder, system: Floats, workload: Characteristics) -> Floats:
    """Return encoded configurations with the columns of a workload, shape (configurations, columns)."""
    x = system.copy()
    _fill(x, encoder.encode([values_of(workload)]), encoder)
    return x


def unfit_told(unfit: Mapping[str, int], platform: Platform) -> str:
    """Return in one sentence what `TrainingRows.unfit` tells; "" where all fit."""
    if not unfit:
        return ""
    number, first = sum(unfit.values()), next(iter(unfit))
    return f"{number} measurements do not fit the platform {platform.name} and teach nothing, the first as {first}"


def _fill(x: Floats, workloads: Floats, encoder: Encoder) -> None:
    """Give rows `x` the columns of encoded workloads, one for each row or one for all."""
    for parameter in WORKLOAD_PARAMETERS:
        columns = encoder.columns_of(parameter.name)
        x[:, columns] = workloads[:, columns]


def _records(
    measurements: Iterable[Measurement], platform: Platform, left_out: Counter[str]
) -> Iterable[TrainingRecord]:
    for measurement in measurements:
        if measurement.platform != platform.name:
            left_out["another platform"] += 1
        elif record := training_record(measurement):
            yield record
        else:
            left_out[f"{measurement.basis}, {measurement.outcome}"] += 1


def _distinct(records: Iterable[TrainingRecord], left_out: Counter[str]) -> Iterable[TrainingRecord]:
    seen: set[str] = set()
    for record in records:
        if record.fingerprint in seen:
            left_out["given twice"] += 1
        else:
            seen.add(record.fingerprint)
            yield record


def _table(records: list[TrainingRecord], platform: Platform) -> TrainingRows:
    workloads: dict[Characteristics, int] = {}
    configurations: dict[Configuration, int] = {}
    groups: dict[tuple[int, int], int] = {}
    places = np.empty((len(records), 3), dtype=np.int64)
    for i, record in enumerate(records):
        workload = workloads.setdefault(record.workload, len(workloads))
        configuration = configurations.setdefault(record.configuration, len(configurations))
        places[i] = workload, configuration, groups.setdefault((workload, configuration), len(groups))
    mean, best, spread, repetitions = _figures(records)
    contributors = {name: i for i, name in enumerate(dict.fromkeys(r.contributor for r in records))}
    return TrainingRows(
        workloads=tuple(workloads),
        configurations=tuple(configurations),
        workload=places[:, 0],
        configuration=places[:, 1],
        group=places[:, 2],
        mean=mean,
        best=best,
        spread=spread,
        repetitions=repetitions,
        time=np.array([r.time for r in records], dtype=np.float64),
        behind=revisions_behind([r.revision for r in records], platform.revision),
        contributors=tuple(contributors),
        contributor=np.array([contributors[r.contributor] for r in records], dtype=np.int64),
    )


def _figures(records: list[TrainingRecord]) -> tuple[Floats, Floats, Floats, Integers]:
    """Return mean, best and spread of the log bandwidths above zero, and how many there are, per record."""
    if not records:
        return np.empty(0), np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
    counts = np.array([sum(b > 0 for b in r.bandwidths) for r in records], dtype=np.int64)
    logs = np.log(np.fromiter((b for r in records for b in r.bandwidths if b > 0), dtype=np.float64))
    row = np.repeat(np.arange(len(records)), counts)
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))
    mean = np.add.reduceat(logs, first) / counts
    squares = np.add.reduceat((logs - mean[row]) ** 2, first)
    spread = np.sqrt(squares / np.where(counts > 1, counts - 1, np.nan))
    return mean, np.maximum.reduceat(logs, first), spread, counts
