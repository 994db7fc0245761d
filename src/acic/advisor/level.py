"""Levels: how far a phase's own seconds are from those predicted of its baseline, and what that says of the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARED = 0.7  # of a level, by the logarithm, another file system has, too: the rest is the baseline's own
FARTHEST = 0.5  # of the logarithm: what is farther tells of a platform that is not as its file says
SHORT = 0.02  # s: less tells of clocks


def corrections(seconds: Sequence[float], predicted: Sequence[float], other: NDArray[np.bool_]) -> list[Floats]:
    """Return what is to be added to each phase's log improvements, shape (candidates,) each.

    A log improvement over the baseline, taken of the seconds that a phase took there, says that the phase is as much
    longer or shorter than predicted everywhere. A part of that is the phase's; another is the file system's, as where
    clients' caches hid what was read again, and says nothing of other file systems.

    Args:
        seconds: of each phase under the baseline, as they are taken from its log (`acic.advisor.application`).
        predicted: of each phase under the baseline.
        other: which candidates have another file system than the baseline, shape (candidates,).

    Source: docs/decisions/0021-level.md.
    """
    told, thought = (np.maximum(np.array(one, dtype=float), SHORT) for one in (seconds, predicted))
    levels = np.clip(np.log(told / thought), -FARTHEST, FARTHEST)
    return [np.where(other, (1.0 - SHARED) * level, 0.0) for level in levels]
