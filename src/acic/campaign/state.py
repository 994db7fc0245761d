"""What a campaign's journal tells: which points there are, what became of each, what was spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from acic.campaign.attempt import Attempt, amount, attempt_of
from acic.campaign.points import Field, Point, Rows
from acic.errors import InvalidInput, UnreadableInput
from acic.space import Configuration
from acic.store.measurement import Outcome, Repetition
from acic.toml import count, flag, number, string, strings, table

TRIES = 2  # of a run that fails: once more; one that took far too long would again
QUARANTINE = 2  # points of a configuration that failed, after which it is left alone


class Stage(StrEnum):
    """Why a point was planned."""

    SCREENING = "screening"
    BASELINE = "baseline"
    SAMPLING = "sampling"
    ACTIVE = "active"
    SEARCH = "search"  # a search, or a verification, asked for it
    REPEAT = "repeat"  # a search has ended, and this is one more run of what may be best


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that began and of which no end was written.

    Args:
        number: of the run; point: its number; job: what its jobs are called by.
        began: s since 1970, None where an older journal does not tell; limit: s that a job of it may take.
    """

    number: int
    point: int
    job: str
    began: float | None = None
    limit: float = 0.0


@dataclass(slots=True)
class Progress:
    """A planned point, and what became of it so far."""

    number: int
    row: Rows
    point: Point
    stage: Stage
    attempts: list[Attempt] = field(default_factory=list)
    closed: bool = False  # it is not run again
    stored: bool = False  # and the store has it: nothing more will be done about it
    why_skipped: str = ""

    @property
    def repetitions(self) -> list[Repetition]:
        """What its good runs gave."""
        return [a.repetition for a in self.attempts if a.outcome is Outcome.OK and a.repetition is not None]

    @property
    def bandwidths(self) -> list[float]:
        """What its good runs gave, B/s."""
        return [r.bandwidth for r in self.repetitions if r.bandwidth is not None]

    @property
    def failures(self) -> list[Attempt]:
        """Its runs that gave nothing."""
        return [a for a in self.attempts if a.outcome is not Outcome.OK]

    @property
    def tried_enough(self) -> bool:
        """Whether it is not run again, whatever its good runs tell."""
        if self.stage is Stage.REPEAT and self.attempts:
            return True
        return len(self.failures) >= TRIES or any(one.outcome is Outcome.TIMEOUT for one in self.failures)


@dataclass(slots=True)
class State:
    """A campaign as its journal tells it.

    Args:
        begun: the first event: platform, options, seed.
        progress: every planned point, by number.
        open_run: the run that began and of which no end was written, if there is one.
        runs: how many runs began, and the number of the next.
        clashes: how many of them made nothing, as a folder of their name was there.
        ranks: parameter names by rank, the most important first, for time and for cost; empty before they are known.
        ended: why the campaign has ended, "" if it has not; paused: likewise.
        paused_at: when it was interrupted, s since 1970; None where a run that is open had another end.
        seconds: wall time of all runs so far, s; dollars: USD spent on them; also of those whose end nobody saw.
        unsafe: configurations that gave back wrong bytes.
        failed: how many points of a configuration gave nothing since it last gave something.
        in_a_row: how many runs failed since one last gave something, or somebody went on all the same.
        order: in which points were stored, by number.
    """

    begun: dict[str, Any]
    progress: list[Progress] = field(default_factory=list)
    open_run: OpenRun | None = None
    runs: int = 0
    clashes: int = 0
    stages: list[Stage] = field(default_factory=list)
    ranks: dict[str, list[str]] = field(default_factory=dict)
    effects: dict[str, dict[str, float]] = field(default_factory=dict)
    ended: str = ""
    paused: str = ""
    paused_at: float | None = None
    seconds: float = 0.0
    dollars: float = 0.0
    unsafe: set[Configuration] = field(default_factory=set)
    failed: Counter[Configuration] = field(default_factory=Counter)
    in_a_row: int = 0
    order: list[int] = field(default_factory=list)

    @property
    def avoided(self) -> set[Configuration]:
        """Configurations that are not run any more: unsafe ones, and those that keep failing."""
        return self.unsafe | {c for c, points in self.failed.items() if points >= QUARANTINE}

    @property
    def ended_runs(self) -> int:
        """How many runs ended, however they did."""
        return sum(len(p.attempts) for p in self.progress)

    @property
    def lost_runs(self) -> int:
        """How many runs came to nothing that anybody saw, as acic or the budget ended."""
        return max(0, self.runs - self.clashes - self.ended_runs - (self.open_run is not None))

    @property
    def waiting(self) -> list[Progress]:
        """Points about which something is left to do, in the order of the plan."""
        return [p for p in self.progress if not p.stored]

    @property
    def rows(self) -> Rows:
        """Every planned row, shape (points, parameters)."""
        return np.array([p.row for p in self.progress], dtype=np.int8) if self.progress else np.zeros((0, 0), np.int8)

    @property
    def attempts(self) -> list[tuple[Progress, Attempt]]:
        """Every run that ended, with its point, in the order of the runs."""
        return sorted(((p, a) for p in self.progress for a in p.attempts), key=lambda pair: pair[1].number)


def replay(events: Iterable[dict[str, Any]], space: Field) -> State:
    """Return the state that the events lead to.

    Raises:
        UnreadableInput: one of them makes no sense after those before.
    """
    rest = iter(events)
    state = State(begun=next(rest))
    for line, event in enumerate(rest, 2):
        try:
            apply(state, event, space)
        except (LookupError, TypeError, ValueError, OverflowError, InvalidInput) as error:
            raise UnreadableInput(
                f"line {line} of the campaign's journal makes no sense: {type(error).__name__} {error}",
                hint="restore the file from a copy, update acic, or begin a new campaign",
            ) from error
    return state


def apply(state: State, event: dict[str, Any], space: Field) -> None:
    """Change `state` by one event."""
    if event["event"] == "planned":  # the only one whose rows have to be read
        _planned(state, event, space)
    else:
        _APPLY[event["event"]](state, event)


def _planned(state: State, event: dict[str, Any], space: Field) -> None:
    stage = Stage(event["stage"])
    state.stages.append(stage)
    for row in np.array(event["rows"], dtype=np.int8).reshape(-1, len(space.space.parameters)):
        state.progress.append(Progress(len(state.progress), row, space.point(row), stage))


def _started(state: State, event: dict[str, Any]) -> None:
    state.runs = event["run"] + 1
    state.open_run = OpenRun(
        count("run", event["run"], least=0),
        event["point"],
        string("job", event["job"]),
        number("at", event.get("at")),
        number("limit", event.get("limit")) or 0.0,
    )
    state.paused_at = None


def _finished(state: State, event: dict[str, Any]) -> None:
    attempt, progress = attempt_of(event), state.progress[event["point"]]
    progress.attempts.append(attempt)
    state.open_run = None
    state.seconds += attempt.elapsed
    state.dollars += attempt.dollars
    state.in_a_row = 0 if attempt.repetition else state.in_a_row + 1
    if attempt.outcome is Outcome.CORRUPT:
        state.unsafe.add(progress.point.configuration)


def _lost(state: State, event: dict[str, Any]) -> None:
    _came_to_nothing(state, event)
    state.clashes += flag("clash", event.get("clash", False))


def _refused(state: State, event: dict[str, Any]) -> None:
    _came_to_nothing(state, event)
    state.runs = count("run", event["run"], least=0)  # there was none of this number
    state.paused = string("why", event["why"])


def _came_to_nothing(state: State, event: dict[str, Any]) -> None:
    state.open_run = None
    state.seconds += number("elapsed", event.get("elapsed")) or 0.0
    state.dollars += number("dollars", event.get("dollars")) or 0.0


def _closed(state: State, event: dict[str, Any]) -> None:
    progress = state.progress[event["point"]]
    progress.closed, progress.why_skipped = True, event.get("skipped", "")


def _stored(state: State, event: dict[str, Any]) -> None:
    progress = state.progress[event["point"]]
    progress.closed = progress.stored = True
    state.order.append(progress.number)
    if progress.repetitions:
        state.failed[progress.point.configuration] = 0
    elif progress.attempts:
        state.failed[progress.point.configuration] += 1


def _ranked(state: State, event: dict[str, Any]) -> None:
    state.ranks = {goal: list(strings(goal, names)) for goal, names in table("ranks", event["ranks"]).items()}
    state.effects = {
        goal: {name: amount(name, size) for name, size in table(goal, sizes).items()}
        for goal, sizes in table("effects", event["effects"]).items()
    }


def _ended(state: State, event: dict[str, Any]) -> None:
    state.ended, state.paused = event["why"], ""


def _paused(state: State, event: dict[str, Any]) -> None:
    state.paused, state.paused_at = event["why"], number("at", event.get("at"))


def _resumed(state: State, event: dict[str, Any]) -> None:
    state.paused = state.ended = ""
    state.in_a_row = 0  # somebody has seen to it
    state.begun |= event.get("options", {})


_APPLY = {
    "started": _started,
    "finished": _finished,
    "lost": _lost,
    "refused": _refused,
    "closed": _closed,
    "stored": _stored,
    "ranked": _ranked,
    "ended": _ended,
    "paused": _paused,
    "resumed": _resumed,
}


def numbers(rows: Rows) -> list[list[int]]:
    """Return rows as a journal keeps them."""
    made: list[list[int]] = rows.tolist()
    return made
