"""What lessons teach a model beside measurements: rows of the same columns, from runs of whole applications."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from acic.models.protocol import TrainingSet
from acic.platforms import Platform
from acic.prior import COLUMNS, IMPROVEMENT, Prior, prior_of
from acic.store.lessons import Lesson
from acic.store.training import encoder_of, with_workload

Floats = NDArray[np.float64]

SHARE = 0.2  # of the I/O's time, by the prior: a phase with less is not why a run was fast or slow
SHORT = 0.03  # s in I/O on the baseline: what is shorter tells of clocks
LEAST = 0.1  # of the baseline's I/O that is taken to be left, however much faster the whole run was


@dataclass(frozen=True)
class Taught:
    """Rows that lessons give.

    Args:
        x: as models take them, shape (rows, columns).
        y: natural log improvement of the phase, shape (rows,).
        weight: trust beside a measurement's, > 0, shape (rows,).
        application: one number for each, shape (rows,).
    """

    x: Floats
    y: Floats
    weight: Floats
    application: NDArray[np.int64]


def taught_by(lessons: Sequence[Lesson], platform: Platform) -> Taught | None:
    """Return the rows that `lessons` give; None where there are none, or the platform has no prior to learn beside.

    What counts is how much longer or shorter the whole run took than on the baseline: all of that is put down to its
    I/O, as who takes the advice will. The prior's error on an application is that of each of its phases.
    """
    prior = prior_of(platform)
    by: dict[str, list[Lesson]] = defaultdict(list)
    for one in lessons:
        if not platform.space.problem(one.configuration):
            by[one.application].append(one)
    parts = (
        []
        if prior is None
        else [part for number, mine in enumerate(by.values()) for part in _of_one(mine, platform, prior, number)]
    )
    if not parts:
        return None
    return Taught(*(np.concatenate([getattr(part, name) for part in parts]) for name in Taught.__dataclass_fields__))


def joined(data: TrainingSet, taught: Taught) -> TrainingSet:
    """Return `data`, which has the prior's columns, with what lessons taught behind it."""
    workload = data.workload.max(initial=-1) + 1 + taught.application
    twins = np.unique(np.column_stack([taught.application, taught.x]), axis=0, return_inverse=True)[1].ravel()
    group = data.group.max(initial=-1) + 1 + twins
    return replace(
        data,
        x=np.vstack([data.x, taught.x]),
        y=np.concatenate([data.y, taught.y]),
        best=np.concatenate([data.best, taught.y]),
        weight=np.concatenate([data.weight, taught.weight]),
        group=np.concatenate([data.group, group]),
        workload=np.concatenate([data.workload, workload]),
    )


def _of_one(mine: Sequence[Lesson], platform: Platform, prior: Prior, number: int) -> list[Taught]:
    """Return the rows of each phase of an application that takes long enough."""
    usual = [one for one in mine if one.configuration == platform.baseline]
    others = [one for one in mine if one.configuration != platform.baseline]
    if not usual or not others or (io := median(one.io for one in usual)) < SHORT:
        return []
    total = median(one.seconds for one in usual)
    left = np.maximum(np.array([one.seconds for one in others]) - (total - io), LEAST * io)
    systems = prior.systems(configurations := [one.configuration for one in others])
    workloads = [workload for workload, _ in mine[0].phases]
    phases = list(zip(workloads, prior.heard(mine[0].phases, io), strict=True))
    before = np.array([prior.seconds(w, prior.baseline, use)[0] for w, use in phases])
    after = np.array([prior.seconds(w, systems, use) for w, use in phases])
    error = np.log(io / left) - np.log(before.sum() / after.sum(axis=0))
    encoder = encoder_of(platform)
    system = encoder.encode(configurations)
    found = []
    for (workload, use), share in zip(phases, before / before.sum(), strict=True):
        if share < SHARE:
            continue
        known = prior.view(workload, systems, use)
        found.append(
            Taught(
                x=np.hstack([with_workload(encoder, system, workload), known]),
                y=known[:, COLUMNS.index(IMPROVEMENT)] + error,
                weight=np.full(len(others), share * io / total),
                application=np.full(len(others), number),
            )
        )
    return found
