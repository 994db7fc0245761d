"""Whether what is best for one goal, or at one scale, is another configuration for the other: surely, or perhaps."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.evaluation.field import Application, Table
from acic.evaluation.fresh import ENDS, LEAST, Fresh
from acic.space import Configuration

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Apart:
    """Of how many applications the best configurations are others.

    Args:
        surely: whatever luck their runs had; perhaps: these, and those of which luck may be the reason.
        of: applications that were asked.
        again: of these, those that fresh runs tell of.
    """

    surely: int
    perhaps: int
    of: int
    again: int = 0


def near(values: Floats, noise: float) -> NDArray[np.bool_]:
    """Return which configurations are within the noise of the best, shape (..., configurations).

    Args:
        values: s or USD, shape (..., configurations).
        noise: |ln| of a ratio that counts as no difference.
    """
    return np.asarray(values <= values.min(axis=-1, keepdims=True) * math.exp(noise))


def between_goals(time: Table, cost: Table, noise: float, fresh: Fresh, rng: np.random.Generator) -> Apart:
    """Return for how many applications the fastest configuration is not the cheapest.

    By fresh runs surely where it is another one in 9 of 10 draws of their passes, and perhaps where it is in more than
    1 of 10. Where the fastest or the cheapest was not run again three times, by the truth: see `_of_truth`.

    Args:
        time: s.
        cost: USD, of the same applications and configurations, in proportion to the time on each.
        noise: |ln| of a ratio that counts as no difference.
        fresh: runs for the goal time; of no application where there are none.
        rng: draws passes.
    """
    surely, perhaps, again = 0, 0, 0
    for application, *rows in zip(time.applications, time.values, cost.values, strict=True):
        prices = {
            one: usd / seconds
            for one, seconds, usd in zip(time.configurations, *rows, strict=True)
            if math.isfinite(seconds)
        }
        share = _other(application, prices, fresh, rng)
        told = _of_truth(np.array(rows), noise) if share is None else (share >= ENDS[1], share > ENDS[0])
        surely, perhaps, again = surely + told[0], perhaps + told[1], again + (share is not None)
    return Apart(surely, perhaps, len(time.applications), again)


def between_scales(table: Table, noise: float) -> Apart:
    """Return how many of the applications that were run at several scales want other configurations at others."""
    of: dict[str, list[Floats]] = defaultdict(list)
    for (name, _), row in zip(table.applications, table.values, strict=True):
        of[name].append(row)
    told = [_of_truth(np.array(rows), noise) for rows in of.values() if len(rows) > 1]
    return Apart(sum(surely for surely, _ in told), sum(perhaps for _, perhaps in told), len(told))


def _of_truth(rows: Floats, noise: float) -> tuple[bool, bool]:
    """Return whether the best of rows of shape (rows, configurations) are surely others, and whether perhaps.

    Surely where none is within the noise of the best in all rows, perhaps where the best of one is not in another.
    """
    common = np.asarray(near(rows, noise).all(axis=0))
    return not common.any(), not common[rows.argmin(axis=1)].all()


def _other(
    application: Application, prices: Mapping[Configuration, float], fresh: Fresh, rng: np.random.Generator
) -> float | None:
    """Return in which part of the draws the fastest is not the cheapest; None where too little was run again.

    Only draws count that have runs of both: what was not drawn is no worse for that.

    Args:
        application: which one.
        prices: USD/s of each configuration that it ran well on; nothing else is chosen.
        fresh: runs for the goal time.
        rng: draws passes.
    """
    runs, medians = fresh.runs(application), fresh.medians(application)
    chosen = [one for one in runs if one in prices]
    if not chosen:
        return None
    seconds, price = (np.array([of[one] for one in chosen]) for of in (medians, prices))
    ends = [int(values.argmin()) for values in (seconds, seconds * price)]
    if min(len(runs[chosen[end]]) for end in ends) < LEAST:
        return None
    drawn = fresh.drawn(application, rng)
    each = np.array([drawn[one] for one in chosen])
    each = np.where(np.isnan(each), np.inf, each)[:, ~np.isnan(each[ends]).any(axis=0)]
    return float(np.mean(each.argmin(axis=0) != (each * price[:, None]).argmin(axis=0)))
