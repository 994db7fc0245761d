"""What `acic survey show` prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from acic.cli.output import emit_json, table
from acic.units import format_seconds, format_setting, format_usd

if TYPE_CHECKING:
    from acic.evaluation.field import Field, Table
    from acic.evaluation.plan import Plan
    from acic.evaluation.truth import Run
    from acic.space import Value


def show_surveys(found: Sequence[tuple[str, Plan, Sequence[Run], int]]) -> None:
    """Print each survey's name, what it is of, the runs that were made, those that are left, and when the last was."""
    rows = []
    for name, plan, runs, left in found:
        sizes = (len(plan.kernels), len(plan.configurations), len(runs), left)
        rows.append([name, *map(str, sizes), f"{runs[-1].time:%Y-%m-%d %H:%M}" if runs else ""])
    titles = ["applications", "configurations", "runs", "left"]
    table(["survey", *titles, "last run"], rows, right=titles)


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
        f"{agreeing} of {len(found)} agree within {noise.covers:.0%}, which covers 90 % of the runs of {noise.points} "
        "points that were repeated"
    )


def show_field(goal: str, field: Field, made: Table) -> None:
    """Print the best configuration of each application, and what one for all would lose."""
    text = format_seconds if goal == "time" else format_usd
    rows = []
    for application, best in field.best.items():
        value = made.values[made.applications.index(application), made.configurations.index(best)]
        spread, regret = field.spread[application], field.regret[application]
        rows.append([*application, text(float(value)), _words(best), f"{spread:.1f}x", f"{regret:.0%}"])
    title = f"{goal}: {field.distinct} different best configurations for {len(field.best)} applications"
    columns = ["application", "scale", "best", "on", "worst / best", "regret of the fixed one"]
    table(columns, rows, title=title, right=["best", "worst / best", "regret of the fixed one"])
    mean = sum(field.regret.values()) / len(field.regret)
    click.echo(f"the best fixed configuration ({_words(field.fixed)}) has a mean regret of {mean:.0%}\n")


def plain_field(goal: str, field: Field) -> dict[str, object]:
    """Return the same for JSON."""
    return {
        "goal": goal,
        "distinct": field.distinct,
        "fixed": dict(field.fixed),
        "regret": {" ".join(a): r for a, r in field.regret.items()},
        "best": {" ".join(a): dict(c) for a, c in field.best.items()},
        "mean_regret": sum(field.regret.values()) / len(field.regret),
    }


def _words(configuration: Mapping[str, Value]) -> str:
    return ", ".join(format_setting(name, value) for name, value in configuration.items())
