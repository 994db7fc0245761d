"""What contributors who lie cost, with and without the defence: a small plot of each lie and model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from acic.evaluation.picks import Curve
from acic.report.axis import Axis, from_zero
from acic.report.evaluation.chart import Figure, Line, Panels, Plot, Sheet, Spot, at_edge
from acic.report.evaluation.evaluation import Evaluation, Lines
from acic.report.evaluation.told import NEAR, listed, regret_axis, share_text, tick

_KINDS = ("alpha", "beta")  # with the defence, and without it


def crowd_figure(given: Evaluation) -> Figure | None:
    """Return the regret over the share of liars, on the same axes for all lies and models; None without curves.

    The curves of each `Lines` are those with the defence and without it; its title is the lie, a comma, and the model.
    """
    groups = given.lines.get("crowd", ())
    if not groups:
        return None
    goal, about = groups[0].goal, groups[0].about
    values = np.array([v for lines in groups for c in lines.curves for v in (*c.low, *c.middle, *c.high)])
    axis, edge = regret_axis(values), None
    if np.isinf(values).any():
        axis, edge = at_edge(axis, low=False)
    across = from_zero(max(lines.curves[0].spent[-1] for lines in groups), lambda v: tick(v, "share"))
    return Figure(
        name="crowd",
        title=f"What contributors who lie cost, in {goal}",
        counterpart="none; the paper believes every contributor",
        judged=given.by_both,
        sees=(*_sees(groups), "The axes of all panels are the same.", about),
        parts=(
            Panels(
                plots=tuple(_plot(lines, across, axis, edge) for lines in groups),
                legend=tuple((kind, c.name) for kind, c in zip(_KINDS, groups[0].curves, strict=True)),
            ),
            _sheet(groups),
        ),
    )


def _plot(lines: Lines, across: Axis, axis: Axis, edge: float | None) -> Plot:
    drawn = [*zip(_KINDS, lines.curves, strict=True)]
    return Plot(
        caption=lines.title,
        x=across,
        y=axis,
        across=lines.spent,
        up=lines.shown,
        label=f"{lines.title}: {listed([f'{_ends(c)} {c.name}' for _, c in drawn])}",
        edge=edge,
        lines=tuple(Line(name=c.name, kind=kind, places=tuple(_places(c))) for kind, c in drawn),
        spots=tuple(
            Spot(
                x=share,
                y=middle + NEAR,
                kind=kind if math.isfinite(middle) else "failed",
                who=c.name,
                said=f"{share_text(middle)} where {tick(share, 'share')} lie ({share_text(low)} to {share_text(high)})",
            )
            for kind, c in drawn
            for share, low, middle, high in zip(c.spent, c.low, c.middle, c.high, strict=True)
        ),
        basis=lines.basis,
    )


def _places(curve: Curve) -> list[tuple[float, float, float, float]]:
    told = zip(curve.spent, curve.low, curve.middle, curve.high, strict=True)
    return [(share, low + NEAR, middle + NEAR, high + NEAR) for share, low, middle, high in told]


def _ends(curve: Curve) -> str:
    return f"from {share_text(curve.middle[0])} to {share_text(curve.middle[-1])}"


def _sees(groups: Sequence[Lines]) -> list[str]:
    """Return what the worst lies cost each model where most contributors lie."""
    said = []
    for model in dict.fromkeys(_model(lines) for lines in groups):
        mine = [lines for lines in groups if _model(lines) == model]
        defended, bare = (max(mine, key=lambda lines: lines.curves[i].middle[-1]) for i in (0, 1))
        honest, share = defended.curves[1].middle[0], tick(defended.curves[0].spent[-1], "share")
        said.append(
            f"{model}: regret is {share_text(honest)} where nobody lies. Where {share} of the contributors "
            f"do, it is {_up_to(bare.curves[1].middle[-1])} without the defence ({_lie(bare)}), and "
            f"{_up_to(defended.curves[0].middle[-1])} with it ({_lie(defended)})."
        )
    return said


def _up_to(regret: float) -> str:
    return f"up to {share_text(regret)}" if math.isfinite(regret) else "a failure"


def _sheet(groups: Sequence[Lines]) -> Sheet:
    """Return the medians of all panels, a row of each."""
    curves = groups[0].curves
    shares = curves[0].spent
    named = [(f"{tick(share, 'share')}, {c.name}", "number") for share in shares for c in curves]
    rows = [
        (_lie(lines), _model(lines), *(share_text(c.middle[i]) for i in range(len(shares)) for c in lines.curves))
        for lines in groups
    ]
    return Sheet(
        caption="Regret of the median application, by the share of the contributors who lie",
        columns=(("lie", ""), ("model", ""), *named),
        rows=tuple(rows),
    )


def _lie(lines: Lines) -> str:
    return lines.title.partition(", ")[0]


def _model(lines: Lines) -> str:
    return lines.title.partition(", ")[2]
