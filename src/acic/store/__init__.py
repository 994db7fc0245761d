"""The training database: measurements in, training sets out.

Only the words are imported here; `acic.store.database`, `importing`, `exchange`, `bundled`, `training`,
`baselines` and `ageing` are imported by who needs them, so that a command starts quickly.
"""

from acic.store.measurement import Basis, Measurement, Outcome, Repetition

__all__ = ["Basis", "Measurement", "Outcome", "Repetition"]
