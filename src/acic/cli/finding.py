"""A search by real runs: what it measures, and what becomes of its best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acic.cli.output import say
from acic.cli.searching import Bench

if TYPE_CHECKING:
    from acic.campaign.meter import Reading
    from acic.campaign.points import Field
    from acic.search import Found, Observation, Search
    from acic.space import Configuration


def search_with(opened: Bench, search: Search, goal: str, runs: int | None, *, most: int | None = None) -> Found:
    """Return what the search finds by measuring, within the campaign's budget.

    When it has ended, what is left of the budget goes into more runs of the best, and of the baseline: the best of many
    single runs flatters itself.

    Args:
        opened: measures.
        search: chooses.
        goal: "time" or "cost".
        runs: configurations to measure at most; where a campaign that goes on has more, all of these.
        most: that the whole campaign measures at most, where that is known: its budget is spread over no more.
    """
    before = math.ceil(opened.controller.ahead / len(opened.phases))
    if runs is not None and before > runs:  # fewer would hide what was measured, the best perhaps
        say(f"note: {before} configurations were run before, more than --runs {runs}; all of them count")
        runs = before
    if most is not None:
        opened.controller.expect(most * len(opened.phases))
    rng = np.random.default_rng(opened.session.request.seed)
    space = opened.field.system
    baseline = opened.field.platform.baseline.only(space.names)
    found = _repeated(opened, search.run(space, baseline, _measure_of(opened, goal), rng=rng, max_runs=runs), goal)
    opened.controller.end(found.why_ended)
    return found


def _repeated(opened: Bench, found: Found, goal: str) -> Found:
    """Return what was found by all runs, after those of the best that the budget allows; another may be the best then.

    None is run more often than points of the campaign are where the budget is no matter.
    """
    phases, asked = opened.phases, [one.configuration for one in found.observations]
    seen = {one: _observed(opened, one, opened.meter.reread(one, phases), goal) for one in asked}
    while best := _best(seen.values()):
        again = next((c for c in (best.configuration, asked[0]) if opened.meter.again(c, phases)), None)
        if again is None:
            break
        seen[again] = _observed(opened, again, opened.meter.reread(again, phases), goal)
    return replace(found, best=_best(seen.values()), observations=tuple(seen.values()))


def _best(seen: Iterable[Observation]) -> Observation | None:
    good = [(one.objective, one) for one in seen if one.objective is not None]
    return min(good, key=lambda pair: pair[0])[1] if good else None


def _observed(opened: Bench, asked: Configuration, reading: Reading, goal: str) -> Observation:
    """Take note of a reading of the replica on the configuration that a search `asked` for, and return it as it is."""
    from acic.search import Observation

    opened.readings[asked] = reading
    return Observation(asked, opened.objective(goal)(reading), reading.spent if goal == "time" else reading.dollars)


def _measure_of(opened: Bench, goal: str) -> Any:
    """Return the `measure` function that searches take, by `Bench.objective` of the replica."""

    def measure(configurations: Sequence[Any]) -> list[Observation]:
        made = []
        for reading, asked in zip(opened.meter.read(configurations, opened.phases), configurations, strict=False):
            if reading.note:
                say(f"note: {_configuration(opened.field, asked)}: {reading.note}")
            made.append(_observed(opened, asked, reading, goal))
        return made

    return measure


def _configuration(field: Field, configuration: Any) -> str:
    baseline = field.platform.baseline
    changed = {k: v for k, v in configuration.items() if baseline.get(k) != v}
    return ", ".join(f"{k} {field.platform.space[k].text(v)}" for k, v in changed.items()) or "the baseline"
