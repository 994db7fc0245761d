"""Pictures of an evaluation: every number lies inside its axes, failures at the edge, and nothing is dropped."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acic.errors import InvalidInput, MissingData, with_extra
from acic.evaluation.picks import Curve
from acic.report.axis import Axis
from acic.report.evaluation import FIGURES, SHEETS, Evaluation, Lines, pictures
from acic.report.evaluation.chart import FAILED, SHAPES, Mark, Panels, Plot, Rows, Sheet, Spot, at_edge
from acic.report.evaluation.crowd import crowd_figure
from acic.report.evaluation.drawn import drawn, names_of
from acic.report.evaluation.lines import lines_figure
from acic.report.evaluation.page import figure_of
from acic.report.evaluation.told import NEAR, regret_axis
from acic.report.words import TIMES
from tests.report.evaluated import Imagined, imagine, liars

shares = st.sampled_from([0.0, 0.1, 0.5, 0.9])
imagined = st.builds(
    Imagined,
    applications=st.integers(1, 5),
    configurations=st.integers(1, 9),
    failed=shares,
    missing=st.sampled_from([0.0, 0.1, 0.5]),
    baseline=st.booleans(),
    again=st.booleans(),
    cost=st.booleans(),
    methods=st.integers(0, 4),
    seed=st.integers(0, 1000),
)


def parts(made: Evaluation) -> list[Rows | Plot]:
    """All pictures that there are."""
    found: list[Rows | Plot] = []
    for name in FIGURES:
        try:
            shown = figure_of(name, made).parts
        except MissingData:
            continue
        found += [p for p in shown if isinstance(p, Rows | Plot)]
        found += [plot for p in shown if isinstance(p, Panels) for plot in p.plots]
    return found


def inside(axis: Axis, value: float) -> bool:
    return axis.low * (1 - 1e-9) <= value <= axis.high * (1 + 1e-9) if axis.log else axis.low <= value <= axis.high


@given(imagined)
@settings(max_examples=40, deadline=None)
def test_every_finite_number_is_inside_the_axes_and_failures_have_their_edge(made: Imagined) -> None:
    for part in parts(imagine(made)):
        marks: list[Mark | Spot]
        if isinstance(part, Rows):
            marks = [m for row in part.rows for m in row.marks]
            axis, values = part.axis, [m.at for m in marks if isinstance(m, Mark)]
        else:
            marks = [*part.spots]
            axis, values = part.y, [s.y for s in part.spots]
            assert all(inside(part.x, s.x) for s in part.spots)
        assert not any(math.isnan(v) for v in values)
        assert all(inside(axis, v) for v in values if math.isfinite(v))
        if any(math.isinf(v) for v in values):
            assert part.edge in (axis.low, axis.high)
            beyond = [v for v in values if math.isfinite(v)]
            assert all(v < part.edge if part.edge == axis.high else v > part.edge for v in beyond)


@given(imagined)
@settings(max_examples=25, deadline=None)
def test_every_pair_that_was_measured_is_drawn_and_every_failure_is_a_cross(made: Imagined) -> None:
    given = imagine(made)
    for name, goal in (("fig5", "time"), ("fig6", "cost")):
        try:
            (rows,) = figure_of(name, given).parts
        except MissingData:
            continue
        assert isinstance(rows, Rows)
        for row, values in zip(rows.rows, given.tables[goal].values, strict=True):
            kinds = Counter(m.kind for m in row.marks)
            known = given.baseline is not None and np.isfinite(values[given.baseline])
            assert kinds["each"] == (np.isfinite(values).sum() if known else 0)
            assert kinds["failed"] == (np.isinf(values).sum() if known else 0)
            assert row.label.startswith(row.name)
    row = given.tables["time"].values[given.tables["time"].applications.index(_of_figure_1(given))]
    if np.isfinite(row).any():
        plot = figure_of("fig1", given).parts[0]
        assert isinstance(plot, Plot)
        kinds = Counter("failed" if s.kind == "failed" else "ended" for s in plot.spots if s.kind != "baseline")
        assert (kinds["ended"], kinds["failed"]) == (np.isfinite(row).sum(), np.isinf(row).sum())


def _of_figure_1(given: Evaluation) -> tuple[str, str]:
    table = given.tables["time"]
    spread = [max(r[np.isfinite(r)]) / min(r[np.isfinite(r)]) if np.isfinite(r).any() else 0.0 for r in table.values]
    return table.applications[int(np.argmax(spread))]


@given(st.floats(1e-3, 1e3), st.floats(1.1, 1e4), st.booleans(), st.booleans())
def test_the_edge_lies_outside_of_all_that_was_on_the_axis(low: float, factor: float, log: bool, below: bool) -> None:
    axis = Axis(low=low, high=low * factor, log=log, ticks=((low, "a"), (low * factor, "b")))
    wider, edge = at_edge(axis, low=below)
    assert wider.place(edge) == pytest.approx(0 if below else 100)
    assert 5 < wider.place(axis.low if below else axis.high) < 95
    assert (edge, "failed") in wider.ticks
    assert inside(wider, axis.low)
    assert inside(wider, axis.high)


@given(st.lists(st.floats(0, 1e4) | st.just(math.inf) | st.just(math.nan), min_size=1, max_size=20))
def test_regret_axes_begin_at_none_and_keep_the_order(values: list[float]) -> None:
    axis = regret_axis(np.array(values))
    assert axis.ticks[0] == (NEAR, "0 %")
    places = [axis.place(v + NEAR) for v in sorted(v for v in values if math.isfinite(v))]
    assert places == sorted(places)
    assert all(0 < p < 100 for p in places)


def test_marks_of_a_row_lie_where_their_numbers_say() -> None:
    given = imagine(Imagined(applications=3, configurations=8, failed=0.3))
    shown = figure_of("fig5", given)
    (rows,) = shown.parts
    assert isinstance(rows, Rows)
    names = {name: i for i, name in enumerate(names_of([shown]))}
    root = ET.fromstring(drawn(shown, names))  # noqa: S314 (ours)
    for row, div in zip(rows.rows, [e for e in root.iter("div") if e.get("data-told")], strict=True):
        told = [t.split("|") for t in (div.get("data-told") or "").split(";")]
        marks = [m for m in row.marks if m.who]
        assert [names[m.who] for m in marks] == [int(t[2]) for t in told]
        at = [rows.axis.place(rows.edge if math.isinf(m.at) and rows.edge is not None else m.at) for m in marks]
        assert [float(t[0]) for t in told] == pytest.approx(at, abs=0.06)
        uses = [float((u.get("x") or "").rstrip("%")) for u in div.iter("use")]
        assert len(uses) == sum(m.kind != "each" for m in row.marks)
        cloud = [p.get("d") or "" for p in div.iter("path")]
        assert sum(d.count("M") for d in cloud) == sum(m.kind == "each" for m in row.marks)


def test_curves_keep_gaps_failures_and_losses() -> None:
    nan, inf = math.nan, math.inf
    made = imagine(Imagined(applications=1, configurations=2))
    curve = Curve(
        name="c", spent=(1, 2, 3, 4), middle=(nan, inf, -0.5, 0.2), low=(nan, 0.3, -0.7, 0.1), high=(nan, inf, 0, inf)
    )
    lines = Lines(title="t", spent="runs", shown="saved", kind="share", curves=(curve,))
    given = replace(made, picks=[], runs=1, repetitions=(1, 1), lines={"fig9": [lines]})
    shown = lines_figure(given, "fig9")
    assert shown is not None
    plot, sheet = shown.parts
    assert isinstance(plot, Plot)
    assert [s.kind for s in plot.spots] == ["failed", "alpha", "alpha"]
    assert all(inside(plot.y, v) for v in (-0.7, -0.5, 0.2))
    assert plot.edge == plot.y.high > 0.2
    assert "failed" in str(sheet)


def test_png_files_are_pictures_of_all_that_there_is(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason=with_extra("pictures"))
    made = imagine(Imagined(applications=2, configurations=6, failed=0.2, again=True))
    paths = pictures(made, tmp_path)
    assert [p.name for p in paths] == [f"{name}.png" for name in FIGURES if name not in SHEETS]
    for path in paths:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert 5_000 < path.stat().st_size < 600_000
    before = paths[0].read_bytes()
    assert pictures(made, tmp_path, names=["regret"]) == paths[:1]
    assert paths[0].read_bytes() == before
    bare = imagine(Imagined(applications=1, configurations=1, failed=0, missing=0, cost=False, curves=False, methods=0))
    folder = tmp_path / "bare"
    folder.mkdir()
    assert [p.name for p in pictures(bare, folder)] == ["fig1.png", "fig5.png"]
    for name, error in (("fig6", MissingData), ("table4", MissingData), ("fig3", InvalidInput)):
        with pytest.raises(error):
            pictures(bare, folder, names=[name])
    with pytest.raises(InvalidInput, match="no folder"):
        pictures(bare, tmp_path / "none")


@pytest.mark.parametrize("worst", [0.5, 5.0, 50.0, 5000.0])
def test_the_label_of_failures_is_never_left_out(worst: float) -> None:
    made = imagine(Imagined(applications=3, configurations=4, failed=0.0, missing=0.0, methods=1))
    table = made.tables["time"]
    values = np.array([[1.0, 1.0 + worst, np.inf, 2.0]] * 3)
    pick = replace(made.picks[0], ranked=dict(zip(table.applications, [(0,), (1,), (2,)], strict=True)))
    given = replace(made, tables={"time": replace(table, values=values)}, picks=[pick])
    for name in ("regret", "fig5"):
        root = ET.fromstring(drawn(figure_of(name, given), {}))  # noqa: S314 (ours)
        (ruler,) = (e for e in root.iter("svg") if e.get("class") == "picture ruler")
        assert FAILED in [t.text for t in ruler.iter("text")]


@pytest.mark.parametrize("least", [0.18, 0.24, 0.45, 0.8])
def test_the_dashed_line_has_its_number(least: float) -> None:
    """Under figure 7 of cost 0.75x was written, and 1x, where the baseline is, left out as too near."""
    made = imagine(Imagined(applications=3, configurations=3, failed=0.0, missing=0.0, methods=1))
    table = replace(made.tables["cost"], values=np.array([[1.0, least, 0.9]] * 3))
    pick = replace(made.of_goal("cost")[0], ranked=dict.fromkeys(table.applications, (1,)))
    root = ET.fromstring(drawn(figure_of("fig7", replace(made, tables={"cost": table}, picks=[pick])), {}))  # noqa: S314
    (ruler,) = (e for e in root.iter("svg") if e.get("class") == "picture ruler")
    assert f"1{TIMES}" in [t.text for t in ruler.iter("text")]


def test_no_text_of_a_png_file_lies_on_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of figure 6 "failed" and the name of the first column were one word; marks lay on the legend's."""
    pytest.importorskip("matplotlib", reason=with_extra("pictures"))
    from matplotlib.figure import Figure as Canvas
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    seen: list[Canvas] = []
    save = Canvas.savefig

    def saved(canvas: Canvas, path: Path, **how: Any) -> None:
        seen.append(canvas)
        save(canvas, path, **how)

    monkeypatch.setattr(Canvas, "savefig", saved)
    pictures(imagine(Imagined(applications=3, configurations=12, failed=0.3, again=True)), tmp_path)
    for canvas in seen:
        texts = [t for t in canvas.findobj(Text) if t.get_visible() and t.get_text().strip()]
        boxes = [t.get_window_extent() for t in texts]
        assert all(box.x0 >= 0 and box.x1 <= canvas.bbox.x1 for box in boxes)
        for (a, one), (b, other) in itertools.combinations(zip(texts, boxes, strict=True), 2):
            assert not one.overlaps(other), (a.get_text(), b.get_text())
        for legend in canvas.legends:
            sizes = [key.get_markersize() for key in legend.legend_handles if isinstance(key, Line2D)]
            assert 0 < max(sizes) <= float(legend.get_texts()[0].get_fontsize())


def test_without_matplotlib_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acic.report.evaluation.png.find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match="matplotlib") as caught:
        pictures(imagine(Imagined(applications=1, configurations=2)), tmp_path)
    assert caught.value.hint == with_extra("pictures")


def test_a_picture_that_cannot_be_written_is_one_error_and_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason=with_extra("pictures"))
    (tmp_path / "fig1.png").mkdir()
    with pytest.raises(InvalidInput, match=r"fig1\.png: it is no file"):
        pictures(imagine(Imagined(applications=1, configurations=2)), tmp_path, names=["fig1"])
    assert [path.name for path in tmp_path.iterdir()] == ["fig1.png"]


def test_more_curves_than_marks_lie_apart_by_model() -> None:
    """Ten curves shared eight marks: two of different models were both blue circles."""
    made = imagine(Imagined(applications=1, configurations=2))
    curves = tuple(
        Curve(name=f"{model}, {plan}", spent=(1, 2), middle=(1, 2), low=(1, 1), high=(2, 3))
        for model in ("cart", "trees")
        for plan in "abcdef"
    )
    lines = Lines(title="regret", spent="runs", shown="regret", kind="share", curves=curves)
    shown = lines_figure(replace(made, lines={"learning": [lines]}), "learning")
    assert shown is not None
    plots = [part for part in shown.parts if isinstance(part, Plot)]
    assert [plot.caption for plot in plots] == ["regret: cart", "regret: trees"]
    for plot in plots:
        assert len({line.kind for line in plot.lines}) == len(plot.lines) == 6


def test_curves_tell_their_goal_and_what_the_paper_shows() -> None:
    """Regret in time was said to be the counterpart of what is saved in cost."""
    made = imagine(Imagined(applications=1, configurations=2))
    for goal, more in (("time", "--goal cost draws this in cost"), ("cost", "")):
        curve = Curve(name="c", spent=(1, 2), middle=(0.1, 0.2), low=(0, 0), high=(1, 1))
        lines = Lines(title="t", goal=goal, spent="runs", shown="v", kind="share", curves=(curve,), level=(2.0, "none"))
        shown = lines_figure(replace(made, lines={"fig8": [lines]}), "fig8")
        assert shown is not None
        assert shown.title.endswith(f", in {goal}")
        assert shown.counterpart.startswith("Figure 8, of what is saved in cost")
        assert more in shown.counterpart
        plot = shown.parts[0]
        assert isinstance(plot, Plot)
        assert plot.level is not None
        assert plot.level.name == "none: 200 %"
        assert inside(plot.y, 2.0)


def test_of_five_curves_each_is_named_and_the_last_lies_on_top() -> None:
    """The model's, whose figure it is, lay under another one and was not in the caption."""
    made = imagine(Imagined(applications=1, configurations=2))
    names = ("halving", "random", "random-walk", "pb-walk", "model")
    curves = tuple(Curve(name=n, spent=(1, 2), middle=(1, 0.1), low=(1, 0.1), high=(1, 0.1)) for n in names)
    lines = Lines(title="t", spent="runs", shown="v", kind="share", curves=curves)
    shown = lines_figure(replace(made, lines={"fig9": [lines]}), "fig9")
    assert shown is not None
    assert all(f"{name} 10 %" in shown.sees[0] for name in names)
    plot = shown.parts[0]
    assert isinstance(plot, Plot)
    assert (plot.lines[-1].name, plot.spots[-1].who) == ("model", "model")


def test_liars_have_a_panel_for_each_lie_and_model_on_the_same_axes() -> None:
    """They were a table of a benchmark alone."""
    made = imagine(Imagined(applications=1, configurations=2))
    more = np.array([0.2, 0.3, 0.5, 2.0])
    told = [liars(lie, model, more * k) for lie, k in (("noise", 1), ("x1000", 2)) for model in ("acic", "forest")]
    shown = crowd_figure(replace(made, lines={"crowd": told}))
    assert shown is not None
    panels, sheet = shown.parts
    assert isinstance(panels, Panels)
    assert isinstance(sheet, Sheet)
    assert [p.caption for p in panels.plots] == ["noise, acic", "noise, forest", "x1000, acic", "x1000, forest"]
    assert len({p.x for p in panels.plots}) == len({p.y for p in panels.plots}) == 1
    assert [name for _, name in panels.legend] == ["with the defence", "without it"]
    for plot, lines in zip(panels.plots, told, strict=True):
        assert plot.basis == "simulated"
        given = [(x, y, c.name) for c in lines.curves for x, y in zip(c.spent, c.middle, strict=True)]
        assert [(s.x, s.who) for s in plot.spots] == [(x, name) for x, _, name in given]
        assert [s.y - NEAR for s in plot.spots] == pytest.approx([y for _, y, _ in given])
        assert all(inside(plot.y, v) for line in plot.lines for place in line.places for v in place[1:])
    assert "up to 400 % without the defence (x1000), and up to 40 % with it (x1000)" in shown.sees[1]
    assert sheet.rows[0] == ("noise", "acic", "2.0 %", "20 %", "3.0 %", "30 %", "5.0 %", "50 %", "20 %", "200 %")
    failing = replace(told[0].curves[1], high=(0.2, 0.3, 0.5, math.inf), middle=(0.2, 0.3, 0.5, math.inf))
    shown = crowd_figure(replace(made, lines={"crowd": [replace(told[0], curves=(told[0].curves[0], failing))]}))
    assert shown is not None
    (plot,) = shown.parts[0].plots if isinstance(shown.parts[0], Panels) else ()
    assert plot.edge == plot.y.high
    assert plot.spots[-1].kind == "failed"
    assert "it is a failure without the defence (noise)" in shown.sees[0]


def test_eight_curves_are_told_apart_by_their_marks() -> None:
    made = imagine(Imagined(applications=1, configurations=2))
    many = tuple(
        Curve(name=f"line {i}", spent=(1, 2), middle=(i, i + 1), low=(i, i), high=(i + 1, i + 2)) for i in range(8)
    )
    lines = Lines(title="t", spent="runs", shown="regret", kind="share", curves=many)
    shown = lines_figure(replace(made, lines={"fig9": [lines]}), "fig9")
    assert shown is not None
    assert isinstance(shown.parts[0], Plot)
    shapes = [SHAPES[line.kind][0] for line in shown.parts[0].lines]
    assert len(set(shapes)) == 8
