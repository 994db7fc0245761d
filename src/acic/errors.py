"""The one error tree: every message is the problem, every hint its remedy.

Only `acic.cli` turns an error into an exit status; only a `TransientError` is retried.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

TURNING = "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # in a set: these turn around the text that follows
CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{TURNING}]")  # what ends lines, or what a terminal obeys
_SUDO_LOOKS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # and not into Python's environments


class AcicError(Exception):
    """Anything acic refuses to do, with the remedy.

    Args:
        problem: what is wrong, one line, without a full stop.
        hint: what the user can do about it.
    """

    exit_status = 1
    kind = "other"  # as --json tells it (docs/json.md); subclasses elsewhere are of the kind that they refine

    def __init__(self, problem: str, *, hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


class InvalidInput(AcicError):
    """A value, option or file content that cannot be right."""

    exit_status = 2
    kind = "invalid input"


class UnreadableInput(AcicError):
    """A file that is missing, truncated, corrupt or of an unknown format."""

    exit_status = 3
    kind = "unreadable input"


class MissingData(AcicError):
    """The question is fine, but nothing measured can answer it yet."""

    exit_status = 4
    kind = "missing data"


class StoreError(AcicError):
    """The training database cannot be reached, read or written."""

    exit_status = 5
    kind = "store"


class TransientError(AcicError):
    """A failure that may pass: the only kind that is retried."""

    exit_status = 6
    kind = "transient"


class StoreAway(StoreError, TransientError):
    """The training database does not answer now: its server is down or restarts, or its file is locked for long."""

    kind = "store away"


class Interrupted(AcicError):
    """Somebody ended it: by Ctrl-C, or as batch systems do."""

    exit_status = 130
    kind = "interrupted"


class Mistake(AcicError):
    """A mistake in acic itself, which nobody foresaw."""

    exit_status = 70
    kind = "mistake"


def printable(text: str) -> str:
    """Return what any database can hold of a text on one line: names of files need not be UTF-8."""
    return "".join(character for character in text if character.isprintable())


def on_one_line(error: Exception) -> str:
    """Return what is wrong, without line breaks and cut to 300 characters, for the note of a run."""
    text = error.problem if isinstance(error, AcicError) else str(error)
    return " ".join(text.split())[:300]


def with_extra(name: str) -> str:
    """Return the remedy for what one of the extras of acic brings; no index has acic, so it comes from a clone."""
    return f"install acic with its {name} extra (in a clone: pip install '.[{name}]')"


def with_sudo(*words: str) -> str:
    """Return what to type to run `acic` with these words as root: with its path, where sudo would not find it."""
    program = "acic"
    if shutil.which(program, path=_SUDO_LOOKS) is None:
        program = shutil.which(program, path=str(Path(sys.executable).parent)) or shutil.which(program) or program
    return shlex.join(["sudo", program, *words])
