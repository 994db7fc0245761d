"""`acic survey`: ground truth of whole applications, measured in the lab."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.applications_option import applications_option
from acic.cli.logs_option import logs_option
from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, say
from acic.cli.settings_option import settings_of
from acic.cli.survey_input import (
    contenders_in,
    file_platform_option,
    likely_in,
    measured_whole,
    runs_of,
    runs_on_platform,
)
from acic.cli.survey_lab import measured_in_lab
from acic.cli.survey_shown import (
    compare,
    plain_field,
    plain_survey,
    show_begun,
    show_field,
    show_measured,
    show_surveys,
)
from acic.cli.unused_options import refuse_typed, refuse_unused
from acic.errors import AcicError, InvalidInput
from acic.units import parse_seconds
from acic.whole import refuse_to_replace

if TYPE_CHECKING:
    from acic.benchmarks.kernels import Part
    from acic.evaluation.truth import Run

_BEST = {"best", "top", "methods", "logs", "platform_name", "passes", "seed", "file"}
_DRAWN = {"platform_name", "only", "part", "among", "configurations", "passes", "seed", "file"}


@click.group(epilog="Example: sudo acic survey begin truth --platform lab --only instance_type=lab.400m")
def survey() -> None:
    """Measure applications on configurations of the lab: what advice is judged by, or learns from.

    The applications are those of docs/kernels.md, which no model is trained with, or sketches, which models learn
    from. A survey is made in as many pieces as it takes, and each run is written down at once.
    """


@survey.command(epilog="Example: sudo acic survey begin truth --platform lab --configurations 160")
@click.argument("name")
@click.option("--platform", "platform_name", default="lab", show_default=True, help="A lab's name or file.")
@click.option("--only", multiple=True, metavar="NAME=VALUE", help="Only configurations with this value; repeat.")
@applications_option("development", "test", "heldout", "sketches")
@click.option(
    "--among",
    type=PathName(),
    help="Only configurations that all applications of this ground truth were measured on.",
)
@click.option("--configurations", type=click.IntRange(1), default=160, show_default=True, help="How many at most.")
@click.option("--passes", type=click.IntRange(1), default=3, show_default=True, help="Runs of each point.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the draw, and of the order.")
@click.option(
    "--with",
    "file",
    type=PathName(),
    help="Go on from runs that were exported; with --best, run what has too few there, and beside it the best there.",
)
@click.option("--again", metavar="SURVEY", help="Repeat points of this survey instead, drawn at random.")
@click.option("--points", type=click.IntRange(1), default=30, show_default=True, help="How many, for --again.")
@click.option(
    "--best",
    type=PathName(),
    help="Run the best few of each application in this ground truth again, and what methods choose for it.",
)
@click.option("--top", type=click.IntRange(1), default=3, show_default=True, help="How many, for --best.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="Whose choices, for --best (`acic evaluate`); repeat.  [default: acic's own, fixed and rules]",
)
@logs_option
@json_option
def begin(
    name: str,
    platform_name: str,
    only: tuple[str, ...],
    part: Part,
    among: Path | None,
    configurations: int,
    passes: int,
    seed: int,
    file: Path | None,
    again: str | None,
    points: int,
    best: Path | None,
    top: int,
    methods: tuple[str, ...],
    logs: Path | None,
    as_json: bool,
) -> None:
    """Plan a survey; nothing is run yet."""
    from acic.benchmarks.kernels import kernels
    from acic.cluster.lab import LabFacts
    from acic.evaluation.contenders import lacking
    from acic.evaluation.drawing import balanced_with
    from acic.evaluation.survey import Survey
    from acic.evaluation.truth import read_truth
    from acic.platforms import load_platform

    now = datetime.now(UTC)
    if again:
        refuse_unused("beside --again", but={"again", "points", "seed"})
        made = Survey.open(again).again(name=name, points=points, seed=seed, now=now)
    elif best:
        refuse_unused("beside --best", but=_BEST)
        done = read_truth(file) if file else []
        wanted = contenders_in(read_truth(best), platform_name, methods, top, done, passes, logs)
        made = Survey.of_points(platform_name, wanted, name=name, seed=seed, now=now, done=done)
    else:
        refuse_unused("without --again or --best", but=_DRAWN)
        platform = load_platform(platform_name)
        LabFacts.of(platform.lab)  # an error where it has none
        allowed = measured_whole(among, platform_name) if among else None
        asked = settings_of(platform, only, "--only")
        drawn = balanced_with(platform, asked, configurations, seed=seed, among=allowed)
        done = read_truth(file) if file else []
        if part == "sketches":
            likely = lacking(likely_in(platform, drawn), done, passes=passes)
            made = Survey.of_points(platform_name, likely, name=name, seed=seed, now=now, done=done)
        else:
            made = Survey.begin(
                platform_name, drawn, name=name, passes=passes, seed=seed, now=now, chosen=kernels(part), done=done
            )
        baseline = platform.baseline
        others = [
            f"{name} {baseline.get(name, 'none')}" for name, value in asked.items() if baseline.get(name) != value
        ]
        if others and baseline in made.plan.configurations:
            say(f"note: one is the baseline, with {', '.join(others)}: nothing can be compared without it")
    show_begun(made, as_json)


@survey.command(epilog="Example: sudo acic survey run truth --budget 2h")
@click.argument("name")
@click.option("--budget", help="Stop after this time, between runs: 90min, 2h.  [default: none]")
@json_option
def run(name: str, budget: str | None, as_json: bool) -> None:
    """Measure what is left of a survey, in a lab that is up. Interrupt it as you like; run it again to go on."""
    from acic.benchmarks import find_benchmark
    from acic.evaluation.survey import Survey

    opened = Survey.open(name)
    seconds = parse_seconds(budget) if budget is not None else None
    benchmark = find_benchmark("acic-bench", announce=say)  # which may build it
    made, thrown_away = measured_in_lab(opened, benchmark, seconds)
    show_measured(opened, made, thrown_away, as_json)


@survey.command("list", epilog="Example: sudo acic survey list")
@json_option
def list_(as_json: bool) -> None:
    """List your surveys and how far each is, the newest last."""
    from acic.evaluation.survey import Survey, survey_names

    found = []
    for name in survey_names():
        try:
            opened = Survey.open(name)
        except AcicError as error:
            say(f"note: {name}: {error.problem}")
        else:
            found.append((name, opened.plan, opened.runs, opened.remaining))
    if as_json:
        emit_json({"surveys": [plain_survey(*one) for one in found]})
    elif found:
        show_surveys(found)
    else:
        say("there are no surveys yet: acic survey begin truth")


@survey.command(epilog="Example: sudo acic survey show truth")
@click.argument("name_or_file")
@click.option("--against", metavar="SURVEY", help="The survey that this one repeats: do they agree?")
@click.option(
    "--noise",
    "others",
    multiple=True,
    metavar="SURVEY",
    help="Another one that repeats it: how far both differ is the noise that these are held against; repeat.",
)
@file_platform_option
@json_option
def show(
    name_or_file: str, against: str | None, others: tuple[str, ...], platform_name: str | None, as_json: bool
) -> None:
    """Tell how much there is to choose: the best configuration of each application, and what one for all would lose.

    SURVEY and NAME_OR_FILE are a survey's name, or a file of `acic survey export`.
    """
    from acic.evaluation.field import field_of, goals_of, table_of
    from acic.evaluation.noise import noise_of

    if others and not against:
        raise InvalidInput("--noise needs --against", hint="name the survey that both repeat: --against truth")
    if against:
        refuse_typed("beside --against", {"platform_name"})
        compare(runs_of(against), runs_of(name_or_file), [run for name in others for run in runs_of(name)], as_json)
        return
    runs, platform = runs_on_platform(name_or_file, platform_name)
    tables = {goal: table_of(runs, platform, goal) for goal in goals_of(platform)}
    fields = {goal: field_of(made) for goal, made in tables.items()}
    if as_json:
        told = [plain_field(goal, field, tables[goal]) for goal, field in fields.items()]
        emit_json({"fields": told, "runs": len(runs), "noise": noise_of(runs)})
        return
    for goal, field in fields.items():
        show_field(goal, field, tables[goal])
    noise = noise_of(runs)
    differ = (
        f"repeated runs differ by {math.expm1(noise.typical):.1%} typically, 90 % by {math.expm1(noise.covers):.0%}"
    )
    click.echo(f"{len(runs)} runs; {'none was repeated' if math.isnan(noise.covers) else differ}")


@survey.command(epilog="Example: sudo acic survey export truth truth.parquet")
@click.argument("name")
@click.argument("file", type=PathName(dir_okay=False))
@click.option("--passes", type=click.IntRange(1), help="Only runs of the first passes: the next one is not whole.")
@click.option("--lessons", is_flag=True, help="What runs of sketches teach, as models learn from it.")
@file_platform_option
@json_option
def export(name: str, file: Path, passes: int | None, lessons: bool, platform_name: str | None, as_json: bool) -> None:
    """Write the runs of a survey as Parquet.

    NAME is a survey, or a Parquet file of runs.
    """
    from acic.evaluation.teaching import lessons_of
    from acic.evaluation.truth import write_truth
    from acic.store.lessons import write_lessons

    def of_passes(found: list[Run]) -> list[Run]:
        return [run for run in found if passes is None or run.repetition < passes]

    refuse_to_replace(file, Path(name))
    if lessons:
        found, platform = runs_on_platform(name, platform_name)
        told = lessons_of(of_passes(found), platform)
        write_lessons(told, file)
        count = {"lessons": len(told)}
    else:
        refuse_typed("without --lessons", {"platform_name"})
        runs = of_passes(runs_of(name))
        write_truth(runs, file)
        count = {"runs": len(runs)}
    if as_json:
        emit_json({"survey": name, **count, "file": str(file)})
    else:
        click.echo(f"{' '.join(f'{n} {what}' for what, n in count.items())} written to {file}")
