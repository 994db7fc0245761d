"""What a search has asked a campaign for, as its journal tells it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from acic.campaign.points import Point, Rows
from acic.campaign.repeats import UsualNoise
from acic.campaign.state import Progress, Stage, State
from acic.errors import InvalidInput


class AnotherSearch(InvalidInput):
    """A search asks for other points than the one did that its campaign was begun by."""


def asked_before(state: State, number: int, row: Rows, *, name: str) -> Progress | None:
    """Return what became of the point that is the `number`-th a search asks for; None if none did so far.

    Raises:
        AnotherSearch: the search that began the campaign `name` asked for another then.
    """
    asked = [p for p in state.progress if p.stage is Stage.SEARCH]
    if number == len(asked):
        return None
    if not np.array_equal(asked[number].row, row):
        raise AnotherSearch(f"the campaign {name} was another search", hint="begin a new one, under another name")
    return asked[number]


def runs_of(state: State, row: Rows) -> list[Progress]:
    """Return all that became of a point: when a search asked for it, and in its repeats."""
    return [p for p in state.progress if np.array_equal(p.row, row)]


def pooled(points: Iterable[Progress]) -> list[Progress]:
    """Return each workload on a configuration once, under the first one's number, with the runs of all points of it.

    The rounds of a verification, and the repeats of a search, are points of their own in the plan.
    """
    alike: dict[Point, list[Progress]] = defaultdict(list)
    for progress in points:
        alike[progress.point].append(progress)
    return [mine[0] if len(mine) == 1 else _together(mine) for mine in alike.values()]


def _together(alike: list[Progress]) -> Progress:
    return replace(
        alike[0],
        attempts=sorted((a for p in alike for a in p.attempts), key=lambda attempt: attempt.number),
        closed=all(p.closed for p in alike),
        stored=all(p.stored for p in alike),
        why_skipped=next((p.why_skipped for p in alike if p.why_skipped), ""),
    )


def noise_of(state: State) -> UsualNoise:
    """Return how far runs of the same point differ in a campaign, those in its repeats included."""
    noise = UsualNoise()
    for progress in pooled(state.progress):
        noise.learn(progress.bandwidths)
    return noise
