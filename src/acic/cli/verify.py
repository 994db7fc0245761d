"""`acic verify`: is what was predicted true?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from acic.cli.advice_options import ADVICE, advice_options, learned
from acic.cli.lab_command import by_lab
from acic.cli.measuring import check_placing, measuring_options, offer_larger_budget, platform_of
from acic.cli.option_types import Text
from acic.cli.output import emit_json, json_option, say
from acic.cli.own_command import by_command, check_options
from acic.cli.resuming import as_begun, store_as_begun
from acic.cli.searching import GOALS, apply_options, bench, check_goal
from acic.cli.settings_option import settings_of
from acic.cli.store_option import store_option
from acic.cli.unused_options import refuse_typed
from acic.cli.verify_shown import BY, NOT_RUN, OF, Verified, show, verdict
from acic.cli.wanted import Wanted, prediction, wanted_of
from acic.cli.workload_input import characteristics, read_workload, workload_input
from acic.errors import AcicError, InvalidInput

if TYPE_CHECKING:
    from acic.advisor.advice import Advice
    from acic.advisor.knowledge import Knowledge
    from acic.campaign.meter import Reading
    from acic.platforms import Platform
    from acic.space import Configuration
    from acic.workloads import Workload


class _BeforeCommand(click.Command):
    """A command whose options and LOG stand before `--`, and `own` behind it: the words of another command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words behind `--` for `own`, whether a LOG stands before it or not."""
        place = args.index("--") if "--" in args else len(args)
        if args[place:] == ["--"] and not ctx.resilient_parsing:  # while words are completed, none is there yet
            raise InvalidInput(
                "no command stands behind --",
                hint="is a variable not set? Leave -- out to run the application's replica",
            )
        left = super().parse_args(ctx, args[:place])
        ctx.params["own"] = tuple(args[place + 1 :])
        return left

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return what the line of usage has behind the command."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]


@click.command(cls=_BeforeCommand, epilog="Example: acic verify run.darshan --platform here --top 3")
@click.option("--goal", type=click.Choice(GOALS), default="time", show_default=True, help="What to minimise.")
@click.option(
    "--top", type=click.IntRange(1, 100), default=3, show_default=True, help="How many recommendations to run."
)
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="How often each is run, in turn.")
@click.option(
    "--prepare",
    type=Text(),
    metavar="COMMAND",
    help="In the lab, before each run of a command after `--`: a shell's command that makes its input in {directory}.",
)
@advice_options
@apply_options
@measuring_options
@store_option
@json_option
@workload_input
def verify(
    log: Path | None,
    own: tuple[str, ...],
    partial: bool,
    only: str | None,
    goal: str,
    top: int,
    rounds: int,
    store_url: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Run the baseline and what is recommended, and compare.

    The baseline and the best recommendations are run in turn, in rounds: the application's replica, or after `--` its
    own command, as `acic verify LOG --platform P -- mpiexec -n 4 ./app {directory}` (in the lab `-- ./app
    {directory}`, whose processes acic starts). What the replica measured goes into the training database, and the model
    learns it.
    """
    from acic.advisor.temporary import removing_temporary
    from acic.campaign.settable import check_settable
    from acic.filesystems import LAB, UNGIVEN
    from acic.workloads.inputs import with_input_writers

    workload = read_workload(log, partial=partial, only=only, given=characteristics(given))
    platform = platform_of(given["platform_name"])
    in_lab = LAB in platform.apply
    _check_typed(platform, given, own, in_lab=in_lab)
    ungiven = {name: value for name, value in platform.baseline.items() if own and name in UNGIVEN}
    check_settable(platform, ungiven)  # first: measurements, where there are none, would not help
    told = {"goal": goal, "top": top, **{name: given.pop(name) for name in ADVICE}}
    mine = as_begun("verify", given, {**told, "rounds": rounds, "wanted": None, "extrapolated": ()}, fixed={*told})
    check_goal(platform, mine["goal"], mine["price"], otherwise="give --price USD_PER_NODE_HOUR, use --goal time")
    store = store_as_begun("verify", given, store_url)
    knowledge = _knowledge(platform, mine, store)
    workload = with_input_writers(workload, mine["input_writers"])
    job = workload
    if own:
        job = removing_temporary(workload, mine["results"])
        knowledge = knowledge.as_baseline(UNGIVEN)
        if any(name in platform.space.names for name in UNGIVEN):
            say("note: only the application itself can write a file per process; that choice is left out")
    else:
        job = _replica(workload, platform, mine["shrink"])
    if mine["wanted"] is None:
        copied = mine["results"] if own and in_lab else 0
        wanted, mine["extrapolated"] = _wanted(workload, job, platform, knowledge, mine, copied=copied)
    else:
        wanted = [Wanted.of(one) for one in mine["wanted"]]
    configurations = [one.configuration for one in wanted]
    after: Advice | None = None
    paused: AcicError | None = None
    campaign: str | None = None
    if own:
        measure = by_lab if in_lab else by_command
        search = mine | {"run_seconds": workload.run_seconds}
        rows = measure(own, platform, configurations, given, search=search, processes=workload.processes)
    else:
        mine["wanted"] = [one.kept() for one in wanted]
        rows, campaign, paused = _by_replica(workload, configurations, given, mine, store_url=store_url)
        after = _predicted(job, platform, _knowledge(platform, mine, store), mine, configurations)
    found = _compared(wanted, rows, after)
    if as_json:
        answer, reason = verdict(found, mine["goal"], of=OF[bool(own)])
        emit_json(
            {
                "goal": mine["goal"],
                "by": BY[bool(own)],
                "verdict": answer,
                "reason": reason,
                "verified": found,
                "extrapolated": mine["extrapolated"],
                "campaign": campaign,
            }
        )
    else:
        show(found, platform, workload, mine["goal"], own=bool(own), extrapolated=mine["extrapolated"])
    if paused:
        raise paused
    if found[0].objective is None or (len(found) > 1 and not any(one.measured for one in found[1:])):
        hint = "see the notes above" + ("" if own else "; `acic campaign status` tells more")
        raise AcicError("nothing could be compared with the baseline", hint=hint)


def _check_typed(platform: Platform, given: dict[str, Any], own: Sequence[str], *, in_lab: bool) -> None:
    """Raise InvalidInput where an option was typed that does nothing there, or a command that cannot be run in the lab.

    `own` are its words; none for the replica.
    """
    from acic.campaign.lab_command import check_command

    if own:
        check_options()
    if in_lab or not own:
        check_placing(platform, given)
    if own and in_lab:
        check_command(own, prepared=bool(given["prepare"]))
    else:
        refuse_typed("except for a command of one's own in the lab", {"prepare"})


def _replica(workload: Workload, platform: Platform, shrink: int | None) -> Workload:
    """Return the workload as the replica runs it: I/O alone, as large as the platform can run."""
    from acic.campaign.fitting import replica
    from acic.workloads import Phase

    phases = replica(platform, [p.characteristics for p in workload.phases], shrink)
    made = tuple(  # without what the log tells of how the application does it: the replica is run as benchmarks are
        Phase(characteristics=c, quality=phase.quality, bytes=c.total_bytes)
        for phase, c in zip(workload.phases, phases, strict=True)
    )
    processes = max((c.processes for c in phases), default=workload.processes)
    return replace(workload, phases=made, processes=processes, run_seconds=None, io_share=None)


def _knowledge(platform: Platform, search: Mapping[str, Any], store_url: str | None) -> Knowledge:
    return learned(platform, search["model_name"], store_url, search["half_life"], search["revision_factor"])


def _wanted(
    workload: Workload,
    job: Workload,
    platform: Platform,
    knowledge: Knowledge,
    search: Mapping[str, Any],
    *,
    copied: int,
) -> tuple[list[Wanted], tuple[str, ...]]:
    """Return the baseline and what `recommend` answers for `workload`, with what is predicted of `job`, which runs.

    And how that lies outside of what was measured, one sentence each. `copied` B of results are copied where it runs.
    """
    from acic.advisor.advice import Goal
    from acic.advisor.recommend import recommend

    asked = {name: search[name] for name in ("top", "price", "elsewhere", "results")}
    keep = settings_of(platform, search["keep"], "--keep")
    advice = recommend(workload, platform, knowledge, goal=Goal(search["goal"]), keep=keep, **asked)
    configurations = [one.configuration for one in advice.recommendations]
    predicted = _predicted(job, platform, knowledge, search, configurations, picked=True, copied=copied)
    wanted = wanted_of(platform, advice, predicted)
    return wanted, predicted.extrapolated if len(wanted) > 1 else ()  # of the baseline nothing is predicted


def _predicted(
    job: Workload,
    platform: Platform,
    knowledge: Knowledge,
    search: Mapping[str, Any],
    configurations: Sequence[Configuration],
    *,
    picked: bool = False,
    copied: int = 0,
) -> Advice:
    """Return what is predicted of each configuration for `job`, of which `copied` B of results are copied."""
    from acic.advisor.advice import Goal
    from acic.advisor.recommend import recommend

    asked = {name: search[name] for name in ("top", "price", "elsewhere")} | {"results": copied}
    among = [platform.baseline, *configurations]
    return recommend(job, platform, knowledge, goal=Goal(search["goal"]), among=among, picked=picked, **asked)


def _by_replica(
    workload: Workload,
    wanted: Sequence[Configuration],
    given: dict[str, Any],
    search: dict[str, Any],
    *,
    store_url: str | None,
) -> tuple[list[list[tuple[float | None, str]]], str, AcicError | None]:
    """Return, for each configuration, what each round gave, the campaign's name, and the error where it was paused.

    A round is s or USD, None if it failed, and a note. What gave wrong bytes in one of them failed in all.
    """
    from acic.campaign.comparison import in_turn
    from acic.campaign.objective import Objective
    from acic.campaign.repeats import Repeats

    readings: list[list[Reading]] = [[] for _ in wanted]
    with bench(workload, given, kind="verify", store_url=store_url, repeats=Repeats(1, 1), search=search) as opened:
        for _, position in in_turn(search["rounds"], len(wanted), seed=opened.session.request.seed):
            readings[position] += opened.meter.read([wanted[position]], opened.phases)
        opened.controller.end("everything was run")
    offer_larger_budget(opened.session, opened.controller.state, by="acic verify ...")
    state, processes = opened.controller.state, max(phase.processes for phase in opened.phases)
    figure = Objective(
        platform=opened.field.platform,
        goal=search["goal"],
        processes=processes,
        held=opened.session.request.where.nodes,
        price=search["price"],
    )
    rows = [
        [
            (None if one.failed or one.configuration in state.unsafe else figure(one), one.note or one.failed)
            for one in rounds
        ]
        for rounds in readings
    ]
    name = opened.session.journal.name
    if not state.paused:
        return rows, name, None
    hint = f"it goes on by {opened.session.resumed_by}"
    return rows, name, AcicError(f"the verification has stopped: {state.paused}", hint=hint)


def _compared(
    wanted: Sequence[Wanted], rows: Sequence[Sequence[tuple[float | None, str]]], after: Advice | None
) -> list[Verified]:
    from acic.campaign.comparison import improvement

    figures = [[value for value, _ in row] for row in rows]
    made = []
    for one, row, values in zip(wanted, rows, figures, strict=True):
        known = [v for v in values if v is not None]
        made.append(
            Verified(
                configuration=one.configuration,
                predicted=one.predicted,
                measured=improvement(figures[0], values),
                objective=float(np.median(known)) if known else None,
                refitted=None if after is None else prediction(after, one.configuration),
                note=next((note for _, note in row if note), "") if row else NOT_RUN,
                single_writer=one.single_writer,
                rounds=len(row),
                failed=len(row) - len(known),
            )
        )
    return made
