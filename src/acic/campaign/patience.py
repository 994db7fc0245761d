"""Asking again what does not answer now: a scheduler or a database restarts, and a campaign of days outlives that."""

from __future__ import annotations

from collections.abc import Callable

from acic.errors import TransientError
from acic.units import format_seconds

NAPS = (1.0, 2.0, 4.0, 8.0, *[15.0] * 19)  # s between tries: 5 min in all


def patiently(
    ask: Callable[[], object],
    passing: type[TransientError],
    *,
    announce: Callable[[str], None],
    sleep: Callable[[float], None],
) -> None:
    """Ask once, and where that fails for what may pass, again and again for some minutes.

    Args:
        ask: does it; doing it again changes nothing.
        passing: what may pass.
        announce: is told, once, that it is tried again.
        sleep: waits so many s.

    Raises:
        TransientError: what is `passing` has not passed after all of `NAPS`.
    """
    for number, nap in enumerate(NAPS):
        try:
            ask()
        except passing as error:
            if number == 0:
                announce(f"note: {error.problem}; it is tried again for {format_seconds(sum(NAPS))}")
            sleep(nap)
        else:
            return
    ask()
