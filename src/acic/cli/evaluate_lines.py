"""The curves of `acic evaluate`: figures 8 and 9, learning curves and transfer, which take minutes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from acic.cli.output import say
from acic.errors import MissingData

if TYPE_CHECKING:
    from acic.evaluation.field import Table
    from acic.evaluation.picks import Picks
    from acic.evaluation.training import Training
    from acic.evaluation.truth import Run
    from acic.platforms import Platform
    from acic.report.evaluation import Lines

CURVES = ("fig8", "fig9", "learning", "transfer")
_REGRET = "regret of the median application"
_LINE_OF_COUNTS = ("runs", "machine minutes")


def lines_of(
    wanted: Sequence[str], runs: Sequence[Run], platform: Platform, advice: Picks | None, table: Table
) -> Mapping[str, Sequence[Lines]]:
    """Return the curves called for, by figure, for the goal time; without those that nothing is known for.

    Args:
        wanted: names of `CURVES`.
        runs: the ground truth, and what was run again of it.
        platform: where it was measured; curves are of the training data that come with acic for it.
        advice: acic's, which figure 9 follows; None leaves it out.
        table: whose columns it names.
    """
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
    build: dict[str, Callable[[], Sequence[Lines]]] = {
        "fig8": lambda: _figure_8(training, runs, platform),
        "learning": lambda: _learning(training, runs, platform),
        "transfer": lambda: _transfer(training, platform),
    }
    if advice is not None:
        build["fig9"] = lambda: _figure_9(training, runs, platform, advice, table)
    for name in wanted:
        if name in build:
            say(f"computing {name}, which takes up to some minutes")
            made[name] = build[name]()
    return made


def _figure_8(training: Training, runs: Sequence[Run], platform: Platform) -> Sequence[Lines]:
    from acic.evaluation.learning_curves import figure_8
    from acic.evaluation.parallel import processors
    from acic.evaluation.taught import judge_of
    from acic.report.evaluation import Lines

    judge = judge_of(runs, platform, "time")
    curves = figure_8(training, judge, models=_models(platform), processes=processors())
    spent = "top-ranked parameters that training varies"
    regret = tuple(c for c in curves if c.name not in _LINE_OF_COUNTS)
    return (
        Lines(title="Regret, by how much training varies", spent=spent, shown=_REGRET, kind="share", curves=regret),
        *(
            Lines(
                title=f"What that training takes in {c.name}",
                spent=spent,
                shown=c.name,
                kind="count",
                curves=(c,),
                log_shown=True,
                about="",
            )
            for c in curves
            if c.name in _LINE_OF_COUNTS
        ),
    )


def _figure_9(
    training: Training, runs: Sequence[Run], platform: Platform, advice: Picks, table: Table
) -> Sequence[Lines]:
    from acic.evaluation.loops import FIGURE_9, Before, loops
    from acic.evaluation.parallel import processors
    from acic.evaluation.replay import replay_of
    from acic.report.evaluation import Lines

    # advice is of applications that have a log, by the columns of a part of the truth; a replay has columns of its own
    mine = [run for run in runs if (run.kernel, run.scale) in advice.ranked]
    replay = replay_of(mine, platform, "time")
    place = {c: i for i, c in enumerate(replay.table.configurations)}
    ranked = {a: tuple(place[table.configurations[i]] for i in order) for a, order in advice.ranked.items()}
    found = loops(
        replay,
        Before(ranked=ranked, ranks=training.ranks),
        names=(*FIGURE_9, "halving", "random"),
        processes=processors(),
    )
    own = "model" if advice.method.startswith("model:") else advice.method  # whatever it is that is followed
    curves = tuple(replace(one, name=own) if one.name == "model" else one for one in found)
    return (
        Lines(
            title="Searching by real runs",
            spent="real runs of the application, the baseline's first",
            shown=_REGRET,
            kind="share",
            curves=curves,
        ),
    )


def _learning(training: Training, runs: Sequence[Run], platform: Platform) -> Sequence[Lines]:
    from acic.evaluation.learning_curves import learning_curves
    from acic.evaluation.parallel import processors
    from acic.evaluation.taught import judge_of
    from acic.report.evaluation import Lines

    judge = judge_of(runs, platform, "time")
    curves = learning_curves(training, judge, models=_models(platform), processes=processors())
    return (Lines(title="Regret, by training runs", spent="training runs", shown=_REGRET, kind="share", curves=curves),)


def _transfer(training: Training, platform: Platform) -> Sequence[Lines]:
    from acic.evaluation.evaluate import bundled_transfer
    from acic.evaluation.parallel import processors
    from acic.evaluation.taught import judge_of
    from acic.evaluation.transfer import transfer
    from acic.report.evaluation import Lines

    if not (elsewhere := bundled_transfer(platform.name)):
        return ()
    judge = judge_of(elsewhere, platform, "time")
    curves = transfer(training.rows, judge, models=_models(platform), processes=processors())
    spent = "training runs on the other kind of instance"
    return (
        Lines(title="Regret there, by training runs there", spent=spent, shown=_REGRET, kind="share", curves=curves),
    )


def _models(platform: Platform) -> tuple[str, str]:
    """Return the paper's model and ours."""
    from acic.advisor.informed import default_model

    return "cart", default_model(platform)
