"""The page: an answer and its reasons in one file that asks nothing of the network."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import acic
from acic.advisor.explaining import Explanation
from acic.blueprints import Instruction
from acic.platforms import Platform
from acic.report.explanation import sentences
from acic.report.explanation.answer import answer_section, header
from acic.report.explanation.buffering import buffering_section
from acic.report.explanation.reasons import reasons_section
from acic.report.explanation.support_section import support_section
from acic.report.explanation.turns import errors_section, turns_section
from acic.report.html import Markup, element
from acic.report.page import asset, document
from acic.report.parts import paragraph
from acic.workloads import Workload

_LINKS = (
    ("answer", "The answer"),
    ("why", "Why this"),
    ("turns", "What would change it"),
    ("errors", "What errors cost"),
    ("support", "What it rests on"),
)


def page(
    found: Explanation,
    workload: Workload,
    platform: Platform,
    todo: Sequence[Instruction],
    *,
    command: str,
    made: datetime,
) -> str:
    """Return an explanation as one HTML document.

    Args:
        found: the explanation.
        workload: the application's.
        platform: where it is to run.
        todo: what to type for the answer; nothing where nothing is to be changed.
        command: that made it, as it was typed.
        made: when.
    """
    style = Markup(asset("style.css") + asset("explanation/explanation.css"))
    more = (("buffering", "Collective buffering"),) if found.buffering else ()
    links = [element("a", name, href=f"#{anchor}") for anchor, name in (*_LINKS, *more)]
    told = f"{sentences.headline(found)}. Made by acic {acic.__version__} on {made:%Y-%m-%d %H:%M %Z}".strip()
    body = element(
        "body",
        element("a", "Skip to the answer", href="#main", class_="skip"),
        header(found),
        element("nav", *links, aria_label="Sections"),
        element(
            "main",
            answer_section(found, platform, todo),
            reasons_section(found, workload, platform),
            turns_section(found, workload, platform),
            errors_section(found, workload),
            support_section(found, platform),
            buffering_section(found, workload, platform),
            id="main",
        ),
        element("footer", paragraph(f"{told}: {command}. 1 MiB is 1,048,576 bytes.")),
    )
    return document(f"{found.advice.workload} on {found.advice.platform}: acic explain", style, Markup(""), body)
