"""How far a campaign is, for a progress bar."""

from __future__ import annotations

from dataclasses import dataclass

from acic.campaign.budget import Budget
from acic.campaign.state import Progress, State


@dataclass(frozen=True, slots=True)
class View:
    """How far a campaign is.

    Args:
        points: dealt with; planned: of so many.
        runs: that ended.
        seconds: that passed, which a budget counts; dollars: USD spent.
        used: the part of the budget, None without one.
        doing: what runs now.
    """

    points: int
    planned: int
    runs: int
    seconds: float
    dollars: float
    used: float | None
    doing: str


def view_of(state: State, progress: Progress, *, done: int, spent: float, budget: Budget) -> View:
    """Return how far the campaign is when a run of `progress` begins; `spent` is in s, `done` in points."""
    used = None if budget.seconds is None and budget.dollars is None else 1.0 - budget.left(spent, state.dollars)
    workload = progress.point.workload
    doing = f"{progress.stage}: {workload.interface} {workload.operation}"
    return View(done, len(state.progress), state.ended_runs, spent, state.dollars, used, doing)
