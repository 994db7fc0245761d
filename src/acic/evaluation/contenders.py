"""What is to be measured again: the best few of each application, and what methods chose for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from acic.advisor.knowledge import Knowledge
from acic.evaluation.advising import asked, candidates
from acic.evaluation.field import Application, goals_of, table_of
from acic.evaluation.fresh import FEW, Fresh
from acic.evaluation.methods import Advised, Method, Scene
from acic.evaluation.truth import Run, unsound
from acic.platforms import Platform
from acic.space import Configuration
from acic.workloads import Workload

NEAR = 0.06  # of the best by fresh runs: few of these differ by less than a day does (docs/decisions/0016-levels.md)


def contenders(
    runs: Sequence[Run],
    platform: Platform,
    chosen: Sequence[Method],
    knowledge: Callable[[str], Knowledge],
    *,
    top: int,
    done: Sequence[Run] = (),
    logs: Mapping[Application, Workload] | None = None,
) -> Mapping[Application, tuple[Configuration, ...]]:
    """Return the configurations of each application that regret by fresh runs compares, each once, the baseline first.

    Of acic's own advice these are its first `FEW` choices for each goal, of others' the first. The best are those of
    all, and those among the configurations that gave no application wrong bytes.

    Args:
        runs: the ground truth.
        platform: where it was measured.
        chosen: methods whose choices are among them; a blind one's are not.
        knowledge: what a model learned of the platform's training, by its name.
        top: how many of the best for time, and of the best for cost where there are prices.
        done: fresh runs made before, which may have given wrong bytes, too.
        logs: what to ask advice by in place of descriptions, as of `evaluate`; applications without are left out.

    Raises:
        MissingData: too little was measured.
    """
    found: dict[Application, list[Configuration]] = {}
    wrong = unsound([*runs, *done])
    if logs is not None:
        runs = [run for run in runs if (run.kernel, run.scale) in logs]
    for goal in goals_of(platform):
        table = candidates(table_of(runs, platform, goal), platform)
        questions = {a: asked(a, runs, platform, (logs or {}).get(a)) for a in table.applications}
        scene = Scene(platform=platform, table=table, asked=questions, knowledge=knowledge)
        made = [(method.picks(scene), FEW if isinstance(method, Advised) else 1) for method in chosen]
        for application, row in zip(table.applications, table.values, strict=True):
            order = [i for i in np.argsort(row, kind="stable").tolist() if np.isfinite(row[i])]
            best = order[:top] + [i for i in order if table.configurations[i] not in wrong][:top]
            firsts = [i for picks, count in made if len(picks) == 1 for i in picks[0].ranked[application][:count]]
            mine = found.setdefault(application, [platform.baseline])
            mine += [table.configurations[i] for i in (*best, *firsts)]
    return {application: tuple(dict.fromkeys(those)) for application, those in found.items()}


def left_over(
    points: Mapping[Application, Sequence[Configuration]], done: Sequence[Run], platform: Platform, *, passes: int
) -> Mapping[Application, Mapping[Configuration, int]]:
    """Return how many runs are lacking of what has fewer than `passes` in `done`, with three beside it in each pass.

    What is asked for are `points`, and what is within `NEAR` of an application's best in `done`: it may be the best.
    The three are the baseline and, for time and for cost, the best of what was run before: what slowed the new passes
    down slowed them down too. A run that failed was one; a survey tries it twice.
    """
    fresh = [Fresh(done, platform, goal) for goal in goals_of(platform)]
    near = {a: [*those, *(one for runs in fresh for one in runs.near(a, NEAR))] for a, those in points.items()}
    found: dict[Application, Mapping[Configuration, int]] = {}
    for application, missing in lacking(near, done, passes=passes).items():
        best = [one for runs in fresh if (one := runs.best(application)) is not None]
        beside = dict.fromkeys((platform.baseline, *best), max(missing.values()))
        found[application] = {**beside, **{one: count for one, count in missing.items() if one not in beside}}
    return found


def lacking(
    points: Mapping[Application, Sequence[Configuration]], done: Sequence[Run], *, passes: int
) -> Mapping[Application, Mapping[Configuration, int]]:
    """Return how many runs are lacking of which of `points`, if each is to have `passes` with those in `done`."""
    passed = {(run.kernel, run.scale, run.configuration, run.repetition) for run in done}
    made = Counter(((kernel, scale), configuration) for kernel, scale, configuration, _ in passed)
    left = {a: {one: passes - made[a, one] for one in those} for a, those in points.items()}
    found = {a: {one: count for one, count in those.items() if count > 0} for a, those in left.items()}
    return {application: those for application, those in found.items() if those}
