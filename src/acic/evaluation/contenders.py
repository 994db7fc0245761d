"""What is to be measured again: the best few of each application, and what methods chose for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from acic.advisor.knowledge import Knowledge
from acic.evaluation.advising import asked, candidates
from acic.evaluation.evaluate import GOALS
from acic.evaluation.field import Application, table_of
from acic.evaluation.methods import Method, Scene
from acic.evaluation.truth import Run, unsound
from acic.platforms import Platform
from acic.space import Configuration


def contenders(
    runs: Sequence[Run],
    platform: Platform,
    chosen: Sequence[Method],
    knowledge: Callable[[str], Knowledge],
    *,
    top: int,
) -> Mapping[Application, tuple[Configuration, ...]]:
    """Return the configurations of each application that regret by fresh runs compares, each once, the baseline first.

    The best are those of all, and those among the configurations that gave no application wrong bytes.

    Args:
        runs: the ground truth.
        platform: where it was measured.
        chosen: methods whose first choices are among them; a blind one's are not.
        knowledge: what a model learned of the platform's training, by its name.
        top: how many of the best for time, and of the best for cost.

    Raises:
        MissingData: too little was measured.
    """
    found: dict[Application, list[Configuration]] = {}
    wrong = unsound(runs)
    for goal in GOALS:
        table = candidates(table_of(runs, platform, goal), platform)
        questions = {a: asked(a, runs, platform) for a in table.applications}
        scene = Scene(platform=platform, table=table, asked=questions, knowledge=knowledge)
        made = [picks for picks in (method.picks(scene) for method in chosen) if len(picks) == 1]
        for application, row in zip(table.applications, table.values, strict=True):
            order = [i for i in np.argsort(row, kind="stable").tolist() if np.isfinite(row[i])]
            best = order[:top] + [i for i in order if table.configurations[i] not in wrong][:top]
            firsts = [picks[0].ranked[application][0] for picks in made]
            mine = found.setdefault(application, [platform.baseline])
            mine += [table.configurations[i] for i in (*best, *firsts)]
    return {application: tuple(dict.fromkeys(those)) for application, those in found.items()}
