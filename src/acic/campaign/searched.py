"""What a search has asked a campaign for, as its journal tells it."""

from __future__ import annotations

from collections import defaultdict

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


def noise_of(state: State) -> UsualNoise:
    """Return how far runs of the same point differ in a campaign, those in its repeats included."""
    runs: dict[Point, list[float]] = defaultdict(list)
    for progress in state.progress:
        runs[progress.point] += progress.bandwidths
    noise = UsualNoise()
    for bandwidths in runs.values():
        noise.learn(bandwidths)
    return noise
