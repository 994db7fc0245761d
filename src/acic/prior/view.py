"""What models see of a prior: the improvement that it expects, and what each resource would be busy with, as columns.

A model that learns the prior's errors splits by them: errors are of resources (a disk that seeks less than was thought,
a round trip that takes longer), so they are alike wherever the same resource is the bottleneck.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.prior.resources import Resource

Floats = NDArray[np.float64]

IMPROVEMENT = "prior"
HARDWARE = "hardware"
_OF_ONE = ("seconds", *(resource.name.lower() for resource in Resource))
LIKENESS = "likeness"
_SECONDS = (*(f"{HARDWARE}={name}" for name in _OF_ONE), *(f"{HARDWARE}=baseline_{n}" for n in _OF_ONE))
COLUMNS = (IMPROVEMENT, LIKENESS, *_SECONDS)
"""The prior's natural log improvement; how alike a benchmark the workload is run; of the configuration and of the
baseline the natural logarithm of the seconds, and the share of them that each resource is waited for."""


def view(parts: Floats, baseline: Floats, likeness: float) -> Floats:
    """Return `COLUMNS`, shape (configurations, columns).

    Args:
        parts: s waited for each resource, shape (configurations, resources).
        baseline: of the baseline, shape (resources,).
        likeness: how much of what benchmarks taught holds, 0 to 1.
    """
    own, base = _of_one(parts), _of_one(baseline[None, :])
    improvement = base[:, :1] - own[:, :1]
    alike = np.full_like(improvement, likeness)
    return np.hstack([improvement, alike, own, np.repeat(base, len(parts), axis=0)])


def _of_one(parts: Floats) -> Floats:
    seconds = parts.sum(axis=1, keepdims=True)
    return np.hstack([np.log(seconds), parts / seconds])
