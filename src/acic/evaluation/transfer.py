"""What measurements of one kind of instance are worth on another, of which little or nothing was measured.

`transfer` gives the regret on the other kind over the training runs that were made there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from acic.advisor.informed import hardware_of
from acic.errors import MissingData
from acic.evaluation.loops import curve_over
from acic.evaluation.parallel import spread
from acic.evaluation.picks import Curve
from acic.evaluation.taught import Floats, Judge, taught
from acic.models.registry import DEFAULT, learner
from acic.space import Value
from acic.store.training import TrainingRows

Mask = NDArray[np.bool_]

NEW = (0, 5, 20)  # training runs of the other kind
SEEDS = 3
MODELS = tuple(dict.fromkeys(("cart", DEFAULT)))  # the paper's, and ours


def transfer(
    rows: TrainingRows,
    judge: Judge,
    *,
    models: Sequence[str] = MODELS,
    new: Sequence[int] = NEW,
    seeds: int = SEEDS,
    processes: int = 1,
) -> tuple[Curve, ...]:
    """Return the regret of the median application on another kind of instance, a curve for each model.

    All runs of other kinds are learned from, and some of that kind, drawn at random: as many as `new` says, and at
    last all there are. Middle, low and high are over seeds.

    Args:
        rows: of the training, of both kinds.
        judge: applications that were run on the baseline and on configurations of the other kind.
        models: learners' names.
        new: training runs of the other kind; more than there are count once, as all.
        seeds: of the draw and of the model.
        processes: of this machine, that share the work; the figures do not depend on it.

    Raises:
        MissingData: the judge's configurations are not of one kind that is not the baseline's, or no training was
            measured elsewhere.
    """
    there = _of_kind(rows, judge, other_kind(judge))
    if there.all():
        raise MissingData("no training was measured on the other kinds of instance", hint="measure some: acic train")
    counts = sorted({min(n, int(there.sum())) for n in (*new, int(there.sum()))})
    known = hardware_of(rows, judge.platform)
    cases = [(model, count, seed) for model in models for count in counts for seed in range(seeds)]
    found = spread(partial(_regret, rows, there, known, judge), cases, processes=processes)
    regrets = np.array(found).reshape(len(models), len(counts), seeds)
    return tuple(curve_over(model, counts, regrets[m].T) for m, model in enumerate(models))


def other_kind(judge: Judge) -> Value:
    """Return the kind of instance that the judge's configurations have, the baseline aside.

    Raises:
        MissingData: there is none, or there are several.
    """
    role = judge.platform.roles.instance
    kinds = {c.get(role) for c in judge.table.configurations if c != judge.platform.baseline}
    if len(kinds) != 1 or (kind := kinds.pop()) in (None, judge.platform.baseline.get(role)):
        raise MissingData("no ground truth of one other kind of instance", hint="measure it: acic survey begin --only")
    return kind


def _of_kind(rows: TrainingRows, judge: Judge, kind: Value) -> Mask:
    role = judge.platform.roles.instance
    return np.array([c.get(role) == kind for c in rows.configurations], dtype=bool)[rows.configuration]


def _regret(rows: TrainingRows, there: Mask, known: Floats | None, judge: Judge, case: tuple[str, int, int]) -> float:
    model, count, seed = case
    drawn = np.random.default_rng([seed, count]).permutation(np.flatnonzero(there))[:count]
    part = np.sort(np.concatenate([np.flatnonzero(~there), drawn]))
    learned = taught(
        rows.rows(part),
        judge.platform,
        learner(model),
        weight=np.ones(len(part)),
        believed=np.ones(len(part), dtype=bool),
        seed=seed,
        hardware=None if known is None else known[part],
    )
    return judge.median_regret(learned)
