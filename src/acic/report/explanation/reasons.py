"""The section on why: the difference from the baseline, shared out among parameters and characteristics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate

from acic.advisor.attribution import Cause, Character
from acic.advisor.changes import Unit
from acic.advisor.explaining import Explanation
from acic.platforms import Platform
from acic.report.axis import Axis, around_zero, log_axis
from acic.report.explanation import sentences, words
from acic.report.explanation.words import SLIGHT
from acic.report.html import Markup, element, join
from acic.report.parts import Column, basis, paragraph, section, table
from acic.report.pictures import ruler, span
from acic.report.words import times_tick
from acic.workloads import Workload

SHOWN = 6  # characteristics of a phase, those that matter most


def reasons_section(found: Explanation, workload: Workload, platform: Platform) -> Markup:
    """Return what led to the answer, as bars that go on from one another."""
    told = (sentences.compared(found, platform), sentences.difference(found))
    shown = (
        [
            _parts(found, workload),
            _changes(found, platform),
            *(_character(found, c, workload) for c in found.characters),
        ]
        if found.theirs != found.ours
        else []
    )
    return section(
        "why",
        f"Why this, and not the {sentences.other(found)}?",
        paragraph(basis("predicted"), " ", " ".join(filter(None, told))),
        *shown,
        paragraph("What led the model to it:"),
        element("ul", *(element("li", reason) for reason in found.advice.recommendations[0].why), class_="notes"),
    )


def counted(character: Character, workload: Workload) -> list[tuple[str, str, list[Cause]]]:
    """Return what a phase's difference is told by, those that matter least in one: a name, its value, the causes."""
    own = workload.phases[character.phase].characteristics
    causes = [one for one in character.causes if abs(one.factor - 1) >= SLIGHT / 2][:SHOWN]
    rest = [one for one in character.causes if one not in causes]
    typical = "workloads on average" if character.measured > 1 else "another workload"
    rows = [(typical, f"{character.measured} measured", [character.typical])]
    rows += [(one.name, words.characteristic(one.name, getattr(own, one.name)), [one]) for one in causes]
    if rest:
        rows.append(("the other characteristics", "", rest))
    if abs(character.level.factor - 1) >= SLIGHT / 2:
        rows.append(("its seconds on the baseline", "", [character.level]))
    return [*rows, ("all together", "", [character.typical, *character.causes, character.level])]


def _parts(found: Explanation, workload: Workload) -> Markup | None:
    if len(found.parts) < 2:
        return None
    title = "By what costs money" if found.unit is Unit.USD else "By what takes time"
    return _bridge(found, title, [(words.part(one, workload), "", one.saves) for one in found.parts], "")


def _changes(found: Explanation, platform: Platform) -> Markup:
    rows = []
    for change in found.changes.parts:
        before, after = words.sides(platform, change)
        rows.append((", ".join(change.names), f"{after}, not {before}", change.saves))
    return join([_bridge(found, "By parameter", rows, "change"), _sentence(sentences.orders(found))])


def _bridge(found: Explanation, title: str, parts: Sequence[tuple[str, str, float]], told: str) -> Markup:
    """Return how what the other takes becomes, part by part, what the answer takes.

    Args:
        found: the explanation.
        title: of the table.
        parts: name, what is said of it, what it saves.
        told: heading of what is said; "" for none.
    """
    ends = list(accumulate((saves for _, _, saves in parts), lambda left, saves: left - saves, initial=found.theirs))
    # what one change saves alone may be more than all of the run, where another one costs that again
    axis = around_zero(min(ends), max(ends), lambda value: words.amount(found, value) if value else "0")
    theirs, ours = (words.amount(found, end) for end in (found.theirs, found.ours))
    bars = [_bar(axis, f"the {sentences.other(found)}: {theirs}", "", 0.0, found.theirs, "whole")]
    for (name, said, saves), start, end in zip(parts, ends, ends[1:], strict=False):
        bars.append(
            _bar(axis, name, said, start, end, "better" if saves >= 0 else "worse", *words.saving(found, saves))
        )
    bars.append(_bar(axis, f"{words.answer(found)}: {ours}", "", 0.0, found.ours, "whole"))
    what = "cost" if found.unit is Unit.USD else "time"
    columns = [Column(""), Column(told, "wide"), Column(join([what, ruler(axis)]), "picture")]
    columns += [Column("saves", "number"), Column("share", "number")]
    keep = [i for i in range(len(columns)) if told or i != 1]
    return table(title, [columns[i] for i in keep], [[bar[i] for i in keep] for bar in bars], kind="chart bridge")


def _bar(
    axis: Axis, name: str, said: str, start: float, end: float, kind: str, saves: str = "", share: str = ""
) -> list[object]:
    label = f"{name}: saves {saves}" if saves else name
    return [name, said, span(axis, start, end, label, kind, neutral=0.0 if axis.low < 0 else None), saves, share]


def _character(found: Explanation, character: Character, workload: Workload) -> Markup:
    """Return how the factors of characteristics multiply to that of a phase."""
    *causes, whole = counted(character, workload)
    factors = [math.prod(cause.factor for cause in some) for _, _, some in causes]
    ends = list(accumulate(factors, lambda left, factor: left * factor, initial=1.0))
    axis = log_axis(ends, times_tick, with_value=1.0)
    rows = [
        [*_factor(axis, start, end, name, "better" if end >= start else "worse"), value, *_effect(found, some)]
        for (name, value, some), start, end in zip(causes, ends, ends[1:], strict=False)
    ]
    rows.append([*_factor(axis, 1.0, character.factor, whole[0], "whole"), "", *_effect(found, whole[2])])
    gain = "cheaper" if found.unit is Unit.USD else "faster"
    columns = [
        Column(""),
        Column(join([gain, ruler(axis)]), "picture"),
        Column("its value"),
        Column(gain, "number"),
        Column("saves", "number"),
    ]
    return table(
        f"By characteristic of {words.phase_name(character.phase, workload)}", columns, rows, kind="chart bridge"
    )


def _factor(axis: Axis, start: float, end: float, name: str, kind: str) -> list[object]:
    return [name, span(axis, start, end, f"{name}: {end / start:.2f}x", kind, neutral=1.0)]


def _effect(found: Explanation, causes: Iterable[Cause]) -> list[object]:
    some = list(causes)
    return [f"{math.prod(c.factor for c in some):.2f}x", words.amount(found, sum(c.saves for c in some))]


def _sentence(text: str) -> Markup | None:
    return paragraph(text) if text else None
