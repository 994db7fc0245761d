"""How far each contributor is believed, and what that means for rows: which teach, and which may be baselines.

It rests on what the others' measurements say about theirs, which `acic.store.judging` tells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acic.platforms import Platform
from acic.store.judging import judged
from acic.store.training import Floats, TrainingRows, encoded, encoder_of

FEWEST = 3  # contributors, below which none of them can be told from the others
HEARD = 0.1  # trust from which on a contributor's rows teach at all: where nobody else measured, any weight decides
BELIEVED = 0.5  # trust from which on a contributor's baselines may be what others' rows are divided by
MOST = 1500  # rows that are looked at: the time grows with their cube
_LABEL = 0.5  # of what is alike is left by each label of the system that differs: another file system is another world
_WORKLOAD, _CONFIGURATION = 0.2, 0.1  # variances, in parts of the data's own: what no parameter tells
_SHIFTED = 1.5  # times faster or slower that is told as such


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What is held of one contributor.

    Args:
        contributor: its name, "" where nobody is named.
        rows: how many measurements teach.
        trust: what each of their weights is multiplied with, in [`judging.FLOOR`, 1].
        factor: the median of its bandwidths over what the others' say: 3.0 is three times as fast.
    """

    contributor: str
    rows: int
    trust: float
    factor: float

    def __str__(self) -> str:
        name = self.contributor or "(unnamed)"
        far = max(self.factor, 1.0 / self.factor)
        how = (
            f"{far:.3g}x {'faster' if self.factor > 1.0 else 'slower'} than" if far >= _SHIFTED else "scattered around"
        )
        its = f"its {self.rows} rows are {how} what the others' say"
        left = "" if self.trust >= HEARD else ", and are left out"
        return f"contributor {name} is trusted {self.trust:.2g}: {its}{left}"


def contributions(rows: TrainingRows, platform: Platform) -> tuple[Contribution, ...]:
    """Return what is held of each contributor of `rows`, in the order of their names.

    It depends neither on the order of the rows nor on how large honest noise is.
    """
    counts = np.bincount(rows.contributor, minlength=len(rows.contributors))
    order = sorted(np.flatnonzero(counts), key=lambda i: rows.contributors[i])
    trust, factor = np.ones(len(counts)), np.ones(len(counts))
    if len(order) >= FEWEST:
        from threadpoolctl import threadpool_limits

        looked = _some(rows)
        alike = covariance(looked, platform)
        with threadpool_limits(limits=1):  # many small matrices: threads that wait for one another cost up to 10x
            trust, factor = judged(alike, looked.mean, looked.contributor, looked.configuration, len(counts))
    return tuple(
        Contribution(
            contributor=rows.contributors[i], rows=int(counts[i]), trust=float(trust[i]), factor=float(factor[i])
        )
        for i in order
    )


def doubted(found: Sequence[Contribution]) -> list[Contribution]:
    """Return the contributors who are hardly believed, which a reader must know of."""
    return [one for one in found if one.trust < BELIEVED]


def trusted(rows: TrainingRows, found: Sequence[Contribution]) -> Floats:
    """Return the trust in the contributor of each row, shape (rows,): what weights are multiplied with.

    Rows below `HEARD` are not to be learned from.
    """
    by_name = {one.contributor: one.trust for one in found}
    return np.array([by_name.get(name, 1.0) for name in rows.contributors])[rows.contributor]


def believed(rows: TrainingRows, trust: Floats, platform: Platform) -> NDArray[np.bool_]:
    """Return the rows that may be baselines, shape (rows,): a lie there would spoil all that is divided by it.

    Those of little trust may, where an operation has no other baseline.

    Args:
        rows: the training.
        trust: as `trusted` gives it, shape (rows,).
        platform: its baseline is meant.
    """
    of_baseline = rows.on(platform.baseline)
    operation = np.array([w.operation.value for w in rows.workloads], dtype=object)[rows.workload]
    good = trust >= BELIEVED
    return np.asarray(good | ~np.isin(operation, operation[good & of_baseline]))


def covariance(rows: TrainingRows, platform: Platform) -> Floats:
    """Return how much alike rows are taken to be before anything is known of them, shape (rows, rows).

    Alike in parameters, the less so the more labels of the configurations differ, and beyond that where the workload or
    the configuration is the same.
    """
    x = encoded(rows, encoder_of(platform))
    x = x[:, np.ptp(x, axis=0) > 0]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    square = (x**2).sum(axis=1)
    distance = np.maximum(square[:, None] + square - 2.0 * x @ x.T, 0.0) / max(1, x.shape[1])
    labels = [p.name for p in platform.space.parameters if not p.is_numeric]
    used, which = np.unique(rows.configuration, return_inverse=True)  # fewer than rows
    told = np.array([[str(rows.configurations[i].get(name)) for name in labels] for i in used]).reshape(-1, len(labels))
    kept = (_LABEL ** np.arange(len(labels) + 1))[(told[:, None] != told).sum(axis=2)]
    return np.asarray(
        np.exp(-distance / 2.0) * kept[np.ix_(which, which)]
        + _WORKLOAD * (rows.workload[:, None] == rows.workload)
        + _CONFIGURATION * (rows.configuration[:, None] == rows.configuration)
    )


def _some(rows: TrainingRows) -> TrainingRows:
    """Return all rows, or of many an even part of each contributor's, by time, and one at least: `MOST` in all."""
    if len(rows) <= MOST:
        return rows
    by_name = np.argsort(np.argsort(rows.contributors))  # their numbers say nothing
    order = np.lexsort((rows.mean, rows.time, by_name[rows.contributor]))
    blocks = np.split(order, np.flatnonzero(np.diff(rows.contributor[order])) + 1)
    share = max(MOST - len(blocks), 1) / len(rows)  # rounding up adds less than a row of each
    looked = np.concatenate([_even(block, math.ceil(len(block) * share)) for block in blocks])
    return rows.rows(np.sort(_even(looked, min(len(looked), MOST))))  # of more contributors than that, not of each


def _even(places: NDArray[np.intp], number: int) -> NDArray[np.intp]:
    """Return so many of `places`, evenly spread."""
    return places[np.linspace(0, len(places) - 1, number).astype(np.intp)]
