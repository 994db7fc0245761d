"""Figures of merit, from the truth and the choices: what each choice took, beside the baseline and the best.

Everywhere NaN is what was not measured, and inf what failed or gave wrong bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acic.evaluation.field import Table
from acic.evaluation.fresh import FreshScore
from acic.evaluation.picks import Picks
from acic.evaluation.regret import quantile as quantile_of

Floats = NDArray[np.float64]


def baselines(table: Table, column: int | None) -> Floats:
    """Return what each application took on the baseline, shape (applications,); NaN where it has no figure."""
    if column is None:
        return np.full(len(table.applications), np.nan)
    values = table.values[:, column]
    return np.where(np.isfinite(values), values, np.nan)


def relative(table: Table, column: int | None) -> Floats:
    """Return all values over those of the baseline, shape of the table; NaN where the baseline has no figure."""
    return table.values / baselines(table, column)[:, None]


def best(table: Table) -> Floats:
    """Return the smallest value of each application, shape (applications,); NaN where nothing ended well."""
    values = np.where(np.isfinite(table.values), table.values, np.inf).min(axis=1)
    return np.where(np.isfinite(values), values, np.nan)


def middle(table: Table) -> Floats:
    """Return the median of each application over the configurations that ended well, shape (applications,)."""
    return np.array([np.median(row[np.isfinite(row)]) if np.isfinite(row).any() else np.nan for row in table.values])


def first(table: Table, picks: Picks, count: int = 1) -> Floats:
    """Return the best measured value of the first `count` choices, shape (applications,).

    inf where all that were measured of them failed, NaN where none was measured or nothing was chosen.
    """
    rows = [picks.ranked.get(a, ())[:count] for a in table.applications]
    found = [values[list(columns)] for values, columns in zip(table.values, rows, strict=True)]
    return np.array([np.nanmin(f) if f.size and not np.isnan(f).all() else np.nan for f in found])


def regret(table: Table, picks: Picks, count: int = 1) -> Floats:
    """Return how much longer, or more expensive, the best of the first choices is than the best of all: 0.2 is 20 %.

    Returns:
        Shape (applications,), at least 0; inf where the choices failed, NaN where none was measured.
    """
    return first(table, picks, count) / best(table) - 1.0


def regret_again(table: Table, score: FreshScore) -> Floats:
    """Return regret by fresh runs, shape (applications,); inf where the choice failed, NaN where it was not run."""
    return np.array([score.regret[a].value if a in score.regret else np.nan for a in table.applications])


def gains(table: Table, picks: Picks, column: int | None) -> tuple[float, float]:
    """Return the mean gain of the first choices over the baseline, and the best possible one of the same applications.

    A speed-up for the goal time, where a failure is one of 0; for cost the share that is saved, where a failure costs
    as much as the baseline for nothing, and the baseline's run after it (as in `acic.evaluation.regret`). Applications
    count whose choice and baseline were measured; NaN where there is none.
    """
    base, taken, least = baselines(table, column), first(table, picks), best(table)
    there = ~np.isnan(base / least) & ~np.isnan(taken)
    if not there.any():
        return float("nan"), float("nan")
    if table.goal == "time":
        return float((base / taken)[there].mean()), float((base / least)[there].mean())
    paid = np.where(np.isinf(taken), 2 * base, taken)
    return float((1 - paid / base)[there].mean()), float((1 - least / base)[there].mean())


def place(table: Table, picks: Picks) -> list[tuple[int, int] | None]:
    """Return the place of each application's first choice among all that were measured: (1, 150) is the best."""
    taken = first(table, picks)
    return [
        None if np.isnan(value) else (1 + int((row < value).sum()), int((~np.isnan(row)).sum()))
        for row, value in zip(table.values, taken, strict=True)
    ]


def known(values: Floats) -> Floats:
    """Return the values that there are, failures among them."""
    return values[~np.isnan(values)]


def quantile(values: Floats, part: float) -> float:
    """Return a quantile of the values that there are; NaN of none."""
    there = known(values)
    return quantile_of(there, part) if len(there) else float("nan")
