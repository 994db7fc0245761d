"""Which candidates may be an answer, and which of them are one together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from acic.advisor.advice import Goal
from acic.advisor.forecast import Forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.ranking import pareto_front, tied_groups
from acic.errors import InvalidInput
from acic.space import Value


def places_of(knowledge: Knowledge, keep: Mapping[str, Value]) -> NDArray[np.intp]:
    """Return the positions of the candidates that have all values to `keep`.

    Raises:
        InvalidInput: none has.
    """
    if len(places := np.flatnonzero(knowledge.having(keep))):
        return places
    space = knowledge.platform.space
    told = ", ".join(f"{name} {space[name].text(value)}" for name, value in keep.items())
    unlisted = [name for name, value in keep.items() if value not in space[name].values]
    listed = "; ".join(f"{name} is one of {space[name].listed}" for name in unlisted)
    raise InvalidInput(
        f"no configuration of {knowledge.platform.name} that is right for this job has {told}",
        hint=listed or "keep other values, or fewer (acic platform show tells the rules)",
    )


def answers(found: Forecast, places: NDArray[np.intp], goal: Goal, top: int) -> list[NDArray[np.intp]]:
    """Return those of `places` that are one answer together, best first, at most `top` answers.

    On a front those are one that take the same time and cost the same.
    """
    if goal is Goal.PARETO:
        seconds, cost = found.seconds[places], found.objective(Goal.COST)[places]
        front = pareto_front(seconds, cost)[:top]
        return [places[(seconds == seconds[one]) & (cost == cost[one])] for one in front]
    groups = tied_groups(found.objective(goal)[places], tolerance=found.tolerance)
    return [places[group] for group, _ in zip(groups, range(top), strict=False)]
