"""What a command in the lab left: copied to a folder of this machine, all of it or nothing."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acic.cluster.lab.tools import asked
from acic.errors import AcicError, InvalidInput, TransientError, with_sudo
from acic.paths import resolved

if TYPE_CHECKING:
    from acic.lab.lab import Lab

_log = logging.getLogger(__name__)

PLACE = "{directory}"  # in a command: where its files are to go
_COPY = ("cp", "-dR", "--preserve=mode,timestamps,links", "--")


class ResultsStay(TransientError):
    """What a command left could not be copied: it stays where it is."""


def check_results(folder: Path, words: Sequence[str]) -> None:
    """Check, before anything is run, that what a command leaves can be copied to `folder`.

    Args:
        folder: which is new, or empty; what is in one is never replaced.
        words: the command, with `{directory}` where its files are to go.

    Raises:
        InvalidInput: something is in the folder, it cannot be written, or the command names no place for its files.
    """
    if not any(PLACE in word for word in words):
        raise InvalidInput(
            "the command does not say where its files go, so nothing of it could be copied",
            hint=f"write {PLACE} where it names its output, or leave --results out",
        )
    place = resolved(folder)
    try:
        if place.exists() and any(place.iterdir()):
            raise InvalidInput(f"{folder} is not empty", hint="name a new folder: nothing that is there is replaced")
        with tempfile.TemporaryDirectory(prefix=".", dir=place if place.exists() else place.parent):
            pass  # only this tells: a network's file system may let root write less than its permissions say
    except OSError as error:
        raise InvalidInput(
            f"cannot write to {folder}: {error.strerror}",
            hint="name one in a folder that is there, and that takes files",
        ) from error


def copy_results(
    lab: Lab,
    node: str,
    directory: str,
    folder: Path,
    *,
    seconds: float,
    send: Callable[[float], object] | None = None,
) -> None:
    """Copy all that is in a directory of a node to a folder of this machine, which is made where it is not there.

    It is copied beside what it becomes, under a name of its own, so that what is there under its names is complete.

    Args:
        lab: whose node.
        node: which has it mounted.
        directory: what is left there.
        folder: as `check_results` found it.
        seconds: after which copying is given up.
        send: has all nodes send what they hold of it, in as many s, or raises TransientError; None where none does.

    Raises:
        ResultsStay: not all of it can be copied; then nothing is in the folder.
    """
    source, place = lab.nodes[node].within(directory), resolved(folder)
    try:
        place.mkdir(exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=place))
        try:
            if send is not None:
                send(seconds)
            _copy(source, unfinished, seconds)
            _move(unfinished, place)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except (AcicError, OSError) as error:
        why = error.problem if isinstance(error, AcicError) else error.strerror or str(error)
        raise ResultsStay(
            f"what the command left could not be copied to {folder}: {why.replace(str(source), directory)}",
            hint=f"it stays in {directory} until the file system is taken down: copy it in a shell there, "
            + with_sudo("lab", "shell", node),
        ) from error


def _copy(source: Path, target: Path, seconds: float) -> None:
    try:
        done = asked([*_COPY, f"{source}/.", str(target)], seconds=seconds)
    except TransientError as error:
        raise TransientError(f"copying did not end in {seconds:g} s", hint="give a longer --time-limit") from error
    if done.returncode != 0:
        last = (done.stderr.strip() or f"exit status {done.returncode} of cp").splitlines()[-1]
        raise TransientError(last.replace(f"{target}/", ""), hint="try again")


def _move(unfinished: Path, place: Path) -> None:
    """Give what was copied its own names, if nothing has one of them."""
    found = sorted(unfinished.iterdir())
    if not found:
        _log.warning("the command left nothing in %s", PLACE)
    if taken := [path.name for path in found if os.path.lexists(place / path.name)]:
        raise TransientError(f"{', '.join(taken)} is there meanwhile", hint="name another folder")
    for path in found:
        path.rename(place / path.name)
