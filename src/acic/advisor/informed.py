"""The prior's view of workloads and configurations, as the columns that models take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acic.models.protocol import Learner, TrainingSet
from acic.models.registry import BESIDE_PRIOR, DEFAULT
from acic.models.residual import takes_prior, with_prior
from acic.platforms import Platform
from acic.prior import BENCHMARK, COLUMNS, Prior, Use, prior_of
from acic.space import Configuration
from acic.store.training import TrainingRows, encoded, encoder_of
from acic.workloads import Characteristics

Floats = NDArray[np.float64]


def default_model(platform: Platform) -> str:
    """Return the model that answers where none is asked for: one that knows the hardware, where that is told.

    Source: docs/decisions/0010-default-model.md.
    """
    return DEFAULT if prior_of(platform) is None else BESIDE_PRIOR


def informed(
    data: TrainingSet, rows: TrainingRows, platform: Platform, chosen: Learner, hardware: Floats | None = None
) -> TrainingSet:
    """Return `data` with the prior's columns, if `chosen` takes it and the platform has a prior; else as it is.

    Args:
        data: `rows` as models take them.
        rows: the measurements.
        platform: where they were made.
        chosen: what is to learn from them.
        hardware: what `hardware_of` gives for the rows, where that is known already.
    """
    if not takes_prior(chosen):
        return data
    known = hardware_of(rows, platform) if hardware is None else hardware
    return data if known is None else with_prior(data, known, COLUMNS)


def on_baseline(rows: TrainingRows, platform: Platform, chosen: Learner) -> Floats:
    """Return what `chosen` is told of each row's workload on the baseline, shape (rows, columns)."""
    usual = rows.all_on(platform.baseline)
    x = encoded(usual, encoder_of(platform))
    known = hardware_of(usual, platform) if takes_prior(chosen) else None
    return x if known is None else np.column_stack([x, known])


def hardware_of(rows: TrainingRows, platform: Platform) -> Floats | None:
    """Return what the prior knows of each row, shape (rows, columns); None where there is no prior."""
    if (prior := prior_of(platform)) is None:
        return None
    return views(prior, rows.workloads, rows.configurations)[rows.workload, rows.configuration]


def views(
    prior: Prior, workloads: Sequence[Characteristics], configurations: Sequence[Configuration], use: Use = BENCHMARK
) -> Floats:
    """Return what models see of the prior, shape (workloads, configurations, columns)."""
    systems = prior.systems(configurations)
    return np.array([prior.view(one, systems, use) for one in workloads])
