"""How `acic explain` speaks: four questions, each answered in a sentence or two and a small table."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence

import click

from acic.advisor.attribution import Cause, Character
from acic.advisor.changes import Unit
from acic.advisor.explaining import Against, Explanation
from acic.advisor.learning import can_train
from acic.advisor.ranking import TIE
from acic.advisor.sensitivity import Dependence
from acic.advisor.support import Limit, Near, Support
from acic.cli import explain_words as words
from acic.cli.output import printable, table
from acic.platforms import Platform
from acic.workloads import Quality, Workload
from acic.workloads.parameters import WORKLOAD_PARAMETERS

SLIGHT = 0.01  # a regret below that is none: predictions so close are one answer
SHOWN = 6  # characteristics of a phase, those that matter most
CELL = 100  # letters in a line of a cell
_OTHERS = {Against.BASELINE: "baseline", Against.RUNNER_UP: "runner-up", Against.NAMED: "one named"}


def show(found: Explanation, workload: Workload, platform: Platform) -> None:
    """Print an explanation for people."""
    advice = found.advice
    headline = (
        f"{advice.workload} on {advice.platform}, goal {advice.goal}; model {advice.model} from "
        f"{advice.measurements} measurements"
    )
    click.echo(printable(headline))
    words.paragraph(f"Recommended: {words.parameters(platform, found.answer)}")
    words.paragraph(f"Verdict: {advice.verdict}: {advice.reason}.")
    _show_why(found, workload, platform)
    _show_turns(found, workload, platform)
    _show_errors(found, workload)
    _show_support(found, platform)


def _show_why(found: Explanation, workload: Workload, platform: Platform) -> None:
    other = _OTHERS[found.against]
    click.echo(f"\n1. Why this, and not the {other}?\n")
    if found.against is not Against.BASELINE:
        unlike = words.difference(platform, found.answer, found.other) or "the same values"
        words.paragraph(f"The {other} has {unlike}.")
    words.paragraph(_difference(found))
    words.paragraph(f"What led the model to it: {'; '.join(found.advice.recommendations[0].why)}.")
    if found.theirs == found.ours:
        return
    if len(found.parts) > 1:
        click.echo("\nBy what takes time:" if found.unit is not Unit.USD else "\nBy what costs money:")
        where = (p.what if p.phase is None else words.phase_name(p.phase, workload) for p in found.parts)
        rows = [[name, *words.saving(found, p.saves)] for name, p in zip(where, found.parts, strict=True)]
        table(["", "saves", "share"], rows, right=("saves", "share"))
    _show_changes(found, platform, other)
    for character in found.characters:
        _show_character(found, character, workload)


def _difference(found: Explanation) -> str:
    """Return what the answer takes beside the other, and why it is the answer where it takes more."""
    ours, theirs = (words.amount(found, number) for number in (found.ours, found.theirs))
    if found.ours <= found.theirs:
        return f"Predicted: {ours} instead of {theirs}, so it saves {words.amount(found, found.theirs - found.ours)}."
    more = f"Predicted: {ours} instead of {theirs}, so it takes {words.amount(found, found.ours - found.theirs)} more."
    if found.ours > found.theirs * (1 + TIE):
        return more
    other = "faster" if found.unit is Unit.USD else "cheaper"
    return (
        f"{more} That is a tie: of what is within {TIE:.0%}, the one that is {other}, or changes less, is the answer."
    )


def _show_changes(found: Explanation, platform: Platform, other: str) -> None:
    click.echo("\nBy parameter:")
    rows = []
    for change in found.changes.parts:
        sides = (zip(change.names, side, strict=True) for side in (change.before, change.after))
        before, after = (", ".join(platform.space[n].text(v) for n, v in side) for side in sides)
        rows.append([", ".join(change.names), before, after, *words.saving(found, change.saves)])
    table(["", f"the {other}", "recommended", "saves", "share"], rows, right=("saves", "share"))
    if len(rows) < 2:
        return
    possible, between = found.changes.possible, found.changes.between
    orders = "every order"
    if possible < between:
        orders = f"every order that leads through valid configurations ({possible} of {between} combinations are)"
    together = " Parameters on one line can only be changed together." if any("," in row[0] for row in rows) else ""
    words.paragraph(f"They are changed one after another, in {orders}; this is the mean.{together}")


def _show_character(found: Explanation, character: Character, workload: Workload) -> None:
    own = workload.phases[character.phase].characteristics
    counted = [one for one in character.causes if abs(one.factor - 1) >= SLIGHT / 2][:SHOWN]
    rest = [one for one in character.causes if one not in counted]
    typical = "workloads on average" if character.measured > 1 else "another workload"
    rows = [[typical, f"{character.measured} measured", *_effect(found, [character.typical])]]
    rows += [[o.name, words.characteristic(o.name, getattr(own, o.name)), *_effect(found, [o])] for o in counted]
    if rest:
        rows.append(["the other characteristics", "", *_effect(found, rest)])
    if abs(character.level.factor - 1) >= SLIGHT / 2:
        rows.append(["its seconds on the baseline", "", *_effect(found, [character.level])])
    rows.append(["all together", "", *_effect(found, [character.typical, *character.causes, character.level])])
    gain = "cheaper" if found.unit is Unit.USD else "faster"
    click.echo(f"\nBy characteristic of {words.phase_name(character.phase, workload)}:")
    table(["", "its value", gain, "saves"], rows, right=(gain, "saves"))


def _effect(found: Explanation, causes: Sequence[Cause]) -> list[str]:
    factor = math.prod(cause.factor for cause in causes)
    return [f"{factor:.2f}x", words.amount(found, sum(cause.saves for cause in causes))]


def _show_turns(found: Explanation, workload: Workload, platform: Platform) -> None:
    click.echo("\n2. What would change the answer?\n")
    every = _ordered(found)
    if rows := [row for one in every for row in _turns(one, found, workload, platform)]:
        table(["characteristic", "its value", "with", "rather", "staying takes"], rows)
    if steady := [one for one in every if one.levels and not any(level.changes for level in one.levels)]:
        tried = "measured" if found.advice.measurements else "tried"
        words.paragraph(f"Nothing that was {tried} changes it in {words.listed(steady, workload, words.span)}.")
    if blind := [one for one in every if not one.levels]:
        words.paragraph(f"No other value that can be was measured of {words.listed(blind, workload)}.")


def _turns(one: Dependence, found: Explanation, workload: Workload, platform: Platform) -> Iterable[list[str]]:
    turns = [(turn, f" or {onward}") for turn, onward in ((one.below, "less"), (one.above, "more")) if turn]
    for turn, onward in (*turns, *((other, "") for other in one.others)):
        at_end = turn in (one.levels[0], one.levels[-1])
        yield [
            words.name_of(one, workload),
            words.own_value(one),
            words.characteristic(one.name, turn.value) + ("" if at_end or not one.onward(turn) else onward),
            words.difference(platform, found.answer, turn.instead),
            words.more([turn.regret], "more"),
        ]


def _show_errors(found: Explanation, workload: Workload) -> None:
    click.echo("\n3. What if a characteristic is wrong?\n")
    if harmful := [one for one in found.dependences if one.harm >= SLIGHT]:
        rows = [[words.name_of(one, workload), words.own_value(one), *_harms(one)] for one in harmful]
        table(["characteristic", "taken as", "known", "if it is", "this answer takes"], rows)
    doubtful = [one for one in harmful if one.quality is not Quality.EXACT]
    if doubtful:
        names = ", ".join(words.name_of(one, workload) for one in doubtful)
        words.paragraph(f"Worth knowing better, most first: {names}.")
    elif harmful:
        words.paragraph("These are known exactly, so nothing needs to be measured better.")
    if harmless := [one for one in _ordered(found) if one.harm < SLIGHT and one.errors]:
        words.paragraph(
            f"Half, twice or another label costs less than {SLIGHT:.0%}, where it was measured, in "
            f"{words.listed(harmless, workload)}."
        )
    if beyond := [one for one in _ordered(found) if one.unmeasured]:
        words.paragraph(
            f"Nobody can tell, because it was not measured: {words.listed(beyond, workload, words.unmeasured)}."
        )


def _harms(one: Dependence) -> list[str]:
    costly = sorted((error for error in one.errors if error.regret >= SLIGHT), key=lambda error: -error.regret)
    return [
        str(one.quality),
        ", ".join(words.characteristic(one.name, error.value) for error in costly),
        words.more([error.regret for error in costly], "more than the best"),
    ]


def _show_support(found: Explanation, platform: Platform) -> None:
    click.echo("\n4. What does it rest on?\n")
    if found.support is not None:
        _show_nearest(found.support, platform)
    if outside := found.advice.extrapolated:
        words.paragraph(f"Outside of what was measured: {'; '.join(outside)}.")
    _show_precision(found, platform)


def _show_nearest(near: Support, platform: Platform) -> None:
    configurations = f"{near.on_workload} configuration{'s' * (near.on_workload != 1)}"
    away = (
        f"The workload measured nearest is {near.workload_steps:.3g} levels away, on {configurations}."
        if near.workload_steps
        else f"This very workload was measured on {configurations}."
    )
    words.paragraph(
        f"{near.points} points were measured beside the baseline's, {near.on_configuration or 'none'} of them on the "
        f"recommended configuration. {away} The nearest points:"
    )
    rows = [
        [f"{one.steps:.3g}", f"{one.improvement:.2f}x", str(one.runs), _unlike(one, platform)] for one in near.nearest
    ]
    columns = ["levels away", "measured gain", "runs", "what is different there"]
    table(columns, rows, right=("levels away", "measured gain", "runs"))


def _unlike(one: Near, platform: Platform) -> str:
    workload = ", ".join(f"{name} {words.characteristic(name, value)}" for name, value in one.workload.items())
    configuration = words.parameters(platform, one.configuration)
    lines = (workload or "the same workload", configuration or "the same configuration")
    return "\n".join(textwrap.fill(line, CELL) for line in lines)


def _show_precision(found: Explanation, platform: Platform) -> None:
    why = found.precision
    if why is None:
        words.paragraph("The answer is the baseline itself, whose improvement is 1 by definition.")
        return
    gain = found.advice.recommendations[0].io_improvement
    of_what = "points that it had not seen" if why.seen else "workloads that it had not seen"
    words.paragraph(
        f"Of the I/O, {gain.value:.2f}x is predicted, {gain.low:.2f}x to {words.factor(gain.high)} in 8 of 10 cases, "
        f"because the model errs by {words.factor(why.model)} on {of_what}, the baseline is known to "
        f"{why.baseline:.2f}x, and runs of the same thing differ by {why.noise:.2f}x. What is picked because it seems "
        "best is slower than predicted more often than faster, so the slow end is farther away."
    )
    own = platform.argument
    how = (
        f"acic train --platform {own} --like LOG" if can_train(platform) else f"acic data import FILE --platform {own}"
    )
    words.paragraph(
        {
            Limit.MODEL: f"The model limits it: to measure workloads like this one would help most ({how}).",
            Limit.BASELINE: f"The baseline limits it: to measure it with workloads like this one would help ({how}).",
            Limit.NOISE: "The noise of the platform limits it: only more repetitions would help.",
        }[why.limit]
    )


def _ordered(found: Explanation) -> list[Dependence]:
    """Return the dependences by phase and characteristic."""
    names = [p.name for p in WORKLOAD_PARAMETERS]
    return sorted(found.dependences, key=lambda one: (-1 if one.phase is None else one.phase, names.index(one.name)))
