"""Regret: how far the first choice of each method stays behind the best measured, application by application."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acic.evaluation.field import Table
from acic.evaluation.fresh import Interval
from acic.evaluation.picks import Picks
from acic.report.evaluation.chart import Figure, Mark, Row, Rows, at_edge, scattered
from acic.report.evaluation.evaluation import Evaluation
from acic.report.evaluation.merit import Floats, known, quantile, regret, regret_again
from acic.report.evaluation.told import (
    FAILS,
    NEAR,
    application_text,
    interval_text,
    regret_axis,
    regret_text,
    share_text,
)
from acic.report.words import count_text

_Regret = tuple[Picks, Floats]  # a method, and its regret for each application of a table

WHAT = {
    "time": "how much longer the run took than on the best configuration",
    "cost": "how much more it cost than on the cheapest configuration",
}


def regret_figure(given: Evaluation) -> Figure | None:
    """Return the regret of each method, for each goal, by fresh runs and by the truth; None without any choice."""
    goals = [g for g, t in given.tables.items() if any(len(known(regret(t, p))) for p in given.of_goal(g))]
    if not goals:
        return None
    parts, sees = [], []
    for goal in goals:
        table, picks = given.tables[goal], given.of_goal(goal)
        again = [(p, regret_again(table, score)) for p in picks if (score := given.fresh_of(p)) is not None]
        if again:
            caption = f"Regret for {goal} by fresh runs of the choice and of the best few"
            parts.append(_rows(table, again, caption, [given.interval(p) for p, _ in again]))
            sees += _sees(goal, again, "fresh runs")
        first = [(p, regret(table, p)) for p in picks]
        parts.append(_rows(table, first, f"Regret for {goal} by the truth: {WHAT[goal]}"))
        sees += _sees(goal, first, "the truth")
    fresh = len(parts) > len(goals)
    if fresh:
        sees.append("The smallest of many medians flatters itself, so the best few ran again: fresh runs tell more.")
    return Figure(
        name="regret",
        title="How far each method stays behind the best",
        counterpart="none; the paper tells gains over the baseline",
        judged=f"fresh runs, or by {given.by_truth}, as is said above each part" if fresh else given.by_truth,
        sees=tuple(sees),
        parts=tuple(parts),
    )


def _rows(table: Table, found: list[_Regret], caption: str, intervals: Sequence[Interval | None] = ()) -> Rows:
    told = any(intervals)
    every = np.concatenate([f for _, f in found])
    axis, edge = regret_axis(every), None
    if np.isinf(every).any():
        axis, edge = at_edge(axis, low=False)
    return Rows(
        caption=caption,
        axis=axis,
        scale="regret of the first choice (left is better)",
        columns=(
            *("median", "90th percentile", "worst", "failed", "applications"),
            *(["80 % interval of the median"] if told else []),
        ),
        rows=tuple(
            _row(table, p, f, [interval_text(i).replace(" to ", "\u2013")] if told else [])  # the column is narrow
            for (p, f), i in zip(found, intervals or [None] * len(found), strict=True)
        ),
        legend=(
            ("each", "an application"),
            ("median", "median of the applications"),
            ("tenth", "90th percentile"),
            *([("failed", "the choice failed, or gave wrong bytes")] if edge is not None else []),
        ),
        edge=edge,
        neutral=NEAR,
        neutral_name="the best",
        what="method",
    )


def _row(table: Table, picks: Picks, found: Floats, more: Sequence[str]) -> Row:
    names = [application_text(a) for a in table.applications]
    order = [int(i) for i in np.argsort(found, kind="stable") if not math.isnan(found[i])]
    marks = [
        Mark(
            at=float(found[i]) + NEAR,
            kind="failed" if math.isinf(found[i]) else "each",
            who=names[i],
            said=f"regret {share_text(float(found[i]))}",
            lane=scattered(n),
        )
        for n, i in enumerate(order)
    ]
    middle, tenth = quantile(found, 0.5), quantile(found, 0.9)
    if not math.isnan(middle):
        marks += [Mark(at=tenth + NEAR, kind="tenth"), Mark(at=middle + NEAR, kind="median")]
    worst = float(known(found).max()) if order else math.nan
    failed = int(np.isinf(found).sum())
    cells = (share_text(middle), share_text(tenth), share_text(worst), str(failed), str(len(order)))
    ends = f"the median regret is {regret_text(middle)}, the 90th percentile {regret_text(tenth)}"
    label = f"{picks.title}: {ends}, over {count_text(len(order), 'application')}"
    return Row(name=picks.title, marks=tuple(marks), cells=(*cells, *more), label=label)


def _sees(goal: str, found: list[_Regret], by: str) -> list[str]:
    middles = {p.title: quantile(f, 0.5) for p, f in found if len(known(f))}
    least = min(middles, key=lambda m: middles[m])
    beside = f", the lowest median of {count_text(len(middles), 'method')}" if len(middles) > 1 else ""
    within = f"half of the applications stay within {share_text(middles[least])} of the best"
    told = FAILS if math.isinf(middles[least]) else within
    said = [f"By {by}, for {goal}, {told} with {least}{beside}."]
    lost = {p.title: int(np.isnan(f).sum()) for p, f in found}
    said += [
        f"{title} has no measured choice for {count_text(count, 'application')}."
        for title, count in lost.items()
        if count
    ]
    return said
