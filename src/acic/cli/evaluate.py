"""`acic evaluate`: is the advice good, by ground truth of applications that no model was trained with?"""

from __future__ import annotations

from collections.abc import Sequence
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
    from acic.evaluation.ranks import Rank
    from acic.evaluation.truth import Run
    from acic.platforms import Platform
    from acic.report.evaluation import Evaluation

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
    help="Runs of the best few and the recommended ones made after, at least 5 each: regret is taken from these too."
    "  [default: what comes with acic, for its own ground truth]",
)
@logs_option
@click.option("--sound", is_flag=True, help="Without configurations that gave any application wrong bytes.")
@click.option("--goal", type=click.Choice(["time", "cost"]), help="What to minimise.  [default: both, one by one]")
@click.option(
    "--method", "names", multiple=True, metavar="NAME", help="A method to judge, model:forest or fixed; repeat.  [all]"
)
@click.option(
    "--figure", "figures", multiple=True, metavar="NAME", help="Only this table or picture; repeat.  [default: all]"
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

    if truth and part != "development":
        raise InvalidInput("--applications does nothing beside --truth", hint="leave --applications out")
    if html:
        refuse_to_replace(html, truth, fresh, Path(platform_name))
    _check(figures, html, pictures, goal)
    _check_drawn(figures, names, page=html is not None, files=pictures is not None)
    platform = load_platform(platform_name)
    goals = (goal,) if goal else GOALS
    _check_prices(platform, goals)
    spared = _spares_methods(figures, page=html is not None, files=pictures is not None)
    chosen = () if spared else methods(names, first=default_model(platform))
    models = [one.model for one in chosen if isinstance(one, Advised)]
    runs = read_truth(truth) if truth else bundled_truth(platform.name, part)
    again = read_truth(fresh) if fresh else [] if truth else bundled_fresh(platform.name, part)
    if sound:
        wrong = unsound(runs)
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
    if html or pictures:
        _draw(found, runs, again, ranks, figures, html, pictures)
    if as_json:
        emit_json(as_json_takes(found, ranks))
    else:
        show(found, ranks, figures)


def _spares_methods(figures: tuple[str, ...], *, page: bool, files: bool) -> bool:
    """Return whether nothing that is asked for needs a method: a page of several figures has them all."""
    from acic.report.evaluation import FIGURES

    drawn = sum(name in FIGURES for name in figures)
    everything = (page and drawn != 1) or (files and not drawn)
    return bool(figures) and not everything and NO_METHOD.issuperset(figures)


def _check(figures: tuple[str, ...], html: Path | None, folder: Path | None, goal: str | None) -> None:
    """Refuse what cannot be drawn, or written, before anything is computed; make the folder of pictures."""
    from acic.report.evaluation import FIGURES
    from acic.report.evaluation.png import check_library

    for name in figures:
        if name not in (*TABLES, *FIGURES):
            raise InvalidInput(
                f"there is no figure {name!r}", hint=f"choose one of {', '.join(dict.fromkeys((*TABLES, *FIGURES)))}"
            )
        if name not in TABLES and not (html or folder):
            raise InvalidInput(f"{name} is a picture", hint="say where to: --html FILE or --pictures FOLDER")
    for needed, name in FIELD.items():
        if name in figures and goal not in (None, needed):
            raise InvalidInput(f"{name} is of the goal {needed}", hint="leave --goal out")
    if goal == "cost" and (html or folder):
        raise InvalidInput("pictures need the goal time", hint="leave --goal out")
    if folder:
        check_library()
        folder.mkdir(parents=True, exist_ok=True)


def _check_drawn(figures: tuple[str, ...], names: tuple[str, ...], *, page: bool, files: bool) -> None:
    """Refuse a picture of methods none of which is ever drawn; a page of several figures tells what it lacks."""
    from acic.report.evaluation import FIGURES

    drawn = [name for name in figures if name in FIGURES]
    if names and set(names) == {"random"} and (told := set(figures) & set(FIELD.values())):
        raise InvalidInput(
            f"{min(told)} cannot be told of a blind choice alone, which is many", hint="add a method that chooses"
        )
    lacking = next((name for name in drawn if name in OF_METHODS), None)
    if lacking and names and UNDRAWN.issuperset(names) and (files or (page and len(drawn) == 1)):
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


def _ranks(platform: Platform) -> list[Rank]:
    """Return what the screening in the training data tells; nothing, and a note, if there is none."""
    from acic.evaluation.ranks import table_1
    from acic.store.bundled import bundled

    try:
        return table_1(bundled(platform), platform)
    except MissingData as error:
        say(f"note: without table1: {error.problem}")
        return []


def _draw(
    found: Evaluated,
    runs: list[Run],
    again: list[Run],
    ranks: list[Rank],
    figures: tuple[str, ...],
    html: Path | None,
    folder: Path | None,
) -> None:
    from acic.report.evaluation import FIGURES, figure, page, pictures
    from acic.report.page import write_page

    drawn = [name for name in figures if name in FIGURES]
    judged = set(found.judgements[0].table.applications)
    runs, again = ([run for run in those if (run.kernel, run.scale) in judged] for those in (runs, again))
    given = _given(found, runs, again, ranks, [name for name in CURVES if not drawn or name in drawn])
    if html:
        write_page(html, figure(drawn[0], given) if len(drawn) == 1 else page(given, names=drawn or tuple(FIGURES)))
        say(f"the page is in {html}")
    if folder:
        made = pictures(given, folder, names=drawn) if drawn else pictures(given, folder)
        say(f"{len(made)} pictures are in {folder}")


def _given(found: Evaluated, runs: list[Run], again: list[Run], ranks: list[Rank], curves: list[str]) -> Evaluation:
    """Return what the page is made of: the first method leads, its honest opponents come next."""
    from acic.evaluation.evaluate import fresh_table
    from acic.evaluation.levels import pooled
    from acic.report.evaluation import Evaluation

    tables = {one.goal: one.table for one in found.judgements}
    picks = [one[0] for judgement in found.judgements for one in judgement.picks if len(one) == 1]
    shown = [one for one in picks if one.method not in UNDRAWN]
    first = shown[0].method if shown else ""
    order = [first, "fixed", "rules"]
    shown.sort(key=lambda one: order.index(one.method) if one.method in order else len(order))
    return Evaluation(
        platform=found.platform,
        tables=tables,
        picks=shown,
        again={goal: fresh_table(table, again, found.platform) for goal, table in tables.items()} if again else {},
        runs=len(runs),
        repetitions=found.extent.repetitions,
        ranks=ranks,
        # the best of few runs flatters itself: curves are judged by those made again too
        lines=lines_of(curves, pooled(runs, again), found.platform, shown[0] if shown else None, tables["time"]),
        made=datetime.now(UTC),
        command=typed(found.platform, untold=_UNTOLD),
    )
