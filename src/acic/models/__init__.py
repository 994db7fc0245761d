"""Models: arrays in, predictions with spread out.

A learner fits a training set (scikit-learn is imported there, and only there); the predictor it returns needs
numpy alone, and is kept as arrays. `registry` names the learners; `cache.fit_or_load` is the way to a fitted and
tested one; `evaluate.cross_validate` tells how good a learner is.
"""

from acic.models.cache import FittedModel, Tested, fingerprint, fit, fit_or_load
from acic.models.calibration import Calibration
from acic.models.evaluate import Scores, cross_validate
from acic.models.protocol import Learner, Prediction, Predictor, TrainingSet
from acic.models.registry import DEFAULT, LEARNERS, NAMES, learner
from acic.models.words import Describe, in_units, plain

__all__ = [
    "DEFAULT",
    "LEARNERS",
    "NAMES",
    "Calibration",
    "Describe",
    "FittedModel",
    "Learner",
    "Prediction",
    "Predictor",
    "Scores",
    "Tested",
    "TrainingSet",
    "cross_validate",
    "fingerprint",
    "fit",
    "fit_or_load",
    "in_units",
    "learner",
    "plain",
]
