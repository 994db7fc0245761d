"""`acic campaign`: look at campaigns, pause them, go on, and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.active_advice import advice_of
from acic.cli.measuring import (
    check_measured,
    check_paused,
    note_no_baseline,
    offer_larger_budget,
    set_budget,
)
from acic.cli.measuring_shown import campaign_progress
from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, plain, say, table
from acic.cli.store_option import store_option
from acic.errors import AcicError
from acic.units import format_seconds, format_usd

if TYPE_CHECKING:
    from acic.campaign.summary import Summary

name_argument = click.argument("name", required=False)


@click.group(epilog="Example: acic campaign status && acic campaign report -o report.html")
def campaign() -> None:
    """Look at measuring campaigns (`acic train`), pause and resume them, and report."""


@campaign.command("list", epilog="Example: acic campaign list")
@json_option
def list_(as_json: bool) -> None:
    """List your campaigns, the newest last."""
    from acic.campaign.journal import journals

    found = []
    for journal in journals():
        try:
            found.append(_summary(journal.name))
        except AcicError as error:
            say(f"note: {journal.name}: {error.problem}")
    if as_json:
        emit_json({"campaigns": found})
        return
    if not found:
        say("there are no campaigns yet: acic train --platform here --budget 10min")
        return
    rows = [
        [s.name, s.status.partition(":")[0], str(s.measured), str(s.runs), format_seconds(s.seconds), _price(s.dollars)]
        for s in found
    ]
    table(["campaign", "status", "points", "runs", "spent", "cost"], rows, right=["points", "runs", "spent", "cost"])


@campaign.command(epilog="Example: acic campaign status")
@name_argument
@json_option
def status(name: str | None, as_json: bool) -> None:
    """Show how far a campaign is: NAME, or the last one."""
    seen = _summary(name)
    if as_json:
        emit_json({"campaign": seen})
    else:
        click.echo(seen.text())


@campaign.command(epilog="Example: acic campaign pause")
@name_argument
@json_option
def pause(name: str | None, as_json: bool) -> None:
    """Let a running campaign stop after its present run: NAME, or the last one."""
    from acic.campaign.session import Session

    session = Session.open(name)
    journal = session.journal
    if not journal.running:
        raise AcicError(
            f"the campaign {journal.name} is not running", hint="`acic campaign list` shows those there are"
        )
    journal.ask_pause()
    if as_json:
        emit_json({"pausing": journal.name})
    say(f"{journal.name} stops after its present run; {session.resumed_by} goes on")


@campaign.command(epilog="Example: acic campaign resume")
@name_argument
@click.option("--budget", help="A new budget, in all: 4h, 80USD.")
@store_option
@json_option
def resume(name: str | None, budget: str | None, store_url: str | None, as_json: bool) -> None:
    """Go on with a campaign of `acic train`: NAME, or the last one of it.

    A search goes on by its own command: `acic walk`, `acic tune` and `acic verify` have --resume.
    """
    from acic.campaign.request import TRAIN
    from acic.campaign.session import Session
    from acic.campaign.summary import summary
    from acic.store.database import Store

    session = Session.open(name, kind=TRAIN)
    set_budget(session, budget)
    store_url = session.choose_store(store_url, announce=say)
    with Store.open(store_url, announce=say) as store, campaign_progress() as show:
        store.check_writable()
        controller = session.controller(store, advice=advice_of(session, store_url), watch=show, announce=say)
        controller.run()
    seen = summary(session.journal.name, session.field, controller.state)
    if as_json:
        emit_json({"campaign": seen})
    else:
        click.echo(seen.text())
    check_measured(controller.state)
    note_no_baseline(session, controller.state)
    offer_larger_budget(session, controller.state, by="acic train")
    check_paused(session, controller.state)


@campaign.command(epilog="Example: acic campaign report -o report.html")
@name_argument
@click.option("-o", "--output", type=PathName(dir_okay=False), help="Where to.  [default: NAME.html]")
@json_option
def report(name: str | None, output: Path | None, as_json: bool) -> None:
    """Write a campaign's report as one HTML file, to open, mail or print: NAME, or the last one.

    With --json its figures are printed, and the file is only written if -o names one.
    """
    from datetime import UTC, datetime

    from acic.campaign.session import Session
    from acic.report.contents import contents_of, figures
    from acic.report.page import page_of, write_page

    session = Session.open(name)
    contents = contents_of(session, now=datetime.now(UTC))
    if output or not as_json:
        path = output or Path(f"{session.journal.name}.html")
        write_page(path, page_of(contents))
        say(f"{path} is written; open it in a browser")
    if as_json:
        emit_json({"report": figures(contents) if contents.priced else _unbilled(plain(figures(contents)))})
    else:
        click.echo(str(path))


def _price(dollars: float | None) -> str:
    return format_usd(dollars) if dollars else "-"


def _unbilled(value: Any) -> Any:
    """Return JSON's own types with null for each sum of dollars: nothing has a price, which is not to cost nothing."""
    if isinstance(value, dict):
        return {name: None if name == "dollars" else _unbilled(part) for name, part in value.items()}
    return [_unbilled(part) for part in value] if isinstance(value, list) else value


def _summary(name: str | None) -> Summary:
    from acic.campaign.session import Session
    from acic.campaign.state import replay
    from acic.campaign.summary import summary

    session = Session.open(name)
    running = session.journal.running  # before it is read: what ends meanwhile was not interrupted
    state = replay(session.journal.events(), session.field)
    return summary(session.journal.name, session.field, state, running=running, waiting=session.journal.waiting)
