"""Whether there is anything to choose: what is best for each application, and what one choice for all would lose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from statistics import median

import numpy as np
from numpy.typing import NDArray

from acic.errors import MissingData
from acic.evaluation.truth import Run
from acic.platforms import Platform
from acic.space import Configuration
from acic.store.measurement import Outcome

Application = tuple[str, str]  # kernel, scale
Point = tuple[Application, Configuration]


@dataclass(frozen=True, slots=True)
class Table:
    """The median of each application on each configuration.

    Args:
        applications: rows.
        configurations: columns.
        values: s or USD, shape (applications, configurations); NaN where not measured, inf where half of the
            runs failed, or any gave wrong bytes.
        goal: "time" or "cost".
    """

    applications: tuple[Application, ...]
    configurations: tuple[Configuration, ...]
    values: NDArray[np.float64]
    goal: str


@dataclass(frozen=True, slots=True)
class Field:
    """How much there is to choose.

    Args:
        best: the best configuration for each application.
        distinct: how many different ones that are.
        fixed: the one configuration that would serve all best, by its mean regret.
        regret: its regret for each application: how much longer, or more expensive, than the best; 0.2 is 20 %.
        spread: worst over best for each application.
    """

    best: Mapping[Application, Configuration]
    distinct: int
    fixed: Configuration
    regret: Mapping[Application, float]
    spread: Mapping[Application, float]


def goals_of(platform: Platform) -> tuple[str, ...]:
    """Return the goals that its runs can be compared by: "time", and "cost" where its machines have prices."""
    billed = platform.priced and all(one.price is not None for one in platform.instances.values())
    return ("time", "cost") if billed else ("time",)


def table_of(runs: Iterable[Run], platform: Platform, goal: str) -> Table:
    """Return the medians over repetitions.

    inf where half of them failed, or any gave wrong bytes: such a configuration is no choice.

    Raises:
        MissingData: `goal` is "cost", and the platform has no prices.
    """
    found = values_of(runs, platform, goal)
    applications = tuple(sorted({a for a, _ in found}))
    configurations = tuple(sorted({c for _, c in found}, key=lambda c: sorted(map(str, c.items()))))
    values = np.full((len(applications), len(configurations)), np.nan)
    rows, columns = ({one: place for place, one in enumerate(those)} for those in (applications, configurations))
    for (application, configuration), taken in found.items():
        values[rows[application], columns[configuration]] = median(taken)
    return Table(applications, configurations, values, goal)


def values_of(runs: Iterable[Run], platform: Platform, goal: str) -> Mapping[Point, Sequence[float]]:
    """Return what each repetition took, s, or cost, USD, in their order; at least one of each point that was tried.

    inf for one that failed, unless a second try went well, and for all of a point that any gave wrong bytes.

    Raises:
        MissingData: `goal` is "cost", and the platform has no prices.
    """
    good: dict[Point, list[tuple[int, float]]] = defaultdict(list)
    bad: dict[Point, set[int]] = defaultdict(set)
    spoilt: set[Point] = set()
    for run in runs:
        key = (run.kernel, run.scale), run.configuration
        if run.outcome is Outcome.OK:
            good[key].append((run.repetition, value_of(run, platform, goal)))
        else:
            bad[key].add(run.repetition)
            spoilt |= {key} if run.outcome is Outcome.CORRUPT else set()
    found = {}
    for key in dict.fromkeys((*good, *bad)):
        lost = bad[key] - {repetition for repetition, _ in good[key]}
        each = sorted((*good[key], *((repetition, np.inf) for repetition in lost)), key=itemgetter(0))
        found[key] = [np.inf if key in spoilt else value for _, value in each]
    return found


def measured_with_all(table: Table) -> Table:
    """Return the part of `table` of the configurations that every application was measured on.

    Raises:
        MissingData: there is none.
    """
    whole = np.flatnonzero(~np.isnan(table.values).any(axis=0))
    if not len(whole) or not len(table.applications):
        raise MissingData("no configuration was measured with every application", hint="measure more")
    chosen = tuple(table.configurations[i] for i in whole)
    return Table(table.applications, chosen, table.values[:, whole], table.goal)


def field_of(table: Table) -> Field:
    """Return how much there is to choose, over the configurations that every application was measured on.

    Raises:
        MissingData: there is none.
    """
    table = _run_well(measured_with_all(table))
    values, configurations = table.values, table.configurations
    least = values.min(axis=1)
    best = {a: configurations[i] for a, i in zip(table.applications, values.argmin(axis=1), strict=True)}
    regret = values / least[:, None] - 1.0
    fixed = by_regret(regret)[0]
    worst = np.where(np.isfinite(values), values, -np.inf).max(axis=1)
    return Field(
        best=best,
        distinct=len(set(best.values())),
        fixed=configurations[fixed],
        regret=dict(zip(table.applications, regret[:, fixed].tolist(), strict=True)),
        spread=dict(zip(table.applications, (worst / least).tolist(), strict=True)),
    )


def by_regret(regret: NDArray[np.float64]) -> tuple[int, ...]:
    """Return columns by mean regret, those that fail anywhere after those that do not, by how often they do."""
    fails = np.isinf(regret)
    mean = np.where(fails, 0.0, regret).sum(axis=0) / np.maximum((~fails).sum(axis=0), 1)
    return tuple(np.lexsort((mean, fails.sum(axis=0))).tolist())


def _run_well(table: Table) -> Table:
    """Return the part of `table` of the applications that ran well somewhere: others have no best configuration.

    Raises:
        MissingData: there is none.
    """
    good = np.flatnonzero(np.isfinite(table.values).any(axis=1))
    if not len(good):
        raise MissingData("no application ran well on any configuration", hint="measure more")
    return Table(tuple(table.applications[i] for i in good), table.configurations, table.values[good], table.goal)


def value_of(run: Run, platform: Platform, goal: str) -> float:
    """Return what a run took, s, or cost, USD; `goal` is "time" or "cost"."""
    total = run.total or 0.0
    return total if goal == "time" else platform.cost(run.configuration, 1, total)
