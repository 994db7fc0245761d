"""Why this answer: what drove it, what would change it, what an error would cost, and what it rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np

from acic.advisor.advice import Advice, Estimate, Goal
from acic.advisor.attribution import Character, Part, by_characteristic, by_part
from acic.advisor.buffering import Buffering, buffering
from acic.advisor.changes import Changes, Unit, by_parameter
from acic.advisor.forecast import forecast
from acic.advisor.knowledge import KIND, Knowledge
from acic.advisor.recommend import recommend
from acic.advisor.sensitivity import Dependence, dependences
from acic.advisor.support import Precision, Support, precision, support
from acic.advisor.temporary import removing_temporary
from acic.advisor.whatif import Expected, Foresight, Question
from acic.errors import InvalidInput
from acic.platforms import Platform
from acic.space import Configuration, Value, made_valid
from acic.store.training import TrainingRows
from acic.workloads import Workload

PHASES = 3  # those that take longest are looked at one by one
SLIGHT = 0.01  # of the I/O's time: a phase that takes less decides nothing


class Against(StrEnum):
    """What the answer is compared with."""

    BASELINE = "baseline"
    RUNNER_UP = "runner-up"
    NAMED = "named"  # one that the user names


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why an answer is what it is; all numbers but the nearest points' are predicted.

    Args:
        advice: the answer.
        unit: of every amount: what is saved, of what the run takes.
        against: what the answer is compared with.
        other: that configuration.
        ours: what the run takes with the answer.
        theirs: what it takes with `other`.
        parts: the difference by phase, and by what is not I/O; they add up to it.
        changes: the difference by parameter; they add up to it.
        characters: the difference of each of the largest phases by characteristic; they add up to that phase's part.
            None where nothing was measured that a workload can be set against.
        dependences: what would change the answer, and what errors would cost: the most harmful first.
        left_out: smaller phases that are not looked at one by one.
        precision: where the width of the interval comes from; None if the answer is the baseline.
        support: what was measured near the answer; None if the measurements were not given.
        buffering: whether collective buffering is worth it, for each direction of MPI-IO; none if the measurements
            were not given.
    """

    advice: Advice
    unit: Unit
    against: Against
    other: Configuration
    ours: float
    theirs: float
    tied: bool
    parts: tuple[Part, ...]
    changes: Changes
    characters: tuple[Character, ...]
    dependences: tuple[Dependence, ...]
    left_out: int
    precision: Precision | None
    support: Support | None
    buffering: tuple[Buffering, ...] = ()

    @property
    def answer(self) -> Configuration:
        """The configuration that is recommended."""
        return self.advice.recommendations[0].configuration


def explain(
    workload: Workload,
    platform: Platform,
    knowledge: Knowledge,
    *,
    goal: Goal = Goal.TIME,
    price: float | None = None,
    elsewhere: bool = False,
    results: int = 0,
    against: Against = Against.BASELINE,
    instead: Mapping[str, Value] | None = None,
    keep: Mapping[str, Value] | None = None,
    rows: TrainingRows | None = None,
) -> Explanation:
    """Return why the configuration that `recommend` answers with is its answer.

    Args:
        workload: what the application does.
        platform: where it is to run.
        knowledge: what was learned of the platform.
        goal: time or cost.
        price: as for `recommend`.
        elsewhere: as for `recommend`.
        results: as for `recommend`.
        against: what to compare with; where the answer is the baseline, the runner-up stands for the baseline.
        instead: for `NAMED`, values that the configuration compared with has in place of the answer's.
        keep: as for `recommend`.
        rows: what was measured, for what is nearest.

    Raises:
        MissingData: as `recommend`.
        InvalidInput: the goal is pareto, there is no runner-up, or no valid configuration has the values named.
    """
    if goal is Goal.PARETO:
        raise InvalidInput("a front of many answers has no one reason", hint="use --goal time or --goal cost")
    workload = removing_temporary(workload, results)
    knowledge = knowledge.safe_for(workload)
    knowledge = knowledge if KIND in (instead or {}) else knowledge.steady_for(workload)
    if not set(instead or ()) & set(knowledge.inert(workload)):
        knowledge = knowledge.fitting(workload, keep or ())
    how: dict[str, Any] = {"price": price, "elsewhere": elsewhere, "results": results, "keep": keep or {}}
    ask = partial(recommend, workload, platform, knowledge, goal=goal, **how)
    advice = ask(top=1)
    question = Question(platform=platform, knowledge=Foresight(knowledge), goal=goal, **how)
    expected = question.expected(workload)
    assert expected is not None  # noqa: S101 (recommend answered)
    against, other = _compared(ask, advice, platform, against, instead or {})
    better, worse = (_place(question, one) for one in (advice.recommendations[0].configuration, other))
    named = None  # the I/O of the answer, as if it had not been picked
    if better != expected.forecast.baseline:
        named = ask(among=[advice.recommendations[0].configuration]).recommendations[0].io_improvement
    found = _explained(question, workload, expected, advice, against, better, worse, rows, named)
    if rows is None:
        return found
    del how["keep"]  # what is asked here is what other values than those that are kept would do
    predict = partial(forecast, workload, platform, goal=goal, **how)
    return replace(found, buffering=buffering(workload, platform, knowledge, advice, rows, predict))


def _explained(
    question: Question,
    workload: Workload,
    expected: Expected,
    advice: Advice,
    against: Against,
    better: int,
    worse: int,
    rows: TrainingRows | None,
    named: Estimate | None,
) -> Explanation:
    forecast = expected.forecast
    objective = forecast.objective(question.goal)
    places = [i for i, phase in enumerate(workload.phases) if any(phase is one for one in forecast.covered)]
    largest = _largest(expected)
    main = forecast.covered[max(largest, key=lambda index: forecast.times.phases[index])].characteristics
    best = advice.recommendations[0]
    learned, platform = question.knowledge.learned, question.platform
    return Explanation(
        advice=advice,
        unit=question.goal.unit,
        against=against,
        other=platform.space.configuration(question.knowledge.points[worse]),
        ours=float(objective[better]),
        theirs=float(objective[worse]),
        tied=worse in question.allowed and bool(objective[better] <= objective[worse] * (1 + forecast.tolerance)),
        parts=by_part(question, expected, places, better, worse),
        changes=by_parameter(platform.space, question.knowledge.points, objective, better, worse, question.goal.unit),
        characters=tuple(
            by_characteristic(question, expected, places, index, better, worse)
            for index in (largest if learned.workloads else ())
        ),
        dependences=dependences(question, workload, [places[index] for index in largest], best.configuration),
        left_out=len(places) - len(largest),
        precision=None if named is None else precision(learned, main, named),
        support=support(rows, learned, platform, main, best.configuration)
        if rows is not None and learned.workloads
        else None,
    )


def _compared(
    ask: Callable[..., Advice], advice: Advice, platform: Platform, against: Against, instead: Mapping[str, Value]
) -> tuple[Against, Configuration]:
    answer = advice.recommendations[0].configuration
    if against is Against.NAMED:
        return against, _named(platform, answer, instead)
    if against is Against.BASELINE and answer != advice.baseline:
        return against, advice.baseline
    if len(found := ask(top=2).recommendations) < 2:
        raise InvalidInput(
            "all configurations are predicted to be the same, so there is no other to compare with",
            hint="name one: --instead NAME=VALUE",
        )
    return Against.RUNNER_UP, found[1].configuration


def _named(platform: Platform, answer: Configuration, values: Mapping[str, Value]) -> Configuration:
    """Return the configuration with `values` that is near the answer; what they rule out gives way."""
    made = Configuration(made_valid(platform.space, {**answer, **values}))
    platform.space.point(made)  # only listed values are candidates
    for name, value in values.items():
        if made.get(name) != value:
            problem = platform.space.problem({**answer, **values}) or f"{name} cannot be {value}"
            raise InvalidInput(
                f"no configuration near the answer has {name} {value}: {problem}",
                hint="name the other values that it needs too, as --instead NAME=VALUE",
            )
    return made


def _place(question: Question, configuration: Configuration) -> int:
    space, points = question.platform.space, question.knowledge.points
    found = np.flatnonzero((points == space.point(configuration)).all(axis=1))
    if not len(found):
        raise InvalidInput(
            "the configuration named gave back other bytes than were written, so it is never an answer",
            hint="name another one",
        )
    return int(found[0])


def _largest(expected: Expected) -> list[int]:
    """Return the covered phases that take longest under the baseline, in their order, at most `PHASES`."""
    seconds = expected.forecast.times.phases
    order = sorted(range(len(seconds)), key=lambda index: -seconds[index])[:PHASES]
    return sorted(index for index in order if index == order[0] or seconds[index] >= SLIGHT * sum(seconds))
