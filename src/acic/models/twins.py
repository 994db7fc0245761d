"""The baseline's twins: what a model cannot tell from the baseline it has nothing to say against."""

from __future__ import annotations

import numpy as np

from acic.models.protocol import Floats, Prediction, Predictor


def beside(predictor: Predictor, x: Floats, baseline: Floats) -> Prediction:
    """Return the prediction of rows, just 0 where they differ from the baseline in nothing that the model looks at.

    The baseline's own log improvement is 0 by definition, whatever a model makes of it. Its twins got the model's
    figure, and so were told to be faster, or slower, by what the model is blind to.

    Args:
        predictor: of log improvement.
        x: rows of shape (rows, columns).
        baseline: the same workloads on the baseline, shape (rows, columns), or (columns,) where they are all one.
    """
    predicted, columns = predictor.predict(x), predictor.looks_at
    twins = (x[:, columns] == baseline[..., columns]).all(axis=1)
    return Prediction(np.where(twins, 0.0, predicted.mean), predicted.spread)
