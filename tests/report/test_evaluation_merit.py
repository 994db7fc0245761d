"""What the page says of methods is what the evaluation computes, and failures and gaps are never lost."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.errors import InvalidInput, MissingData
from acic.evaluation.field import Table
from acic.evaluation.picks import Curve, Picks
from acic.evaluation.regret import score
from acic.report.evaluation import Evaluation, Lines, figure
from acic.report.evaluation.chart import Plot
from acic.report.evaluation.lines import lines_figure
from acic.report.evaluation.merit import best, first, gains, place, quantile, regret, relative
from acic.report.evaluation.told import count_text
from tests.report.evaluated import Imagined, imagine

INF, NAN = math.inf, math.nan


def test_nothing_lies_at_the_edge_of_a_logarithm_and_does_not_stretch_it() -> None:
    """Its axis began at 1e-9, which was told as what had been spent."""
    curve = Curve(name="c", spent=(0.0, 100.0), middle=(0.0, 2.0), low=(0.0, 1.0), high=(1.0, 3.0))
    lines = Lines(title="t", spent="s", shown="v", kind="factor", curves=(curve,), log_spent=True, log_shown=True)
    made = imagine(Imagined(applications=2, configurations=3))
    drawing = lines_figure(replace(made, lines={"fig8": [lines]}), "fig8")
    assert drawing is not None
    plot = next(part for part in drawing.parts if isinstance(part, Plot))
    assert plot.x.low > 50
    assert plot.y.low > 0.5
    assert (plot.spots[0].x, plot.spots[0].y) == (plot.x.low, plot.y.low)
    assert "at 0 (" in plot.spots[0].said


def table(values: list[list[float]], goal: str = "time") -> Table:
    """A truth of as many applications and configurations; made up."""
    made = imagine(Imagined(applications=len(values), configurations=len(values[0]), curves=False)).tables["time"]
    return Table(made.applications, made.configurations, np.array(values), goal)


def picks(of: Table, *columns: int) -> Picks:
    return Picks(method="m", title="M", goal=of.goal, ranked=dict.fromkeys(of.applications, columns))


@pytest.mark.parametrize("goal", ["time", "cost"])
@given(seed=st.integers(0, 10_000), failed=st.sampled_from([0.0, 0.3]))
@settings(max_examples=15, deadline=None)
def test_a_whole_truth_is_judged_as_the_command_judges_it(goal: str, seed: int, failed: float) -> None:
    made = imagine(
        Imagined(applications=7, configurations=9, failed=failed, missing=0.0, seed=seed, curves=False, methods=2)
    )
    truth = made.tables[goal]
    for pick in made.of_goal(goal):
        told = score([pick], truth, 0, noise=0.0).figures
        for tried in (1, 3, 5):
            mine = regret(truth, pick, tried)
            assert mine.tolist() == pytest.approx([told[tried].regret[a] for a in truth.applications])
            assert quantile(mine, 0.5) == pytest.approx(told[tried].median)
            assert quantile(mine, 0.9) == pytest.approx(told[tried].p90)
        assert gains(truth, pick, 0) == pytest.approx((told[1].gain, told[1].best_gain))


def test_gaps_and_failures_are_neither_good_nor_lost() -> None:
    truth = table([[4.0, 2.0, INF, NAN], [NAN, 1.0, 3.0, 2.0], [2.0, INF, INF, NAN]])
    assert first(truth, picks(truth, 2, 3, 0)).tolist() == pytest.approx([INF, 3.0, INF])
    assert first(truth, picks(truth, 2, 3, 0), 3).tolist() == pytest.approx([4.0, 2.0, 2.0])
    assert np.isnan(first(truth, picks(truth, 3))[[0, 2]]).all()
    assert best(truth).tolist() == [2.0, 1.0, 2.0]
    assert regret(truth, picks(truth, 1)).tolist() == [0.0, 0.0, INF]
    assert place(truth, picks(truth, 2)) == [(3, 3), (3, 3), (2, 3)]
    ratios = relative(truth, 0)
    assert np.isnan(ratios[1]).all()  # its baseline was not measured
    assert ratios[0, :3].tolist() == [1.0, 0.5, INF]
    assert np.isnan(relative(truth, None)).all()


def test_quantiles_count_failures_and_leave_out_what_is_unknown() -> None:
    assert quantile(np.array([NAN, 0.0, 1.0]), 0.5) == 0.5
    assert quantile(np.array([0.0, INF, INF]), 0.5) == INF
    assert quantile(np.array([0.0, 1.0, INF]), 0.5) == 1.0
    assert math.isnan(quantile(np.array([NAN]), 0.5))


def test_a_failed_choice_lowers_the_mean_gain() -> None:
    truth = table([[4.0, 2.0], [4.0, INF]])
    assert gains(truth, picks(truth, 1), 0) == (1.0, 1.5)  # 2x and 0x; at best 2x and 1x
    paid = table([[4.0, 2.0], [4.0, INF]], "cost")
    assert gains(paid, picks(paid, 1), 0) == (-0.25, 0.25)  # half is saved, and as much again is lost


def test_what_does_not_fit_together_is_refused() -> None:
    good = imagine(Imagined(applications=2, configurations=3))
    times = good.tables["time"]
    wrong = picks(times, 3)
    other = Table(times.applications[:1], times.configurations, times.values[:1], "cost")
    changes: list[dict[str, Any]] = [{"picks": [wrong]}, {"tables": {"time": times, "cost": other}}, {"tables": {}}]
    for parts in changes:
        fields: dict[str, Any] = {
            "platform": good.platform,
            "tables": {"time": times},
            "picks": [],
            "runs": 1,
            "repetitions": (1, 1),
            "made": good.made,
        }
        with pytest.raises(InvalidInput):
            Evaluation(**(fields | parts))
    with pytest.raises(InvalidInput):
        Lines(title="t", spent="s", shown="v", kind="share", curves=())
    uneven = Curve(name="c", spent=(1.0, 2.0), middle=(1.0,), low=(1.0,), high=(1.0,))
    with pytest.raises(InvalidInput):
        Lines(title="t", spent="s", shown="v", kind="share", curves=(uneven,))


def test_counts_of_thousands_are_written_alike() -> None:
    """Columns of learning curves were 1585, 2402 and 4,803: the first two are parts of the last, not whole."""
    shown = [count_text(count) for count in (0.0, 480.3, 1584.99, 2401.5, 4803.0, 6.324)]
    assert shown == ["0", "480", "1,585", "2,402", "4,803", "6.32"]


def test_a_figure_without_numbers_or_of_no_name_says_so() -> None:
    bare = imagine(Imagined(applications=2, configurations=3, cost=False, curves=False, methods=0))
    for name in ("fig6", "fig7", "fig8", "fig9", "learning", "transfer", "crowd", "regret"):
        with pytest.raises(MissingData):
            figure(name, bare)
    with pytest.raises(InvalidInput, match="fig2"):
        figure("fig2", bare)
    assert "Run time on every configuration" in figure("fig5", bare)
