"""Figures 8 and 9, learning curves and transfer: how results change with what was spent."""

from __future__ import annotations

import math
from dataclasses import replace

from acic.evaluation.picks import Curve
from acic.report.axis import Axis, around_zero, log_axis
from acic.report.evaluation.chart import GROUPS, Figure, Level, Line, Plot, Sheet, Spot, at_edge
from acic.report.evaluation.evaluation import FIGURES, Evaluation, Lines
from acic.report.evaluation.told import count_text, listed, plain, tick
from acic.report.words import tick_text

_COUNTERPARTS = {
    "fig8": "Figure 8, of what is saved in cost",
    "fig9": "Figure 9, of what is saved in cost",
    "learning": "Figure 8, of what is saved in cost, for more plans and models",
    "transfer": "none: the paper trains anew",
}
_JUDGED = {
    "transfer": "runs of the applications for development on the other kind of instance, each asked about by its "
    "description"
}
_NAMED = 5  # curves that are told one by one; the table has them all
_ENDS = 6  # columns of the table of values


def lines_figure(given: Evaluation, name: str) -> Figure | None:
    """Return figure 8, 9, the learning curves or transfer; None where there are no curves."""
    groups = given.lines.get(name, ())
    if not groups:
        return None
    title, goal = FIGURES[name], groups[0].goal
    return Figure(
        name=name,
        title=f"{title[0].upper()}{title[1:]}, in {goal}",
        counterpart=_COUNTERPARTS[name] + ("" if goal == "cost" else "; --goal cost draws this in cost"),
        judged=_JUDGED.get(name, given.by_both),
        sees=(*(_sees(g) for g in groups), *dict.fromkeys(g.about for g in groups if g.about)),
        parts=tuple(part for g in groups for part in _parts(g)),
    )


def _parts(lines: Lines) -> list[Plot | Sheet]:
    return [*(_plot(one) for one in _told_apart(lines)), _sheet(lines)]


def _told_apart(lines: Lines) -> list[Lines]:
    """Return the curves in plots in which each has a mark of its own: more than there are marks lie apart by model."""
    if len(lines.curves) <= len(GROUPS):
        return [lines]
    by: dict[str, list[Curve]] = {}
    for curve in lines.curves:
        by.setdefault(curve.name.partition(",")[0], []).append(curve)
    return [replace(lines, title=f"{lines.title}: {model}", curves=tuple(curves)) for model, curves in by.items()]


def _plot(lines: Lines) -> Plot:
    values = [v for c in lines.curves for v in (*c.low, *c.middle, *c.high) if math.isfinite(v)]
    values += [lines.level[0]] if lines.level else []
    axis, edge = _axis(values, lines.kind, log=lines.log_shown), None
    across = _axis([x for c in lines.curves for x in c.spent], "count", log=lines.log_spent)
    drawn = tuple(_line(c, GROUPS[i % len(GROUPS)], across, axis) for i, c in enumerate(lines.curves))
    if any(math.isinf(v) and v > 0 for line in drawn for place in line.places for v in place[1:]):
        axis, edge = at_edge(axis, low=False)
    return Plot(
        caption=lines.title,
        x=across,
        y=axis,
        across=lines.spent,
        up=lines.shown,
        label=f"{lines.title}: {_sees(lines)}",
        edge=edge,
        lines=drawn,
        spots=tuple(
            Spot(
                x=place[0],
                y=place[2],
                kind=line.kind if math.isfinite(place[2]) else "failed",
                who=line.name,
                said=f"{plain(middle, lines.kind)} at {count_text(spent)} "
                f"({plain(low, lines.kind)} to {plain(high, lines.kind)})",
            )
            for line, curve in zip(drawn, lines.curves, strict=True)
            for place, (spent, low, middle, high) in zip(line.places, _known(curve), strict=True)
        ),
        level=_level(lines),
        legend=tuple((line.kind, line.name) for line in drawn),
        basis=lines.basis,
    )


def _level(lines: Lines) -> Level | None:
    """Return the dashed line, named at its left end: curves that begin late leave room there."""
    if lines.level is None:
        return None
    at, name = lines.level
    return Level(at=at, name=f"{name}: {plain(at, lines.kind)}", left=True)


def _line(curve: Curve, kind: str, across: Axis, up: Axis) -> Line:
    """Return a curve as it is drawn."""
    places = tuple(
        (_least(x, across), _least(low, up), _least(middle, up), _least(high, up))
        for x, low, middle, high in _known(curve)
    )
    return Line(name=curve.name, kind=kind, places=places)


def _known(curve: Curve) -> list[tuple[float, float, float, float]]:
    """Return what was spent, low, middle and high: there is a gap of nothing where the middle is not known."""
    shown = zip(curve.spent, curve.low, curve.middle, curve.high, strict=True)
    return [one for one in shown if not math.isnan(one[2])]


def _axis(values: list[float], kind: str, *, log: bool) -> Axis:
    if log:
        return log_axis(values, lambda v: tick(v, kind))
    low, high = min([0.0, *values]), max([0.0, *values])  # savings can be losses
    return around_zero(low, high, lambda v: tick(v, kind) if kind != "count" else tick_text(v))


def _least(value: float, axis: Axis) -> float:
    """Return a value that the axis can take: a logarithm has none of zero, so that lies at the edge."""
    return max(value, axis.low) if axis.log else value


def _sheet(lines: Lines) -> Sheet:
    """Return the curves in numbers, at a few places that are spread evenly."""
    every = sorted({x for c in lines.curves for x in c.spent})
    chosen = sorted({every[round(i * (len(every) - 1) / (_ENDS - 1))] for i in range(_ENDS)})
    return Sheet(
        caption=f"{lines.title}, in numbers",
        columns=((lines.spent, ""), *((count_text(x), "number") for x in chosen)),
        rows=tuple((c.name, *(_cell(c, x, lines.kind) for x in chosen)) for c in lines.curves),
    )


def _cell(curve: Curve, spent: float, kind: str) -> str:
    at = dict(zip(curve.spent, curve.middle, strict=True))
    return plain(at.get(spent, math.nan), kind)


def _sees(lines: Lines) -> str:
    last = {c.spent[-1] for c in lines.curves}
    if len(last) == 1:
        several = len(lines.curves) > _NAMED
        shown = sorted(lines.curves, key=lambda c: c.middle[-1]) if several else lines.curves
        ends = [f"{c.name} {plain(c.middle[-1], lines.kind)}" for c in shown]
        told = f"from {ends[0]} to {ends[-1]}" if several else listed(ends)
        return f"At the right end ({count_text(last.pop())} {lines.spent}): {told}."
    ends = [f"{c.name} {plain(c.middle[-1], lines.kind)} (at {count_text(c.spent[-1])})" for c in lines.curves]
    return f"At the ends of the lines: {listed(ends)}."
