"""Effects and ranks: which parameters matter, from the runs of a two-level design."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acic.design.plackett_burman import Levels
from acic.errors import InvalidInput


def effects(design: Levels, results: ArrayLike) -> NDArray[np.float64]:
    """Return the size of each factor's effect, shape (factors,), in the unit of `results`.

    The effect is the absolute dot product of the factor's column with the results, as in the paper's
    Table 2; it grows with the number of runs, so it ranks factors of one design and nothing else.

    Raises:
        InvalidInput: not one finite result per run, or their sum is too large a number.

    Source: Liu et al., SC13, section 4.1.
    """
    measured = np.asarray(results, dtype=float)
    if measured.shape != (len(design),):
        raise InvalidInput(
            f"the design has {len(design)} runs, but there are {measured.size} results",
            hint="give one result per run, in the order of the design",
        )
    if not np.isfinite(measured).all():
        raise InvalidInput("a result is missing or not finite", hint="run that row of the design again")
    try:
        return np.abs([math.fsum(column * measured) for column in design.T])  # exactly, so that what ties is told to
    except OverflowError as error:
        raise InvalidInput("results are too large to add", hint="give them in a larger unit") from error


def ranks(sizes: ArrayLike) -> NDArray[np.int64]:
    """Return the rank of each effect, 1 for the largest, shape (factors,); ties share the better rank."""
    values = np.asarray(sizes, dtype=float)
    return np.asarray(1 + (values[None, :] > values[:, None]).sum(axis=1))
