"""Figures 5 and 6: every application on every configuration, beside the baseline, and what was recommended."""

from __future__ import annotations

import math

import numpy as np

from acic.evaluation.picks import Picks
from acic.report.axis import Axis, log_axis
from acic.report.evaluation.chart import METHODS, SHAPES, Figure, Mark, Row, Rows, at_edge, scattered
from acic.report.evaluation.evaluation import Evaluation
from acic.report.evaluation.merit import Floats, place, regret, relative
from acic.report.evaluation.told import (
    application_text,
    configuration_told,
    listed,
    place_text,
    share_text,
    speed_text,
)
from acic.report.words import NOTHING, count_text, times_text, times_tick

_LANES = {"advice": 0.0, "second": -0.62, "third": 0.62, "fourth": 0.0}


def field_figure(given: Evaluation, goal: str) -> Figure | None:
    """Return figure 5 (goal time) or 6 (cost); None without the goal or without the baseline's figures."""
    if goal not in given.tables or np.isnan(relative(given.tables[goal], given.baseline)).all():
        return None
    time = goal == "time"
    rows = _rows(given, goal)
    return Figure(
        name="fig5" if time else "fig6",
        title="Run time on every configuration" if time else "Cost on every configuration",
        counterpart="Figure 5" if time else "Figure 6",
        judged=given.by_truth,
        sees=_sees(given, goal),
        parts=(rows,),
    )


def told_gain(ratio: float, goal: str) -> str:
    """Return a value over the baseline's as a speed-up or as what is saved."""
    if math.isnan(ratio):
        return NOTHING
    if goal == "time":
        return speed_text(1 / ratio)
    return "failed" if math.isinf(ratio) else share_text(1 - ratio)


def gain_axis(ratios: Floats, goal: str) -> tuple[Axis, float | None]:
    """Return the axis of speed-ups, or of costs over the baseline's, and where failures lie on it."""
    shown = [_shown(float(r), goal) for r in ratios.flat if np.isfinite(r)]
    axis = log_axis(shown, times_tick, with_value=1.0)
    return at_edge(axis, low=goal == "time") if np.isinf(ratios).any() else (axis, None)


def _shown(ratio: float, goal: str) -> float:
    """Return what the axis shows of a value over the baseline's: failures lie at its edge."""
    return 1 / ratio if goal == "time" and math.isfinite(ratio) else ratio


def _rows(given: Evaluation, goal: str) -> Rows:
    table = given.tables[goal]
    ratios = relative(table, given.baseline)
    axis, edge = gain_axis(ratios, goal)
    picks = given.of_goal(goal)[: len(METHODS)]
    rows = tuple(_row(given, goal, i, ratios[i], picks) for i in range(len(table.applications)))
    kinds = {mark.kind for row in rows for mark in row.marks}
    names = {kind: p.title for kind, p in zip(METHODS, picks, strict=False)}
    legend = [*names.items(), *((k, SHAPES[k][2]) for k in ("each", "median", "best", "failed") if k in kinds)]
    gained = "speed\u2011up" if goal == "time" else "saved"
    return Rows(
        caption="Speed-up over the baseline" if goal == "time" else "Cost relative to the baseline",
        axis=axis,
        scale="speed-up over the baseline (right is faster)"
        if goal == "time"
        else "cost over the baseline's (left is cheaper)",
        columns=(
            *([f"{gained}, {picks[0].title}", "its place", "its regret"] if picks else []),
            f"{gained}, best",
            f"{gained}, median",
            "failed",
        ),
        rows=rows,
        legend=tuple(legend),
        edge=edge,
        neutral=1.0,
        neutral_name="the baseline",
    )


def _row(given: Evaluation, goal: str, at: int, ratios: Floats, picks: list[Picks]) -> Row:
    table = given.tables[goal]
    application = table.applications[at]
    name = application_text(application)
    ended = ratios[np.isfinite(ratios)]
    middle, least = (float(np.median(ended)), float(ended.min())) if len(ended) else (math.nan, math.nan)
    marks = _everything(given, goal, ratios)
    if len(ended):
        marks += [Mark(at=_shown(middle, goal), kind="median"), Mark(at=_shown(least, goal), kind="best")]
    marks += _chosen(given, goal, at, ratios, picks)
    told = {"best": told_gain(least, goal), "median": told_gain(middle, goal)}
    cells = [*told.values(), str(int(np.isinf(table.values[at]).sum()))]
    if picks:
        column = next(iter(picks[0].ranked.get(application, ())), None)
        told[picks[0].title] = told_gain(math.nan if column is None else float(ratios[column]), goal)
        lost = share_text(float(regret(table, picks[0])[at]))
        cells = [told[picks[0].title], place_text(place(table, picks[0])[at]), lost, *cells]
    label = ", ".join(f"{what} {value}" for what, value in told.items())
    if np.isnan(ratios).all():
        label = "the baseline has no figure, so nothing can be compared with it"
    return Row(name=name, marks=tuple(marks), cells=tuple(cells), label=f"{name}: {label}")


def _everything(given: Evaluation, goal: str, ratios: Floats) -> list[Mark]:
    """Return a mark for each configuration that was measured."""
    order = [int(c) for c in np.argsort(ratios, kind="stable") if not np.isnan(ratios[c])]
    return [
        _mark(given, goal, ratios, c, "failed" if np.isinf(ratios[c]) else "each", lane=scattered(n))
        for n, c in enumerate(order)
    ]


def _chosen(given: Evaluation, goal: str, at: int, ratios: Floats, picks: list[Picks]) -> list[Mark]:
    """Return a mark for the first choice of each method, as far as it was measured; that of the advice on top."""
    application = given.tables[goal].applications[at]
    return [
        _mark(given, goal, ratios, column, kind, lane=_LANES[kind], by=pick.title)
        for kind, pick in reversed([*zip(METHODS, picks, strict=False)])
        for column in pick.ranked.get(application, ())[:1]
        if not np.isnan(ratios[column])
    ]


def _mark(given: Evaluation, goal: str, ratios: Floats, column: int, kind: str, *, lane: float, by: str = "") -> Mark:
    ratio = float(ratios[column])
    told = told_gain(ratio, goal) if goal == "time" or math.isinf(ratio) else f"{times_text(ratio)} the baseline's cost"
    return Mark(
        at=_shown(ratio, goal),
        kind=kind,
        who=configuration_told(given.platform, given.tables[goal].configurations[column]),
        said=f"{by}: {told}" if by else told,
        lane=lane,
    )


def _sees(given: Evaluation, goal: str) -> tuple[str, ...]:
    table = given.tables[goal]
    ratios = relative(table, given.baseline)
    there = np.any(~np.isnan(ratios), axis=1)
    better = int((np.where(np.isfinite(ratios), ratios, np.inf).min(axis=1) < 1).sum())
    said = [
        f"For {better} of {count_text(int(there.sum()), 'application')} some configuration is "
        f"{'faster' if goal == 'time' else 'cheaper'} than the baseline (the dashed line)."
    ]
    places = []
    for pick in given.of_goal(goal)[: len(METHODS)]:
        found = [p for p in place(table, pick) if p is not None]
        if found:
            tops = sum(p <= max(1, round(n / 10)) for p, n in found)
            places.append(f"{pick.title} for {tops} of {len(found)}")
    if places:
        said.append(f"Among the best tenth of all that was measured is the choice of {listed(places)}.")
    failed, missing = int(np.isinf(table.values).sum()), int(np.isnan(table.values).sum())
    if failed:
        said.append(f"{count_text(failed, 'pair')} of application and configuration failed: crosses at the edge.")
    if missing:
        said.append(f"{count_text(missing, 'pair')} of {table.values.size:,} not measured, and not shown.")
    if not there.all():
        lost = [application_text(a) for a, t in zip(table.applications, there.tolist(), strict=True) if not t]
        said.append(f"The baseline has no figure for {listed(lost)}: nothing can be compared with it there.")
    said.append("Height within a row only keeps the dots apart.")
    return tuple(said)
