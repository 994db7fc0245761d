"""Staging out: results on disks that are lost with their machines are copied to where they last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform

Floats = NDArray[np.float64]

_BITS = 8


def staging_rate(platform: Platform) -> float | None:
    """Return how fast results leave the platform for where they last, B/s; None where it does not tell."""
    rate = platform.lab.get("archive", {}).get("rate", 0)
    return float(rate) / _BITS if rate else None


def staging_seconds(platform: Platform, points: NDArray[np.int8], results: int) -> Floats:
    """Return the seconds that copying `results` takes after a run, shape (candidates,); 0 where they last anyway.

    Args:
        platform: with the rate at which it takes results; where it tells none, nothing is counted.
        points: the candidates, shape (candidates, parameters).
        results: B that must outlive the run.
    """
    rate, role = staging_rate(platform), platform.roles.device
    if rate is None or not role:
        return np.zeros(len(points))
    lost = [platform.stages_out({role: value}) for value in platform.space[role].values]
    levels = points[:, platform.space.names.index(role)]
    return np.where(np.array([*lost, False])[levels], results / rate, 0.0)  # ABSENT finds the last
