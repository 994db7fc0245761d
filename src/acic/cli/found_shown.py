"""What `acic walk` and `acic tune` found: what was measured, and what that makes of a run by the log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from acic.cli.applying import show_instructions, to_apply
from acic.cli.output import emit_json, say, table
from acic.cli.searching import Bench, amount
from acic.errors import AcicError
from acic.units import format_seconds
from acic.workloads.workload import DARSHAN

if TYPE_CHECKING:
    from acic.blueprints import Instruction
    from acic.search import Found, Observation
    from acic.space import Configuration


APART = 2.0  # times as long: I/O that is so far from the log's is not that of the run which the log is of


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One configuration that a search has run; figures are None where it failed.

    Args:
        configuration: which.
        seconds: of the replica's I/O, measured.
        measured: these, or for the goal cost USD of them.
        with_computing: the same, s or USD, with the computing that the log tells; None where it tells none.
        objective: what the search has minimised.
        spent: s of wall time or USD that finding out took.
        runs: good ones, of the phase that has fewest.
    """

    configuration: Configuration
    seconds: float | None
    measured: float | None
    with_computing: float | None
    objective: float | None
    spent: float
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What is to be doubted of the best of a search that is not the baseline.

    Args:
        gain: the baseline's figure over that of the best; above 1 is better.
        differ: how much longer the slowest runs of either took than its fastest, 0.2 is 20 %; None: each ran once.
        luck: what the best gains in up to 9 of 10 searches where all are alike, likewise.
        among: configurations that gave a figure, the baseline's included.
        runs: good ones of the best.
    """

    gain: float
    differ: float | None
    luck: float
    among: int
    runs: int

    @property
    def within(self) -> bool:
        """Whether the gain, or the loss, may be none."""
        return self._differs or abs(math.log(self.gain)) <= math.log1p(self.luck)

    @property
    def text(self) -> str:
        """A sentence on that, and on the luck of a single run; "" where nothing is to be said."""
        if self._differs:
            return f"That is within what runs differ by: {100 * (self.differ or 0.0):.1f} %. "
        luck = f"gains up to {100 * self.luck:.0f} % in 9 of 10 searches"
        if self.within:
            return f"That may be luck: by so few runs, the best of {self.among} that are all alike {luck}. "
        return f"The best ran once: of {self.among} that are all alike it {luck}. " if self.runs == 1 else ""

    @property
    def _differs(self) -> bool:
        return self.differ is not None and abs(self.gain - 1.0) <= self.differ


def show_found(opened: Bench, found: Found, goal: str, as_json: bool, *, hint: str = "") -> None:
    """Print what was run, what was found, what it cost, and how to apply it where it is no doubtful gain.

    Where nothing was found, the error has the `hint`, or that of `acic campaign status`.

    Raises:
        AcicError: nothing was found, or it was paused.
    """
    from acic.campaign.repeats import luck
    from acic.campaign.searched import noise_of
    from acic.campaign.summary import spent_dollars

    state = opened.controller.state
    seen = [_measured(opened, one, goal) for one in found.observations]
    first = seen[0] if seen else None
    best = None if found.best is None else _measured(opened, found.best, goal)
    gain = whole = differ = doubt = None
    if first and best:
        gain = _gain(first.measured, best.measured)
        whole = _gain(first.with_computing, best.with_computing)
        apart = [opened.readings[one.configuration].differ for one in (first, best)]
        differ = max((one for one in apart if one is not None), default=None)
        if gain and best != first:
            runs, among = (best.runs, first.runs), sum(one.measured is not None for one in seen)
            lucky = luck(noise_of(state), runs, among - 1)
            doubt = Doubt(gain=gain, differ=differ, luck=lucky, among=among, runs=best.runs)
    todo = [] if best is None or best == first or (doubt and doubt.within) else _to_apply(opened, best)
    why = f"It was paused: {state.paused}." if state.paused else found.why_ended
    if as_json:
        emit_json(
            {
                "goal": goal,
                "best": best,
                "baseline": first and first.objective,
                "improvement": gain,
                "with_computing": whole,
                "runs_differ": differ,
                "luck": doubt and doubt.luck,
                "doubtful": doubt and doubt.within,
                "basis": "measured",
                "computing_seconds": opened.computing or None,
                "observations": seen,
                "runs": state.ended_runs,
                "lost": state.lost_runs,
                "spent_seconds": state.seconds,
                "spent_dollars": spent_dollars(state, opened.field),
                "why_ended": why,
                "campaign": opened.session.journal.name,
                "instructions": todo,
            }
        )
    elif seen:
        _table(opened, seen, goal)
        if best is not None:
            times = f"{gain:.2f}x the baseline" if gain else "the baseline failed"
            times += f" ({whole:.2f}x with computing)" if whole else ""
            click.echo(f"Best: {amount(best.measured, goal)}, {times}. {doubt.text if doubt else ''}{why}")
        spent = amount(state.seconds, "time") + (f" and {amount(state.dollars, 'cost')}" if state.dollars else "")
        ran = {one.point.configuration for one in state.progress if one.attempts}  # at smaller scales, too
        lost = f"; {state.lost_runs} more were lost" if state.lost_runs else ""
        click.echo(f"It took {state.ended_runs} runs of {len(ran)} configurations, {spent} in them{lost}.")
        if todo:
            show_instructions(todo, "best")
    if first and (unlike := _unlike_log(opened, first)):
        say(f"note: {unlike}")
    if state.paused:
        raise AcicError(f"the search has stopped: {state.paused}", hint=f"it goes on by {opened.session.resumed_by}")
    if best is None:
        raise AcicError(f"nothing was found: {why}", hint=hint or f"acic campaign status {opened.session.journal.name}")


def _to_apply(opened: Bench, best: Measured) -> list[Instruction]:
    whole = opened.readings[best.configuration].configuration  # with the values that the search leaves as they are
    nodes = opened.session.request.where.nodes
    return to_apply(whole, opened.field.platform, opened.workload, machines=nodes)


def _unlike_log(opened: Bench, baseline: Measured) -> str:
    """Return what is to be known where the I/O of the baseline's replica takes another time than is told; "" if not."""
    told, found = opened.io_by_log, baseline.seconds
    if not told or not found or max(told, found) <= APART * min(told, found):
        return ""
    mixed = ", and figures with computing mix the two" if opened.computing else ""
    slower = "it waits for the disk, as the application may not, or " if found > told else ""
    teller = "the log" if opened.workload.source.startswith(DARSHAN) else "the workload file"
    return (
        f"{teller} tells {format_seconds(told)} of I/O, which took the replica {format_seconds(found)} on the baseline"
        f"{mixed}. Where that run was on this platform, {slower}its MPI or machine is not that of the run: name the "
        "application's mpiexec in ACIC_MPIEXEC, or compare by the application itself: "
        f"acic verify JOB --platform {opened.field.platform.argument} -- COMMAND"
    )


def _measured(opened: Bench, observation: Observation, goal: str) -> Measured:
    reading, figure = opened.readings[observation.configuration], opened.objective(goal)
    return Measured(
        configuration=observation.configuration,
        seconds=reading.seconds,
        measured=figure.measured(reading),
        with_computing=figure.with_computing(reading) if opened.computing else None,
        objective=observation.objective,
        spent=observation.spent,
        runs=reading.runs,
    )


def _gain(before: float | None, after: float | None) -> float | None:
    return before / after if before and after else None


def _table(opened: Bench, seen: Sequence[Measured], goal: str) -> None:
    """Print what was measured, the best first."""
    ranked = sorted(seen, key=lambda one: one.objective if one.objective is not None else float("inf"))
    names = [n for n in opened.field.system.names if len({one.configuration.get(n) for one in seen}) > 1]
    space = opened.field.platform.space
    title = f"Measured: {opened.workload.name} on {opened.field.platform.name}, the I/O alone by its replica"
    if opened.computing:
        title += f"; and with {format_seconds(opened.computing)} of computing by the log"
    figures = ["runs", "measured", *(["its cost"] if goal == "cost" else []), "improvement"]
    figures += ["with computing", "improvement then"] if opened.computing else []
    rows = [
        [
            str(place),
            *(space[name].text(one.configuration.get(name)) for name in names),
            str(one.runs),
            amount(one.seconds, "time"),
            *([amount(one.measured, goal)] if goal == "cost" else []),
            _times(seen[0].measured, one.measured),
            *(
                [amount(one.with_computing, goal), _times(seen[0].with_computing, one.with_computing)]
                if opened.computing
                else []
            ),
        ]
        for place, one in enumerate(ranked, 1)
    ]
    table(["", *names, *figures], rows, title=title, right=figures)


def _times(before: float | None, after: float | None) -> str:
    gain = _gain(before, after)
    return f"{gain:.2f}x" if gain else "-"
