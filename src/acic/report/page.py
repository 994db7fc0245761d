"""The page: all sections, with their style and their script inside, in one file that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from pathlib import Path

from acic.report.contents import Contents
from acic.report.course_section import course_section
from acic.report.gain_sections import best_section, effects_section, spread_section
from acic.report.head_section import footer, header, method_section, trouble_section
from acic.report.html import Markup, element
from acic.report.model_section import model_section
from acic.report.points_section import points_section
from acic.whole import whole

_SECTIONS = (
    ("troubles", "What went wrong", trouble_section),
    ("effects", "What matters", effects_section),
    ("best", "Best configurations", best_section),
    ("spread", "Spread", spread_section),
    ("model", "Model error", model_section),
    ("course", "Course", course_section),
    ("points", "All points", points_section),
    ("method", "Method", method_section),
)


def page_of(contents: Contents) -> str:
    """Return the report as one HTML document."""
    style, script = asset("style.css"), asset("points.js")
    links = [element("a", name, href=f"#{anchor}") for anchor, name, _ in _SECTIONS]
    body = element(
        "body",
        element("a", "Skip to the report", href="#main", class_="skip"),
        header(contents),
        element("nav", *links, aria_label="Sections"),
        element("main", *(build(contents) for _, _, build in _SECTIONS), id="main"),
        footer(contents),
        element("script", script),
    )
    return document(f"{contents.headline.summary.name}: acic campaign report", style, script, body)


def document(title: str, style: Markup, script: Markup, body: Markup) -> str:
    """Return a page that needs nothing but itself, and may load nothing else."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", style),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def write_page(path: Path, page: str) -> None:
    """Write the page, whole or not at all.

    Raises:
        InvalidInput: it cannot be written.
    """
    with whole(path) as unfinished:
        unfinished.write(page.encode())


def asset(name: str) -> Markup:
    """Return a file that comes with the report."""
    return Markup((files("acic.report") / name).read_text(encoding="utf-8"))


def _policy(style: str, script: str) -> str:
    """Return what the browser may run and load: this style and this script, and nothing from anywhere else."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
