"""The section on what an answer rests on: the measurements nearest to it, and what limits its precision."""

from __future__ import annotations

from acic.advisor.explaining import Explanation
from acic.advisor.support import Support
from acic.platforms import Platform
from acic.report.explanation import sentences, words
from acic.report.html import Markup, element, join
from acic.report.parts import Column, basis, paragraph, section, table


def support_section(found: Explanation, platform: Platform) -> Markup:
    """Return the nearest measured points, what lies outside of them, and where the interval's width comes from."""
    told = filter(None, (sentences.outside(found), *sentences.precision(found, platform)))
    return section(
        "support",
        "What does it rest on?",
        None if found.support is None else _nearest(found.support, words.answer(found), platform),
        *map(paragraph, told),
    )


def _nearest(near: Support, answer: str, platform: Platform) -> Markup:
    columns = [Column("what is different there", "wide"), Column("levels away", "number")]
    columns += [Column("measured gain", "number"), Column("runs", "number")]
    rows = []
    for one in near.nearest:
        workload, configuration = words.unlike(one, platform)
        where = join([element("span", configuration, class_="setting"), element("span", workload, class_="load")])
        rows.append([where, f"{one.steps:.3g}", f"{one.improvement:.2f}x", str(one.runs)])
    return join(
        [
            paragraph(basis("measured"), " ", sentences.nearest(near, answer)),
            table("The nearest points that were measured", columns, rows),
        ]
    )
