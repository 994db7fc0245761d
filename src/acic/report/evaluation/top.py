"""Figure 7: what trying the first few recommendations brings."""

from __future__ import annotations

import math

import numpy as np

from acic.evaluation.picks import Picks
from acic.report.evaluation.chart import Figure, Mark, Row, Rows
from acic.report.evaluation.evaluation import Evaluation
from acic.report.evaluation.fields import gain_axis, told_gain
from acic.report.evaluation.merit import Floats, baselines, best, first, quantile, regret
from acic.report.evaluation.told import FAILS, application_text, listed, regret_text, share_text

TRIED = (1, 3, 5)
_KINDS = ("advice", "second", "third", "all")
_LANES = (-0.9, -0.3, 0.3, 0.9)  # so far apart that marks of the same value do not hide one another
_NAMES = ("first", "best of the first 3", "best of the first 5", "best of all")


def top_figure(given: Evaluation) -> Figure | None:
    """Return the best measured of the first 1, 3, 5 recommended and of all; None without advice or baseline."""
    parts, sees = [], []
    for goal, table in given.tables.items():
        picks = given.of_goal(goal)
        if not picks or np.isnan(baselines(table, given.baseline)).all():
            continue
        parts.append(_rows(given, goal, picks[0]))
        one, three, five = (quantile(regret(table, picks[0], k), 0.5) for k in TRIED)
        behind = f"{picks[0].title} stays behind the best by {share_text(one)} on the median"
        told = f"{FAILS} with {picks[0].title}" if math.isinf(one) else behind
        sees.append(f"For {goal}, {told}; trying three leaves {regret_text(three)}, five {regret_text(five)}.")
    if not parts:
        return None
    short = [p.title for p in given.picks[:1] if any(len(r) < TRIED[-1] for r in p.ranked.values())]
    if short:
        sees.append(f"{listed(short)} names fewer than five for some applications: as many as there are count.")
    return Figure(
        name="fig7",
        title="What trying the first few recommendations brings",
        counterpart="Figure 7",
        judged=given.by_truth,
        sees=tuple(sees),
        parts=tuple(parts),
    )


def _rows(given: Evaluation, goal: str, picks: Picks) -> Rows:
    table = given.tables[goal]
    base = baselines(table, given.baseline)
    ratios = np.stack([*(first(table, picks, k) / base for k in TRIED), best(table) / base], axis=1)
    axis, edge = gain_axis(ratios, goal)
    middle = np.array([quantile(column, 0.5) for column in ratios.T])
    names = ["median of all", *map(application_text, table.applications)]
    rows = tuple(_row(n, r, goal) for n, r in zip(names, [middle, *ratios], strict=True))
    failed = any(mark.kind == "failed" for row in rows for mark in row.marks)
    time = goal == "time"
    return Rows(
        caption="Speed-up over the baseline" if time else "Cost saved under the baseline",
        axis=axis,
        scale="speed-up over the baseline (right is faster)" if time else "cost over the baseline's (left is cheaper)",
        columns=_NAMES,
        rows=rows,
        legend=(*zip(_KINDS, _NAMES, strict=True), *([("failed", "all tried failed")] if failed else [])),
        edge=edge,
        neutral=1.0,
        neutral_name="the baseline",
        height=46,
    )


def _row(name: str, ratios: Floats, goal: str) -> Row:
    marks = tuple(
        Mark(
            at=1 / r if goal == "time" and math.isfinite(r) else float(r),
            kind=kind if math.isfinite(r) else "failed",
            who=name,
            said=f"{tried}: {told_gain(float(r), goal)}",
            lane=lane,
            stem=True,
        )
        for r, kind, lane, tried in zip(ratios, _KINDS, _LANES, _NAMES, strict=True)
        if not math.isnan(r)
    )
    cells = tuple(told_gain(float(r), goal) for r in ratios)
    said = ", ".join(f"{tried} {cell}" for tried, cell in zip(_NAMES, cells, strict=True))
    return Row(name=name, marks=marks, cells=cells, label=f"{name}: {said}")
