"""The training database: measurements in, training sets out."""

from acic.store.measurement import Basis, Measurement, Outcome, Repetition

__all__ = ["Basis", "Measurement", "Outcome", "Repetition"]
