"""What a campaign has done so far, for people and for scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from acic.campaign.attempt import Attempt
from acic.campaign.planning import screening_measured
from acic.campaign.points import Field
from acic.campaign.state import Stage, State
from acic.store.measurement import Outcome
from acic.units import format_seconds, format_usd

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A campaign in numbers.

    Args:
        name: of the campaign.
        platform: what is measured.
        status: "running", "paused: ...", "ended: ..." or "interrupted".
        planned: points planned; measured: points with a figure; failed: that ran and have none; skipped: left alone.
        runs: runs that ended; outcomes: how; lost: others that began, and whose end nobody saw.
        seconds: wall time of them, s; dollars: USD, None where nobody is billed.
        overhead: median of what the campaign itself took of a run, s; None before the first.
        verified: runs whose bytes were read back and found right.
        unsafe: configurations that gave back wrong bytes.
        ranks: parameters by rank, for each goal, the most important first; empty before the screening is over.
        effects: likewise, the size of each effect.
        waiting: what a job of it waits for now in a scheduler's queue, in words; None where none does.
        why: what runs that gave nothing failed of most often, as the first of these tells; "" where none does.
        screened: where the campaign ended with too little of its screening for ranks: the points of it that have a
            figure, and all that it has; else None.
    """

    name: str
    platform: str
    status: str
    planned: int
    measured: int
    failed: int
    skipped: int
    runs: int
    outcomes: Mapping[str, int]
    lost: int
    seconds: float
    dollars: float | None
    overhead: float | None
    verified: int
    unsafe: tuple[Mapping[str, object], ...]
    ranks: Mapping[str, list[str]]
    effects: Mapping[str, Mapping[str, float]]
    waiting: str | None
    why: str
    screened: tuple[int, int] | None

    def text(self) -> str:
        """Return it in a few lines."""
        spent = format_seconds(self.seconds) + (f", {format_usd(self.dollars)}" if self.dollars else "")
        runs = f"{self.runs} runs" + (f" ({self.lost} more were lost)" if self.lost else "")
        lines = [
            f"{self.name} on {self.platform}: {self.status}",
            *([self.waiting] if self.waiting else []),
            f"{self.measured} of {self.planned} points measured in {runs}, which took {spent}",
        ]
        bad = ", ".join(f"{n} {outcome}" for outcome, n in self.outcomes.items() if outcome != "ok")
        if bad or self.skipped:
            lines.append(f"runs that gave nothing: {bad or 'none'}; points left alone: {self.skipped}")
        if self.why:
            lines.append(f"most often because of: {self.why}")
        lines.append(f"bytes read back and right in {self.verified} runs; unsafe configurations: {len(self.unsafe)}")
        for goal, names in self.ranks.items():
            told = [name for name in names if name in self.effects.get(goal, names)]
            lines.append(f"what matters most for {goal}: {', '.join(told[:_SHOWN])}")
        if self.screened:
            done, whole = self.screened
            lines.append(f"what matters most is not known: the screening measured {done} of its {whole} points")
        return "\n".join(lines)


def spent_dollars(state: State, field: Field) -> float | None:
    """Return what all runs cost, USD; None where nobody is billed."""
    return state.dollars if state.dollars or field.platform.priced else None


def summary(name: str, field: Field, state: State, *, running: bool = False, waiting: str = "") -> Summary:
    """Return what the campaign has done so far; `waiting` is what its job waits for, if there is one and it does."""
    attempts = [a for p in state.progress for a in p.attempts]
    status = "interrupted"
    if running:
        status = "running"
    elif state.ended:
        status = f"ended: {state.ended}"
    elif state.paused:
        status = f"paused: {state.paused}"
    return Summary(
        name=name,
        platform=field.platform.name,
        status=status,
        planned=len(state.progress),
        measured=sum(bool(p.repetitions) for p in state.progress),
        failed=sum(bool(p.attempts) and not p.repetitions for p in state.progress),
        skipped=sum(bool(p.why_skipped) for p in state.progress),
        runs=len(attempts),
        outcomes=dict(sorted(Counter(str(a.outcome) for a in attempts).items())),
        lost=state.lost_runs,
        seconds=state.seconds,
        dollars=spent_dollars(state, field),
        overhead=median(a.overhead for a in attempts) if attempts else None,
        verified=sum(a.verified for a in attempts),
        unsafe=tuple(dict(c) for c in sorted(state.unsafe, key=repr)),
        ranks=state.ranks,
        effects=state.effects,
        waiting=waiting if waiting and running and state.open_run else None,
        why=_why(attempts),
        screened=_screened(field, state),
    )


def _why(attempts: Sequence[Attempt]) -> str:
    """Return the note of the first of those runs that gave nothing for the most frequent reason."""
    failed = sorted((a for a in attempts if a.outcome is not Outcome.OK and a.note), key=lambda a: a.number)
    kinds = Counter(a.kind for a in failed).most_common(1)
    return next((a.note for a in failed if kinds and a.kind == kinds[0][0]), "")


def _screened(field: Field, state: State) -> tuple[int, int] | None:
    if state.ranks or not state.ended or Stage.SCREENING not in state.stages:
        return None
    return screening_measured(field, state)
