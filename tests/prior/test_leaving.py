"""Workloads left out: what is picked is judged by what was measured, and intervals by file systems of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acic.advisor.intervals import kinds_of, quantiles, quantiles_by_kind
from acic.advisor.learned import Errors
from acic.advisor.leaving import leave_workloads_out, regrets
from acic.errors import MissingData
from acic.models.calibration import Calibration
from acic.models.protocol import Prediction
from acic.models.registry import learner
from acic.platforms import load_platform
from acic.store.bundled import bundled
from acic.store.training import training_table
from tests.models.conftest import made_up as made_up_rows
from tests.prior.test_unmeasured import BARE, made_up


def test_a_prior_that_is_the_truth_has_no_regret_and_one_that_errs_in_a_pattern_is_corrected() -> None:
    right, wrong = (training_table(made_up(factor), BARE) for factor in (1.0, 8.0))
    learners = [learner("prior"), learner("prior+forest")]
    alone, _ = leave_workloads_out(right, BARE, learners, seed=0, progress=lambda _: None)
    assert alone.regret == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert alone.error < 1e-9
    assert alone.width == pytest.approx(1.0)
    alone, beside = leave_workloads_out(wrong, BARE, learners, seed=0, progress=lambda _: None)
    assert alone.by_kind.keys() == {"NFS", "GlusterFS", "CephFS", "OrangeFS"}
    assert alone.error_mean > 0.3
    assert beside.error_mean < 0.1
    assert beside.median <= alone.median


@pytest.mark.parametrize("others", ["none", "on the baseline"])
def test_one_workload_cannot_be_left_out(others: str) -> None:
    """Where others were measured on the baseline alone nothing told an interval, and that was a traceback."""
    mine = made_up(1.0)[0].workload
    others_too = others != "none"
    some = [m for m in made_up(1.0) if m.workload == mine or (others_too and m.configuration == BARE.baseline)]
    rows = training_table(some, BARE)
    with pytest.raises(MissingData, match="one workload"):
        leave_workloads_out(rows, BARE, [learner("prior")], seed=0, progress=lambda _: None)


def test_regret_is_the_time_lost_and_ties_count_in_the_middle() -> None:
    data = replace(
        made_up_rows(4),
        y=np.log([1.0, 2.0, 4.0, 4.0]),
        group=np.arange(4),
        workload=np.zeros(4, dtype=np.int64),
    )
    assert regrets(data, np.array([0.0, 1.0, 0.0, 0.0])) == pytest.approx([1.0])  # 2 for 4: twice the time
    assert regrets(data, np.array([0.0, 0.0, 1.0, 0.0])) == pytest.approx([0.0])
    assert regrets(data, np.array([9.0, 0.0, 9.0, 0.0])) == pytest.approx([1.0])  # between 1 and 4: 2
    assert not len(regrets(data.rows(np.arange(3)), np.zeros(3)))  # no choice


@pytest.mark.parametrize("rows", [1, 100])
@pytest.mark.parametrize(("groups", "index"), [(2, 0), (9, 0), (19, 1), (39, 3)])
def test_few_groups_have_the_quantiles_that_a_new_one_asks_for(groups: int, index: int, rows: int) -> None:
    """Of two workloads of 100 points each the 15 % quantile was told for the 10 % one."""
    of = np.repeat(np.arange(groups), rows)
    residual = np.arange(groups, dtype=float)[of]  # all rows of a group alike: as one
    assert quantiles(residual, of) == (index, groups - 1 - index)


def test_rows_of_few_groups_are_no_more_of_them() -> None:
    residual = np.random.default_rng(0).normal(size=200)
    assert quantiles(residual, np.repeat([0, 1], 100)) == (residual.min(), residual.max())


def test_kinds_have_intervals_of_their_own() -> None:
    rng = np.random.default_rng(0)
    kinds = np.repeat(["calm", "wild"], 200)
    errors = rng.normal(size=400) * np.where(kinds == "wild", 2.0, 0.1)
    groups = np.arange(400)
    apart = quantiles_by_kind(errors, groups, kinds)
    seen = Calibration(np.empty(0), np.inf)
    of = Errors(seen, (-1.0, 1.0), 0.0, {kind: Errors(seen, new, 0.0) for kind, new in apart.items()})
    fresh = rng.normal(size=4000) * np.repeat([0.1, 2.0], 2000)
    low, high = of.interval(Prediction(np.zeros(4000), np.zeros(4000)), np.repeat(["calm", "wild"], 2000), seen=False)
    inside = (low <= fresh) & (fresh <= high)
    assert 0.72 < inside[:2000].mean() < 0.88
    assert 0.72 < inside[2000:].mean() < 0.88
    low, _ = of.interval(Prediction(np.zeros(3), np.zeros(3)), np.array(["new", "calm", "new"]), seen=False)
    assert low[0] == low[2] == -1.0  # a kind that nothing is known of has the interval of all
    assert low[1] == apart["calm"][0]


def test_kinds_of_few_workloads_have_none() -> None:
    assert not quantiles_by_kind(np.zeros(40), np.arange(40) % 8, np.full(40, "few"))
    assert quantiles_by_kind(np.zeros(40), np.arange(40) % 9, np.full(40, "enough")) == {"enough": (0.0, 0.0)}
    assert not quantiles_by_kind(np.zeros(40), np.arange(40), np.full(40, ""))  # a platform of one kind


def test_platforms_of_one_kind_are_left_as_they_were() -> None:
    platform = load_platform("tianhe-lustre")
    assert set(kinds_of(training_table(bundled(platform), platform))) == {""}
