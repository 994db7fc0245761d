"""Levels: what made a whole session of runs slower than others, and runs without it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDS = 50  # it settles in three or four


def levelled(values: Floats) -> Floats:
    """Return runs as if all sessions had been on the same day and machine; NaN and inf stay as they are.

    A run is taken to be its configuration's time and its session's factor, and both are found by medians in turn, so
    that a few odd runs move neither. Sessions are compared by what several have; one that has nothing of another stays
    as it was. Only ratios within the result mean anything.

    Source: Tukey, "Exploratory data analysis", 1977, chapter 11 (median polish), of logarithms, with a level for each
    session in place of each column.

    Args:
        values: s or USD, > 0, shape (configurations, passes); NaN where a configuration was not run in a pass. Passes
            that follow one another and have the same configurations are a session.
    """
    logs = np.log(np.where(np.isfinite(values), values, np.nan))
    sessions = sessions_of(values)
    there = [(~np.isnan(logs[:, sessions == session])).any(axis=1) for session in np.unique(sessions)]
    logs = logs[np.sum(there, axis=0) > 1]
    level = np.zeros(len(sessions))
    for _ in range(_ROUNDS):
        before = level.copy()
        own = _medians(logs - level)
        for session in np.unique(sessions):
            mine = sessions == session
            level[mine] = _median((logs - own[:, None])[:, mine])
        level -= np.median(level)
        if np.allclose(level, before, rtol=0, atol=1e-9):
            break
    return np.asarray(values / np.exp(level))


def sessions_of(values: Floats) -> NDArray[np.intp]:
    """Return the number of each pass's session, shape (passes,); arguments as of `levelled`."""
    present = ~np.isnan(values)
    changed = (present[:, 1:] != present[:, :-1]).any(axis=0)
    return np.concatenate([[0], np.cumsum(changed)])


def _medians(rows: Floats) -> Floats:
    return np.array([_median(row) for row in rows])


def _median(values: Floats) -> float:
    """Return the median without NaN; 0.0 of nothing, which leaves a session's level alone."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else 0.0
