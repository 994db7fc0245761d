"""The course of a campaign: its journal, and the state that follows from it, which change together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acic.campaign.journal import Journal
from acic.campaign.points import Field, Rows
from acic.campaign.state import Progress, Stage, State, apply, numbers, replay


class Course:
    """What a campaign has done so far, to which events are added.

    Args:
        journal: of the campaign.
        field: the space of its points.
    """

    def __init__(self, journal: Journal, field: Field) -> None:
        self.journal = journal
        self.state = State(begun={})
        self._field = field
        self._resumed: dict[str, Any] = {}  # not yet written down: a search that is refused has changed nothing

    @property
    def stopped(self) -> str:
        """Why nothing more is run, "" while it goes on."""
        return self.state.ended or self.state.paused

    def take_up(self) -> None:
        """Read the journal: the state is what it tells."""
        self.state = replay(self.journal.events(), self._field)

    def resume(self, options: Mapping[str, Any]) -> None:
        """Go on where it had stopped, or with other `options`; that is written down with the next event."""
        changed = {k: v for k, v in options.items() if self.state.begun.get(k) != v}
        if self.stopped or changed:
            self._resumed = {"options": changed}
            apply(self.state, {"event": "resumed", **self._resumed}, self._field)

    def note(self, event: str, **fields: Any) -> None:
        """Write one event down, and have the state follow it."""
        if self._resumed:
            self.journal.append("resumed", **self._resumed)
            self._resumed = {}
        self.journal.append(event, **fields)
        apply(self.state, {"event": event, **fields}, self._field)

    def plan(self, stage: Stage, rows: Rows) -> list[Progress]:
        """Write down that these points are to be run; return them."""
        before = len(self.state.progress)
        self.note("planned", stage=str(stage), rows=numbers(rows))
        return self.state.progress[before:]
