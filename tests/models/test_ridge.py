"""How sure the ridge says it is."""

from __future__ import annotations

import numpy as np
import pytest

from acic.models.ridge import Ridge, RidgePredictor
from tests.models.conftest import made_up


@pytest.mark.parametrize("rows", [4, 12, 200])
def test_the_spread_counts_what_was_never_measured_too(rows: int) -> None:
    """Of few runs, directions that none of them had were taken for known."""
    data, asked = made_up(rows), made_up(30, seed=1).x
    predictor = Ridge().fit(data, rng=np.random.default_rng(0))
    assert isinstance(predictor, RidgePredictor)
    penalty = Ridge()._penalty(data, np.random.default_rng(0))[0]
    inside, outside = predictor.features(data.x), predictor.features(asked)
    known = inside.T @ (inside * data.weight[:, None]) + penalty * np.eye(inside.shape[1])
    leverage = np.einsum("ij,ij->i", outside, np.linalg.solve(known, outside.T).T) * data.weight.mean()
    assert rows < 200 or 0.08 < predictor.error < 0.2  # the noise of these runs is 0.1
    assert predictor.predict(asked).spread == pytest.approx(predictor.error * np.sqrt(1 + leverage), rel=1e-6)
