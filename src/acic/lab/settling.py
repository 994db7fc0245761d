"""The end of a run where clients hold back what was written: they send it, in the run's time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acic.cluster.job import Ending, State
from acic.errors import TransientError
from acic.lab.results import PLACE

# On each client, which knows only by this what it holds: that of a whole file system does not reach FUSE's.
SYNC = ("sh", "-c", 'test ! -d "$1" || find "$1" -type f -exec sync {} +', "sh", PLACE)
_LEAST = 1.0  # s to send it where the command took all of its time


def settled(ending: Ending, send: Callable[[float], float], seconds: float) -> Ending:
    """Return how a run ended that went well, when its clients have sent what they hold of its files.

    Args:
        ending: of its command.
        send: has clients send it in the s that it is given, or raises TransientError; returns the s that it took.
        seconds: that all of it may take.
    """
    took = ending.seconds or 0.0
    try:
        sent = send(max(_LEAST, seconds - took))
    except TransientError as error:
        return replace(ending, state=State.FAILED, exit_status=None, reason=error.problem, hint=error.hint)
    return replace(ending, seconds=took + sent)
