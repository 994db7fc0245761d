"""The page: the figures with their style and their script inside, in one file that asks nothing of the network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

import acic
from acic.errors import InvalidInput, MissingData
from acic.report.evaluation.chart import Figure
from acic.report.evaluation.crowd import crowd_figure
from acic.report.evaluation.drawn import drawn, names_of, shapes
from acic.report.evaluation.evaluation import ELSEWHERE, FIGURES, SLOW, Evaluation
from acic.report.evaluation.fields import field_figure
from acic.report.evaluation.headline import basis_section, header
from acic.report.evaluation.lines import lines_figure
from acic.report.evaluation.observed import observations_figure
from acic.report.evaluation.optimal import optimal_figure
from acic.report.evaluation.ranks import ranks_figure
from acic.report.evaluation.regrets import regret_figure
from acic.report.evaluation.spread import spread_figure
from acic.report.evaluation.top import top_figure
from acic.report.html import Markup, element
from acic.report.page import asset, document
from acic.report.parts import paragraph

_BUILD: dict[str, Callable[[Evaluation], Figure | None]] = {
    "regret": regret_figure,
    "table1": ranks_figure,
    "fig1": spread_figure,
    "table4": optimal_figure,
    "observations": observations_figure,
    "fig5": partial(field_figure, goal="time"),
    "fig6": partial(field_figure, goal="cost"),
    "fig7": top_figure,
    "fig8": partial(lines_figure, name="fig8"),
    "fig9": partial(lines_figure, name="fig9"),
    "learning": partial(lines_figure, name="learning"),
    "transfer": partial(lines_figure, name="transfer"),
    "crowd": crowd_figure,
}
_HELP = "Point at a mark, or reach a picture with Tab and go from mark to mark with the arrow keys, to see what it is."


def page(given: Evaluation, *, names: Collection[str] = tuple(FIGURES)) -> str:
    """Return the figures `names`, in the order of all, as one HTML document that asks nothing of the network."""
    made = {name: _BUILD[name](given) for name in FIGURES if name in names}
    lost = [f"{name} ({FIGURES[name]}{_why_not(name)})" for name, drawing in made.items() if drawing is None]
    return _document(given, [f for f in made.values() if f is not None], lost)


def _why_not(name: str) -> str:
    if name in SLOW:
        return "; takes long, and is made where --figure calls for it"
    return "; of the applications for development, and made where --figure calls for it" if name in ELSEWHERE else ""


def figure(name: str, given: Evaluation) -> str:
    """Return one figure as such a document.

    Raises:
        InvalidInput: there is no figure of that name.
        MissingData: there is nothing to draw.
    """
    return _document(given, [figure_of(name, given)], [])


def figure_of(name: str, given: Evaluation) -> Figure:
    """Return one figure as data.

    Raises:
        InvalidInput: there is no figure of that name.
        MissingData: there is nothing to draw.
    """
    if name not in _BUILD:
        raise InvalidInput(f"there is no figure {name!r}", hint=f"choose one of: {', '.join(FIGURES)}")
    made = _BUILD[name](given)
    if made is None:
        raise MissingData(f"nothing to draw as {name}: {FIGURES[name]}", hint="measure, or compute, more of it first")
    return made


def _document(given: Evaluation, figures: Sequence[Figure], lost: Sequence[str]) -> str:
    style = Markup(asset("style.css") + asset("evaluation/evaluation.css"))
    script = asset("evaluation/hover.js")
    names = names_of(figures)
    index = {name: number for number, name in enumerate(names)}
    alone = FIGURES[figures[0].name] if len(figures) == 1 else "evaluation"
    made = f"acic {acic.__version__} on {given.made:%Y-%m-%d %H:%M %Z}".strip()
    links = [element("a", f.title, href=f"#{f.name}") for f in figures]
    body = element(
        "body",
        element("a", "Skip to the figures", href="#main", class_="skip"),
        shapes(),
        header(given, whole=len(figures) > 1),
        element("nav", *links, element("a", "What is what", href="#basis"), aria_label="Figures"),
        element(
            "main",
            paragraph(_HELP, kind="counterpart help"),
            *(drawn(f, index) for f in figures),
            basis_section(given, lost),
            id="main",
        ),
        element("footer", paragraph(f"Made by {made}: {given.command}. This file holds all that it shows.")),
        element("ol", *(element("li", name) for name in names), id="names", class_="names"),
        element("script", script),
    )
    return document(f"{given.platform.name}: acic {alone}", style, script, body)
