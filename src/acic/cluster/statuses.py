"""What an exit status says."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from acic.cluster.job import Ending, State

_SIGNALLED = 128
_TOLD = {
    126: "the program cannot be executed",
    127: "the program cannot be found",
    132: "signal 4, or Open MPI's mpiexec could not start the program",  # 4.1.4
    183: "Open MPI's mpiexec could not start the program",  # 5.0.11
}


def ending_of(status: int, seconds: float | None) -> Ending:
    """Return how a program ended that had the exit `status`; -N or 128 + N for a signal N."""
    if status == 0:
        return Ending(state=State.DONE, exit_status=0, seconds=seconds)
    shown = _as_shells_have_it(status)
    return Ending(state=State.FAILED, exit_status=shown, seconds=seconds, reason=_described(shown))


def failed_before(command: Sequence[str], status: int) -> Ending:
    """Return how a job ended whose `command` before failed; () for one that is not known."""
    what = f"{command[0]!r}, to be run before," if command else "what was to be run before"
    return Ending(state=State.FAILED, reason=f"{what} failed: {_described(_as_shells_have_it(status))}")


def by_signal(ending: Ending) -> bool:
    """Return whether a program failed because it was sent a signal."""
    return ending.state is State.FAILED and (ending.exit_status or 0) > _SIGNALLED


def _as_shells_have_it(status: int) -> int:
    return _SIGNALLED - status if status < 0 else status


def _described(status: int) -> str:
    """Return an exit status that is not 0 in words."""
    if status not in _TOLD and status > _SIGNALLED and status - _SIGNALLED in signal.valid_signals():
        return f"killed by signal {status - _SIGNALLED}"
    told = f"exit status {status}"
    return f"{told}: {_TOLD[status]}" if status in _TOLD else told
