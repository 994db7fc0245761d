"""`acic explain`: why this answer, and how much it can be relied on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.advice_options import advice_options, learned
from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, plain, say
from acic.cli.platform_option import platform_option
from acic.cli.settings_option import settings_of
from acic.cli.store_option import store_option
from acic.cli.typed import typed
from acic.cli.workload_input import read_workload, workload_input
from acic.errors import InvalidInput
from acic.whole import refuse_to_replace

if TYPE_CHECKING:
    from acic.advisor.explaining import Explanation
    from acic.advisor.sensitivity import Dependence
    from acic.platforms import Platform
    from acic.workloads import Workload


@click.command(epilog="Example: acic explain run.darshan --platform lab --instead file_system=CephFS")
@platform_option
@click.option(
    "--goal", type=click.Choice(["time", "cost"]), default="time", show_default=True, help="What to minimise."
)
@click.option(
    "--against",
    type=click.Choice(["baseline", "runner-up"]),
    default="baseline",
    show_default=True,
    help="What to compare the recommendation with.",
)
@click.option(
    "--instead",
    multiple=True,
    metavar="NAME=VALUE",
    help="Compare with the recommendation changed like this; as often as needed.",
)
@advice_options
@click.option(
    "--html", type=PathName(dir_okay=False), help="Also write one page with pictures, to look at and to mail."
)
@store_option
@json_option
@workload_input
def explain(
    log: Path | None,
    partial: bool,
    only: str | None,
    platform_name: str,
    goal: str,
    against: str,
    instead: tuple[str, ...],
    model_name: str | None,
    keep: tuple[str, ...],
    price: float | None,
    elsewhere: bool,
    results: int,
    input_writers: int,
    html: Path | None,
    half_life: float | None,
    revision_factor: float,
    store_url: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Explain a recommendation: what drove it, what would change it, what errors cost.

    LOG is a Darshan log or a workload file (.toml); or give the characteristics as options. It is `acic recommend`
    with the same options that is explained; nothing is run, and every number but the measured points is predicted.
    """
    from acic.advisor.advice import Goal
    from acic.advisor.explaining import Against
    from acic.advisor.explaining import explain as reasons
    from acic.advisor.known import heard_rows
    from acic.cli.explain_shown import show
    from acic.platforms import load_platform
    from acic.workloads.inputs import with_input_writers

    if instead and against != "baseline":
        raise InvalidInput("both --instead and --against are given", hint="give the one that you want to compare with")
    if html:
        refuse_to_replace(html, log, Path(platform_name))
    platform = load_platform(platform_name)
    workload = read_workload(log, partial=partial, only=only, given=given)
    workload = with_input_writers(workload, input_writers)
    kept = settings_of(platform, keep, "--keep")
    knowledge = learned(platform, model_name, store_url, half_life, revision_factor)
    found = reasons(
        workload,
        platform,
        knowledge,
        goal=Goal(goal),
        price=price,
        elsewhere=elsewhere,
        results=results,
        against=Against.NAMED if instead else Against(against),
        instead=settings_of(platform, instead, "--instead"),
        keep=kept,
        rows=heard_rows(platform, store_url),
    )
    if html:
        _write_page(html, found, workload, platform)
    if as_json:
        emit_json({"explanation": _plain(found)})
        return
    show(found, workload, platform)
    for caution in found.advice.cautions:
        click.echo(f"Caution: {caution}")
    for note in found.advice.notes:
        say(f"note: {note}")


def _write_page(path: Path, found: Explanation, workload: Workload, platform: Platform) -> None:
    from acic.cli.recommend import to_do
    from acic.report.explanation.page import page
    from acic.report.page import write_page

    todo = to_do(found.advice, platform, workload)
    made = datetime.now(UTC)
    write_page(path, page(found, workload, platform, todo, command=typed(platform), made=made))
    say(f"the page is in {path}")


def _plain(found: Explanation) -> dict[str, Any]:
    """Return everything as JSON's own types, with what is derived of it."""
    limit = None if found.precision is None else found.precision.limit
    return {
        **plain(found),
        "answer": plain(found.answer),
        "limit": plain(limit),
        "dependences": [_dependence(one) for one in found.dependences],
    }


def _dependence(one: Dependence) -> dict[str, Any]:
    turns = {"below": one.below, "above": one.above, "others": one.others}
    return {**plain(one), "harm": one.harm, **{name: plain(turn) for name, turn in turns.items()}}
