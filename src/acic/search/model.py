"""Model-driven tuning: predict every configuration, measure the best predicted, learn from that, again.

Source: Behzad, Byna, Wild, Prabhat & Snir, "Dynamic model-driven parallel I/O performance tuning", CLUSTER 2015,
section IV: trained at small scale, all combinations predicted, the top 20 run, optionally refitted (IV.C).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from acic.models import Learner, Predictor, learner
from acic.search.candidates import Candidates, Floats, first
from acic.search.ledger import Ledger, Proposals, conduct
from acic.search.protocol import Found, Measure
from acic.search.teaching import Lessons, Teacher
from acic.space import Configuration, Space

DIGITS = 9  # of a predicted logarithm: below them, it is rounding that tells predictions apart


def _nonlinear() -> Learner:
    return learner("nonlinear")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDriven:
    """Measure what a model holds to be best.

    Of configurations that the model cannot tell apart (`nonlinear` does not see labels) any may be measured: to spread
    the top over different predictions made coarse models (`cart`) measure what they hold to be bad.

    Args:
        lessons: what was measured before, at any scale, and the workload tuned now.
        learner: what is fitted; any of `acic.models`.
        k: configurations of the top that are measured in an iteration, less those already measured.
        start: configurations drawn at random to learn from first, where `lessons` has no rows.
        tolerance: share by which an iteration has to lower the best objective for another one to follow. The first
            one of a model that knew other scales only is always followed by one: it is the refit that can put it right.
    """

    lessons: Lessons = field(default_factory=Lessons)
    learner: Learner = field(default_factory=_nonlinear)
    k: int = 20
    start: int = 20
    tolerance: float = 0.01

    name = "model"
    about = "measure what a model predicts to be best, refit, repeat (CLUSTER'15): best with runs at small scale"

    def run(
        self,
        space: Space,
        baseline: Configuration,
        measure: Measure,
        *,
        rng: np.random.Generator,
        max_runs: int | None = None,
    ) -> Found:
        """Return the best configuration measured; raises also for a space too large to predict all of it."""
        ledger = Ledger(space, measure, max_runs=max_runs)
        return conduct(self._proposals(space, baseline, ledger, rng), baseline, ledger)

    def _proposals(self, space: Space, baseline: Configuration, ledger: Ledger, rng: np.random.Generator) -> Proposals:
        candidates = Candidates(space)
        teacher = Teacher(space, baseline, self.lessons)
        knows_target = not self.lessons.rows
        if knows_target:
            yield candidates.configurations(rng.permutation(len(candidates))[: self.start])
        while True:
            before = _best(ledger)
            data = teacher.training_set(ledger.observations)
            if data is None:
                return f"Not one of {len(ledger)} runs ended well: there is nothing to learn from."
            top = propose(candidates, self.learner.fit(data, rng=rng), teacher, self.k, rng=rng)
            new = [one for one in candidates.configurations(top) if one not in ledger]
            if not new:
                return f"All of the {len(top)} configurations predicted to be best were measured."
            yield new
            if knows_target and not _best(ledger) < before * (1.0 - self.tolerance):
                runs = f"{len(new)} runs" if len(new) > 1 else "run"
                return f"The last {runs} lowered the best by less than {self.tolerance:.1%}."
            knows_target = True


def propose(
    candidates: Candidates, predictor: Predictor, teacher: Teacher, k: int, *, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the rows of the `k` candidates of the largest predicted improvement, best first."""

    def objective(points: NDArray[np.int8]) -> Floats:
        return -np.round(predictor.predict(teacher.encode(points)).mean, DIGITS)

    return first(candidates.predict(objective), k, rng=rng)


def _best(ledger: Ledger) -> float:
    return np.inf if ledger.best is None else ledger.objective(ledger.best.configuration)
