"""The course of a campaign: what had been found when so much had been spent."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from acic.campaign.state import State
from acic.report.results import Results

STEPS = 250  # of the curves, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How things stood after one run.

    Args:
        run: its number.
        seconds, dollars: spent on all runs so far.
        points: that had given a figure.
        best: largest improvement over a baseline that was known, at least 1; None before the first.
    """

    run: int
    seconds: float
    dollars: float
    points: int
    best: float | None


def course_of(state: State, results: Results) -> tuple[Step, ...]:
    """Return the course, run by run.

    A point counts as found once its last run is over, and an improvement as known once the last runs of all points of
    the configuration, and of its baseline, are over, so that the curve ends at what all runs together tell.
    Configurations that gave back wrong bytes do not count.
    """
    known: dict[int, list[float]] = defaultdict(list)
    found: dict[int, int] = defaultdict(int)
    for result in results.points:
        if result.last_run >= 0:
            found[result.last_run] += 1
    for result in results.pooled:
        if result.gain is not None and not result.unsafe:
            known[max(result.last_run, results.bases[result.workload].last_run)].append(result.gain.value)
    best: float | None = None
    steps, seconds, dollars, points = [], 0.0, 0.0, 0
    for _, attempt in state.attempts:
        seconds, dollars = seconds + attempt.elapsed, dollars + attempt.dollars
        points += found[attempt.number]
        if known[attempt.number]:
            best = max([best or 1.0, *known[attempt.number]])
        steps.append(Step(run=attempt.number, seconds=seconds, dollars=dollars, points=points, best=best))
    return tuple(steps)


def thinned(steps: tuple[Step, ...], most: int = STEPS) -> tuple[Step, ...]:
    """Return at most about `most` of the steps: the first, the last, those where the best rose, and some between."""
    if len(steps) <= most:
        return steps
    every = -(-len(steps) // (most // 2))
    rose = [i for i in range(1, len(steps)) if steps[i].best != steps[i - 1].best][-(most // 2) :]
    kept = {0, len(steps) - 1, *range(0, len(steps), every), *rose}
    return tuple(steps[i] for i in sorted(kept))
