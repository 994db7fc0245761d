"""What a campaign is told about how to go about it."""

from __future__ import annotations

from dataclasses import dataclass

from acic.campaign.budget import Budget
from acic.campaign.repeats import Repeats


@dataclass(frozen=True, slots=True)
class Rules:
    """How a campaign goes about it.

    Args:
        budget: what may be spent in all.
        repeats: how often each point is run.
        verify: part of the points of which the first run is read back and compared.
        time_limit: s for each job; None for far above what is expected.
        nodes: machines of each run that are asked for, and paid.
    """

    budget: Budget
    repeats: Repeats
    verify: float = 0.1
    time_limit: float | None = None
    nodes: int = 1
