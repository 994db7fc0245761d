"""Levels: what made a whole session of runs slower than others, and runs without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from acic.evaluation.truth import Run
from acic.store.measurement import Outcome

Floats = NDArray[np.float64]

_ROUNDS = 10_000  # most settle in four, a few of the lab's applications need hundreds


def pooled(runs: Sequence[Run], again: Sequence[Run]) -> list[Run]:
    """Return both as runs of one survey, each application's as if all sessions had been on the same day and machine.

    Args:
        runs: the ground truth, whose passes keep their numbers.
        again: fresh runs, whose passes follow.
    """
    if not again:
        return list(runs)
    after = 1 + max((run.repetition for run in runs), default=-1)
    by_application: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in (*runs, *(replace(run, repetition=run.repetition + after) for run in again)):
        by_application[run.kernel, run.scale].append(run)
    return [run for mine in by_application.values() for run in _pooled(mine)]


def _pooled(runs: Sequence[Run]) -> list[Run]:
    """Return the runs of one application without their sessions' levels."""
    rows = {one: place for place, one in enumerate(dict.fromkeys(run.configuration for run in runs))}
    columns = {one: place for place, one in enumerate(sorted({run.repetition for run in runs}))}
    values = np.full((len(rows), len(columns)), np.nan)
    for run in sorted(runs, key=lambda run: run.outcome is Outcome.OK):  # a second try that went well comes last
        good = run.outcome is Outcome.OK and run.total is not None
        values[rows[run.configuration], columns[run.repetition]] = run.total if good else np.inf
    factors = np.exp(levels(values))
    return [_faster(run, float(factors[columns[run.repetition]])) for run in runs]


def _faster(run: Run, factor: float) -> Run:
    seconds, io, compute = (None if one is None else one / factor for one in (run.seconds, run.io, run.compute))
    return replace(run, seconds=seconds, io=io, compute=compute, staged=run.staged / factor)


def levelled(values: Floats) -> Floats:
    """Return runs as if all sessions had been on the same day and machine; NaN and inf stay as they are.

    Only ratios within the result mean anything. Arguments as of `levels`.
    """
    return np.asarray(values / np.exp(levels(values)))


def levels(values: Floats) -> Floats:
    """Return the logarithm of how much slower each pass's session was than the others, shape (passes,).

    A run is taken to be its configuration's time and its session's factor, and both are found by medians in turn, so
    that a few odd runs move neither. Sessions are compared by what several have; one that has nothing of another stays
    as it was.

    Source: Tukey, "Exploratory data analysis", 1977, chapter 11 (median polish), of logarithms, with a level for each
    session in place of each column.

    Args:
        values: s or USD, > 0, shape (configurations, passes); NaN where a configuration was not run in a pass. Passes
            that follow one another and have the same configurations are a session.
    """
    logs = np.log(np.where(np.isfinite(values), values, np.nan))
    number = sessions_of(values)
    sessions = [number == session for session in np.unique(number)]
    logs = logs[np.sum([(~np.isnan(logs[:, mine])).any(axis=1) for mine in sessions], axis=0) > 1]
    level = np.zeros(len(number))
    if not len(logs):  # nothing to compare sessions by
        return level
    for _ in range(_ROUNDS):
        before = level.copy()
        own = medians_of(logs - level)
        for mine in sessions:
            level[mine] = np.nan_to_num(medians_of((logs - own[:, None])[:, mine].ravel()))  # of nothing: left alone
        level -= np.median(level)
        if np.allclose(level, before, rtol=0, atol=1e-9):
            break
    return level


def sessions_of(values: Floats) -> NDArray[np.intp]:
    """Return the number of each pass's session, shape (passes,); arguments as of `levelled`."""
    present = ~np.isnan(values)
    changed = (present[:, 1:] != present[:, :-1]).any(axis=0)
    return np.concatenate([[0], np.cumsum(changed)])


def medians_of(values: Floats) -> Floats:
    """Return medians over the last axis, without NaN; inf where half of the runs failed, NaN where there is none."""
    count = (~np.isnan(values)).sum(axis=-1)
    ordered = np.sort(values, axis=-1)  # NaN last
    last = np.maximum(count - 1, 0)
    low, high = (np.take_along_axis(ordered, at[..., None], axis=-1)[..., 0] for at in (last // 2, count // 2))
    return np.asarray((low + high) / 2)
