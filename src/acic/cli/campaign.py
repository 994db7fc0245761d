"""`acic campaign`: look at campaigns, pause them, go on, and report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from acic.cli.measuring import campaign_progress
from acic.cli.output import emit_json, json_option, say, table
from acic.cli.store_option import store_option
from acic.errors import AcicError
from acic.units import format_seconds, format_usd

if TYPE_CHECKING:
    from acic.campaign.summary import Summary

name_argument = click.argument("name", required=False)


@click.group()
def campaign() -> None:
    """Look at measuring campaigns (`acic train`), pause and resume them, and report."""


@campaign.command("list", epilog="Example: acic campaign list")
@json_option
def list_(as_json: bool) -> None:
    """List your campaigns, the newest last."""
    from acic.campaign.journal import journals

    found = [_summary(journal.name) for journal in journals()]
    if as_json:
        emit_json({"campaigns": found})
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
def pause(name: str | None) -> None:
    """Let a running campaign stop after its present run: NAME, or the last one."""
    from acic.campaign.session import Session

    journal = Session.open(name).journal
    if not journal.running:
        raise AcicError(
            f"the campaign {journal.name} is not running", hint="`acic campaign list` shows those there are"
        )
    journal.ask_pause()
    say(f"{journal.name} stops after its present run; acic campaign resume goes on")


@campaign.command(epilog="Example: acic campaign resume")
@name_argument
@click.option("--budget", help="A new budget, in all: 4h, 80USD.")
@store_option
@json_option
def resume(name: str | None, budget: str | None, store_url: str | None, as_json: bool) -> None:
    """Go on with a campaign: NAME, or the last one."""
    from dataclasses import replace

    from acic.campaign.budget import Budget
    from acic.campaign.session import Session
    from acic.campaign.summary import summary
    from acic.store.database import Store

    session = Session.open(name)
    if budget:
        points = session.request.budget.points
        session.request = replace(session.request, budget=replace(Budget.parse(budget), points=points))
    with Store.open(store_url) as store, campaign_progress() as show:
        controller = session.controller(store, watch=show)
        controller.run()
    seen = summary(session.journal.name, session.field, controller.state)
    if as_json:
        emit_json({"campaign": seen})
    else:
        click.echo(seen.text())
    if controller.state.paused:
        raise AcicError(f"the campaign has stopped: {controller.state.paused}", hint="see to it, then resume it")


def _price(dollars: float) -> str:
    return format_usd(dollars) if dollars else "-"


def _summary(name: str | None) -> Summary:
    from acic.campaign.session import Session
    from acic.campaign.state import replay
    from acic.campaign.summary import summary

    session = Session.open(name)
    state = replay(session.journal.events(), session.field)
    return summary(session.journal.name, session.field, state, running=session.journal.running)
