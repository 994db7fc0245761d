"""From a point's runs to measurements of the store."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from acic.campaign.attempt import Attempt
from acic.campaign.state import Progress
from acic.platforms import Platform
from acic.store.measurement import Measurement, Outcome, Repetition


def measurements_of(
    progress: Progress, platform: Platform, *, tool: str, contributor: str, host_shape: Mapping[str, str | int]
) -> list[Measurement]:
    """Return one measurement of all good runs of a point, and one of each run that gave nothing.

    The same runs always give the same measurements, so adding them to a store again changes nothing.
    """

    def measurement(outcome: Outcome, first: Attempt, repetitions: tuple[Repetition, ...], note: str) -> Measurement:
        return Measurement(
            platform=platform.name,
            revision=platform.revision,
            workload=progress.point.workload,
            configuration=progress.point.configuration,
            outcome=outcome,
            time=datetime.fromisoformat(first.time),
            repetitions=repetitions,
            tool=tool,
            tool_version=first.tool_version,
            host_shape=host_shape,
            contributor=contributor,
            raw_sha256=first.raw_sha256,
            note=note,
        )

    good = [a for a in progress.attempts if a.outcome is Outcome.OK and a.repetition is not None]
    made = []
    if good:
        notes = "; ".join(dict.fromkeys(a.note for a in good if a.note))
        figures = tuple(a.repetition for a in good if a.repetition is not None)
        made.append(measurement(Outcome.OK, good[0], figures, notes))
    for attempt in progress.failures:
        figures = (attempt.repetition,) if attempt.repetition is not None else ()
        made.append(measurement(attempt.outcome, attempt, figures, attempt.note))
    return made
