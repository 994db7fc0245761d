"""Jobs to which nothing that a platform chooses makes a difference: there is nothing to predict of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from acic.advisor.advice import Advice, Verdict
from acic.advisor.knowledge import Knowledge
from acic.filesystems.inert import no_difference
from acic.platforms import Platform
from acic.workloads import Workload


def is_indifferent(workload: Workload, platform: Platform, knowledge: Knowledge) -> bool:
    """Return whether `workload` takes no notice of any parameter of `platform`."""
    return set(platform.space.names) <= set(knowledge.inert(workload))


def said_so(advice: Advice, platform: Platform, notes: Iterable[str]) -> Advice:
    """Return the advice to an indifferent job, with the reason and its remedy in place of what a prediction rests on.

    Args:
        advice: the baseline alone.
        platform: where the job is to run.
        notes: what else the reader must know, whatever is predicted.
    """
    why = no_difference(platform)
    remedy = f"{why.hint[0].upper()}{why.hint[1:]}."
    return replace(
        advice, verdict=Verdict.NOTHING, reason=why.problem, extrapolated=(), notes=(remedy, *notes), cautions=()
    )
