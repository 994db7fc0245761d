"""The bars, on what was measured on a real Lustre system: OPRAEL's 258 configurations, ten writes each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from acic.models import DEFAULT, Scores, TrainingSet, learner
from acic.models.evaluate import score
from acic.models.validation import grouped_folds, out_of_fold
from acic.platforms import load_platform
from acic.space import Encoder
from acic.store import Outcome
from acic.store.bundled import bundled

SEEDS = 5


@dataclass(frozen=True)
class Fig19:
    data: TrainingSet
    mean: NDArray[np.float64]  # as data.y, from the mean bandwidth of the ten


@pytest.fixture(scope="module")
def fig19() -> Fig19:
    platform = load_platform("tianhe-lustre")
    good = [m for m in bundled(platform) if m.outcome is Outcome.OK]
    by_workload = [[m for m in good if m.workload == w] for w in {m.workload for m in good}]
    runs = [m for m in max(by_workload, key=len) if m.configuration != platform.baseline]
    assert len(runs) == 258
    encoder = Encoder(platform.space.parameters)
    bandwidths = np.array([m.bandwidths for m in runs])
    rows = np.arange(len(runs))
    return Fig19(
        TrainingSet(
            columns=encoder.columns,
            x=encoder.encode([m.configuration for m in runs]),
            y=np.log(bandwidths).mean(axis=1),
            best=np.log(bandwidths.max(axis=1)),
            weight=np.ones(len(runs)),
            group=rows,
            workload=np.zeros_like(rows),
            parameters=encoder.parameters,
        ),
        np.log(bandwidths.mean(axis=1)),
    )


@pytest.fixture(scope="module", params=[DEFAULT, "cart"])
def scores(fig19: Fig19, request: pytest.FixtureRequest) -> tuple[str, list[Scores], list[Scores]]:
    """A model that learned mean logarithms, compared with those and with the plain means, for several seeds."""
    learned, means = [], []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        fold = grouped_folds(fig19.data.group, 10, rng)
        predicted = out_of_fold(learner(request.param), fig19.data, fold, rng=rng)
        learned.append(score(request.param, fig19.data, fold, predicted))
        means.append(score(request.param, fig19.data, fold, predicted, actual=fig19.mean))
    return request.param, learned, means


def test_the_bars(scores: tuple[str, list[Scores], list[Scores]]) -> None:
    """Compared with the mean of the ten writes: R2 >= 0.48, MAPE <= 19 %, the top-1 reaches 95 % of the best.

    These are the figures of a plain random forest (scikit-learn's defaults, on bandwidth: 0.48, 19.1 %).
    They have to hold on average and for most seeds, not for a lucky one.
    """
    name, _, means = scores
    r2, mape, top1 = (np.array([getattr(s, figure) for s in means]) for figure in ("r2", "mape", "top1"))
    if name == DEFAULT:
        assert r2.mean() >= 0.49
        assert mape.mean() <= 0.185
        assert top1.mean() >= 0.96
        assert np.mean((r2 >= 0.48) & (mape <= 0.19) & (top1 >= 0.95)) > 0.5
    else:
        assert r2.mean() >= 0.37
        assert mape.mean() <= 0.21
        assert top1.mean() >= 0.9


def test_the_figure_that_is_learned_is_predicted_as_well(scores: tuple[str, list[Scores], list[Scores]]) -> None:
    name, learned, _ = scores
    assert np.mean([s.r2 for s in learned]) >= (0.48 if name == DEFAULT else 0.37)
    assert np.mean([s.mape for s in learned]) <= (0.19 if name == DEFAULT else 0.22)


def test_intervals_cover(scores: tuple[str, list[Scores], list[Scores]]) -> None:
    assert all(0.74 <= s.coverage <= 0.86 for s in (*scores[1], *scores[2]))
