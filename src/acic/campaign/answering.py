"""Questions to a file system that may never answer: another thread asks them, so that a campaign goes on without it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from acic.errors import TransientError

Found = TypeVar("Found")

PATIENCE = 120.0  # s that a file system has to make, list or remove a run's files
_MOMENT = 1.0  # s


def answered(
    ask: Callable[[], Found], *, patience: float = PATIENCE, undo: Callable[[], object] = lambda: None
) -> Found:
    """Return what `ask` returns, or raise what it raises.

    Nothing can end a thread that waits for a file system (a hard mount, FUSE without its daemon), so it is left behind.

    Args:
        ask: the question.
        patience: s to wait for the answer.
        undo: takes back what `ask` did, where that ends after nobody waits for it any more.

    Raises:
        TransientError: there is no answer after `patience` s.
    """
    found: list[Found] = []
    failed: list[BaseException] = []
    first = threading.Lock()  # the answer's or the end of patience, whichever comes first

    def asking() -> None:
        try:
            answer = ask()
        except BaseException as error:  # raised again below, whatever it is
            failed.append(error)
            return
        if first.acquire(blocking=False):
            found.append(answer)
        else:
            with suppress(Exception):  # nobody is there to be told
                undo()

    thread = threading.Thread(target=asking, daemon=True)
    thread.start()
    try:
        thread.join(patience)
    except KeyboardInterrupt:
        thread.join(min(patience, _MOMENT))  # who clears up must find what was just being made
        first.acquire(blocking=False)
        raise
    if failed:
        raise failed[0]
    if first.acquire(blocking=False):
        raise TransientError(
            f"the file system has not answered for {patience:g} s", hint="is it mounted, and do its servers run?"
        )
    thread.join()  # the answer came just now
    return found[0]
