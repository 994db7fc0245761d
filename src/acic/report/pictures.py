"""Pictures as inline SVG.

Places are in percent of the width and sizes in pixels, so a picture follows the page's width while its text and marks
keep their size; colours are classes of the page's style sheet, which knows the dark and the printed page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acic.report.axis import Axis
from acic.report.html import Markup, element, join

_APART = 21.0  # percent of the width that two labels of a ruler need, in the narrowest column
_THIN = 0.3  # percent of the width: less is not seen
_GRAIN = 1000  # of the grid that curves are drawn on


@dataclass(frozen=True, slots=True)
class Dot:
    """A mark at x, y (values of the axes), with what is said when pointed at."""

    x: float
    y: float
    about: str


def bar(share: float, label: str, *, kind: str = "") -> Markup:
    """Return a horizontal bar of `share` (0..1) of the cell's width."""
    drawn = element("rect", x=0, y=3, width=f"{100 * share:.2f}%", height=14, rx=2, class_=f"bar {kind}".strip())
    return picture(20, label, drawn)


def strip(axis: Axis, values: Sequence[float], middle: float, label: str, about: Sequence[str], kind: str) -> Markup:
    """Return one mark for each value, on a line, and the median as an upright stroke.

    Args:
        axis: of the values.
        values: to mark.
        middle: their median.
        label: of the picture.
        about: what is said of each value when pointed at.
        kind: class of the marks.
    """
    marks = [
        element("circle", element("title", said), cx=at(axis, value), cy=13, r=4.5, class_=f"dot {kind}")
        for value, said in zip(values, about, strict=True)
    ]
    stroke = element("line", x1=at(axis, middle), x2=at(axis, middle), y1=1, y2=25, class_="median")
    low, high = at(axis, min(values)), at(axis, max(values))
    return picture(
        26, label, grid(axis), element("line", x1=low, x2=high, y1=13, y2=13, class_="range"), *marks, stroke
    )


def interval(axis: Axis, low: float, value: float, high: float, label: str, *, neutral: float) -> Markup:
    """Return a value with its interval, and an upright line where there is no difference."""
    return picture(
        26,
        label,
        grid(axis),
        element("line", x1=at(axis, neutral), x2=at(axis, neutral), y1=0, y2=26, class_="neutral"),
        element("line", x1=at(axis, low), x2=at(axis, high), y1=13, y2=13, class_="whisker"),
        *(element("line", x1=at(axis, x), x2=at(axis, x), y1=8, y2=18, class_="whisker") for x in (low, high)),
        element("circle", cx=at(axis, value), cy=13, r=5, class_="dot measured"),
    )


def span(axis: Axis, start: float, end: float, label: str, kind: str, *, neutral: float | None = None) -> Markup:
    """Return a bar from one value to another, and an upright line where there is no difference, if that is told."""
    low, high = sorted((axis.place(start), axis.place(end)))
    drawn = element(
        "rect", x=f"{low:.2f}%", y=4, width=f"{max(high - low, _THIN):.2f}%", height=14, class_=f"bar {kind}"
    )
    upright = (
        None
        if neutral is None
        else element("line", x1=at(axis, neutral), x2=at(axis, neutral), y1=0, y2=22, class_="neutral")
    )
    return picture(22, label, grid(axis), upright, drawn)


def ruler(axis: Axis) -> Markup:
    """Return the axis of a column of pictures: the ticks' labels in a line, for the column's head."""
    labels, last = [], -_APART
    for value, said in axis.ticks:
        place = axis.place(value)
        if place >= last + _APART:
            labels.append(element("text", said, x=at(axis, value), y=12, text_anchor=_anchor(place)))
            last = place
    return element("svg", *labels, height=16, class_="picture ruler", aria_hidden="true")


def scatter(x: Axis, y: Axis, dots: Sequence[Dot], label: str) -> Markup:
    """Return marks at two numbers each, with the diagonal on which both are the same."""
    marks = [
        element("circle", element("title", d.about), cx=at(x, d.x), cy=down(y, d.y), r=3.5, class_="dot measured")
        for d in dots
    ]
    diagonal = element("line", x1="0%", y1="100%", x2="100%", y2="0%", class_="neutral")
    return axes(x, y, 380, label, diagonal, *marks)


def curve(
    x: Axis,
    y: Axis,
    places: Sequence[tuple[float, float]],
    label: str,
    *,
    stepped: bool,
    kind: str,
    marks: Sequence[Dot] = (),
) -> Markup:
    """Return a curve through `places`; stepped, it keeps its height until the next place."""
    drawn = [(round(x.place(a) * _GRAIN / 100), round((100 - y.place(b)) * _GRAIN / 100)) for a, b in places]
    path = "".join(f"M{a} {b}" if i == 0 else f"H{a}V{b}" if stepped else f"L{a} {b}" for i, (a, b) in enumerate(drawn))
    line = element(
        "svg",
        element("path", d=path, class_=f"curve {kind}", vector_effect="non-scaling-stroke"),
        viewBox=f"0 0 {_GRAIN} {_GRAIN}",
        preserveAspectRatio="none",
        width="100%",
        height="100%",
    )
    dots = [
        element("circle", element("title", d.about), cx=at(x, d.x), cy=down(y, d.y), r=4, class_=f"dot {kind}")
        for d in marks
    ]
    return axes(x, y, 170, label, line, *dots)


def axes(x: Axis, y: Axis, height: int, label: str, *inside: Markup) -> Markup:
    """Return a picture with an axis below and one at its left, whose labels lie outside of it."""
    across = [element("line", x1="0%", x2="100%", y1=down(y, v), y2=down(y, v), class_="grid") for v, _ in y.ticks]
    left = [element("text", said, x=-8, y=down(y, v), dy=4, text_anchor="end") for v, said in y.ticks]
    below = [
        element("text", said, x=at(x, v), y="100%", dy=18, text_anchor="end" if x.place(v) > 97 else "middle")
        for v, said in x.ticks
    ]
    return picture(height, label, grid(x), *across, *inside, *left, *below, kind="plot")


def grid(axis: Axis) -> Markup:
    """Return the upright lines at the ticks."""
    return join(
        element("line", x1=at(axis, v), x2=at(axis, v), y1="0%", y2="100%", class_="grid") for v, _ in axis.ticks
    )


def picture(height: int, label: str, *inside: Markup | None, kind: str = "") -> Markup:
    """Return a picture, `height` pixels high, told to those who do not see it by `label`."""
    return element("svg", *inside, height=height, class_=f"picture {kind}".strip(), role="img", aria_label=label)


def at(axis: Axis, value: float) -> str:
    """Return where a value is, from the left."""
    return f"{axis.place(value):.2f}%"


def down(axis: Axis, value: float) -> str:
    """Return where a value is, from the top."""
    return f"{100 - axis.place(value):.2f}%"


def _anchor(place: float) -> str:
    return "start" if place < 4 else "end" if place > 96 else "middle"
