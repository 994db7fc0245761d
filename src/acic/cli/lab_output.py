"""What a job in the lab says, passed on as it comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from acic.cluster import Job

_LOOK = 0.1  # s between two looks at what was said
_PIECE = 1 << 20  # B passed on at once


@dataclass(slots=True)
class _Output:
    """A file that a job writes, and how much of it was passed on."""

    file: Path
    err: bool
    passed: int = 0

    def pass_on(self) -> None:
        if not self.file.exists():
            return
        with self.file.open("rb") as said:
            said.seek(self.passed)
            while piece := said.read(_PIECE):
                click.echo(piece, nl=False, err=self.err)
                self.passed += len(piece)


@contextmanager
def passing_on() -> Iterator[Callable[[Job], None]]:
    """Pass on what a job says, from when the block names it until the block has ended, however it does.

    Raises:
        OSError: nobody takes it; the job has run to its end all the same.
    """
    outputs: list[_Output] = []
    over = threading.Event()

    def begin(job: Job) -> None:
        outputs.extend([_Output(job.stdout, err=False), _Output(job.stderr, err=True)])

    def follow() -> None:
        with suppress(OSError):  # the last look meets it again, where it can be told
            while not over.wait(_LOOK):
                _pass_on(outputs)

    thread = threading.Thread(target=follow, name="passing on", daemon=True)
    thread.start()
    try:
        yield begin
    except BaseException:
        over.set()
        thread.join()
        with suppress(OSError):  # it would stand in place of what went wrong
            _pass_on(outputs)
        raise
    over.set()
    thread.join()
    _pass_on(outputs)


def _pass_on(outputs: list[_Output]) -> None:
    for output in outputs:
        output.pass_on()
