"""The paper's observations (SC13, sections 5.2, 5.3 and 5.6) as statements that hold or do not hold on our own data."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from acic.benchmarks.kernels import kernel
from acic.evaluation.apart import Apart, between_goals, between_scales, near
from acic.evaluation.field import Table
from acic.evaluation.fresh import Fresh
from acic.evaluation.methods import family_of
from acic.evaluation.rules import LITTLE, aggregates
from acic.evaluation.truth import Run
from acic.space import Configuration, Value
from acic.store.measurement import Outcome
from acic.workloads import Interface, Workload

Floats = NDArray[np.float64]

SURE = 0.975  # on either side: where all between these ends lies on one side of 0, it holds, or does not hold
FEWEST = 3  # applications, below which nothing can be told

_LOOSE: Mapping[str, tuple[str, ...]] = {  # what else changes with a parameter, because it does not apply
    "servers": ("stripe_size", "metadata"),
    "file_system": ("servers", "stripe_size", "metadata", "consistency"),
}


class Holds(StrEnum):
    """What the data say of a statement."""

    YES = "holds"
    NO = "does not hold"
    UNKNOWN = "cannot be told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A statement of the paper, and what the data say.

    Args:
        says: the statement.
        source: where the paper makes it.
        holds: whether it does here.
        figures: why, in words.
    """

    says: str
    source: str
    holds: Holds
    figures: str


def observations(
    tables: Mapping[str, Table],
    runs: Sequence[Run],
    fresh: Fresh,
    *,
    noise: float,
    rng: np.random.Generator,
) -> tuple[Observation, ...]:
    """Return all statements, tested; without a table of costs those on time.

    Args:
        tables: the truth by goal, "time" and perhaps "cost", as `candidates` gives it.
        runs: all runs that the tables are of, at least one.
        fresh: runs for the goal time of what is best for either; of no application where there are none.
        noise: |ln| of a ratio that counts as no difference; NaN is taken for 0.
        rng: draws passes of fresh runs.
    """
    time, cost = tables["time"], tables.get("cost")
    placed, parallel = {"placement": ("dedicated", "part-time")}, {"file_system": ("OrangeFS",)}
    disks = {"device": ("EBS", "ephemeral")}
    section = "section 5.6, {}"
    known = 0.0 if math.isnan(noise) else noise
    found = (
        _differ(time, known),
        _scales(time, known),
        _goals(time, cost, known, fresh, rng) if cost else None,
        _paired(
            "part-time servers cost less than dedicated ones for applications with aggregators",
            section.format(1),
            cost,
            placed,
            asked=aggregates,
        )
        if cost
        else None,
        _paired(
            "four PVFS2 (OrangeFS) servers are faster than one",
            section.format(2),
            time,
            {"servers": (1, 4)},
            among=parallel,
        ),
        _paired(
            "four PVFS2 (OrangeFS) servers are cheaper than one",
            section.format(2),
            cost,
            {"servers": (1, 4)},
            among=parallel,
        )
        if cost
        else None,
        _paired(
            "ephemeral disks are faster than EBS with more than one server",
            section.format(3),
            time,
            disks,
            among={"servers": (2, 4)},
        ),
        _paired(
            "NFS is faster than parallel file systems for applications that do little I/O through POSIX",
            section.format(4),
            time,
            {"file_system": (None, "NFS")},
            asked=_little,
        ),
        _failing(runs),
    )
    return tuple(one for one in found if one is not None)


def _paired(
    says: str,
    source: str,
    table: Table,
    sides: Mapping[str, tuple[Value | None, Value]],
    *,
    among: Mapping[str, tuple[Value, ...]] | None = None,
    asked: Callable[[Workload], bool] = lambda _: True,
) -> Observation:
    """Return whether the second side is the better one, application by application, all scales and variants as one.

    Of a parameter that changes what else applies (servers, file system) the geometric means of either side are
    compared, of any other those of configurations that differ in nothing else.
    """
    logs: dict[bool, dict[str, list[float]]] = {True: defaultdict(list), False: defaultdict(list)}
    alike = 0
    for application, row in zip(table.applications, table.values, strict=True):
        if ratios := _ratios(table.configurations, row, sides, among or {}):
            mine = asked(kernel(*application).workload)
            logs[mine][family_of(application, table.applications)].append(float(np.mean(ratios)))
            alike += mine * len(ratios)
    own, others = (np.array([np.mean(each) for each in logs[mine].values()]) for mine in (True, False))
    if len(own) < FEWEST:
        return Observation(
            says=says,
            source=source,
            holds=Holds.UNKNOWN,
            figures=f"{len(own)} applications have such configurations to compare, and {FEWEST} are needed",
        )
    low, high = _interval(own)
    figures = (
        f"{math.exp(own.mean()):.2f}x as good ({math.exp(low):.2f}x to {math.exp(high):.2f}x), better for "
        f"{(own > 0).sum()} of {len(own)} applications; {alike} comparisons"
        + (f"; {math.exp(others.mean()):.2f}x for the {len(others)} others" if len(others) else "")
    )
    holds = Holds.YES if low > 0 else Holds.NO if high < 0 else Holds.UNKNOWN
    return Observation(says=says, source=source, holds=holds, figures=figures)


def _interval(logs: Floats) -> tuple[float, float]:
    """Return the 95 % interval of a mean by Student's t: of few values, drawing them anew makes it too narrow."""
    half = float(stdtrit(len(logs) - 1, SURE) * logs.std(ddof=1) / math.sqrt(len(logs)))
    return float(logs.mean()) - half, float(logs.mean()) + half


def _ratios(
    configurations: Sequence[Configuration],
    row: Floats,
    sides: Mapping[str, tuple[Value | None, Value]],
    among: Mapping[str, tuple[Value, ...]],
) -> list[float]:
    """Return ln(first side / second side) of one application, for each set of configurations that are alike otherwise.

    None as the first side stands for all other values. What failed on either side is left out.
    """
    ((name, (first, second)),) = sides.items()
    groups: dict[frozenset[tuple[str, Value]], tuple[list[float], list[float]]] = {}
    for configuration, value in zip(configurations, row.tolist(), strict=True):
        fits = all(configuration.get(key) in values for key, values in among.items())
        if not fits or not math.isfinite(value) or name not in configuration:
            continue
        rest = frozenset((k, v) for k, v in configuration.items() if k != name and k not in _LOOSE.get(name, ()))
        pair = groups.setdefault(rest, ([], []))
        if configuration[name] == second:
            pair[1].append(math.log(value))
        elif first is None or configuration[name] == first:
            pair[0].append(math.log(value))
    return [float(np.mean(a) - np.mean(b)) for a, b in groups.values() if a and b]


def _little(workload: Workload) -> bool:
    posix = all(p.characteristics.interface in (Interface.POSIX, Interface.STDIO) for p in workload.phases)
    return posix and sum(phase.bytes for phase in workload.phases) <= LITTLE


def _differ(table: Table, noise: float) -> Observation:
    """No configuration is within the noise of the best for all applications."""
    best = near(table.values, noise)
    distinct = len({int(row.argmin()) for row in table.values})
    count = len(table.applications)
    within = "within the noise of the best" if noise else "the best"
    return Observation(
        says="no configuration is the best for all",
        source="section 5.2",
        holds=Holds.UNKNOWN if count < FEWEST else Holds.NO if best.all(axis=0).any() else Holds.YES,
        figures=(
            f"{distinct} different best ones for {count} applications; the one that serves most is {within} for "
            f"{int(best.sum(axis=0).max())}, and it takes {_cover(best)} to serve all so"
        ),
    )


def _cover(best: NDArray[np.bool_]) -> int:
    """Return how many configurations it takes, greedily, until each application has one that serves it."""
    left, count = best.copy(), 0
    while left.size and left.any():
        left = left[~left[:, left.sum(axis=0).argmax()]]
        count += 1
    return count


def _many(found: Apart) -> Holds:
    """Return whether the best configurations are others for half of the applications, which is taken for many."""
    if found.of < FEWEST:
        return Holds.UNKNOWN
    return Holds.YES if found.surely * 2 >= found.of else Holds.NO if found.perhaps * 2 < found.of else Holds.UNKNOWN


def _scales(table: Table, noise: float) -> Observation:
    found = between_scales(table, noise)
    return Observation(
        says="one application wants different configurations at different scales",
        source="section 5.2",
        holds=_many(found),
        figures=f"{found.surely} of {found.of} applications that were run at several scales surely, {found.perhaps} "
        "perhaps; half of them is taken for many",
    )


def _goals(time: Table, cost: Table, noise: float, fresh: Fresh, rng: np.random.Generator) -> Observation:
    found = between_goals(time, cost, noise, fresh, rng)
    return Observation(
        says="in many cases the fastest configuration is not the cheapest",
        source="section 5.2",
        holds=_many(found),
        figures=f"{found.surely} of {found.of} applications surely, {found.perhaps} perhaps"
        + (f" ({found.again} by fresh runs)" if found.again else "")
        + "; half of them is taken for many",
    )


def _failing(runs: Sequence[Run]) -> Observation:
    """Around 1 % of runs lose a server: wrong bytes are their software's, and tell how often it was run."""
    failed, corrupt = (sum(run.outcome is one for run in runs) for one in (Outcome.FAILED, Outcome.CORRUPT))
    wrong = {run.configuration for run in runs if run.outcome is Outcome.CORRUPT}
    part = failed / len(runs)
    low, high = _wilson(part, len(runs))
    holds = Holds.YES if low >= 0.01 else Holds.NO if high < 0.01 else Holds.UNKNOWN
    return Observation(
        says="failures matter: 1 % of runs or more fail",
        source="section 5.6, 5",
        holds=holds,
        figures=(
            f"{failed} of {len(runs)} runs failed: {part:.2%} ({low:.2%} to {high:.2%}); beside them {corrupt} gave "
            f"wrong bytes, on {len(wrong)} of {len({run.configuration for run in runs})} configurations"
        ),
    )


def _wilson(part: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share seen in `count` runs.

    Source: Wilson, JASA 22, 1927.
    """
    z = 1.96
    middle = (part + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * math.sqrt(part * (1 - part) / count + z**2 / (4 * count**2))
    return middle - half, middle + half
