"""Which results a report shows: the best, those run most often, and of many the ones worth a row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from acic.report.results import Result, Results
from acic.store.measurement import Outcome

BEST = 12  # rows in the table of the best
SPREAD = 10  # points whose repetitions are shown, and as many baselines
LISTED = 2000  # points in the table of all: more make a browser slow


def safe_of(results: Results) -> Mapping[object, Sequence[Result]]:
    """Return the safe points that were compared with their baseline, by their workload."""
    of_workload: dict[object, list[Result]] = defaultdict(list)
    for result in results.pooled:
        if result.gain is not None and not result.unsafe:
            of_workload[result.workload].append(result)
    return of_workload


def best_of(results: Results) -> tuple[Result, ...]:
    """Return the best safe configurations, the best first: of each workload as many as `BEST` leaves room for.

    Of more workloads than that, those that gain most have one each.
    """
    of_workload = safe_of(results)
    each = max(1, BEST // max(1, len(of_workload)))
    chosen = [r for mine in of_workload.values() for r in _by_gain(mine)[:each]]
    return tuple(_by_gain(chosen)[:BEST])


def most_run(results: Results) -> tuple[Result, ...]:
    """Return the points with the most repetitions (of those with as many, the best), then such baselines; by number."""
    repeated = [r for r in results.pooled if len(r.bandwidths) > 1]
    often = sorted(repeated, key=lambda r: (-len(r.bandwidths), -(r.gain.value if r.gain else 0.0), r.number))
    points = [r for r in often if not r.baseline][:SPREAD]
    baselines = [r for r in often if r.baseline][:SPREAD]
    return tuple(sorted(points, key=lambda r: r.number) + sorted(baselines, key=lambda r: r.number))


@dataclass(frozen=True, slots=True)
class Listing:
    """Points of the table, by number; of `total`, and which were left out in words, "" if none were."""

    points: tuple[Result, ...]
    total: int
    left_out: str


def listed(results: Results, *, named: Iterable[int]) -> Listing:
    """Return the points for the table of all.

    Of more than `LISTED`, those stay that are named elsewhere in the report, then what went wrong (at most half of the
    table), then those that improve most, then the newest.

    Args:
        results: every point.
        named: numbers of points that the report speaks of.
    """
    points = results.points
    if len(points) <= LISTED:
        return Listing(points, len(points), "")
    kept = set(named)
    wrong = [r.number for r in points if r.runs and r.outcome != Outcome.OK]
    kept.update(wrong[: LISTED // 2])
    rest = sorted(points, key=lambda r: (r.gain is None, -(r.gain.value if r.gain else 0.0), -r.number))
    for result in rest:
        if len(kept) >= LISTED:
            break
        kept.add(result.number)
    return Listing(
        tuple(r for r in points if r.number in kept),
        len(points),
        f"{len(points) - len(kept):,} of {len(points):,} points are left out, so that the page stays quick to open. "
        "Here are those that the report speaks of, the first that went wrong, and those that improve most on their "
        "baseline; all of them are in the training database (acic data export).",
    )


def _by_gain(results: Sequence[Result]) -> list[Result]:
    return sorted(results, key=lambda r: (-(r.gain.value if r.gain else 0.0), r.number))
