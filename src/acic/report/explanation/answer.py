"""The head of the page: the answer, how much it promises, and what to type for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

from acic.advisor.advice import Estimate, Verdict
from acic.advisor.explaining import Explanation
from acic.blueprints import Instruction
from acic.platforms import Platform
from acic.report.explanation import words
from acic.report.head_section import tile
from acic.report.html import Markup, element, join
from acic.report.parts import Column, basis, paragraph, section, table
from acic.report.words import NOTHING
from acic.units import format_seconds, format_usd

_STATUS = {"change": "done", "verify": "paused", "nothing": "running"}  # as the style sheet colours them


def header(found: Explanation) -> Markup:
    """Return what was asked, the verdict, and the figures that matter most."""
    advice, best = found.advice, found.advice.recommendations[0]
    tiles = [
        tile("improvement", *_figures(best.improvement, "{:.2f}x".format), f"in {advice.goal}, of the whole run"),
        tile("of the I/O alone", *_figures(best.io_improvement, "{:.2f}x".format)),
        tile(
            "run time", *_figures(best.seconds, format_seconds), f"baseline {format_seconds(advice.baseline_seconds)}"
        ),
    ]
    if best.cost is not None and advice.baseline_cost is not None:
        tiles.append(tile("cost", *_figures(best.cost, format_usd), f"baseline {format_usd(advice.baseline_cost)}"))
    return element(
        "header",
        paragraph(basis("predicted"), " acic explain", kind="kind"),
        element("h1", f"{advice.workload} on {advice.platform}"),
        paragraph(
            element("span", str(advice.verdict), class_=f"status {_STATUS[advice.verdict]}"),
            f"{advice.reason}.",
        ),
        element("dl", *tiles, class_="tiles four"),
    )


def answer_section(found: Explanation, platform: Platform, todo: Sequence[Instruction]) -> Markup:
    """Return the configuration beside the baseline's, what hangs on it, and what to type."""
    advice, best = found.advice, found.advice.recommendations[0]
    columns = [Column("parameter"), Column("the baseline"), Column(words.answer(found)), Column("as good")]
    rows = []
    for parameter in platform.space.parameters:
        before, after = (one.get(parameter.name) for one in (advice.baseline, found.answer))
        free = [value for value in best.free.get(parameter.name, ()) if value != after]
        told = parameter.text(after) if before == after else element("strong", parameter.text(after))
        rows.append([parameter.name, parameter.text(before), told, ", ".join(map(parameter.text, free)) or NOTHING])
    lines = "\n".join(line for one in todo for line in one.lines)
    title, bold = "What is recommended", "is to be changed"
    if advice.verdict is Verdict.NOTHING:
        title, bold = "What is predicted to be best", "differs from the baseline. Nothing is to be changed"
    return section(
        "answer",
        title,
        _cautions(advice.cautions),
        table(f"The first answer; bold is what {bold}", columns, rows),
        join([element("h3", "To apply it"), element("pre", lines)]) if lines else None,
        _notes(advice.notes),
    )


def _cautions(cautions: Sequence[str]) -> Markup | None:
    if not cautions:
        return None
    return element("div", *(paragraph(one) for one in cautions), class_="alarm", role="note")


def _notes(notes: Sequence[str]) -> Markup | None:
    return element("ul", *(element("li", one) for one in notes), class_="notes") if notes else None


def _figures(estimate: Estimate, text: Callable[[float], str]) -> tuple[str, str]:
    """Return a figure, and its interval."""
    low, high = (text(end) if isfinite(end) and end > 0 else "?" for end in (estimate.low, estimate.high))
    known = estimate.low == estimate.value == estimate.high
    return text(estimate.value), "by definition" if known else f"80 % interval {low} to {high}"
