"""Measuring again without measuring: runs that were made answer for those that a search asks for.

A search is given a space of which only the measured configurations are valid, so that it never asks for another one,
and every answer is a run that was made, whether it went well or failed; where any gave wrong bytes all have failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan

import numpy as np

from acic.errors import InvalidInput, MissingData
from acic.evaluation.field import Application, Table, table_of, values_of
from acic.evaluation.truth import Run
from acic.platforms import Platform
from acic.search import Observation
from acic.space import Configuration, Rule, Space, Value

UNMEASURED = "not measured"


@dataclass(frozen=True)
class Replay:
    """Ground truth that answers for runs.

    Args:
        table: the medians, which regret is taken of; inf where half of the runs failed.
        single: for each application and configuration that was measured, every run, in the order of the repetitions:
            s or USD; inf for one that failed; empty where none counts.
        platform: where they were made.
    """

    table: Table
    single: Mapping[tuple[Application, Configuration], tuple[float, ...]]
    platform: Platform

    @cached_property
    def applications(self) -> tuple[Application, ...]:
        """Those that a search can be begun with: the baseline went well, and something else was measured."""
        baseline = self.platform.baseline
        begun = (a for a in self.table.applications if np.isfinite(self._medians[a].get(baseline, np.inf)))
        return tuple(a for a in begun if len(self._medians[a]) > 1)

    def configurations(self, application: Application) -> tuple[Configuration, ...]:
        """Return what was measured with an application, those that failed included."""
        return tuple(self._medians[application])

    def space(self, application: Application) -> Space:
        """Return the space of just these configurations."""
        measured = self.configurations(application)
        if measured not in self._spaces:
            self._spaces[measured] = measured_space(self.platform.space, measured)
        return self._spaces[measured]

    def value(self, application: Application, configuration: Configuration) -> float:
        """Return the median, s or USD; inf where it failed.

        Raises:
            MissingData: it was not measured.
        """
        medians = self._medians.get(application, {})
        if configuration not in medians:
            raise MissingData(f"{' '.join(application)} was not measured on {dict(configuration)}", hint="measure it")
        return medians[configuration]

    def regret(self, application: Application, configuration: Configuration) -> float:
        """Return how much longer, or dearer, than the best one measured: 0.05 is 5 %; inf where it failed."""
        return self.value(application, configuration) / self._least[application] - 1.0

    def begin(self, application: Application, *, rng: np.random.Generator) -> Session:
        """Return a session of runs of one application; `rng` decides which repetition a run gives."""
        return Session({c: self.single[application, c] for c in self._medians[application]}, rng)

    @cached_property
    def _medians(self) -> dict[Application, dict[Configuration, float]]:
        rows = zip(self.table.applications, self.table.values.tolist(), strict=True)
        return {
            a: {c: v for c, v in zip(self.table.configurations, row, strict=True) if not isnan(v)} for a, row in rows
        }

    @cached_property
    def _least(self) -> dict[Application, float]:
        return {application: min(medians.values()) for application, medians in self._medians.items()}

    @cached_property
    def _spaces(self) -> dict[tuple[Configuration, ...], Space]:
        return {}


class Session:
    """Answers for runs of one application; `measure` is what a search takes.

    Every run is another repetition, one that failed among them, in an order that is drawn, until none is left.
    """

    def __init__(self, runs: Mapping[Configuration, tuple[float, ...]], rng: np.random.Generator) -> None:
        self._runs = runs
        drawn = rng.random((len(self._runs), max(map(len, self._runs.values())))).argsort(axis=1).tolist()
        self._order = {
            c: [i for i in order if i < len(runs)] for (c, runs), order in zip(self._runs.items(), drawn, strict=True)
        }

    def left(self, configuration: Configuration) -> int:
        """Return how many more runs of it there are; none where every one failed."""
        return len(self._order[configuration])

    def measure(self, configurations: Sequence[Configuration]) -> list[Observation]:
        """Return one run of each; what always failed can be run again, and fails again.

        Raises:
            InvalidInput: one was not measured, or has no more runs.
        """
        return [self._one(configuration) for configuration in configurations]

    def _one(self, configuration: Configuration) -> Observation:
        if configuration not in self._runs:
            raise InvalidInput(f"{dict(configuration)} was not measured", hint="search in `measured_space`")
        runs, order = self._runs[configuration], self._order[configuration]
        if not runs:
            return Observation(configuration, None, 0.0)
        if not order:
            raise InvalidInput(f"{dict(configuration)} has no more runs than {len(runs)}", hint="ask `left` before")
        taken = runs[order.pop()]
        return Observation(configuration, taken if isfinite(taken) else None, 0.0)


def replay_of(runs: Iterable[Run], platform: Platform, goal: str) -> Replay:
    """Return the ground truth as something that answers.

    Args:
        runs: of any outcome.
        platform: where they were made.
        goal: "time" or "cost".
    """
    runs = list(runs)
    found = values_of(runs, platform, goal)
    single = {key: tuple(taken) if any(map(isfinite, taken)) else () for key, taken in found.items()}
    return Replay(table_of(runs, platform, goal), single, platform)


def measured_space(space: Space, measured: Sequence[Configuration]) -> Space:
    """Return `space` with rules beside its own, by which exactly the configurations measured are valid.

    A wish for one that was not measured is repaired, as any that a rule forbids: the rule asks for the values of the
    measured one that has most of its values (the first of several). So a search never asks for what cannot be
    answered, and what is answered is never another configuration's figure.

    Raises:
        InvalidInput: nothing was measured, or what is not valid in `space`.
    """
    known = list(dict.fromkeys(measured))
    if not known:
        raise InvalidInput("nothing was measured", hint="give the configurations that were")
    for configuration in known:
        if problem := space.problem(configuration):
            raise InvalidInput(f"{dict(configuration)} is not valid: {problem}", hint="correct the ground truth")
    shared = {name: known[0][name] for name in _free(space) if len({c[name] for c in known}) == 1}
    narrower = Space(space.parameters, (*space.constraints, *_always(shared)))
    own = set(known)
    others = (c for c in narrower.configurations() if c not in own)
    rules = [Rule(when=dict(c), then=_changes(c, known), why=UNMEASURED) for c in others]
    return Space(space.parameters, (*narrower.constraints, *rules))


def _free(space: Space) -> list[str]:
    """Return the parameters that no constraint speaks of: they always apply, and may have any value."""
    bound = {name for c in space.constraints for name in c.mentions}
    return [name for name in space.names if name not in bound]


def _always(shared: Mapping[str, Value]) -> tuple[Rule, ...]:
    return (Rule(when={}, then=dict(shared), why=UNMEASURED),) if shared else ()


def _changes(wanted: Configuration, known: Sequence[Configuration]) -> dict[str, Value]:
    """Return what has to change for the most similar one: a rule with this as `then` forbids `wanted`, and repairs."""
    nearest = max(known, key=lambda c: sum(c.get(name) == value for name, value in wanted.items()) - len(c) / 100)
    return {name: value for name, value in nearest.items() if wanted.get(name) != value}
