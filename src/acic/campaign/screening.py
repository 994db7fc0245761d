"""Screening: which parameters matter, by a foldover Plackett-Burman design of real runs.

Source: Liu et al., SC13, section 4.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acic.campaign.points import WORKLOAD, Field, Rows
from acic.design import effects, screening_plan
from acic.design.plackett_burman import Levels
from acic.space import Space, Value, made_valid


def screening_rows(field: Field) -> Rows:
    """Return the rows of the screening runs, shape (runs, parameters).

    With workloads that were given, each is screened by itself.
    """
    _, names, runs = _design(field)
    rows = []
    for which in _blocks(field):
        for values in runs:
            wanted = field.default | which | {n: values[n] for n in names if n in values}
            rows.append(field.row(made_valid(field.space, wanted)))
    return np.array(rows, dtype=np.int8)


def parameter_effects(field: Field, results: Sequence[float]) -> dict[str, float]:
    """Return the size of each screened parameter's effect, largest first.

    Args:
        field: what was screened.
        results: of the rows of `screening_rows`, in their order; NaN for a run that failed: it takes the mean of
            the others, so that it speaks neither for nor against a parameter.
    """
    design, names, _ = _design(field)
    values = np.asarray(results, dtype=float).reshape(-1, len(design))
    total: NDArray[np.float64] = np.zeros(len(names))
    for block in values:
        known = np.isfinite(block)
        if known.any():
            total += effects(design, np.where(known, block, block[known].mean()))
    found = dict(zip(names, (float(e) for e in total), strict=True))
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def log_results(
    bandwidths: Sequence[float | None], dollars_per_second: Callable[[int], float] | None = None
) -> list[float]:
    """Return the logarithm of the time, or with a price of the cost, per byte: what is to be small."""
    made = []
    for i, bandwidth in enumerate(bandwidths):
        price = dollars_per_second(i) if dollars_per_second else 1.0
        made.append(math.log(price / bandwidth) if bandwidth and price > 0 else math.nan)
    return made


def ranking(field: Field, sizes: Mapping[str, float]) -> list[str]:
    """Return every parameter of the field, the most important first.

    What varies and was not screened comes before, and what has one value only behind all others.
    """
    rest = [name for name in field.space.names if name not in sizes]
    varied = [name for name in rest if name == WORKLOAD or name in field.screened]
    return [*varied, *sizes, *(name for name in rest if name not in varied)]


def _design(field: Field) -> tuple[Levels, tuple[str, ...], list[Mapping[str, Value]]]:
    # without constraints: those of the whole space are met afterwards, for each workload by itself
    design, runs = screening_plan(Space(tuple(field.space[n] for n in field.screened)))
    return design, field.screened, [run.values for run in runs]


def _blocks(field: Field) -> list[dict[str, Value]]:
    several = WORKLOAD in field.space.names
    return [{WORKLOAD: value} for value in field.space[WORKLOAD].values] if several else [{}]
