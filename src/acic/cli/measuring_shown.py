"""How far what measures has come, as it is shown: a bar on a terminal, lines in a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from acic.cli.measuring import note_open_mpi, note_own_hints
from acic.cli.output import say
from acic.errors import Interrupted
from acic.units import format_seconds, format_usd

if TYPE_CHECKING:
    from acic.campaign.view import View

_SILENCE = 300.0  # s, after which a file is told again how far a campaign is


def interrupted(ended: KeyboardInterrupt, problem: str, *, hint: str) -> Interrupted:
    """Return the error in place of an interrupt, with what else went wrong on the way out."""
    error = Interrupted(problem, hint=hint)
    for note in getattr(ended, "__notes__", ()):
        error.add_note(note)
    return error


@contextmanager
def campaign_progress() -> Iterator[Callable[[View], None]]:
    """Show on stderr how far a campaign is.

    Raises:
        Interrupted: in place of KeyboardInterrupt: what was measured is kept.
    """
    note_own_hints()
    note_open_mpi()
    try:
        with progress("measuring") as show:
            yield lambda view: show(view.used, _described(view))
    except KeyboardInterrupt as ended:
        raise interrupted(ended, "interrupted; the campaign is paused", hint="--resume goes on with it") from None


@contextmanager
def progress(title: str, *, of: str = "the budget") -> Iterator[Callable[[float | None, str], None]]:
    """Show on stderr which part is done, and of what: as a bar with the time left, or in a file by `Lines`."""
    if not sys.stderr.isatty():
        yield Lines(of=of).show
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=None)  # as it stays where there is no budget
        yield lambda part, text: bar.update(task, completed=part, total=None if part is None else 1.0, description=text)


class Lines:
    """What a file is told: a line each tenth, and each few minutes, so that its reader sees that all is well.

    Args:
        of: what the part that is done is a part of.
        clock: tells seconds that never go back.
    """

    def __init__(self, *, of: str = "the budget", clock: Callable[[], float] = time.monotonic) -> None:
        self._of, self._clock = of, clock
        self._tenth, self._told = 0, clock()

    def show(self, part: float | None, text: str) -> None:
        """Tell how far it is, if it is time to; `part` is None where nobody knows of how much."""
        now, tenth = self._clock(), int((part or 0.0) * 10)
        if tenth > self._tenth or now - self._told >= _SILENCE:
            self._tenth, self._told = tenth, now
            say(text if part is None else f"{part:.0%} of {self._of}: {text}")


def _described(view: View) -> str:
    passed = f"{format_seconds(view.seconds)} passed" + (f", {format_usd(view.dollars)} spent" if view.dollars else "")
    return f"{view.points} of {view.planned} points, {view.runs} runs, {passed}; {view.doing}"
