"""Models: arrays in, predictions with spread out.

A learner fits a training set (scikit-learn is imported there, and only there); the predictor it returns needs
numpy alone, and is kept as arrays. `registry` names the learners; `evaluate.cross_validate` tells how good one is.
"""

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
    "Learner",
    "Prediction",
    "Predictor",
    "Scores",
    "TrainingSet",
    "cross_validate",
    "in_units",
    "learner",
    "plain",
]
