"""What liars cost, simulated: the figures are told as they are, and the defence does no harm."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from acic.errors import InvalidInput
from acic.evaluation.crowd import CONTRIBUTORS, LIES, crowd, curves, harm
from acic.evaluation.taught import Judge, judge_of
from acic.platforms import Platform
from acic.store.bundled import bundled
from acic.store.training import TrainingRows, training_table
from acic.store.trust import Contribution, contributions
from tests.evaluation.made_up import LAB, kernels_truth


@pytest.fixture(scope="module")
def rows() -> TrainingRows:
    return training_table(bundled(LAB), LAB)


@pytest.fixture(scope="module")
def judge() -> Judge:
    return judge_of(kernels_truth(configurations=40), LAB, "time")


def test_everybody_measured_as_much_and_nothing_changes(rows: TrainingRows) -> None:
    made = crowd(rows, 20, rng=np.random.default_rng(0))
    counts = np.bincount(made.contributor)
    assert len(counts) == 20
    assert np.ptp(counts) <= 1
    assert all(name.startswith("simulated") for name in made.contributors)
    assert_array_equal(made.mean, rows.mean)


@pytest.mark.parametrize("lie", LIES)
def test_only_the_rows_of_liars_change(rows: TrainingRows, lie: str) -> None:
    made = crowd(rows, CONTRIBUTORS, rng=np.random.default_rng(0))
    bad = made.contributor < 8
    told = LIES[lie](made, bad, LAB, np.random.default_rng(1))
    for name in ("mean", "best", "configuration", "workload", "contributor"):
        assert_array_equal(getattr(told, name)[~bad], getattr(made, name)[~bad])
    assert (told.mean[bad] != made.mean[bad]).any()
    nobody = LIES[lie](made, np.zeros(len(made), dtype=bool), LAB, np.random.default_rng(1))
    assert_array_equal(nobody.mean, made.mean)


def test_twins_stay_together_when_a_configuration_is_claimed(rows: TrainingRows) -> None:
    made = crowd(rows, CONTRIBUTORS, rng=np.random.default_rng(0))
    told = LIES["promoting"](made, made.contributor < 8, LAB, np.random.default_rng(1))
    pairs = np.column_stack([told.workload, told.configuration])
    assert len(np.unique(np.column_stack([pairs, told.group]), axis=0)) == len(np.unique(pairs, axis=0))
    assert len(np.unique(told.group)) == len(np.unique(pairs, axis=0))


def test_without_liars_nothing_is_lost(rows: TrainingRows, judge: Judge) -> None:
    found = harm(rows, judge, "x1000", 0.0, model="cart", seeds=1)
    assert found.undefended == found.honest
    assert found.defended == pytest.approx(found.honest, abs=0.05)
    assert found.others > 0.2
    assert found.liars == 0.0


def test_a_thousandfold_lie_is_seen_and_seeds_repeat(rows: TrainingRows, judge: Judge) -> None:
    found = harm(rows, judge, "x1000", 0.2, model="cart", seeds=2)
    assert found.liars < 0.1
    assert found.others > 0.2
    assert found.defended <= found.undefended
    assert found.cost == found.defended - found.honest
    assert found == harm(rows, judge, "x1000", 0.2, model="cart", seeds=2)


def test_the_figures_are_those_of_the_middle_seed_and_of_the_worst(
    rows: TrainingRows, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Honest, undefended and defended regret of each seed, the most trusted liar and the least trusted other."""
    seeds = [(0.10, 0.50, 0.11, 0.02, 0.9), (0.12, 0.70, 0.20, 0.05, 0.6), (0.08, 0.30, 0.07, 0.01, 0.8)]
    monkeypatch.setattr("acic.evaluation.crowd._of_seed", lambda *given: seeds[given[-1]])
    found = harm(rows, judge, "noise", 0.2, seeds=3)
    assert (found.honest, found.undefended, found.defended) == (0.10, 0.50, 0.11)
    assert found.worst == pytest.approx(0.20 - 0.12)
    assert (found.liars, found.others) == (0.05, 0.6)


def test_the_picture_has_the_figures_of_the_table_and_asks_once_whom_to_trust(
    rows: TrainingRows, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = harm(rows, judge, "x1000", 0.2, model="cart", seeds=1)
    asked: list[TrainingRows] = []

    def counted(told: TrainingRows, platform: Platform) -> tuple[Contribution, ...]:
        asked.append(told)
        return contributions(told, platform)

    monkeypatch.setattr("acic.evaluation.crowd.contributions", counted)
    found = curves(rows, judge, models=("cart", "ridge"), lies=("noise", "x1000"), shares=(0.2,), seeds=1)
    assert list(found) == [("noise", "cart"), ("noise", "ridge"), ("x1000", "cart"), ("x1000", "ridge")]
    defended, bare = found["x1000", "cart"]
    assert (defended.name, defended.spent) == ("with the defence", (0.0, 0.2))
    assert (defended.middle[1], bare.middle) == (table.defended, (table.honest, table.undefended))
    assert bare.middle[0] == found["noise", "cart"][1].middle[0]  # nobody tells one lie as nobody tells another
    assert len(asked) == 3  # of two lies, and of nobody's


def test_wrong_input_is_refused(rows: TrainingRows, judge: Judge) -> None:
    with pytest.raises(InvalidInput, match="nobody lies"):
        harm(rows, judge, "truth", 0.2)
    with pytest.raises(InvalidInput, match="share"):
        harm(rows, judge, "noise", 1.2)
    with pytest.raises(InvalidInput, match="nobody lies"):
        curves(rows, judge, models=("cart",), lies=("truth",))
