"""How `acic explain` speaks: its questions, each answered in a sentence or two and a small table."""

from __future__ import annotations

import math
import shutil
import sys
import textwrap

import click

from acic.advisor.attribution import Character
from acic.advisor.changes import Unit
from acic.advisor.explaining import Explanation
from acic.advisor.support import Near, Support
from acic.cli.output import printable, table
from acic.platforms import Platform
from acic.report.explanation import buffering, sentences, words
from acic.report.explanation.reasons import counted
from acic.workloads import Workload

CELL = 100  # letters in a line of a cell
_WIDTH = 120


def show(found: Explanation, workload: Workload, platform: Platform) -> None:
    """Print an explanation for people."""
    advice = found.advice
    click.echo(printable(sentences.headline(found)))
    _paragraph(f"{words.answer(found).capitalize()}: {words.parameters(platform, found.answer)}")
    _paragraph(f"Verdict: {advice.verdict}: {advice.reason}.")
    _show_why(found, workload, platform)
    _show_turns(found, workload, platform)
    _show_errors(found, workload)
    _show_support(found, platform)
    _show_buffering(found, workload, platform)


def _paragraph(text: str) -> None:
    """Print a sentence or more, in lines that the terminal can hold; nothing of none."""
    if not text:
        return
    width = min(_WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else _WIDTH
    click.echo(textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False))


def _show_why(found: Explanation, workload: Workload, platform: Platform) -> None:
    click.echo(f"\n1. Why this, and not the {sentences.other(found)}?\n")
    _paragraph(sentences.compared(found, platform))
    _paragraph(sentences.difference(found))
    _paragraph(f"What led the model to it: {'; '.join(found.advice.recommendations[0].why)}.")
    if found.theirs == found.ours:
        return
    if len(found.parts) > 1:
        click.echo("\nBy what takes time:" if found.unit is not Unit.USD else "\nBy what costs money:")
        rows = [[words.part(p, workload), *words.saving(found, p.saves)] for p in found.parts]
        table(["", "saves", "share"], rows, right=("saves", "share"))
    _show_changes(found, platform)
    for character in found.characters:
        _show_character(found, character, workload)


def _show_changes(found: Explanation, platform: Platform) -> None:
    click.echo("\nBy parameter:")
    rows = [
        [", ".join(change.names), *words.sides(platform, change), *words.saving(found, change.saves)]
        for change in found.changes.parts
    ]
    columns = ["", f"the {sentences.other(found)}", words.answer(found), "saves", "share"]
    table(columns, rows, right=("saves", "share"))
    _paragraph(sentences.orders(found))


def _show_character(found: Explanation, character: Character, workload: Workload) -> None:
    rows = [
        [name, value, f"{math.prod(c.factor for c in causes):.2f}x", words.amount(found, sum(c.saves for c in causes))]
        for name, value, causes in counted(character, workload)
    ]
    gain = "cheaper" if found.unit is Unit.USD else "faster"
    click.echo(f"\nBy characteristic of {words.phase_name(character.phase, workload)}:")
    table(["", "its value", gain, "saves"], rows, right=(gain, "saves"))


def _show_turns(found: Explanation, workload: Workload, platform: Platform) -> None:
    click.echo("\n2. What would change the answer?\n")
    rows = [
        [
            words.name_of(one, workload),
            words.own_value(one),
            words.characteristic(one.name, turn.value) + onward,
            words.difference(platform, found.answer, turn.instead),
            words.more([turn.regret], "more"),
        ]
        for one in sentences.ordered(found)
        for turn, onward in sentences.turns(one)
    ]
    if rows:
        table(["characteristic", "its value", "with", "rather", "staying takes"], rows)
    for sentence in sentences.steady(found, workload):
        _paragraph(sentence)


def _show_errors(found: Explanation, workload: Workload) -> None:
    click.echo("\n3. What if a characteristic is wrong?\n")
    rows = []
    for one in sentences.harmful(found):
        errors = sentences.costly(one)
        wrong = ", ".join(words.characteristic(one.name, error.value) for error in errors)
        harm = words.more([error.regret for error in errors], "more than the best")
        rows.append([words.name_of(one, workload), words.own_value(one), str(one.quality), wrong, harm])
    if rows:
        table(["characteristic", "taken as", "known", "if it is", "this answer takes"], rows)
    for sentence in sentences.errors(found, workload):
        _paragraph(sentence)


def _show_support(found: Explanation, platform: Platform) -> None:
    click.echo("\n4. What does it rest on?\n")
    if found.support is not None:
        _show_nearest(found.support, words.answer(found), platform)
    for sentence in (sentences.outside(found), *sentences.precision(found, platform)):
        _paragraph(sentence)


def _show_nearest(near: Support, answer: str, platform: Platform) -> None:
    _paragraph(sentences.nearest(near, answer))
    rows = [
        [f"{one.steps:.3g}", f"{one.improvement:.2f}x", str(one.runs), _unlike(one, platform)] for one in near.nearest
    ]
    columns = ["levels away", "measured gain", "runs", "what is different there"]
    table(columns, rows, right=("levels away", "measured gain", "runs"))


def _show_buffering(found: Explanation, workload: Workload, platform: Platform) -> None:
    if found.buffering:
        click.echo(f"\n5. {buffering.TITLE}\n")
    for one in found.buffering:
        for sentence in buffering.sentences(found, one, workload, platform):
            _paragraph(sentence)
        if one.others:
            click.echo(f"\n{buffering.caption(found, one)}:")
            table(buffering.COLUMNS, buffering.rows(found, one, platform), right=buffering.COLUMNS[1:])


def _unlike(one: Near, platform: Platform) -> str:
    return "\n".join(textwrap.fill(line, CELL) for line in words.unlike(one, platform))
