"""`acic evaluate`: is the advice good, by ground truth of applications that no model was trained with?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acic.cli.applications_option import applications_option
from acic.cli.evaluate_json import as_json_takes
from acic.cli.evaluate_lines import CURVES, lines_of
from acic.cli.evaluate_shown import FIELD, NO_METHOD, OF_METHODS, TABLES, UNDRAWN, show
from acic.cli.knowing import knowing
from acic.cli.logs_option import logs_option, told_by_logs
from acic.cli.option_types import PathName
from acic.cli.output import emit_json, json_option, progress, say
from acic.cli.store_option import store_option
from acic.cli.typed import typed
from acic.errors import InvalidInput, MissingData
from acic.whole import refuse_to_replace

if TYPE_CHECKING:
    from acic.benchmarks.kernels import Part
    from acic.evaluation.evaluate import Evaluated
    from acic.evaluation.field import Application
    from acic.evaluation.picks import Picks
    from acic.evaluation.ranks import Rank
    from acic.evaluation.truth import Run
    from acic.platforms import Platform
    from acic.report.evaluation import Evaluation, Lines
    from acic.space import Configuration
    from acic.workloads import Workload

_UNTOLD = ("pictures",)  # on a page


@click.command(epilog="Example: acic evaluate --platform lab --goal time --method model:forest --method fixed")
@click.option("--platform", "platform_name", default="lab", show_default=True, help="A platform's name or file.")
@applications_option("development", "test", "heldout")
@click.option(
    "--truth",
    type=PathName(),
    help="Ground truth, as `acic survey export` writes it.  [default: what comes with acic]",
)
@click.option(
    "--fresh",
    type=PathName(),
    help="Runs of the best few and the recommended ones made after, three or more of each: regret is taken from these "
    "too."
    "  [default: what comes with acic, for its own ground truth]",
)
@logs_option
@click.option("--sound", is_flag=True, help="Without configurations that gave any application wrong bytes.")
@click.option("--goal", type=click.Choice(["time", "cost"]), help="What to minimise.  [default: both, one by one]")
@click.option(
    "--method", "names", multiple=True, metavar="NAME", help="A method to judge, model:forest or fixed; repeat.  [all]"
)
@click.option(
    "--figure",
    "figures",
    multiple=True,
    metavar="NAME",
    help="Only this table or picture; repeat.  [default: all but crowd, and transfer for development alone]",
)
@click.option("--html", type=PathName(dir_okay=False), help="Also write one page with the pictures.")
@click.option("--pictures", type=PathName(file_okay=False), help="Also write PNG files into a folder.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of whatever is drawn.")
@store_option
@json_option
def evaluate(
    platform_name: str,
    part: Part,
    truth: Path | None,
    fresh: Path | None,
    logs: Path | None,
    sound: bool,
    goal: str | None,
    names: tuple[str, ...],
    figures: tuple[str, ...],
    html: Path | None,
    pictures: Path | None,
    seed: int,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Judge acic's advice, and other ways of choosing, by measured runs of applications.

    The applications are those of docs/kernels.md, which no model is trained with. For each of them a method chooses
    among the configurations that all were measured on; its regret is how much longer, or dearer, its choice is than
    the best one. Nothing is run.
    """
    from acic.advisor.informed import default_model
    from acic.evaluation.evaluate import GOALS, bundled_fresh, bundled_truth
    from acic.evaluation.evaluate import evaluate as judge
    from acic.evaluation.methods import Advised, methods
    from acic.evaluation.truth import read_truth, unsound
    from acic.platforms import load_platform
    from acic.report.evaluation import ELSEWHERE, SLOW

    if truth and part != "development":
        raise InvalidInput("--applications does nothing beside --truth", hint="leave --applications out")
    if html:
        refuse_to_replace(html, truth, fresh, Path(platform_name))
    _check(figures, html, pictures, goal, numbers=as_json)
    _check_drawn(figures, names, page=html is not None, files=pictures is not None, numbers=as_json)
    platform = load_platform(platform_name)
    goals = (goal,) if goal else GOALS
    _check_prices(platform, goals)
    unjudged = bool(figures) and NO_METHOD.issuperset(figures)
    chosen = () if unjudged else methods(names, first=default_model(platform))
    models = [one.model for one in chosen if isinstance(one, Advised)]
    runs = read_truth(truth) if truth else bundled_truth(platform.name, part)
    again = read_truth(fresh) if fresh else [] if truth else bundled_fresh(platform.name, part)
    if sound:
        wrong = unsound([*runs, *again])
        _check_sound(platform, wrong)
        runs, again = ([run for run in those if run.configuration not in wrong] for those in (runs, again))
    told = told_by_logs(logs, platform.name, runs)  # before anything is learned: there may be none
    knowledge = knowing(platform, store_url, models)
    with progress("judging", total=len(chosen) * len(goals), unit="methods") as seen:
        found = judge(
            runs,
            platform,
            chosen,
            knowledge,
            goals=goals,
            fresh=again,
            logs=told,
            seed=seed,
            watch=seen,
        )
    ranks = _ranks(platform) if not figures or "table1" in figures else []
    drawn = html is not None or pictures is not None
    spared = SLOW if truth is None and part == "development" else SLOW | ELSEWHERE
    curves = [name for name in CURVES if name in figures or (drawn and not figures and name not in spared)]
    judged = set(found.judgements[0].table.applications)
    runs, again = ([run for run in those if (run.kernel, run.scale) in judged] for those in (runs, again))
    lines = _lines(found, runs, again, curves, told)
    if drawn:
        _draw(_given(found, runs, ranks, lines, again=len(again)), figures, html, pictures)
    if as_json:
        emit_json(as_json_takes(found, ranks, lines))
    else:
        show(found, ranks, figures)


def _check(
    figures: tuple[str, ...], html: Path | None, folder: Path | None, goal: str | None, *, numbers: bool
) -> None:
    """Refuse what cannot be drawn, or written, before anything is computed; make the folder of pictures."""
    from acic.report.evaluation import FIGURES, SHEETS
    from acic.report.evaluation.png import check_library

    for name in figures:
        if name not in FIGURES:
            raise InvalidInput(f"there is no figure {name!r}", hint=f"choose one of {', '.join(FIGURES)}")
        if name not in TABLES and not (html or folder or (numbers and name in CURVES)):
            beside = " (or --json, for its numbers)" if name in CURVES else ""
            raise InvalidInput(f"{name} is a picture", hint=f"say where to: --html FILE or --pictures FOLDER{beside}")
    for needed, name in FIELD.items():
        if name in figures and goal not in (None, needed):
            raise InvalidInput(f"{name} is of the goal {needed}", hint="leave --goal out")
    if folder and figures and SHEETS.issuperset(figures):
        raise InvalidInput(
            f"{figures[0]} is a table, and has no picture", hint="leave --pictures out, or say --html FILE"
        )
    if folder:
        check_library()
        folder.mkdir(parents=True, exist_ok=True)


def _check_drawn(figures: tuple[str, ...], names: tuple[str, ...], *, page: bool, files: bool, numbers: bool) -> None:
    """Refuse a picture of methods none of which is ever drawn; a page of several figures tells what it lacks."""
    if names and set(names) == {"random"} and (told := set(figures) & set(FIELD.values())):
        raise InvalidInput(
            f"{min(told)} cannot be told of a blind choice alone, which is many", hint="add a method that chooses"
        )
    whole = files or (page and len(set(figures)) == 1)
    lacking = next((name for name in figures if name in OF_METHODS and (whole or (numbers and name in CURVES))), None)
    if lacking and names and UNDRAWN.issuperset(names):
        raise InvalidInput(
            f"{lacking} cannot be drawn of {' and '.join(dict.fromkeys(names))} alone",
            hint="a blind choice is many, and others are told beside the baseline and the best: add a method that "
            "chooses, as --method fixed",
        )


def _check_prices(platform: Platform, goals: Sequence[str]) -> None:
    """Refuse to judge costs where there are none, before anything is learned."""
    from acic.evaluation.field import goals_of

    if not set(goals) <= set(goals_of(platform)):
        hint = "use --goal time, or a platform file with prices of all its machines (docs/platforms.md)"
        raise InvalidInput(f"platform {platform.name} has no prices", hint=hint)


def _check_sound(platform: Platform, wrong: Collection[Configuration]) -> None:
    """Refuse a baseline that gave wrong bytes: nothing is left to compare with."""
    if platform.baseline in wrong:
        raise InvalidInput(
            f"--sound leaves nothing to compare with: the baseline of {platform.name} gave an application wrong bytes",
            hint="leave --sound out",
        )


def _ranks(platform: Platform) -> list[Rank]:
    """Return what the screening in the training data tells; nothing, and a note, if there is none."""
    from acic.evaluation.ranks import table_1
    from acic.store.bundled import bundled

    try:
        return table_1(bundled(platform), platform)
    except MissingData as error:
        say(f"note: without table1: {error.problem}")
        return []


def _lines(
    found: Evaluated,
    runs: list[Run],
    again: list[Run],
    curves: Sequence[str],
    logs: Mapping[Application, Workload] | None,
) -> Mapping[str, Sequence[Lines]]:
    """Return the curves called for: in time, or in cost where that is the only goal."""
    from acic.evaluation.levels import pooled

    if not curves:
        return {}
    shown = _shown(found)
    # the best of few runs flatters itself: curves are judged by those made again too
    table = found.judgements[0].table
    return lines_of(curves, pooled(runs, again), found.platform, shown[0] if shown else None, table, logs)


def _shown(found: Evaluated) -> list[Picks]:
    """Return the choices that pictures show: the first method's lead, its honest opponents' come next."""
    picks = [one[0] for judgement in found.judgements for one in judgement.picks if len(one) == 1]
    shown = [one for one in picks if one.method not in UNDRAWN]
    first = shown[0].method if shown else ""
    order = [first, "fixed", "rules"]
    return sorted(shown, key=lambda one: order.index(one.method) if one.method in order else len(order))


def _draw(given: Evaluation, figures: tuple[str, ...], html: Path | None, folder: Path | None) -> None:
    from acic.report.evaluation import FIGURES, SHEETS, figure, page, pictures
    from acic.report.page import write_page

    if html:
        alone = len(set(figures)) == 1
        write_page(html, figure(figures[0], given) if alone else page(given, names=figures or tuple(FIGURES)))
        say(f"the page is in {html}")
    if folder:
        if tables := [name for name in figures if name in SHEETS]:
            say(f"note: without a picture of {', '.join(tables)}: a table has none")
        drawn = [name for name in figures if name not in SHEETS]
        made = pictures(given, folder, names=drawn or None)
        say(f"{len(made)} pictures are in {folder}")


def _given(
    found: Evaluated, runs: list[Run], ranks: list[Rank], lines: Mapping[str, Sequence[Lines]], *, again: int
) -> Evaluation:
    """Return what the page is made of."""
    from acic.report.evaluation import Evaluation

    chosen = set(found.judgements[0].table.configurations)
    return Evaluation(
        platform=found.platform,
        tables={one.goal: one.table for one in found.judgements},
        picks=_shown(found),
        fresh=[score for judgement in found.judgements for score in judgement.fresh],
        runs=sum(run.configuration in chosen for run in runs),
        again=again > 0,
        fresh_runs=again,
        repetitions=found.extent.repetitions,
        noise=found.noise.covers,
        processes={one.application: one.processes for one in found.judgements[0].optima},
        observations=found.observations,
        ranks=ranks,
        lines=lines,
        made=datetime.now(UTC),
        command=typed(found.platform, untold=_UNTOLD),
    )
