"""The plan before anything runs: what it is expected to take, and what the budget covers of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acic.campaign.budget import ASSUMED_BANDWIDTH, ASSUMED_START, Budget, Expectation
from acic.campaign.planning import MOST_MISSING
from acic.campaign.points import Field, Point
from acic.campaign.request import Request
from acic.campaign.screening import ranking, screening_rows
from acic.campaign.session import planner_of
from acic.campaign.state import Stage
from acic.errors import InvalidInput, MissingData
from acic.platforms import Platform, load_platform
from acic.units import format_bandwidth, format_seconds, format_usd

_LOOKED_AT = 2000  # points that the average is taken over
_OFFERED = 10  # points that the budget is enough for that is offered in place of one that is too small


@dataclass(frozen=True, slots=True)
class Part:
    """One stage of a plan: how many points, and what one run of each is expected to take, s and USD."""

    stage: Stage
    points: int
    seconds: float
    dollars: float | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a campaign would do, by stage, as far as the budget covers it; `covered` of `possible` points in all.

    `each` is what one point of the first stage is expected to take, s and USD. `lacks` is what the budget is too small
    for, of what advice needs: one sentence, "" where it is enough.
    """

    platform: str
    budget: str
    parts: tuple[Part, ...]
    covered: int
    possible: int
    each: tuple[float, float | None]
    assumption: str
    lacks: str


def outlook(request: Request) -> Outlook:
    """Return what the requested campaign is expected to do, each point run once."""
    platform = load_platform(request.platform)
    field = request.field(platform)
    planned, open_end = _planned(field, request)
    parts, each = _covered(planned, open_end, request, platform)
    return Outlook(
        platform.name,
        str(request.budget),
        parts,
        sum(p.points for p in parts),
        _possible(field),
        each,
        f"expected at {format_bandwidth(ASSUMED_BANDWIDTH)} a machine and {format_seconds(ASSUMED_START)} "
        "to start a job, each point run once, until runs tell better",
        _lacking(
            platform,
            planned[Stage.SCREENING],
            bool(planned[Stage.BASELINE]),
            {part.stage: part.points for part in parts},
        ),
    )


def _planned(field: Field, request: Request) -> tuple[dict[Stage, list[Point]], bool]:
    """Return the points of each stage, in order, each once; and whether there may be more of the last than are listed.

    Later stages have none that an earlier one has.
    """
    screening = list(dict.fromkeys(field.point(row) for row in screening_rows(field))) if request.screen else []
    usual = field.platform.baseline
    baselines = [p for p in dict.fromkeys(Point(p.workload, usual) for p in screening) if p not in screening]
    rng = np.random.default_rng(request.seed)
    rows = planner_of(field, request).sample(ranking(field, {}), _LOOKED_AT, rng=rng)
    before = {*screening, *baselines}
    samples = [p for p in dict.fromkeys(field.point(row) for row in rows) if p not in before]
    last = Stage.ACTIVE if request.active else Stage.SAMPLING
    return {Stage.SCREENING: screening, Stage.BASELINE: baselines, last: samples}, len(rows) == _LOOKED_AT


def _covered(
    planned: Mapping[Stage, Sequence[Point]], open_end: bool, request: Request, platform: Platform
) -> tuple[tuple[Part, ...], tuple[float, float | None]]:
    """Return what the budget covers of each stage, and what one point of the first is expected to take, s and USD."""
    *_, last = planned
    parts: list[Part] = []
    each: tuple[float, float | None] = (0.0, None)
    spent, dollars = 0.0, 0.0
    for stage, points in planned.items():
        if points:
            seconds, usd = _cost(points, platform, request.where.nodes)
            if not parts:
                each = seconds / len(points), None if usd is None else usd / len(points)
            count = _affordable(request, len(points), seconds, usd, spent, dollars, sum(p.points for p in parts))
            count = count if stage is last and open_end else min(count, len(points))
            part = count / len(points)
            parts.append(Part(stage, count, seconds * part, None if usd is None else usd * part))
            spent, dollars = spent + seconds * part, dollars + (usd or 0.0) * part
    return tuple(parts), each


def _cost(points: Sequence[Point], platform: Platform, nodes: int) -> tuple[float, float | None]:
    """Return what one run of each point is expected to take, s, and to cost, USD; None where nobody is billed."""
    expectation = Expectation(platform)
    seconds = [expectation.seconds(p) for p in points]
    try:
        usd = [
            platform.cost(p.configuration, p.workload.processes, s, held=nodes)
            for p, s in zip(points, seconds, strict=True)
        ]
    except MissingData:
        return sum(seconds), None
    return sum(seconds), sum(usd)


def covering(request: Request) -> Outlook:
    """Return the outlook of a campaign that measures something.

    Raises:
        InvalidInput: its budget covers no point.
    """
    seen = outlook(request)
    if seen.parts and not seen.covered:
        seconds, dollars = seen.each
        price = "" if dollars is None else f" and {format_usd(dollars)}"
        raise InvalidInput(
            f"a budget of {seen.budget} covers no point: one is expected to take {format_seconds(seconds)}{price}",
            hint=f"see what a larger one covers: --budget {_larger(request.budget, seconds, dollars)} --dry-run",
        )
    return seen


def _larger(budget: Budget, seconds: float, dollars: float | None) -> str:
    """Return a budget of the same kind as a user types it, for some points that take so much each."""
    if budget.dollars is not None and dollars:
        return f"{math.ceil(_OFFERED * dollars)}USD"
    minutes = math.ceil(_OFFERED * seconds / 60)
    return f"{minutes}min" if minutes < 120 else f"{math.ceil(minutes / 60)}h"


def _lacking(platform: Platform, screening: Sequence[Point], baselines: bool, covered: Mapping[Stage, int]) -> str:
    """Return what will not be known of a plan that begins with a screening, "" where all is or where there is none."""
    done = covered.get(Stage.SCREENING, 0)
    ranked = len(screening) - done <= MOST_MISSING * len(screening)
    known = any(p.configuration == platform.baseline for p in screening[:done])
    based = not screening or known or bool(covered.get(Stage.BASELINE, 0)) or not baselines
    told = []
    if not ranked:
        told.append(f"{done} of the {len(screening)} points of the screening, so that what matters most stays unknown")
    if not based:
        told.append("no baseline, without which `acic recommend` cannot answer from this campaign alone")
    remedy = "give a larger one, or --no-screen, which begins with the baseline"
    return f"the budget covers {', and '.join(told)}: {remedy}" if told else ""


def _affordable(
    request: Request, count: int, seconds: float, usd: float | None, spent: float, dollars: float, planned: int
) -> int:
    budget, limits = request.budget, []
    if budget.seconds is not None:
        limits.append((budget.seconds - spent) / (seconds / count))
    if budget.dollars is not None and usd:
        limits.append((budget.dollars - dollars) / (usd / count))
    if budget.points is not None:
        limits.append(budget.points - planned)
    return max(0, int(min(limits))) if limits else count


def _possible(field: Field) -> int:
    """Return how many points there are at most: those that constraints rule out are counted."""
    return field.space.raw_size
