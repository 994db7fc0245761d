"""The headline: how far a campaign is, what it took, and what went wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acic.campaign.attempt import Attempt
from acic.campaign.budget import Budget
from acic.campaign.points import Field
from acic.campaign.request import Request
from acic.campaign.state import Progress, State
from acic.campaign.summary import Summary
from acic.report.words import value_text
from acic.space import ABSENT
from acic.store.measurement import Outcome

_TELLING = 3  # points alike, from which on what they have in common may be the cause
_COMMON = 3  # values in common that are told
_LUCK = 0.01  # probability that so many points have a value in common by chance, above which it explains nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Runs that ended alike, or points that were left alone for one reason.

    Args:
        outcome: of the runs.
        why: the first one's note; the others' differ in numbers only.
        runs: how many; points: of how many points; configurations: of how many.
        common: values that all these points share, and not by chance, by parameter; empty for few points.
    """

    outcome: str
    why: str
    runs: int
    points: int
    configurations: int
    common: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A campaign in brief.

    Args:
        summary: in numbers.
        title: of the platform.
        budget: as the user gave it; used: which part of it is used up, None where it has no end.
        began: when, ISO 8601; last: when the last run began, "" before the first.
        overhead_share: part of the time spent that the campaign itself took; None before the first run.
        troubles: runs that gave nothing, and points left alone, the most frequent first.
        remarks: what was odd about runs that count.
        versions: of the benchmark.
    """

    summary: Summary
    title: str
    budget: str
    used: float | None
    began: str
    last: str
    overhead_share: float | None
    troubles: tuple[Trouble, ...]
    remarks: tuple[Trouble, ...]
    versions: tuple[str, ...]


def headline_of(summary: Summary, request: Request, state: State, field: Field) -> Headline:
    """Return the campaign in brief."""
    pairs = [(p, a) for p in state.progress for a in p.attempts]
    attempts = [a for _, a in pairs]
    failed = [(p, a) for p, a in pairs if a.outcome is not Outcome.OK]
    odd = [(p, a) for p, a in pairs if a.outcome is Outcome.OK and a.note]
    seconds = sum(a.elapsed for a in attempts)
    alone = _left_alone(state, field)
    return Headline(
        summary=summary,
        title=field.platform.title,
        budget=str(request.budget),
        used=_used(request.budget, state),
        began=str(state.begun.get("time", "")),
        last=max((a.time for a in attempts), default=""),
        overhead_share=sum(a.overhead for a in attempts) / seconds if seconds > 0 else None,
        troubles=(*_groups(failed, state, field), *alone),
        remarks=tuple(_groups(odd, state, field)),
        versions=tuple(sorted({a.tool_version for a in attempts if a.tool_version})),
    )


def _used(budget: Budget, state: State) -> float | None:
    if budget.seconds is None and budget.dollars is None:
        return None
    return 1.0 - budget.left(state.seconds, state.dollars)


def _groups(pairs: Sequence[tuple[Progress, Attempt]], state: State, field: Field) -> list[Trouble]:
    alike: dict[tuple[str, str], list[tuple[Progress, Attempt]]] = defaultdict(list)
    for progress, attempt in pairs:
        alike[str(attempt.outcome), attempt.kind].append((progress, attempt))
    made = []
    for (outcome, _), mine in alike.items():
        first = min(mine, key=lambda pair: pair[1].number)[1]
        made.append(_trouble(outcome, first.note, len(mine), [p for p, _ in mine], state, field))
    return sorted(made, key=lambda t: (-t.runs, t.outcome, t.why))


def _left_alone(state: State, field: Field) -> list[Trouble]:
    alike: dict[str, list[Progress]] = defaultdict(list)
    for progress in state.progress:
        if progress.why_skipped:
            alike[progress.why_skipped].append(progress)
    made = [_trouble("left alone", why, 0, mine, state, field) for why, mine in alike.items()]
    return sorted(made, key=lambda t: (-t.points, t.why))


def _trouble(outcome: str, why: str, runs: int, mine: Sequence[Progress], state: State, field: Field) -> Trouble:
    points = {p.number: p for p in mine}
    return Trouble(
        outcome=outcome,
        why=why,
        runs=runs,
        points=len(points),
        configurations=len({p.point.configuration for p in points.values()}),
        common=_in_common(list(points.values()), state, field) if len(points) >= _TELLING else {},
    )


def _in_common(mine: Sequence[Progress], state: State, field: Field) -> dict[str, str]:
    """Return the values that all of these points have, and so many taken at random hardly would: the rarest first."""
    rows = np.array([p.row for p in mine])
    run = np.array([p.row for p in state.progress if p.attempts] or [p.row for p in mine])
    shared = [(float((run[:, i] == rows[0, i]).mean()), i) for i in range(rows.shape[1]) if np.ptp(rows[:, i]) == 0]
    found: dict[str, str] = {}
    for share, column in sorted(shared):
        if share ** len(rows) <= _LUCK and len(found) < _COMMON:
            parameter, level = field.space.parameters[column], int(rows[0, column])
            found[parameter.name] = value_text(parameter, None if level == ABSENT else parameter.values[level])
    return found
