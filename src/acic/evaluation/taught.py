"""What a part of the training teaches, and the regret of what is then advised: for curves, which need it many times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from acic.advisor.informed import informed
from acic.advisor.knowledge import Knowledge
from acic.advisor.known import unsafe_configurations
from acic.advisor.learned import UNTOLD, Learned
from acic.advisor.learning import training_set
from acic.advisor.lessons import joined, taught_by
from acic.advisor.ranges import Range, label
from acic.advisor.safety import Unsafe
from acic.evaluation.advising import Asked, asked, candidates, foresee, ranked
from acic.evaluation.field import Application, Table, table_of
from acic.evaluation.truth import Run
from acic.models.protocol import Learner
from acic.models.registry import INFORMED
from acic.models.residual import takes_prior
from acic.platforms import Platform
from acic.store.baselines import Baselines
from acic.store.lessons import Lesson
from acic.store.training import TrainingRows
from acic.workloads import Workload
from acic.workloads.parameters import WORKLOAD_PARAMETERS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judge:
    """The applications that advice is judged by.

    Args:
        platform: where they were run.
        table: what can be chosen: configurations that all were run on.
        questions: what a user knows of each, in the order of the table.
        unsafe: configurations that are known to give back wrong bytes.
    """

    platform: Platform
    table: Table
    questions: tuple[Asked, ...]
    unsafe: Unsafe
    _known: dict[bool, Knowledge] = field(default_factory=dict, init=False, repr=False, compare=False)

    def orders(self, learned: Learned, *, most: int | None = None) -> Mapping[Application, Sequence[int]]:
        """Return the columns of the table as advised for each application, best first; of `most` groups that tie."""
        knowledge = self._knowing(replace(learned, unsafe=self.unsafe))
        foresee(knowledge, self.questions)
        return {
            one.application: ranked(one, self.platform, knowledge, self.table, self.table.goal, most=most)
            for one in self.questions
        }

    def _knowing(self, learned: Learned) -> Knowledge:
        """Return what `learned` knows of the table's configurations, which are told once for each kind of model."""
        informed = learned.model in INFORMED
        if informed not in self._known:
            self._known[informed] = Knowledge(self.platform, learned).among(self.table.configurations)
        return self._known[informed].relearned(learned)

    def median_regret(self, learned: Learned) -> float:
        """Return the regret of the median application with what `learned` advises first; inf where that fails."""
        return float(np.median(self.regret(self.orders(learned, most=1))))

    def regret(self, orders: Mapping[Application, Sequence[int]]) -> Floats:
        """Return the regret of the first of each order, shape (applications,); inf where it fails."""
        chosen = [orders[application][0] for application in self.table.applications]
        values = self.table.values
        return np.asarray(values[np.arange(len(values)), chosen] / values.min(axis=1) - 1.0)

    def untaught(self) -> Floats:
        """Return the regret of changing nothing, shape (applications,)."""
        column = self.table.configurations.index(self.platform.baseline)
        return self.regret(dict.fromkeys(self.table.applications, (column,)))


def judge_of(
    runs: Sequence[Run], platform: Platform, goal: str, logs: Mapping[Application, Workload] | None = None
) -> Judge:
    """Return the judge that ground truth gives; unsafe is what the measurements that come with acic say is.

    Args:
        runs: the ground truth.
        platform: where it was measured.
        goal: "time" or "cost".
        logs: what to ask by in place of descriptions, as of `evaluate`.

    Raises:
        MissingData: no configuration was measured with all applications, or the baseline was not.
    """
    table = candidates(table_of(runs, platform, goal), platform)
    questions = tuple(_plain(asked(one, runs, platform, (logs or {}).get(one))) for one in table.applications)
    return Judge(platform, table, questions, unsafe_configurations(platform, None))


def _plain(question: Asked) -> Asked:
    """Return the question with plain dictionaries, which can be sent to another process."""
    phases = tuple(replace(p, quality=dict(p.quality), details=dict(p.details)) for p in question.workload.phases)
    return replace(question, workload=replace(question.workload, phases=phases))


def taught(
    rows: TrainingRows,
    platform: Platform,
    learner: Learner,
    *,
    weight: Floats,
    believed: NDArray[np.bool_],
    seed: int,
    hardware: Floats | None = None,
    lessons: Sequence[Lesson] = (),
) -> Learned:
    """Return what `rows` teach, without the cross-validation that intervals need: those here are infinite.

    Args:
        rows: of the training, any part of it that has a baseline.
        platform: where they were made.
        learner: the kind of model.
        weight: trust in each row, > 0, shape (rows,).
        believed: rows that may be baselines, shape (rows,).
        seed: of what the model draws.
        hardware: what the prior knows of each row, where that was asked before.
        lessons: runs of applications made to learn from, for learners that take a prior.

    Raises:
        MissingData: an operation has no baseline.
    """
    from threadpoolctl import threadpool_limits

    baselines = Baselines.fit(rows.rows(believed), platform)
    improvements = baselines.improvements(rows)
    data = informed(training_set(rows, platform, improvements, weight), rows, platform, learner, hardware)
    if takes_prior(learner) and (lived := taught_by(lessons, platform)) is not None:
        data = joined(data, lived)
    with threadpool_limits(limits=1):
        predictor = learner.fit(data, rng=np.random.default_rng(seed))
    elsewhere = [i for i, c in enumerate(rows.configurations) if c != platform.baseline]
    told = np.unique(rows.workload[np.isin(rows.configuration, elsewhere)])
    operations = tuple(sorted({label(rows.workloads[i].operation) for i in told}))
    return Learned(
        model=learner.name,
        predictor=predictor,
        errors=UNTOLD,
        workloads=frozenset(rows.workloads[i] for i in told),
        baselines=baselines,
        ranges={p.name: Range(-math.inf, math.inf, operations) for p in WORKLOAD_PARAMETERS},
        noise=float(np.expm1(np.nanmedian(rows.spread))) if np.isfinite(rows.spread).any() else 0.0,
        measurements=len(rows),
    )
