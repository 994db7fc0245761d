"""Whether collective buffering is worth it: what its hints are predicted to change, and what they change in traffic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from acic.advisor.advice import Advice, Estimate, Goal
from acic.advisor.forecast import Forecast
from acic.advisor.knowledge import Knowledge
from acic.advisor.verdict import worth
from acic.platforms import Platform
from acic.prior import Traffic, alone, gathered
from acic.space import Configuration, Value, made_valid
from acic.store.training import TrainingRows
from acic.workloads import Operation, Workload

_ON, _OFF = ("enable", "true"), ("disable", "false")  # what a switch says, of ROMIO's and of MPI's own


class Worth(StrEnum):
    """What to do about collective buffering."""

    KEEP = "keep"  # on is faster (or cheaper) than off, by more than the noise
    BYPASS = "bypass"  # the other way round
    EITHER = "either"  # the difference is within the noise
    UNTOLD = "untold"  # nothing turns it on and off here, or nothing measured tells what that does
    NOTHING = "nothing"  # no call is collective, so that it takes no part


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The answer, or the answer with other values of hints for collective buffering.

    Args:
        values: of the hints that are others; of the answer itself that of the switch.
        takes: what the run takes so, in the unit of the explanation.
        more: than with the answer, relatively; 0.2 is 20 %, below 0 it takes less.
        beyond: whether that is more than the noise.
        points: that were measured with these values: pairs of workload, with collective calls, and configuration.
    """

    values: Mapping[str, Value]
    takes: Estimate
    more: float
    beyond: bool
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffering:
    """Whether collective buffering is worth it for what a job writes, or reads, by MPI-IO.

    Args:
        operation: which of the two.
        phase: position of the largest phase that does so, of those with collective calls where there are any.
        worth: the verdict.
        switch: the hint that turns it on and off; "" where the platform has none.
        instead: the switch's value that does the other thing than the answer's, to be measured beside it; None where
            the platform has none.
        gathered: whether the log's calls went through aggregators; None if it does not tell.
        on: the best of the answer's values with which aggregators gather; None where nothing tells.
        off: the same with which each process does its own I/O.
        others: the answer with each other value of each hint that measurements tell of.
        untold: hints that none tell of: no two of their values were measured with such calls.
        together: the phase's traffic with aggregators, as many as the answer has.
        alone: the same without.
        targets: servers, or objects of a file, among which the answer spreads it.
    """

    operation: Operation
    phase: int
    worth: Worth
    switch: str
    instead: Value | None
    gathered: bool | None
    on: Choice | None
    off: Choice | None
    others: tuple[Choice, ...]
    untold: tuple[str, ...]
    together: Traffic
    alone: Traffic
    targets: int


def buffering(
    workload: Workload,
    platform: Platform,
    knowledge: Knowledge,
    advice: Advice,
    rows: TrainingRows,
    predict: Callable[[Knowledge], Forecast],
) -> tuple[Buffering, ...]:
    """Return whether collective buffering is worth it to a job, for what it writes and for what it reads by MPI-IO.

    Args:
        workload: the job.
        platform: where it is to run.
        knowledge: of the platform.
        advice: the answer, whose other values stay as they are.
        rows: what was measured.
        predict: what is predicted of the job with the candidates of some knowledge.
    """
    asked = _Asked(workload, platform, knowledge, advice, rows, predict)
    found = []
    for operation in (Operation.WRITE, Operation.READ):
        mine = [
            place
            for place, phase in enumerate(workload.phases)
            if phase.characteristics.operation is operation and phase.characteristics.interface.on_mpi_io
        ]
        if mine:  # the largest comes first
            collective = (place for place in mine if workload.phases[place].characteristics.collective)
            found.append(_of_phase(asked, next(collective, mine[0])))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What `buffering` is asked."""

    workload: Workload
    platform: Platform
    knowledge: Knowledge
    advice: Advice
    rows: TrainingRows
    predict: Callable[[Knowledge], Forecast]

    @property
    def answer(self) -> Configuration:
        return self.advice.recommendations[0].configuration

    @property
    def takes(self) -> Estimate:
        """What the run takes with the answer, in the unit of the goal."""
        best = self.advice.recommendations[0]
        return best.seconds if self.advice.goal is Goal.TIME or best.cost is None else best.cost


def _of_phase(asked: _Asked, place: int) -> Buffering:
    """Return what there is to tell of one direction, by the phase at that place."""
    phase, answer, space = asked.workload.phases[place], asked.answer, asked.platform.space
    characteristics = phase.characteristics
    operation = characteristics.operation
    told = phase.details.get("collective_buffering")
    by_itself = None if told is None else bool(told)
    switch = next((n for n in (f"romio_cb_{operation}", "collective_buffering") if n in space.names), "")
    hints = (*filter(None, [switch]), *(name for name in asked.platform.hints if name.startswith("cb_")))
    hints = hints if characteristics.collective else ()
    measured = _measured(asked.rows, operation)
    known = [name for name in hints if len({one[name] for one in measured if name in one}) > 1]
    wanted = [
        {**_needed(name, switch, answer, by_itself), name: value}
        for name in known
        for value in space[name].values
        if value != answer.get(name)
    ]
    others = _choices(asked, wanted, measured)
    sides = [one for one in others if set(one.values) == {switch}]
    if switch in known and switch in answer:
        mine = {switch: answer[switch]}
        points = sum(_has(one, mine) for one in measured)
        sides.append(Choice(values=mine, takes=asked.takes, more=0.0, beyond=False, points=points))
    on, off = (_best(one for one in sides if _is_on(one.values[switch], by_itself) is way) for way in (True, False))
    return Buffering(
        operation=operation,
        phase=place,
        worth=_worth(on, off, asked.advice.noise) if characteristics.collective else Worth.NOTHING,
        switch=switch,
        instead=_instead(asked, switch, by_itself),
        gathered=by_itself,
        on=on,
        off=off,
        others=tuple(others),
        untold=tuple(name for name in hints if name not in known),
        together=_together(asked, place),
        alone=alone(characteristics),
        targets=_number(answer, asked.platform.roles.servers) or _number(answer, "stripe_count") or 1,
    )


def _instead(asked: _Asked, switch: str, by_itself: bool | None) -> Value | None:
    if not switch:
        return None
    wanted = _is_on(asked.answer.get(switch, ""), by_itself) is False
    return next((value for value in asked.platform.space[switch].values if _is_on(value, None) is wanted), None)


def _needed(name: str, switch: str, answer: Configuration, by_itself: bool | None) -> dict[str, Value]:
    """Return what has to be on for a hint to be about anything: where there are no aggregators, the switch."""
    off = name != switch and switch in answer and _is_on(answer[switch], by_itself) is False
    return {switch: "enable"} if off and switch.startswith("romio_") else {}


def _choices(asked: _Asked, wanted: Sequence[Mapping[str, Value]], measured: Sequence[Configuration]) -> list[Choice]:
    """Return the answer with each of the values wanted, of those that can be."""
    space = asked.platform.space
    made = [Configuration(made_valid(space, {**asked.answer, **values})) for values in wanted]
    takes = _predicted(asked, made) if made else {}
    ours = asked.takes.value
    return [
        Choice(
            values=values,
            takes=takes[one],
            more=takes[one].value / ours - 1.0 if ours else 0.0,
            beyond=_differ(takes[one].value, ours, asked.advice.noise),
            points=sum(_has(other, values) for other in measured),
        )
        for values, one in zip(wanted, made, strict=True)
        if one in takes and _has(one, values)
    ]


def _predicted(asked: _Asked, configurations: Iterable[Configuration]) -> dict[Configuration, Estimate]:
    """Return what the run takes with each configuration that is a candidate, with its 80 % interval."""
    few = asked.knowledge.among(configurations)
    found = asked.predict(few)
    rate = np.ones(len(few.points)) if asked.advice.goal is Goal.TIME or found.rate is None else found.rate
    ends = zip(*((one * rate).tolist() for one in (found.seconds, found.fastest, found.slowest)), strict=True)
    space = asked.platform.space
    return {space.configuration(p): Estimate(*end) for p, end in zip(few.points, ends, strict=True)}


def _together(asked: _Asked, place: int) -> Traffic:
    """Return a phase's traffic with as many aggregators as the answer has.

    On Lustre each of them writes a stripe at a time. Source: ROMIO, ad_lustre_wrcoll.c.
    """
    workload, answer = asked.workload.phases[place].characteristics, asked.answer
    by_stripe = "lustre" in asked.platform.apply and workload.operation is Operation.WRITE
    buffer = _number(answer, "stripe_size") if by_stripe else _number(answer, "cb_buffer_size")
    return gathered(
        workload,
        asked.platform.machines(answer, asked.workload.processes),
        asked.knowledge.uses(asked.workload)[place],
        aggregators=_number(answer, "cb_nodes"),
        buffer=buffer,
    )


def _measured(rows: TrainingRows, operation: Operation) -> list[Configuration]:
    """Return the configuration of each point, workload and configuration, with collective calls in a direction."""
    calls = [w.collective and w.interface.on_mpi_io and w.operation is operation for w in rows.workloads]
    mine = np.flatnonzero(np.array(calls, dtype=bool)[rows.workload])
    _, first = np.unique(rows.group[mine], return_index=True)
    return [rows.configurations[place] for place in rows.configuration[mine][first].tolist()]


def _has(configuration: Mapping[str, Value], values: Mapping[str, Value]) -> bool:
    return all(configuration.get(name) == value for name, value in values.items())


def _number(configuration: Configuration, name: str) -> int | None:
    value = configuration.get(name)
    return value if isinstance(value, int) else None


def _is_on(value: Value, by_itself: bool | None) -> bool | None:
    """Return whether aggregators gather with a switch's value; left to ROMIO ("automatic"), as the log's calls did."""
    word = str(value).lower()
    return True if word in _ON else False if word in _OFF else by_itself


def _best(some: Iterable[Choice]) -> Choice | None:
    return min(some, key=lambda one: one.takes.value, default=None)


def _worth(on: Choice | None, off: Choice | None, noise: float) -> Worth:
    if on is None or off is None:
        return Worth.UNTOLD
    if not _differ(on.takes.value, off.takes.value, noise):
        return Worth.EITHER
    return Worth.KEEP if on.takes.value < off.takes.value else Worth.BYPASS


def _differ(one: float, other: float, noise: float) -> bool:
    """Return whether what two runs are predicted to take differs by more than the noise."""
    less, more = sorted((one, other))
    return worth(more / less, noise) if less > 0 else more > 0
