"""The lab, open while a command works on it, and what becomes of its file system at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acic.lab import Lab


@contextmanager
def opened_lab(state: Path, *, keep: bool) -> Iterator[Lab]:
    """Open the lab of that record; at the end take down what is deployed, unless it is to be kept.

    Where results could not be copied it stays: it is all that has them.

    Raises:
        AcicError: there is none, or another process works on it.
        TransientError: something stays. Where the block has failed, its own error has that as a note.
    """
    from acic.lab import Lab
    from acic.lab.results import ResultsStay

    opened = Lab.open(state)
    try:
        yield opened
    except BaseException as error:
        keep = keep or any(isinstance(one, ResultsStay) for one in (error, error.__cause__))
        if not keep:
            opened.undeploy_after(error)
        raise
    else:
        if not keep:
            opened.undeploy()
    finally:
        if not keep:
            opened.forget_last()
        opened.close()
