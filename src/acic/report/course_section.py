"""The section on the course of the campaign: what was known when so much had been spent."""

from __future__ import annotations

from collections.abc import Callable

from acic.report.axis import Axis, from_zero, of_counts, of_time
from acic.report.contents import Contents
from acic.report.course import Step
from acic.report.html import Markup, element, join
from acic.report.model_error import Checkpoint
from acic.report.parts import Column, basis, figure, paragraph, section, table
from acic.report.pictures import Dot, curve
from acic.report.words import NOTHING, money_text, percent_text, share_tick, tick_text, times_text, times_tick
from acic.units import format_seconds

_ROWS = 10  # of the table


def course_section(contents: Contents) -> Markup:
    """Return the curves over time spent, and over money where some was."""
    title = "What it took"
    steps = contents.course
    if not steps:
        return section("course", title, paragraph("Nothing ran yet."))
    columns = [_curves(contents, "time spent", of_time(steps[-1].seconds), lambda s: s.seconds)]
    if steps[-1].dollars > 0:
        money = from_zero(steps[-1].dollars, _dollars)
        columns.append(_curves(contents, "money spent", money, lambda s: s.dollars))
    return section(
        "course",
        title,
        paragraph(
            "A point, and its improvement, count from the moment that its last run and its baseline's last run were "
            "over. Time is that of the runs. The error is that of models of the points known by then, on points that "
            "each had not seen; it can rise when points of another kind come in.",
        ),
        element("div", *columns, class_="pair"),
        _table(contents),
    )


def _curves(contents: Contents, name: str, x: Axis, spent: Callable[[Step | Checkpoint], float]) -> Markup:
    steps = contents.course
    last = steps[-1]
    made = []
    if last.best is not None:
        best = curve(
            x,
            from_zero(last.best, times_tick),
            [(0.0, 1.0), *((spent(s), s.best or 1.0) for s in steps)],
            f"Best improvement found against {name}: rises to {times_text(last.best)}",
            stepped=True,
            kind="measured",
        )
        made.append(figure(join([f"Best improvement found, against {name} ", basis("measured")]), best))
    points = curve(
        x,
        of_counts(last.points),
        [(0.0, 0.0), *((spent(s), s.points) for s in steps)],
        f"Points measured against {name}: rises to {last.points}",
        stepped=True,
        kind="measured",
    )
    made.append(figure(f"Points measured, against {name}", points))
    errors = contents.model.course
    if len(errors) > 1:
        y = from_zero(max(e.mape for e in errors), share_tick)
        dots = [Dot(spent(e), e.mape, f"{e.points} points: {percent_text(e.mape)}") for e in errors]
        label = (
            f"Model error (MAPE) against {name}: from {percent_text(errors[0].mape)} to {percent_text(errors[-1].mape)}"
        )
        places = [(d.x, d.y) for d in dots]
        drawn = curve(x, y, places, label, stepped=False, kind="foretold", marks=dots)
        made.append(figure(join([f"Model error (MAPE), against {name} ", basis("predicted")]), drawn))
    return element("div", *made)


def _table(contents: Contents) -> Markup:
    paid = contents.course[-1].dollars > 0
    columns = [
        Column("run", "number"),
        Column("time spent", "number"),
        *([Column("money spent", "number")] if paid else []),
        Column("points measured", "number"),
        Column("best improvement", "number"),
        Column("model error", "number"),
    ]
    rows = [
        [
            str(s.run),
            format_seconds(s.seconds),
            *([money_text(s.dollars)] if paid else []),
            f"{s.points:,}",
            NOTHING if s.best is None else times_text(s.best),
            _error(contents, s),
        ]
        for s in _chosen(contents.course)
    ]
    return table("The course in numbers", columns, rows)


def _chosen(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return a few steps, evenly over the time spent."""
    last = steps[-1].seconds
    chosen = [next(s for s in steps if s.seconds >= last * i / _ROWS) for i in range(1, _ROWS)]
    return tuple(dict.fromkeys([*chosen, steps[-1]]))


def _error(contents: Contents, step: Step) -> str:
    known = [e for e in contents.model.course if e.seconds <= step.seconds]
    if known:
        return f"{percent_text(known[-1].mape)} ({known[-1].points} points)"
    return NOTHING


def _dollars(amount: float) -> str:
    return f"${tick_text(amount)}"
