"""`acic train`: measure a platform, within a budget."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.active_advice import advice_of
from acic.cli.measuring import (
    budget_of,
    check_measured,
    check_paused,
    check_placing,
    contributor_option,
    measuring_options,
    note_no_baseline,
    offer_larger_budget,
    platform_of,
    set_budget,
    where_of,
)
from acic.cli.measuring_shown import campaign_progress
from acic.cli.option_types import PathName, Share
from acic.cli.output import emit_json, json_option, say, table
from acic.cli.resuming import check_platform
from acic.cli.settings_option import settings_of
from acic.cli.store_option import store_option
from acic.cli.unused_options import refuse_unused
from acic.errors import InvalidInput
from acic.units import format_seconds, format_usd

if TYPE_CHECKING:
    from acic.campaign.outlook import Outlook
    from acic.campaign.request import Request
    from acic.campaign.session import Session
    from acic.campaign.state import State


@click.command(epilog="Example: acic train --platform here --budget 10min --like run.darshan")
@click.option("--platform", "platform_name", help="A platform's name or file; `here` is this machine.")
@click.option("--budget", help="What may be spent: 10min, 2h, 50USD.")
@click.option(
    "--like",
    "log",
    type=PathName(),
    help="Measure this job's own I/O (log or workload file).",
)
@click.option("--only", multiple=True, metavar="NAME=VALUE", help="Only configurations with this value; repeat.")
@click.option(
    "--plan",
    type=click.Choice(["sampling", "spread", "active"]),
    default="sampling",
    show_default=True,
    help="After the screening: sample by rank, sample everything at once, or let the model choose.",
)
@click.option("--screen/--no-screen", default=True, help="Begin with a Plackett-Burman screening.")
@click.option("--points", type=click.IntRange(1), help="At most so many points (a workload on a configuration).")
@click.option("--repeats", default="1:5", show_default=True, metavar="MIN:MAX", help="How often each point is run.")
@click.option("--precision", type=Share(), default=0.1, show_default=True, help="Then it is enough.")
@click.option("--verify", type=Share(), default=0.1, show_default=True, help="Part of the points to read back.")
@click.option("--residual", is_flag=True, help="Fit into the rest of the hour that is paid already.")
@click.option(
    "--paid-since", type=click.DateTime(), help="When that hour's machines were started (UTC), for --residual."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of every random choice.")
@click.option("--name", help="What to call the campaign.  [default: platform and time]")
@click.option("--dry-run", is_flag=True, help="Only show the plan, and what the budget covers.")
@click.option("--resume", is_flag=True, help="Go on with that --name, or the last of this command.")
@measuring_options
@contributor_option
@store_option
@json_option
def train(store_url: str | None, name: str | None, dry_run: bool, resume: bool, as_json: bool, **given: Any) -> None:
    """Measure a platform with benchmark runs, to learn what is fast there.

    A screening finds which parameters matter; then the important ones are sampled first. What is measured goes into the
    training database at once, and `acic recommend` learns from it. Interrupt it as you like: --resume goes on.
    """
    from acic.campaign.outlook import covering
    from acic.campaign.request import TRAIN
    from acic.campaign.session import Session, check_request
    from acic.store.database import Store

    if resume:
        refuse_unused("beside --resume", but={"resume", "name", "budget", "platform_name"})
    request = None if resume else _request(given, keep_platform=not dry_run)
    if request:
        check_request(request, name)
        seen = covering(request)
        if dry_run:
            _show_plan(seen, as_json)
            return
    else:
        session = Session.open(name, kind=TRAIN)
        if given["platform_name"] is not None:
            check_platform(session, given["platform_name"])
        set_budget(session, given["budget"])
        say(f"going on with the campaign {session.journal.name}")
        store_url = session.choose_store(store_url, announce=say)
    with (
        Store.open(store_url, announce=say) as store,
        campaign_progress() as show,
    ):  # first: without a store nothing is begun
        store.check_writable()
        if request:
            session = Session.begin(replace(request, store=store.kept), name=name, now=datetime.now(UTC), announce=say)
            say(_plan_line(seen))
            _say_what_lacks(seen)
            say(f"campaign {session.journal.name}; interrupt it as you like: {session.resumed_by} goes on")
        controller = session.controller(store, advice=advice_of(session, store_url), watch=show, announce=say)
        controller.run()
    _show_result(session, controller.state, as_json)


def _request(given: dict[str, Any], *, keep_platform: bool) -> Request:
    from acic.campaign.budget import residual
    from acic.campaign.fitting import fitted
    from acic.campaign.repeats import Repeats
    from acic.campaign.request import Request
    from acic.cli.searching import unlike

    if not given["platform_name"] or (given["budget"] is None and not given["residual"]):
        raise InvalidInput("--platform and --budget are needed", hint="acic train --platform here --budget 10min")
    budget = budget_of(given["budget"])
    platform = platform_of(given["platform_name"], keep_it=keep_platform)
    budget.check(platform)
    check_placing(platform, given)
    if given["paid_since"] and not given["residual"]:
        raise InvalidInput("--paid-since does nothing without --residual", hint="add --residual, or leave it out")
    if given["residual"]:
        if given["paid_since"] is None:
            raise InvalidInput("--residual needs --paid-since", hint="--paid-since 2026-11-21T09:12:00 (UTC)")
        budget = residual(budget, since=given["paid_since"].replace(tzinfo=UTC), now=datetime.now(UTC))
    asked = _workloads(given["log"]) if given["log"] else []
    like = tuple(fitted(platform, asked))
    for before, after in zip(asked, like, strict=True):
        if before != after:
            say(f"note: {unlike(before, after)}")
    return Request(
        platform=given["platform_name"],
        budget=replace(budget, points=given["points"]),
        where=where_of(given, platform),
        like=like,
        only=settings_of(platform, given["only"], "--only"),
        active=given["plan"] == "active",
        spread=given["plan"] == "spread",
        screen=given["screen"],
        repeats=Repeats(*_range(given["repeats"]), given["precision"]),
        verify=given["verify"],
        time_limit=given["time_limit"],
        seed=given["seed"],
        contributor=given["contributor"],
    )


def _workloads(log: Path) -> list[Any]:
    from acic.cli.workload_input import read_workload

    workload = read_workload(log)
    if not workload.phases:
        raise InvalidInput(f"{log} did no I/O that was recorded", hint="give the log of another run")
    return [phase.characteristics for phase in workload.phases]


def _range(text: str) -> tuple[int, int]:
    low, _, high = text.partition(":")
    try:
        fewest, most = int(low), int(high or low)
    except ValueError:
        raise InvalidInput(f"--repeats is {text!r}", hint="write MIN:MAX, as 1:5") from None
    if not 1 <= fewest <= most:
        raise InvalidInput(f"--repeats is {text!r}", hint="MIN is at least 1, and MAX at least MIN")
    return fewest, most


def _show_plan(seen: Outlook, as_json: bool) -> None:
    if as_json:
        emit_json({"plan": seen})
        return
    _plan_table(seen)
    say(f"note: {seen.assumption}")
    _say_what_lacks(seen)


def _say_what_lacks(seen: Outlook) -> None:
    if seen.lacks:
        say(f"note: {seen.lacks}")


def _plan_line(seen: Outlook) -> str:
    parts = ", ".join(f"{part.points} of {part.stage}" for part in seen.parts)
    seconds = sum(part.seconds for part in seen.parts)
    dollars = sum(part.dollars or 0.0 for part in seen.parts)
    price = f" and {format_usd(dollars)}" if dollars else ""
    return f"plan: about {parts} points, expected to take {format_seconds(seconds)}{price}; {seen.assumption}"


def _plan_table(seen: Outlook) -> None:
    rows = [
        [
            str(part.stage),
            str(part.points),
            format_seconds(part.seconds),
            format_usd(part.dollars) if part.dollars is not None else "-",
        ]
        for part in seen.parts
    ]
    click.echo(f"{seen.platform}, budget {seen.budget}: {seen.covered} points of {seen.possible} possible ones")
    table(["stage", "points", "expected", "cost"], rows, right=["points", "expected", "cost"])


def _show_result(session: Session, state: State, as_json: bool) -> None:
    from acic.campaign.summary import summary

    seen = summary(session.journal.name, session.field, state)
    if as_json:
        emit_json({"campaign": seen})
    else:
        click.echo(seen.text())
    check_measured(state)
    note_no_baseline(session, state)
    offer_larger_budget(session, state, by="acic train")
    check_paused(session, state)
