"""Pictures as data: what is where, and what is said of it. `drawn` makes them HTML, `png` makes them files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acic.report.axis import Axis

FAILED = "failed"  # what the axis says at its edge
_GOLDEN = 0.6180339887498949  # steps of this fill a line evenly

SHAPES: Mapping[str, tuple[str, str, str]] = {
    "each": ("dot", "soft", "a configuration"),
    "advice": ("circle", "blue", ""),
    "second": ("square", "orange", ""),
    "third": ("triangle", "green", ""),
    "fourth": ("plus", "red", ""),
    "best": ("ring", "ink", "the best measured"),
    "median": ("stroke", "ink", "the median configuration"),
    "tenth": ("fork", "ink", "9 of 10 are left of it"),
    "failed": ("cross", "red", "failed, or gave wrong bytes"),
    "alpha": ("circle", "blue", ""),
    "beta": ("square", "orange", ""),
    "gamma": ("triangle", "green", ""),
    "delta": ("diamond", "red", ""),
    "epsilon": ("plus", "ink", ""),
    "zeta": ("down", "soft", ""),
    "eta": ("box", "blue", ""),
    "theta": ("wedge", "orange", ""),
    "all": ("diamond", "ink", ""),
    "baseline": ("frame", "ink", "the baseline"),
}  # each kind of mark: its shape, its colour, and what it stands for wherever it does not depend on the picture
METHODS = ("advice", "second", "third", "fourth")
GROUPS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A mark in a row.

    Args:
        at: value on the axis; inf where it failed: at the axis's edge.
        kind: of `SHAPES`.
        who: what it stands for; said: its value in words; both are shown when pointed at, if they are given.
        lane: place within the row's height, -1 (top) to 1.
        stem: whether a line leads to it from the neutral value.
    """

    at: float
    kind: str
    who: str = ""
    said: str = ""
    lane: float = 0.0
    stem: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Marks on a line, with a name before and numbers behind.

    Args:
        name: of the row.
        marks: those drawn last lie on top.
        cells: text of each column.
        label: the picture in words, for those who do not see it.
    """

    name: str
    marks: tuple[Mark, ...]
    cells: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows on one common axis.

    Args:
        caption: what it is, with the unit.
        axis: of the marks; failures lie at `edge` of it, if there are any.
        scale: what is on the axis, with its unit.
        columns: names of the numbers behind each row.
        rows: from top to bottom.
        legend: kinds of marks and what they stand for.
        neutral: value of a dashed upright line, if any; neutral_name: what it stands for.
        height: of a row, in pixels.
        what: the rows are.
    """

    caption: str
    axis: Axis
    scale: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    legend: tuple[tuple[str, str], ...]
    edge: float | None = None
    neutral: float | None = None
    neutral_name: str = ""
    height: int = 34
    what: str = "application"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A mark at two numbers; infinite ones lie at the edge."""

    x: float
    y: float
    kind: str
    who: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line with a band: its name, its kind of mark, and x, low, middle and high of each place."""

    name: str
    kind: str
    places: tuple[tuple[float, float, float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A dashed line at a height, and its name above its left or its right end: where the dots are not."""

    at: float
    name: str
    left: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Marks and lines over two axes.

    Args:
        caption: what it is.
        x, y: the axes; across, up: what is on them, with units.
        edge: where on `y` failures lie.
        spots, lines: what is drawn.
        level: a dashed line, if any.
        legend: kinds of marks and what they stand for.
        label: the picture in words, for those who do not see it.
        basis: "measured", "predicted" or "simulated".
    """

    caption: str
    x: Axis
    y: Axis
    across: str
    up: str
    label: str
    edge: float | None = None
    spots: tuple[Spot, ...] = ()
    lines: tuple[Line, ...] = ()
    level: Level | None = None
    legend: tuple[tuple[str, str], ...] = ()
    basis: str = "measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """Small plots beside one another, two in a line, with a legend for all of them instead of their own."""

    plots: tuple[Plot, ...]
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table without a picture: its caption, the columns ("number" ones are aligned right), and rows of text."""

    caption: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of the evaluation.

    Args:
        name: as options take it.
        title: of the section.
        counterpart: which figure or table of the paper it goes with.
        judged: what its numbers rest on.
        sees: what one sees, sentence by sentence.
        parts: the pictures and tables.
    """

    name: str
    title: str
    counterpart: str
    judged: str
    sees: tuple[str, ...]
    parts: tuple[Rows | Plot | Panels | Sheet, ...]


def at_edge(axis: Axis, *, low: bool) -> tuple[Axis, float]:
    """Return the axis with room for failures at one of its ends, and the value there."""
    room = (axis.high / axis.low) ** 0.1 if axis.log else (axis.high - axis.low) * 0.1
    if low:
        edge = axis.low / room if axis.log else axis.low - room
        return Axis(low=edge, high=axis.high, log=axis.log, ticks=((edge, FAILED), *axis.ticks)), edge
    edge = axis.high * room if axis.log else axis.high + room
    kept = tuple(t for t in axis.ticks if t[0] < axis.high * (1 - 1e-9))  # its label would touch that of the edge
    return Axis(low=axis.low, high=edge, log=axis.log, ticks=(*kept, (edge, FAILED))), edge


def scattered(number: int) -> float:
    """Return the lane of a row's mark of that number: marks fill the height evenly, whatever their number."""
    return ((number * _GOLDEN) % 1 - 0.5) * 1.3
