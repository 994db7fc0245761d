"""What a report says, before it has a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import acic
from acic.campaign.points import Field
from acic.campaign.request import Request
from acic.campaign.session import Session
from acic.campaign.state import replay
from acic.campaign.summary import summary
from acic.report.choice import Listing, best_of, listed, most_run, safe_of
from acic.report.course import Step, course_of, thinned
from acic.report.effects import Effect, effects_of, screening_of
from acic.report.headline import Headline, headline_of
from acic.report.model_error import ModelError, model_error
from acic.report.results import Result, Results, results_of

_WORST = 8  # pairs that are named


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a report says about a campaign.

    Args:
        made: when the report was made, ISO 8601; by which version of acic.
        headline: the campaign in brief.
        effects: of the parameters, by goal; empty without a screening.
        screening: runs of its design that gave a figure, and all of them; None without effects.
        best: the best configurations found.
        spread: points whose repetitions are shown.
        model: the model's error.
        course: what was known when so much had been spent.
        listing: the points of the table.
        baselines: workloads whose baseline was measured.
        compared: points with an improvement over their baseline.
        workloads: of such points that are safe.
        priced: whether machines are paid for.
        request: what the user asked for.
        field: what the points mean.
    """

    made: str
    version: str
    headline: Headline
    effects: Mapping[str, tuple[Effect, ...]]
    screening: tuple[int, int] | None
    best: tuple[Result, ...]
    spread: tuple[Result, ...]
    model: ModelError
    course: tuple[Step, ...]
    listing: Listing
    baselines: int
    compared: int
    workloads: int
    priced: bool
    request: Request
    field: Field


def contents_of(session: Session, *, now: datetime) -> Contents:
    """Return what there is to say about a campaign now.

    Raises:
        UnreadableInput: the journal is damaged.
    """
    field, journal = session.field, session.journal
    running = journal.running  # before it is read: what ends meanwhile was not interrupted
    state = replay(journal.events(), field)
    results = results_of(state, field)
    brief = summary(journal.name, field, state, running=running)
    error = model_error(state, field, results)
    best, spread = best_of(results), most_run(results)
    worst = worst_pairs(error)
    named = {r.number for r in (*best, *spread)} | {p.number for p in worst}
    return Contents(
        made=now.isoformat(timespec="seconds"),
        version=acic.__version__,
        headline=headline_of(brief, session.request, state, field),
        effects=effects_of(state, field),
        screening=screening_of(state, field),
        best=best,
        spread=spread,
        model=error,
        course=thinned(course_of(state, results)),
        listing=listed(results, named=named),
        baselines=len(results.bases),
        compared=sum(r.gain is not None for r in results.pooled),
        workloads=len(safe_of(results)),
        priced=_priced(session, results),
        request=session.request,
        field=field,
    )


def worst_pairs(error: ModelError) -> list[Any]:
    """Return the pairs that the model gets most wrong, as a factor."""
    return sorted(error.pairs, key=lambda p: -max(p.measured / p.predicted, p.predicted / p.measured))[:_WORST]


def figures(contents: Contents) -> dict[str, Any]:
    """Return the contents for scripts, in base units: all but the table of points, of which there may be thousands."""
    left_out = ("listing", "field", "request")
    shown = {f.name: getattr(contents, f.name) for f in fields(contents) if f.name not in left_out}
    return shown | {"points": {"total": contents.listing.total, "listed": len(contents.listing.points)}}


def _priced(session: Session, results: Results) -> bool:
    return session.platform.priced or any(r.dollars for r in results.points)
