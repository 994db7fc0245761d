"""What `acic survey` prints."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from acic.cli.evaluate_json import told_figure
from acic.cli.measuring_shown import interrupted, progress
from acic.cli.output import emit_json, say, table
from acic.errors import with_sudo
from acic.units import format_seconds, format_setting, format_usd

if TYPE_CHECKING:
    from acic.evaluation.field import Application, Field, Table
    from acic.evaluation.plan import Plan
    from acic.evaluation.survey import Survey
    from acic.evaluation.truth import Run
    from acic.space import Configuration, Value


def show_surveys(found: Sequence[tuple[str, Plan, Sequence[Run], int]]) -> None:
    """Print each survey's name, what it is of, the runs that were made, those that are left, and when the last was."""
    rows = []
    for name, plan, runs, left in found:
        sizes = (len(plan.kernels), len(plan.configurations), len(runs), left)
        rows.append([name, *map(str, sizes), f"{runs[-1].time:%Y-%m-%d %H:%M}" if runs else ""])
    titles = ["applications", "configurations", "runs", "left"]
    table(["survey", *titles, "last run"], rows, right=titles)


def plain_survey(name: str, plan: Plan, runs: Sequence[Run], left: int) -> dict[str, object]:
    """Return one of them for JSON."""
    return {
        "survey": name,
        "applications": len(plan.kernels),
        "configurations": len(plan.configurations),
        "runs": len(runs),
        "left": left,
        "of": plan.runs,
        "last_run": runs[-1].time if runs else None,
    }


def show_begun(made: Survey, as_json: bool) -> None:
    """Print what a survey is to run, and by which command; say who is to begin it."""
    plan, name = made.plan, made.journal.name
    if as_json:
        sizes = {"applications": len(plan.kernels), "configurations": len(plan.configurations), "runs": plan.runs}
        emit_json({"survey": name, **sizes, "before": len(made.runs), "left": made.remaining})
        return
    click.echo(f"{len(plan.kernels)} applications, {len(plan.configurations)} configurations: {plan.runs} runs in all")
    if before := len(made.runs):
        say(f"{before} runs were made before; {made.remaining} are left")
    if os.geteuid() != 0:
        say("note: root runs it, and looks in root's home for it where sudo changes HOME: begin it by sudo, too")
    say(f"next: {with_sudo('survey', 'run', name, '--budget', '1h')}")


def show_measured(opened: Survey, made: int, thrown_away: int, as_json: bool) -> None:
    """Print how many runs were made now, and how the survey stands.

    Args:
        opened: the survey.
        made: runs that were made now.
        thrown_away: runs that were made besides, while others got the processors.
        as_json: whether to print it as JSON.
    """
    from acic.store.measurement import Outcome

    outcomes = [r.outcome for r in opened.runs]
    corrupt = outcomes.count(Outcome.CORRUPT)
    failed = len(outcomes) - outcomes.count(Outcome.OK) - corrupt
    if as_json:
        counts = {"made": made, "runs": len(outcomes), "failed": failed, "corrupt": corrupt, "of": opened.plan.runs}
        emit_json({"survey": opened.journal.name, **counts, "left": opened.remaining, "thrown_away": thrown_away})
        return
    click.echo(
        f"{made} runs made, {opened.remaining} of {opened.plan.runs} are left; "
        f"{failed} failed, {corrupt} gave wrong bytes"
    )
    if thrown_away:
        say(f"{thrown_away} runs were thrown away, because others got this machine's processors meanwhile")


def compare(before: list[Run], after: list[Run], others: list[Run], as_json: bool) -> None:
    """Tell whether runs agree with those made before, within the noise of these and of others that repeat them."""
    from acic.evaluation.noise import agreement, noise_of

    noise = noise_of([*before, *others])
    found = agreement(before, after, covers=noise.covers)
    if as_json:
        emit_json({"noise": noise, "points": found})
        return
    words = {True: "", False: "no", None: "?"}
    rows = [[a.kernel, a.scale, _words(a.configuration), f"{a.ratio:.2f}", words[a.within]] for a in found]
    table(["application", "scale", "configuration", "again / before", "agrees"], rows, right=["again / before"])
    if math.isnan(noise.covers):
        click.echo(
            "whether they agree cannot be told: nothing was run twice; --noise SURVEY takes the noise from others"
        )
        return
    agreeing = sum(a.within is True for a in found)
    click.echo(
        f"{agreeing} of {len(found)} agree within {math.expm1(noise.covers):.0%}, which covers 90 % of the runs of "
        f"{noise.points} points that were repeated"
    )


def show_field(goal: str, field: Field, made: Table) -> None:
    """Print the best configuration of each application, and what one for all would lose."""
    text = format_seconds if goal == "time" else format_usd
    rows = []
    for application, best in field.best.items():
        spread, regret = field.spread[application], field.regret[application]
        lost = "failed" if math.isinf(regret) else f"{regret:.0%}"
        rows.append([*application, text(_best(made, application, best)), _words(best), f"{spread:.1f}x", lost])
    title = f"{goal}: {field.distinct} different best configurations for {len(field.best)} applications"
    columns = ["application", "scale", "best", "on", "worst / best", "regret of the fixed one"]
    table(columns, rows, title=title, right=["best", "worst / best", "regret of the fixed one"])
    mean = _mean_regret(field)
    lost = "fails with some" if math.isinf(mean) else f"has a mean regret of {mean:.0%}"
    click.echo(f"the best fixed configuration ({_words(field.fixed)}) {lost}\n")


def plain_field(goal: str, field: Field, made: Table) -> dict[str, object]:
    """Return the same for JSON: what fails has the figure "failed", as `acic evaluate` tells it."""
    return {
        "goal": goal,
        "distinct": field.distinct,
        "fixed": dict(field.fixed),
        "regret": {" ".join(a): told_figure(r) for a, r in field.regret.items()},
        "best": {" ".join(a): dict(c) for a, c in field.best.items()},
        "value": {" ".join(a): _best(made, a, c) for a, c in field.best.items()},
        "spread": {" ".join(a): s for a, s in field.spread.items()},
        "mean_regret": told_figure(_mean_regret(field)),
    }


def _best(made: Table, application: Application, best: Configuration) -> float:
    """Return what an application takes on its best configuration, s or USD."""
    return float(made.values[made.applications.index(application), made.configurations.index(best)])


def _mean_regret(field: Field) -> float:
    return sum(field.regret.values()) / len(field.regret)


def _words(configuration: Mapping[str, Value]) -> str:
    return ", ".join(format_setting(name, value) for name, value in configuration.items())


@contextmanager
def survey_progress(
    opened: Survey, seconds: float | None
) -> Iterator[tuple[Callable[[int, Run], None], Callable[[str], None]]]:
    """Show how far a survey is, by the time that is spent or, without a limit, by its runs; yield what tells of runs.

    The first of both is told of each run, and how many were made in all; the second is told anything else.
    """
    began, before = time.monotonic(), len(opened.runs)
    total, made = before + opened.remaining, before

    def part() -> float:
        if seconds is None:
            return (made - before) / max(1, total - before)
        return (time.monotonic() - began) / seconds

    try:
        with progress("measuring", of="the runs" if seconds is None else "the budget") as show:

            def told(text: str) -> None:
                show(min(1.0, part()), text[:160])

            def watch(done: int, run: Run) -> None:
                nonlocal made
                made = done
                told(f"{done} of {total} runs; {run.kernel} {run.scale} {run.outcome} {run.note}")

            yield watch, told
    except KeyboardInterrupt as ended:
        kept = "interrupted; what was measured is kept"
        raise interrupted(ended, kept, hint="the same command goes on with it") from None
