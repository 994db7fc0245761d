"""What the advisor answers: recommendations with intervals, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from acic.advisor.changes import Change, Unit
from acic.space import Configuration, Value
from acic.store import Basis


class Goal(StrEnum):
    """What the user wants least of."""

    TIME = "time"
    COST = "cost"
    PARETO = "pareto"

    @property
    def unit(self) -> Unit:
        """What is saved is told in: seconds for the front of both, whose first answer is the fastest."""
        return Unit.USD if self is Goal.COST else Unit.SECONDS


class Verdict(StrEnum):
    """What to do about the best recommendation."""

    CHANGE = "change"  # the whole interval is better than the baseline, by more than the noise
    VERIFY = "verify"  # probably better, but the interval reaches the baseline, or it is extrapolated
    NOTHING = "nothing"  # no gain that is worth a change


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 80 % interval and its basis."""

    value: float
    low: float
    high: float
    basis: Basis = Basis.PREDICTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """A configuration, and what is predicted of the whole application with it.

    Args:
        rank: 1 for the best.
        configuration: the one to apply; of co-champions, the one that `ranking.representative` names.
        tied: how many configurations share the prediction, itself included.
        free: values that co-champions differ in, None where it does not apply: any of them is as good as predicted.
        improvement: baseline's time (for goal cost, its cost) over this one's; above 1 is better.
        io_improvement: the same for the time in I/O alone.
        seconds: run time of the whole application and copying its results out, s; where nobody told how long the run
            takes, of its I/O alone.
        cost: of one run, USD; None without a price.
        nodes: machines paid for.
        why: what led the model to it in words, most important first.
        limits: what limits it and the baseline, in words; "" where the platform's hardware is not known.
        single_writer: whether it, or a co-champion, is right only where each file is written by one process.
        stages_out: whether it, or a co-champion, is on disks that are lost with their machines.
    """

    rank: int
    configuration: Configuration
    tied: int
    free: Mapping[str, tuple[Value | None, ...]]
    improvement: Estimate
    io_improvement: Estimate
    seconds: Estimate
    cost: Estimate | None
    nodes: int
    why: tuple[str, ...]
    limits: str
    single_writer: bool
    stages_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The answer to one question, with everything needed to judge it.

    Args:
        workload: its name.
        platform: its name.
        goal: what was minimised.
        model: the model that predicted.
        verdict: what to do.
        reason: the verdict in one sentence.
        recommendations: best first; for the goal pareto, fastest first.
        changes: what each parameter that the first sets otherwise than the baseline saves, those that save most first.
        baseline: the configuration that improvements are over.
        baseline_seconds: the same assumed for the baseline, s.
        baseline_cost: its cost, USD; None without a price.
        covered: share of the I/O time that the measurements can speak about, 0..1.
        noise: relative spread of repeated runs on this platform (median coefficient of variation).
        measurements: how many the model learned from.
        extrapolated: how the workload, or what is recommended, lies outside of what was measured, one sentence each.
        notes: what else the reader must know.
        cautions: what bytes hang on, where something is to be changed: which answers failed more often than not,
            which are right for jobs such as this one alone, and which lose what is written.
    """

    workload: str
    platform: str
    goal: Goal
    model: str
    verdict: Verdict
    reason: str
    recommendations: tuple[Recommendation, ...]
    changes: tuple[Change, ...]
    baseline: Configuration
    baseline_seconds: float
    baseline_cost: float | None
    covered: float
    noise: float
    measurements: int
    extrapolated: tuple[str, ...]
    notes: tuple[str, ...]
    cautions: tuple[str, ...]
