"""The prior's view of workloads and configurations, as the column that models take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acic.models.protocol import Learner, TrainingSet
from acic.models.residual import takes_prior, with_prior
from acic.platforms import Platform
from acic.prior import Prior, prior_of
from acic.space import Configuration
from acic.store.training import TrainingRows
from acic.workloads import Characteristics

Floats = NDArray[np.float64]


def informed(data: TrainingSet, rows: TrainingRows, platform: Platform, learner: Learner) -> TrainingSet:
    """Return `data` with the prior's column, if `learner` takes it and the platform has a prior; else as it is."""
    if not takes_prior(learner) or (prior := prior_of(platform)) is None:
        return data
    return with_prior(data, improvements(prior, rows.workloads, rows.configurations)[rows.workload, rows.configuration])


def improvements(prior: Prior, workloads: Sequence[Characteristics], configurations: Sequence[Configuration]) -> Floats:
    """Return the prior's log improvement over the baseline, shape (workloads, configurations)."""
    systems = prior.systems(configurations)
    return np.array([prior.log_improvement(one, systems) for one in workloads])
