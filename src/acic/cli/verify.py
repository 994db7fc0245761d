"""`acic verify`: is what was predicted true?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from acic.cli.advice_options import learned
from acic.cli.measuring import check_directory, measuring_options, platform_of
from acic.cli.output import emit_json, json_option, say, table
from acic.cli.own_command import by_command, check_options
from acic.cli.searching import GOALS, amount, apply_options, as_begun, bench, check_goal
from acic.cli.store_option import store_option
from acic.cli.walk import characteristics
from acic.cli.wanted import Wanted, prediction, wanted_of
from acic.cli.workload_input import read_workload, workload_input
from acic.errors import AcicError

if TYPE_CHECKING:
    from acic.advisor.advice import Advice, Estimate
    from acic.campaign.comparison import Improvement
    from acic.cli.searching import Bench
    from acic.platforms import Platform
    from acic.space import Configuration
    from acic.workloads import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """One configuration: what was predicted of it, what was measured, and what is predicted after learning that.

    `objective` is the median over the rounds, s or USD; None if it failed (`note` says why). `single_writer` is that of
    the recommendation.
    """

    configuration: Configuration
    predicted: Estimate | None
    measured: Improvement | None
    objective: float | None
    refitted: Estimate | None
    note: str = ""
    single_writer: bool = False


class _BeforeCommand(click.Command):
    """A command whose options and LOG stand before `--`, and `own` behind it: the words of another command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words behind `--` for `own`, whether a LOG stands before it or not."""
        place = args.index("--") if "--" in args else len(args)
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
@click.option("--model", "model_name", help="Which model predicts.  [default: the best validated]")
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
    model_name: str | None,
    store_url: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Run the baseline and what is recommended, and compare.

    The baseline and the best recommendations are run in turn, in rounds: the application's replica, or after `--` its
    own command, as `acic verify LOG --platform P -- mpiexec -n 4 ./app {directory}`. What the replica measured goes
    into the training database, and the model learns it.
    """
    workload = read_workload(log, partial=partial, only=only, given=characteristics(given))
    platform = platform_of(given["platform_name"])
    if own:
        check_options()
    else:
        check_directory(platform, given)
    own_options = {"goal": goal, "top": top, "rounds": rounds, "model_name": model_name, "wanted": None}
    mine = as_begun("verify", given, own_options, fixed={"goal", "top", "model_name"})
    goal, top, rounds, model_name, begun, shrink = mine.values()
    check_goal(platform, goal)
    scaled = _replica(workload, platform, shrink) if not own else workload
    if begun is None:
        wanted = wanted_of(platform, _advise(scaled, platform, model_name, goal, top, store_url))
    else:
        wanted = [Wanted.of(one) for one in begun]
    configurations = [one.configuration for one in wanted]
    if not own:
        mine["wanted"] = [one.kept() for one in wanted]
        rows = _by_replica(workload, configurations, given, mine, store_url=store_url)
        after = _advise(scaled, platform, model_name, goal, top, store_url, among=configurations)
    else:
        rows = by_command(own, platform, configurations, given, goal=goal, rounds=rounds, processes=workload.processes)
        after = None
    found = _compared(wanted, rows, after)
    if as_json:
        emit_json({"goal": goal, "by": "its own command" if own else "its replica", "verified": found})
    else:
        _show(found, platform, workload, goal, by="its own command" if own else "its replica")
    if found[0].objective is None or (len(found) > 1 and not any(one.measured for one in found[1:])):
        hint = "see the notes above" + ("" if own else "; `acic campaign status` tells more")
        raise AcicError("nothing could be compared with the baseline", hint=hint)


def _replica(workload: Workload, platform: Platform, shrink: int | None) -> Workload:
    """Return the workload as the replica runs it: I/O alone, as large as the platform can run."""
    from acic.campaign.session import fits

    phases = fits(platform, [p.characteristics for p in workload.phases], shrink)
    made = tuple(
        replace(phase, characteristics=c, seconds=None, bytes=c.total_bytes)
        for phase, c in zip(workload.phases, phases, strict=True)
    )
    processes = max((c.processes for c in phases), default=workload.processes)
    return replace(workload, phases=made, processes=processes, run_seconds=None, io_share=None)


def _advise(
    workload: Workload,
    platform: Platform,
    model_name: str | None,
    goal: str,
    top: int,
    store_url: str | None,
    *,
    among: Sequence[Configuration] = (),
) -> Advice:
    """Return the best `top` recommendations, or with `among` as many as have all of these among them."""
    from acic.advisor.advice import Goal
    from acic.advisor.known import REVISION_FACTOR
    from acic.advisor.recommend import recommend

    knowledge = learned(platform, model_name, store_url, None, REVISION_FACTOR)
    return recommend(workload, platform, knowledge, goal=Goal(goal), top=top, among=among or None)


def _by_replica(
    workload: Workload,
    wanted: Sequence[Configuration],
    given: dict[str, Any],
    search: dict[str, Any],
    *,
    store_url: str | None,
) -> list[list[tuple[float | None, str]]]:
    """Return, for each configuration, what each round gave: s or USD (None if it failed), and a note."""
    from acic.campaign.meter import objective
    from acic.campaign.repeats import Repeats

    found: list[list[tuple[float | None, str]]] = [[] for _ in wanted]
    with bench(workload, given, kind="verify", store_url=store_url, repeats=Repeats(1, 1), search=search) as opened:
        for turn in range(search["rounds"]):
            order = np.random.default_rng([opened.session.request.seed, turn]).permutation(len(wanted))
            for position in order.tolist():
                for reading in opened.meter.read([wanted[position]], opened.phases):
                    value = objective(opened.field, reading, _processes(opened), goal=search["goal"], rest=0.0)
                    found[position].append((value, reading.note))
        opened.controller.end("everything was run")
    return found


def _processes(opened: Bench) -> int:
    return max(phase.processes for phase in opened.phases)


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
                note=next((note for _, note in row if note), ""),
                single_writer=one.single_writer,
            )
        )
    return made


def _show(found: Sequence[Verified], platform: Platform, workload: Workload, goal: str, *, by: str) -> None:
    from acic.advisor.cautions import one_writer

    names = [n for n in platform.space.names if len({one.configuration.get(n) for one in found}) > 1]
    refitted = any(one.refitted for one in found)
    rows = [
        [
            "baseline" if place == 0 else str(place),
            *(platform.space[n].text(one.configuration.get(n)) for n in names),
            _interval(one.predicted),
            _interval(one.measured) if place else "1.00x",
            amount(one.objective, goal),
            *([_interval(one.refitted)] if refitted else []),
        ]
        for place, one in enumerate(found)
    ]
    columns = ["", *names, "predicted", "measured", "median", *(["predicted now"] if refitted else [])]
    title = f"{workload.name} on {platform.name}, run by {by}: improvement over the baseline, with 80 % intervals"
    table(columns, rows, title=title, right=["median"])
    for caution in one_writer([place for place, one in enumerate(found) if one.single_writer], workload):
        click.echo(f"Caution: {caution}")
    for place, one in enumerate(found):
        if one.note:
            say(f"note: {place or 'baseline'}: {one.note}")
    click.echo(_verdict(found, goal))


def _verdict(found: Sequence[Verified], goal: str) -> str:
    better, worse = ("faster", "slower") if goal == "time" else ("cheaper", "dearer")
    measured = [one for one in found[1:] if one.measured]
    if not measured:
        if len(found) == 1:
            return "Verdict: nothing: the baseline itself is recommended, so there is nothing to compare it with."
        return "Verdict: nothing could be compared with the baseline."
    best = max(measured, key=lambda one: one.measured.value if one.measured else 0.0)
    assert best.measured is not None  # noqa: S101 (filtered above)
    place, m = found.index(best), best.measured
    if m.low > 1.0:
        return f"Verdict: change: {place} is measured to be {m.value:.2f}x {better} ({m.low:.2f}x at least, 80 %)."
    if m.high < 1.0:
        return f"Verdict: nothing: every recommendation is measured to be {worse} than the baseline."
    return f"Verdict: not sure: {place} is measured at {_interval(m)}; more --rounds tell better."


def _interval(estimate: Estimate | Improvement | None) -> str:
    if estimate is None:
        return "-"
    low, high = (f"{end:.2f}x" if isfinite(end) and end > 0 else "?" for end in (estimate.low, estimate.high))
    return f"{estimate.value:.2f}x ({low} to {high})"
