"""Intervals that hold: from what the model got wrong on rows it had not seen.

Conformal: of n held-out errors and the next one, if they are exchangeable, each rank is as likely as any other;
so the next lies between the k-th smallest and the k-th largest with probability 1 - 2 k / (n + 1).
No assumption about the model or the noise is needed. Errors are taken out of cross-validation, by models that saw a
little less than the final one, which errs on the wide side.

Source: Vovk, Gammerman & Shafer, "Algorithmic learning in a random world", 2005; Lei, G'Sell, Rinaldo, Tibshirani &
Wasserman, "Distribution-free predictive inference for regression", JASA 113, 2018 (errors relative to spread);
Vovk, "Cross-conformal predictors", AMAI 74, 2015.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acic.errors import InvalidInput
from acic.models.protocol import Arrays, Floats, Prediction

LEVEL = 0.8
_TELLS = 0.01  # of the errors' root mean square: a median spread of less tells nothing of how wrong a model is


@dataclass(frozen=True, slots=True)
class Calibration:
    """Held-out errors (truth minus prediction, log improvement), relative to spread plus a constant.

    Args:
        errors: ascending, shape (held-out rows,); none is fine, and makes every interval infinite.
        softening: what is added to a prediction's spread, > 0: the larger, the more alike all
            intervals are, and infinity makes them all the same.
    """

    errors: Floats
    softening: float

    @classmethod
    def of(cls, y: Floats, predicted: Prediction, *, softening: float | None = None) -> Calibration:
        """Return the calibration from held-out rows.

        Args:
            y: log improvement that was measured, shape (rows,).
            predicted: of the same rows by models that had not seen them.
            softening: as the field; the median spread if None, so that no interval is less than about
                half as wide as the usual one because a leaf happened to hold equal runs; infinity where that is
                next to nothing beside the errors, by which rows of some spread got intervals without bounds.

        Raises:
            InvalidInput: softening is not positive.
        """
        if softening is None:
            softening = _typical(predicted.spread, y - predicted.mean)
        if not softening > 0:
            raise InvalidInput(f"a softening of {softening} is not positive", hint="leave it out")
        return cls(np.sort((y - predicted.mean) / _scale(predicted.spread, softening)), softening)

    def quantiles(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the errors (relative, as stored) that bound the middle `level` of the next ones.

        Each tail gets half of the rest. Where there are too few errors to tell (fewer than 2 / (1 - level) - 1: nine
        for 80 %), they are infinite.

        Raises:
            InvalidInput: a level outside of (0, 1).
        """
        if not 0 < level < 1:
            raise InvalidInput(f"a level of {level} is not between 0 and 1", hint="80 % is 0.8")
        rank = math.floor((len(self.errors) + 1) * (1 - level) / 2 + 1e-9)
        if rank < 1:
            return -math.inf, math.inf
        return float(self.errors[rank - 1]), float(self.errors[-rank])

    def interval(self, predicted: Prediction, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the ends of each prediction's interval, log improvement, each of shape (rows,)."""
        low, high = self.quantiles(level)
        scale = _scale(predicted.spread, self.softening)
        return predicted.mean + low * scale, predicted.mean + high * scale

    def arrays(self, prefix: str = "") -> dict[str, NDArray[Any]]:
        """Return the fields by name, each with `prefix` before it."""
        return {f"{prefix}errors": self.errors, f"{prefix}softening": np.array(self.softening)}

    @classmethod
    def restore(cls, arrays: Arrays, prefix: str = "") -> Calibration:
        """Return the calibration whose `arrays(prefix)` these are."""
        return cls(arrays[f"{prefix}errors"], float(arrays[f"{prefix}softening"]))


def _typical(spread: Floats, wrong: Floats) -> float:
    """Return the median spread; infinity where there is none, or it tells nothing of how wrong predictions are."""
    if not len(spread):
        return math.inf
    typical = float(np.median(spread))
    return typical if typical > _TELLS * float(np.sqrt(np.mean(wrong**2))) else math.inf


def _scale(spread: Floats, softening: float) -> Floats:
    return np.ones_like(spread) if math.isinf(softening) else spread + softening
