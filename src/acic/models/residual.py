"""What is known beforehand, and learning what it gets wrong.

Where the advisor has a prior (acic.prior), its log improvement is one more column of `x`, named `PRIOR`, for the
learners that take it, and so is what it knows of the hardware's part in it. Models still see arrays only. Without the
column `PRIOR` a learner falls back to its base.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.models.forest import Forest
from acic.models.protocol import Arrays, Floats, Integers, Learner, Prediction, Predictor, TrainingSet
from acic.models.words import Describe, plain
from acic.prior import IMPROVEMENT, LIKENESS

PRIOR = IMPROVEMENT  # the column: natural log improvement that is expected before anything is measured
ALIKE = LIKENESS  # the column: how much of what was learned holds, 0 to 1
_KNOWN = (PRIOR, ALIKE)
_BASE = "base."


@dataclass(frozen=True)
class ResidualPredictor:
    """The prior plus what the base learned of its errors; the spread is the base's.

    Args:
        name: the learner's.
        columns: of `x`, the prior's among them or not.
        base: predicts log improvement less the prior.
    """

    name: str
    columns: tuple[str, ...]
    base: Predictor

    @property
    def is_relative(self) -> bool:
        """Whether the base learned differences only: the prior's own log improvement of the baseline is 0."""
        return self.base.is_relative

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending: what the base looks at, and what is known."""
        rest = np.array([at for at, name in enumerate(self.columns) if name not in _KNOWN], dtype=np.int64)
        known = [at for at, name in enumerate(self.columns) if name in _KNOWN]
        return np.sort(np.append(rest[self.base.looks_at], known).astype(np.int64))

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        rest, prior, alike = parted(self.columns, x)
        learned = self.base.predict(rest)
        return Prediction(alike * learned.mean + prior, learned.spread)

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:
        """Return what the prior says, then what was learned beside it, and which part of that counts."""
        rest, prior, alike = parted(self.columns, x[None, :])
        learned = self.base.explain(rest[0], describe)
        if PRIOR not in self.columns:
            return learned
        counted = "" if alike[0] == 1.0 else f", of which {alike[0]:.0%} counts"
        return [in_words(float(prior[0])), *(f"beside that{counted}, {reason}" for reason in learned)]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        return {"columns": np.array(self.columns), **{_BASE + k: v for k, v in self.base.arrays().items()}}


@dataclass(frozen=True, slots=True)
class Residual:
    """A learner of the prior's errors.

    Args:
        base: what learns them.
    """

    base: Learner = field(default_factory=Forest)

    takes_prior = True

    @property
    def name(self) -> str:
        """The name that `--model` takes."""
        return f"prior+{self.base.name}"

    @property
    def version(self) -> int:
        """Raised with the base's."""
        return 200 + self.base.version

    @property
    def about(self) -> str:
        """One line for the list of models."""
        return f"what the hardware alone explains, and {self.base.name} for what that gets wrong"

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> ResidualPredictor:
        """Return the predictor that learned by how much measurements differ from the prior."""
        rest, prior, _ = parted(data.columns, data.x)
        left = replace(
            data,
            columns=tuple(one for one in data.columns if one not in _KNOWN),
            x=rest,
            y=data.y - prior,
            best=data.best - prior,
        )
        return ResidualPredictor(self.name, data.columns, self.base.fit(left, rng=rng))

    def restore(self, arrays: Arrays) -> ResidualPredictor:
        """Return the predictor whose `arrays()` these are."""
        own = {k.removeprefix(_BASE): v for k, v in arrays.items() if k.startswith(_BASE)}
        return ResidualPredictor(self.name, tuple(arrays["columns"].tolist()), self.base.restore(own))


@dataclass(frozen=True)
class PriorPredictor:
    """The prior as it is; no change is expected where there is none."""

    columns: tuple[str, ...]

    name = "prior"
    is_relative = False

    @property
    def looks_at(self) -> Integers:
        """Positions of the columns that make a difference, ascending."""
        return np.array([at for at, name in enumerate(self.columns) if name == PRIOR], dtype=np.int64)

    def predict(self, x: Floats) -> Prediction:
        """Return the prediction for each row of encoded parameters, shape (rows, columns)."""
        return Prediction(parted(self.columns, x)[1].copy(), np.zeros(len(x)))

    def explain(self, x: Floats, describe: Describe = plain) -> list[str]:  # noqa: ARG002 (the prior has its own words)
        """Return what the prior says."""
        if PRIOR not in self.columns:
            return ["nothing is known of this platform's hardware"]
        return [in_words(float(parted(self.columns, x[None, :])[1][0]))]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything needed to rebuild the predictor."""
        return {"columns": np.array(self.columns)}


@dataclass(frozen=True, slots=True)
class PriorAlone:
    """The prior without learning: measurements tell only how wrong it is."""

    name = "prior"
    version = 1
    about = "the platform's hardware alone, nothing learned: answers before anything is measured"
    takes_prior = True

    def fit(self, data: TrainingSet, *, rng: np.random.Generator) -> PriorPredictor:  # noqa: ARG002 (one signature)
        """Return the prior."""
        return PriorPredictor(data.columns)

    def restore(self, arrays: Arrays) -> PriorPredictor:
        """Return the predictor whose `arrays()` these are."""
        return PriorPredictor(tuple(arrays["columns"].tolist()))


def takes_prior(learner: Learner) -> bool:
    """Return whether a learner has a use for the column `PRIOR`."""
    return bool(getattr(learner, "takes_prior", False))


def with_prior(data: TrainingSet, prior: Floats, columns: tuple[str, ...] = (PRIOR,)) -> TrainingSet:
    """Return `data` with what a prior knows, shape (rows, columns) or (rows,), as columns behind its own."""
    return replace(data, columns=(*data.columns, *columns), x=np.column_stack([data.x, prior]))


def parted(columns: tuple[str, ...], x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return rows without the prior's own columns, and these: its improvement, and how much of what was learned holds.

    Where they are not, no improvement is known and all holds.
    """
    kept = [at for at, name in enumerate(columns) if name not in _KNOWN]
    prior = x[:, columns.index(PRIOR)] if PRIOR in columns else np.zeros(len(x))
    alike = x[:, columns.index(ALIKE)] if ALIKE in columns else np.ones(len(x))
    return np.ascontiguousarray(x[:, kept]) if len(kept) < len(columns) else x, prior, alike


def in_words(prior: float) -> str:
    """Return a prior's log improvement as people read it."""
    return f"by its hardware alone {np.exp(abs(prior)):.3g}x {'faster' if prior >= 0 else 'slower'} than the baseline"
