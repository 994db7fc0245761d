"""Programs of this machine that the lab is made with, and files of the kernel."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from acic.cluster import commands
from acic.errors import InvalidInput, TransientError

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
DOCTOR = "see `acic lab doctor`"


def environment() -> dict[str, str]:
    """Return the variables for programs of the lab: few, so that the user's settings change nothing there."""
    path = os.environ.get("PATH", "")
    return {"PATH": f"{path}:{PATH}" if path else PATH, "LANG": "C.UTF-8", "HOME": "/root", "TERM": "dumb"}


def which(program: str) -> str | None:
    """Return where a program is, as nodes find it: also where only root looks."""
    return shutil.which(program, path=environment()["PATH"])


def tool(*words: str | Path, stdin: str = "", seconds: float = 30.0) -> str:
    """Run a program of this machine to its end; return its standard output.

    Raises:
        InvalidInput: there is no such program.
        TransientError: it failed, or took longer than `seconds`.
    """
    done = asked([str(word) for word in words], stdin=stdin, seconds=seconds)
    if done.returncode != 0:
        told = (done.stderr or done.stdout).strip().replace("\n", "; ")
        raise TransientError(f"{' '.join(map(str, words))}: {told or f'exit status {done.returncode}'}", hint=DOCTOR)
    return done.stdout


def asked(words: Sequence[str], *, stdin: str = "", seconds: float = 30.0) -> subprocess.CompletedProcess[str]:
    """Run a program of this machine to its end; return what it said.

    Raises:
        InvalidInput: there is no such program.
        TransientError: it took longer than `seconds`.
    """
    program = which(words[0])
    if program is None:
        raise InvalidInput(f"there is no program {words[0]}", hint=DOCTOR)
    try:
        return commands.run([program, *words[1:]], patience=seconds, stdin=stdin, environment=environment())
    except subprocess.TimeoutExpired as error:
        raise TransientError(f"{' '.join(words)} did not end in {seconds:g} s", hint="try again") from error


def read(path: Path) -> str:
    """Return the content of a file of the kernel without the white space around it; "" if there is none."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def write(path: Path, text: str) -> None:
    """Write a file of the kernel.

    Raises:
        TransientError: the kernel does not take it.
    """
    try:
        path.write_text(text)
    except OSError as error:
        raise TransientError(f"cannot write {text.strip()!r} to {path}: {error.strerror}", hint=DOCTOR) from error
