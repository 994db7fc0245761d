"""The sections on what would change the answer, and on what an error in a characteristic would cost."""

from __future__ import annotations

from math import isfinite

from acic.advisor.explaining import Explanation
from acic.advisor.sensitivity import Dependence, WhatIf
from acic.platforms import Platform
from acic.report.explanation import sentences, words
from acic.report.html import Markup, element, join
from acic.report.parts import Column, basis, paragraph, section, table
from acic.report.pictures import bar
from acic.workloads import Workload


def turns_section(found: Explanation, workload: Workload, platform: Platform) -> Markup:
    """Return, for each characteristic, the values that were tried, and those with which the answer is another."""
    every = [one for one in sentences.ordered(found) if one.levels]
    columns = [
        Column("characteristic"),
        Column("this job's value, and others that were tried", "wide"),
        Column("rather", "wide"),
    ]
    rows = [
        [words.name_of(one, workload), _levels(one, found, platform), _rather(one, found, platform)] for one in every
    ]
    keys = [element("li", name, class_=kind) for name, kind in _KEYS]
    return section(
        "turns",
        "What would change the answer?",
        paragraph(basis("predicted"), " One characteristic is changed at a time; all others stay."),
        element("ul", *keys, class_="levels keys"),
        table("Where the answer stays, and where it is another", columns, rows, kind="chart") if rows else None,
        *map(paragraph, sentences.steady(found, workload)),
    )


_KEYS = (("this job", "own"), ("the same answer", "stays"), ("another answer", "turns"))


def _levels(one: Dependence, found: Explanation, platform: Platform) -> Markup:
    below = [level for level in one.levels if one.is_numeric and float(level.value) < float(one.value)]
    above = [level for level in one.levels if level not in below]
    own = element("li", words.own_value(one), class_="own", title="this job")
    chips = (
        element("li", words.characteristic(one.name, level.value), **_kind(level, found, platform)) for level in below
    )
    rest = (
        element("li", words.characteristic(one.name, level.value), **_kind(level, found, platform)) for level in above
    )
    return element("ol", *chips, own, *rest, class_="levels")


def _kind(level: WhatIf, found: Explanation, platform: Platform) -> dict[str, str]:
    if not level.changes:
        return {"class_": "stays", "title": "the same answer"}
    rather = words.difference(platform, found.answer, level.instead)
    return {"class_": "turns", "title": f"rather {rather}; staying takes {words.more([level.regret], 'more')}"}


def _rather(one: Dependence, found: Explanation, platform: Platform) -> Markup:
    lines = [
        element(
            "span",
            element("strong", words.characteristic(one.name, turn.value) + onward),
            f": {words.difference(platform, found.answer, turn.instead)}; staying takes "
            f"{words.more([turn.regret], 'more')}",
            class_="setting",
        )
        for turn, onward in sentences.turns(one)
    ]
    return join(lines)


def errors_section(found: Explanation, workload: Workload) -> Markup:
    """Return what today's answer takes more than the best if a characteristic is another, as bars."""
    harmful = sentences.harmful(found)
    most = max((e.regret for one in harmful for e in sentences.costly(one) if isfinite(e.regret)), default=0.0)
    columns = [
        Column("characteristic"),
        Column("taken as"),
        Column("known"),
        Column("if it is"),
        Column("this answer takes more than the best", "picture"),
        Column("more", "number"),
    ]
    rows = [
        [
            words.name_of(one, workload),
            words.own_value(one),
            str(one.quality),
            words.characteristic(one.name, error.value),
            bar(min(error.regret / most, 1.0) if most else 1.0, words.more([error.regret], "more"), kind="worse"),
            words.more([error.regret], "").strip(),
        ]
        for one in harmful
        for error in sentences.costly(one)
    ]
    return section(
        "errors",
        "What if a characteristic is wrong?",
        paragraph(basis("predicted"), " Numbers are halved and doubled; of labels each other one is tried."),
        table("What errors would cost", columns, rows, kind="chart") if rows else None,
        *map(paragraph, sentences.errors(found, workload)),
    )
