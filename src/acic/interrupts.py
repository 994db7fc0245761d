"""Ending politely: what a batch system, a shutdown or a closed terminal sends works as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_POLITE = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block when somebody asks the process to end; nohup's choice is left alone."""
    if threading.current_thread() is not threading.main_thread():  # only that one may say how signals are taken
        yield
        return
    taken = [number for number in _POLITE if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (the signature of a handler)
    raise KeyboardInterrupt
