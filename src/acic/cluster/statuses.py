"""What an exit status says."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from acic.cluster.job import Ending, State

_SIGNALLED = 128
_TOLD = {126: "the program cannot be executed", 127: "the program cannot be found"}


def ending_of(status: int, seconds: float | None) -> Ending:
    """Return how a program ended that had the exit `status`; -N or 128 + N for a signal N."""
    if status == 0:
        return Ending(state=State.DONE, exit_status=0, seconds=seconds)
    shown = _SIGNALLED - status if status < 0 else status
    return Ending(state=State.FAILED, exit_status=shown, seconds=seconds, reason=describe(shown))


def failed_before(command: Sequence[str], status: int) -> Ending:
    """Return how a job ended whose `command` before failed; () for one that is not known."""
    shown = _SIGNALLED - status if status < 0 else status
    what = f"{command[0]!r}, to be run before," if command else "what was to be run before"
    return Ending(state=State.FAILED, reason=f"{what} failed: {describe(shown)}")


def describe(status: int) -> str:
    """Return an exit status that is not 0 in words."""
    if status > _SIGNALLED and status - _SIGNALLED in signal.valid_signals():
        return f"killed by signal {status - _SIGNALLED}"
    told = f"exit status {status}"
    return f"{told}: {_TOLD[status]}" if status in _TOLD else told
