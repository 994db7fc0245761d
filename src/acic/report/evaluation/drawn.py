"""Figures as HTML, in the way of `acic.report.pictures`: places in percent, sizes in pixels, colours as classes.

`data-told` around a picture holds what is said of its marks, for hover.js: of each its place (percent of width and
height), the number of its name in the page's list of names, and its value in words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from acic.report.axis import Axis
from acic.report.evaluation.chart import SHAPES, Figure, Line, Mark, Panels, Plot, Row, Rows, Sheet
from acic.report.html import Markup, element, join
from acic.report.parts import Column, basis, figure, paragraph, section, table
from acic.report.pictures import at, axes, down, grid, picture, ruler

_PATHS = {
    "circle": "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0Z",
    "square": "M-4.5 -4.5h9v9h-9Z",
    "triangle": "M0 -5.5L5.5 4.5H-5.5Z",
    "diamond": "M0 -6L5.5 0L0 6L-5.5 0Z",
    "plus": "M-5 0H5M0 -5V5",
    "cross": "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",
    "ring": "M0 -9L9 0L0 9L-9 0Z",
    "frame": "M-9 0a9 9 0 1 0 18 0a9 9 0 1 0 -18 0Z",
    "stroke": "M0 -12V12",
    "fork": "M-4 -12H0V12H-4",
    "down": "M0 5.5L5.5 -4.5H-5.5Z",
    "box": "M-4.5 -4.5h9v9h-9Z",
    "wedge": "M-5.5 0L4.5 -5.5V5.5Z",
    "dot": "M-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0Z",
}
_FAR = 22.0  # percent of the width, a little more than what a ruler keeps between labels
_GRAIN = 1000  # of the grid that dots and lines are drawn on
_HEIGHT, _SMALL = 340, 180  # of a plot, and of one of several panels, in pixels
_ROOM = 6.0  # pixels that marks keep from the upper and lower end of a row

_APART = str.maketrans(";|", ",/")  # names of methods are others': what keeps marks apart may not be in them

Names = Mapping[str, int]


def shapes() -> Markup:
    """Return the shapes of all marks, for the page to hold once."""
    paths = [element("path", d=d, id=f"shape-{name}") for name, d in _PATHS.items()]
    return element("svg", element("defs", *paths), width=0, height=0, class_="shapes", aria_hidden="true")


def names_of(figures: Sequence[Figure]) -> list[str]:
    """Return every name that marks of the figures have, once."""
    parts = [part for f in figures for part in f.parts]
    marks = [m.who for p in parts if isinstance(p, Rows) for r in p.rows for m in r.marks]
    plots = [q for p in parts for q in (p.plots if isinstance(p, Panels) else (p,)) if isinstance(q, Plot)]
    spots = [s.who for p in plots for s in p.spots]
    return list(dict.fromkeys(who for who in [*marks, *spots] if who))


def drawn(shown: Figure, names: Names) -> Markup:
    """Return a figure as a section of the page."""
    parts = [_part(part, names) for part in shown.parts]
    plots = all(isinstance(part, Plot) for part in shown.parts) and len(parts) > 1
    return section(
        shown.name,
        shown.title,
        paragraph(origin(shown), kind="counterpart"),
        paragraph(" ".join(shown.sees)),
        *([element("div", *parts, class_="pair")] if plots else parts),
    )


def origin(shown: Figure) -> str:
    """Return what a figure goes with in the paper, and what its numbers rest on, in sentences."""
    return f"Counterpart in the paper: {shown.counterpart}. Judged by {shown.judged}."


def _part(part: Rows | Plot | Panels | Sheet, names: Names) -> Markup:
    if isinstance(part, Rows):
        return _rows(part, names)
    if isinstance(part, Plot):
        return _lines(part, names)
    if isinstance(part, Panels):
        panels = [_lines(plot, names, height=_SMALL) for plot in part.plots]
        return join([_legend(part.legend), element("div", *panels, class_="pair")])
    columns = [Column(name, kind) for name, kind in part.columns]
    return table(part.caption, columns, part.rows, kind="sheet")


def _rows(rows: Rows, names: Names) -> Markup:
    columns = [
        Column(rows.what),
        Column(join([rows.scale, ruler(_labelled(rows))]), "picture"),
        *(Column(name, "number") for name in rows.columns),
    ]
    body = [[row.name, _row(rows, row, names), *row.cells] for row in rows.rows]
    return join([_legend(rows.legend, rows.neutral_name), table(rows.caption, columns, body, kind="chart field")])


def _labelled(rows: Rows) -> Axis:
    """Return the axis without ticks near its edge, and near that of the dashed line.

    A ruler leaves out labels that would touch the one before, and these two matter more than those.
    """
    kept = rows.axis.ticks
    for value in (rows.edge, rows.neutral):
        if value is not None and any(math.isclose(t[0], value) for t in kept):
            place = rows.axis.place(value)
            apart = [(t, abs(rows.axis.place(t[0]) - place)) for t in kept]
            kept = tuple(t for t, far in apart if math.isclose(t[0], value) or far > _FAR)
    return replace(rows.axis, ticks=kept)


def _row(rows: Rows, row: Row, names: Names) -> Markup:
    axis, height = rows.axis, rows.height

    def across(mark: Mark) -> float:
        return axis.place(mark.at if math.isfinite(mark.at) or rows.edge is None else rows.edge)

    def down(mark: Mark) -> float:
        return height / 2 + mark.lane * (height / 2 - _ROOM)

    inside = [grid(axis)]
    if rows.neutral is not None:
        place = at(axis, rows.neutral)
        inside.append(element("line", x1=place, x2=place, y1=0, y2=height, class_="neutral"))
        inside += [
            element(
                "line",
                x1=place,
                x2=f"{across(m):.2f}%",
                y1=down(m),
                y2=down(m),
                class_=f"stem {SHAPES[m.kind][1]}",
            )
            for m in row.marks
            if m.stem
        ]
    each = [(across(m), 100 * down(m) / height) for m in row.marks if m.kind == "each"]
    inside += [_cloud(each)] if each else []
    inside += [_use(m.kind, f"{across(m):.2f}%", f"{down(m):.1f}") for m in row.marks if m.kind != "each"]
    told = [(across(m), 100 * down(m) / height, m.who, m.said) for m in row.marks if m.who]
    return _told(picture(height, row.label, *inside), told, names)


def _cloud(places: Sequence[tuple[float, float]]) -> Markup:
    """Return many grey dots as one path of points without length, whose round ends are the dots: few bytes for each."""
    path = "".join(f"M{round(x * _GRAIN / 100)} {round(y)}h0" for x, y in places)
    return _stretched(element("path", d=path, class_="cloud", vector_effect="non-scaling-stroke"), 100)


def _stretched(inside: Markup, down: int) -> Markup:
    """Return what is drawn on a grid, stretched over the whole picture."""
    return element(
        "svg", inside, viewBox=f"0 0 {_GRAIN} {down}", preserveAspectRatio="none", width="100%", height="100%"
    )


def _use(kind: str, x: str, y: str) -> Markup:
    shape, colour, _ = SHAPES[kind]
    return element("use", href=f"#shape-{shape}", x=x, y=y, class_=f"mark {shape} {colour}")


def _told(picture: Markup, told: Sequence[tuple[float, float, str, str]], names: Names) -> Markup:
    """Return the picture with what is said of its marks; names that the page does not list are left out."""
    dots = (f"{x:.1f}|{y:.0f}|{names[who]}|{said.translate(_APART)}" for x, y, who, said in told if who in names)
    return element("div", picture, class_="told", data_told=";".join(dots)) if told else picture


def _legend(legend: Sequence[tuple[str, str]], neutral: str = "") -> Markup:
    keys = [
        element("li", element("svg", _use(kind, "11", "12"), class_="key", aria_hidden="true"), name)
        for kind, name in legend
    ]
    if neutral:
        line = element("line", x1=11, x2=11, y1=0, y2=24, class_="neutral")
        keys.append(element("li", element("svg", line, class_="key", aria_hidden="true"), neutral))
    return element("ul", *keys, class_="legend")


def _lines(plot: Plot, names: Names, height: int = _HEIGHT) -> Markup:
    """Return a plot, with its legend (if it has one) above and what its axes show beside them."""
    inside = [part for line in plot.lines for part in (_band(plot, line), _line(plot, line))]
    if plot.level is not None:
        level = down(plot.y, plot.level.at)
        inside.append(element("line", x1="0%", x2="100%", y1=level, y2=level, class_="neutral"))
    inside += [_use(s.kind, at(plot.x, s.x), down(plot.y, _high(plot, s.y))) for s in plot.spots]
    if plot.level is not None:
        x, anchor = ("0%", "start") if plot.level.left else ("100%", "end")
        level = down(plot.y, plot.level.at)
        inside.append(element("text", plot.level.name, x=x, y=level, dy=-7, text_anchor=anchor, class_="level"))
    told = [(plot.x.place(s.x), 100 - plot.y.place(_high(plot, s.y)), s.who, s.said) for s in plot.spots if s.who]
    return figure(
        join([plot.caption, " ", basis(plot.basis)]),
        _legend(plot.legend) if plot.legend else None,
        element("p", f"\u2191 {plot.up}", class_="axis"),
        _told(axes(plot.x, plot.y, height, plot.label, *inside), told, names),
        element("p", f"{plot.across} \u2192", class_="axis across"),
    )


def _high(plot: Plot, value: float) -> float:
    return plot.edge if plot.edge is not None and math.isinf(value) else value


def _line(plot: Plot, line: Line) -> Markup:
    places = [_grid_place(plot, x, middle) for x, _, middle, _ in line.places]
    return _stretched(_path(places, f"curve {line.kind} {SHAPES[line.kind][1]}"), _GRAIN)


def _band(plot: Plot, line: Line) -> Markup:
    lower = [_grid_place(plot, x, low) for x, low, _, _ in line.places]
    upper = [_grid_place(plot, x, high) for x, _, _, high in line.places]
    return _stretched(_path([*lower, *reversed(upper)], f"band {SHAPES[line.kind][1]}"), _GRAIN)


def _path(places: Sequence[tuple[int, int]], kind: str) -> Markup:
    d = "".join(f"{'L' if i else 'M'}{x} {y}" for i, (x, y) in enumerate(places))
    return element("path", d=d, class_=kind, vector_effect="non-scaling-stroke")


def _grid_place(plot: Plot, x: float, y: float) -> tuple[int, int]:
    place = plot.x.place(x), 100 - plot.y.place(_high(plot, y))
    return round(place[0] * _GRAIN / 100), round(place[1] * _GRAIN / 100)
