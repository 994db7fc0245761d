"""Pictures as PNG files: the same places as on the page, drawn by matplotlib."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acic.errors import InvalidInput, MissingData, with_extra
from acic.report.evaluation.chart import GROUPS, METHODS, SHAPES, Figure, Panels, Plot, Rows, Sheet, Spot
from acic.report.evaluation.drawn import origin
from acic.report.evaluation.evaluation import FIGURES, Evaluation
from acic.report.evaluation.page import figure_of
from acic.whole import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_WIDTH = 11.0  # inches, all sizes below too
_DPI = 130
_LEFT, _RIGHT = 1.75, 0.35
_COLUMN = 0.74  # of the numbers behind a row
_ROW = 0.27
_ROW_HEAD, _ROW_FOOT = 1.15, 0.35  # of a table of rows: legend, axis and names above, room below
_PLOT, _PLOT_HEAD, _PLOT_FOOT = 3.4, 0.8, 0.75
_PLOT_LEFT = 0.9
_PANEL, _PANEL_HEAD, _PANEL_FOOT = 1.5, 0.4, 0.6
_KEYS = 0.45  # of the legend of all panels
_ENDS = 4.0  # percent of an axis, within which its first and its last label keep to its inside
_SMALL = 8.0  # points: of a legend's text, and of its largest mark
_LINE = 0.19  # of text
_KEY, _LETTER = 0.45, 0.062  # of a legend: a mark with its room, a letter
_WRAP = 160  # characters of a line of text

_COLOURS = {
    "soft": "#7b8794",
    "blue": "#0067a5",
    "orange": "#b34700",
    "green": "#00664b",
    "red": "#a3123a",
    "ink": "#17212b",
}  # those of style.css on a light page
_MARKERS: dict[str, dict[str, Any]] = {
    "circle": {"marker": "o", "markersize": 7},
    "square": {"marker": "s", "markersize": 6},
    "triangle": {"marker": "^", "markersize": 7},
    "diamond": {"marker": "D", "markersize": 5.5},
    "plus": {"marker": "+", "markersize": 8, "markeredgewidth": 2},
    "cross": {"marker": "x", "markersize": 5, "alpha": 0.7},
    "ring": {"marker": "D", "markersize": 10, "markerfacecolor": "none", "markeredgewidth": 1.4},
    "frame": {"marker": "o", "markersize": 14, "markerfacecolor": "none", "markeredgewidth": 1.4},
    "stroke": {"marker": "|", "markersize": 15, "markeredgewidth": 2},
    "fork": {"marker": "$]$", "markersize": 12},
    "down": {"marker": "v", "markersize": 7},
    "box": {"marker": "s", "markersize": 6, "markerfacecolor": "white", "markeredgewidth": 1.4},
    "wedge": {"marker": "<", "markersize": 7},
    "dot": {"marker": "o", "markersize": 3, "alpha": 0.45, "markeredgewidth": 0},
}
_ON_TOP = (*METHODS, "all", "best", "tenth", "median", "baseline", *GROUPS, "failed", "each")
_DASHES = {
    "alpha": "-",
    "beta": (0, (6, 3)),
    "gamma": (0, (2, 2)),
    "delta": (0, (7, 2, 2, 2)),
    "epsilon": (0, (1, 3)),
    "zeta": "-",
    "eta": "--",
    "theta": ":",
}


def check_library() -> None:
    """Raise InvalidInput where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise InvalidInput("PNG files need matplotlib, which is not installed", hint=with_extra("pictures"))


def pictures(given: Evaluation, folder: Path, names: Sequence[str] | None = None) -> list[Path]:
    """Write pictures as FOLDER/NAME.png, each whole or not at all: all that there is something for, without `names`.

    Returns:
        Their paths.

    Raises:
        InvalidInput: matplotlib is not installed, there is no folder, no picture of that name, or it cannot be written.
        MissingData: there is nothing to draw for one of `names`.
    """
    check_library()
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is no folder", hint=f"mkdir -p {folder}")
    paths = []
    for name in names if names is not None else FIGURES:
        try:
            shown = figure_of(name, given)
            path = folder / f"{name}.png"
            _write(shown, path)
        except MissingData:
            if names is not None:
                raise
            continue
        paths.append(path)
    return paths


def _write(shown: Figure, path: Path) -> None:
    from matplotlib.figure import Figure as Canvas

    parts = [part for part in shown.parts if not isinstance(part, Sheet)]
    if not parts:
        raise MissingData(f"{shown.name} is a table, and has no picture", hint="see the page, or --json")
    said = textwrap.wrap(f"{' '.join(shown.sees)} {origin(shown)}", _WRAP)
    head = 0.55 + _LINE * len(said)
    height = head + sum(_height(part) for part in parts) + 0.1
    canvas = Canvas(figsize=(_WIDTH, height), dpi=_DPI, facecolor="white")
    canvas.text(
        0.25 / _WIDTH, 1 - 0.2 / height, _plain(shown.title), va="top", size=15, weight="bold", color=_COLOURS["ink"]
    )
    below = 1 - 0.52 / height
    canvas.text(
        0.25 / _WIDTH, below, _plain("\n".join(said)), va="top", size=9, color=_COLOURS["ink"], linespacing=1.35
    )
    top = head
    for part in parts:
        if isinstance(part, Rows):
            _rows(canvas, part, top, height)
        elif isinstance(part, Panels):
            _panels(canvas, part, top, height)
        else:
            _plot(canvas, part, top, height)
        top += _height(part)
    metadata = {"Software": "acic", "Title": shown.title, "Description": " ".join(shown.sees)}
    with whole(path) as unfinished:
        canvas.savefig(unfinished, format="png", metadata=metadata)


def _plain(text: str) -> str:
    """Return text in which dollars are dollars: matplotlib would read mathematics between two of them."""
    return text.replace("$", r"\$")


def _height(part: Rows | Plot | Panels) -> float:
    if isinstance(part, Rows):
        return _ROW_HEAD + len(part.rows) * _row_height(part) + _ROW_FOOT
    if isinstance(part, Panels):
        return _KEYS + -(-len(part.plots) // 2) * (_PANEL_HEAD + _PANEL + _PANEL_FOOT)
    return _PLOT_HEAD + _PLOT + _PLOT_FOOT


def _row_height(rows: Rows) -> float:
    return _ROW * rows.height / 34


def _axes(canvas: Canvas, box: tuple[float, float, float, float], height: float) -> Axes:
    """Return axes at left, top, width and height, in inches from the upper left corner."""
    left, top, wide, tall = box
    axes: Axes = canvas.add_axes((left / _WIDTH, 1 - (top + tall) / height, wide / _WIDTH, tall / height))
    for side in ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=8, pad=7, colors=_COLOURS["ink"])
    axes.set_axisbelow(True)
    return axes


def _rows(canvas: Canvas, rows: Rows, top: float, height: float) -> None:
    wide = _WIDTH - _LEFT - _RIGHT - _COLUMN * len(rows.columns)
    tall = len(rows.rows) * _row_height(rows)
    axes = _axes(canvas, (_LEFT, top + _ROW_HEAD, wide, tall), height)
    axes.set_xlim(0, 100)
    axes.set_ylim(len(rows.rows) - 0.5, -0.5)
    ticks = [(rows.axis.place(v), said) for v, said in rows.axis.ticks]
    axes.set_xticks([at for at, _ in ticks], [_plain(said) for _, said in ticks])
    axes.xaxis.tick_top()
    for (at, _), label in zip(ticks, axes.get_xticklabels(), strict=True):  # the last one would touch the columns
        label.set_horizontalalignment("left" if at < _ENDS else "right" if at > 100 - _ENDS else "center")
    axes.grid(axis="x", color="#e4e9ee", linewidth=0.8)
    axes.set_yticks(
        range(len(rows.rows)), [_plain(textwrap.shorten(row.name, 26, placeholder="\u2026")) for row in rows.rows]
    )
    axes.set_xlabel(_plain(rows.scale), size=8, color=_COLOURS["ink"])
    axes.xaxis.set_label_position("top")
    axes.hlines([at - 0.5 for at in range(len(rows.rows) + 1)], 0, 100, colors="#e4e9ee", linewidth=0.6)
    if rows.neutral is not None:
        axes.axvline(rows.axis.place(rows.neutral), color=_COLOURS["ink"], linestyle=(0, (4, 3)), linewidth=1)
    _marks(axes, rows)
    inch = 100 / wide
    for number, name in enumerate(rows.columns):
        x = 100 + inch * (_COLUMN * (number + 1))
        axes.text(x, -0.75, _plain("\n".join(textwrap.wrap(name, 12))), ha="right", va="bottom", size=7.5)
        for at, row in enumerate(rows.rows):
            axes.text(x, at, _plain(row.cells[number]), ha="right", va="center", size=8)
    _head(canvas, rows.caption, [*rows.legend], top, height, rows.neutral_name)


def _marks(axes: Axes, rows: Rows) -> None:
    """Draw the marks of all rows, one kind after the other: those that stand for a choice on top."""
    places: dict[str, list[tuple[float, float, bool]]] = defaultdict(list)
    for at, row in enumerate(rows.rows):
        for mark in row.marks:
            value = rows.edge if math.isinf(mark.at) and rows.edge is not None else mark.at
            places[mark.kind].append((rows.axis.place(value), at + 0.36 * mark.lane, mark.stem))
    neutral = rows.axis.place(rows.neutral) if rows.neutral is not None else 0.0
    for kind in sorted(places, key=[*reversed(_ON_TOP)].index):
        x, y, stems = (list(column) for column in zip(*places[kind], strict=True))
        if any(stems):
            axes.hlines(y, neutral, x, colors=_COLOURS[SHAPES[kind][1]], alpha=0.55, linewidth=1.5)
        axes.plot(x, y, **_look(kind, small=any(stems)))


def _look(kind: str, *, small: bool = False) -> dict[str, Any]:
    shape, colour, _ = SHAPES[kind]
    look = {"color": _COLOURS[colour], "linestyle": "none", "clip_on": False, **_MARKERS[shape]}
    if shape in ("circle", "square", "triangle", "diamond", "down", "wedge"):
        look |= {"markeredgecolor": "white", "markeredgewidth": 0.7}
    return look | {"markersize": 5.0} if small else look


def _head(
    canvas: Canvas, caption: str, legend: list[tuple[str, str]], top: float, height: float, neutral: str = ""
) -> None:
    """Write what a picture is, and its legend below that, at `top` inches from above."""
    canvas.text(0.25 / _WIDTH, 1 - (top + 0.1) / height, _plain(caption), va="top", size=10, weight="bold")
    _legend(canvas, legend, top + 0.26, height, neutral)


def _legend(canvas: Canvas, legend: Sequence[tuple[str, str]], top: float, height: float, neutral: str = "") -> None:
    from matplotlib.lines import Line2D

    keys = [Line2D([], [], label=_plain(name), **(_look(kind) | {"clip_on": True})) for kind, name in legend]
    for key in keys:
        key.set_markersize(min(key.get_markersize(), _SMALL))
    if neutral:
        keys.append(Line2D([], [], color=_COLOURS["ink"], linestyle=(0, (4, 3)), linewidth=1, label=_plain(neutral)))
    if keys:
        columns = (
            len(keys) if sum(_KEY + _LETTER * len(str(k.get_label())) for k in keys) < _WIDTH else -(-len(keys) // 2)
        )
        place = (0.2 / _WIDTH, 1 - top / height)
        box: dict[str, Any] = {"bbox_to_anchor": place, "frameon": False, "borderaxespad": 0.0, "ncols": columns}
        spacing = {"handletextpad": 0.5, "columnspacing": 1.2, "handlelength": 1.4}
        canvas.legend(handles=keys, loc="upper left", fontsize=_SMALL, **box, **spacing)


def _plot(canvas: Canvas, plot: Plot, top: float, height: float) -> None:
    box = (_PLOT_LEFT, top + _PLOT_HEAD, _WIDTH - _PLOT_LEFT - _RIGHT, _PLOT)
    _curves(_axes(canvas, box, height), plot)
    _head(canvas, _caption(plot), [*plot.legend], top, height)


def _panels(canvas: Canvas, panels: Panels, top: float, height: float) -> None:
    """Draw plots in two columns, below the legend of all."""
    _legend(canvas, panels.legend, top + 0.1, height)
    half = _WIDTH / 2
    for number, plot in enumerate(panels.plots):
        left = number % 2 * half
        above = top + _KEYS + number // 2 * (_PANEL_HEAD + _PANEL + _PANEL_FOOT)
        box = (left + _PLOT_LEFT, above + _PANEL_HEAD, half - _PLOT_LEFT - _RIGHT, _PANEL)
        _curves(_axes(canvas, box, height), plot)
        place = (left + 0.25) / _WIDTH, 1 - (above + 0.1) / height
        canvas.text(*place, _plain(_caption(plot)), va="top", size=10, weight="bold")


def _caption(plot: Plot) -> str:
    return f"{plot.caption} ({plot.basis})"


def _curves(axes: Axes, plot: Plot) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xticks([plot.x.place(v) for v, _ in plot.x.ticks], [_plain(said) for _, said in plot.x.ticks])
    axes.set_yticks([plot.y.place(v) for v, _ in plot.y.ticks], [_plain(said) for _, said in plot.y.ticks])
    axes.grid(color="#e4e9ee", linewidth=0.8)
    axes.set_xlabel(_plain(plot.across), size=9)
    axes.set_ylabel(_plain(plot.up), size=9)

    def height_of(value: float) -> float:
        return plot.y.place(plot.edge if plot.edge is not None and math.isinf(value) else value)

    for line in plot.lines:
        colour = _COLOURS[SHAPES[line.kind][1]]
        x = [plot.x.place(place[0]) for place in line.places]
        low, middle, high = ([height_of(place[i]) for place in line.places] for i in (1, 2, 3))
        axes.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
        axes.plot(x, middle, color=colour, linestyle=_DASHES[line.kind], linewidth=1.6)
    if plot.level is not None:
        at = height_of(plot.level.at)
        axes.axhline(at, color=_COLOURS["ink"], linestyle=(0, (4, 3)), linewidth=1)
        end, side = (0.5, "left") if plot.level.left else (99.5, "right")
        axes.text(end, at + 1.5, _plain(plot.level.name), horizontalalignment=side, va="bottom", size=8)
    kinds: dict[str, list[Spot]] = defaultdict(list)
    for spot in plot.spots:
        kinds[spot.kind].append(spot)
    for kind, spots in kinds.items():
        axes.plot([plot.x.place(s.x) for s in spots], [height_of(s.y) for s in spots], **_look(kind))
