"""What is written down of a job beside its output, so that a later controller can read it."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from acic.cluster.job import Ending, Job, State
from acic.errors import InvalidInput
from acic.paths import new_file


def ending_file(job: Job) -> Path:
    """Where it stands how `job` ended."""
    return job.folder / f"{job.name}.ending.json"


def check_folder(job: Job) -> None:
    """Check that `job` can write where it is to.

    Raises:
        InvalidInput: its folder is missing, is none, or cannot be written to.
    """
    if not job.folder.is_dir():
        raise InvalidInput(f"there is no folder {job.folder}", hint="make it where all nodes see it")
    if not os.access(job.folder, os.W_OK | os.X_OK):
        raise InvalidInput(f"the folder {job.folder} cannot be written to", hint="choose another, or change its mode")


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` to `path` at once or not at all."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("x") as file:
            json.dump(content, file)  # not forced to the disk: what a crash of the machine takes is "not known"
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_program(path: Path, text: str) -> None:
    """Write a program that this user alone may read and run."""
    path.unlink(missing_ok=True)
    with new_file(path, 0o700) as file:
        file.write(os.fsencode(text))  # a path or an argument in it need not be UTF-8


def read_json(path: Path) -> dict[str, Any] | None:
    """Return what `path` holds; None if it is not there or holds something else."""
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def record(job: Job, ending: Ending) -> Ending:
    """Write down how `job` ended and return that, unless it stands there already: then return what does."""
    known = recorded(job)
    if known is not None:
        return known
    write_json(
        ending_file(job),
        {
            "state": ending.state.value,
            "exit_status": ending.exit_status,
            "seconds": ending.seconds,
            "reason": ending.reason,
            "hint": ending.hint,
        },
    )
    return ending


def record_or_tell(job: Job, ending: Ending) -> Ending:
    """Return what `record` does; where a full disk, say, keeps it from being written down, that nobody knows it.

    Who waits is told why, and the job is not done, as no later controller would know that it was.
    """
    try:
        return record(job, ending)
    except OSError as error:
        told = f"how it ended cannot be written down: {error.strerror or error}"
        return Ending(state=State.UNKNOWN, reason="; ".join(filter(None, [ending.reason, told])))


def recorded(job: Job) -> Ending | None:
    """Return how `job` ended, if that was written down."""
    content = read_json(ending_file(job))
    if content is None:
        return None
    try:
        state = State(content["state"])
        status, seconds, reason = content["exit_status"], content["seconds"], content["reason"]
    except (KeyError, ValueError):
        return None
    hint = content.get("hint", "")  # of a program that acic wrote for a scheduler: none
    texts = isinstance(reason, str) and isinstance(hint, str)
    if not (texts and isinstance(status, int | None) and isinstance(seconds, int | float | None) and state.over):
        return None
    return Ending(state=state, exit_status=status, seconds=seconds, reason=reason, hint=hint)
