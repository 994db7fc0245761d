"""`acic walk`: search by real runs, one parameter at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.finding import search_with
from acic.cli.found_shown import show_found
from acic.cli.measuring import measuring_options, offer_larger_budget, platform_of
from acic.cli.output import json_option, say
from acic.cli.resuming import as_begun
from acic.cli.searching import GOALS, apply_options, bench, check_goal, held_of, keep_option, ranks_of
from acic.cli.store_option import store_option
from acic.cli.workload_input import characteristics, read_workload, workload_input
from acic.search.registry import WALK, WALKS
from acic.search.registry import strategy as named

if TYPE_CHECKING:
    from acic.search import Search


@click.command(epilog="Example: acic walk run.darshan --platform here --budget 10min")
@click.option("--goal", type=click.Choice(GOALS), default="time", show_default=True, help="What to minimise.")
@click.option(
    "--order",
    type=click.Choice([one.name.removesuffix(WALK) for one in WALKS]),
    default="pb",
    show_default=True,
    help="Which parameter comes next: by Plackett-Burman rank, or any.",
)
@click.option("--runs", type=click.IntRange(1), help="Measure at most so many configurations.")
@keep_option
@apply_options
@measuring_options
@store_option
@json_option
@workload_input
def walk(
    log: Path | None,
    partial: bool,
    only: str | None,
    goal: str,
    order: str,
    runs: int | None,
    keep: tuple[str, ...],
    store_url: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Search by real runs, one parameter at a time from the baseline.

    The application's replica is run. Each parameter's values are tried with the others held at the best so far. The
    ranks are those of the last `acic train` on the platform that screened them all; without one, a screening is run
    first. Every measurement goes into the database.
    """
    from acic.campaign.repeats import Repeats
    from acic.search import PbWalk
    from acic.search.walk import longest

    workload = read_workload(log, partial=partial, only=only, given=characteristics(given))
    platform = platform_of(given["platform_name"])
    own = {"goal": goal, "order": order, "runs": runs, "ranks": None, "keep": list(keep)}
    mine = as_begun("walk", given, own, fixed={"keep"})
    goal, order, runs, ranks, *_ = mine.values()
    held = held_of(platform, mine["keep"])
    fresh = [] if given["resume"] else [name for name in platform.space.names if name not in held]
    check_goal(platform, goal, varied=fresh)  # what an earlier version of acic began goes on
    if order == "pb" and ranks is None:  # kept, as those that are found later would make it another search
        mine["ranks"] = ranks = ranks_of(platform, workload, goal, held)
    how: dict[str, Any] = {"kind": "walk", "store_url": store_url, "repeats": Repeats(1, 3, 0.1), "search": mine}
    with bench(workload, given, held=held, **how) as opened:
        if order == "pb" and not ranks:
            say("note: no campaign has ranked the parameters here; a screening comes first")
        search: Search = PbWalk(ranks=ranks or None) if order == "pb" else named(order + WALK)
        most = longest(opened.field.system, screened=order == "pb" and not ranks)
        found = search_with(opened, search, goal, runs, most=most if runs is None else min(most, runs))
    offer_larger_budget(opened.session, opened.controller.state, by="acic walk ...")
    show_found(opened, found, goal, as_json)
