"""What runs of an application's own command leave where acic is killed: written down before, cleared up by the next.

A campaign has its journal for that, and is gone on with; such runs belong to none.
"""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from acic.campaign.locking import lock
from acic.campaign.request import Where
from acic.campaign.runners import open_runner
from acic.cluster import Job, StillRunning
from acic.errors import AcicError, InvalidInput
from acic.paths import is_own, new_file, user_folder


def commands_folder() -> Path:
    """Return the folder that has a file of JSON lines for each command at work, which holds a lock on it."""
    return user_folder("state") / "commands"


@contextmanager
def noted(where: Where, outputs: Path) -> Iterator[Callable[[str, Path], None]]:
    """Make the folder `outputs`, and remove it after the block, which tells each run before it begins.

    Where the block was interrupted and its job could not be ended, all is kept for `clear_up`.

    Args:
        where: how runs are made.
        outputs: of all runs; its name is unique.

    Yields:
        What takes the name of a run's job, and the folder of its files.

    Raises:
        InvalidInput: the folder cannot be made.
    """
    file = commands_folder() / f"{outputs.name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with TextIOWrapper(new_file(file, 0o600), encoding="utf-8") as lines:
        try:
            lock(lines)
        except InvalidInput:
            file.unlink()
            raise
        _append(lines, {"machine": socket.gethostname(), "where": asdict(where), "outputs": str(outputs)})
        try:
            _make(outputs)
            yield lambda job, place: _append(lines, {"job": job, "place": str(place)})
        except StillRunning:
            raise  # the next command ends what is left, by what is kept here
        except BaseException:
            _forget(outputs, file)
            raise
        _forget(outputs, file)


def clear_up() -> list[str]:
    """End the runs and remove the files of commands that were killed on this machine; return a sentence for each."""
    told = []
    for file in sorted(commands_folder().glob("*.jsonl")):
        try:
            if not is_own(file):
                continue  # another user's, who may name any folder to be removed
            lines = file.open("r+", encoding="utf-8")
        except FileNotFoundError:
            continue  # it has ended since, or another command has cleared up after it
        with lines:
            try:
                lock(lines)
            except (BlockingIOError, InvalidInput):
                continue  # it is at work, or nobody can tell
            try:
                left = _read(lines)
            except (LookupError, TypeError, ValueError, RecursionError):
                file.unlink(missing_ok=True)
                told.append(f"{file} was damaged and is removed: a folder {file.stem} of a killed command may be left")
                continue
            if left is None or left.machine != socket.gethostname():
                continue  # it is just beginning, or another's
            try:
                _clear(left)
            except AcicError as error:
                told.append(f"{left.outputs} is left by a command that was killed: {error.problem}")
                continue
            file.unlink(missing_ok=True)
            told.append(f"a command that was killed left runs in {left.outputs}: they are ended and removed")
    return told


@dataclass(frozen=True, slots=True)
class _Left:
    """What a command noted: its machine, how it makes runs, their outputs, and its last run's job and folder."""

    machine: str
    where: Where
    outputs: Path
    last: tuple[str, Path] | None


def _read(lines: Iterable[str]) -> _Left | None:
    """Return what a command noted, None where it has not yet.

    Raises:
        LookupError, TypeError, ValueError, RecursionError: the lines are damaged.
    """
    found = [json.loads(line) for line in lines if line.endswith("\n")]
    if not found:
        return None
    head, *runs = found
    last = (str(runs[-1]["job"]), Path(runs[-1]["place"])) if runs else None
    return _Left(head["machine"], Where.of(head["where"]), Path(head["outputs"]), last)


def _clear(left: _Left) -> None:
    """Clear up after a command; the runs before its last are over."""
    if left.last:
        name, place = left.last
        nodes = left.where.nodes
        job = Job(name=name, command=("true",), processes=0, folder=left.outputs, time_limit=1.0, nodes=nodes)
        open_runner(left.where, None).reclaim(job)
        shutil.rmtree(place, ignore_errors=True)
    shutil.rmtree(left.outputs, ignore_errors=True)


def _forget(outputs: Path, file: Path) -> None:
    shutil.rmtree(outputs, ignore_errors=True)
    file.unlink(missing_ok=True)


def _make(outputs: Path) -> None:
    try:
        outputs.mkdir(mode=0o755)  # no other user writes what runs read
    except OSError as error:
        raise InvalidInput(
            f"cannot make {outputs}, where what runs print goes: {error.strerror}",
            hint="give a --directory that you can write to, and that all nodes see",
        ) from error


def _append(lines: IO[str], content: dict[str, Any]) -> None:
    lines.write(json.dumps(content) + "\n")
    lines.flush()
