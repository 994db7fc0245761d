"""How much an old measurement still counts: systems change, and one day's figures mislead the next year."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput

_LEAST = 1e-12  # a weight stays positive: a model's sums divide by it


def ageing_weights(
    time: NDArray[np.float64],
    behind: NDArray[np.int64],
    *,
    now: datetime,
    half_life: float | None = None,
    revision_factor: float = 1.0,
) -> NDArray[np.float64]:
    """Return 0.5 ** (age / half_life) * revision_factor ** behind, for each row.

    Args:
        time: when each row was measured, s since 1970; one in the future counts as new.
        behind: how many revisions of its platform came after it, >= 0 (`revisions_behind`).
        now: the moment that ages are counted to, with its timezone.
        half_life: the age at which a row counts half, s; None where age does not matter.
        revision_factor: what one revision leaves of a weight, in (0, 1].

    Returns:
        Weights in (0, 1], shape (rows,).

    Raises:
        InvalidInput: a half-life that is not positive, or a factor outside (0, 1].
    """
    if half_life is not None and not half_life > 0:
        raise InvalidInput(f"the half-life is {half_life} s", hint="give a positive time, or none")
    if not 0 < revision_factor <= 1:
        raise InvalidInput(f"the revision factor is {revision_factor}", hint="give one above 0 and up to 1")
    age = np.maximum(now.timestamp() - time, 0.0)
    kept = np.ones_like(age) if half_life is None else 0.5 ** (age / half_life)
    return np.maximum(kept * revision_factor ** behind.astype(np.float64), _LEAST)


def revisions_behind(revisions: Sequence[str], current: str) -> NDArray[np.int64]:
    """Return, for each of `revisions`, how many known ones came after it, up to `current`.

    They sort as text in which numbers count as numbers: dates (2023-05), and kernels (6.9 before 6.10). Known are those
    given and the current one.
    """
    known = sorted({*revisions, current}, key=_order)
    last = known.index(current)
    return np.array([max(last - known.index(revision), 0) for revision in revisions], dtype=np.int64)


def _order(revision: str) -> tuple[str, str]:
    return re.sub("[0-9]+", lambda number: number[0].zfill(20), revision), revision
