"""Learning a platform: from measurements to a fitted model with calibrated errors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acic.advisor.informed import informed, on_baseline
from acic.advisor.intervals import Watch, drawn, errors_of, kinds_of, known_well, usual_error
from acic.advisor.learned import UNTOLD, Errors, Learned
from acic.advisor.lessons import Taught, joined, taught_by
from acic.advisor.ranges import Range, range_of
from acic.errors import MissingData
from acic.filesystems import DEPLOYMENT, by_hand
from acic.filesystems.inert import inert
from acic.models.calibration import Calibration
from acic.models.protocol import Learner, TrainingSet
from acic.models.residual import PriorAlone, PriorPredictor, takes_prior
from acic.platforms import Platform
from acic.prior import COLUMNS
from acic.space import LARGEST, Configuration, Parameter
from acic.store.baselines import Baselines, Improvements
from acic.store.lessons import Lesson
from acic.store.training import TrainingRows, encoded, encoder_of, unfit_told
from acic.workloads.parameters import WORKLOAD_PARAMETERS

Floats = NDArray[np.float64]

FEWEST = 8  # configurations measured beside the baseline, below which nothing is learned
TRUSTED = 2.0  # the factor that a prior is assumed to be right within, four times in five, before anything is measured


def learn(
    rows: TrainingRows,
    platform: Platform,
    learner: Learner,
    *,
    weight: Floats,
    seed: int,
    believed: NDArray[np.bool_] | None = None,
    lessons: Sequence[Lesson] = (),
    intervals: bool = True,
    watch: Watch = lambda *_: None,
) -> Learned:
    """Return what `rows` teach about `platform`.

    Args:
        rows: the measurements that count.
        platform: where they were made.
        learner: the kind of model.
        weight: trust in each row, > 0, shape (rows,).
        seed: of whatever the model draws, and of the folds.
        believed: rows that may be baselines, shape (rows,); all of them for None.
        lessons: runs of applications made to learn from; for models that take a prior.
        intervals: are told by what is left out, for which the model is fitted twenty times more.
        watch: is told how many of these fits are done, and of how many.

    Raises:
        MissingData: too few configurations, or no baseline, were measured.
    """
    from joblib import parallel_config
    from threadpoolctl import threadpool_limits

    check(rows, platform)
    # the matrices are small, and threads that wait for one another cost up to 50x; trees wait for nobody
    with threadpool_limits(limits=1), parallel_config(backend="threading", n_jobs=-1):
        taught = taught_by(lessons, platform) if takes_prior(learner) else None
        trusted = rows if believed is None else rows.rows(believed)
        return _learn(rows, platform, learner, weight, trusted, seed, taught, watch if intervals else None)


def _learn(
    rows: TrainingRows,
    platform: Platform,
    learner: Learner,
    weight: Floats,
    believed: TrainingRows,
    seed: int,
    taught: Taught | None,
    watch: Watch | None,
) -> Learned:
    baselines = Baselines.fit(believed, platform)
    improvements = baselines.improvements(rows)
    data = informed(training_set(rows, platform, improvements, weight), rows, platform, learner)
    informative = ~rows.on(platform.baseline)
    known = np.unique(rows.workload[informative])
    if taught is not None:
        data = joined(data, taught)
    errors = UNTOLD
    if watch:
        some = drawn(data.group[: len(rows)], np.random.default_rng([seed, 1]))
        held = data.rows(np.concatenate([some, np.ones(len(data) - len(rows), dtype=bool)]))  # lessons are few
        usual, wrong = on_baseline(rows.rows(some), platform, learner), usual_error(improvements, informative)
        counts, kinds = informative[some], kinds_of(rows)[some]
        errors = errors_of(held, usual, wrong, learner, counts, kinds, seed, watch)
    return Learned(
        model=learner.name,
        predictor=learner.fit(data, rng=np.random.default_rng(seed)),
        errors=errors,
        workloads=frozenset(rows.workloads[i] for i in known),
        known_well=frozenset(
            rows.workloads[i] for i in known_well(rows.workload[informative], rows.group[informative])
        ),
        baselines=baselines,
        ranges={p.name: _range(rows, p.name, known, numeric=p.is_numeric) for p in WORKLOAD_PARAMETERS},
        noise=float(np.expm1(np.nanmedian(rows.spread))) if np.isfinite(rows.spread).any() else 0.0,
        measurements=len(rows),
        systems={p.name: found for p in platform.space.parameters if (found := _system_range(rows, p))},
    )


def training_set(rows: TrainingRows, platform: Platform, improvements: Improvements, weight: Floats) -> TrainingSet:
    """Return the rows as models take them."""
    encoder = encoder_of(platform)
    return TrainingSet(
        columns=encoder.columns,
        x=encoded(rows, encoder),
        y=improvements.mean,
        best=improvements.best,
        weight=weight,
        group=rows.group,
        workload=rows.workload,
        parameters=encoder.parameters,
    )


def unmeasured(platform: Platform) -> Learned:
    """Return what is known of a platform whose hardware is known, and on which next to nothing was measured: the prior.

    How far it may be wrong is an assumption, not a measurement: a factor of `TRUSTED` either way, four times in five.
    """
    empty = np.empty(0)
    return Learned(
        model=PriorAlone.name,
        predictor=PriorPredictor((*encoder_of(platform).columns, *COLUMNS)),
        errors=Errors(Calibration(empty, math.inf), (-math.log(TRUSTED), math.log(TRUSTED)), 0.0),
        workloads=frozenset(),
        baselines=Baselines(),
        ranges={},
        noise=0.0,
        measurements=0,
    )


def check(rows: TrainingRows, platform: Platform) -> None:
    """Raise MissingData if nothing can be learned from `rows`."""
    if too_few(rows, platform):
        told = unfit_told(rows.unfit, platform)
        remedy = f"correct the platform's file: {told}" if told else platform.missing
        raise MissingData(
            f"platform {platform.name} has measurements of {_measured(rows, platform)} configurations beside its "
            f"baseline, and nothing can be learned from fewer than {min(FEWEST, _choices(rows, platform))}",
            hint=remedy or _how_to_measure(platform),
        )


def can_train(platform: Platform) -> bool:
    """Return whether campaigns measure it: nothing that its configurations differ by is set by hand."""
    return not by_hand(platform) and DEPLOYMENT not in platform.apply


def _how_to_measure(platform: Platform) -> str:
    imports = f"import measurements: acic data import FILE --platform {platform.argument}"
    if not can_train(platform):
        return imports
    return f"measure it: acic train --platform {platform.argument} --budget 2h; or {imports}"


def too_few(rows: TrainingRows, platform: Platform) -> bool:
    """Return whether `check` would raise: fewer than `FEWEST` were measured, and not all that there are to choose."""
    measured = _measured(rows, platform)
    return measured < FEWEST and measured < _choices(rows, platform)


def _measured(rows: TrainingRows, platform: Platform) -> int:
    """Return how many configurations beside the baseline were measured."""
    return len({*_configurations(rows)} - {platform.baseline})


def _configurations(rows: TrainingRows) -> list[Configuration]:
    """Return the distinct configurations of the rows: of those that were left out, `rows` still has theirs."""
    return [rows.configurations[i] for i in np.unique(rows.configuration)]


def few(rows: TrainingRows, platform: Platform) -> bool:
    """Return whether fewer than `FEWEST` were measured: where these are not `too_few`, they are all that there are.

    Trees cannot tell so few apart.
    """
    return _measured(rows, platform) < FEWEST


def _choices(rows: TrainingRows, platform: Platform) -> int:
    """Return how many configurations there are beside the baseline that may make a difference to what was measured."""
    left = inert(platform, rows.workloads) if rows.workloads else ()
    space = platform.space.only([name for name in platform.space.names if name not in left])
    return max(1, (space.raw_size if space.raw_size > LARGEST else len(space.enumerate())) - 1)


def _range(rows: TrainingRows, name: str, taught: NDArray[np.int64], *, numeric: bool) -> Range:
    return range_of([getattr(rows.workloads[i], name) for i in taught], numeric=numeric)


def _system_range(rows: TrainingRows, parameter: Parameter) -> Range | None:
    values = [value for c in _configurations(rows) if (value := c.get(parameter.name)) is not None]
    return range_of(values, numeric=parameter.is_numeric) if values else None
