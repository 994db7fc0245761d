"""`acic tune`: search by real runs, guided by a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acic.cli.finding import search_with
from acic.cli.found_shown import show_found
from acic.cli.measuring import measuring_options, offer_larger_budget, platform_of
from acic.cli.output import json_option, say
from acic.cli.resuming import as_begun
from acic.cli.searching import GOALS, Bench, apply_options, bench, check_goal, held_of, keep_option
from acic.cli.store_option import store_option
from acic.cli.unused_options import refuse_typed
from acic.cli.workload_input import characteristics, read_workload, workload_input
from acic.search.registry import TUNERS
from acic.search.registry import strategy as named
from acic.search.tpe import check_installed
from acic.units import format_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acic.campaign.scales import ScaleRead
    from acic.search import Lessons, Search

LEAST = 8  # configurations to learn from


@click.command(epilog="Example: acic tune run.darshan --platform here --top 20 --budget 20min")
@click.option("--goal", type=click.Choice(GOALS), default="time", show_default=True, help="What to minimise.")
@click.option(
    "--strategy",
    type=click.Choice([one.name for one in TUNERS]),
    default="model",
    show_default=True,
    help="model: learn at small scale, run the best predicted; the others are there to compare.",
)
@click.option("--model", "model_name", default="nonlinear", show_default=True, help="What learns (`acic model list`).")
@click.option(
    "--top", type=click.IntRange(1), default=20, show_default=True, help="Predicted best ones to run each time."
)
@click.option(
    "--train", type=click.IntRange(LEAST), default=40, show_default=True, help="Configurations to learn from first."
)
@click.option("--runs", type=click.IntRange(1), help="Measure at most so many configurations at full scale.")
@keep_option
@apply_options
@measuring_options
@store_option
@json_option
@workload_input
def tune(
    log: Path | None,
    partial: bool,
    only: str | None,
    goal: str,
    strategy: str,
    model_name: str,
    top: int,
    train: int,
    runs: int | None,
    keep: tuple[str, ...],
    store_url: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Search by real runs, guided by a model that learns at small scale.

    Small runs of the application's replica teach the model; it predicts every configuration at full scale, the top ones
    are run, the model is fitted again, and so on while it pays (Behzad et al., CLUSTER 2015).
    """
    from acic.campaign.fitting import replica
    from acic.campaign.points import Field
    from acic.campaign.repeats import Repeats
    from acic.campaign.scales import drawn, read_scales, scales_of
    from acic.models.registry import learner
    from acic.search import ModelDriven

    workload = read_workload(log, partial=partial, only=only, given=characteristics(given))
    platform = platform_of(given["platform_name"])
    own = {"goal": goal, "strategy": strategy, "model_name": model_name, "top": top, "train": train, "runs": runs}
    mine = as_begun("tune", given, {**own, "keep": list(keep)}, fixed={"keep"})
    goal, strategy, model_name, top, train, runs, keep, shrink = mine.values()
    held = held_of(platform, keep)
    fresh = [] if given["resume"] else [name for name in platform.space.names if name not in held]
    check_goal(platform, goal, varied=fresh)  # what an earlier version of acic began goes on
    search: Search = named(strategy)
    learns = learner(model_name)  # here: a name that is none is told before anything is run
    if strategy != "model":
        refuse_typed(f"with --strategy {strategy}", {"model_name", "top", "train"})
    phases = replica(platform, [p.characteristics for p in workload.phases], shrink)
    if strategy == "optuna":
        check_installed()  # here, and not behind the first runs, as the next
    if strategy in ("model", "random") and phases:
        Field(platform, phases, held=held).system.check_listable()
    scales = scales_of(phases) if strategy == "model" and phases else {}
    more = [phase for scale in scales.values() for phase in scale]
    whole, short, times, hint = 0, "", 1.0, ""
    how: dict[str, Any] = {"kind": "tune", "store_url": store_url, "repeats": Repeats(1, 3, 0.1), "search": mine}
    with bench(workload, given, more=more, held=held, **how) as opened:
        if strategy == "model":
            asked = drawn(opened.field, train, seed=opened.session.request.seed)
            reads = list(read_scales(opened.meter, opened.field.platform.baseline, scales, asked, announce=say))
            search = ModelDriven(lessons=_lessons(opened, reads, goal), learner=learns, k=top)
            whole = sum(one.wanted for one in reads)
            short, times = _cut_short(opened, whole)
            if short and len(asked) > LEAST:
                hint = f"give more of --budget, or begin anew with a --train below {len(asked)}"
        found = search_with(opened, search, goal, runs, most=None if runs is None else whole + runs)
    offer_larger_budget(opened.session, opened.controller.state, by="acic tune ...", times=times)
    show_found(opened, replace(found, why_ended=short or found.why_ended), goal, as_json, hint=hint)


def _cut_short(opened: Bench, whole: int) -> tuple[str, float]:
    """Return a sentence where learning by reading `whole` configurations used up the budget, "" where it did not.

    And how many times what was spent all of the learning takes.
    """
    from acic.campaign.controller import USED_UP

    state = opened.controller.state
    done = sum(bool(p.attempts) for p in state.progress) / len(opened.phases)
    if state.ended != USED_UP:
        return "", 1.0
    told = f"The budget was used up while learning at smaller scales, in {state.ended_runs} runs"
    if not done:
        return f"{told}.", 1.0
    took, times = format_seconds(state.seconds * whole / done), whole / done
    return f"{told}: all of that takes about {took}, and each run at full scale comes on top.", times


def _lessons(opened: Bench, reads: Sequence[ScaleRead], goal: str) -> Lessons:
    """Return what was read at smaller scales as lessons for the search."""
    from acic.campaign.scales import size_of
    from acic.search import Row, lessons_across

    rows: list[Row] = []
    for one in reads:
        figure = opened.objective(goal, one.phases)
        for reading in one.readings:
            configuration = reading.configuration.only(opened.field.system.names)
            rows.append(Row(workload=size_of(one.phases), configuration=configuration, objective=figure(reading)))
    return lessons_across(rows, [size_of(one.phases) for one in reads], target=size_of(opened.phases))
