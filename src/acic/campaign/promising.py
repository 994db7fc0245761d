"""Planning where deploying costs time: a few workloads, each on what advice would choose for any of them."""

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
WORKLOADS = 6  # that are tried together
SYSTEMS = 8  # that are deployed for them, each for all
AROUND = 0.75  # of the grids: what leads and its likes, whose order costs the most once kinds are told apart


def promising(field: Field, state: State, advice: Advice, *, rng: np.random.Generator) -> Rows:
    """Return a grid of new points: workloads drawn at random, on the configurations that are expected best for them.

    Workloads are those that take a while, or the longest drawn. Most grids are of what leads and its likes, for each
    goal in turn those that are among the first most often; the others are of what is best most often of each kind of
    I/O system, then second. What gave wrong bytes or keeps failing is left out. So what is learned is which of the good
    ones is better, where a plan that samples evenly spends most of its runs on configurations that nobody would be
    advised.

    Args:
        field: what there is to measure.
        state: of the campaign so far.
        advice: what tells the best configurations.
        rng: draws workloads.
    """
    space, width = field.sampling_space, len(field.workload_names)
    drawn = rng.permutation(sampled(space, space.names, field.default, 8 * WORKLOADS, rng=rng, fewest=len(space.names)))
    distinct = {row[:width].tobytes(): row for row in drawn}.values()
    expect = advice()
    seen = [(row, expect(field.point(row).workload)) for row in distinct]
    seen.sort(key=lambda one: -min(one[1].seconds, SHORTEST))  # stays at random among those that are long enough
    workloads = [row[:width] for row, _ in seen[:WORKLOADS]]
    near, avoided = rng.random() < AROUND, state.avoided
    lists = [expected.around if near else expected.kinds for _, expected in seen[:WORKLOADS]]
    first = _in_turn([_commonest(among, avoided) for among in zip(*lists, strict=True)])
    systems = _systems(field, workloads[0], first)
    grid = [np.concatenate([workload, system]) for system in systems for workload in workloads]
    rows = valid_rows(space, np.array(grid, dtype=np.int8).reshape(-1, len(space.names)))
    done = {row.tobytes() for row in state.rows}
    return np.asarray(rows[[row.tobytes() not in done for row in rows]])


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


def _commonest(found: Iterable[Sequence[Configuration]], avoided: Collection[Configuration]) -> list[Configuration]:
    """Return what is among the first of most of those found."""
    good = ([one for one in some if one not in avoided][:SYSTEMS] for some in found)
    return [one for one, _ in Counter(one for some in good for one in some).most_common()]


def _in_turn(ranked: Sequence[Sequence[Configuration]]) -> Iterator[Configuration]:
    """Yield the first of each sequence, then the second of each, and so on."""
    for place in zip_longest(*ranked):
        yield from (one for one in place if one is not None)
