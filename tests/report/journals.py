"""Journals of campaigns that never ran: made-up figures, in the very events that a controller writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from acic.campaign.attempt import Attempt, event_of
from acic.campaign.budget import Budget
from acic.campaign.journal import Journal, campaigns_folder
from acic.campaign.planning import Planner, screened
from acic.campaign.points import Field, Rows
from acic.campaign.repeats import Repeats
from acic.campaign.request import Request, Where
from acic.campaign.screening import screening_rows
from acic.campaign.session import Session
from acic.campaign.state import Stage, State, apply, numbers
from acic.errors import AcicError
from acic.platforms import platform_source
from acic.space import valid_rows
from acic.store.measurement import Outcome, Repetition

BEGAN = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
NOTES = {
    Outcome.FAILED: "rank {n} of 64: write to /scratch/acic-made-{n}/data: No space left on device",
    Outcome.TIMEOUT: "killed after {n} s: the time limit",
    Outcome.CORRUPT: "check: 4096 B differ from byte {n}",
    Outcome.UNKNOWN: "the benchmark's output cannot be understood: it is empty",
    Outcome.SUSPECT: "not in force: cb_buffer_size {n}",
}


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a made-up campaign is like.

    Args:
        platform: a name or path; the priced one if nothing is said.
        screen: whether it has a screening; baselines: whether they were measured.
        sampled: points after that.
        most: runs of a point at most.
        trouble: part of the runs that fail, by outcome.
        unsafe: whether the first sampled configuration gives back wrong bytes.
        notes: of failed runs, instead of the usual ones.
        noise: standard deviation of the logarithm of bandwidth.
        ended: why it has ended, "" if it was interrupted.
    """

    platform: str = "ec2-2013"
    screen: bool = True
    baselines: bool = True
    sampled: int = 60
    most: int = 5
    trouble: dict[Outcome, float] = field(default_factory=dict)
    unsafe: bool = False
    notes: dict[Outcome, str] = field(default_factory=dict)
    noise: float = 0.08
    ended: str = "the budget is used up"
    budget: Budget = field(default_factory=lambda: Budget(seconds=4 * 3600.0))
    contributor: str = "tester"
    seed: int = 1


def make(name: str, made: Made) -> Session:
    """Write the journal of a campaign, in the user's state folder."""
    request = Request(
        platform=made.platform,
        budget=made.budget,
        where=Where(directory="/scratch"),
        screen=made.screen,
        repeats=Repeats(1, made.most),
        seed=made.seed,
        contributor=made.contributor,
    )
    text = platform_source(made.platform)
    found = {"platform_text": text, "mark": "", "machine": "", "places": {}}
    begun = {"time": BEGAN.isoformat(), **request.event(), **found}
    Journal.create(campaigns_folder() / name, begun)  # `begin` refuses what it cannot run
    session = Session.open(name)
    writer = _Writer(session, made)
    for stage, rows in writer.plan():
        writer.run(stage, rows)
    if made.ended:
        writer.note("ended", why=made.ended)
    writer.flush()
    return session


class _Writer:
    def __init__(self, session: Session, made: Made) -> None:
        self._session, self._made = session, made
        self._field: Field = session.field
        self._rng = np.random.default_rng(made.seed)
        widths = [len(p.values) for p in self._field.space.parameters]
        self._slope = [self._rng.normal(0, 0.5, w) for w in widths]
        self._lines: list[tuple[str, dict[str, Any]]] = []
        self.state = State(begun=session.journal.begun)
        self._unsafe: set[bytes] = set()

    def plan(self) -> Iterator[tuple[Stage, Rows]]:
        planner = Planner(self._field, self._made.seed)
        if self._made.screen:
            yield Stage.SCREENING, screening_rows(self._field)
            ranks, effects = screened(self._field, self.state)
            self.note("ranked", ranks=ranks, effects=effects)
            if self._made.baselines:
                yield Stage.BASELINE, planner._baselines(self.state.rows, self.state)
        if self._made.sampled:
            rows = self._rows(self._made.sampled)
            if self._made.unsafe:
                self._unsafe.add(self._system(rows[0]))
            if self._made.baselines:
                yield Stage.SAMPLING, np.vstack([planner._baselines(rows, self.state), rows])
            else:
                yield Stage.SAMPLING, rows

    def run(self, stage: Stage, rows: Rows) -> None:
        first = len(self.state.progress)
        self.note("planned", stage=str(stage), rows=numbers(rows))
        for progress in self.state.progress[first:]:
            for _ in range(int(self._rng.integers(1, self._made.most + 1))):
                number = self.state.runs
                self.note("started", run=number, point=progress.number, job=f"made-{number}")
                attempt = self._attempt(number, progress.row, progress.number)
                self.note("finished", **event_of(attempt, progress.number))
                if attempt.outcome is not Outcome.OK:
                    break
            self.note("stored", point=progress.number)

    def note(self, event: str, **fields: Any) -> None:
        self._lines.append((event, fields))
        apply(self.state, {"event": event, **fields}, self._field)

    def flush(self) -> None:
        for event, fields in self._lines:
            self._session.journal.append(event, **fields)

    def _attempt(self, number: int, row: Rows, point: int) -> Attempt:
        outcome = self._outcome(row)
        workload = self.state.progress[point].point.workload
        logs = 20.0 + sum(float(s[v]) for s, v in zip(self._slope, row, strict=True) if v >= 0)
        bandwidth = float(np.exp(logs + self._rng.normal(0, self._made.noise)))
        seconds = workload.total_bytes / bandwidth
        overhead = float(self._rng.uniform(0.3, 0.9))
        good = outcome in (Outcome.OK, Outcome.SUSPECT)
        note = self._made.notes.get(outcome, NOTES.get(outcome, "")).replace("{n}", str(number))
        return Attempt(
            number=number,
            outcome=outcome,
            repetition=Repetition(bandwidth=bandwidth, seconds=seconds) if good else None,
            elapsed=seconds + overhead,
            dollars=self._dollars(point, seconds + overhead),
            overhead=overhead,
            time=(BEGAN + timedelta(seconds=self.state.seconds)).isoformat(),
            note=note,
            tool_version="acic-bench-0.1.0",
            verified=good and point % 10 == 0,
        )

    def _outcome(self, row: Rows) -> Outcome:
        if self._system(row) in self._unsafe:
            return Outcome.CORRUPT
        draw = float(self._rng.uniform())
        for outcome, part in self._made.trouble.items():
            if draw < part:
                return outcome
            draw -= part
        return Outcome.OK

    def _dollars(self, point: int, seconds: float) -> float:
        p = self.state.progress[point].point
        try:
            return self._session.platform.cost(p.configuration, p.workload.processes, seconds)
        except AcicError:
            return 0.0

    def _system(self, row: Rows) -> bytes:
        return row[len(self._field.workload_names) :].tobytes()

    def _rows(self, count: int) -> Rows:
        """Random valid rows, no two alike, five configurations to a workload as a planner does."""
        space, width = self._field.sampling_space, len(self._field.workload_names)
        baseline = self._field.row(self._field.platform.baseline)[width:]
        seen = {row.tobytes() for row in self.state.rows}
        rows: list[Rows] = []
        while len(rows) < count:
            draws = np.stack([self._rng.integers(0, len(p.values), 4 * count) for p in space.parameters], axis=1)
            draws[:, :width] = draws[np.arange(len(draws)) // 20 * 20, :width]
            for row in valid_rows(space, draws.astype(np.int8)):
                key = row.tobytes()
                if key not in seen and not (row[width:] == baseline).all() and len(rows) < count:
                    seen.add(key)
                    rows.append(row)
        return np.array(rows, dtype=np.int8)
