"""Planning where deploying costs time: a few workloads at once, on what advice would choose for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from acic.campaign.points import Field, Rows
from acic.campaign.sampling import sampled
from acic.campaign.state import State
from acic.space import Configuration, valid_rows
from acic.workloads import Characteristics


@dataclass(frozen=True, slots=True)
class Expected:
    """What advice says of a workload.

    Args:
        seconds: that the baseline is expected to take, s.
        kinds: of each kind of I/O system, the configurations to try, as the best for time and for cost.
        around: for each goal, the best of all and what differs little from it, best first.
    """

    seconds: float
    kinds: Sequence[Sequence[Configuration]]
    around: Sequence[Sequence[Configuration]]


Advice = Callable[[], Callable[[Characteristics], Expected]]
"""Learns from all that was measured so far."""

SHORTEST = 0.3  # s on the baseline: what takes less may differ by a third from run to run, and nobody waits for it
DRAWN = 120  # workloads that advice is asked about
WORKLOADS = 6  # that are tried together
SYSTEMS = 8  # that are deployed for them, each for all
AROUND = 0.75  # of the grids: what leads and its likes, whose order costs the most once kinds are told apart

_Seen = tuple[Rows, Expected]  # a workload's columns, and what is expected of it


def promising(field: Field, state: State, advice: Advice, *, rng: np.random.Generator) -> Rows:
    """Return a grid of new points: workloads drawn at random, on the configurations that are expected best for them.

    Workloads are those that take a while, or the longest drawn. Most grids are of one leader, drawn from all that lead
    for a workload and goal, and of its likes, with workloads that it leads, or nearly; the others are of what is best
    of each kind of I/O system. What gave wrong bytes or keeps failing is left out. So what is learned is which of the
    good ones is better, where a plan that samples evenly spends most of its runs on configurations that nobody would
    be advised.

    Args:
        field: what there is to measure.
        state: of the campaign so far.
        advice: what tells the best configurations.
        rng: draws workloads, and leaders.
    """
    space, width = field.sampling_space, len(field.workload_names)
    drawn = rng.permutation(sampled(space, space.names, field.default, DRAWN, rng=rng, fewest=len(space.names)))
    if not len(drawn):
        return np.zeros((0, len(space.names)), dtype=np.int8)
    distinct = {row[:width].tobytes(): row for row in drawn}.values()
    expect, avoided = advice(), state.avoided
    seen = [(row[:width], _without(avoided, expect(field.point(row).workload))) for row in distinct]
    seen.sort(key=lambda one: -min(one[1].seconds, SHORTEST))  # stays at random among those that are long enough
    long = max(WORKLOADS, sum(expected.seconds >= SHORTEST for _, expected in seen))
    chosen, first = _around_one(seen[:long], rng) if rng.random() < AROUND else _of_kinds(seen)
    systems = _systems(field, chosen[0][0], first)
    grid = [np.concatenate([workload, system]) for system in systems for workload, _ in chosen]
    rows = valid_rows(space, np.array(grid, dtype=np.int8).reshape(-1, len(space.names)))
    done = {row.tobytes() for row in state.rows}
    return np.asarray(rows[[row.tobytes() not in done for row in rows]])


def _without(avoided: Collection[Configuration], expected: Expected) -> Expected:
    """Return what is expected, of each list the first that may be run."""

    def good(lists: Sequence[Sequence[Configuration]]) -> list[list[Configuration]]:
        return [[one for one in some if one not in avoided][:SYSTEMS] for some in lists]

    return Expected(expected.seconds, good(expected.kinds), good(expected.around))


def _around_one(seen: Sequence[_Seen], rng: np.random.Generator) -> tuple[list[_Seen], list[Configuration]]:
    """Return the workloads for which a leader, drawn at random, is nearest to the best; and it with its likes."""
    leaders = sorted({goal[0] for _, expected in seen for goal in expected.around if goal}, key=repr)
    leader = leaders[rng.integers(len(leaders))] if leaders else None

    def place(one: _Seen) -> int:
        return min((goal.index(leader) for goal in one[1].around if leader in goal), default=SYSTEMS)

    chosen = sorted(seen, key=place)[:WORKLOADS]
    led = [goal for _, expected in chosen for goal in expected.around if goal and goal[0] == leader]
    return chosen, _commonest(led)


def _of_kinds(seen: Sequence[_Seen]) -> tuple[list[_Seen], Iterator[Configuration]]:
    """Return the first workloads; and what is best most often of each kind of I/O system, then second, and so on."""
    chosen = list(seen[:WORKLOADS])
    kinds = [_commonest(kind) for kind in zip(*(expected.kinds for _, expected in chosen), strict=True)]
    return chosen, (one for place in zip_longest(*kinds) for one in place if one is not None)


def _systems(field: Field, workload: Rows, configurations: Iterable[Configuration]) -> list[Rows]:
    """Return the rows of the first few different configurations that the field allows."""
    found: dict[bytes, Rows] = {}
    for configuration in configurations:
        row = field.system.point(configuration)
        if len(valid_rows(field.sampling_space, np.concatenate([workload, row])[None, :])):
            found.setdefault(row.tobytes(), row)
        if len(found) == SYSTEMS:
            break
    return list(found.values())


def _commonest(found: Iterable[Sequence[Configuration]]) -> list[Configuration]:
    return [one for one, _ in Counter(one for some in found for one in some).most_common()]
