"""Predictions beside the baseline, whose own log improvement is 0 by definition, whatever a model makes of it."""

from __future__ import annotations

import numpy as np

from acic.models.protocol import Floats, Prediction, Predictor


def beside(predictor: Predictor, x: Floats, baseline: Floats) -> Prediction:
    """Return the prediction of rows, just 0 where they differ from the baseline in nothing that the model looks at.

    Such twins got the model's figure for the baseline, and so were told to be faster, or slower, by what the model is
    blind to. From figures that are relative that for the baseline is taken off: of those nothing else is known.

    Args:
        predictor: of log improvement.
        x: rows of shape (rows, columns).
        baseline: the same workloads on the baseline, shape (rows, columns), or (columns,) where they are all one.
    """
    predicted, columns = predictor.predict(x), predictor.looks_at
    twins = (x[:, columns] == baseline[..., columns]).all(axis=1)
    level = predictor.predict(np.atleast_2d(baseline)).mean if predictor.is_relative else 0.0
    return Prediction(np.where(twins, 0.0, predicted.mean - level), predicted.spread)
