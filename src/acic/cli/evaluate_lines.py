"""The curves of `acic evaluate`: figures 8 and 9, learning curves, transfer and a crowd, which take minutes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from acic.cli.output import say
from acic.errors import MissingData

if TYPE_CHECKING:
    from acic.evaluation.field import Application, Table
    from acic.evaluation.picks import Curve, Picks
    from acic.evaluation.taught import Judge
    from acic.evaluation.training import Training
    from acic.evaluation.truth import Run
    from acic.platforms import Platform
    from acic.report.evaluation import Lines
    from acic.workloads import Workload

CURVES = ("fig8", "fig9", "learning", "transfer", "crowd")


def lines_of(
    wanted: Sequence[str],
    runs: Sequence[Run],
    platform: Platform,
    advice: Picks | None,
    table: Table,
    logs: Mapping[Application, Workload] | None,
) -> Mapping[str, Sequence[Lines]]:
    """Return the curves called for, by figure, for the goal of `table`; without those that nothing is known for.

    Args:
        wanted: names of `CURVES`.
        runs: the ground truth, and what was run again of it.
        platform: where it was measured; curves are of the training data that come with acic for it.
        advice: acic's, which figure 9 follows; None leaves it out.
        table: whose columns it names.
        logs: what to ask by in place of descriptions, but for transfer, which has its own applications.
    """
    from acic.evaluation.taught import judge_of
    from acic.evaluation.training import training_of
    from acic.store.bundled import bundled

    made: dict[str, Sequence[Lines]] = {}
    if not wanted:
        return made
    try:
        training = training_of(bundled(platform), platform)
    except MissingData as error:
        say(f"note: without {', '.join(wanted)}: {error.problem}")
        return made
    judge = partial(judge_of, runs, platform, table.goal, logs)
    build: dict[str, Callable[[], Sequence[Lines]]] = {
        "fig8": lambda: _figure_8(training, judge()),
        "learning": lambda: _learning(training, judge()),
        "transfer": lambda: _transfer(training, platform, table.goal),
        "crowd": lambda: _crowd(training, judge()),
    }
    if advice is not None:
        build["fig9"] = lambda: _figure_9(training, runs, platform, advice, table)
    for name in wanted:
        if name in build:
            say(f"computing {name}, which takes up to {'a quarter of an hour' if name == 'crowd' else 'some minutes'}")
            made[name] = build[name]()
    return made


def _figure_8(training: Training, judge: Judge) -> Sequence[Lines]:
    from acic.evaluation.learning_curves import SEEDS, figure_8
    from acic.evaluation.parallel import processors
    from acic.report.evaluation import Lines

    goal, models = judge.table.goal, _models(judge.platform)
    *regret, ran, taken = figure_8(training, judge, models=models, processes=processors())
    spent = "top-ranked parameters that training varies"
    drawn = f"{SEEDS} seeds of a model"
    found = _regret_lines("Regret, by how much training varies", spent, tuple(regret), goal, drawn)
    unlearned = any(math.isnan(middle) for curve in regret for middle in curve.middle)
    return (
        begun_late(found, judge, models) if unlearned else found,
        *(
            Lines(
                title=f"What that training takes in {curve.name}",
                goal=goal,
                spent=spent,
                shown=curve.name,
                kind="dollars" if curve.name == "USD" else "count",
                curves=(curve,),
                log_shown=True,
            )
            for curve in (ran, taken)
        ),
    )


def begun_late(lines: Lines, judge: Judge, models: Sequence[str]) -> Lines:
    """Return the lines with what is known where they have nothing, as too little was measured to learn from."""
    from acic.advisor.learning import FEWEST
    from acic.evaluation.learning_curves import untaught
    from acic.report.evaluation.told import listed, share_text

    without = listed([f"{share_text(untaught(judge, model))} with {model}" for model in models])
    said = (
        f"Lines begin where training has {FEWEST} configurations beside the baseline, for fewer teach nothing; regret "
        f"is then {without}."
    )
    unchanged = median(judge.untaught().tolist())
    return replace(lines, about=f"{said} {lines.about}", level=(unchanged, "changing nothing"))


def _figure_9(
    training: Training, runs: Sequence[Run], platform: Platform, advice: Picks, table: Table
) -> Sequence[Lines]:
    from acic.evaluation.loops import FIGURE_9, SEEDS, Before, loops
    from acic.evaluation.parallel import processors
    from acic.evaluation.replay import replay_of

    # advice is of applications that have a log, by the columns of a part of the truth; a replay has columns of its own
    mine = [run for run in runs if (run.kernel, run.scale) in advice.ranked]
    replay = replay_of(mine, platform, table.goal)
    place = {c: i for i, c in enumerate(replay.table.configurations)}
    ranked = {a: tuple(place[table.configurations[i]] for i in order) for a, order in advice.ranked.items()}
    before = Before(ranked=ranked, ranks=training.ranks)
    names = ("halving", "random", *FIGURE_9)  # what is last lies on top: the model, which halving follows
    found = loops(replay, before, names=names, processes=processors())
    own = "model" if advice.method.startswith("model:") else advice.method  # whatever it is that is followed
    curves = tuple(replace(one, name=own) if one.name == "model" else one for one in found)
    spent = "real runs of the application, the baseline's first"
    drawn = f"{SEEDS} seeds of a search and of what its runs take"
    return (_regret_lines("Searching by real runs", spent, curves, table.goal, drawn),)


def _learning(training: Training, judge: Judge) -> Sequence[Lines]:
    from acic.evaluation.learning_curves import SEEDS, learning_curves
    from acic.evaluation.parallel import processors

    curves = learning_curves(training, judge, models=_models(judge.platform), processes=processors())
    drawn = f"{SEEDS} seeds of the order and of a model"
    return (_regret_lines("Regret, by training runs", "training runs", curves, judge.table.goal, drawn),)


def _transfer(training: Training, platform: Platform, goal: str) -> Sequence[Lines]:
    from acic.evaluation.evaluate import bundled_transfer
    from acic.evaluation.parallel import processors
    from acic.evaluation.taught import judge_of
    from acic.evaluation.transfer import SEEDS, transfer

    if not (elsewhere := bundled_transfer(platform.name)):
        return ()
    judge = judge_of(elsewhere, platform, goal)
    curves = transfer(training.rows, judge, models=_models(platform), processes=processors())
    spent = "training runs on the other kind of instance"
    drawn = f"{SEEDS} seeds of which runs are learned from and of a model"
    return (_regret_lines("Regret there, by training runs there", spent, curves, goal, drawn),)


def _crowd(training: Training, judge: Judge) -> Sequence[Lines]:
    from acic.advisor.informed import default_model
    from acic.evaluation.crowd import CONTRIBUTORS, SEEDS, curves
    from acic.evaluation.parallel import processors
    from acic.report.evaluation import Lines

    goal, models = judge.table.goal, tuple(dict.fromkeys((default_model(judge.platform), "forest")))
    found = curves(training.rows, judge, models=models, processes=processors())
    about = (
        f"Simulated: the training measurements are dealt out to {CONTRIBUTORS} made-up contributors, {SEEDS} times "
        "anew, and those of the bad ones changed. The band is from the least to the largest of these times."
    )
    return [
        Lines(
            title=f"{lie}, {model}",
            goal=goal,
            spent="share of the contributors who lie",
            shown=f"median regret, in {goal}",
            kind="share",
            basis="simulated",
            curves=lines,
            about=about,
        )
        for (lie, model), lines in found.items()
    ]


def _regret_lines(title: str, spent: str, curves: tuple[Curve, ...], goal: str, drawn: str) -> Lines:
    from acic.report.evaluation import Lines

    return Lines(
        title=f"{title}, in {goal}",
        goal=goal,
        spent=spent,
        shown=f"regret of the median application, in {goal}",
        kind="share",
        curves=curves,
        about=f"The band is from the least to the largest of {drawn}.",
    )


def _models(platform: Platform) -> tuple[str, str]:
    """Return the paper's model and ours."""
    from acic.advisor.informed import default_model

    return "cart", default_model(platform)
