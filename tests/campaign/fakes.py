"""Trials that run nothing: each takes the time, and ends, as a rule says; and a clock that only they move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from acic.campaign.attempt import Attempt
from acic.campaign.budget import Budget
from acic.campaign.controller import Controller
from acic.campaign.jobs import Trial
from acic.campaign.journal import Journal
from acic.campaign.planning import Planner
from acic.campaign.points import Field, Point
from acic.campaign.repeats import Repeats
from acic.campaign.rules import Rules
from acic.campaign.storing import Storing
from acic.errors import AcicError
from acic.platforms import Platform, parse_platform
from acic.store import Measurement
from acic.store.database import AddResult
from acic.store.measurement import Outcome, Repetition
from acic.workloads import Characteristics
from tests.campaign.laboratory import PLATFORM

BEGAN = datetime(2026, 11, 21, tzinfo=UTC)


def good(trial: Trial) -> Outcome:  # noqa: ARG001 (a rule)
    return Outcome.OK


def second(trial: Trial) -> float:  # noqa: ARG001 (a rule)
    return 1.0


def unlucky(trial: Trial) -> str:  # noqa: ARG001 (a rule)
    return "it was to fail"


def steady(trial: Trial) -> float:  # noqa: ARG001 (a rule)
    return 1e8


@dataclass
class FakeTrials:
    """What stands for `Trials`.

    Args:
        platform: which prices runs.
        outcome: of a trial.
        seconds: that it takes.
        bandwidth: that it gives if it is good.
        note: what it tells if it is not.
    """

    platform: Platform
    outcome: Callable[[Trial], Outcome] = good
    seconds: Callable[[Trial], float] = second
    bandwidth: Callable[[Trial], float] = steady
    note: Callable[[Trial], str] = unlucky
    now: float = 0.0
    made: list[Trial] = field(default_factory=list)
    reclaimed: list[str] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def run(self, trial: Trial) -> Attempt:
        self.made.append(trial)
        outcome, seconds = self.outcome(trial), self.seconds(trial)
        begun = BEGAN + timedelta(seconds=self.now, microseconds=len(self.made))
        self.now += seconds
        bandwidth = self.bandwidth(trial) if outcome is Outcome.OK else None
        return Attempt(
            number=trial.number,
            outcome=outcome,
            repetition=None if bandwidth is None else Repetition(bandwidth=bandwidth, seconds=seconds),
            elapsed=seconds,
            dollars=self.dollars(trial.point, seconds),
            overhead=0.0,
            time=begun.isoformat(),
            note="" if outcome is Outcome.OK else self.note(trial),
            raw_sha256=trial.name,
            verified=trial.verify and outcome is Outcome.OK,
        )

    def reclaim(self, name: str, point: Point) -> None:  # noqa: ARG002 (the signature of Trials)
        self.reclaimed.append(name)

    def dollars(self, point: Point, seconds: float) -> float:
        try:
            return self.platform.cost(point.configuration, point.workload.processes, seconds)
        except AcicError:
            return 0.0


class FakeStore:
    """What stands for `Store`: a list, in which each is once."""

    def __init__(self) -> None:
        self.added: list[Measurement] = []

    def add(self, measurements: list[Measurement]) -> AddResult:
        new = [m for m in measurements if m not in self.added]
        self.added += new
        return AddResult(len(new), len(measurements) - len(new))


def lab_platform() -> Platform:
    import tomllib

    return parse_platform(tomllib.loads(PLATFORM))


def controller(
    folder: Path,
    trials: FakeTrials,
    *,
    budget: Budget | None = None,
    like: tuple[Characteristics, ...] = (),
    repeats: Repeats | None = None,
    verify: float = 0.0,
    store: FakeStore | None = None,
    announce: Callable[[str], None] = lambda _: None,
    **planned: Any,
) -> Controller:
    """Return a controller of the campaign in `folder`, which is begun if it is not there."""
    field_ = Field(trials.platform, like)
    budget = budget or Budget()
    journal = Journal.open(folder) if folder.exists() else Journal.create(folder, {})
    kept = store or FakeStore()
    how: dict[str, Any] = {"tool": "ior", "announce": announce, "sleep": trials.sleep}
    storing = Storing(kept, trials.platform, **how)  # type: ignore[arg-type]  # a fake
    return Controller(
        journal,
        field_,
        Planner(field_, planned.pop("seed", 0), points=budget.points, **planned),
        Rules(budget, repeats or Repeats(1, 1), verify),
        trials,  # type: ignore[arg-type]  # a fake
        storing,
        clock=trials.clock,
        wall=trials.clock,
    )
